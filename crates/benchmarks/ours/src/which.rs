//! Rate, memory and times of every policy of `filter-policy`, called key by key as in engines: the figures of
//! `WHICH.md`.
//!
//! All policies take turns in every round. Rates and sizes are the same in every run and are part of each batch.

use bench_kit::policies::ours::{by_trait, one_by_one};
use bench_kit::policies::{FEWEST_IN_BATCH, rounds};
use bench_kit::record::Batch;
use bench_kit::suites::which::SUITE;
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

fn policy(name: &str) -> (u32, Box<dyn FilterPolicy>) {
    let (ten, fourteen) = (BitsPerKey::whole(10), BitsPerKey::whole(14));
    match name {
        "leveldb" => (10, Box::new(BloomFilterPolicy::leveldb_builtin(ten))),
        "bloom-filter2" => (10, Box::new(BloomFilterPolicy::new(ten))),
        "bloom-filter64" => (10, Box::new(BloomFilter64Policy::new(ten))),
        "fast-local" => (10, Box::new(FastLocalBloomPolicy::new(ten))),
        "legacy-full" => (10, Box::new(LegacyFullFilterPolicy::new(ten))),
        "ribbon" => (10, Box::new(RibbonPolicy::new(ten))),
        "ribbon14" => (14, Box::new(RibbonPolicy::new(fourteen))),
        other => panic!("there is no policy {other}"),
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

/// Counts the absent keys that match. Returns how many were queried, how many matched, and the bytes of the first
/// filter.
fn rate(policy: &dyn FilterPolicy, size: usize) -> [u64; 3] {
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
    [filters * queries, matches, first.unwrap_or_default()].map(|count| count as u64)
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

    let mut batches = Vec::new();
    let case = |name: &str, task: &str| SUITE.case(name, task, &[&size, &policy(name).0]);
    let mut filters = Vec::new();
    for &(name, _) in SUITE.contenders {
        let (_, policy) = policy(name);
        let [queries, matches, bytes] = rate(&*policy, size);
        batches.push(case(name, "rate").batch(1, queries, matches));
        batches.push(case(name, "size").batch(1, size as u64, bytes));
        filters.push((name, build(&*policy, of_filter)));
    }
    for (task, asked) in [("build", &stored), ("absent", &absent), ("present", &present)] {
        let contender = |(name, filter)| {
            let (_, policy) = policy(name);
            let mut run: Box<dyn FnMut() -> u64> = match task {
                "build" => Box::new(by_trait(policy, size, asked)),
                _ => Box::new(one_by_one(policy, filter, asked)),
            };
            if task == "present" {
                assert_eq!(run(), asked.len() as u64, "{name} denies stored keys");
            }
            Contender::new(name, "filter-policy", Work::Own, run)
        };
        let mut contenders: Vec<Contender<'_, &str>> = filters
            .iter()
            .map(|(name, filter)| contender((*name, filter)))
            .collect();
        take_turns(rounds, &mut contenders, |round, contender, ns| {
            batches.push(case(contender.name, task).batch(round, asked.len() as u64, ns));
        });
    }
    batches
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use bench_kit::table;

    use super::*;

    #[test]
    fn every_policy_takes_part_in_every_round() {
        let batches = measure_size(40_000, 2);
        assert_eq!(batches.len(), 7 * (2 + 3 * 2));
        let rows = SUITE.rows(&batches).unwrap();
        // LevelDB's size: 10 bits per key and one byte.
        let size = rows.iter().find(|row| row.is("leveldb", "size")).unwrap();
        assert_eq!(size.value, 50_001.0 / 40_000.0);
    }

    #[test]
    fn rates_and_lengths_are_those_of_the_committed_run() {
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../reports/reference/policy/which/batches.csv");
        let batches: Vec<Batch> = table::read(&SUITE, &path).unwrap();
        let counted = |task: &'static str| batches.iter().filter(move |batch| batch.case.task == task);
        assert_eq!(counted("rate").count(), SIZES.len() * SUITE.contenders.len());
        for (rates, sizes) in counted("rate").zip(counted("size")) {
            let (bits_per_key, policy) = policy(&rates.case.contender);
            let measured = rate(&*policy, rates.case.count("filter_keys") as usize);
            assert_eq!(
                measured,
                [rates.calls, rates.count, sizes.count],
                "{}",
                rates.case
            );
            assert_eq!(rates.case.count("bits_per_key"), u64::from(bits_per_key));
        }
    }
}
