//! Tests the sizes, limits and searches of every format, and compares sizes with the filters that policies write.

extern crate alloc;

use alloc::format;
use alloc::string::ToString as _;
use alloc::vec::Vec;

use crate::FilterPolicy as _;

use super::*;
use crate::formats;
use crate::view::{FilterKind, FilterView};

const FORMAT: &dyn AnyFormat = formats::LEVEL_DB;

const TEN: BitsPerKey = BitsPerKey::whole(10);

/// Returns every format once.
fn formats() -> Vec<&'static dyn AnyFormat> {
    let mut formats: Vec<&'static dyn AnyFormat> = formats::ALL.to_vec();
    formats.dedup_by_key(|format| format.kind());
    formats
}

#[test]
fn limits_at_the_edges() {
    assert_eq!(FORMAT.capacity(8, TEN), 0);
    assert_eq!(FORMAT.capacity(9, BitsPerKey::whole(0)), u64::MAX);
    assert_eq!(FORMAT.bits_per_key_for_len(0, 9), Ok(BitsPerKey::MAX));
    assert_eq!(
        FORMAT.bits_per_key_for_len(1_000_000, 9),
        Ok(BitsPerKey::whole(0))
    );
    assert!(FORMAT.bits_per_key_for_len(1, 8).is_err());
    // The filter grows no further.
    assert_eq!(formats::FAST_LOCAL_BLOOM.capacity(1 << 33, TEN), u64::MAX);
}

#[test]
fn rates_beyond_the_format_are_refused() {
    // The limits are 30 probes, 2^32 bits and 2^32 hash values.
    let keys = 50_000_000;
    let least = equal_hashes(32, keys);
    assert!(FORMAT.bits_per_key_for_rate(keys, 1.01 * least).is_ok());
    let Err(Error::RateUnreachable { lowest, .. }) = FORMAT.bits_per_key_for_rate(keys, 0.99 * least) else {
        panic!("is reached");
    };
    assert!((lowest / least - 1.0).abs() < 1e-6, "{lowest}");
    assert!(matches!(
        FORMAT.bits_per_key_for_rate(10_000_000_000, 0.01),
        Err(Error::RateUnreachable { .. })
    ));
    assert!(FORMAT.bits_per_key_for_rate(u64::MAX, 0.5).is_err());
    for format in formats() {
        assert!(matches!(
            format.bits_per_key_for_rate(1_000, 0.0),
            Err(Error::OutOfDomain { .. })
        ));
    }
    // What remains is the share of equal hash values.
    for format in formats().into_iter().filter(|format| format.hash_bits() == 64) {
        let least = 1000.0 / libm::ldexp(1.0, 64);
        match format.bits_per_key_for_rate(1000, least / 2.0) {
            Err(Error::RateUnreachable { lowest, .. }) => {
                assert!(lowest >= least * 0.999, "{format:?} {lowest}")
            }
            other => panic!("{format:?}: {other:?}"),
        }
    }
    let rate = formats::BLOOM64
        .expected_rate(1000, BitsPerKey::whole(1_000_000))
        .unwrap();
    assert!(
        (rate / 1000.0 * libm::ldexp(1.0, 64) - 1.0).abs() < 1e-6,
        "{rate}"
    );
    // 10^7 / 2^32 is 0.2328 %; the share of distinct hash values is 0.2326 %. Aligned strides add a thousandth of that.
    let found = FORMAT.expected_rate(10_000_000, BitsPerKey::whole(100)).unwrap();
    assert!((0.0..0.002).contains(&(found / 0.002_325_598 - 1.0)), "{found}");
}

