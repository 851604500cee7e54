//! Queries and inserts over one connection, beside what `redis-benchmark` gets out of the same server.
//!
//! ```text
//! cargo bench -p bloom-redis --bench round_trips -- [--quick] [--csv FILE]
//! ```
//!
//! The program starts a `redis-server` of its own. In every round each contestant does the same number of keys at each
//! number of keys a round trip, one after the other, the first one another in every round, so that ratios can be formed
//! within a round. `redis-benchmark` sends a `GETBIT` or `SETBIT` for each bit of as many keys, in a pipeline of one
//! client, prepared once and always of the same bit, and reads the replies without looking at them; its own figure of
//! commands a second, which is of whole milliseconds, is divided by the bits of a key. Answers are checked: a key that was
//! inserted and is not found, or contestants that differ, end the program. What is written are the batches; medians and
//! ratios are formed from them by `cargo xtask bench --suite redis`.

mod contestants;
mod keys;
mod options;
mod outside;
mod report;
mod rounds;
mod timing;

#[path = "../../tests/server/support/server.rs"]
#[expect(dead_code, reason = "tests restart servers")]
mod server;

use std::process::ExitCode;

use options::Options;

const USAGE: &str = "usage: round_trips [--quick] [--csv FILE]

  --quick       few rounds of few keys: to see that it works, not to be quoted
  --csv FILE    where the batches are written, standard output if not given";

fn run(options: &Options) -> Result<(), Box<dyn std::error::Error>> {
    let batches = rounds::measure(options.quick)?;
    let text = report::csv(&batches);
    match &options.csv {
        Some(path) => std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))?,
        None => print!("{text}"),
    }
    Ok(())
}

fn main() -> ExitCode {
    match Options::parse(std::env::args().skip(1)) {
        Ok(None) => {
            println!("{USAGE}");
            ExitCode::SUCCESS
        }
        Ok(Some(options)) => match run(&options) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("{error}");
                ExitCode::FAILURE
            }
        },
        Err(message) => {
            eprintln!("{message}\n{USAGE}");
            ExitCode::from(2)
        }
    }
}
