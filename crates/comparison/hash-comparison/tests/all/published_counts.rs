//! The published figures: collision counts of the 17 functions on the embedded datasets, and filters.
//!
//! The counts on `app-accounts` are the published ones, since this list is known byte for byte. The counts on the
//! generated sets come from an independent C implementation of the functions and recipes, for the given seeds.

use filter_policy::{BitsPerKey, BloomFilterPolicy};
use hash_comparison::advice::published::{CountRow, FilterRow, PublishedSet};
use hash_comparison::functions;
use hash_comparison::keys::load_embedded;
use hash_comparison::questions::collisions;
use hash_comparison::record::FunctionGroup;
use hash_comparison::run::hash;
use terminal::progress::Silent;

/// Returns the collisions of the 17 at full width, in the published order.
fn counts(dataset: &str, seed: u64) -> Vec<u64> {
    let dataset = load_embedded(dataset, seed).expect("the dataset is what the manifest says");
    functions::all()
        .iter()
        .filter(|function| function.facts.group == FunctionGroup::Published)
        .map(|function| {
            let windows = collisions::low(function.facts.output_bits).take(1);
            let hashed = hash(&dataset.keys, function, &Silent).expect("nothing stops it");
            let rows = collisions::measure(&dataset, &hashed, windows);
            assert_eq!(rows[0].bits, function.facts.bits);
            rows[0].collisions
        })
        .collect()
}

#[test]
fn app_accounts_gives_the_published_counts() {
    let published = CountRow::of(PublishedSet::AppAccounts).map(|row| row.collisions);
    assert!(published.eq(counts("app-accounts", 1)));
}

#[test]
fn video_ids_give_the_recorded_counts_for_four_seeds() {
    let recorded = [
        (1, [0, 0, 0, 31, 0, 31, 0, 0, 0, 9255, 1, 0, 0, 0, 21, 1, 1]),
        (2, [1, 0, 1, 28, 1, 28, 0, 0, 2, 9183, 0, 0, 0, 0, 25, 0, 0]),
        (3, [1, 0, 0, 39, 0, 39, 0, 0, 0, 9251, 0, 1, 0, 1, 15, 0, 0]),
        (2021, [0, 0, 0, 47, 1, 47, 0, 0, 1, 9224, 1, 0, 0, 0, 15, 2, 2]),
    ];
    for (seed, expected) in recorded {
        assert_eq!(counts("video-ids", seed), expected, "seed {seed}");
    }
}

#[test]
fn filters_have_the_published_sizes() {
    let accounts = load_embedded("app-accounts", 1).unwrap().keys;
    for row in FilterRow::all() {
        assert_eq!(row.formula_bytes(), row.filter_bytes, "{row:?}");
        if row.set.is_exact() {
            let policy = BloomFilterPolicy::new(BitsPerKey::whole(row.bits_per_key));
            let filter = policy.build(accounts.iter()).unwrap();
            assert_eq!(filter.len() as u64, row.filter_bytes);
            assert_eq!(accounts.total_bytes() as u64, row.raw_bytes);
        }
    }
}
