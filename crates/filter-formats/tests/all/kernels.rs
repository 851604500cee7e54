//! Every kernel writes the bytes and gives the answers that the description of each layout requires.

use filter_policy::hashers::{KeyHasher, LevelDbHash, Murmur2, Murmur2SignedTail};
use filter_policy::kernels::Kernel;
use filter_policy::{BitsPerKey, FilterPolicy, HashedPolicy, leveldb};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::support::layouts::{
    Bloom64, FastLocal, Layout, LevelDb, SplitBlock, answer, any_answer, each_layout, filter, number, set,
    value,
};
use super::support::random::{random_bytes, random_hashes, random_keys, slices};
use super::support::ways::{Known, answers, built, check_many, damaged};

const TEN: BitsPerKey = BitsPerKey::whole(10);

/// Takes the first four bytes of a key, or fewer, as the hash value: a function without lanes.
#[derive(Debug, Clone, Copy)]
struct FirstWord;

impl KeyHasher for FirstWord {
    fn hash(&self, key: &[u8]) -> u32 {
        key.iter()
            .take(4)
            .rev()
            .fold(0, |hash, byte| hash << 8 | u32::from(*byte))
    }

    fn policy_name(&self) -> &str {
        "test.FirstWord"
    }
}

/// Checks that every kernel builds the filter of these keys in all ways, and answers for all keys in all ways as its bits
/// say.
fn check<L: Layout>(layout: L, bits_per_key: BitsPerKey, keys: &[&[u8]], others: &[&[u8]]) {
    let scalar = layout.policy(bits_per_key, Kernel::Scalar);
    let hash = |key: &&[u8]| number(scalar.hash_key(key));
    let hashes: Vec<u64> = keys.iter().map(hash).collect();
    let (expected, probes) = filter(layout, bits_per_key, &hashes);
    for kernel in Kernel::available() {
        let policy = layout.policy(bits_per_key, kernel);
        assert!(
            built(&policy, keys, &kernel) == expected,
            "{policy:?}, {} keys",
            keys.len()
        );
        for asked in [keys, others] {
            let of_bits = asked
                .iter()
                .map(|key| answer(layout, &expected, probes, hash(key)));
            let of_bits: Vec<bool> = of_bits.collect();
            assert_eq!(answers(&policy, &expected, asked, &kernel), of_bits, "{policy:?}");
        }
    }
}

/// Checks all layouts, with further hash functions in LevelDB's.
fn check_all(bits_per_key: BitsPerKey, keys: &[&[u8]], others: &[&[u8]]) {
    each_layout!(|layout| check(layout, bits_per_key, keys, others));
    each_layout!(
        |layout| check(layout, bits_per_key, keys, others),
        LevelDb(Murmur2::new()),
        LevelDb(Murmur2::with_seed(0x9747_b28c)),
        LevelDb(Murmur2SignedTail),
        LevelDb(FirstWord)
    );
}

#[test]
fn every_probe_count() {
    let keys = random_keys(1, 1_400, |_| 16);
    let keys = slices(&keys);
    for probes in 1..=30_u32 {
        // The fewest whole bits per key that give this probe count in LevelDB's layout.
        let bits_per_key = BitsPerKey::whole((probes * 100).div_ceil(69));
        assert_eq!(u32::from(leveldb::probe_count(bits_per_key)), probes);
        for count in [0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 200, 1000] {
            let (keys, others) = keys.split_at(count);
            each_layout!(|layout| check(layout, bits_per_key, keys, &others[..150]));
        }
        check_all(bits_per_key, &keys[..50], &keys[50..150]);
    }
}

#[test]
fn fractions_of_bits() {
    let keys = random_keys(3, 250, |_| 16);
    let (keys, others) = (slices(&keys[..150]), slices(&keys[150..]));
    let mut seen = [[false; 31]; 2];
    for tenths in (10..=500_u32).step_by(3).chain([750, 990, 1000]) {
        let bits = BitsPerKey::fractional(f64::from(tenths) / 10.0).unwrap();
        each_layout!(|layout| check(layout, bits, &keys, &others));
        seen[0][usize::from(FastLocal.probes(bits, 150))] = true;
        seen[1][usize::from(Bloom64.probes(bits, 150))] = true;
    }
    assert!(seen[0][1..=24].iter().all(|&seen| seen), "{:?}", seen[0]);
    assert!(seen[1][1..=30].iter().all(|&seen| seen), "{:?}", seen[1]);
}

