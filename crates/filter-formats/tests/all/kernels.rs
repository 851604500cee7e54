//! Every kernel writes the bytes and gives the answers that the description of each layout requires. That kernels do what
//! portable code does, for keys of every length, is tested in `filter-kernels`; for stored bytes of every length, among
//! `guard_pages`.

use filter_policy::hashers::{KeyHasher, LevelDbHash, Murmur2, Murmur2SignedTail};
use filter_policy::kernels::Kernel;
use filter_policy::{BitsPerKey, FilterPolicy, KeyBatch, KeyHash, KeyHashes, Layout as _, leveldb};

use super::support::layouts::{
    Bloom64, FastLocal, Hash, Layout, LevelDb, SplitBlock, answer, each_layout, filter, number, set, value,
};
use super::support::random::{random_bytes, random_hashes, random_keys};
use super::support::ways::check_many;

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

/// Builds filters from the first keys and from their hash values, and queries them for present and absent ones.
fn check<L: Layout, K: AsRef<[u8]>>(layout: L, bits_per_key: BitsPerKey, keys: &[K], counts: &[usize])
where
    for<'a> &'a [K]: Into<KeyBatch<'a>>,
{
    let scalar = layout.policy(bits_per_key, Kernel::Scalar);
    let hashes: Vec<Hash<L>> = keys
        .iter()
        .map(|key| scalar.layout().hash(key.as_ref()))
        .collect();
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
            let values = KeyHashes::new(policy.layout().hash_function(), &hashes[..count]);
            let of_values = policy.create_from_hashes(values, &mut room).unwrap();
            assert!(of_values == expected, "{at}");
            let of_keys = policy.build_in(&keys[..count], &mut room).unwrap();
            assert!(of_keys == expected, "{at}");
            let prepared = policy.prepare(&expected);
            check_many(&at, &of_absent, &|answers| {
                prepared.may_match_hashes(KeyHashes::new(policy.layout().hash_function(), &absent), answers)
            });
            let present = vec![true; count];
            check_many(&at, &present, &|answers| {
                prepared.may_match_hashes(values, answers)
            });
            check_many(&at, &present, &|answers| {
                prepared.may_match_many(&keys[..count], answers)
            });
        }
    }
}

/// Returns this many keys.
fn numbered(count: usize) -> Vec<[u8; 16]> {
    (0..count as u128).map(u128::to_be_bytes).collect()
}

#[test]
fn every_number_of_keys() {
    let counts: Vec<usize> = (0..=600)
        .chain((600..=5_000).step_by(13))
        .chain([6_553, 6_554])
        .collect();
    each_layout!(|layout| check(layout, TEN, &numbered(6_554), &counts));
}

#[test]
fn every_probe_count() {
    let counts = [0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 200, 1000];
    for probes in 1..=30_u32 {
        // The fewest whole bits per key that give this probe count in LevelDB's layout.
        let bits_per_key = BitsPerKey::whole((probes * 100).div_ceil(69));
        assert_eq!(leveldb::probe_count(bits_per_key), probes);
        each_layout!(|layout| check(layout, bits_per_key, &numbered(1000), &counts));
    }
}

#[test]
fn fractions_of_bits() {
    let mut seen = [[false; 31]; 2];
    for tenths in (10..=500_u32).step_by(3).chain([750, 990, 1000]) {
        let bits = BitsPerKey::fractional(f64::from(tenths) / 10.0).unwrap();
        each_layout!(|layout| check(layout, bits, &numbered(150), &[150]));
        seen[0][usize::from(FastLocal.probes(bits, 150))] = true;
        seen[1][usize::from(Bloom64.probes(bits, 150))] = true;
    }
    assert!(seen[0][1..=24].iter().all(|&seen| seen), "{:?}", seen[0]);
    assert!(seen[1][1..=30].iter().all(|&seen| seen), "{:?}", seen[1]);
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
    check(LevelDb(LevelDbHash), TEN, &keys, &[4, 9]);
    check(LevelDb(Murmur2SignedTail), TEN, &keys, &[4, 9]);
}

/// RocksDB keeps one of several adjacent equal values, wherever the seams between tiles lie.
#[test]
fn repeated_keys_wherever_they_lie() {
    for run in [2_usize, 3, 8, 63, 64, 65, 128, 129, 300] {
        for offset in 0..3 {
            let once = random_keys(7, 1 + 400 / run, |_| 16);
            let mut keys = random_keys(8, offset, |_| 16);
            keys.extend(once.iter().flat_map(|key| std::iter::repeat_n(key.clone(), run)));
            each_layout!(|layout| check(layout, TEN, &keys, &[keys.len()]));
        }
    }
}

/// In filters larger than caches, bits are prefetched while they are set and queried. Few keys make large filters if each
/// has many bits.
#[test]
fn filters_beyond_the_cache() {
    let (many, hundred) = (BitsPerKey::whole(10_000), BitsPerKey::whole(100));
    let (keys, counts) = (numbered(3_407), [3_361, 3_391, 3_400, 3_407]);
    check(LevelDb(LevelDbHash), many, &keys, &counts);
    check(LevelDb(Murmur2::new()), many, &keys, &counts);
    // These formats end at 100 bits, or prefetch in filters of 1 MiB too.
    let (keys, counts) = (numbered(335_663), [84_001, 84_031, 84_040, 84_047]);
    check(FastLocal, hundred, &keys, &counts);
    check(SplitBlock { xxph3: false }, hundred, &keys, &counts);
    check(SplitBlock { xxph3: true }, hundred, &keys, &counts);
    check(Bloom64, hundred, &keys, &[335_600, 335_663]);
}

/// The probe count of 10 bits has loops of its own, so these filters are large by their many keys.
#[test]
fn filters_of_millions_of_keys() {
    let keys = numbered(3_360_015);
    check(LevelDb(LevelDbHash), TEN, &keys, &[3_360_015]);
    check(Bloom64, TEN, &keys, &[3_360_015]);
    // From 1 MiB on.
    check(FastLocal, TEN, &keys, &[840_015]);
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
        let asked: Vec<Hash<L>> = asked.into_iter().map(value).collect();
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
                let (prepared, function) = (policy.prepare(&filter), policy.layout().hash_function());
                check_many(&kernel, &expected, &|answers| {
                    prepared.may_match_hashes(KeyHashes::new(function, &asked), answers)
                });
                for (&hash, &expected) in asked.iter().zip(&expected) {
                    let at = format!("{policy:?}, {units} units");
                    assert_eq!(
                        prepared.may_match_hash(KeyHash::new(function, hash)),
                        expected,
                        "{at}"
                    );
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
            let filter = policy.build_in(&[&b"key"[..]], &mut room).unwrap();
            assert!(policy.key_may_match(b"key", &filter), "{kernel}, {bits} bits");
            let (words, rest) = filter[..filter.len() - 1].as_chunks::<8>();
            let words = words.iter().map(|word| u64::from_ne_bytes(*word).count_ones());
            let ones = words.chain(rest.iter().map(|byte| byte.count_ones()));
            assert_eq!(ones.sum::<u32>(), 30, "{kernel}, {bits} bits");
        }
    }
}
