//! Puts and look-ups of Guava's Bloom filter, of ours, and of other crates' filters of the same size and probe count.
//!
//! ```text
//! membership [--quick] [--csv FILE]
//! ```
//!
//! Guava runs in a Java process of its own, which times its own loops and waits while others are measured. The keys are
//! the same everywhere, strings of 16 hexadecimal digits, made a part at a time before the clock starts; so are the
//! loops, in which no call waits for another, and which count the answers. In every round each filter does the same
//! work, one after the other, the first one another in every round, so that ratios can be formed within a round. A
//! wrong answer ends the program: a key that was put and is not found, more false positives than a filter of that
//! size has, any difference between Guava's answers and ours. What is written are the batches; medians and ratios are
//! formed from them by `cargo xtask bench`.
#![forbid(unsafe_code)]

mod contestants;
mod keys;
mod options;
mod plan;
mod report;
mod rounds;
mod timing;

use std::process::ExitCode;

use options::Options;
use plan::Plan;

const USAGE: &str = "usage: membership [--quick] [--csv FILE]

  --quick       few rounds: to see that it works, not to be quoted
  --csv FILE    where the batches are written, standard output if not given";

fn run(options: &Options) -> Result<(), String> {
    let mut contestants = contestants::all().map_err(|error| error.to_string())?;
    let mut batches = Vec::new();
    for plan in Plan::all(options.quick) {
        eprintln!("{} bits, {} rounds", plan.bits, plan.rounds);
        rounds::measure(&plan, &mut contestants, &mut batches)?;
    }
    let text = report::csv(&batches);
    match &options.csv {
        Some(path) => std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display())),
        None => {
            print!("{text}");
            Ok(())
        }
    }
}

fn main() -> ExitCode {
    match Options::parse(std::env::args().skip(1)) {
        Ok(None) => {
            println!("{USAGE}");
            ExitCode::SUCCESS
        }
        Ok(Some(options)) => match run(&options) {
            Ok(()) => ExitCode::SUCCESS,
            Err(message) => {
                eprintln!("{message}");
                ExitCode::FAILURE
            }
        },
        Err(message) => {
            eprintln!("{message}\n{USAGE}");
            ExitCode::from(2)
        }
    }
}