/// Compares lengths and probe counts with the filters that policies write, at the edges of blocks, lines and kinds.
#[test]
fn lengths_are_those_of_the_policies() {
    let (mut ribbons, mut exact) = (0, 0);
    for known in formats::ALL {
        let format = *known;
        for keys in [
            0, 1, 2, 6, 7, 32, 51, 52, 100, 240, 512, 700, 800, 900, 983, 1000, 2000, 4096, 5000, 60_000,
        ] {
            for bits in [0.5, 1.0, 2.0, 3.7, 8.0, 10.0, 15.5, 44.0, 100.0, 1000.0] {
                let bits_per_key = BitsPerKey::fractional(bits).unwrap();
                let policy = known.policy(bits_per_key);
                let stated = format.filter_len(keys, bits_per_key).unwrap();
                let probes = format.probe_count(keys, bits_per_key).unwrap();
                // The hash of the first key decides about 16 bytes of a Ribbon filter.
                let less = if format.kind() == formats::RIBBON.kind() {
                    16
                } else {
                    0
                };
                let firsts = if less > 0 && keys <= 5000 { 6 } else { 1 };
                for first in 0..firsts {
                    let own: Vec<[u8; 8]> = (first * 100_000..)
                        .take(usize::try_from(keys).unwrap())
                        .map(u64::to_le_bytes)
                        .collect();
                    let slices: Vec<&[u8]> = own.iter().map(|key| &key[..]).collect();
                    let mut filter = Vec::new();
                    policy.append_filter(&slices, &mut filter).unwrap();
                    let len = filter.len() as u64;
                    let at = format!("{format:?}, {keys} keys at {bits} bits, {len} bytes, {stated} stated");
                    assert!((stated.saturating_sub(less)..=stated).contains(&len), "{at}");
                    let view = FilterView::new(format, &filter);
                    if keys > 0 && len == stated {
                        assert_eq!(view.probe_count(), probes, "{at}");
                    }
                    ribbons += u32::from(view.kind() == FilterKind::Filter("Ribbon"));
                    exact += u32::from(less > 0 && len == stated);
                }
            }
        }
    }
    assert!(
        ribbons > 300 && exact > 800,
        "{ribbons} Ribbon filters, {exact} as stated"
    );
}

/// The result reaches the rate or fits into the memory, and a hundredth of a bit less or more does not, or half a bit where
/// rates are estimates.
#[test]
fn searches_are_tight() {
    for format in formats() {
        // The rates of double hashing take long.
        let (keys, wanted): (&[u64], &[f64]) = match format.kind() {
            "LevelDb" | "Basho" => (&[1_000], &[0.1, 0.01]),
            _ => (&[1, 32, 983, 1_000_000], &[0.5, 1e-3, 1e-9]),
        };
        for &keys in keys {
            let rate = |bits: f64| format.expected_rate(keys, BitsPerKey::fractional(bits).unwrap());
            for &wanted in wanted {
                let at = format!("{format:?}, {keys} keys, {wanted}");
                let Ok(found) = format.bits_per_key_for_rate(keys, wanted).map(BitsPerKey::get) else {
                    let mut all = (1..=100_u8).step_by(9).map(|bits| rate(bits.into()).unwrap());
                    assert!(all.all(|rate| rate > wanted), "{at}");
                    continue;
                };
                assert!(rate(found).unwrap() <= wanted, "{at}: {found}");
                // Too few bits are an error in RocksDB's formats.
                // Rough rates end a search a little too late, and some sizes are bad ones.
                let less = if matches!(format.kind(), "LevelDb" | "Basho") {
                    0.5
                } else {
                    0.01
                };
                let is_least = found < 0.51 || rate(found - less).is_ok_and(|rate| rate > wanted);
                assert!(is_least, "{at}: {found}");
            }
            let bytes_at = |bits| {
                format
                    .filter_len(keys, BitsPerKey::fractional(bits).unwrap())
                    .unwrap()
            };
            let sizes: Vec<u64> = (1..=100_u8).map(|bits| bytes_at(bits.into())).collect();
            assert!(
                sizes.is_sorted(),
                "{format:?}, {keys} keys: sizes at 1 to 100 bits per key must never decrease, got {sizes:?}"
            );
            for bytes in [
                bytes_at(1.0),
                bytes_at(10.0),
                bytes_at(10.0) + 20,
                bytes_at(99.0) + 1,
            ] {
                let at = format!("{format:?}, {keys} keys, {bytes} bytes");
                let found = format.bits_per_key_for_len(keys, bytes).unwrap().get();
                assert!(bytes_at(found) <= bytes, "{at}");
                // No smaller filter has a lower rate by more than a hundredth, as computed.
                let best = rate(found).unwrap();
                for share in [1, 4, 7, 9] {
                    let bits =
                        format.bits_per_key_for_len(keys, bytes).unwrap().get() * f64::from(share) / 10.0;
                    let smaller =
                        BitsPerKey::fractional(bits).and_then(|bits| format.expected_rate(keys, bits));
                    assert!(
                        smaller.is_err() || smaller.unwrap() >= 0.99 * best,
                        "{at}: {found}, {bits}"
                    );
                }
                let most = format.capacity(bytes, TEN);
                let taken = |keys| format.filter_len(keys, TEN).is_ok_and(|taken| taken <= bytes);
                assert!(taken(most), "{at}");
                assert!(!most.checked_add(1).is_some_and(taken), "{at}");
            }
        }
    }
}

