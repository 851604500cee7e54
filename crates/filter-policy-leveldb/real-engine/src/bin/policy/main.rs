//! What building a filter and asking it costs: LevelDB's own policy in C++, and ours by every kernel, on the same keys
//! and with the same bytes; beside them rusty-leveldb's policy, with the same bytes too, and `fastbloom`, whose filters
//! are its own.
//!
//! ```text
//! policy [--keys N,N,...] [--rounds N] [--csv FILE]
//! ```
//!
//! All contenders of a task take turns in every round, the first one another in every round, so that ratios can be
//! formed within a round. LevelDB is called through its virtual functions, in a loop in C++ over slices that were made
//! before. A contender with filters of LevelDB's format ends the program where they or its answers are not LevelDB's. What is written are the batches.

mod contenders;
mod data;
mod options;
mod peers;
mod report;
mod rounds;
#[path = "../point_reads/timing.rs"]
mod timing;
mod turns;

use std::process::ExitCode;

use options::Options;

const USAGE: &str = "usage: policy [--keys N,N,...] [--rounds N] [--csv FILE]

  --keys N,N,...  keys of a filter; if not given, 32,128,512,4096,16384,100000,1000000,20000000
  --rounds N      rounds; if not given, 21, and 7 above 1000000 keys
  --csv FILE      where the batches are written, standard output if not given";

/// The keys of a filter.
const KEYS: [usize; 8] = [32, 128, 512, 4096, 16_384, 100_000, 1_000_000, 20_000_000];

/// Up to how many keys are also measured with mixed lengths: 20 million take 2 GB of memory as they are.
const MOST_MIXED: usize = 1_000_000;

fn run(options: &Options) -> Result<(), String> {
    let mut batches = Vec::new();
    for &keys in &options.keys {
        for shape in data::Shape::ALL {
            if shape == data::Shape::Mixed && keys > MOST_MIXED {
                continue;
            }
            eprintln!("{keys} keys of {} bytes", shape.name());
            batches.extend(rounds::measure(keys, shape, options.rounds(keys)));
        }
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
    match Options::parse(std::env::args().skip(1), &KEYS) {
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
