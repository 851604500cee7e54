//! The places of a key answer as the whole filter does.

use filter_formats::EngineFormat;
use filter_formats::policies::{self, AnyPolicy, NamedPolicy};
use filter_formats::view::places::{LayoutOutline, Places, TAIL_LEN};
use filter_policy::{BitsPerKey, FilterPolicy as _, HashFunctionId, KeyHash};
use proptest::collection::vec;
use proptest::prelude::*;

use super::support::any_bytes::any_filter;
use super::support::ways::filter_of;

/// Returns every policy with its filter of these keys.
fn filters(keys: &[impl AsRef<[u8]>]) -> Vec<(&'static NamedPolicy, AnyPolicy, Vec<u8>)> {
    let filter = |known: &'static NamedPolicy| {
        let policy = known.policy(BitsPerKey::whole(10));
        let filter = filter_of(&policy, keys);
        (known, policy, filter)
    };
    policies::ALL.iter().map(filter).collect()
}

fn outline(known: &NamedPolicy, filter: &[u8]) -> Option<LayoutOutline> {
    let tail = &filter[filter.len().saturating_sub(TAIL_LEN)..];
    LayoutOutline::new(known.format(), filter.len() as u64, tail)
}

/// Answers from the places alone; `None` if the filter must be had as a whole.
fn look_up(known: &NamedPolicy, filter: &[u8], hash: KeyHash) -> Option<bool> {
    let outline = outline(known, filter)?;
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
    for keys in [0, 1, 2, 5, 100, 3_000] {
        let keys: Vec<[u8; 4]> = (0..keys).map(u32::to_be_bytes).collect();
        for (known, policy, filter) in filters(&keys) {
            let mut found = 0;
            for key in (0..6_000).map(u32::to_be_bytes) {
                let Some(answer) = look_up(known, &filter, hash(&policy, &key)) else {
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
    for (known, policy, filter) in filters(&["apple"]) {
        let Some(outline) = outline(known, &filter) else {
            continue;
        };
        for key in 0..100_u32 {
            let hash = hash(&policy, &key.to_le_bytes());
            let len = match outline.places(hash) {
                Places::Bytes(ranges) => ranges.iter().map(|range| range.end - range.start).sum(),
                _ => 0,
            };
            for other in (0..len).chain([len + 1, 2 * len + 1, len + 64]) {
                let bytes = vec![0; usize::try_from(other).unwrap()];
                assert!(outline.may_match(hash, &bytes), "{} {other}", known.name());
            }
        }
    }
}

/// The layouts of LevelDB and of split blocks are those of several functions.
#[test]
fn places_are_those_of_the_layouts_function() {
    let another = HashFunctionId::new("test.Another", |key| key.len() as u64);
    for (known, _, filter) in filters(&["one", "two", "three"]) {
        let Some(outline) = outline(known, &filter) else {
            continue;
        };
        for foreign in 0..100_u64 {
            let hash = KeyHash::new(another, foreign);
            assert_eq!(outline.places(hash), Places::Same(true), "{}", known.name());
            assert!(outline.may_match(hash, &filter), "{}", known.name());
        }
    }
}

/// An end that has more bytes than the filter, or fewer than it must have.
#[test]
fn ends_that_do_not_fit_the_length() {
    for (known, policy, filter) in filters(&["apple"]) {
        let hash = hash(&policy, b"banana");
        for len in 0..TAIL_LEN as u64 {
            let outline = LayoutOutline::new(known.format(), len, &filter).unwrap();
            let end = match outline.places(hash) {
                Places::Same(_) => None,
                Places::Bits(bits) => bits.iter().map(|bit| bit / 8 + 1).max(),
                Places::Bytes(ranges) => ranges.iter().map(|range| range.end).max(),
            };
            assert!(end.is_none_or(|end| end <= len), "{} {len}", known.name());
        }
        for kept in 0..TAIL_LEN.min(filter.len()) {
            let outline = LayoutOutline::new(known.format(), filter.len() as u64, &filter[..kept]).unwrap();
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
            let policy = known.policy(BitsPerKey::whole(10));
            let Some(answer) = look_up(known, &filter, hash(&policy, &key)) else {
                continue;
            };
            let expected = policy.key_may_match(&key, &filter);
            // A policy of RocksDB reads the filters of the others, whose hash has another width.
            prop_assert!(answer || !expected, "{}", known.name());
            if !known.format().shares_layout(EngineFormat::FAST_LOCAL_BLOOM) {
                prop_assert_eq!(answer, expected, "{}", known.name());
            }
        }
    }
}
