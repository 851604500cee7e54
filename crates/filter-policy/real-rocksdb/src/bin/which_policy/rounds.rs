//! The measurement.

use core::hint::black_box;
use std::fmt::Write as _;

use filter_policy::FilterPolicy;
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::timing::timed;
use crate::which_policy::{self, Row};

/// The first line of the records.
/// Names of the policies in records, in their order on the page.
const IDS: [&str; 7] = [
    "leveldb",
    "bloom-filter2",
    "bloom-filter64",
    "fast-local",
    "legacy-full",
    "ribbon",
    "ribbon14",
];

pub(crate) const HEADER: &str = "policy,filter_keys,bits_per_key,bytes,rate,task,round,keys,ns";

/// How many keys a batch has at least, so that the clock's own time does not count.
const FEWEST_IN_BATCH: usize = 1 << 16;

/// Keys of 16 random bytes.
fn keys(random: &mut SplitMix64, count: usize) -> Vec<[u8; 16]> {
    let mut keys = vec![[0; 16]; count];
    random.fill_bytes(keys.as_flattened_mut());
    keys
}

/// Builds a filter of every `size` keys, through the trait as engines do, and gives the sum of their first bytes.
fn build(policy: &dyn FilterPolicy, size: usize, stored: &[&[u8]], filter: &mut Vec<u8>) -> u64 {
    let first_byte = |keys| {
        filter.clear();
        policy.append_filter(keys, filter).expect("memory for the filter");
        u64::from(black_box(&*filter)[0])
    };
    stored.chunks_exact(size).map(first_byte).sum()
}

/// How many keys may match, asked one by one.
fn matches(policy: &dyn FilterPolicy, filter: &[u8], asked: &[&[u8]]) -> u64 {
    let may_match = |key: &&&[u8]| policy.key_may_match(key, filter);
    asked.iter().filter(may_match).count() as u64
}

/// Appends a line for every policy, task and round of filters of `size` keys.
pub(crate) fn measure(size: usize, rounds: usize, lines: &mut String) {
    let mut random = SplitMix64::seed_from_u64(1);
    let stored = keys(&mut random, FEWEST_IN_BATCH.max(size) / size * size);
    let absent = keys(&mut random, FEWEST_IN_BATCH);
    let stored: Vec<&[u8]> = stored.iter().map(<[u8; 16]>::as_slice).collect();
    let absent: Vec<&[u8]> = absent.iter().map(<[u8; 16]>::as_slice).collect();
    let of_filter = &stored[..size];
    // Drawn, since a filter that is asked in the order in which it was built is asked for more than its keys.
    let draw = |_| of_filter[(random.next_u64() % size as u64) as usize];
    let present: Vec<&[u8]> = (0..FEWEST_IN_BATCH).map(draw).collect();

    let rows: [Row; IDS.len()] = which_policy::policies();
    let known: Vec<(f64, usize)> = rows
        .iter()
        .map(|row| which_policy::measure(&*row.policy, size))
        .collect();
    let filters: Vec<Vec<u8>> = rows
        .iter()
        .map(|row| {
            let mut filter = Vec::new();
            build(&*row.policy, size, of_filter, &mut filter);
            filter
        })
        .collect();
    let mut room = Vec::new();
    for task in ["build", "absent", "present"] {
        let keys = if task == "build" {
            stored.len()
        } else {
            FEWEST_IN_BATCH
        };
        // The first round warms up, and does not count.
        for round in 0..=rounds {
            for i in 0..rows.len() {
                let index = (i + round) % rows.len();
                let id = IDS[index];
                let Row {
                    bits_per_key, policy, ..
                } = &rows[index];
                let policy = black_box(&**policy);
                let filter = &filters[index];
                let (result, ns) = timed(|| match task {
                    "build" => build(policy, size, &stored, &mut room),
                    "absent" => matches(policy, filter, &absent),
                    _ => matches(policy, filter, &present),
                });
                if task == "present" {
                    assert_eq!(result, FEWEST_IN_BATCH as u64, "{id} denies stored keys");
                }
                black_box(result);
                let (rate, bytes) = known[index];
                if round > 0 {
                    // Writing to a string does not fail.
                    let _ = writeln!(
                        lines,
                        "{id},{size},{bits_per_key},{bytes},{rate},{task},{round},{keys},{ns}"
                    );
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_policy_takes_part_in_every_round() {
        let mut lines = String::new();
        measure(40_000, 2, &mut lines);
        assert_eq!(lines.lines().count(), 7 * 3 * 2);
        let fields = HEADER.split(',').count();
        assert!(lines.lines().all(|line| line.split(',').count() == fields));
        // The length is LevelDB's: 10 bits a key and a byte.
        assert!(
            lines
                .lines()
                .any(|line| line.starts_with("leveldb,40000,10,50001,0.0")),
            "{lines}"
        );
    }
}
