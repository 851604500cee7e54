//! The law of all formats: every way to build writes the same bytes, and every way to query gives the same answers, on
//! every kernel and on arrays of 8 and 16 lanes in its place. All memory lies beside pages that must not be accessed.
#![allow(
    clippy::cast_possible_truncation,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test that goes wrong has failed"
)]

extern crate alloc;

use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use hashzoo::xxph3_64;

use super::leveldb::KeyHasher;
use super::rocksdb::ribbon::bits as ribbon;
use super::split_block::bits::{self as split_block, Xxph3};
use super::split_block::build as build_split_block;
use super::{BloomFilterPolicy, TEN};
use crate::policy::any::Pinned;
use crate::policy::contract;
use crate::simd::choose::{KernelToken, Token};
use crate::simd::source::Source;
use crate::simd::stored_bits::StoredBits as _;
use crate::simd::tests::{Random, guarded::Guarded, kernels, plain::Plain};
use crate::view::FilterKind;
use crate::{
    Answers, AnyFormat, BitsPerKey, Error, FilterBuilder, FilterPolicy, HashFunctionId, KeyBatch, KeyHashes,
    PackedKeys, PreparedFilter, formats,
};

/// A hash function that kernels do not know.
#[derive(Debug, Clone, Copy)]
struct Fnv;

impl KeyHasher for Fnv {
    fn hash(&self, key: &[u8]) -> u32 {
        let step = |hash: u32, &byte: &u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        key.iter().fold(7, step)
    }

    fn policy_name(&self) -> &str {
        "test.Fnv"
    }
}

/// Visits every format, and LevelDB's with hash functions that are not in the list.
fn each_format(mut visit: impl FnMut(&dyn AnyFormat)) {
    formats::ALL.iter().for_each(|format| visit(*format));
    visit(&BloomFilterPolicy::with_seed(7, TEN).format);
    visit(&BloomFilterPolicy::with_hasher(Fnv, TEN).format);
}

/// Portable code, then all other kernels, and all arrays.
fn all_kernels() -> impl Iterator<Item = KernelToken> {
    let plain = [
        KernelToken(Token::Narrow8(Plain)),
        KernelToken(Token::Plain8(Plain)),
        KernelToken(Token::Plain16(Plain)),
    ];
    real_kernels().chain(plain)
}

fn real_kernels() -> impl Iterator<Item = KernelToken> {
    let found = kernels().map(|(kernel, _)| kernel);
    [KernelToken::SCALAR].into_iter().chain(found)
}

/// Keys, one by one and side by side, each beside a page that must not be accessed.
struct Stored {
    places: Vec<Guarded<u8>>,
    packed: Guarded<u8>,
    at_end: bool,
}

impl Stored {
    /// Takes keys of these lengths from bytes.
    fn new(mut bytes: &[u8], lens: impl Iterator<Item = usize>, at_end: bool) -> Self {
        let place = |len| Guarded::new(bytes.split_off(..len).unwrap(), at_end);
        let places: Vec<Guarded<u8>> = lens.map(place).collect();
        let packed: Vec<&[u8]> = places.iter().map(|place| &**place).collect();
        let packed = Guarded::new(&packed.concat(), at_end);
        Self {
            places,
            packed,
            at_end,
        }
    }

    fn slices(&self) -> Vec<&[u8]> {
        self.places.iter().map(|place| &**place).collect()
    }

    /// Returns the keys as packed ones, if they have one length.
    fn packed(&self) -> Option<PackedKeys<'_>> {
        let len = self.places.first()?.len();
        let is_even = self.places.iter().all(|place| place.len() == len);
        PackedKeys::new(&self.packed, len).filter(|_| is_even)
    }

    /// Returns the hash values of the keys, those of 32 bits also as such.
    fn hashes(&self, policy: &dyn Pinned) -> (HashFunctionId, Guarded<u32>, Guarded<u64>) {
        let hash = |key| policy.key_hash(key).unwrap();
        let wide: Vec<u64> = self.places.iter().map(|key| hash(key).value()).collect();
        let narrow: Vec<u32> = wide.iter().map(|&value| value as u32).collect();
        let function = hash(b"").function();
        (
            function,
            Guarded::new(&narrow, self.at_end),
            Guarded::new(&wide, self.at_end),
        )
    }
}

