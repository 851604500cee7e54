//! Compares the filter block's builder with LevelDB's, and its reader with LevelDB's on any bytes.

use std::sync::Arc;

use filter_policy::filter_block::{FilterBlockBuilder, FilterBlockDamage, FilterBlockReader};
use filter_policy::leveldb::LevelDbHash;
use filter_policy::{BitsPerKey, BloomFilterPolicy, Error, FilterBytes, FilterPolicy, HashedKey};
use proptest::collection::vec;
use proptest::prelude::*;

use super::any_bytes::filter_blocks::{self, Reading, read_by_leveldb};

const POLICY: BloomFilterPolicy<LevelDbHash> = BloomFilterPolicy::with_leveldb_hash(BitsPerKey::whole(10));

/// Returns the block that LevelDB's builder writes, step by step; `blocks` are offsets with their keys.
fn written_by_leveldb(blocks: &[(u64, Vec<Vec<u8>>)]) -> Vec<u8> {
    fn generate(pending: &mut Vec<Vec<u8>>, filters: &mut Vec<u8>, offsets: &mut Vec<u8>) {
        offsets.extend(u32::try_from(filters.len()).unwrap().to_le_bytes());
        if !pending.is_empty() {
            filters.extend(POLICY.build(&*pending).unwrap());
        }
        pending.clear();
    }

    let (mut filters, mut offsets, mut pending) = (Vec::new(), Vec::new(), Vec::new());
    for (offset, keys) in blocks {
        while offset / 2048 > offsets.len() as u64 / 4 {
            generate(&mut pending, &mut filters, &mut offsets);
        }
        pending.extend(keys.iter().cloned());
    }
    if !pending.is_empty() {
        generate(&mut pending, &mut filters, &mut offsets);
    }
    let array_offset = u32::try_from(filters.len()).unwrap().to_le_bytes();
    [&filters[..], &offsets, &array_offset, &[11]].concat()
}

fn any_blocks() -> impl Strategy<Value = Vec<(u64, Vec<Vec<u8>>)>> {
    vec((0..9000_u64, vec(vec(any::<u8>(), 0..20), 0..12)), 0..20).prop_map(|mut blocks| {
        let mut offset = 0;
        for (distance, _) in &mut blocks {
            let start = offset;
            offset += *distance;
            *distance = start;
        }
        blocks
    })
}

fn build(blocks: &[(u64, Vec<Vec<u8>>)]) -> Vec<u8> {
    let mut builder = FilterBlockBuilder::new(&POLICY);
    for (offset, keys) in blocks {
        builder.start_block(*offset).unwrap();
        for key in keys {
            builder.add_key(key).unwrap();
        }
    }
    builder.finish().unwrap()
}

/// Generates bytes that look like a filter block in most places.
fn nearly_a_block() -> impl Strategy<Value = Vec<u8>> {
    let word = prop_oneof![4 => 0..40_u32, 1 => any::<u32>()];
    let base_lg = prop_oneof![4 => Just(11_u8), 1 => 0..70_u8, 1 => any::<u8>()];
    (
        vec(any::<u8>(), 0..40),
        vec(word.clone(), 0..8),
        prop_oneof![Just(None), word.prop_map(Some)],
        base_lg,
        0..8_usize,
    )
        .prop_map(|(filters, offsets, array_offset, base_lg, cut)| {
            let array_offset = array_offset.unwrap_or(u32::try_from(filters.len()).unwrap());
            let mut block = filters;
            block.extend(offsets.iter().flat_map(|offset| offset.to_le_bytes()));
            // Mostly no cut, so that the offsets stay whole.
            block.truncate(block.len() - cut.saturating_sub(5).min(block.len()));
            block.extend(array_offset.to_le_bytes());
            block.push(base_lg);
            block
        })
}

fn any_block_offset() -> impl Strategy<Value = u64> {
    prop_oneof![0..20_000_u64, any::<u64>()]
}

proptest! {
    #[test]
    fn blocks_are_those_of_leveldb(blocks in any_blocks()) {
        let block = build(&blocks);
        prop_assert_eq!(&block, &written_by_leveldb(&blocks));
        let reader = FilterBlockReader::new(POLICY, &block);
        prop_assert_eq!(reader.damage().next(), None);
        for (offset, keys) in &blocks {
            filter_blocks::check(&block, *offset);
            for key in keys {
                prop_assert!(reader.may_match(*offset, key), "{key:x?} is denied");
            }
        }
    }

    #[test]
    fn any_bytes_are_read_as_leveldb_reads_them(
        any in vec(any::<u8>(), 0..60),
        nearly_a_block in nearly_a_block(),
        block_offset in any_block_offset(),
    ) {
        filter_blocks::check(&any, block_offset);
        filter_blocks::check(&nearly_a_block, block_offset);
    }
}

