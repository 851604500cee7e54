//! FastLocalBloom and `BloomFilter64.Xxph3` from their descriptions, and what every kernel is held against them with.

use filter_policy::{
    BitsPerKey, BloomFilter64Policy, BloomFilter64View, Error, FastLocalBloomPolicy, FilterPolicy, Kernel,
    PackedKeys, RocksDbBitsPerKey, RocksDbFilterKind, RocksDbFilterView,
};
use hashzoo::xxph3_64;
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// RocksDB's cache-local filter, from its description, a bit at a time.
pub(crate) fn fast_local_oracle(bits_per_key: RocksDbBitsPerKey, hashes: &[u64]) -> Vec<u8> {
    let mut distinct = hashes.to_vec();
    distinct.dedup();
    let policy = FastLocalBloomPolicy::new(bits_per_key);
    let mut filter = vec![0; policy.filter_len(distinct.len())];
    let tail = filter.len() - 5;
    let probes = bits_per_key.probe_count();
    for hash in distinct {
        for bit in fast_local_bits(tail / 64, probes, hash) {
            filter[bit / 8] |= 1 << (bit % 8);
        }
    }
    filter[tail] = 0xff;
    filter[tail + 2] = probes;
    filter
}

pub(crate) fn fast_local_bits(lines: usize, probes: u8, hash: u64) -> impl Iterator<Item = usize> {
    let line = usize::try_from((u128::from(hash % (1 << 32)) * lines as u128) >> 32).unwrap();
    let upper = hash >> 32;
    (0..probes).scan(upper, move |walk, _| {
        let bit = usize::try_from(*walk >> 23).unwrap();
        *walk = (*walk * 0x9e37_79b9) % (1 << 32);
        Some(line * 512 + bit)
    })
}

/// `BloomFilter64.Xxph3`, from its description.
pub(crate) fn spread_oracle(bits_per_key: BitsPerKey, hashes: &[u64]) -> Vec<u8> {
    let policy = BloomFilter64Policy::new(bits_per_key);
    let mut filter = vec![0; policy.filter_len(hashes.len()).unwrap()];
    let probes = policy.probe_count(hashes.len()).unwrap();
    let bits = (filter.len() - 1) * 8;
    for &hash in hashes {
        for bit in spread_bits(bits, probes, hash) {
            filter[bit / 8] |= 1 << (bit % 8);
        }
    }
    *filter.last_mut().unwrap() = 0x80 + probes;
    filter
}

pub(crate) fn spread_bits(bits: usize, probes: u8, hash: u64) -> impl Iterator<Item = usize> {
    (0..probes).scan(u128::from(hash), move |walk, _| {
        let bit = usize::try_from((*walk * bits as u128) >> 64).unwrap();
        *walk = (*walk * 0xf135_7aea_2e62_a9c5) % (1 << 64);
        Some(bit)
    })
}

pub(crate) fn all_set(filter: &[u8], mut bits: impl Iterator<Item = usize>) -> bool {
    bits.all(|bit| filter[bit / 8] >> (bit % 8) & 1 == 1)
}

pub(crate) fn fast_local_answer(filter: &[u8], hash: u64) -> bool {
    let bits = filter.len() - 5;
    all_set(filter, fast_local_bits(bits / 64, filter[bits + 2], hash))
}

pub(crate) fn spread_answer(filter: &[u8], hash: u64) -> bool {
    let bytes = filter.len() - 1;
    all_set(filter, spread_bits(bytes * 8, filter[bytes] - 0x80, hash))
}

pub(crate) fn random_keys(seed: u64, count: usize, len: impl Fn(usize) -> usize) -> Vec<Vec<u8>> {
    let mut random = SplitMix64::seed_from_u64(seed);
    let mut key = |len| {
        let mut key = vec![0; len];
        random.fill_bytes(&mut key);
        key
    };
    (0..count).map(|i| key(len(i))).collect()
}

pub(crate) fn random_hashes(seed: u64, count: usize) -> Vec<u64> {
    let mut random = SplitMix64::seed_from_u64(seed);
    (0..count).map(|_| random.next_u64()).collect()
}

pub(crate) fn hashes_of(keys: &[&[u8]]) -> Vec<u64> {
    keys.iter().map(|key| xxph3_64(key, 0)).collect()
}

