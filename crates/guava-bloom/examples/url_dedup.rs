//! Prints each new URL of a crawl once, across any number of runs.
//!
//! ```text
//! cargo run --release -p guava-bloom --features save --example url_dedup -- --state seen.bloom urls.txt > new-urls.txt
//! ```
//!
//! Reads a URL from each line of the file or of standard input, prints the URLs that the filter does not contain, in
//! order, and reports the counts on standard error:
//!
//! ```text
//! new 9, seen before 3; false-positive rate now 0.000 %
//! ```
//!
//! A filter of a billion URLs takes 1.7 GiB at one false positive in a thousand, whatever their length. The price: once
//! the filter is as full as planned, one new URL in a thousand is reported as seen and never crawled.
//!
//! A URL is the bytes of its line, without the LF or CRLF. It is not normalized: the crawler must decide beforehand
//! whether `HTTP://Example.com:80/a/../b#c` and `http://example.com/b` are one page. Empty lines are counted and
//! ignored.
//!
//! `--state` keeps the filter in a file between runs: a stream of Guava's `BloomFilter.writeTo`, which Java reads with
//! `stringFunnel(UTF_8)`. The file is replaced when all new URLs are printed. A run that fails earlier leaves the file
//! as it was, so that its URLs are printed again rather than lost. Run one process at a time: of two, only one filter
//! survives, and the URLs of the other are printed again.
//!
//! Exit codes: 0 done; 2 the arguments or the input are wrong; 1 the system failed.

mod input;

use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use guava_bloom::{BloomFilter, Bytes, Parameters, save};

use self::input::Failure;

/// Print the URLs that were not seen before
#[derive(Parser)]
struct Arguments {
    /// File with a URL on each line [default: standard input]
    file: Option<PathBuf>,

    /// Keep the filter in this file, which is read if it exists and replaced at the end
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,

    /// Number of different URLs that a new filter is made for [default: 1000000]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    insertions: Option<u64>,

    /// Share of new URLs that a full filter may report as seen, between 0 and 1 [default: 0.001]
    #[arg(long, value_name = "P", allow_negative_numbers = true)]
    fpp: Option<f64>,
}

fn main() -> ExitCode {
    input::exit(run(&Arguments::parse()))
}

fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut filter = filter(arguments)?;
    let mut lines = input::open(arguments.file.as_deref())?;
    let mut out = BufWriter::new(io::stdout().lock());
    let (mut new, mut seen, mut empty) = (0_u64, 0_u64, 0_u64);
    while let Some(url) = lines.read()? {
        if url.is_empty() {
            empty += 1;
        } else if filter.insert(url) {
            new += 1;
            out.write_all(url)?;
            out.write_all(b"\n")?;
        } else {
            seen += 1;
        }
    }
    out.flush()?;
    if let Some(state) = &arguments.state {
        save(state, |file| filter.write_to(file)).map_err(|error| Failure::system(state.display(), error))?;
    }

    let rate = filter.false_positive_rate();
    let percent = 100.0 * rate;
    // If standard error is closed, there is nowhere to report this.
    let mut report = io::stderr().lock();
    let _ = writeln!(
        report,
        "new {new}, seen before {seen}; false-positive rate now {percent:.3} %"
    );
    if empty > 0 {
        let _ = writeln!(report, "empty lines: {empty}");
    }
    // A filter is sized so that about half of its bits are set when it is full: the rate is then 2 to the power of -k.
    if rate > 2.0 * libm::ldexp(1.0, -i32::from(filter.probe_count())) {
        let _ = writeln!(
            report,
            "the filter holds more than it was made for; start one with more --insertions"
        );
    }
    Ok(())
}

/// Reads the filter of the state, or creates a new one.
fn filter(arguments: &Arguments) -> Result<BloomFilter<Bytes>, Failure> {
    let (insertions, fpp) = (
        arguments.insertions.unwrap_or(1_000_000),
        arguments.fpp.unwrap_or(0.001),
    );
    let parameters = Parameters::new(insertions, fpp)?;
    let present = |path: &&Path| path.exists() || path.is_symlink();
    let Some(path) = arguments.state.as_deref().filter(present) else {
        return Ok(BloomFilter::new(Bytes, &parameters)?);
    };
    let stored = read(path)?;
    let asked = arguments.insertions.is_some() || arguments.fpp.is_some();
    let (bits, probes) = (stored.bits(), stored.probe_count());
    if asked && (parameters.bits(), parameters.probe_count()) != (bits, probes) {
        return Err(Failure::Input(format!(
            "{insertions} insertions at {fpp} give {} bits and {} probes, the state has {bits} and {probes}: leave \
             --insertions and --fpp away, or start another state",
            parameters.bits(),
            parameters.probe_count()
        )));
    }
    Ok(stored)
}

/// Reads a state. A file that is anything else is refused, so that it is never replaced.
fn read(path: &Path) -> Result<BloomFilter<Bytes>, Failure> {
    let wrong = |error: &dyn Display| Failure::input(path.display(), error);
    let metadata = path.metadata().map_err(|error| wrong(&error))?;
    if !metadata.is_file() {
        // Opening a pipe would wait for its other end.
        return Err(wrong(&"the state must be a regular file"));
    }
    let file = File::open(path).map_err(|error| wrong(&error))?;
    let filter = BloomFilter::read_from(file, Bytes).map_err(|error| wrong(&error))?;
    if filter.stream_len() != metadata.len() {
        return Err(wrong(&"more bytes follow the filter"));
    }
    Ok(filter)
}
