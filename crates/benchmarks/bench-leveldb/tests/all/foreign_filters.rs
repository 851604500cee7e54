//! LevelDB's own policy answers "may match" to filters of the newer formats, which it reads only under a wrong name, so
//! no key is lost. `FORMAT.md` of `filter-formats` promises this and names the exceptions.

use bench_leveldb::Policy;
use filter_formats::EngineFormat;
use filter_formats::parquet::SplitBlock;
use filter_formats::rocksdb::Ribbon;
use filter_formats::view::{FilterKind, FilterView};
use filter_formats::{BinaryFuse, policies};
use filter_policy::{BitsPerKey, BloomFilterPolicy, FilterPolicy};

use crate::may_match;

fn key(number: u32) -> Vec<u8> {
    format!("key{number:08}").into_bytes()
}

#[test]
fn filters_of_other_formats_are_let_pass() {
    let leveldb = Policy::builtin(10);
    let open = [EngineFormat::BLOOM64, EngineFormat::FAST_LOCAL_BLOOM];
    for policy in policies::ALL
        .iter()
        .filter(|policy| open.contains(&policy.format()))
    {
        for bits_per_key in [1, 4, 10, 17, 50, 100] {
            let built = policy.policy(BitsPerKey::whole(bits_per_key));
            for count in [1, 2, 5, 17, 100, 1_000, 20_000] {
                let keys: Vec<Vec<u8>> = (0..count).map(key).collect();
                let slices: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
                let mut filter = Vec::new();
                built.append_filter(&slices, &mut filter).unwrap();
                let odd = [Vec::new(), vec![0], vec![0xff; 300]];
                let absent = (1_000_000..1_000_200).map(key);
                for key in keys.into_iter().chain(absent).chain(odd) {
                    assert!(
                        may_match(&leveldb, &key, &filter),
                        "{}, {count} keys, {bits_per_key} bits: {key:x?} is denied",
                        policy.name()
                    );
                }
            }
        }
    }
}

#[test]
fn filters_of_the_remaining_formats_are_protected_by_their_name_alone() {
    let (leveldb, ten) = (Policy::builtin(10), BitsPerKey::whole(10));
    let policies: [(&dyn FilterPolicy, _); 3] = [
        (&BloomFilterPolicy::new(ten), 440..=440),
        (&BinaryFuse::new(ten), 440..=440),
        (&SplitBlock::with_xxph3(ten), 30..=80),
    ];
    for (policy, expected) in policies {
        let denies = |count: &u32| {
            let keys: Vec<Vec<u8>> = (0..5 + count).map(|number| key(number + 1_000 * count)).collect();
            let slices: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
            let mut filter = Vec::new();
            policy.append_filter(&slices, &mut filter).unwrap();
            keys.iter().any(|key| !may_match(&leveldb, key, &filter))
        };
        let deny = (0..440).filter(denies).count();
        assert!(expected.contains(&deny), "{}: {deny} of 440", policy.name());
    }
}

/// Builds a Ribbon filter with `blocks` blocks and one column of zeros, which about half of all keys match.
fn ribbon(blocks: u32) -> Vec<u8> {
    let mut filter = vec![0; blocks as usize * 16];
    let [a, b, c, _] = blocks.to_le_bytes();
    filter.extend([0xfe, 0, a, b, c]);
    let kind = FilterView::new(EngineFormat::FAST_LOCAL_BLOOM, &filter).kind();
    assert_eq!(kind, FilterKind::Filter(EngineFormat::RIBBON));
    filter
}

/// If the number of blocks extends into the last byte, LevelDB's policy reads that byte as the probe count.
#[test]
fn large_ribbon_filters_are_protected_by_their_name_alone() {
    let (leveldb, policy) = (Policy::builtin(10), Ribbon::new(BitsPerKey::whole(10)));
    for (blocks, is_open) in [
        (2, true),
        (65_535, true),
        (31 << 16, true),
        (65_536, false),
        ((31 << 16) - 1, false),
    ] {
        let filter = ribbon(blocks);
        let stored: Vec<Vec<u8>> = (0..100)
            .map(key)
            .filter(|key| policy.key_may_match(key, &filter))
            .collect();
        assert!((20..80).contains(&stored.len()), "{} keys", stored.len());
        for key in stored {
            assert_eq!(
                may_match(&leveldb, &key, &filter),
                is_open,
                "{blocks} blocks: {key:x?}"
            );
        }
    }
}
