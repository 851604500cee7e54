//! What a filter policy is worth to point reads of a real LevelDB database: blocks read and time per Get, for
//! absent and for present keys, without filters, with LevelDB's own policy and with ours.
//!
//! ```text
//! point_reads [--entries N] [--gets N] [--rounds N] [--csv FILE]
//! ```
//!
//! Every policy has a database of its own with the same entries, and all of them are open at once. In every
//! round each is asked for the same keys, one policy after the other, the first one another in every round, so
//! that ratios can be formed within a round. Batches are short, a few milliseconds, so that most of them run without
//! another program in between, and many, so that medians are those of the undisturbed. A batch with a wrong answer ends the program. What is written are the
//! batches; medians and ratios are formed from them by `cargo xtask bench`, for all engines alike.

mod options;
mod report;
mod rounds;
mod timing;
mod variants;

use std::process::ExitCode;

use options::Options;

const USAGE: &str = "usage: point_reads [--entries N] [--gets N] [--rounds N] [--csv FILE]

  --entries N   entries of each database, 1000000 if not given
  --gets N      keys of a batch, 2000 if not given
  --rounds N    rounds, 151 if not given
  --csv FILE    where the batches are written, standard output if not given";

fn run(options: &Options) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| format!("temporary folder: {error}"))?;
    let data = variants::Data::new(options.entries);
    eprintln!(
        "writing {} entries for each policy below {}",
        options.entries,
        folder.path().display()
    );
    variants::write_all(folder.path(), &data);
    eprintln!("measuring");
    let batches = rounds::measure(folder.path(), &data, options);
    let text = report::csv(&batches, options, &filter_policy_leveldb_real_engine::version());
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
