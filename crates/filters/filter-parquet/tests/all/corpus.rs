//! The inputs of the fuzz targets of this folder's crates.

use super::reader;

#[path = "../../../filter-policy/tests/all/any_bytes/mod.rs"]
mod any_bytes;
#[path = "../../../../fuzz/inputs.rs"]
mod inputs;
#[path = "../../../filter-tables/tests/all/reader.rs"]
mod tables;

#[test]
fn every_committed_input_is_read() {
    inputs::replay("filter_blocks", 149, any_bytes::filter_blocks::read);
    inputs::replay("filters", 512, any_bytes::filters::read);
    inputs::replay("parquet_footers", 845, reader::read);
    inputs::replay("parquet_headers", 620, any_bytes::parquet_headers::read);
    inputs::replay("ranges", 609, any_bytes::ranges::read);
    inputs::replay("tables", 326, tables::read);
}