#[test]
fn every_key_length() {
    for len in 0..=300 {
        let keys = random_keys(len as u64, 37, |_| len);
        let others = random_keys(!0, 80, |i| if i < 37 { len } else { (len + i) % 301 });
        check_all(TEN, &slices(&keys), &slices(&others));
    }
}

#[test]
fn keys_of_mixed_lengths() {
    let mut random = SplitMix64::seed_from_u64(3);
    for longest in [1_u64, 3, 4, 5, 8, 9, 17, 33, 40, 128, 300, 2000] {
        for count in [5, 16, 100, 500] {
            let lens: Vec<u64> = (0..count + 200)
                .map(|_| random.next_u64() % (longest + 1))
                .collect();
            let keys = random_keys(longest, count + 200, |i| lens[i] as usize);
            let (keys, others) = keys.split_at(count);
            check_all(TEN, &slices(keys), &slices(others));
        }
    }
    // Lengths around the limits between the ways to hash groups of eight.
    for border in [8_usize, 9, 16, 17, 32, 33, 64, 65] {
        for odd in 0..8 {
            for (usual, other) in [(border, border - 1), (border - 1, border)] {
                let keys = random_keys(9, 24, |i| if i % 8 == odd { other } else { usual });
                check_all(TEN, &slices(&keys), &slices(&keys));
            }
        }
    }
}

/// Tests lengths around the limit from which keys are hashed one by one.
#[test]
fn keys_of_a_mebibyte() {
    const LONG: usize = 1 << 20;
    let bytes = random_bytes(9, LONG + 20);
    let lens = [-1, 0, 0, -3, 1, 3, 4, 0, -2].map(|more| LONG.wrapping_add_signed(more));
    let keys = lens
        .iter()
        .enumerate()
        .map(|(start, len)| &bytes[start..start + len]);
    let keys: Vec<&[u8]> = keys.collect();
    for keys in [&keys[..4], &keys] {
        check(LevelDb(LevelDbHash), TEN, keys, &[]);
        check(LevelDb(Murmur2SignedTail), TEN, keys, &[]);
    }
}

/// RocksDB keeps one of several adjacent equal values, wherever the seams between tiles lie.
#[test]
fn repeated_keys_wherever_they_lie() {
    for run in [2_usize, 3, 8, 63, 64, 65, 128, 129, 300] {
        for offset in 0..3 {
            let once = random_keys(7, 1 + 400 / run, |_| 16);
            let mut keys = random_keys(8, offset, |_| 16);
            keys.extend(once.iter().flat_map(|key| std::iter::repeat_n(key.clone(), run)));
            each_layout!(|layout| check(layout, TEN, &slices(&keys), &slices(&once)));
        }
    }
}

