//! Tests the sizes that the filters write, and questions of all kinds.

use filter_formats::policies;
use filter_policy::FilterPolicy as _;
use membership_filters::{BloomFilter, Bytes, CuckooFilter};
use proptest::prelude::*;
use proptest::test_runner::Config;

use super::*;

fn of(name: &str, question: Question) -> Answer {
    Kind::named(name).unwrap().answer(question).unwrap()
}

#[test]
fn bytes_are_those_that_the_filters_write() {
    for keys in [1_u64, 7, 100, 3000] {
        let given: Vec<[u8; 8]> = (0..keys).map(u64::to_le_bytes).collect();
        let slices: Vec<&[u8]> = given.iter().map(|key| &key[..]).collect();
        for bits_per_key in [1.0, 9.6, 10.0, 16.0] {
            for (kind, name) in [
                ("leveldb", "leveldb.BuiltinBloomFilter2"),
                ("bloom64", "BloomFilter64.Xxph3"),
                ("fast-local-bloom", "rocksdb.internal.FastLocalBloomFilter"),
                ("split-block", "SplitBlockBloomFilter.Xxh64"),
                ("binary-fuse", "binaryfuse"),
            ] {
                let policy = policies::by_name(name, BitsPerKey::fractional(bits_per_key).unwrap()).unwrap();
                let mut written = Vec::new();
                policy.append_filter(&slices, &mut written).unwrap();
                let answer = of(kind, Question::Bits { keys, bits_per_key });
                assert_eq!(answer.bytes, written.len() as u64, "{name}, {keys} keys");
            }
        }
        let bytes = |name| of(name, Question::Rate { keys, rate: 0.01 }).bytes;
        let guava = BloomFilter::new(Bytes, &Parameters::new(keys, 0.01).unwrap()).unwrap();
        assert_eq!(bytes("guava"), guava.to_bytes().len() as u64);
        let cuckoo = CuckooFilter::new(Bytes, &CuckooParameters::new(keys, 0.01).unwrap()).unwrap();
        assert_eq!(bytes("cuckoo"), cuckoo.to_bytes().len() as u64);
    }
}

#[test]
fn the_most_keys_need_all_of_the_memory() {
    for kind in ALL {
        let question = Question::Keys {
            rate: 0.01,
            bytes: 1 << 20,
        };
        let most = kind.answer(question).unwrap();
        // Cuckoo tables and fingerprints grow in steps, and a growing filter starts with a part of the rate.
        let least = if kind.name == "counting" { 200_000 } else { 600_000 };
        assert!((least..1_300_000).contains(&most.keys), "{most:?}");
        let more = Question::Rate {
            keys: most.keys + most.keys / 10,
            rate: 0.01,
        };
        assert!(kind.answer(more).unwrap().bytes > 1 << 20, "{most:?}");
    }
}

proptest! {
    #![proptest_config(Config { cases: 40, ..Config::default() })]

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
        for kind in ALL.into_iter().filter(|kind| !(is_slow && kind.name == "leveldb")) {
            // Integer probe counts cost filters configured by a rate a little, and small filters more.
            let above = if kind.format().is_some() || kind.name == "cuckoo" { 1.0 } else { 1.12 };
            let reached = |answer: &Answer| answer.rate <= rate * above || answer.keys < 50;
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
        for kind in ALL {
            let _ = kind.answer(Question::Bits { keys, bits_per_key });
            let _ = kind.answer(Question::Memory { keys, bytes });
            // LevelDB's rate takes up to 50 ms, and these ask for many.
            if kind.name != "leveldb" {
                let _ = kind.answer(Question::Rate { keys, rate });
                let _ = kind.answer(Question::Keys { rate, bytes });
            }
        }
    }
}

/// Compares the rates with the committed measurements of real filters.
#[test]
fn what_32_bits_of_hash_cost_is_what_was_measured() {
    let rates = include_str!("../../../../reports/reference/rates/rates.csv");
    let mut compared = 0;
    for line in rates.lines() {
        let fields: Vec<&str> = line.split(',').collect();
        let [
            "BloomFilter2",
            "rate",
            "leveldb",
            _,
            "20",
            keys,
            ..,
            probes,
            _,
            measured,
            _,
            _,
            _,
            _,
        ] = fields[..]
        else {
            continue;
        };
        let keys: u64 = keys.parse().unwrap();
        // Filling larger filters takes seconds.
        if !(320_000..20_000_000).contains(&keys) {
            continue;
        }
        let (probes, measured): (f64, f64) = (probes.parse().unwrap(), measured.parse().unwrap());
        let bits_per_key = 20.0;
        let rate = of("leveldb", Question::Bits { keys, bits_per_key }).rate;
        let chance = 3.0 / (measured * probes).sqrt();
        assert!(
            (measured / rate - 1.0).abs() < 0.03 + chance,
            "{keys}: {measured}, {rate}"
        );
        compared += 1;
    }
    assert!(compared > 2);
}
