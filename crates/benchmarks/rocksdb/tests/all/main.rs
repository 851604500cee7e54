//! One program for all tests, because each program links everything.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[cfg(not(engine))]
compile_error!("RocksDB 7.8's headers and a C++ compiler are needed (Debian 12: librocksdb-dev, g++)");

mod damage;
mod filters;
mod tables;
