//! Needless block reads for absent ids between stored ones, by LevelDB itself, with its own sizes of filters and with
//! better ones.

use bench_leveldb::{Database, Policy, UniquePtr};
use filter_policy_leveldb::{POLICY_LEVELDB, POLICY_LEVELDB_COPRIME};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// The number of stored ids, and of absent ones.
const IDS: u64 = 10_000;

/// Lengths of values, hence numbers of keys per filter: some 36 to 140.
const VALUES: std::ops::RangeInclusive<usize> = 10..=100;

fn id(number: u64) -> Vec<u8> {
    format!("{number:016}").into_bytes()
}

/// Writes even ids with values of this length, and returns the needless reads per odd id. LevelDB's own policy reads
/// the filters of both.
fn needless_reads(policy: UniquePtr<Policy>, value: usize) -> f64 {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let engine = Database::open(path, policy, 0).unwrap();
    // Compressed blocks would hold several times as many keys.
    let mut random = SplitMix64::seed_from_u64(1);
    let mut bytes = vec![0; value];
    for number in 0..IDS {
        random.fill_bytes(&mut bytes);
        engine.put(&id(2 * number), &bytes).unwrap();
    }
    engine.compact();
    drop(engine);
    let engine = Database::open(path, Policy::builtin(10), 0).unwrap();
    assert!((0..IDS).all(|number| engine.has(&id(2 * number)).unwrap()));
    let before = engine.reads();
    assert!(!(0..IDS).any(|number| engine.has(&id(2 * number + 1)).unwrap()));
    (engine.reads() - before) as f64 / IDS as f64
}

/// The figures of the page in `upstream`.
#[test]
fn better_sizes_save_needless_reads_for_ids() {
    let lengths = VALUES.step_by(5);
    let mean_and_worst = |hash| {
        let reads: Vec<f64> = lengths
            .clone()
            .map(|value| needless_reads(Policy::c_library(10, hash), value))
            .collect();
        (
            reads.iter().sum::<f64>() / reads.len() as f64,
            reads.into_iter().fold(0.0, f64::max),
        )
    };
    let before = mean_and_worst(POLICY_LEVELDB);
    let after = mean_and_worst(POLICY_LEVELDB_COPRIME);
    println!("needless reads per absent id, mean and worst: {before:?}, {after:?}");
    assert!(before.0 > 0.06 && before.1 > 0.4, "{before:?}");
    assert!(after.0 < 0.025 && after.1 < 0.08, "{after:?}");
}
