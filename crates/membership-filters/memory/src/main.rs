//! Measures every structure at every rate, and writes a line of each.
#![forbid(unsafe_code)]

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use membership_filters_memory::{Keys, Meter, NUMBERS, Structure};
use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// False-positive probabilities that filters are made for.
const RATES: [f64; 5] = [0.1, 0.01, 0.001, 0.000_1, 0.000_01];
const SEED: u64 = 1;

/// Measure the memory of filters and of sets, and the rates that the filters reach.
#[derive(Debug, Parser)]
#[command(max_term_width = 100)]
struct Arguments {
    /// File for the records; replaced when it is there
    #[arg(long, value_name = "FILE")]
    csv: PathBuf,

    /// Phone numbers that go in
    #[arg(long, value_name = "N", default_value_t = 10_000_000, value_parser = clap::value_parser!(u64).range(1..=NUMBERS / 2))]
    keys: u64,

    /// Phone numbers that are asked for and not in
    #[arg(long, value_name = "N", default_value_t = 10_000_000, value_parser = clap::value_parser!(u64).range(1..=NUMBERS / 2))]
    absent: u64,
}

struct Counting;

impl Meter for Counting {
    fn current(&self) -> usize {
        ALLOCATOR.current_usage()
    }

    fn peak(&self) -> usize {
        ALLOCATOR.peak_usage()
    }

    fn reset_peak(&self) {
        ALLOCATOR.reset_peak_usage();
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let path = arguments.csv.display();
    let mut csv = match File::create(&arguments.csv) {
        Ok(file) => BufWriter::new(file),
        Err(error) => {
            eprintln!("error: {path}: {error}");
            return ExitCode::from(2);
        }
    };
    let keys = Keys::new(arguments.keys, arguments.absent, SEED);
    match measure(&keys, &mut csv) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn measure(keys: &Keys, csv: &mut impl Write) -> Result<(), String> {
    let failed = |error: io::Error| format!("records: {error}");
    writeln!(
        csv,
        "structure,asked_rate,keys,reported_bytes,allocated_bytes,peak_bytes,absent,false_positives"
    )
    .map_err(failed)?;
    let filters = Structure::FILTERS
        .iter()
        .flat_map(|&filter| RATES.map(|rate| (filter, Some(rate))));
    for (structure, rate) in filters.chain(Structure::SETS.map(|set| (set, None))) {
        let name = structure.name();
        let asked = rate.map_or_else(String::new, |rate| rate.to_string());
        eprintln!("{name} {asked}");
        let measured = structure
            .measure(rate.unwrap_or_default(), keys, &Counting)
            .map_err(|error| format!("{name} {asked}: {error}"))?;
        let reported = measured
            .reported_bytes
            .map_or_else(String::new, |bytes| bytes.to_string());
        writeln!(
            csv,
            "{name},{asked},{},{reported},{},{},{},{}",
            keys.keys(),
            measured.allocated_bytes,
            measured.peak_bytes,
            keys.absent(),
            measured.false_positives
        )
        .map_err(failed)?;
    }
    csv.flush().map_err(failed)
}
