//! Laws of every adapter: the bytes that it stores, and its answers for any bytes that are read back.

use std::sync::Arc;

use filter_policy::policies::AnyPolicy;
use filter_policy::prefix::{FixedPrefix, PrefixPolicy};
use filter_policy::range::RangePolicy;
use filter_policy::{BitsPerKey, BloomFilterPolicy, Error, FilterPolicy as _, KeyHash, formats};

use crate::engines::ENGINES;
use crate::policies::{BLOOM, Failing, TEN};

const OPEN: [u8; 2] = [0x00, 0xff];

/// Returns the policies of every format, with a seed, and over prefixes if the engine can have these.
pub(crate) fn policies(keeps_keys: bool) -> Vec<Arc<AnyPolicy>> {
    let mut policies: Vec<AnyPolicy> = formats::ALL.iter().map(|format| format.policy(TEN)).collect();
    policies.push(Box::new(BloomFilterPolicy::with_seed(7, TEN)));
    if keeps_keys {
        policies.push(Box::new(PrefixPolicy::new(BLOOM, FixedPrefix::new(3))));
        policies.push(Box::new(RangePolicy::new(TEN)));
    }
    policies.into_iter().map(Arc::new).collect()
}

#[test]
fn what_is_stored_is_the_policys_filter() {
    let long = [0xff; 300];
    let numbers: Vec<[u8; 4]> = (0..5_000_u32).map(u32::to_be_bytes).collect();
    let many: Vec<&[u8]> = numbers.iter().map(<[u8; 4]>::as_slice).collect();
    let sets: [&[&[u8]]; 7] = [
        &[],
        &[b""],
        &[b"key"],
        &[b"", b"\0", b"a\0b", b"\xc3\x28", &long[1..], &long],
        &[b"same".as_slice(); 100],
        &[b"", b"", b"a", b"a", b"b"],
        &many,
    ];
    for engine in ENGINES {
        for policy in policies(engine.keeps_keys) {
            let adapter = (engine.adapter)(Box::new(policy.clone()));
            for keys in sets {
                let mut of_filter = keys.to_vec();
                if engine.filters_tables {
                    of_filter.dedup();
                }
                let mut expected = Vec::new();
                policy.append_filter(&of_filter, &mut expected).unwrap();
                if expected.is_empty() && !engine.filters_tables {
                    expected = OPEN.to_vec();
                }
                let case = || format!("{}, {}, {} keys", engine.name, policy.name(), keys.len());
                assert!(adapter.create(keys) == expected, "{}", case());
                let lost = keys.iter().find(|key| !adapter.may_match(key, &expected));
                assert_eq!(lost, None, "{}", case());
            }
        }
    }
}

#[test]
fn any_bytes_have_the_policys_answer() {
    let filters = [
        &[][..],
        &[6],
        &[0, 6],
        &[0, 31],
        &[0x55; 9],
        &[0, 0xfe, 7, 1, 0, 0],
        &[0xff; 70],
    ];
    for engine in ENGINES {
        for policy in policies(engine.keeps_keys) {
            let adapter = (engine.adapter)(Box::new(policy.clone()));
            for (filter, key) in filters
                .iter()
                .flat_map(|filter| [(filter, &b"abc"[..]), (filter, b"")])
            {
                let expected = policy.key_may_match(key, filter);
                let answer = adapter.may_match(key, filter);
                assert_eq!(
                    answer,
                    expected,
                    "{}, {}: {filter:x?}",
                    engine.name,
                    policy.name()
                );
            }
        }
    }
}

#[test]
fn a_filter_that_cannot_be_built_denies_nothing() {
    let failing = || Failing::named("Failing");
    let too_large = || Error::FilterTooLarge {
        keys: 1,
        most: 0,
        bits_per_key: 10.0,
    };
    // Some hash values are none, or of another width than that of the first key.
    let wide: fn(KeyHash) -> Option<KeyHash> = |hash| Some(KeyHash::new(hash.function(), hash.value() << 32));
    for engine in ENGINES {
        let mut policies: Vec<AnyPolicy> = vec![
            Box::new(failing()),
            Box::new(Failing {
                len: Err(too_large()),
                ..failing()
            }),
            Box::new(Failing {
                builds_empty: true,
                hash: |_| None,
                ..failing()
            }),
            Box::new(Failing {
                builds_empty: true,
                hash: wide,
                ..failing()
            }),
        ];
        if !engine.filters_tables {
            // So long that those of a table could not be addressed.
            policies.push(Box::new(BloomFilterPolicy::new(BitsPerKey::whole(2_500_000))));
        }
        for (number, policy) in policies.into_iter().enumerate() {
            let adapter = (engine.adapter)(policy);
            assert_eq!(
                adapter.create(&[b"", b"a", b"key"]),
                OPEN,
                "{}, {number}",
                engine.name
            );
            assert!(adapter.may_match(b"any", &OPEN), "{}, {number}", engine.name);
        }
    }
}
