//! The places of a key answer as the whole filter does.

use filter_formats::policies::{self, AnyPolicy, NamedPolicy};
use filter_formats::view::FilterLayout;
use filter_formats::view::places::{Outline, Places, TAIL_LEN};
use filter_policy::{BitsPerKey, FilterPolicy as _, KeyHash};
use proptest::collection::vec;
use proptest::prelude::*;

use super::support::any_bytes::any_filter;

/// Answers from the places alone; `None` if the filter must be had as a whole.
fn ask(known: &NamedPolicy, filter: &[u8], hash: KeyHash) -> Option<bool> {
    let tail = &filter[filter.len().saturating_sub(TAIL_LEN)..];
    let outline = Outline::new(known.layout(), filter.len() as u64, tail)?;
    Some(match outline.places(hash) {
        Places::Same(answer) => answer,
        Places::Bits(bits) => bits
            .iter()
            .all(|bit| filter[usize::try_from(bit / 8).unwrap()] >> (bit % 8) & 1 == 1),
        Places::Bytes(ranges) => {
            let ranges = ranges.into_iter().map(|range| {
                let [start, end] = [range.start, range.end].map(|at| usize::try_from(at).unwrap());
                &filter[start..end]
            });
            outline.may_match(hash, &ranges.collect::<Vec<_>>().concat())
        }
    })
}

fn hash(policy: &AnyPolicy, key: &[u8]) -> KeyHash {
    policy.key_hash(key).unwrap()
}

#[test]
fn filters_of_every_policy_but_ribbon() {
    for known in policies::ALL {
        let policy = known.build(BitsPerKey::whole(10));
        for keys in [0, 1, 2, 5, 100, 3_000] {
            let keys: Vec<[u8; 4]> = (0..keys).map(u32::to_be_bytes).collect();
            let slices: Vec<&[u8]> = keys.iter().map(|key| &key[..]).collect();
            let mut filter = Vec::new();
            policy.append_filter(&slices, &mut filter).unwrap();
            let mut found = 0;
            for key in (0..6_000).map(u32::to_be_bytes) {
                let Some(answer) = ask(known, &filter, hash(&policy, &key)) else {
                    assert!(known.name().ends_with("RibbonFilter") && !keys.is_empty());
                    break;
                };
                assert_eq!(answer, policy.key_may_match(&key, &filter), "{}", known.name());
                found += usize::from(answer);
            }
            assert!(found >= keys.len() || known.name().ends_with("RibbonFilter"));
        }
    }
}

/// Answers to a key come from the bytes of its places alone: fewer and more may match.
#[test]
fn other_bytes_than_those_of_the_places() {
    for known in policies::ALL {
        let policy = known.build(BitsPerKey::whole(10));
        let mut filter = Vec::new();
        policy.append_filter(&[b"apple"], &mut filter).unwrap();
        let tail = &filter[filter.len().saturating_sub(TAIL_LEN)..];
        let Some(outline) = Outline::new(known.layout(), filter.len() as u64, tail) else {
            continue;
        };
        for key in 0..100_u32 {
            let hash = hash(&policy, &key.to_le_bytes());
            let Places::Bytes(ranges) = outline.places(hash) else {
                continue;
            };
            let len: u64 = ranges.iter().map(|range| range.end - range.start).sum();
            for len in 0..usize::try_from(len).unwrap() {
                assert!(outline.may_match(hash, &vec![0; len]), "{} {len}", known.name());
            }
            let len = usize::try_from(len).unwrap();
            for more in [len + 1, 2 * len, len + 64] {
                assert!(outline.may_match(hash, &vec![0; more]), "{} {more}", known.name());
            }
        }
    }
}

/// The whole filter in place of what [`Outline::places`] names, as somebody does who has it at hand.
#[test]
fn a_whole_filter_denies_no_stored_key() {
    for known in policies::ALL {
        let policy = known.build(BitsPerKey::whole(10));
        let keys: Vec<[u8; 4]> = (0..1_000_u32).map(u32::to_be_bytes).collect();
        let slices: Vec<&[u8]> = keys.iter().map(|key| &key[..]).collect();
        let mut filter = Vec::new();
        policy.append_filter(&slices, &mut filter).unwrap();
        let tail = &filter[filter.len() - TAIL_LEN..];
        if let Some(outline) = Outline::new(known.layout(), filter.len() as u64, tail) {
            let denied = keys
                .iter()
                .filter(|key| !outline.may_match(hash(&policy, &key[..]), &filter));
            assert_eq!(denied.count(), 0, "{}", known.name());
        }
    }
}

/// An end that has more bytes than the filter, or fewer than it must have.
#[test]
fn ends_that_do_not_fit_the_length() {
    for known in policies::ALL {
        let policy = known.build(BitsPerKey::whole(10));
        let mut filter = Vec::new();
        policy.append_filter(&[b"apple"], &mut filter).unwrap();
        let hash = hash(&policy, b"banana");
        for len in 0..TAIL_LEN as u64 {
            let outline = Outline::new(known.layout(), len, &filter).unwrap();
            let end = match outline.places(hash) {
                Places::Same(_) => None,
                Places::Bits(bits) => bits.iter().map(|bit| bit / 8 + 1).max(),
                Places::Bytes(ranges) => ranges.iter().map(|range| range.end).max(),
            };
            assert!(end.is_none_or(|end| end <= len), "{} {len}", known.name());
        }
        for kept in 0..TAIL_LEN.min(filter.len()) {
            let outline = Outline::new(known.layout(), filter.len() as u64, &filter[..kept]).unwrap();
            assert_eq!(
                outline.places(hash),
                Places::Same(true),
                "{} {kept}",
                known.name()
            );
        }
    }
}

proptest! {
    #[test]
    fn any_bytes(filter in any_filter(), key in vec(any::<u8>(), 0..20)) {
        for known in policies::ALL {
            let policy = known.build(BitsPerKey::whole(10));
            let Some(answer) = ask(known, &filter, hash(&policy, &key)) else {
                continue;
            };
            let expected = policy.key_may_match(&key, &filter);
            // A policy of RocksDB reads the filters of the others, whose hash has another width.
            prop_assert!(answer || !expected, "{}", known.name());
            if known.layout() != FilterLayout::ROCKS_DB {
                prop_assert_eq!(answer, expected, "{}", known.name());
            }
        }
    }
}