/// Bits that no builder made, at every density, for batches of every size, up to where kernels prefetch; and every probe
/// count that a stored filter can have.
#[test]
fn any_filter_and_any_batch() {
    fn run<L: Layout>(layout: L) {
        let mut hashes = random_hashes(5, 3_000);
        // The values with the largest and the smallest products.
        hashes[..6].copy_from_slice(&[0, u64::MAX, 0xffff_ffff, !0xffff_ffff, 1 << 63, 1]);
        let hashes: Vec<<L::Policy as HashedPolicy>::Hash> = hashes.into_iter().map(value).collect();
        let large: &[usize] = if L::UNIT == 1 {
            &[
                511,
                512,
                1023,
                1024,
                1025,
                4096,
                4099,
                20_000,
                20_001,
                (4 << 20) - 1,
                4 << 20,
                (5 << 20) + 3,
            ]
        } else {
            &[1023, 1024, 1025, 32_767, 32_768, 32_769]
        };
        let mut random = SplitMix64::seed_from_u64(6);
        for units in (1..=300).chain(large.iter().copied()) {
            // Every density for short filters, one for others.
            let one = units % 5;
            let densities = if units <= 64 { 0..5 } else { one..one + 1 };
            for density in densities {
                let len = units * L::UNIT;
                let mut bits = random_bytes(random.next_u64(), len);
                for (byte, other) in bits.iter_mut().zip(random_bytes(random.next_u64(), len)) {
                    match density {
                        0 => *byte &= other,
                        1 => {}
                        2 => *byte |= other,
                        3 => *byte = if other == 0 { *byte } else { 0xff },
                        _ => *byte = 0xff,
                    }
                }
                // A single zero.
                bits[len / 2] &= 0x7f;
                let all_probes = units < 5 || [40, 64, 65, 129, 260, 1024].contains(&units);
                let some = 1 + u8::try_from(random.next_u64() % 30).unwrap();
                for probes in if all_probes { 1..=30 } else { some..=some } {
                    let filter = [&bits[..], &layout.tail(probes)].concat();
                    let of_bits = |&hash: &_| answer(layout, &filter, probes, number(hash));
                    let asked = if units < 2_000 { &hashes[..700] } else { &hashes };
                    let expected: Vec<bool> = asked.iter().map(of_bits).collect();
                    for kernel in Kernel::available() {
                        let policy = layout.policy(TEN, kernel);
                        let at = format!("{policy:?}, {len} bytes, {probes} probes");
                        let prepared = policy.prepare(&filter);
                        for count in [0, 1, 2, 15, 63, 64, 65, 127, 128, 129, asked.len()] {
                            check_many(&at, &expected[..count], &|answers| {
                                prepared.may_match_raw_hashes(&asked[..count], answers)
                            });
                        }
                        for (&hash, &expected) in asked.iter().zip(&expected).take(200) {
                            assert_eq!(prepared.may_match_raw_hash(hash), expected, "{at}");
                        }
                    }
                }
            }
        }
    }

    each_layout!(|layout| run(layout));
}

/// Lanes stop before 2^31 bits, and no hash value of 32 bits reaches beyond 2^32: larger filters use the portable code on
/// all kernels.
#[test]
fn filters_of_2_to_the_31_bits_and_more() {
    fn run<L: Layout>(layout: L) {
        let stored = [
            0,
            1,
            u64::MAX,
            1 << 63,
            0x7fff_ffff,
            0x8000_0000,
            0xdead_beef,
            0x0123_4567_89ab_cdef,
        ];
        let others = stored.map(|hash: u64| hash.rotate_left(7) ^ 0x5555);
        let mut asked = random_hashes(12, 200);
        asked[90..98].copy_from_slice(&stored);
        asked[100..108].copy_from_slice(&others);
        let asked: Vec<<L::Policy as HashedPolicy>::Hash> = asked.into_iter().map(value).collect();
        // Single queries with up to 8 probes take another path than those with more.
        for (units, probes) in L::HUGE.iter().flat_map(|&units| [(units, 6), (units, 9)]) {
            // Untouched memory costs nothing.
            let tail = layout.tail(probes);
            let mut filter = vec![0; units * L::UNIT + tail.len()];
            let (bits, end) = filter.split_at_mut(units * L::UNIT);
            end.copy_from_slice(&tail);
            set(
                layout,
                bits,
                probes,
                asked[90..98].iter().map(|&hash| number(hash)),
            );
            let of_bits = |&hash: &_| answer(layout, &filter, probes, number(hash));
            let expected: Vec<bool> = asked.iter().map(of_bits).collect();
            assert!(expected[90..98].iter().all(|&answer| answer) && !expected[100..].contains(&true));
            for kernel in Kernel::available() {
                let policy = layout.policy(TEN, kernel);
                let prepared = policy.prepare(&filter);
                check_many(&kernel, &expected, &|answers| {
                    prepared.may_match_raw_hashes(&asked, answers)
                });
                for (&hash, &expected) in asked.iter().zip(&expected) {
                    let at = format!("{policy:?}, {units} units");
                    assert_eq!(prepared.may_match_raw_hash(hash), expected, "{at}");
                    // The keys of `FirstWord`, from the bytes to the answer.
                    if let Some(word) = policy.name().strip_prefix("test.").map(|_| number(hash) as u32) {
                        let key = word.to_le_bytes().repeat(4);
                        assert_eq!(policy.key_may_match(&key, &filter), expected, "{at}");
                        assert_eq!(policy.key_may_match(&key[..5], &filter), expected, "{at}");
                    }
                }
            }
        }
    }

    each_layout!(
        |layout| run(layout),
        LevelDb(FirstWord),
        Bloom64,
        FastLocal,
        SplitBlock { xxph3: false }
    );
}