#[test]
fn an_empty_range_beyond_the_filters_is_the_one_difference() {
    // Two bytes of filters; the only filter starts and ends after them.
    let block = [0xff, 1, 9, 0, 0, 0, 9, 0, 0, 0, 2, 0, 0, 0, 11];
    assert_eq!(read_by_leveldb(&block, 0), Reading::Answer(false));
    let reader = FilterBlockReader::new(POLICY, &block);
    assert!(reader.may_match(0, b"key"));
    assert_eq!(
        reader.damage().collect::<Vec<_>>(),
        [
            FilterBlockDamage::Filter {
                index: 0,
                start: 9,
                end: 9,
                allowed: 2
            },
            FilterBlockDamage::Filter {
                index: 1,
                start: 9,
                end: 2,
                allowed: 2
            },
        ]
    );

    // An empty filter within the filters is the filter of no keys.
    let block = [0xff, 1, 2, 0, 0, 0, 2, 0, 0, 0, 11];
    assert_eq!(read_by_leveldb(&block, 0), Reading::Ask(2, 2));
    assert!(!FilterBlockReader::new(POLICY, &block).may_match(0, b"key"));
}

#[test]
fn damage_is_named() {
    let whole = build(&[(0, vec![b"key".to_vec()]), (2048, vec![b"other".to_vec()])]);
    assert_eq!(whole.len(), 9 + 9 + 4 + 4 + 5);
    let damage_after = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut block = whole.clone();
        change(&mut block);
        FilterBlockReader::new((), &block)
            .damage()
            .map(|damage| damage.to_string())
            .collect::<Vec<_>>()
    };
    type Change<'a> = &'a dyn Fn(&mut Vec<u8>);
    let changes: [(Change<'_>, &[&str]); 7] = [
        (&|_| {}, &[]),
        (
            &|block| block.truncate(4),
            &["filter block must be at least 5 bytes, got 4"],
        ),
        (
            &|block| block.clear(),
            &["filter block must be at least 5 bytes, got 0"],
        ),
        (
            &|block| block[26] = 27,
            &["start of the offsets must lie before their end, got 27"],
        ),
        (
            &|block| (block[26], block[30]) = (26, 64),
            &[
                "base exponent must be at most 31, got 64",
                "number of bytes outside the filters must be 0, got 26",
            ],
        ),
        (
            &|block| block[18] = 1,
            &["number of bytes outside the filters must be 0, got 1"],
        ),
        (
            &|block| block[22] = 19,
            &[
                "filter 0 must lie between bytes 0 and 18, got start 0 and end 19",
                "filter 1 must lie between bytes 0 and 18, got start 19 and end 18",
            ],
        ),
    ];
    for (change, expected) in changes {
        assert_eq!(damage_after(change), expected);
    }
    let shifted = damage_after(&|block| _ = block.remove(0));
    assert_eq!(
        shifted[0],
        "length of the offsets must be a multiple of 4 bytes, got 7"
    );
}

#[test]
fn filters_report_what_they_cover() {
    let block = build(&[(0, vec![b"key".to_vec()]), (5000, vec![b"other".to_vec()])]);
    let reader = FilterBlockReader::new((), &block);
    let covered: Vec<_> = reader
        .filters()
        .map(|filter| (filter.index, filter.block_offsets, filter.bytes.unwrap().len()))
        .collect();
    assert_eq!(covered, [(0, 0..2048, 9), (1, 2048..4096, 0), (2, 4096..6144, 9)]);
    // The widest ranges, and exponents under which no filter is ever queried.
    let end = u64::MAX;
    for (base_lg, expected) in [
        (63, [0..1 << 63, 1 << 63..end, end..end]),
        (64, [end..end, end..end, end..end]),
        (255, [end..end, end..end, end..end]),
    ] {
        let mut block = block.clone();
        *block.last_mut().unwrap() = base_lg;
        let reader = FilterBlockReader::new((), &block);
        assert!(reader.filters().map(|filter| filter.block_offsets).eq(expected));
        assert_eq!(reader.filter_of(0).is_some(), base_lg < 64);
    }
}

