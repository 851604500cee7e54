//! The published run: a filter for ten million insertions at one false positive in ten thousand, asked for a million keys
//! that are in and a million that are not.
//!
//! ```text
//! cargo run --release -p guava-bloom --example ten_million
//! ```
//!
//! Keys are 36 characters in the form of random UUIDs, drawn from SplitMix64 with seed 1, so that every run prints the
//! same. The published run had 94 false positives; how many there are depends on the keys, and the last line says between
//! which numbers they lie in 999 of 1000 runs. The exit code is 1 if they do not, or if the system fails.

use std::io::{self, Write};
use std::process::ExitCode;

use guava_bloom::{BloomFilter, Parameters, Utf8};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

const INSERTIONS: u32 = 10_000_000;
const FPP: f64 = 0.0001;
const ASKED: u32 = 1_000_000;
const SEED: u64 = 1;

/// Chance of a count below the interval, and of one above it.
const TAIL: f64 = 0.0005;

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

/// Whether all present keys were found, and as many of the absent ones as is to be expected.
fn run(out: &mut impl Write) -> Result<bool, Box<dyn std::error::Error>> {
    let parameters = Parameters::new(INSERTIONS, FPP)?;
    let mut filter = BloomFilter::new(Utf8, &parameters)?;
    writeln!(
        out,
        "{INSERTIONS} insertions at {FPP}: {} bits, {} probes, {:.2} MiB",
        filter.bit_size(),
        filter.probes(),
        filter.bit_size() as f64 / 8.0 / 1024.0 / 1024.0
    )?;

    let mut random = SplitMix64::seed_from_u64(SEED);
    for _ in 0..INSERTIONS {
        filter.put(uuid(&mut random).as_str());
    }
    // The generator goes on behind the keys that are in.
    let absent = (0..ASKED)
        .filter(|_| filter.might_contain(uuid(&mut random).as_str()))
        .count();
    let mut random = SplitMix64::seed_from_u64(SEED);
    let present = (0..ASKED)
        .filter(|_| filter.might_contain(uuid(&mut random).as_str()))
        .count();

    let (low, high) = binomial_interval(ASKED, filter.expected_fpp());
    let as_expected = present == ASKED as usize && (low..=high).contains(&absent);
    writeln!(out, "{present} of {ASKED} present keys found")?;
    writeln!(
        out,
        "{absent} of {ASKED} absent keys said to be in; {:.1} are expected, {low} to {high} in 999 of 1000 runs",
        filter.expected_fpp() * f64::from(ASKED)
    )?;
    Ok(as_expected)
}

/// The form of a random UUID: version 4, variant 1.
fn uuid(random: &mut SplitMix64) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut bits = u128::from(random.next_u64()) << 64 | u128::from(random.next_u64());
    bits = bits & !(0xf << 76) & !(3 << 62) | 4 << 76 | 2 << 62;
    let mut text = String::with_capacity(36);
    for digit in 0..32 {
        if [8, 12, 16, 20].contains(&digit) {
            text.push('-');
        }
        let value = (bits >> (124 - 4 * digit)) as usize & 0xf;
        text.push(DIGITS[value].into());
    }
    text
}

/// Between which numbers the hits of so many trials lie, except for [`TAIL`] at either side.
fn binomial_interval(trials: u32, chance: f64) -> (usize, usize) {
    // The chance of no hit, then of one more each time.
    let mut of_count = libm::exp(f64::from(trials) * libm::log1p(-chance));
    let mut up_to_count = of_count;
    let mut low = None;
    let mut hits = 0;
    loop {
        if low.is_none() && up_to_count > TAIL {
            low = Some(hits);
        }
        if up_to_count >= 1.0 - TAIL || hits == trials {
            return (low.unwrap_or(hits) as usize, hits as usize);
        }
        of_count *= f64::from(trials - hits) / f64::from(hits + 1) * chance / (1.0 - chance);
        up_to_count += of_count;
        hits += 1;
    }
}
