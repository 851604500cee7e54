//! One program for all tests, because each program links everything.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[cfg(not(engine))]
compile_error!("LevelDB's headers and a C++ compiler are needed; `cargo xtask test --install` installs them");

mod databases;
mod filters;
mod foreign_filters;
mod ids;
mod support;
