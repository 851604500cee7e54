//! Tests questions of all kinds.

use proptest::prelude::*;
use proptest::test_runner::Config;

use super::*;

#[test]
fn the_most_keys_need_all_of_the_memory() {
    for kind in all().into_iter().filter(|kind| kind.name() != "rocksdb-legacy") {
        let question = Question::Keys {
            rate: 0.01,
            bytes: 1 << 20,
        };
        let most = kind.answer(question).unwrap();
        // Cuckoo tables and fingerprints grow in steps, and a growing filter starts with a part of the rate.
        let least = if kind.name() == "counting" {
            200_000
        } else {
            600_000
        };
        assert!((least..1_300_000).contains(&most.keys), "{most:?}");
        let more = Question::Rate {
            keys: most.keys + most.keys / 10,
            rate: 0.01,
        };
        assert!(kind.answer(more).unwrap().bytes > 1 << 20, "{most:?}");
    }
}

proptest! {
    #![proptest_config(Config { cases: 20, ..Config::default() })]

    #[test]
    fn rates_are_reached_and_memory_is_kept(
        digits in 0.0_f64..8.0,
        exponent in 0.5_f64..6.0,
        memory_digits in 0.0_f64..9.0,
    ) {
        let [keys, bytes] = [digits, memory_digits].map(|digits| libm::pow(10.0, digits) as u64);
        let rate = libm::pow(10.0, -exponent);
        // LevelDB's rate is counted, which is slow for many keys.
        let is_slow = keys.max(bytes) > 10_000 || exponent > 3.0;
        for kind in all().into_iter().filter(|kind| !(is_slow && kind.of_policy() == Some(Sizes::LEVEL_DB))) {
            // Integer probe counts cost filters configured by a rate a little, and small filters more.
            let above = if kind.of_policy().is_some() || kind.name() == "cuckoo" { 1.0 } else { 1.12 };
            // Positions of Spark's first version are uneven in large filters.
            let is_uneven = |keys| kind.name() == "spark-v1" && keys > 1_000_000;
            let reached = |answer: &Answer| {
                answer.rate.is_some_and(|got| got <= rate * above)
                    || answer.keys < 50
                    || is_uneven(answer.keys)
            };
            if let Ok(answer) = kind.answer(Question::Rate { keys, rate }) {
                prop_assert!(reached(&answer), "{answer:?}, wanted {rate}");
            }
            if let Ok(answer) = kind.answer(Question::Memory { keys, bytes }) {
                prop_assert!(answer.bytes <= bytes, "{answer:?} in {bytes}");
            }
            if let Ok(answer) = kind.answer(Question::Keys { rate, bytes }) {
                prop_assert!(answer.bytes <= bytes && reached(&answer), "{answer:?} in {bytes}, wanted {rate}");
            }
        }
    }

    #[test]
    fn no_question_makes_it_panic(
        keys in 1..=MAX_KEYS,
        rate in f64::MIN_POSITIVE..1.0,
        bits_per_key in f64::MIN_POSITIVE..1e6,
        bytes in 1..u64::MAX,
    ) {
        // LevelDB's rate takes up to a second where keys and bits are many.
        for kind in all().into_iter().filter(|kind| kind.of_policy() != Some(Sizes::LEVEL_DB)) {
            let _ = kind.answer(Question::Rate { keys, rate });
            let _ = kind.answer(Question::Bits { keys, bits_per_key });
            let _ = kind.answer(Question::Memory { keys, bytes });
            let _ = kind.answer(Question::Keys { rate, bytes });
        }
    }
}