#[test]
fn building_filters_of_2_to_the_31_bits_and_more() {
    let layout = LevelDb(Murmur2::new());
    for bits in [(1_u32 << 31) - 8, 1 << 31, u32::MAX] {
        let bits_per_key = BitsPerKey::whole(bits);
        let mut room = vec![0xff; leveldb::filter_len(bits_per_key, 1).unwrap()];
        for kernel in Kernel::available().skip(1) {
            let policy = layout.policy(bits_per_key, kernel);
            let filter = policy.build_batch_in(&[&b"key"[..]], &mut room).unwrap();
            assert!(policy.key_may_match(b"key", &filter), "{kernel}, {bits} bits");
            let (words, rest) = filter[..filter.len() - 1].as_chunks::<8>();
            let words = words.iter().map(|word| u64::from_ne_bytes(*word).count_ones());
            let ones = words.chain(rest.iter().map(|byte| byte.count_ones()));
            assert_eq!(ones.sum::<u32>(), 30, "{kernel}, {bits} bits");
        }
    }
}

/// Queries one key at a time, in the function that goes from the key to the answer: stored bytes of every length up to
/// more than the registers hold, with every last byte that has a meaning and some others, for keys of 16 bytes and
/// other lengths.
#[test]
fn any_stored_bytes_and_one_key() {
    fn run<H: KeyHasher + Copy + std::fmt::Debug>(hasher: H, filter: &[u8], keys: &[&[u8]]) {
        for key in keys {
            let expected = any_answer(LevelDb(hasher), filter, hasher.hash(key));
            for kernel in Kernel::available() {
                let policy = LevelDb(hasher).policy(TEN, kernel);
                let answers = [
                    policy.key_may_match(key, filter),
                    policy.hashed_key(key).may_match(filter),
                    policy.prepare(filter).may_match(key),
                ];
                let at = || {
                    format!(
                        "{policy:?}, {} bytes, {:?} at the end, {key:x?}",
                        filter.len(),
                        filter.last()
                    )
                };
                assert_eq!(answers, [expected; 3], "{}", at());
            }
        }
    }

    let mut random = SplitMix64::seed_from_u64(10);
    let bytes = random_bytes(10, 600);
    let lens = [16, 16, 16, 16, 0, 3, 15, 17, 32];
    let keys = lens
        .iter()
        .zip((0..).step_by(40))
        .map(|(&len, start)| &bytes[start..start + len]);
    let keys: Vec<&[u8]> = keys.collect();
    for len in (0..=300).chain([1024, 5121]) {
        for probes in (0..=34).chain([254, 255]) {
            // About 3 of 64 bits are missing, so that both answers are frequent.
            let byte = |_| {
                let [a, b, c, d, e, ..] = random.next_u64().to_le_bytes();
                a | b | c | d | e & 0b0101_0101
            };
            let mut filter: Vec<u8> = (0..len).map(byte).collect();
            if let Some(last) = filter.last_mut() {
                *last = probes;
            }
            run(LevelDbHash, &filter, &keys);
            run(Murmur2::with_seed(0x9747_b28c), &filter, &keys[3..]);
            run(Murmur2SignedTail, &filter, &keys[3..]);
            run(FirstWord, &filter, &keys[..5]);
        }
    }
}

