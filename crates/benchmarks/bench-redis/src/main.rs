//! Queries and inserts over one connection, compared with `redis-benchmark` on the same server.
//!
//! The program starts its own `redis-server`. In every round each contestant processes the same number of keys at each
//! batch size, in rotating order, so ratios can be formed within a round. `redis-benchmark` sends a `GETBIT` or
//! `SETBIT` for each bit of as many keys, from one pipelining client. Its commands are prepared once, always name the
//! same bit, and their replies are skipped. Its reported commands per second, measured in whole milliseconds, are
//! divided by the bits per key. Answers are checked: an inserted key that is not found, or contestants that differ, end
//! the program.
#![forbid(unsafe_code)]

mod contestants;
mod rounds;
mod server;

use std::process::ExitCode;

use bench_kit::program;
use bench_kit::suites::redis::SUITE;
use terminal::failure::Failure;

fn main() -> ExitCode {
    program::run(&[("redis", &SUITE, |is_quick| {
        rounds::measure(is_quick).map_err(Failure::internal)
    })])
}