pub(crate) fn slices(keys: &[Vec<u8>]) -> Vec<&[u8]> {
    keys.iter().map(Vec::as_slice).collect()
}

pub(crate) fn bit(answers: &[u64], index: usize) -> bool {
    answers[index / 64] >> (index % 64) & 1 == 1
}

/// All keys behind each other, if they have one length.
pub(crate) fn packed(keys: &[&[u8]]) -> Option<(Vec<u8>, usize)> {
    let len = keys.first()?.len();
    (len > 0 && keys.iter().all(|key| key.len() == len)).then(|| (keys.concat(), len))
}

/// What a filter answers, in each of its ways, into words that are dirty before.
pub(crate) fn check_answers(
    context: &dyn Fn() -> String,
    expected: &[bool],
    mut ask: impl FnMut(&mut [u64]) -> Result<(), Error>,
) {
    let words = expected.len().div_ceil(64);
    let mut answers = vec![u64::MAX; words + 1];
    ask(&mut answers).unwrap();
    assert_eq!(answers.pop(), Some(u64::MAX), "{}: written too far", context());
    for (i, &expected) in expected.iter().enumerate() {
        assert_eq!(bit(&answers, i), expected, "{}: key {i}", context());
    }
    if !expected.len().is_multiple_of(64) {
        assert_eq!(answers[words - 1] >> (expected.len() % 64), 0, "{}", context());
    }
    if let Some(given) = words.checked_sub(1) {
        let mut answers = vec![7; given];
        assert_eq!(
            ask(&mut answers),
            Err(Error::TooFewAnswers { needed: words, given }),
            "{}",
            context()
        );
        assert!(answers.iter().all(|&word| word == 7), "{}", context());
    }
}

/// FastLocalBloom from these keys by every kernel, into dirty memory, asked for them and for others.
pub(crate) fn check_fast_local(bits_per_key: RocksDbBitsPerKey, keys: &[&[u8]], others: &[&[u8]]) {
    let hashes = hashes_of(keys);
    let expected = fast_local_oracle(bits_per_key, &hashes);
    let packed_keys = packed(keys);
    for kernel in Kernel::available() {
        let context = || format!("{kernel}, {} keys, {} bits", keys.len(), bits_per_key.get());
        let policy = FastLocalBloomPolicy::new(bits_per_key).on_kernel(kernel);
        let mut room = vec![0xa5; policy.filter_len(keys.len()) + 9];
        assert_eq!(
            policy.build_batch_in(keys, &mut room).unwrap(),
            expected,
            "{}",
            context()
        );
        assert!(
            room.ends_with(&[0xa5; 9]),
            "{}: written beyond the filter",
            context()
        );
        let mut exact = vec![0xa5; expected.len()];
        assert_eq!(
            policy.build_batch_in(keys, &mut exact).unwrap(),
            expected,
            "{}",
            context()
        );
        assert!(
            matches!(
                policy.build_batch_in(keys, &mut exact[1..]),
                Err(Error::BufferTooShort { .. })
            ),
            "{}",
            context()
        );
        let from_hashes = policy.build_hashes_in(hashes.iter().copied(), &mut room).unwrap();
        assert_eq!(from_hashes, expected, "{}", context());
        #[cfg(feature = "alloc")]
        {
            let mut appended = vec![1, 2, 3];
            policy.append_batch(keys, &mut appended).unwrap();
            assert_eq!(appended[3..], expected, "{}", context());
            policy
                .append_hashes(hashes.iter().copied(), &mut appended)
                .unwrap();
            assert_eq!(appended[3 + expected.len()..], expected, "{}", context());
        }
        if let Some((bytes, len)) = &packed_keys {
            let keys = PackedKeys::new(bytes, *len).unwrap();
            room.fill(0xa5);
            assert_eq!(
                policy.build_batch_in(keys, &mut room).unwrap(),
                expected,
                "{}",
                context()
            );
        }
        if expected.len() == 5 {
            continue;
        }

        let view = RocksDbFilterView::on_kernel(&expected, kernel);
        assert_eq!(
            (view.kind(), view.kernel()),
            (RocksDbFilterKind::FastLocalBloom, kernel)
        );
        for asked in [keys, others] {
            let hashes = hashes_of(asked);
            let answers: Vec<bool> = hashes
                .iter()
                .map(|&hash| fast_local_answer(&expected, hash))
                .collect();
            check_answers(&context, &answers, |words| view.may_match_many(asked, words));
            check_answers(&context, &answers, |words| view.may_match_hashes(&hashes, words));
            if let Some((bytes, len)) = packed(asked) {
                let keys = PackedKeys::new(&bytes, len).unwrap();
                check_answers(&context, &answers, |words| view.may_match_many(keys, words));
            }
            for (key, &answer) in asked.iter().zip(&answers) {
                assert_eq!(view.may_match(key), answer, "{}: {key:x?}", context());
                assert_eq!(
                    policy.key_may_match(key, &expected),
                    answer,
                    "{}: {key:x?}",
                    context()
                );
                assert_eq!(
                    policy.hashed(key).may_be_in(&expected),
                    answer,
                    "{}: {key:x?}",
                    context()
                );
            }
        }
    }
}

