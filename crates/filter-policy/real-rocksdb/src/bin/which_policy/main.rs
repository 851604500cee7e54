//! What every policy of `filter-policy` errs, takes and costs, key by key as engines call it: the figures of `WHICH.md`.
//!
//! ```text
//! which_policy [--keys N,N,...] [--rounds N] [--csv FILE]
//! ```
//!
//! All policies take turns in every round. Rates and lengths are the same in every run, and stand in each of their lines.

#[path = "../../../../../filter-policy-leveldb/real-engine/src/bin/policy/options.rs"]
mod options;
mod rounds;
#[path = "../../../../../filter-policy-leveldb/real-engine/src/bin/point_reads/timing.rs"]
mod timing;
#[expect(dead_code, reason = "the page's table is made by an example")]
#[path = "../../../../tests/support/which_policy.rs"]
mod which_policy;

use std::process::ExitCode;

use options::Options;

const USAGE: &str = "usage: which_policy [--keys N,N,...] [--rounds N] [--csv FILE]

  --keys N,N,...  keys of a filter, 32,512,4096,1000000 if not given
  --rounds N      rounds; if not given, 21, and 7 above 1000000 keys
  --csv FILE      where the batches are written, standard output if not given";

fn run(options: &Options) -> Result<(), String> {
    let mut text = format!("{}\n", rounds::HEADER);
    for &keys in &options.keys {
        eprintln!("{keys} keys");
        rounds::measure(keys, options.rounds(keys), &mut text);
    }
    match &options.csv {
        Some(path) => std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display())),
        None => {
            print!("{text}");
            Ok(())
        }
    }
}

fn main() -> ExitCode {
    match Options::parse(std::env::args().skip(1), &which_policy::KEYS) {
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
