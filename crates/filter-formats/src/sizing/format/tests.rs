//! Tests the sizes, limits and searches of every format, and compares sizes with the filters that policies write.

extern crate alloc;

use alloc::string::ToString as _;
use alloc::vec::Vec;

use super::*;

const FORMAT: Format = Format::LEVEL_DB;

#[test]
fn limits_at_the_edges() {
    for bits in [0.001, 0.3, 1.0, 7.5, 44.0, 1e9] {
        let bits_per_key = BitsPerKey::fractional(bits).unwrap();
        for bytes in [9, 10, 57, 100_001, 1 << 40] {
            let keys = FORMAT.max_keys(bytes, bits_per_key);
            let [taken, more] = [keys, keys + 1].map(|keys| FORMAT.filter_bytes(keys, bits_per_key).unwrap());
            assert!(
                taken <= bytes && more > bytes,
                "{bits}, {bytes} bytes: {keys} keys"
            );
        }
    }
    assert_eq!(FORMAT.max_keys(8, BitsPerKey::whole(10)), 0);
    assert_eq!(FORMAT.max_keys(9, BitsPerKey::whole(0)), u64::MAX);
    assert_eq!(FORMAT.bits_per_key_for_bytes(0, 9), Ok(BitsPerKey::MAX));
    assert_eq!(
        FORMAT.bits_per_key_for_bytes(1_000_000, 9),
        Ok(BitsPerKey::whole(0))
    );
    assert!(FORMAT.bits_per_key_for_bytes(1, 8).is_err());
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
    assert!(matches!(
        FORMAT.bits_per_key_for_rate(1_000, 0.0),
        Err(Error::OutOfDomain { .. })
    ));
    assert!(FORMAT.bits_per_key_for_rate(u64::MAX, 0.5).is_err());
}

#[test]
fn a_hash_of_32_bits_bounds_the_rate_from_below() {
    let rate = |keys, bits| FORMAT.rate(keys, BitsPerKey::whole(bits)).unwrap();
    // 10^7 / 2^32 is 0.2328 %; the share of distinct hash values is 0.2326 %.
    let found = rate(10_000_000, 100);
    assert!((found / 0.002_325_598 - 1.0).abs() < 1e-5, "{found}");
    assert_eq!(rate(0, 10), 0.0);
}

/// Compares the lengths and probe counts of formats with the filters that policies write.
#[cfg(feature = "alloc")]
mod of_policies {
    use alloc::format;

    use super::*;
    use crate::policies;
    use crate::view::{FilterKind, FilterView};
    use filter_policy::FilterPolicy as _;