/// The same for `BloomFilter64.Xxph3`.
pub(crate) fn check_spread(bits_per_key: BitsPerKey, keys: &[&[u8]], others: &[&[u8]]) {
    let hashes = hashes_of(keys);
    let expected = spread_oracle(bits_per_key, &hashes);
    let packed_keys = packed(keys);
    for kernel in Kernel::available() {
        let context = || format!("{kernel}, {} keys, {} bits", keys.len(), bits_per_key.get());
        let policy = BloomFilter64Policy::new(bits_per_key).on_kernel(kernel);
        let mut room = vec![0xa5; expected.len() + 9];
        assert_eq!(
            policy.build_batch_in(keys, &mut room).unwrap(),
            expected,
            "{}",
            context()
        );
        assert!(
            room.ends_with(&[0xa5; 9]),
            "{}: written beyond the filter",
            context()
        );
        room.fill(0xa5);
        let needed = expected.len();
        assert_eq!(
            policy.build_batch_in(keys, &mut room[..needed - 1]),
            Err(Error::BufferTooShort {
                needed,
                given: needed - 1
            }),
            "{}",
            context()
        );
        assert!(room.iter().all(|&byte| byte == 0xa5), "{}", context());
        let from_hashes = policy.build_hashes_in(hashes.iter().copied(), &mut room).unwrap();
        assert_eq!(from_hashes, expected, "{}", context());
        #[cfg(feature = "alloc")]
        {
            let mut appended = vec![1, 2, 3];
            policy.append_batch(keys, &mut appended).unwrap();
            assert_eq!(appended[3..], expected, "{}", context());
        }
        if let Some((bytes, len)) = &packed_keys {
            let keys = PackedKeys::new(bytes, *len).unwrap();
            room.fill(0xa5);
            assert_eq!(
                policy.build_batch_in(keys, &mut room).unwrap(),
                expected,
                "{}",
                context()
            );
        }

        let view = BloomFilter64View::on_kernel(&expected, kernel);
        assert_eq!(view.kernel(), kernel);
        for asked in [keys, others] {
            let hashes = hashes_of(asked);
            let answers: Vec<bool> = hashes
                .iter()
                .map(|&hash| spread_answer(&expected, hash))
                .collect();
            check_answers(&context, &answers, |words| view.may_match_many(asked, words));
            check_answers(&context, &answers, |words| view.may_match_hashes(&hashes, words));
            for ((key, &hash), &answer) in asked.iter().zip(&hashes).zip(&answers) {
                assert_eq!(view.may_match(key), answer, "{}: {key:x?}", context());
                assert_eq!(view.may_match_hash(hash), answer, "{}: {key:x?}", context());
                assert_eq!(
                    policy.key_may_match(key, &expected),
                    answer,
                    "{}: {key:x?}",
                    context()
                );
                assert_eq!(
                    policy.hashed(key).may_be_in(&expected),
                    answer,
                    "{}: {key:x?}",
                    context()
                );
            }
        }
    }
}

pub(crate) fn check(bits: f64, keys: &[Vec<u8>], others: &[Vec<u8>]) {
    let (keys, others) = (slices(keys), slices(others));
    check_fast_local(RocksDbBitsPerKey::new(bits).unwrap(), &keys, &others);
    check_spread(BitsPerKey::fractional(bits).unwrap(), &keys, &others);
}