/// Cut and altered filters, about which no other test asks the kernels of an emulated processor.
#[test]
fn damaged_filters_are_answered_alike() {
    fn run<L: Layout>(layout: L, keys: &[&[u8]]) {
        let whole = layout.policy(TEN, Kernel::Scalar).build(&keys[..50]).unwrap();
        let mut known = Known::new();
        for filter in damaged(&whole) {
            for kernel in Kernel::available() {
                known.check(&layout.policy(TEN, kernel), &filter, keys);
            }
        }
    }

    let keys = random_keys(9, 100, |i| i % 40);
    each_layout!(|layout| run(layout, &slices(&keys)));
}

/// Builds filters from the first keys and from their hash values, and queries them for present and absent ones.
fn check_counts<L: Layout>(layout: L, bits_per_key: BitsPerKey, counts: &[usize]) {
    type Hash<L> = <<L as Layout>::Policy as HashedPolicy>::Hash;
    let most = counts.iter().max().copied().unwrap_or_default();
    let keys: Vec<[u8; 16]> = (0..most as u128).map(u128::to_be_bytes).collect();
    let scalar = layout.policy(bits_per_key, Kernel::Scalar);
    let hashes: Vec<Hash<L>> = keys.iter().map(|key| scalar.hash_key(key)).collect();
    let numbers: Vec<u64> = hashes.iter().map(|&hash| number(hash)).collect();
    let absent: Vec<Hash<L>> = random_hashes(11, 1000).into_iter().map(value).collect();
    for &count in counts {
        let (expected, probes) = filter(layout, bits_per_key, &numbers[..count]);
        let of_absent = absent
            .iter()
            .map(|&hash| answer(layout, &expected, probes, number(hash)));
        let of_absent: Vec<bool> = of_absent.collect();
        for kernel in Kernel::available() {
            let policy = layout.policy(bits_per_key, kernel);
            let at = format!("{policy:?}, {count} keys");
            let mut room = vec![0xa5; expected.len()];
            let values = hashes[..count].iter().copied();
            assert!(
                policy.build_raw_hashes_in(values, &mut room).unwrap() == expected,
                "{at}"
            );
            assert!(
                policy.build_batch_in(&keys[..count], &mut room).unwrap() == expected,
                "{at}"
            );
            let prepared = policy.prepare(&expected);
            check_many(&at, &of_absent, &|answers| {
                prepared.may_match_raw_hashes(&absent, answers)
            });
            let present = vec![true; count];
            check_many(&at, &present, &|answers| {
                prepared.may_match_raw_hashes(&hashes[..count], answers)
            });
            check_many(&at, &present, &|answers| {
                prepared.may_match_many(&keys[..count], answers)
            });
        }
    }
}

#[test]
fn every_number_of_keys() {
    let counts: Vec<usize> = (0..=600)
        .chain((600..=5_000).step_by(13))
        .chain([6_553, 6_554])
        .collect();
    each_layout!(|layout| check_counts(layout, TEN, &counts));
}

/// In filters larger than caches, bits are prefetched while they are set and queried. Few keys make large filters if each
/// has many bits.
#[test]
fn filters_beyond_the_cache() {
    let (many, hundred) = (BitsPerKey::whole(10_000), BitsPerKey::whole(100));
    let counts = [3_361, 3_391, 3_400, 3_407];
    check_counts(LevelDb(LevelDbHash), many, &counts);
    check_counts(LevelDb(Murmur2::new()), many, &counts);
    // These formats end at 100 bits, or prefetch in filters of 1 MiB too.
    let counts = [84_001, 84_031, 84_040, 84_047];
    check_counts(FastLocal, hundred, &counts);
    check_counts(SplitBlock { xxph3: false }, hundred, &counts);
    check_counts(SplitBlock { xxph3: true }, hundred, &counts);
    check_counts(Bloom64, hundred, &[335_600, 335_663]);
}

/// The probe count of 10 bits has loops of its own, so these filters are large by their many keys.
#[test]
fn filters_of_millions_of_keys() {
    check_counts(LevelDb(LevelDbHash), TEN, &[3_360_015]);
    check_counts(Bloom64, TEN, &[3_360_015]);
    // From 1 MiB on.
    check_counts(FastLocal, TEN, &[840_015]);
}
