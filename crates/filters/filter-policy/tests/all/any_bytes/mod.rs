//! Readers of any bytes, which the fuzz targets of their names call, too.
#![allow(
    dead_code,
    reason = "fuzz targets and the replay of their inputs call all functions `read`"
)]

pub(crate) mod filter_blocks;
pub(crate) mod filters;
pub(crate) mod parquet_headers;
pub(crate) mod ranges;
