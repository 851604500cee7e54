//! Of the policies with 64-bit hash values all kernels write the bytes and give the answers of the formats' definitions.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use filter_policy::{
    BitsPerKey, BloomFilter64Policy, BloomFilter64View, Error, FastLocalBloomPolicy, FilterPolicy, Kernel,
    PackedKeys, RocksDbBitsPerKey, RocksDbFilterKind, RocksDbFilterView,
};
use hashzoo::xxph3_64;
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// RocksDB's cache-local filter, from its description, a bit at a time.
fn fast_local_oracle(bits_per_key: RocksDbBitsPerKey, hashes: &[u64]) -> Vec<u8> {
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

fn fast_local_bits(lines: usize, probes: u8, hash: u64) -> impl Iterator<Item = usize> {
    let line = usize::try_from((u128::from(hash % (1 << 32)) * lines as u128) >> 32).unwrap();
    let upper = hash >> 32;
    (0..probes).scan(upper, move |walk, _| {
        let bit = usize::try_from(*walk >> 23).unwrap();
        *walk = (*walk * 0x9e37_79b9) % (1 << 32);
        Some(line * 512 + bit)
    })
}

/// `BloomFilter64.Xxph3`, from its description.
fn spread_oracle(bits_per_key: BitsPerKey, hashes: &[u64]) -> Vec<u8> {
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

fn spread_bits(bits: usize, probes: u8, hash: u64) -> impl Iterator<Item = usize> {
    (0..probes).scan(u128::from(hash), move |walk, _| {
        let bit = usize::try_from((*walk * bits as u128) >> 64).unwrap();
        *walk = (*walk * 0xf135_7aea_2e62_a9c5) % (1 << 64);
        Some(bit)
    })
}

fn all_set(filter: &[u8], mut bits: impl Iterator<Item = usize>) -> bool {
    bits.all(|bit| filter[bit / 8] >> (bit % 8) & 1 == 1)
}

fn fast_local_answer(filter: &[u8], hash: u64) -> bool {
    let bits = filter.len() - 5;
    all_set(filter, fast_local_bits(bits / 64, filter[bits + 2], hash))
}

fn spread_answer(filter: &[u8], hash: u64) -> bool {
    let bytes = filter.len() - 1;
    all_set(filter, spread_bits(bytes * 8, filter[bytes] - 0x80, hash))
}

fn random_keys(seed: u64, count: usize, len: impl Fn(usize) -> usize) -> Vec<Vec<u8>> {
    let mut random = SplitMix64::seed_from_u64(seed);
    let mut key = |len| {
        let mut key = vec![0; len];
        random.fill_bytes(&mut key);
        key
    };
    (0..count).map(|i| key(len(i))).collect()
}

fn random_hashes(seed: u64, count: usize) -> Vec<u64> {
    let mut random = SplitMix64::seed_from_u64(seed);
    (0..count).map(|_| random.next_u64()).collect()
}

fn hashes_of(keys: &[&[u8]]) -> Vec<u64> {
    keys.iter().map(|key| xxph3_64(key, 0)).collect()
}

fn slices(keys: &[Vec<u8>]) -> Vec<&[u8]> {
    keys.iter().map(Vec::as_slice).collect()
}

fn bit(answers: &[u64], index: usize) -> bool {
    answers[index / 64] >> (index % 64) & 1 == 1
}

/// All keys behind each other, if they have one length.
fn packed(keys: &[&[u8]]) -> Option<(Vec<u8>, usize)> {
    let len = keys.first()?.len();
    (len > 0 && keys.iter().all(|key| key.len() == len)).then(|| (keys.concat(), len))
}

/// What a filter answers, in each of its ways, into words that are dirty before.
fn check_answers(
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
fn check_fast_local(bits_per_key: RocksDbBitsPerKey, keys: &[&[u8]], others: &[&[u8]]) {
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
fn check_spread(bits_per_key: BitsPerKey, keys: &[&[u8]], others: &[&[u8]]) {
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

fn check(bits: f64, keys: &[Vec<u8>], others: &[Vec<u8>]) {
    let (keys, others) = (slices(keys), slices(others));
    check_fast_local(RocksDbBitsPerKey::new(bits).unwrap(), &keys, &others);
    check_spread(BitsPerKey::fractional(bits).unwrap(), &keys, &others);
}

#[test]
fn every_number_of_keys() {
    for count in (0..200).chain([255, 256, 257, 511, 512, 513, 819, 820, 1023, 1024, 1025, 5000]) {
        let keys = random_keys(1, count, |_| 16);
        check(10.0, &keys, &random_keys(2, 131, |_| 16));
    }
}

#[test]
fn every_length_of_key() {
    for len in 0..=300 {
        let keys = random_keys(len as u64, 37, |_| len);
        check(10.0, &keys, &random_keys(!0, 70, |i| (len + i) % 301));
    }
}

#[test]
fn lengths_in_any_mixture() {
    for (seed, longest) in [(1, 3), (2, 9), (3, 17), (4, 33), (5, 41), (6, 130), (7, 301)] {
        let lens = random_hashes(seed, 500);
        let keys = random_keys(seed, 500, |i| usize::try_from(lens[i] % longest).unwrap());
        check(10.0, &keys, &random_keys(8, 200, |i| i % 50));
    }
    // Around the borders between the ways in which groups of eight are hashed.
    for border in [9_usize, 16, 17, 32, 33] {
        for odd in 0..8 {
            for (usual, other) in [(border, border - 1), (border - 1, border)] {
                let keys = random_keys(9, 24, |i| if i % 8 == odd { other } else { usual });
                check(10.0, &keys, &keys);
            }
        }
    }
}

#[test]
fn every_number_of_probes_and_fractions_of_bits() {
    let keys = random_keys(3, 150, |_| 16);
    let others = random_keys(4, 100, |_| 16);
    let mut seen = [[false; 31]; 2];
    for tenths in (10..=500_u32).step_by(3).chain([750, 990, 1000]) {
        let bits = f64::from(tenths) / 10.0;
        check(bits, &keys, &others);
        seen[0][usize::from(RocksDbBitsPerKey::new(bits).unwrap().probe_count())] = true;
        let policy = BloomFilter64Policy::new(BitsPerKey::fractional(bits).unwrap());
        seen[1][usize::from(policy.probe_count(keys.len()).unwrap())] = true;
    }
    assert!(seen[0][1..=24].iter().all(|&seen| seen), "{:?}", seen[0]);
    assert!(seen[1][1..=30].iter().all(|&seen| seen), "{:?}", seen[1]);
}

/// Probe counts that a stored filter can have, whoever wrote it.
#[test]
fn filters_with_any_bits_and_probes() {
    let mut hashes = random_hashes(5, 700);
    // Where products are largest and smallest.
    hashes[..6].copy_from_slice(&[0, u64::MAX, 0xffff_ffff, !0xffff_ffff, 1 << 63, 1]);
    let mut random = SplitMix64::seed_from_u64(6);
    for probes in 1..=30_u8 {
        for len in [
            1_usize, 2, 3, 7, 40, 63, 64, 65, 100, 127, 128, 129, 255, 256, 257, 258, 259, 260, 1000, 4099,
        ] {
            // Four of five bits are ones, so that some answers are yes at any probe count.
            let mut bytes = vec![0; len];
            for byte in &mut bytes {
                *byte = (random.next_u64() | random.next_u64()).to_le_bytes()[0];
            }
            if probes > 12 {
                bytes.fill(0xff);
                bytes[len / 2] = 0x7f;
            }
            let spread: Vec<u8> = bytes.iter().copied().chain([0x80 + probes]).collect();
            let lines = len / 64;
            let local: Vec<u8> = bytes[..64 * lines]
                .iter()
                .copied()
                .chain([0xff, 0, probes, 0, 0])
                .collect();
            for kernel in Kernel::available() {
                let context = || format!("{kernel}, {len} bytes, {probes} probes");
                let view = BloomFilter64View::on_kernel(&spread, kernel);
                let expected: Vec<bool> = hashes.iter().map(|&hash| spread_answer(&spread, hash)).collect();
                check_answers(&context, &expected, |words| view.may_match_hashes(&hashes, words));
                for (&hash, &expected) in hashes.iter().zip(&expected) {
                    assert_eq!(view.may_match_hash(hash), expected, "{}", context());
                }
                if lines == 0 {
                    continue;
                }
                let view = RocksDbFilterView::on_kernel(&local, kernel);
                let expected: Vec<bool> = hashes
                    .iter()
                    .map(|&hash| fast_local_answer(&local, hash))
                    .collect();
                for count in [0, 1, 2, 15, 63, 64, 65, hashes.len()] {
                    check_answers(&context, &expected[..count], |words| {
                        view.may_match_hashes(&hashes[..count], words)
                    });
                }
            }
        }
    }
}

/// Of values that equal the one before them RocksDB keeps one, wherever the seams between tiles lie.
#[test]
fn repeated_keys_wherever_they_lie() {
    for run in [2_usize, 3, 8, 63, 64, 65, 128, 129, 300] {
        for offset in 0..3 {
            let once = random_keys(7, 1 + 400 / run, |_| 16);
            let keys: Vec<Vec<u8>> = random_keys(8, offset, |_| 16)
                .into_iter()
                .chain(once.iter().flat_map(|key| std::iter::repeat_n(key.clone(), run)))
                .collect();
            check(10.0, &keys, &once);
        }
    }
}

/// Damage, and kinds that have no kernels of their own, are read alike.
#[test]
fn other_filters_are_answered_alike() {
    let keys = random_keys(9, 100, |i| i % 40);
    let keys = slices(&keys);
    let hashes = hashes_of(&keys);
    let legacy = {
        let policy = filter_policy::LegacyFullFilterPolicy::new(RocksDbBitsPerKey::whole(10));
        let mut out = vec![0; policy.max_filter_len(50).unwrap()];
        policy.create_filter(&keys[..50], &mut out).unwrap().to_vec()
    };
    let mut filters: Vec<Vec<u8>> = vec![
        vec![],
        vec![1],
        vec![0; 5],
        vec![0, 0xff],
        vec![0x5a; 100],
        legacy,
    ];
    let whole = fast_local_oracle(RocksDbBitsPerKey::whole(10), &hashes[..50]);
    for len in 0..whole.len() {
        filters.push(whole[len..].to_vec());
        filters.push(whole[..len].to_vec());
    }
    for (at, byte) in
        (1..=5).flat_map(|at| [0, 1, 30, 31, 0x7f, 0x80, 0x9e, 0x9f, 0xfe, 0xff].map(|b| (at, b)))
    {
        let mut damaged = whole.clone();
        let at = damaged.len() - at;
        damaged[at] = byte;
        filters.push(damaged);
    }
    #[cfg(feature = "alloc")]
    filters.push(
        filter_policy::RibbonPolicy::new(RocksDbBitsPerKey::whole(10))
            .build(&keys[..50])
            .unwrap(),
    );
    for filter in &filters {
        let rocksdb = RocksDbFilterView::on_kernel(filter, Kernel::Scalar);
        let spread = BloomFilter64View::on_kernel(filter, Kernel::Scalar);
        for kernel in Kernel::available() {
            let context = || format!("{kernel}, {filter:x?}");
            let view = RocksDbFilterView::on_kernel(filter, kernel);
            let expected: Vec<bool> = keys.iter().map(|key| rocksdb.may_match(key)).collect();
            check_answers(&context, &expected, |words| view.may_match_many(&keys[..], words));
            let policy = FastLocalBloomPolicy::new(RocksDbBitsPerKey::MIN).on_kernel(kernel);
            for (key, &expected) in keys.iter().zip(&expected) {
                assert_eq!(view.may_match(key), expected, "{}", context());
                assert_eq!(policy.hashed(key).may_be_in(filter), expected, "{}", context());
            }
            if view.kind() == RocksDbFilterKind::LegacyBloom {
                check_answers(&context, &[true; 100], |words| {
                    view.may_match_hashes(&hashes, words)
                });
            } else {
                check_answers(&context, &expected, |words| view.may_match_hashes(&hashes, words));
            }
            let view = BloomFilter64View::on_kernel(filter, kernel);
            let expected: Vec<bool> = keys.iter().map(|key| spread.may_match(key)).collect();
            check_answers(&context, &expected, |words| view.may_match_many(&keys[..], words));
        }
    }
}

/// Large enough that memory is asked for ahead.
#[test]
fn filters_beyond_the_cache() {
    for count in [1_700_000, 1_700_001, 1_700_063] {
        let hashes = random_hashes(10, count);
        let absent = random_hashes(11, 1000);
        let (local_bits, bits) = (RocksDbBitsPerKey::whole(10), BitsPerKey::whole(10));
        let local = fast_local_oracle(local_bits, &hashes);
        let spread = spread_oracle(bits, &hashes);
        for kernel in Kernel::available() {
            let context = || format!("{kernel}, {count} keys");
            let mut room = vec![0xa5; local.len()];
            let policy = FastLocalBloomPolicy::new(local_bits).on_kernel(kernel);
            let built = policy.build_hashes_in(hashes.iter().copied(), &mut room).unwrap();
            assert!(built == local, "{}", context());
            let mut room = vec![0xa5; spread.len()];
            let policy = BloomFilter64Policy::new(bits).on_kernel(kernel);
            let built = policy.build_hashes_in(hashes.iter().copied(), &mut room).unwrap();
            assert!(built == spread, "{}", context());

            let view = RocksDbFilterView::on_kernel(&local, kernel);
            let expected: Vec<bool> = absent
                .iter()
                .map(|&hash| fast_local_answer(&local, hash))
                .collect();
            let present = vec![true; count];
            check_answers(&context, &expected, |words| view.may_match_hashes(&absent, words));
            check_answers(&context, &present, |words| view.may_match_hashes(&hashes, words));
            let view = BloomFilter64View::on_kernel(&spread, kernel);
            let expected: Vec<bool> = absent.iter().map(|&hash| spread_answer(&spread, hash)).collect();
            check_answers(&context, &expected, |words| view.may_match_hashes(&absent, words));
            check_answers(&context, &present, |words| view.may_match_hashes(&hashes, words));
        }
    }
}

/// Keys, not hash values, in a filter that is asked for ahead.
#[test]
fn keys_beyond_the_cache() {
    let keys: Vec<[u8; 16]> = (0..1_700_003_u128).map(u128::to_be_bytes).collect();
    let mut filters = Vec::new();
    for kernel in Kernel::available() {
        let policy = FastLocalBloomPolicy::new(RocksDbBitsPerKey::whole(10)).on_kernel(kernel);
        let mut local = vec![0; policy.filter_len(keys.len())];
        policy.build_batch_in(&keys[..], &mut local).unwrap();
        let policy = BloomFilter64Policy::new(BitsPerKey::whole(10)).on_kernel(kernel);
        let mut spread = vec![0; policy.filter_len(keys.len()).unwrap()];
        policy.build_batch_in(&keys[..], &mut spread).unwrap();
        let present = vec![true; keys.len()];
        let context = || kernel.to_string();
        let view = RocksDbFilterView::on_kernel(&local, kernel);
        check_answers(&context, &present, |words| view.may_match_many(&keys[..], words));
        let view = BloomFilter64View::on_kernel(&spread, kernel);
        check_answers(&context, &present, |words| view.may_match_many(&keys[..], words));
        filters.push((local, spread));
    }
    assert!(filters.windows(2).all(|pair| pair[0] == pair[1]));
}

/// Lanes stop before 2^31 bits; beyond, all kernels are the portable code.
#[test]
fn filters_of_2_to_the_31_bits_and_more() {
    let hashes = [0, 1, u64::MAX, 1 << 63, (1 << 63) - 1, 0x0123_4567_89ab_cdef];
    for bytes in [(1_usize << 28) - 1, 1 << 28, (1 << 29) + 5] {
        // Untouched memory costs nothing.
        let mut filter = vec![0; bytes + 1];
        filter[bytes] = 0x89;
        for bit in hashes.iter().flat_map(|&hash| spread_bits(bytes * 8, 9, hash)) {
            filter[bit / 8] |= 1 << (bit % 8);
        }
        let asked: Vec<u64> = hashes
            .iter()
            .flat_map(|&hash| [hash, hash.rotate_left(7) ^ 0x5555])
            .collect();
        for kernel in Kernel::available() {
            let view = BloomFilter64View::on_kernel(&filter, kernel);
            let mut answers = [0];
            view.may_match_hashes(&asked, &mut answers).unwrap();
            assert_eq!(answers, [0b0101_0101_0101], "{kernel}, {bytes} bytes");
            for (i, &hash) in asked.iter().enumerate() {
                assert_eq!(view.may_match_hash(hash), i % 2 == 0, "{kernel}, {bytes} bytes");
            }
        }
    }
    // The most lines that RocksDB's filter can have.
    let lines = (1_usize << 26) - 1;
    let mut filter = vec![0; lines * 64 + 5];
    filter[lines * 64..].copy_from_slice(&[0xff, 0, 6, 0, 0]);
    for bit in hashes.iter().flat_map(|&hash| fast_local_bits(lines, 6, hash)) {
        filter[bit / 8] |= 1 << (bit % 8);
    }
    let mut asked = random_hashes(12, 200);
    asked[100..106].copy_from_slice(&hashes);
    let expected: Vec<bool> = asked
        .iter()
        .map(|&hash| fast_local_answer(&filter, hash))
        .collect();
    assert!(expected[100..106].iter().all(|&answer| answer));
    for kernel in Kernel::available() {
        let view = RocksDbFilterView::on_kernel(&filter, kernel);
        check_answers(&|| kernel.to_string(), &expected, |words| {
            view.may_match_hashes(&asked, words)
        });
    }
}
