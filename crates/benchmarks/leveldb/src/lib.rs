//! Google's LevelDB for the tests and the benchmark of `filter-policy-leveldb`: its own policy called directly,
//! databases that count their reads, policies that count their answers.

mod counting;
mod ffi;

pub use counting::{Answers, Counting};
pub use ffi::{Engine, EnginePolicy, version};
