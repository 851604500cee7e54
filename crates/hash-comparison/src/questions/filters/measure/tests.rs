//! Compares counts with those of the policy itself, and checks the rows.

use super::*;
use crate::functions;
use crate::keys::Recipe;
use crate::record::DatasetKind;
use filter_policy::FilterPolicy as _;
use terminal::progress::Silent;

fn dataset(count: usize, recipe: Option<Recipe>) -> Dataset {
    let keys = Recipe::DistinctBelow1e9.keys(1, count);
    let mut dataset = Dataset::of("ids", keys);
    dataset.summary.kind = DatasetKind::Generated;
    Dataset { recipe, ..dataset }
}

/// Counts again through the policy's methods for keys: MurmurHash2 is the policy's own hash.
#[test]
fn counts_are_those_of_the_policy_itself() {
    let dataset = dataset(2000, None);
    let function = functions::find("MurMurHash2").unwrap();
    let probes = Probes::new(&dataset);
    let values = probes.values(&Hashed::new(&dataset.keys, function));
    let (_, rows) = probes.of_function(function.name, &values, &Silent).unwrap();
    let Asked::OtherHalf(other) = &probes.asked else {
        panic!("no recipe, so two halves");
    };
    let halves = [&probes.built, other];
    let keys = |half: usize| halves[half].iter().map(|&index| dataset.keys.get(index as usize));
    for (row, bits_per_key) in rows.iter().zip(BITS_PER_KEY) {
        let policy = BloomFilterPolicy::new(BitsPerKey::whole(bits_per_key));
        let mut false_positives = 0;
        for (built, asked) in [(0, 1), (1, 0)] {
            let filter = policy.build(keys(built)).unwrap();
            assert_eq!(filter.len() as u64, row.filter_bytes);
            false_positives += keys(asked)
                .filter(|key| policy.key_may_match(key, &filter))
                .count() as u64;
        }
        assert_eq!(row.false_positives, false_positives);
        assert_eq!(row.bits_per_key, bits_per_key);
    }
}

#[test]
fn long_keys_bound_the_number_of_ideal_hashes() {
    let mut long = dataset(3, None);
    long.keys = KeySet::default();
    for fill in 0..3 {
        long.keys.push(&vec![fill; 20_000_000]);
    }
    // Four times 60 MB fit; each hash probes with both halves of one key.
    assert_eq!(
        Probes::new(&long).measure_ideal(&Silent).unwrap()[0].probes,
        4 * 2
    );
}
