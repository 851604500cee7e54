//! The URLs of a crawl that were not seen before: each new one is printed once, whatever the number of runs.
//!
//! ```text
//! cargo run --release -p guava-bloom --example url_dedup -- --state seen.bloom urls.txt > new-urls.txt
//! ```
//!
//! Reads a URL from each line of the file, or of standard input, prints those that the filter does not know, in their
//! order, and counts on standard error:
//!
//! ```text
//! new 9, seen before 3, wrongly taken for seen about 0.0000
//! ```
//!
//! A filter of a billion URLs takes 1.7 GiB at one false positive in a thousand, whatever their length. The price: of a
//! thousand new URLs that come when the filter is as full as it was made for, one is taken for seen and never crawled.
//! How many were cannot be known. The estimate follows from those that passed: each stands for 1 / (1 - p) new ones,
//! where p is the rate of false positives at that moment.
//!
//! A URL is the bytes of its line, without the line end (LF or CR LF). Nothing else is done to it: whether
//! `HTTP://Example.com:80/a/../b#c` and `http://example.com/b` are one page is for the crawler to say, before.
//! Empty lines are counted and are no URLs.
//!
//! `--state` keeps the filter in a file between runs: a stream of Guava's `BloomFilter.writeTo`, which Java reads with
//! `stringFunnel(UTF_8)`. The file is replaced when all new URLs are printed. A run that fails before leaves it as it
//! was, so that its URLs come again rather than never. One run at a time: of two, the filter of one stays, and the
//! URLs of the other come again.
//!
//! Exit codes: 0 done; 2 the arguments or the input are wrong; 1 the system failed.

mod input;
mod output;

use std::fmt::Display;
use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use guava_bloom::{BloomFilter, Bytes, Parameters};

use self::input::Failure;
use self::output::Output;

const INSERTIONS: i128 = 1_000_000;
const FPP: f64 = 0.001;

/// Print the URLs that were not seen before.
#[derive(Debug, Parser)]
struct Arguments {
    /// File with a URL on each line [default: standard input]
    file: Option<PathBuf>,

    /// Keep the filter in this file: read if it is there, replaced at the end
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,

    /// How many different URLs a new filter is made for [default: 1000000]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    insertions: Option<i128>,

    /// Share of new URLs that a full filter may take for seen, between 0 and 1 [default: 0.001]
    #[arg(long, value_name = "P", allow_negative_numbers = true)]
    fpp: Option<f64>,
}

fn main() -> ExitCode {
    input::exit(run(&Arguments::parse()))
}

fn run(arguments: &Arguments) -> Result<(), Failure> {
    let stored = arguments.state.as_deref().map(read).transpose()?;
    let state = arguments.state.as_deref().map(Output::to).transpose()?;
    let mut lines = input::open(arguments.file.as_deref())?;
    let mut filter = filter(arguments, stored.flatten())?;

    let mut out = BufWriter::new(io::stdout().lock());
    let mut drops = Drops::new(&filter);
    let (mut new, mut seen, mut empty) = (0_u64, 0_u64, 0_u64);
    while let Some(url) = lines.read()? {
        if url.is_empty() {
            empty += 1;
        } else if filter.put(url) {
            new += 1;
            drops.passed(&filter);
            out.write_all(url)
                .and_then(|()| out.write_all(b"\n"))
                .map_err(|error| Failure::system("standard output", error))?;
        } else {
            seen += 1;
        }
    }
    out.flush()
        .map_err(|error| Failure::system("standard output", error))?;
    if let Some(state) = state {
        state.write(|file| {
            filter
                .write_to(file)
                .map_err(|error| Failure::system("the state", error))
        })?;
    }

    let dropped = drops.settle(&filter);
    eprintln!("new {new}, seen before {seen}, wrongly taken for seen about {dropped:.4}");
    if empty > 0 {
        eprintln!("empty lines: {empty}");
    }
    // Filters are sized so that about half of the bits are set in the end: the rate is then 2 to the power of -k.
    if filter.expected_fpp() > 2.0 * libm::ldexp(1.0, -i32::from(filter.probes())) {
        eprintln!(
            "the filter holds more than it was made for: of new URLs it now takes {:.3} % for seen; start one with \
             more --insertions",
            filter.expected_fpp() * 100.0
        );
    }
    Ok(())
}

/// The filter of the state, or a new one.
fn filter(arguments: &Arguments, stored: Option<BloomFilter<Bytes>>) -> Result<BloomFilter<Bytes>, Failure> {
    let insertions = arguments.insertions.unwrap_or(INSERTIONS);
    let fpp = arguments.fpp.unwrap_or(FPP);
    let parameters = Parameters::new(insertions, fpp).map_err(|error| Failure::Input(error.to_string()))?;
    let Some(stored) = stored else {
        return BloomFilter::new(Bytes, &parameters).map_err(|error| Failure::System(error.to_string()));
    };
    let asked = arguments.insertions.is_some() || arguments.fpp.is_some();
    let (ours, theirs) = (
        (parameters.bit_size(), parameters.probes()),
        (stored.bit_size(), stored.probes()),
    );
    if asked && ours != theirs {
        return Err(Failure::Input(format!(
            "{insertions} insertions at {fpp} give {} bits and {} probes, the state has {} and {}: leave --insertions \
             and --fpp away, or start another state",
            ours.0, ours.1, theirs.0, theirs.1
        )));
    }
    Ok(stored)
}

/// Expects how many new URLs the filter took for seen.
struct Drops {
    expected: f64,
    /// Rate when last looked.
    rate: f64,
    /// URLs that passed since.
    passed: u64,
    /// How many may pass until the next look, which reads the whole filter: 16 words for each of them.
    every: u64,
}

impl Drops {
    fn new(filter: &BloomFilter<Bytes>) -> Self {
        Self {
            expected: 0.0,
            rate: filter.expected_fpp(),
            passed: 0,
            every: filter.bit_size() / 64 / 16 + 1,
        }
    }

    fn passed(&mut self, filter: &BloomFilter<Bytes>) {
        self.passed += 1;
        if self.passed == self.every {
            self.settle(filter);
        }
    }

    /// Looks at the rate; what is expected until now.
    fn settle(&mut self, filter: &BloomFilter<Bytes>) -> f64 {
        if self.passed > 0 {
            let now = filter.expected_fpp();
            // Below 1: a filter at 1 lets none pass, so that before it was less.
            let rate = (self.rate + now) / 2.0;
            self.expected += self.passed as f64 * rate / (1.0 - rate);
            self.rate = now;
            self.passed = 0;
        }
        self.expected
    }
}

/// The filter of a state. A file that is no filter is refused, and never replaced.
fn read(path: &Path) -> Result<Option<BloomFilter<Bytes>>, Failure> {
    let refused = |what: &dyn Display| Failure::input(path.display(), format!("{what}; nothing was changed"));
    // To open a pipe would be to wait for it.
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => {}
        Ok(_) => return Err(refused(&"is no file")),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(refused(&error)),
    }
    let mut file = File::open(path).map_err(|error| refused(&error))?;
    let filter = BloomFilter::read_from(&mut file, Bytes)
        .map_err(|error| refused(&format_args!("holds no filter: {error}")))?;
    match file.read(&mut [0]) {
        Ok(0) => Ok(Some(filter)),
        Ok(_) => Err(refused(&format_args!(
            "goes on behind the {} bytes of a filter",
            filter.stream_len()
        ))),
        Err(error) => Err(refused(&error)),
    }
}
