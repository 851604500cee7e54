//! What building RocksDB's filters and asking them costs: by its own library in C++, and by ours, on the same keys and
//! with the same bytes; beside them other filters of as many bits: `sbbf-rs`, `fastbloom`, and our `BloomFilter64.Xxph3`.
//!
//! ```text
//! rocksdb_policy [--keys N,N,...] [--rounds N] [--csv FILE]
//! ```
//!
//! All contenders of a task take turns in every round, the first one another in every round, so that ratios can be
//! formed within a round. RocksDB is called through its virtual functions, in a loop in C++ over slices that were made
//! before; as in its tables, a reader is made once for many keys. A contender with filters of RocksDB's ends the program
//! where its answers are not RocksDB's. What is written are the batches, in the form of LevelDB's benchmark.

mod contenders;
#[path = "../../../../../filter-policy-leveldb/real-engine/src/bin/policy/data.rs"]
mod data;
#[path = "../../../../../filter-policy-leveldb/real-engine/src/bin/policy/options.rs"]
mod options;
mod peers;
#[path = "../../../../../filter-policy-leveldb/real-engine/src/bin/policy/report.rs"]
mod report;
mod rounds;
#[path = "../../../../../filter-policy-leveldb/real-engine/src/bin/point_reads/timing.rs"]
mod timing;
#[path = "../../../../../filter-policy-leveldb/real-engine/src/bin/policy/turns.rs"]
mod turns;

use std::process::ExitCode;

use data::Shape;
use options::Options;

const USAGE: &str = "usage: rocksdb_policy [--keys N,N,...] [--rounds N] [--csv FILE]

  --keys N,N,...  keys of a filter, 32,512,4096,100000,1000000 if not given
  --rounds N      rounds; if not given, 21, and 7 above 1000000 keys
  --csv FILE      where the batches are written, standard output if not given";

/// The keys of a filter.
const KEYS: [usize; 5] = [32, 512, 4096, 100_000, 1_000_000];

fn run(options: &Options) -> Result<(), String> {
    let mut batches = Vec::new();
    for &keys in &options.keys {
        for shape in Shape::ALL {
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
