//! Builds, queries and measures each structure.

use std::collections::HashSet;
use std::fmt::Display;

use bench_kit::record::Batch;
use bench_kit::suites::memory::SUITE;
use guava_bloom::{BloomFilter, Bytes, ConcurrentBloomFilter, Parameters};
use membership_filters::{
    BlockedBloomFilter, BlockedParameters, CounterWidth, CountingBloomFilter, CuckooFilter, CuckooParameters,
    GrowingBloomFilter, GrowingParameters,
};
use peak_alloc::PeakAlloc;
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng as _};

/// The growing filter is first sized for the keys divided by this number.
const GROWING_FROM: u64 = 10;

/// The inserted keys and the absent keys.
#[derive(Debug)]
pub(crate) struct Keys {
    members: Vec<u64>,
    others: Vec<u64>,
}

impl Keys {
    /// Takes the first `keys` phone numbers in the order of `seed` as members, and the next `absent` as the others.
    pub(crate) fn new(keys: u64, absent: u64, seed: u64) -> Self {
        let mut random = SplitMix64::seed_from_u64(seed);
        let rounds = [(); 6].map(|()| random.next_u64());
        // Every number of eleven digits that begins with 1 occurs once.
        let number = |index| {
            let mut place = permute(rounds, index);
            // Cycle walking: a value out of range is permuted again until it is back in range.
            while place >= NUMBERS {
                place = permute(rounds, place);
            }
            NUMBERS + place
        };
        Self {
            members: (0..keys).map(number).collect(),
            others: (keys..keys + absent).map(number).collect(),
        }
    }
}

/// The number of phone numbers.
const NUMBERS: u64 = 10_000_000_000;

/// A Feistel network over 34 bits, the fewest that hold [`NUMBERS`].
fn permute(rounds: [u64; 6], block: u64) -> u64 {
    const HALF: u32 = 17;
    let (mut left, mut right) = (block >> HALF, block & ((1 << HALF) - 1));
    for round in rounds {
        let mixed = SplitMix64::seed_from_u64(round.wrapping_add(right)).next_u64() >> (64 - HALF);
        (left, right) = (right, left ^ mixed);
    }
    left << HALF | right
}

/// Returns the digits of a phone number.
fn digits(mut number: u64) -> [u8; 11] {
    let mut digits = [b'0'; 11];
    for digit in digits.iter_mut().rev() {
        *digit += (number % 10) as u8;
        number /= 10;
    }
    digits
}

/// Builds a structure and queries all members and all other keys. `rate` is the false-positive probability of a filter, 0 for a set.
///
/// # Errors
///
/// If the structure cannot be built, or an inserted key is not found.
pub(crate) fn measure(
    structure: &'static str,
    rate: f64,
    keys: &Keys,
    allocator: &PeakAlloc,
) -> Result<Vec<Batch>, String> {
    let of = Measured {
        structure,
        rate,
        keys,
        allocator,
    };
    let count = keys.members.len() as u64;
    match structure {
        "bloom" => of.measure(
            || BloomFilter::new(Bytes, &Parameters::new(count, rate).map_err(text)?).map_err(text),
            |filter, number| Ok(filter.insert(&digits(number))),
            |filter| Some(filter.bits() / 8),
            |filter, number| filter.might_contain(&digits(number)),
        ),
        "concurrent-bloom" => of.measure(
            || ConcurrentBloomFilter::new(Bytes, &Parameters::new(count, rate).map_err(text)?).map_err(text),
            |filter, number| Ok(filter.insert(&digits(number))),
            |filter| Some(filter.bits() / 8),
            |filter, number| filter.might_contain(&digits(number)),
        ),
        "counting" => of.measure(
            || {
                let parameters = Parameters::new(count, rate).map_err(text)?;
                CountingBloomFilter::new(Bytes, &parameters, CounterWidth::FOUR).map_err(text)
            },
            |filter, number| Ok(filter.insert(&digits(number))),
            |filter| Some(filter.stats().memory_bytes),
            |filter, number| filter.might_contain(&digits(number)),
        ),
        "cuckoo" => of.measure(
            || CuckooFilter::new(Bytes, &CuckooParameters::new(count, rate).map_err(text)?).map_err(text),
            |filter, number| filter.insert(&digits(number)).map_err(text),
            |filter| Some(filter.stats().memory_bytes),
            |filter, number| filter.might_contain(&digits(number)),
        ),
        "growing" => of.measure(
            || {
                let parameters = GrowingParameters::new(count / GROWING_FROM, rate).map_err(text)?;
                GrowingBloomFilter::new(Bytes, &parameters).map_err(text)
            },
            |filter, number| filter.insert(&digits(number)).map_err(text),
            |filter| Some(filter.stats().memory_bytes),
            |filter, number| filter.might_contain(&digits(number)),
        ),
        "blocked" => of.measure(
            || {
                BlockedBloomFilter::new(Bytes, &BlockedParameters::new(count, rate).map_err(text)?)
                    .map_err(text)
            },
            |filter, number| {
                filter.insert(&digits(number));
                Ok(())
            },
            |filter| Some(filter.parameters().memory_bytes()),
            |filter, number| filter.might_contain(&digits(number)),
        ),
        // Sets grow key by key, as if the number of keys were unknown.
        "hash-set-u64" => of.measure(
            || Ok(HashSet::new()),
            |set, number| Ok(set.insert(number)),
            |_| None,
            |set, number| set.contains(&number),
        ),
        "hash-set-string" => of.measure(
            || Ok(HashSet::new()),
            |set, number| Ok(set.insert(number.to_string())),
            |_| None,
            |set, number| str::from_utf8(&digits(number)).is_ok_and(|text| set.contains(text)),
        ),
        other => Err(format!("there is no structure {other}")),
    }
}

struct Measured<'a> {
    structure: &'static str,
    rate: f64,
    keys: &'a Keys,
    allocator: &'a PeakAlloc,
}

impl Measured<'_> {
    fn measure<S, T>(
        &self,
        new: impl FnOnce() -> Result<S, String>,
        insert: impl Fn(&mut S, u64) -> Result<T, String>,
        reported_bytes: impl FnOnce(&S) -> Option<u64>,
        contains: impl Fn(&S, u64) -> bool,
    ) -> Result<Vec<Batch>, String> {
        let Keys { members, others } = self.keys;
        let before = self.allocator.current_usage();
        self.allocator.reset_peak_usage();
        let mut structure = new()?;
        members
            .iter()
            .try_for_each(|&number| insert(&mut structure, number).map(drop))?;
        let held = |bytes: usize| bytes.saturating_sub(before) as u64;
        let allocated_bytes = held(self.allocator.current_usage());
        let peak_bytes = held(self.allocator.peak_usage());
        if let Some(lost) = members.iter().find(|&&number| !contains(&structure, number)) {
            return Err(format!("{lost} was put in and is not found"));
        }
        let wrong = others
            .iter()
            .filter(|&&number| contains(&structure, number))
            .count() as u64;
        let (keys, absent) = (members.len() as u64, others.len() as u64);
        let case = |task| SUITE.case(self.structure, task, &[&self.rate, &keys]);
        let mut batches = vec![
            case("allocated").batch(1, keys, allocated_bytes),
            case("peak").batch(1, keys, peak_bytes),
        ];
        batches.extend(reported_bytes(&structure).map(|bytes| case("reported").batch(1, keys, bytes)));
        batches.push(case("rate").batch(1, absent, wrong));
        Ok(batches)
    }
}

fn text(error: impl Display) -> String {
    error.to_string()
}
