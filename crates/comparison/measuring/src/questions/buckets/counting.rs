//! Counts of keys in the buckets of several tables, by few passes over their values.

use std::cell::LazyCell;

use crate::record::Choice;

/// 2^64 over the golden ratio, odd (Knuth, The Art of Computer Programming 3, section 6.4).
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// Counts the low bits of values in each bucket of each table, by few passes over the values.
pub(super) fn counts((values, bits): (&[u64], u32), tables: &[(Choice, u64)]) -> Vec<Vec<u32>> {
    let ones = LazyCell::new(|| ones(values));
    let tallies = tallies(tables);
    let tallies = tallies
        .into_iter()
        .map(|(choice, buckets)| (choice, tally((values, bits), choice, buckets)));
    let tallies: Vec<_> = tallies.collect();
    let of_table = |&(choice, buckets): &(Choice, u64)| {
        if choice == Choice::Bit {
            let ones = ones[buckets as usize];
            return vec![values.len() as u32 - ones, ones];
        }
        let buckets = buckets as usize;
        let mut finer = tallies.iter().filter(|(other, _)| *other == choice);
        let finer = finer.find(|(_, counts)| counts.len().is_multiple_of(buckets));
        let (_, counts) = finer.expect("each table has a tally");
        match choice {
            Choice::HighBits => {
                let of_buckets = counts.chunks_exact(counts.len() / buckets);
                of_buckets.map(|counts| counts.iter().sum()).collect()
            }
            _ => {
                let of_bucket = |bucket| counts.iter().skip(bucket).step_by(buckets).sum();
                (0..buckets).map(of_bucket).collect()
            }
        }
    };
    tables.iter().map(of_table).collect()
}

/// The most buckets of a tally that serves several tables: more would not stay in the nearest caches.
const MAX_SHARED: u64 = 1 << 15;

/// Returns tables whose counts give those of all others of the same choice: the number of buckets of each divides that of one.
fn tallies(tables: &[(Choice, u64)]) -> Vec<(Choice, u64)> {
    let mut all: Vec<(Choice, u64)> = Vec::new();
    for &(choice, buckets) in tables.iter().filter(|table| table.0 != Choice::Bit) {
        let common = |other: u64| other / common_divisor(other, buckets) * buckets;
        let shared = |(other, finer): &(Choice, u64)| {
            *other == choice && (finer.is_multiple_of(buckets) || common(*finer) <= MAX_SHARED)
        };
        match all.iter_mut().find(|one| shared(one)) {
            Some((_, finer)) => *finer = common(*finer),
            None => all.push((choice, buckets)),
        }
    }
    all
}

/// Returns the greatest common divisor (Euclid).
fn common_divisor(mut one: u64, mut other: u64) -> u64 {
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one
}

/// Counts how often the low bits of values choose each bucket.
fn tally((values, bits): (&[u64], u32), choice: Choice, buckets: u64) -> Vec<u32> {
    let low = values.iter().map(|&value| value & (u64::MAX >> (64 - bits)));
    match choice {
        Choice::Bit | Choice::Halves => unreachable!("bits are counted together"),
        Choice::LowBits => count(low.map(|value| value & (buckets - 1)), buckets),
        Choice::HighBits => {
            let high = |value| ((u128::from(value) * u128::from(buckets)) >> bits) as u64;
            count(low.map(high), buckets)
        }
        Choice::Fibonacci => {
            let high = |value: u64| value.wrapping_mul(GOLDEN) >> (64 - buckets.ilog2());
            count(low.map(high), buckets)
        }
        Choice::Remainder => {
            // A product with the reciprocal is the quotient, or one less: a division takes several times as long.
            let reciprocal = u128::from(u64::MAX / buckets);
            let remainder = |value| {
                let quotient = ((u128::from(value) * reciprocal) >> 64) as u64;
                let rest = value - quotient * buckets;
                if rest < buckets { rest } else { rest - buckets }
            };
            count(low.map(remainder), buckets)
        }
    }
}

/// Counts how often each bucket is chosen.
fn count(chosen: impl Iterator<Item = u64>, buckets: u64) -> Vec<u32> {
    let mut counts = vec![0; buckets as usize];
    chosen.for_each(|bucket| counts[bucket as usize] += 1);
    counts
}

/// Counts the values in which each bit is one, the lowest bit first.
fn ones(values: &[u64]) -> [u32; 64] {
    let mut ones = [0; 64];
    // A byte of each of eight words counts one bit, up to 255 times.
    for values in values.chunks(255) {
        let mut words = [0_u64; 8];
        for value in values {
            for (shift, word) in words.iter_mut().enumerate() {
                *word += value >> shift & 0x0101_0101_0101_0101;
            }
        }
        for (shift, word) in words.into_iter().enumerate() {
            for (byte, count) in word.to_le_bytes().into_iter().enumerate() {
                ones[8 * byte + shift] += u32::from(count);
            }
        }
    }
    ones
}
