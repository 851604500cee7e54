//! Code shared by several tests.

pub(crate) mod sst_file;
