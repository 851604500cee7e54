//! The readers that the fuzz targets of their names call: no bytes make them panic.

pub mod filter_blocks;
pub mod filters;
pub mod parquet_headers;
pub mod tables;
