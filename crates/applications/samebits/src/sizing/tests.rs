//! Tests questions of all kinds.

use proptest::prelude::*;
use proptest::test_runner::Config;

use super::*;

#[test]
fn the_most_keys_need_all_of_the_memory() {
    for format in StoredFormat::all() {
        let (rate, bytes) = (0.01, 1 << 20);
        let most = answer(&format, SizeQuestion::MostKeys { rate, bytes }).unwrap();
        // Cuckoo tables and fingerprints grow in steps, and RedisBloom's filter starts with half of the rate. A counter
        // has four bits, and a rotating filter has room for the keys of two generations.
        let times = match name(&format) {
            "counting" => 4,
            "rotating" => 2,
            _ => 1,
        };
        assert!((600_000..1_300_000).contains(&(most.keys * times)), "{most:?}");
        let keys = most.keys + most.keys / 10;
        let more = SizeQuestion::Of {
            keys,
            size: Size::Rate(rate),
        };
        assert!(answer(&format, more).unwrap().sizing.bytes > 1 << 20, "{most:?}");
    }
}

proptest! {
    #![proptest_config(Config { cases: 12, ..Config::default() })]

    #[test]
    fn no_question_makes_it_panic(
        keys in 1..=MAX_KEYS,
        rate in f64::MIN_POSITIVE..1.0,
        bits_per_key in f64::MIN_POSITIVE..1e6,
        bytes in 1..u64::MAX,
    ) {
        // LevelDB's rate takes up to a second where keys and bits are many.
        for format in StoredFormat::all().filter(|format| !of_policy(format).is_some_and(is_of_leveldb)) {
            for size in [Size::Rate(rate), Size::BitsPerKey(bits_per_key), Size::Bytes(bytes)] {
                let _ = answer(&format, SizeQuestion::Of { keys, size });
            }
            let _ = answer(&format, SizeQuestion::MostKeys { rate, bytes });
        }
    }
}
