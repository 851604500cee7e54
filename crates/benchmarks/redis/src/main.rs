//! Queries and inserts over one connection, beside what `redis-benchmark` gets out of the same server.
//!
//! The program starts a `redis-server` of its own. In every round each contestant does the same number of keys at each
//! number of keys a round trip, one after the other, the first one another in every round, so that ratios can be formed
//! within a round. `redis-benchmark` sends a `GETBIT` or `SETBIT` for each bit of as many keys, in a pipeline of one
//! client, prepared once and always of the same bit, and reads the replies without looking at them; its own figure of
//! commands a second, which is of whole milliseconds, is divided by the bits of a key. Answers are checked: a key that was
//! inserted and is not found, or contestants that differ, end the program.
#![forbid(unsafe_code)]

mod contestants;
mod keys;
mod rounds;
mod server;

use std::process::ExitCode;

use bench_kit::program;

fn main() -> ExitCode {
    program::run(&[("redis", |arguments| {
        let batches = rounds::measure(arguments.quick).map_err(|error| error.to_string())?;
        arguments.write(&batches)
    })])
}
