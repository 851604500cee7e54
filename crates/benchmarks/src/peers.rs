//! The software that filters are measured against, one module each.

use std::io;

use terminal::failure::Failure;
use terminal::system;

pub mod crates;
pub mod guava;
#[cfg(feature = "leveldb")]
pub mod leveldb;
pub mod parquet;
pub mod ranges;
pub mod redis;
#[cfg(feature = "rocksdb")]
pub mod rocksdb;
pub mod rusty_leveldb;
pub mod slatedb;

/// Returns what turns the error of a program or a file that a peer needs into a failure.
fn missing(name: &str) -> impl Fn(io::Error) -> Failure {
    move |error| {
        let reason = system::text(&error);
        Failure::Input(format!(
            "{name}: {reason}; `cargo xtask test --install` installs it"
        ))
    }
}
