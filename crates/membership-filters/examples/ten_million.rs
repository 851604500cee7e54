//! Repeats a published run: a filter for ten million insertions at one false positive in ten thousand, queried with a
//! million present and a million absent keys.
//!
//! ```text
//! cargo run --release -p membership-filters --example ten_million
//! ```
//!
//! Keys are 36 characters in the form of random UUIDs, drawn from SplitMix64 with seed 1, so that every run prints the
//! same. The published run had 94 false positives; the number depends on the keys. The exit code is 1 if the number
//! differs from the expected one by four standard deviations or more (one run in ten thousand), or if the system fails.

use std::io::{self, Write};
use std::process::ExitCode;

use membership_filters::{BloomFilter, Parameters, Utf8};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

const INSERTIONS: u32 = 10_000_000;
const FPP: f64 = 0.0001;
const ASKED: u32 = 1_000_000;
const SEED: u64 = 1;

fn main() -> ExitCode {
    match run(&mut io::stdout().lock()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Returns true if all present keys were found, and about as many absent ones as expected.
fn run(out: &mut impl Write) -> Result<bool, Box<dyn std::error::Error>> {
    let parameters = Parameters::new(INSERTIONS.into(), FPP)?;
    let mut filter = BloomFilter::new(Utf8, &parameters)?;
    writeln!(
        out,
        "{INSERTIONS} insertions at {FPP}: {} bits, {} probes, {:.2} MiB",
        filter.bits(),
        filter.probe_count(),
        filter.bits() as f64 / 8.0 / 1024.0 / 1024.0
    )?;

    let mut random = SplitMix64::seed_from_u64(SEED);
    for _ in 0..INSERTIONS {
        filter.insert(uuid(&mut random).as_str());
    }
    // The generator continues after the inserted keys.
    let absent = (0..ASKED)
        .filter(|_| filter.might_contain(uuid(&mut random).as_str()))
        .count();
    let mut random = SplitMix64::seed_from_u64(SEED);
    let present = (0..ASKED)
        .filter(|_| filter.might_contain(uuid(&mut random).as_str()))
        .count();

    let expected = filter.false_positive_rate() * f64::from(ASKED);
    writeln!(out, "{present} of {ASKED} present keys found")?;
    writeln!(
        out,
        "{absent} of {ASKED} absent keys said to be in; {expected:.1} are expected"
    )?;
    Ok(present == ASKED as usize && (absent as f64 - expected).powi(2) < 16.0 * expected)
}

/// Returns a random UUID: version 4, variant 1.
fn uuid(random: &mut SplitMix64) -> String {
    let (high, low) = (random.next_u64(), random.next_u64());
    format!(
        "{:08x}-{:04x}-4{:03x}-{:x}{:03x}-{:012x}",
        high >> 32,
        high >> 16 & 0xffff,
        high & 0xfff,
        8 | low >> 60 & 3,
        low >> 48 & 0xfff,
        low & 0xffff_ffff_ffff
    )
}
