//! Every format on every kernel, with keys of every length, batches of every size, filters of every length, and what
//! lies around the limits between the ways to build and to query.

use filter_formats::EngineFormat;
use filter_policy::{BitsPerKey, FilterPolicy, leveldb};

use super::support::formats::{ROWS, Row, Rule};
use super::support::guarded::Guarded;
use super::support::random::{random_bytes, random_hashes, random_keys, slices};
use super::support::ways::{Pages, answers, check_all, check_many, key_hashes};

const TEN: BitsPerKey = BitsPerKey::whole(10);

/// An emulator tries every fifth length and count. Every remainder of a division by a number of lanes is still among them.
const THIN: usize = if cfg!(emulated) { 5 } else { 1 };

/// Returns this many keys.
fn numbered(count: usize) -> Vec<[u8; 16]> {
    (0..count as u128).map(u128::to_be_bytes).collect()
}

fn absent() -> Vec<[u8; 16]> {
    (1..=500_u128).map(|i| (i << 64).to_be_bytes()).collect()
}

/// Returns bits that are mostly set, so that both answers are frequent whatever the probe count.
fn noise(len: usize) -> Vec<u8> {
    let bytes = [5, 6, 7, 8].map(|seed| random_bytes(seed, len));
    (0..len)
        .map(|i| bytes.iter().fold(0, |byte, bytes| byte | bytes[i]))
        .collect()
}

/// Returns the first row of a format.
fn row_of(format: EngineFormat) -> &'static Row {
    ROWS.iter().find(|row| row.format == format).unwrap()
}

fn with_rules() -> impl Iterator<Item = (&'static Row, &'static Rule)> {
    ROWS.iter().filter_map(|row| Some((row, row.rule.as_ref()?)))
}

/// Each key beside a page without access rights, of one length, of similar and of other lengths.
#[test]
fn keys_of_every_length() {
    /// Two groups of the widest kernel, and one more key.
    const KEYS: usize = 33;
    const LONGEST: usize = 300;
    let mut places: Vec<Guarded> = (0..KEYS).map(|_| Guarded::new(LONGEST)).collect();
    let mut pages = Pages::new(1 << 16);
    let bytes = random_bytes(1, LONGEST * KEYS);
    for len in (0..=LONGEST).step_by(THIN) {
        pages.end = !pages.end;
        let lens = |of: &dyn Fn(usize) -> usize| (0..KEYS).map(of).collect::<Vec<usize>>();
        let mixed = lens(&|i| len.saturating_sub(i * i % 37));
        // Lengths within a class that is hashed together.
        let near = lens(&|i| (len.max(9) + i % 8).min(LONGEST));
        let uneven = lens(&|i| (len * (i + 1)) % (LONGEST + 1));
        for lens in [&[len; KEYS][..], &mixed, &uneven, &near, &mixed[..5], &near[..1]] {
            let keys = places.iter_mut().zip(lens).zip(bytes.chunks(LONGEST));
            let keys = keys.map(|((place, &len), bytes)| {
                let key: &mut [u8] = place.at(pages.end, len);
                key.copy_from_slice(&bytes[..len]);
                &*key
            });
            check_all(TEN, &keys.collect::<Vec<&[u8]>>(), &[], &mut pages);
        }
    }
}

#[test]
fn batches_of_every_size() {
    let mut pages = Pages::new(1 << 19);
    for count in (0..=150).step_by(THIN).chain([200, 511, 512, 819, 820, 3_000]) {
        pages.end = !pages.end;
        for len in [16, 1 + count % 40, 63 + count % 70] {
            let keys = random_keys(count as u64, 2 * count, |_| len);
            let (keys, others) = keys.split_at(count);
            check_all(TEN, &slices(keys), &slices(others), &mut pages);
        }
    }
}

