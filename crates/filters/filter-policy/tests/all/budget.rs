//! Plans that divide memory among levels, and policies that build by them.

use filter_policy::AnyFormat;
use filter_policy::BitsPerKey;
use filter_policy::formats;
use filter_policy::sizing::budget::{Allocation, Level, plan};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng as _};

/// Tries every division in fifths of a bit among two levels.
fn least_by_trial(format: &'static dyn AnyFormat, levels: [&Level; 2], bytes: u64) -> f64 {
    let all = |level: &Level| -> Vec<(u64, f64)> {
        let bits = (10..=320)
            .step_by(2)
            .map(|tenths| BitsPerKey::fractional(f64::from(tenths) / 10.0).unwrap());
        let some = bits.map(|bits| {
            let bytes = level.filters * format.filter_len(level.keys, bits).unwrap();
            (
                bytes,
                level.reads * format.expected_rate(level.keys, bits).unwrap(),
            )
        });
        std::iter::once((0, level.reads)).chain(some).collect()
    };
    let [first, second] = levels.map(all);
    let pairs = first.iter().flat_map(|a| second.iter().map(move |b| (a, b)));
    pairs
        .filter(|(a, b)| a.0 + b.0 <= bytes)
        .map(|(a, b)| a.1 + b.1)
        .fold(f64::INFINITY, f64::min)
}

#[test]
fn hardly_a_division_among_two_levels_is_better() {
    let mut random = SplitMix64::seed_from_u64(1);
    let mut excess = 0.0;
    let mut divisions = 0.0;
    // The rates of double hashing take long.
    let slow = [formats::LEVEL_DB, formats::LEGACY_BLOOM, formats::BASHO].map(|format| format.kind());
    let is_fast = |known: &&dyn AnyFormat| !slow.contains(&known.kind());
    for format in formats::ALL.iter().copied().filter(is_fast) {
        for _ in 0..12 {
            let mut level = || Level {
                keys: 50 + random.next_u64() % 3_000,
                filters: 1 + random.next_u64() % 20,
                reads: (random.next_u64() % 1_000) as f64 / 500.0,
            };
            let levels = [level(), level()];
            let bytes = random.next_u64() % 40_000;
            let found = plan(format, &levels, bytes).unwrap();
            let least = least_by_trial(format, [&levels[0], &levels[1]], bytes);
            assert!(found.memory_bytes() <= bytes);
            let needless = found.needless();
            assert!(
                needless <= 1.5 * least,
                "{format:?} {levels:?} {bytes}: {needless} {least}"
            );
            excess += needless / least - 1.0;
            divisions += 1.0;
        }
    }
    assert!(excess / divisions < 0.05, "{excess} of {divisions}");
}

#[test]
fn levels_that_are_not_worth_a_filter_get_none() {
    let reads = |reads| Level {
        keys: 10_000,
        filters: 1,
        reads,
    };
    let found = plan(formats::BLOOM64, &[reads(1.0), reads(0.0), reads(1e-6)], 12_000).unwrap();
    let bits: Vec<_> = found.shares.iter().map(|share| share.bits_per_key).collect();
    assert!(bits[0].is_some() && bits[1].is_none(), "{bits:?}");
    assert_eq!(found.shares[1].memory_bytes, 0);
    // Nothing fits.
    let none = plan(formats::BLOOM64, &[reads(1.0)], 8).unwrap();
    assert_eq!((none.shares[0].bits_per_key, none.needless()), (None, 1.0));
    assert_eq!(
        plan(formats::BLOOM64, &[], 1_000).unwrap(),
        Allocation { shares: Vec::new() }
    );
    for wrong in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(plan(formats::BLOOM64, &[reads(wrong)], 1_000).is_err());
    }
}