fn key_hashes((function, narrow, wide): &(HashFunctionId, Guarded<u32>, Guarded<u64>)) -> KeyHashes<'_> {
    match function.bits() {
        64 => KeyHashes::new(*function, wide),
        _ => KeyHashes::new(*function, narrow),
    }
}

/// An iterator that announces any number of keys.
struct Announced<I>(usize, I);

impl<I: Iterator> Iterator for Announced<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        self.1.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.0, Some(self.0))
    }
}

/// Returns the filter of these keys; checks that all ways to build write the same bytes, in dirty memory and nowhere
/// else.
fn built(policy: &dyn Pinned, stored: &Stored, at: &str) -> Vec<u8> {
    let (keys, hashes) = (&stored.slices()[..], stored.hashes(policy));
    let vectors: Vec<Vec<u8>> = keys.iter().map(|key| key.to_vec()).collect();
    let packed = stored.packed().map_or(keys.into(), KeyBatch::from);
    let mut room = vec![0; policy.max_filter_len(keys.len()).unwrap()];
    let expected = policy.create_filter(keys, &mut room).unwrap().to_vec();
    let needed = expected.len();
    type Build<'a> = &'a dyn Fn(&mut [u8]) -> Result<usize, Error>;
    let ways: [(&str, Build<'_>); 4] = [
        ("create_filter", &|out| Ok(policy.create_filter(keys, out)?.len())),
        ("packed", &|out| policy.build_in(packed, out)),
        ("vectors", &|out| policy.build_in((&vectors).into(), out)),
        ("create_from_hashes", &|out| {
            Ok(policy.create_from_hashes(key_hashes(&hashes), out)?.len())
        }),
    ];
    for (way, build) in ways {
        // After a byte that leaves none of them aligned.
        let mut exact = Guarded::new(&vec![0xa5; 1 + needed], stored.at_end);
        assert_eq!(build(&mut exact[1..]), Ok(needed), "{at}, {way}");
        assert!(exact[1..] == expected && exact[0] == 0xa5, "{at}, {way}");
        if let Some(given) = needed.checked_sub(1) {
            exact.fill(0xa5);
            let short = build(&mut exact[..given]);
            assert_eq!(short, Err(Error::BufferTooShort { needed, given }), "{at}, {way}");
            assert!(exact.iter().all(|&byte| byte == 0xa5), "{at}, {way}: changed");
        }
    }
    let iterator = |announced| policy.build(&mut Announced(announced, keys.iter().copied()));
    let mut builder = FilterBuilder::new(policy);
    keys.iter().for_each(|key| builder.insert(key).unwrap());
    let mut appended = b"before".to_vec();
    policy.append_filter(keys, &mut appended).unwrap();
    builder.append_to(&mut appended).unwrap();
    assert!(
        appended == [b"before", &expected[..], &expected].concat(),
        "{at}, appended"
    );
    for announced in [keys.len(), 0, keys.len() / 2, keys.len() + 1] {
        assert!(
            iterator(announced).as_ref() == Ok(&expected),
            "{at}, {announced} announced"
        );
    }
    expected
}

/// Returns the answers for these keys; checks that all ways to query agree, in dirty words and no further.
fn answers(policy: &dyn Pinned, filter: &[u8], stored: &Stored, at: &str) -> Vec<bool> {
    let after_a_byte = |bytes: &[u8]| Guarded::new(&[&[0], bytes].concat(), stored.at_end);
    let whole = after_a_byte(filter);
    let prepared = policy.prepare(&whole[1..]).prepared;
    let bits = after_a_byte(&filter[..prepared.bits_len()]);
    let (keys, hashes) = (&stored.slices()[..], stored.hashes(policy));
    contract::all_ways_agree(policy, &whole[1..], keys, at);
    let expected: Vec<bool> = keys
        .iter()
        .map(|key| policy.key_may_match(key, &whole[1..]))
        .collect();
    // The functions that were prepared get the bits alone.
    let prepared = PreparedFilter::of(policy, &bits[1..], prepared);
    let mut words = Guarded::new(&vec![0; keys.len().div_ceil(64)], stored.at_end);
    let mut check = |way, expected: &[bool], query: &dyn Fn(&mut Answers<'_>) -> Result<(), Error>| {
        words.fill(!0);
        let mut answers = Answers::new(&mut words);
        query(&mut answers).unwrap();
        assert!(answers.iter().eq(expected.iter().copied()), "{at}, {way}");
        let ones: u32 = words.iter().map(|word| word.count_ones()).sum();
        let expected = expected.iter().filter(|&&answer| answer);
        assert_eq!(ones as usize, expected.count(), "{at}, {way}: further bits");
    };
    check("slices", &expected, &|answers| {
        prepared.may_match_slices(keys, answers)
    });
    let vectors: Vec<Vec<u8>> = keys.iter().map(|key| key.to_vec()).collect();
    check("vectors", &expected, &|answers| {
        prepared.may_match_many(&vectors, answers)
    });
    if let Some(packed) = stored.packed() {
        check("packed", &expected, &|answers| {
            prepared.may_match_many(packed, answers)
        });
    }
    // RocksDB's filters identify their kind, which may use a hash of another width: then a hash value always matches.
    let is_legacy = FilterKind::Filter(formats::LEGACY_BLOOM.kind());
    let by_hash = match formats::FAST_LOCAL_BLOOM.view(filter).kind() {
        kind @ FilterKind::Filter(_)
            if policy.name().starts_with("rocksdb.") && (kind == is_legacy) != (hashes.0.bits() == 32) =>
        {
            vec![true; keys.len()]
        }
        _ => expected.clone(),
    };
    let each = keys.iter().map(|key| prepared.may_match(key));
    assert!(each.eq(expected.iter().copied()), "{at}, prepared");
    let of_hash = |key| {
        let hash = policy.key_hash(key).unwrap();
        prepared.prepared.may_match_hash(filter, hash).unwrap_or(true)
    };
    assert!(
        keys.iter().map(|key| of_hash(key)).eq(by_hash.iter().copied()),
        "{at}, a hash value"
    );
    check("hash values", &by_hash, &|answers| {
        prepared.may_match_hashes(key_hashes(&hashes), answers)
    });
    expected
}

/// Returns a filter with other bits, as many as its own or of this length, in which both answers are frequent.
fn altered(format: &dyn AnyFormat, filter: &[u8], len: Option<usize>) -> Vec<u8> {
    let view = format.view(filter);
    let (bits, tail) = filter.split_at(view.bit_array().len());
    let mut random = Random(filter.len() as u64);
    let mut bits = len.map_or(bits.to_vec(), |len| random.bytes(len));
    if view.probe_count().is_some() {
        bits.iter_mut()
            .for_each(|byte| *byte |= (random.next() | random.next() | random.next()) as u8);
    } else {
        bits.iter_mut()
            .step_by(40)
            .for_each(|byte| *byte ^= random.next() as u8);
    }
    [&bits, tail].concat()
}

/// Checks all formats: keys are found in their filter, and filter and answers are those of portable code. Answers are
/// those of other bits, as many as the filter's own or of this length. Arrays take part in every fifth round: every
/// remainder of a division by a number of lanes is still among them.
fn check(round: usize, bits: BitsPerKey, len: Option<usize>, stored: &Stored) {
    let kernels: Vec<KernelToken> = match round % 5 {
        0 => all_kernels().collect(),
        _ => real_kernels().collect(),
    };
    let first = stored.places.first().map_or(0, |key| key.len());
    let keys = format!("{} keys, the first of {first} bytes", stored.places.len());
    each_format(|format| {
        let mut known: Option<(Vec<u8>, Vec<u8>, Vec<bool>)> = None;
        for &kernel in &kernels {
            let policy = &*format.pinned(bits, kernel);
            let name = policy.name();
            let at = format!("{name}, {kernel:?}, {bits}, {len:?}, {keys}");
            let filter = built(policy, stored, &at);
            let is_found = |key: &&[u8]| policy.key_may_match(key, &filter);
            assert!(stored.slices().iter().all(is_found), "{at}: a key is denied");
            let other = match &known {
                Some((_, other, _)) => other.clone(),
                None => altered(format, &filter, len),
            };
            let of_other = answers(policy, &other, stored, &at);
            match &known {
                Some(known) => assert!(
                    known.0 == filter && known.2 == of_other,
                    "{at}: not as in portable code"
                ),
                None => known = Some((filter, other, of_other)),
            }
        }
    });
}

/// An emulator tries every fifth length and count.
const THIN: usize = if cfg!(emulated) { 5 } else { 1 };

/// Lengths that fit into registers, and others; from one byte on.
const FILTERS: [usize; 12] = [64, 1, 100, 150, 31, 224, 256, 300, 16, 1024, 1100, 5000];

/// Of one length, and of lengths that are hashed together.
#[test]
fn keys_of_every_length() {
    let bytes = Random(1).bytes(310 * 37);
    for len in (0..=300).step_by(THIN) {
        let (filter, at_end) = (Some(FILTERS[len % 12]), len % 4 < 2);
        let bits = BitsPerKey::whole(if len % 2 == 0 { 10 } else { len as u32 % 47 });
        check(
            len,
            bits,
            filter,
            &Stored::new(&bytes, (0..37).map(|_| len), at_end),
        );
        let uneven = (0..37).map(|i| len.max(9) + i % 8);
        check(len, bits, filter, &Stored::new(&bytes, uneven, !at_end));
    }
}

#[test]
fn batches_of_every_size() {
    let mut random = Random(2);
    let bytes = random.bytes(200 * 70);
    for count in (0..=200).step_by(THIN) {
        let at_end = count % 2 == 0;
        check(
            count,
            TEN,
            Some(FILTERS[count % 12]),
            &Stored::new(&bytes, (0..count).map(|_| 16), at_end),
        );
        let lens = (0..count).map(|_| (random.next() % 71) as usize);
        let bits = BitsPerKey::whole(1 + count as u32 % 47);
        check(
            count,
            bits,
            Some(FILTERS[(count + 5) % 12]),
            &Stored::new(&bytes, lens, !at_end),
        );
    }
}

#[test]
fn filters_of_every_length() {
    let bytes = Random(7).bytes(70 * 16);
    for len in (1..=400).step_by(THIN) {
        let stored = Stored::new(&bytes, (0..70).map(|_| 16), len % 2 == 0);
        check(
            len,
            BitsPerKey::whole(10 + 2 * (len as u32 % 3)),
            Some(len),
            &stored,
        );
    }
}

/// The probe counts from 1 to 30, all widths of fingerprints, and fractions of bits.
#[test]
fn all_bits_per_key() {
    let bytes = Random(5).bytes(500 * 16);
    let mut seen = [[false; 31]; 2];
    for tenths in (0..=500_u32)
        .step_by(11 * THIN)
        .chain([10, 14, 137, 750, 990, 1000])
    {
        let bits = BitsPerKey::fractional(f64::from(tenths) / 10.0).unwrap();
        for count in [tenths as usize % 35, 150 + tenths as usize / 4] {
            check(
                tenths as usize,
                bits,
                None,
                &Stored::new(&bytes, (0..count).map(|_| 16), count % 2 == 0),
            );
        }
        for (seen, format) in seen.iter_mut().zip([formats::BLOOM64, formats::FAST_LOCAL_BLOOM]) {
            let probes = format.probe_count(150, bits).into_iter().flatten();
            probes.for_each(|probes| seen[probes as usize] = true);
        }
    }
    assert!(THIN > 1 || seen[0][1..].iter().all(|&seen| seen), "{:?}", seen[0]);
    assert!(
        THIN > 1 || seen[1][1..=24].iter().all(|&seen| seen),
        "{:?}",
        seen[1]
    );
}

/// RocksDB keeps one of several adjacent equal keys, wherever the seams between tiles lie.
#[test]
fn repeated_keys_wherever_they_lie() {
    let bytes = Random(8).bytes(16 * 210);
    let keys = bytes.as_chunks::<16>().0;
    for run in [2_usize, 3, 8, 63, 64, 65, 128, 129, 300] {
        for offset in 0..3 {
            let (alone, once) = keys[..offset + 1 + 400 / run].split_at(offset);
            let repeated = once.iter().flat_map(|key| core::iter::repeat_n(key, run));
            let repeated: Vec<[u8; 16]> = alone.iter().chain(repeated).copied().collect();
            let stored =
                |keys: &[[u8; 16]]| Stored::new(keys.as_flattened(), keys.iter().map(|_| 16), run % 2 == 0);
            let (repeated, once) = (stored(&repeated), stored(&[alone, once].concat()));
            check(0, TEN, None, &repeated);
            for format in formats::ALL {
                if format.shares_layout(formats::FAST_LOCAL_BLOOM) {
                    let policy = &*format.pinned(TEN, KernelToken::SCALAR);
                    assert!(
                        built(policy, &repeated, "repeats") == built(policy, &once, "once"),
                        "{format:?}"
                    );
                }
            }
        }
    }
}

/// Tiles that are full, and filters that are prefetched.
#[test]
fn many_keys_and_large_filters() {
    let stored = Stored::new(&Random(3).bytes(3_000 * 16), (0..3_000).map(|_| 16), true);
    for (bits, len) in [
        (10, Some((1 << 20) + 64)),
        (2, Some(20_000)),
        (14, Some((4 << 20) + 3)),
        (11_300, None),
    ] {
        check(0, BitsPerKey::whole(bits), len, &stored);
    }
}

/// Checks these formats in fewer ways: with the keys slice by slice and packed, if they have one length.
fn check_many(formats: &[&dyn AnyFormat], bits: u32, keys: &[&[u8]], packed: KeyBatch<'_>) {
    let absent = Random(9).bytes(16 * 999);
    let absent = PackedKeys::new(&absent, 16).unwrap();
    for format in formats {
        let mut known = None;
        for kernel in all_kernels() {
            let policy = &*format.pinned(BitsPerKey::whole(bits), kernel);
            let at = format!("{}, {kernel:?}, {} keys", policy.name(), keys.len());
            let mut room = vec![0; policy.max_filter_len(keys.len()).unwrap()];
            let filter = policy.create_filter(keys, &mut room).unwrap().to_vec();
            assert_eq!(policy.build_in(packed, &mut room), Ok(filter.len()), "{at}");
            assert!(room[..filter.len()] == filter, "{at}, packed");
            let prepared = policy.prepare(&filter);
            let mut words = vec![0; keys.len().div_ceil(64)];
            for batch in [packed, keys.into()] {
                let mut answers = Answers::new(&mut words);
                prepared.may_match_many(batch, &mut answers).unwrap();
                assert!(answers.iter().all(|answer| answer), "{at}: a key is denied");
            }
            let mut words = vec![0; 16];
            prepared
                .may_match_many(absent, &mut Answers::new(&mut words))
                .unwrap();
            let found = (filter, words);
            assert!(known.get_or_insert_with(|| found.clone()) == &found, "{at}");
        }
    }
}

/// Lengths around the limit from which keys are hashed one by one.
#[test]
fn keys_of_a_mebibyte() {
    const LONG: usize = 1 << 20;
    let lens = [-1, 0, 0, -3, 1, 3, 4, 0, -2].map(|more| LONG.wrapping_add_signed(more));
    let bytes = Random(6).bytes(10 * LONG);
    for count in [4, 9] {
        let stored = Stored::new(&bytes, lens[..count].iter().copied(), count == 9);
        let keys = &stored.slices()[..];
        let formats = [formats::LEVEL_DB, formats::MURMUR2_SIGNED_TAIL, formats::BLOOM64];
        check_many(&formats, 10, keys, keys.into());
    }
}

/// Filters that are prefetched, of formats with at most 100 bits per key.
#[test]
fn large_filters_of_rocksdb() {
    let bytes = Random(4).bytes(8 * if cfg!(emulated) { 90_000 } else { 300_000 });
    let packed = PackedKeys::new(&bytes, 8).unwrap();
    let keys: Vec<&[u8]> = packed.iter().collect();
    check_many(
        &[formats::FAST_LOCAL_BLOOM, formats::RIBBON],
        100,
        &keys,
        packed.into(),
    );
}

/// Lanes stop before 2^31 bits, and no hash value of 32 bits reaches beyond 2^32: larger filters use the portable code
/// on all kernels.
#[test]
#[cfg(target_pointer_width = "64")]
fn filters_of_2_to_the_31_bits_and_more() {
    /// The first bytes of the units of bits in which a hash value has its bits.
    type Places = fn(u64, u8, u64) -> Vec<u64>;
    let leveldb: Places = |len, probes, hash| {
        let stride = hash >> 17 | hash << 15 & 0xffff_ffff;
        let position = |i| ((hash + i * stride) & 0xffff_ffff) % (8 * len);
        (0..u64::from(probes)).map(|i| position(i) / 8).collect()
    };
    let bloom64: Places = |len, probes, hash| {
        let step = |walk: &mut u64, _| {
            let position = (u128::from(*walk) * u128::from(8 * len)) >> 64;
            *walk = walk.wrapping_mul(0xf135_7aea_2e62_a9c5);
            Some(position as u64 / 8)
        };
        (0..probes).scan(hash, step).collect()
    };
    let fast_local: Places = |len, _, hash| vec![(((hash & 0xffff_ffff) * (len / 64)) >> 32) * 64];
    let split_block: Places = |len, _, hash| vec![(((hash >> 32) * (len / 32)) >> 32) * 32];
    let around = &[(1 << 28) - 1, 1 << 28, (1 << 29) - 1, 1 << 29, (1 << 29) + 5][..];
    let whole: fn(u8) -> Vec<u8> = |probes| vec![probes];
    let of_bloom64: fn(u8) -> Vec<u8> = |probes| vec![0x80 + probes];
    let of_rocksdb: fn(u8) -> Vec<u8> = |probes| vec![0xff, 0, probes, 0, 0];
    let none: fn(u8) -> Vec<u8> = |_| Vec::new();
    for (format, unit, lens, tail, places) in [
        (formats::LEVEL_DB, 1, around, whole, leveldb),
        (formats::MURMUR2, 1, around, whole, leveldb),
        (
            formats::BLOOM64,
            1,
            &[(1 << 28) - 1, 1 << 28, (1 << 29) + 5],
            of_bloom64,
            bloom64,
        ),
        (
            formats::FAST_LOCAL_BLOOM,
            64,
            &[(1 << 32) - 64],
            of_rocksdb,
            fast_local,
        ),
        (formats::SPLIT_BLOCK, 32, &[(1 << 31) - 32], none, split_block),
    ] {
        let scalar = format.pinned(TEN, KernelToken::SCALAR);
        let bytes = Random(12).bytes(200 * 16);
        let keys = PackedKeys::new(&bytes, 16).unwrap();
        let hashes: Vec<u64> = keys
            .iter()
            .map(|key| scalar.key_hash(key).unwrap().value())
            .collect();
        // Single queries with up to 8 probes take another path than those with more.
        for (&len, probes) in lens.iter().flat_map(|len| [(len, 6), (len, 9)]) {
            // Untouched memory costs nothing.
            let mut filter = vec![0; len as usize + tail(probes).len()];
            for place in hashes[..9].iter().flat_map(|&hash| places(len, probes, hash)) {
                filter[place as usize..][..unit].fill(0xff);
            }
            filter[len as usize..].copy_from_slice(&tail(probes));
            let is_set = |&place: &u64| filter[place as usize] == 0xff;
            let expected = hashes
                .iter()
                .map(|&hash| places(len, probes, hash).iter().all(is_set));
            let expected: Vec<bool> = expected.collect();
            assert!(expected.contains(&false) && expected[..9] == [true; 9]);
            for kernel in all_kernels() {
                let (policy, at) = (
                    format.pinned(TEN, kernel),
                    format!("{format:?}, {kernel:?}, {len}"),
                );
                let prepared = policy.prepare(&filter);
                let mut words = [0; 4];
                let mut answers = Answers::new(&mut words);
                prepared.may_match_many(keys, &mut answers).unwrap();
                assert!(answers.iter().eq(expected.iter().copied()), "{at}");
                for (key, &expected) in keys.iter().zip(&expected) {
                    assert_eq!(policy.key_may_match(key, &filter), expected, "{at}");
                    assert_eq!(prepared.may_match(key), expected, "{at}");
                }
            }
        }
    }
}

#[test]
fn building_filters_of_2_to_the_31_bits_and_more() {
    for bits in [(1_u32 << 31) - 8, 1 << 31, u32::MAX] {
        let bits = BitsPerKey::whole(bits);
        let mut room = vec![0xff; formats::LEVEL_DB.filter_len(1, bits).unwrap() as usize];
        for kernel in all_kernels().skip(1) {
            let policy = formats::LEVEL_DB.pinned(bits, kernel);
            let filter = policy.create_filter(&[b"key"], &mut room).unwrap();
            assert!(policy.key_may_match(b"key", &filter), "{kernel:?}");
            let (words, rest) = filter[..filter.len() - 1].as_chunks::<8>();
            let words = words.iter().map(|word| u64::from_ne_bytes(*word).count_ones());
            let ones = words.chain(rest.iter().map(|byte| byte.count_ones()));
            assert_eq!(ones.sum::<u32>(), 30, "{kernel:?}");
        }
    }
}

/// The queries and insertions that only split blocks have.
#[test]
fn split_blocks_one_by_one() {
    let bytes = Random(10).bytes(70 * 16);
    for count in (0..=70).step_by(THIN) {
        let hashes: Vec<u64> = bytes.chunks(16).map(|key| xxph3_64(key, 0)).take(count).collect();
        let mut known = None;
        for kernel in all_kernels() {
            let mut bits = Guarded::new(&Random(11).bytes(1 + 32 * count), count % 2 == 0);
            bits.iter_mut()
                .for_each(|byte| *byte |= byte.rotate_left(3) | 0x55);
            let blocks: &mut [split_block::Block] = bits[1..].as_chunks_mut().0;
            let mut outcome = Vec::new();
            for &hash in &hashes {
                let block = &blocks[split_block::block_of(hash, blocks.len())];
                let word = |index: usize| u64::from_le_bytes(block.as_chunks().0[index]);
                outcome.push(u64::from(split_block::words_may_match(kernel, word, hash)));
                let filters: Vec<_> = (0..blocks.len().min(64)).map(|from| &blocks[from..]).collect();
                outcome.push(split_block::may_match_each(kernel, &filters, hash));
                let mut alone = [[0; split_block::BLOCK_LEN]];
                build_split_block::insert_hash(kernel, &mut alone, hash);
                let words = split_block::words_of(hash).map(u64::to_le_bytes);
                assert_eq!(words.as_flattened(), alone.as_flattened());
            }
            let (half, rest) = hashes.split_at(count / 2);
            build_split_block::insert::<Xxph3>(kernel, blocks, Source::Hashes(half));
            rest.iter()
                .for_each(|&hash| build_split_block::insert_hash(kernel, blocks, hash));
            let found = (outcome, bits.to_vec());
            assert!(
                known.get_or_insert_with(|| found.clone()) == &found,
                "{kernel:?}, {count}"
            );
        }
    }
}

/// Queries whose words are missing are answered by the definition, so a solution with further words shows whether the
/// others are, column by column and eight at a time.
#[test]
fn ribbon_equations_hold_by_the_definition() {
    let mut random = Random(4);
    let hashes: Vec<u64> = (0..400).map(|_| random.next()).collect();
    for (columns, narrow) in (1..=32).flat_map(|columns| [(columns, 0), (columns, 3)]) {
        let shape = ribbon::Shape {
            blocks: 5,
            columns,
            narrow,
        };
        let mut rows = vec![ribbon::EchelonRow::default(); shape.slots() as usize];
        assert!(ribbon::eliminate(KernelToken::SCALAR, &mut rows, 7, &hashes));
        let mut words = vec![[0; 16]; shape.words() as usize];
        ribbon::solve(KernelToken::SCALAR, &rows, shape, &mut words);
        let [numbers, seed] = ribbon::Solution::new(words.as_flattened(), 7, 5)
            .unwrap()
            .numbers();
        // Many equations then fail in one column alone.
        for word in words.iter_mut().step_by(5) {
            word[random.next() as usize % 16] ^= 0x11;
        }
        words.resize(words.len() + 2, [0xa5; 16]);
        let bytes = [&[0], words.as_flattened()].concat();
        let solution = ribbon::Solution::of_numbers(&bytes[1..], [numbers, seed]);
        let mut kept = 0;
        for hash in &hashes {
            let expected = ribbon::may_match_at_end(&words, numbers, seed, *hash);
            kept += u32::from(expected);
            for kernel in all_kernels() {
                let found = solution.may_match(kernel, *hash);
                assert_eq!(
                    found, expected,
                    "{kernel:?}, {columns} columns, {narrow} fewer, {hash}"
                );
            }
        }
        assert!((1..400).contains(&kept), "{columns} columns: {kept} hold");
    }
}