/// The probe counts from 1 to 30, all widths of fingerprints, and fractions of bits.
#[test]
fn all_bits_per_key() {
    let mut pages = Pages::new(1 << 16);
    let keys = numbered(1_400);
    let (keys, others) = (slices(&keys[..400]), slices(&keys[400..][..1_000 / THIN]));
    let mut seen = [[false; 31]; 2];
    for tenths in (0..=500_u32).step_by(11).chain([10, 14, 137, 750, 990, 1000]) {
        let bits = BitsPerKey::fractional(f64::from(tenths) / 10.0).unwrap();
        pages.end = !pages.end;
        for count in [tenths as usize % 35, 150 + tenths as usize / 2] {
            check_all(bits, &keys[..count.min(400)], &others, &mut pages);
        }
        for (seen, format) in seen
            .iter_mut()
            .zip([EngineFormat::BLOOM64, EngineFormat::FAST_LOCAL_BLOOM])
        {
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

/// Lengths around the limit from which keys are hashed one by one.
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
    let mut pages = Pages::new(16 << 20);
    for count in [4, 9] {
        check_all(TEN, &keys[..count], &[], &mut pages);
    }
}

/// RocksDB keeps one of several adjacent equal keys, wherever the seams between tiles lie.
#[test]
fn repeated_keys_wherever_they_lie() {
    let mut pages = Pages::new(1 << 16);
    for run in [2_usize, 3, 8, 63, 64, 65, 128, 129, 300] {
        for offset in 0..3 {
            let once = random_keys(7, 1 + 400 / run, |_| 16);
            let mut keys = random_keys(8, offset, |_| 16);
            keys.extend(once.iter().flat_map(|key| std::iter::repeat_n(key.clone(), run)));
            check_all(TEN, &slices(&keys), &[], &mut pages);
        }
    }
}

/// Builds a large filter in two ways and queries it in one, on every kernel, as the rule says.
fn check_large(row: &Row, bits: u32, keys: &[[u8; 16]], others: &[[u8; 16]]) {
    let (keys, others, rule) = (slices(keys), slices(others), row.rule.as_ref().unwrap());
    let mut known = None;
    for policy in row.on_kernels(BitsPerKey::whole(bits)) {
        let at = || format!("{policy:?}, {} keys", keys.len());
        let value = |key: &&[u8]| policy.key_hash(key).unwrap().value();
        let hashes: Vec<u64> = keys.iter().map(value).collect();
        let (filter, probes) = known.get_or_insert_with(|| rule.filter(row.format, &*policy, hashes.clone()));
        let mut room = vec![0xa5; filter.len()];
        assert!(
            policy.create_filter(&keys, &mut room).unwrap() == *filter,
            "{}",
            at()
        );
        let mut memory = Guarded::new(8 * keys.len());
        let hashes = key_hashes(
            policy.key_hash(b"").unwrap().function(),
            hashes.into_iter(),
            &mut memory,
            true,
        );
        assert!(
            policy.create_from_hashes(hashes, &mut room).unwrap() == *filter,
            "{}",
            at()
        );
        let of_others = others
            .iter()
            .map(|key| rule.answer(filter, *probes, value(key)))
            .collect();
        for (keys, expected) in [(&keys, vec![true; keys.len()]), (&others, of_others)] {
            check_many(
                &mut vec![0; keys.len().div_ceil(64)],
                &expected,
                &at,
                &|answers| policy.prepare(filter).may_match_many(keys, answers),
            );
        }
    }
}

/// In filters larger than caches, bits are prefetched while they are set and queried. Few keys make large filters if
/// each has many bits.
#[test]
fn filters_beyond_the_cache() {
    let (keys, others) = (numbered(335_663), absent());
    for (row, _) in with_rules() {
        // From 4 MiB on; the other formats end at 100 bits, or prefetch in filters of 1 MiB too.
        let (bits, counts) = match row.format.name() {
            "LevelDb" => (10_000, [3_361, 3_407]),
            "Bloom64" => (100, [335_600, 335_663]),
            _ => (100, [84_001, 84_047]),
        };
        counts
            .into_iter()
            .for_each(|count| check_large(row, bits, &keys[..count], &others));
    }
}

/// The probe count of 10 bits has loops of its own, so these filters are large by their many keys.
#[test]
fn filters_of_millions_of_keys() {
    let (keys, others) = (numbered(3_360_015), absent());
    for (format, count) in [
        (EngineFormat::LEVEL_DB, 3_360_015),
        (EngineFormat::BLOOM64, 3_360_015),
        (EngineFormat::FAST_LOCAL_BLOOM, 840_015),
    ] {
        check_large(row_of(format), 10, &keys[..count], &others);
    }
}

/// The end of a built filter after bits that nobody built, more and fewer of them: all answers of all kernels. The
/// numbers of bits per key give all widths of fingerprints, and probe counts around those with code of their own.
#[test]
fn filters_of_every_length() {
    /// The longest end of a format.
    const END: usize = 14;
    let keys = random_keys(3, 130, |i| if i % 3 == 0 { 23 } else { 16 });
    let keys = slices(&keys);
    let mut pages = Pages::new(1 << 16);
    let noise = noise(2_600);
    for (row, bits) in ROWS
        .iter()
        .flat_map(|row| [1, 9, 11, 12, 14, 20, 44].map(|bits| (row, bits)))
    {
        let policies: Vec<_> = row.on_kernels(BitsPerKey::whole(bits)).collect();
        for count in [2, 300] {
            let stored = numbered(count);
            let mut end = Vec::new();
            policies[0].append_filter(&slices(&stored), &mut end).unwrap();
            let own_len = end.len();
            end.drain(..own_len.saturating_sub(END));
            for len in (END..=400)
                .step_by(THIN * (1 + 4 * usize::from(count > 2)))
                .chain((400..=2_600).step_by(37 * THIN))
                .chain([own_len])
            {
                pages.end = !pages.end;
                let filter = [&noise[..len.saturating_sub(end.len())], &end].concat();
                let mut found = policies
                    .iter()
                    .map(|policy| answers(&**policy, &filter, &keys, &mut pages));
                let expected = found.next().unwrap();
                assert!(
                    found.all(|found| found == expected),
                    "{:?}, {len} bytes",
                    policies[0]
                );
            }
        }
    }
}

/// Every probe count that the end can have; those that are not reserved, by the rule.
#[test]
fn every_probe_count_is_read() {
    let mut pages = Pages::new(1 << 16);
    let (keys, noise) = (random_keys(4, 70, |_| 16), noise(640));
    let keys = slices(&keys);
    for (row, rule) in with_rules() {
        for (probes, bytes) in (0..=127).flat_map(|probes| [rule.unit, 320, 640].map(|bytes| (probes, bytes)))
        {
            let filter = [&noise[..bytes], &(rule.tail)(probes)].concat();
            let mut expected = None;
            for policy in row.on_kernels(TEN) {
                let found = answers(&*policy, &filter, &keys, &mut pages);
                if (1..=30).contains(&probes) {
                    let hashes = keys.iter().map(|key| policy.key_hash(key).unwrap().value());
                    let by_rule = hashes.map(|hash| rule.answer(&filter, probes, hash));
                    assert!(by_rule.eq(found.iter().copied()), "{policy:?}, {probes} probes");
                }
                assert_eq!(
                    expected.get_or_insert_with(|| found.clone()),
                    &found,
                    "{policy:?}, {probes} probes"
                );
            }
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
                let mut memory = Guarded::new(1 << 12);
                let hashes = key_hashes(function, values.iter().copied(), &mut memory, true);
                check_many(&mut [0; 4], &of_values, &at, &|answers| {
                    prepared.may_match_hashes(hashes, answers)
                });
            }
        }
    }
}

#[test]
fn building_filters_of_2_to_the_31_bits_and_more() {
    for bits in [(1_u32 << 31) - 8, 1 << 31, u32::MAX] {
        let mut room = vec![0xff; leveldb::filter_len(BitsPerKey::whole(bits), 1).unwrap()];
        for policy in row_of(EngineFormat::LEVEL_DB)
            .on_kernels(BitsPerKey::whole(bits))
            .skip(1)
        {
            let filter = policy.create_filter(&[b"key"], &mut room).unwrap();
            assert!(policy.key_may_match(b"key", &filter), "{policy:?}");
            let (words, rest) = filter[..filter.len() - 1].as_chunks::<8>();
            let words = words.iter().map(|word| u64::from_ne_bytes(*word).count_ones());
            let ones = words.chain(rest.iter().map(|byte| byte.count_ones()));
            assert_eq!(ones.sum::<u32>(), 30, "{policy:?}");
        }
    }
}
