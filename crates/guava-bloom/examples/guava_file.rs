//! Builds and queries filters in files that Guava reads and writes.
//!
//! ```text
//! cargo run --release -p guava-bloom --example guava_file -- \
//!     build --insertions N --fpp P [--strategy mitz32|mitz64] [--guava 31|33.4] --out FILE < keys
//! cargo run --release -p guava-bloom --example guava_file -- query FILE < keys
//! ```
//!
//! Keys are lines of UTF-8 on standard input, at most 2^28 bytes long, without the LF or CRLF at the end. An empty line
//! is the empty key. The funnel is `Funnels.stringFunnel(StandardCharsets.UTF_8)`. `query` answers every line with
//! `true` or `false` as soon as it arrives.
//!
//! Exit codes: 0 done; 2 an argument, a key or the file is wrong, and standard error says which; 1 the system failed.

mod input;
mod keys;
mod output;

use std::fmt::Display;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand, ValueEnum};
use guava_bloom::{BloomFilter, Parameters, ProbeCountRule, Utf8};

use self::input::Failure;
use self::keys::{Mitz, for_each_block, insert_lines};
use self::output::Output;

/// Builds and queries Bloom filters in files that Guava reads and writes.
#[derive(Parser)]
#[command(after_help = "Keys are lines of UTF-8 on standard input.")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Inserts the lines of standard input into a new filter and writes it.
    Build {
        /// The expected number of different keys; 0 counts as 1.
        #[arg(long, allow_negative_numbers = true)]
        insertions: u64,
        /// The false-positive rate, above 0 and below 1.
        #[arg(long, default_value_t = guava_bloom::DEFAULT_FALSE_POSITIVE_RATE, allow_negative_numbers = true)]
        fpp: f64,
        /// The strategy that derives bit positions from the hash.
        #[arg(long, value_enum, default_value_t = Mitz::Mitz64)]
        strategy: Mitz,
        /// The release of Guava whose probe count the filter gets; they differ for filters of few keys.
        #[arg(long, value_enum, default_value_t = Guava::Newer)]
        guava: Guava,
        /// The file to write: a new name, or an empty file or a filter, which is replaced.
        #[arg(long)]
        out: PathBuf,
    },
    /// Answers each line of standard input with `true` or `false`.
    Query {
        /// A filter written by this program or by Guava's `writeTo`.
        file: PathBuf,
    },
}

#[derive(Clone, Copy, ValueEnum)]
enum Guava {
    /// Guava up to at least 32.1.2.
    #[value(name = "31", alias = "32")]
    Older,
    /// Guava from 33.4.0 on.
    #[value(name = "33.4")]
    Newer,
}

fn main() -> ExitCode {
    input::exit(match Arguments::parse().command {
        Command::Build {
            insertions,
            fpp,
            strategy,
            guava,
            out,
        } => build(insertions, fpp, strategy, guava, &out),
        Command::Query { file } => query(&file),
    })
}

fn build(insertions: u64, fpp: f64, strategy: Mitz, guava: Guava, out: &Path) -> Result<(), Failure> {
    let rule = match guava {
        Guava::Older => ProbeCountRule::FromBitsPerInsertion,
        Guava::Newer => ProbeCountRule::FromFalsePositiveRate,
    };
    let parameters = Parameters::with_rule(insertions, fpp, rule)?;
    let output = Output::to(out)?;

    let mut filter = BloomFilter::new(Utf8, &parameters.with_strategy(strategy.into()))?;
    insert_lines(&mut filter)?;

    output.write(|file| {
        filter
            .write_to(file)
            .map_err(|error| Failure::system(out.display(), error))
    })
}

fn query(path: &Path) -> Result<(), Failure> {
    let wrong = |error: &dyn Display| Failure::input(path.display(), error);
    let mut file = File::open(path).map_err(|error| wrong(&error))?;
    let filter = BloomFilter::read_from(&mut file, Utf8).map_err(|error| wrong(&error))?;
    let behind = io::copy(&mut file.take(1), &mut io::sink()).map_err(|error| wrong(&error))?;
    if behind > 0 {
        // Guava reads such a stream and leaves the rest.
        let _ = writeln!(
            io::stderr(),
            "note: {}: the filter takes {} bytes; the rest of the file is ignored",
            path.display(),
            filter.stream_len()
        );
    }

    let mut text = Vec::new();
    let mut output = io::stdout().lock();
    for_each_block(|hashes| {
        text.clear();
        for answer in filter.might_contain_hashes(hashes) {
            text.extend_from_slice(if answer { b"true\n" } else { b"false\n" });
        }
        output.write_all(&text)?;
        Ok(output.flush()?)
    })
}