    #[test]
    fn lengths_are_those_of_the_policies() {
        let (mut ribbons, mut exact) = (0, 0);
        for known in policies::ALL {
            let format = known.format();
            // At the edges of blocks, lines and kinds.
            for keys in [
                0, 1, 2, 6, 7, 32, 51, 52, 100, 240, 512, 700, 800, 900, 983, 1000, 2000, 4096, 5000, 60_000,
            ] {
                for bits in [0.5, 1.0, 2.0, 3.7, 8.0, 10.0, 15.5, 44.0, 100.0, 1000.0] {
                    let bits_per_key = BitsPerKey::fractional(bits).unwrap();
                    let policy = known.build(bits_per_key);
                    let stated = format.filter_bytes(keys, bits_per_key).unwrap();
                    let probes = format.probe_count(keys, bits_per_key).unwrap();
                    // The hash of the first key decides about 16 bytes of a Ribbon filter.
                    let less = if format == Format::RIBBON { 16 } else { 0 };
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
                        let at = format!(
                            "{}, {keys} keys at {bits} bits, {len} bytes, {stated} stated",
                            known.name()
                        );
                        assert!((stated.saturating_sub(less)..=stated).contains(&len), "{at}");
                        let view = FilterView::new(known.format(), &filter);
                        if keys > 0 && len == stated {
                            assert_eq!(view.probe_count(), probes, "{at}");
                        }
                        ribbons += u32::from(view.kind() == FilterKind::Filter(Format::RIBBON));
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
}

#[test]
fn searches_are_tight() {
    let (few, rates) = ([0, 1, 32, 300, 983, 1_000_000], [0.5, 0.01, 1e-3, 1e-6, 1e-9]);
    for (format, bits, keys, wanted, most) in [
        // LevelDB's rates take long.
        (
            Format::LEVEL_DB,
            18,
            &[1_000][..],
            &[0.9, 0.5, 0.1, 0.01, 1e-3][..],
            30_000,
        ),
        (Format::BLOOM64, 100, &few, &rates, 960_000_000),
        (Format::FAST_LOCAL_BLOOM, 100, &few, &rates, 960_000_000),
        (Format::RIBBON, 100, &few, &rates, 960_000_000),
        // With more keys, split blocks cannot have a hundred bits per key.
        (Format::SPLIT_BLOCK, 100, &few, &rates, 170_000_000),
    ] {
        for &keys in keys.iter().chain(&[most]) {
            let rates: Vec<f64> = (1..=bits)
                .map(|bits| format.rate(keys, BitsPerKey::whole(bits)).unwrap())
                .collect();
            for &wanted in wanted {
                let searched = rates.iter().zip(1..).find(|(rate, _)| **rate <= wanted);
                let found = format.bits_per_key_for_rate(keys, wanted);
                match searched {
                    Some((_, bits)) => {
                        let (found, bits) = (found.unwrap().get(), f64::from(bits));
                        let rate = |bits| format.rate(keys, BitsPerKey::fractional(bits).unwrap());
                        let at = alloc::format!("{format:?}, {keys} keys, {found} of {bits} bits");
                        assert!(
                            found > bits - 1.0 && found <= bits && rate(found).unwrap() <= wanted,
                            "{at}"
                        );
                        // Too few bits are an error in RocksDB's formats.
                        assert!(
                            rate(found - 0.01).is_ok_and(|rate| rate > wanted) || found < 0.51,
                            "{at}"
                        )
                    }
                    // Split blocks may reach the rate with more than a hundred bits per key.
                    None => assert!(
                        found.is_err()
                            || format == Format::SPLIT_BLOCK
                                && found.is_ok_and(|bits| {
                                    let fewer = BitsPerKey::fractional(bits.get() - 1.0).unwrap();
                                    bits > BitsPerKey::whole(100)
                                        && format.rate(keys, bits).unwrap() <= wanted
                                        && format.rate(keys, fewer).unwrap() > wanted
                                }),
                        "{format:?}, {keys} keys: {found:?}"
                    ),
                }
            }
            let sizes: Vec<u64> = (1..=bits)
                .map(|bits| format.filter_bytes(keys, BitsPerKey::whole(bits)).unwrap())
                .collect();
            assert!(sizes.is_sorted(), "{format:?}, {keys} keys: {sizes:?}");
            let [least, .., nearly_most, _] = sizes.as_slice() else {
                panic!("a hundred sizes")
            };
            let of_ten = format.filter_bytes(keys, BitsPerKey::whole(10)).unwrap();
            for bytes in [*least, of_ten, of_ten + 20, nearly_most + 1] {
                let found = format.bits_per_key_for_bytes(keys, bytes).unwrap();
                assert!(format.filter_bytes(keys, found).unwrap() <= bytes);
                let most = if format.reach.is_some() {
                    BitsPerKey::MAX
                } else {
                    BitsPerKey::whole(100)
                };
                if found < most {
                    let more = BitsPerKey::fractional(found.get() + 1.0).unwrap();
                    assert!(format.filter_bytes(keys, more).is_ok_and(|taken| taken > bytes));
                }
                let most = format.max_keys(bytes, BitsPerKey::whole(10));
                assert!(format.filter_bytes(most, BitsPerKey::whole(10)).unwrap() <= bytes);
                let grown = |keys| format.filter_bytes(keys, BitsPerKey::whole(10)).unwrap() > bytes;
                assert!(most.checked_add(1).is_none_or(grown));
            }
        }
    }
}

#[test]
fn lengths_never_shrink_as_keys_become_more() {
    for bits in [1, 2, 10, 33, 100] {
        for format in [Format::FAST_LOCAL_BLOOM, Format::RIBBON] {
            let bytes = |keys: u64| format.filter_bytes(keys, BitsPerKey::whole(bits)).unwrap();
            let around = (949_999_900..950_000_100).chain([u64::MAX]);
            let mut last = 0;
            for keys in (0..3000).chain((3000..2_000_000).step_by(997)).chain(around) {
                let now = bytes(keys);
                assert!(now >= last, "{format:?}: {keys} keys at {bits} bits");
                last = now;
            }
            assert!(last <= (1 << 32) + 5, "{format:?}: {last} bytes");
        }
    }
    // The filter grows no further.
    assert_eq!(
        Format::FAST_LOCAL_BLOOM.max_keys(1 << 33, BitsPerKey::whole(10)),
        u64::MAX
    );
}

#[test]
fn what_rocksdb_does_not_write_is_refused() {
    let few = BitsPerKey::fractional(0.49).unwrap();
    for format in [Format::FAST_LOCAL_BLOOM, Format::RIBBON] {
        let error = format.filter_bytes(1, few).unwrap_err();
        assert_eq!(
            error.to_string(),
            "bits per key of RocksDB's formats must be at least 0.5, got 0.49"
        );
        assert_eq!(format.rate(1, few), Err(error));
        assert_eq!(format.probe_count(1, few), Err(error));
        assert_eq!(format.max_keys(1000, few), 0);
        // The limits are 24 probes and half of a hash value.
        assert!(matches!(
            format.bits_per_key_for_rate(100_000, 1e-12),
            Err(Error::RateUnreachable { .. })
        ));
        assert!(matches!(
            format.bits_per_key_for_bytes(1, 8),
            Err(Error::OutOfDomain { .. })
        ));
    }
}

#[test]
fn no_64_bit_hash_goes_below_the_share_of_equal_values() {
    let least = 1000.0 / libm::ldexp(1.0, 64);
    for format in [
        Format::BLOOM64,
        Format::FAST_LOCAL_BLOOM,
        Format::RIBBON,
        Format::SPLIT_BLOCK,
    ] {
        match format.bits_per_key_for_rate(1000, least / 2.0) {
            Err(Error::RateUnreachable { lowest, .. }) => {
                assert!(lowest >= least * 0.999, "{format:?} {lowest}")
            }
            other => panic!("{format:?}: {other:?}"),
        }
    }
    let most = BitsPerKey::whole(1_000_000);
    let rate = Format::BLOOM64.rate(1000, most).unwrap();
    assert!((rate / least - 1.0).abs() < 1e-6, "{rate}");
}