/// More memory than helps is left: where probes reach no more bits, and beyond RocksDB's 4 GiB. Bits per key are no more
/// than the filter has.
#[test]
fn memory_gives_the_lowest_rate_within_it() {
    let best = |format: &dyn AnyFormat, keys, bytes| {
        let bits = format.bits_per_key_for_len(keys, bytes).unwrap();
        assert!(format.filter_len(keys, bits).unwrap() <= bytes);
        (bits.get(), format.expected_rate(keys, bits).unwrap())
    };
    let (bits, rate) = best(formats::LEVEL_DB, 500_000_000, 4 << 30);
    assert!(rate <= 0.120, "{bits}: {rate}");
    for format in [formats::RIBBON, formats::FAST_LOCAL_BLOOM] {
        let (bits, rate) = best(format, 2_000_000_000, 4 << 30);
        assert!(rate <= 0.000_998, "{bits}: {rate}");
    }
    assert!(best(formats::BINARY_FUSE, 1_000_000, 1 << 40).0 < 20.0);
    // Filters of as many bytes are merged.
    for keys in [1, 1_000, 733_333, 10_000_000] {
        let bits = formats::SPLIT_BLOCK.bits_per_key_for_len(keys, 1 << 20).unwrap();
        assert_eq!(
            formats::SPLIT_BLOCK.filter_len(keys, bits),
            Ok(1 << 20),
            "{keys} keys"
        );
    }
    let too_large = formats::SPLIT_BLOCK.bits_per_key_for_len(100, 1 << 62);
    assert!(
        matches!(too_large, Err(Error::FilterTooLarge { .. })),
        "{too_large:?}"
    );
}

#[test]
fn lengths_never_shrink_as_keys_become_more() {
    // Segments of binary fuse filters are whole.
    for format in formats()
        .into_iter()
        .filter(|&format| format.kind() != formats::BINARY_FUSE.kind())
    {
        for bits in [1, 2, 10, 33, 100] {
            let bytes = |keys: u64| format.filter_len(keys, BitsPerKey::whole(bits));
            let around = (949_999_900..950_000_100).chain([u64::MAX]);
            let mut last = 0;
            for keys in (0..3000).chain((3000..2_000_000).step_by(997)).chain(around) {
                let Ok(now) = bytes(keys) else { continue };
                assert!(now >= last, "{format:?}: {keys} keys at {bits} bits");
                last = now;
            }
            assert!(
                format.reach(1).is_some() || last <= (1 << 32) + 5,
                "{format:?}: {last}"
            );
        }
    }
}

#[test]
fn what_rocksdb_does_not_write_is_refused() {
    let few = BitsPerKey::fractional(0.49).unwrap();
    for format in formats().into_iter().filter(|format| format.reach(1).is_none()) {
        let error = format.filter_len(1, few).unwrap_err();
        assert_eq!(
            error.to_string(),
            "bits per key of RocksDB's formats must be at least 0.5, got 0.49"
        );
        assert_eq!(format.expected_rate(1, few), Err(error.clone()));
        assert_eq!(format.probe_count(1, few), Err(error));
        assert_eq!(format.capacity(1000, few), 0);
        assert!(matches!(
            format.bits_per_key_for_len(1, 8),
            Err(Error::OutOfDomain { .. })
        ));
    }
}
