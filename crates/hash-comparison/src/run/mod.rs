//! From options to records: the order in which things are measured and judged.

pub mod compare;
pub mod quality;