#[test]
fn calls_outside_the_grammar_are_errors_and_change_nothing() {
    let mut builder = FilterBlockBuilder::new(&POLICY);
    assert_eq!(builder.add_key(b"early"), Err(Error::KeyBeforeBlock));
    builder.start_block(5000).unwrap();
    builder.add_key(b"key").unwrap();
    assert_eq!(
        builder.start_block(4999),
        Err(Error::BlockOffsetWentBack {
            given: 4999,
            last: 5000
        })
    );
    builder.start_block(5000).unwrap();
    builder.add_key(b"other").unwrap();
    for given in [u64::MAX, 1 << 41, (u64::from(u32::MAX) - 5 - 9) / 4 * 2048 + 2048] {
        match builder.start_block(given) {
            Err(Error::FilterBlockTooLarge { bytes }) => assert!(bytes > u64::from(u32::MAX), "{given}"),
            // 4 GiB are refused before the limit is reached.
            Err(Error::AllocationFailed { .. }) if cfg!(target_pointer_width = "32") => {}
            other => panic!("{given}: {other:?}"),
        }
    }
    let expected = build(&[(5000, vec![b"key".to_vec(), b"other".to_vec()])]);
    assert_eq!(builder.finish(), Ok(expected));
}

/// A policy that fails for more than one key.
struct OneKey;

impl FilterPolicy for OneKey {
    fn name(&self) -> &str {
        "one key"
    }

    fn max_filter_len(&self, keys: usize) -> Result<usize, Error> {
        POLICY.max_filter_len(keys)
    }

    fn create_filter<'out>(&self, keys: &[&[u8]], out: &'out mut [u8]) -> Result<FilterBytes<'out>, Error> {
        match keys {
            [_] => POLICY.create_filter(keys, out),
            _ => {
                out.fill(0xaa);
                Err(Error::BufferTooShort { needed: 1, given: 0 })
            }
        }
    }

    fn key_may_match(&self, key: &[u8], filter: &[u8]) -> bool {
        POLICY.key_may_match(key, filter)
    }
}

#[test]
fn a_policy_that_fails_leaves_the_builder_as_it_was() {
    let error = Error::BufferTooShort { needed: 1, given: 0 };
    let mut out = b"what was there".to_vec();
    assert_eq!(
        OneKey.append_filter(&[b"one", b"two"], &mut out),
        Err(error.clone())
    );
    assert_eq!(out, b"what was there");
    let mut builder = FilterBlockBuilder::new(&OneKey);
    builder.start_block(0).unwrap();
    builder.add_key(b"key").unwrap();
    builder.start_block(2048).unwrap();
    builder.add_key(b"one").unwrap();
    builder.add_key(b"two").unwrap();
    assert_eq!(builder.start_block(4096), Err(error.clone()));
    assert_eq!(builder.start_block(8192), Err(error.clone()));
    // The offset has not moved either.
    builder.start_block(2049).unwrap();
    assert_eq!(builder.finish(), Err(error));
}

#[test]
fn blocks_own_any_pointer_to_a_policy_and_any_bytes() {
    let shared: Arc<dyn FilterPolicy + Send + Sync> = Arc::new(POLICY);
    let mut builder = FilterBlockBuilder::new(Arc::clone(&shared));
    builder.start_block(0).unwrap();
    builder.add_key(b"key").unwrap();
    let block: Arc<[u8]> = builder.finish().unwrap().into();
    let reader = FilterBlockReader::new(shared, block);
    for key in [&b"key"[..], b"other"] {
        assert_eq!(reader.may_match(0, key), key == b"key");
        // Another policy's hash value is not used.
        let other = BloomFilterPolicy::with_seed(7, 10.into());
        for policy in [&POLICY as &dyn FilterPolicy, &other] {
            assert_eq!(
                reader.may_match_hashed(0, &HashedKey::new(policy, key)),
                key == b"key"
            );
        }
    }
}

#[test]
fn far_blocks_take_empty_filters() {
    let mut builder = FilterBlockBuilder::new(&POLICY);
    builder.start_block(0).unwrap();
    builder.add_key(b"near").unwrap();
    builder.start_block(1 << 31).unwrap();
    builder.add_key(b"far").unwrap();
    let block = builder.finish().unwrap();
    let reader = FilterBlockReader::new(POLICY, &block);
    assert_eq!(
        (reader.filters().len(), block.len()),
        ((1 << 20) + 1, 18 + 4 * ((1 << 20) + 1) + 5)
    );
    assert!(reader.may_match(1 << 31, b"far"));
    assert!(reader.may_match(0, b"near"));
    assert!(!reader.may_match(2048, b"near"));
}
