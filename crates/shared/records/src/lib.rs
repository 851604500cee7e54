//! Records of a comparison or a benchmark: tables of typed rows, the folder of a run, its checksums and its machine.
#![forbid(unsafe_code)]

pub mod document;
pub mod environment;
pub mod file;
pub mod folder;
pub mod table;
