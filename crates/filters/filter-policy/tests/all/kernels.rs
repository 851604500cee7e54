//! Every format on every kernel, with all numbers of bits per key, repeated keys, and filters of 2^31 bits. The tests
//! of the crate compare kernels with keys and filters of every length, and batches of every size.

use filter_policy::formats;
use filter_policy::{BitsPerKey, FilterPolicy, leveldb};

use super::support::formats::{ROWS, Row, Rule};
use super::support::random::{random_hashes, random_keys, slices};
use super::support::ways::{Hashes, check_all, check_many};

const TEN: BitsPerKey = BitsPerKey::whole(10);

/// Returns this many keys.
fn numbered(count: usize) -> Vec<[u8; 16]> {
    (0..count as u128).map(u128::to_be_bytes).collect()
}

fn with_rules() -> impl Iterator<Item = (&'static Row, &'static Rule)> {
    ROWS.iter().filter_map(|row| Some((row, row.rule.as_ref()?)))
}

/// The probe counts from 1 to 30, all widths of fingerprints, and fractions of bits.
#[test]
fn all_bits_per_key() {
    // An emulator queries fewer.
    let keys = numbered(if cfg!(emulated) { 600 } else { 1_400 });
    let (keys, others) = (slices(&keys[..400]), slices(&keys[400..]));
    let mut seen = [[false; 31]; 2];
    for tenths in (0..=500_u32).step_by(11).chain([10, 14, 137, 750, 990, 1000]) {
        let bits = BitsPerKey::fractional(f64::from(tenths) / 10.0).unwrap();
        for count in [tenths as usize % 35, 150 + tenths as usize / 2] {
            check_all(bits, &keys[..count.min(400)], &others);
        }
        for (seen, format) in seen.iter_mut().zip([formats::BLOOM64, formats::FAST_LOCAL_BLOOM]) {
            let probes = format.probe_count(150, bits);
            probes
                .into_iter()
                .flatten()
                .for_each(|probes| seen[probes as usize] = true);
        }
    }
    assert!(seen[0][1..].iter().all(|&seen| seen), "{:?}", seen[0]);
    assert!(seen[1][1..=24].iter().all(|&seen| seen), "{:?}", seen[1]);
}

/// RocksDB keeps one of several adjacent equal keys, wherever the seams between tiles lie.
#[test]
fn repeated_keys_wherever_they_lie() {
    for run in [2_usize, 3, 8, 63, 64, 65, 128, 129, 300] {
        for offset in 0..3 {
            let once = random_keys(7, 1 + 400 / run, |_| 16);
            let mut keys = random_keys(8, offset, |_| 16);
            keys.extend(once.iter().flat_map(|key| std::iter::repeat_n(key.clone(), run)));
            check_all(TEN, &slices(&keys), &[]);
        }
    }
}

/// Lanes stop before 2^31 bits, and no hash value of 32 bits reaches beyond 2^32: larger filters use the portable code
/// on all kernels.
#[test]
fn filters_of_2_to_the_31_bits_and_more() {
    let keys = numbered(200);
    let keys = slices(&keys);
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
    for (row, rule) in with_rules() {
        let policy = (row.policy)(TEN);
        let function = policy.key_hash(b"").unwrap().function();
        let of_keys = keys.iter().map(|key| policy.key_hash(key).unwrap().value());
        let (of_keys, mut values): (Vec<u64>, _) = (of_keys.collect(), random_hashes(12, 200));
        values[90..98].copy_from_slice(&stored);
        if function.bits() == 32 {
            values.iter_mut().for_each(|value| *value &= 0xffff_ffff);
        }
        // Single queries with up to 8 probes take another path than those with more.
        for (units, probes) in rule.huge.iter().flat_map(|&units| [(units, 6), (units, 9)]) {
            let tail = (rule.tail)(probes);
            // Untouched memory costs nothing.
            let mut filter = vec![0; units * rule.unit + tail.len()];
            let (bits, end) = filter.split_at_mut(units * rule.unit);
            end.copy_from_slice(&tail);
            rule.set(bits, probes, of_keys[..9].iter().chain(&values[90..98]).copied());
            let by_rule = |values: &[u64]| -> Vec<bool> {
                values
                    .iter()
                    .map(|&value| rule.answer(&filter, probes, value))
                    .collect()
            };
            let [of_keys, of_values] = [&of_keys, &values].map(|values| by_rule(values));
            assert!(of_keys.contains(&false) && of_values.contains(&false));
            for policy in row.on_kernels(TEN) {
                let at = || format!("{policy:?}, {units} units");
                let prepared = policy.prepare(&filter);
                check_many(&mut [0; 4], &of_keys, &at, &|answers| {
                    prepared.may_match_many(&keys, answers)
                });
                for (key, &expected) in keys.iter().zip(&of_keys) {
                    assert_eq!(policy.key_may_match(key, &filter), expected, "{}", at());
                    assert_eq!(prepared.may_match(key), expected, "{}", at());
                }
                let hashes = Hashes::new(function, values.iter().copied());
                check_many(&mut [0; 4], &of_values, &at, &|answers| {
                    prepared.may_match_hashes(hashes.get(), answers)
                });
            }
        }
    }
}

#[test]
fn building_filters_of_2_to_the_31_bits_and_more() {
    let is_leveldbs = |row: &&Row| row.format.kind() == formats::LEVEL_DB.kind();
    let row = ROWS.iter().find(is_leveldbs).unwrap();
    for bits in [(1_u32 << 31) - 8, 1 << 31, u32::MAX] {
        let mut room = vec![0xff; leveldb::filter_len(BitsPerKey::whole(bits), 1).unwrap()];
        for policy in row.on_kernels(BitsPerKey::whole(bits)).skip(1) {
            let filter = policy.create_filter(&[b"key"], &mut room).unwrap();
            assert!(policy.key_may_match(b"key", &filter), "{policy:?}");
            let (words, rest) = filter[..filter.len() - 1].as_chunks::<8>();
            let words = words.iter().map(|word| u64::from_ne_bytes(*word).count_ones());
            let ones = words.chain(rest.iter().map(|byte| byte.count_ones()));
            assert_eq!(ones.sum::<u32>(), 30, "{policy:?}");
        }
    }
}
