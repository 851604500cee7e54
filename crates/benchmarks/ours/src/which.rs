//! Rate, memory and times of every policy of `filter-policy`, called key by key as in engines: the figures of
//! `WHICH.md`.
//!
//! All policies take turns in every round. Rates and sizes are the same in every run and are part of each batch.

use bench_kit::policies::ours::{by_trait, one_by_one};
use bench_kit::policies::{FEWEST_IN_BATCH, rounds};
use bench_kit::suites::which::{Batch, Policy, Task};
use bench_kit::turns::{Contender, Work, take_turns};
use filter_formats::BloomFilter64Policy;
use filter_formats::rocksdb::{FastLocalBloomPolicy, LegacyFullFilterPolicy, RibbonPolicy};
use filter_policy::{BitsPerKey, BloomFilterPolicy, FilterPolicy};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// The keys of a filter.
const SIZES: [usize; 4] = [32, 512, 4096, 1_000_000];
const QUICK_SIZES: [usize; 2] = [32, 4096];

/// Absent keys queried for each rate, over all filters: at 1 % the statistical error is 0.7 % of the rate.
const QUERIES: usize = 2_000_000;
/// Keys stored for each rate, over all filters.
const STORED: usize = 1_000_000;
const RATE_SEED: u64 = 10;

fn policy(policy: Policy) -> (u32, Box<dyn FilterPolicy>) {
    let (ten, fourteen) = (BitsPerKey::whole(10), BitsPerKey::whole(14));
    match policy {
        Policy::Leveldb => (10, Box::new(BloomFilterPolicy::leveldb_builtin(ten))),
        Policy::BloomFilter2 => (10, Box::new(BloomFilterPolicy::new(ten))),
        Policy::BloomFilter64 => (10, Box::new(BloomFilter64Policy::new(ten))),
        Policy::FastLocal => (10, Box::new(FastLocalBloomPolicy::new(ten))),
        Policy::LegacyFull => (10, Box::new(LegacyFullFilterPolicy::new(ten))),
        Policy::Ribbon => (10, Box::new(RibbonPolicy::new(ten))),
        Policy::Ribbon14 => (14, Box::new(RibbonPolicy::new(fourteen))),
    }
}

/// Keys of 16 random bytes.
fn keys(random: &mut SplitMix64, count: usize) -> Vec<[u8; 16]> {
    let mut keys = vec![[0; 16]; count];
    random.fill_bytes(keys.as_flattened_mut());
    keys
}

fn slices(keys: &[[u8; 16]]) -> Vec<&[u8]> {
    keys.iter().map(<[u8; 16]>::as_slice).collect()
}

fn build(policy: &dyn FilterPolicy, keys: &[&[u8]]) -> Vec<u8> {
    let mut filter = Vec::new();
    policy
        .append_filter(keys, &mut filter)
        .expect("memory for the filter");
    filter
}

/// Returns the share of absent keys that match, and the bytes of the first filter.
fn rate(policy: &dyn FilterPolicy, size: usize) -> (f64, usize) {
    let mut random = SplitMix64::seed_from_u64(RATE_SEED);
    let filters = (STORED / size).max(1);
    let queries = QUERIES / filters;
    let (mut matches, mut first) = (0, None);
    for _ in 0..filters {
        let filter = build(policy, &slices(&keys(&mut random, size)));
        first.get_or_insert(filter.len());
        let absent = keys(&mut random, queries);
        matches += absent
            .iter()
            .filter(|key| policy.key_may_match(*key, &filter))
            .count();
    }
    (
        matches as f64 / (filters * queries) as f64,
        first.unwrap_or_default(),
    )
}

pub(crate) fn measure(is_quick: bool) -> Vec<Batch> {
    let sizes: &[usize] = if is_quick { &QUICK_SIZES } else { &SIZES };
    let each = |&size: &usize| {
        eprintln!("{size} keys");
        measure_size(size, rounds(size, is_quick))
    };
    sizes.iter().flat_map(each).collect()
}

fn measure_size(size: usize, rounds: u64) -> Vec<Batch> {
    let mut random = SplitMix64::seed_from_u64(1);
    let stored = keys(&mut random, FEWEST_IN_BATCH.max(size) / size * size);
    let absent = keys(&mut random, FEWEST_IN_BATCH);
    let (stored, absent) = (slices(&stored), slices(&absent));
    let of_filter = &stored[..size];
    // Drawn from the first filter's keys; `stored` also has the keys of other filters.
    let draw = |_| of_filter[(random.next_u64() % size as u64) as usize];
    let present: Vec<&[u8]> = (0..FEWEST_IN_BATCH).map(draw).collect();

    let rows: Vec<_> = (Policy::ALL.iter())
        .map(|&name| {
            let (bits_per_key, policy) = policy(name);
            let (rate, bytes) = rate(&*policy, size);
            let filter = build(&*policy, of_filter);
            (name, bits_per_key, rate, bytes, filter)
        })
        .collect();
    let mut batches = Vec::new();
    for &task in Task::ALL {
        let asked = match task {
            Task::Build => &stored,
            Task::Absent => &absent,
            Task::Present => &present,
        };
        let mut contenders: Vec<Contender<'_, usize>> = (rows.iter().enumerate())
            .map(|(index, (name, _, _, _, filter))| {
                let (_, policy) = policy(*name);
                let mut run: Box<dyn FnMut() -> u64> = match task {
                    Task::Build => Box::new(by_trait(policy, size, asked)),
                    Task::Absent | Task::Present => Box::new(one_by_one(policy, filter, asked)),
                };
                if task == Task::Present {
                    assert_eq!(run(), asked.len() as u64, "{name:?} denies stored keys");
                }
                Contender::new(index, "filter-policy", Work::Own, run)
            })
            .collect();
        take_turns(rounds, &mut contenders, |round, contender, ns| {
            let (policy, bits_per_key, rate, bytes, _) = &rows[contender.name];
            batches.push(Batch {
                policy: *policy,
                filter_keys: size as u64,
                bits_per_key: *bits_per_key,
                bytes: *bytes as u64,
                rate: *rate,
                task,
                round,
                calls: asked.len() as u64,
                seen: 0,
                ns,
            });
        });
    }
    batches
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use bench_kit::suites::which::Row;
    use records::table;

    use super::*;

    #[test]
    fn every_policy_takes_part_in_every_round() {
        let batches = measure_size(40_000, 2);
        assert_eq!(batches.len(), 7 * 3 * 2);
        // LevelDB's size: 10 bits per key and one byte.
        let leveldb = &batches[0];
        assert_eq!((leveldb.policy, leveldb.bytes), (Policy::BloomFilter2, 50_001));
    }

    #[test]
    fn rates_and_lengths_are_those_of_the_committed_run() {
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../reports/reference/policy/which/which.csv");
        let rows: Vec<Row> = table::read(&path).unwrap();
        assert_eq!(rows.len(), SIZES.len() * Policy::ALL.len() * Task::ALL.len());
        for row in rows.into_iter().filter(|row| row.task == Task::Build) {
            let (bits_per_key, policy) = policy(row.policy);
            let (rate, bytes) = rate(&*policy, row.filter_keys as usize);
            let measured = (bits_per_key, bytes as u64, statistics::significant::round(rate));
            assert_eq!(
                measured,
                (row.bits_per_key, row.bytes, row.rate),
                "{:?}",
                row.policy
            );
        }
    }
}
