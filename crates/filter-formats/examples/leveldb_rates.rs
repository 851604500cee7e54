//! Counts the false positives of LevelDB's filters at many sizes, good and bad ones, and writes
//! `tests/data/leveldb/rates.csv`, with which a test compares the computed rates.
//!
//! ```text
//! cargo run --release --example leveldb_rates > tests/data/leveldb/rates.csv
//! ```
//!
//! Hash values are random (SplitMix64), so that only the probes matter. Each size has 100,000 matches or more, in at
//! thousands of filters if it has few keys. It takes about two minutes. Seeds are fixed, so the output is the same in every
//! run.

use std::io::{self, Write};

use filter_policy::{Answers, BitsPerKey, BloomFilterPolicy, Error, FilterPolicy, HashedPolicy};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

const MATCHES: u64 = 100_000;

/// Returns numbers of keys and bits per key: every fourth small one, large ones at random, and sizes with factors of
/// 2^32 - 1.
fn sizes() -> Vec<(u32, u32)> {
    let mut random = SplitMix64::seed_from_u64(29);
    let mut sizes: Vec<(u32, u32)> = (24..=160).step_by(4).map(|keys| (keys, 10)).collect();
    let bad = [
        204, 408, 612, 816, 1224, 2056, 3264, 6168, 13_107, 26_214, 52_428, 75_000, 104_857, 150_000, 200_000,
    ];
    sizes.extend(bad.map(|keys| (keys, 10)));
    // From 160 to 500,000 keys, in steps of equal ratio.
    for _ in 0..110 {
        let part = random.next_u32() as f64 / f64::from(u32::MAX);
        sizes.push(((160.0 * 3125_f64.powf(part)) as u32, 10));
    }
    for keys in [
        64, 72, 100, 128, 200, 256, 400, 1000, 1700, 4000, 10_000, 25_000, 50_000, 70_000, 100_000, 250_000,
    ] {
        sizes.extend([(keys, 5), (keys + 1, 8)]);
    }
    sizes.extend([
        (256, 15),
        (408, 15),
        (1000, 15),
        (3000, 15),
        (10_000, 15),
        (30_000, 15),
        (60_000, 15),
        (100_000, 15),
    ]);
    sizes
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut out = io::stdout().lock();
    writeln!(out, "keys,bits_per_key,asked,matches")?;
    for (keys, bits) in sizes() {
        let (asked, matches) = count(keys, BitsPerKey::whole(bits))?;
        writeln!(out, "{keys},{bits},{asked},{matches}")?;
        out.flush()?;
    }
    Ok(())
}

fn count(keys: u32, bits_per_key: BitsPerKey) -> Result<(u64, u64), Error> {
    let policy = BloomFilterPolicy::leveldb_builtin(bits_per_key);
    let mut random = SplitMix64::seed_from_u64(u64::from(keys));
    let batches = (keys / 256).max(1);
    let (mut asked, mut matches) = (0, 0);
    while matches < MATCHES {
        let mut filter = Vec::new();
        policy.append_raw_hashes((0..keys).map(|_| random.next_u32()), &mut filter)?;
        let prepared = policy.prepare(&filter);
        for _ in 0..batches {
            let hashes: [u32; 1024] = core::array::from_fn(|_| random.next_u32());
            let mut words = [0; 16];
            let mut answers = Answers::new(&mut words);
            prepared.may_match_raw_hashes(&hashes, &mut answers)?;
            matches += answers.matches();
            asked += 1024;
        }
    }
    Ok((asked, matches))
}
