//! Tests the sizes, limits and searches of every format, and compares sizes with the filters that policies write.

extern crate alloc;

use alloc::string::ToString as _;
use alloc::vec::Vec;

use super::*;

const FORMAT: Format = Format::LEVEL_DB;

#[test]
fn limits_are_tight() {
    for bits in [0.001, 0.3, 1.0, 7.5, 10.0, 44.0, 1e9] {
        let bits_per_key = BitsPerKey::fractional(bits).unwrap();
        for bytes in [9, 10, 57, 100_001, 1 << 40] {
            let keys = FORMAT.max_keys(bytes, bits_per_key);
            assert!(FORMAT.filter_bytes(keys, bits_per_key).unwrap() <= bytes);
            assert!(
                FORMAT.filter_bytes(keys + 1, bits_per_key).unwrap() > bytes,
                "{bits}, {bytes} bytes"
            );
        }
    }
    assert_eq!(FORMAT.max_keys(8, BitsPerKey::whole(10)), 0);
    assert_eq!(FORMAT.max_keys(9, BitsPerKey::whole(0)), u64::MAX);

    for (keys, bytes) in [(1, 9), (7, 10), (1_000, 1_251), (45_402, 56_754)] {
        let found = FORMAT.bits_per_key_for_bytes(keys, bytes).unwrap();
        assert!(FORMAT.filter_bytes(keys, found).unwrap() <= bytes);
        let more = BitsPerKey::fractional(found.get() + 1.0).unwrap();
        assert!(FORMAT.filter_bytes(keys, more).unwrap() > bytes);
    }
    assert_eq!(FORMAT.bits_per_key_for_bytes(0, 9), Ok(BitsPerKey::MAX));
    assert_eq!(
        FORMAT.bits_per_key_for_bytes(1_000_000, 9),
        Ok(BitsPerKey::whole(0))
    );
    assert!(FORMAT.bits_per_key_for_bytes(1, 8).is_err());
}

#[test]
fn the_bits_per_key_found_are_the_smallest() {
    for keys in [1_000, 30_000] {
        let rates: Vec<f64> = (1..=18)
            .map(|bits| FORMAT.rate(keys, BitsPerKey::whole(bits)).unwrap())
            .collect();
        for wanted in [0.9, 0.5, 0.1, 0.01, 1e-3] {
            let searched = rates.iter().zip(1..).find(|(rate, _)| **rate <= wanted);
            let searched = searched.map(|(_, bits)| BitsPerKey::whole(bits));
            let found = FORMAT.bits_per_key_for_rate(keys, wanted);
            match searched {
                Some(bits) => assert_eq!(found, Ok(bits), "{keys} keys at {wanted}"),
                None => assert!(found.is_err(), "{keys} keys at {wanted}: {found:?}"),
            }
        }
    }
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
mod policies {
    use alloc::format;

    use super::*;
    use crate::BloomFilter64Policy;
    use crate::parquet::SplitBlockBloomPolicy;
    use crate::rocksdb::{FastLocalBloomPolicy, RibbonPolicy};
    use crate::view::{FilterKind, FilterLayout, FilterView};
    use filter_policy::{BloomFilterPolicy, FilterPolicy as _, HashedPolicy as _};

    /// Numbers of keys and bits per key at the edges of blocks, lines and kinds.
    const KEYS: [usize; 20] = [
        0, 1, 2, 6, 7, 32, 51, 52, 100, 240, 512, 700, 800, 900, 983, 1000, 2000, 4096, 5000, 60_000,
    ];
    const BITS: [f64; 10] = [0.5, 1.0, 2.0, 3.7, 8.0, 10.0, 15.5, 44.0, 100.0, 1000.0];

    #[test]
    fn lengths_are_those_of_the_policies() {
        for keys in KEYS {
            for bits in BITS {
                let bits_per_key = BitsPerKey::fractional(bits).unwrap();
                let bytes = |format: Format| format.filter_bytes(keys as u64, bits_per_key).unwrap();
                let at = format!("{keys} keys at {bits} bits");

                let policy = BloomFilterPolicy::leveldb_builtin(bits_per_key);
                assert_eq!(
                    bytes(Format::LEVEL_DB),
                    policy.max_filter_len(keys).unwrap() as u64,
                    "{at}"
                );

                let policy = BloomFilter64Policy::new(bits_per_key);
                assert_eq!(
                    bytes(Format::BLOOM64),
                    policy.max_filter_len(keys).unwrap() as u64,
                    "{at}"
                );
                let filter = policy.build_hashes(0..keys as u64).unwrap();
                assert_eq!(
                    Format::BLOOM64.probe_count(keys as u64, bits_per_key),
                    Ok(probes_of(FilterLayout::BLOOM64, &filter)),
                    "{at}"
                );

                let policy = SplitBlockBloomPolicy::new(bits_per_key);
                let len = policy.max_filter_len(keys).unwrap();
                assert_eq!(bytes(Format::SPLIT_BLOCK), len as u64, "{at}");
                let probes = Format::SPLIT_BLOCK.probe_count(keys as u64, bits_per_key);
                assert_eq!(
                    probes,
                    Ok(probes_of(FilterLayout::SPLIT_BLOCK, &alloc::vec![0; len])),
                    "{at}"
                );

                let policy = FastLocalBloomPolicy::new(bits_per_key);
                let len = policy.max_filter_len(keys).unwrap();
                assert_eq!(bytes(Format::FAST_LOCAL_BLOOM), len as u64, "{at}");
                let filter = policy.build_hashes(0..keys as u64).unwrap();
                let probes = Format::FAST_LOCAL_BLOOM.probe_count(keys as u64, bits_per_key);
                assert_eq!(
                    probes.map(|probes| probes.filter(|_| keys > 0)),
                    Ok(probes_of(FilterLayout::ROCKS_DB, &filter)),
                    "{at}"
                );
            }
        }
    }

    fn probes_of(layout: FilterLayout, filter: &[u8]) -> Option<u8> {
        FilterView::new(layout, filter).probe_count()
    }

    #[test]
    fn lengths_are_those_of_the_ribbon_policy() {
        let (mut ribbons, mut exact) = (0, 0);
        for keys in KEYS {
            for bits in BITS {
                let bits_per_key = BitsPerKey::fractional(bits).unwrap();
                let policy = RibbonPolicy::new(bits_per_key);
                let stated = Format::RIBBON.filter_bytes(keys as u64, bits_per_key).unwrap();
                // Several first keys, because the hash of the first decides about 16 bytes.
                for first in 0..if keys > 5000 { 1 } else { 6_u32 } {
                    let keys_from = (first * 100_000..).take(keys).map(u32::to_le_bytes);
                    let filter = policy.build(keys_from).unwrap();
                    let len = filter.len() as u64;
                    let at = format!("{keys} keys at {bits} bits, {len} bytes, {stated} stated");
                    assert!((stated.saturating_sub(16)..=stated).contains(&len), "{at}");
                    exact += usize::from(len == stated);

                    let view = FilterView::new(FilterLayout::ROCKS_DB, &filter);
                    let probes = Format::RIBBON.probe_count(keys as u64, bits_per_key).unwrap();
                    let is_ribbon = view.kind() == FilterKind::RIBBON;
                    ribbons += usize::from(is_ribbon);
                    if keys > 0 && len == stated {
                        assert_eq!(
                            (probes, probes.is_none()),
                            (view.probe_count(), is_ribbon),
                            "{at}"
                        );
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
fn searches_in_the_newer_formats_are_tight() {
    for format in [
        Format::BLOOM64,
        Format::FAST_LOCAL_BLOOM,
        Format::RIBBON,
        Format::SPLIT_BLOCK,
    ] {
        // With more keys, split blocks cannot have a hundred bits per key.
        let most = if format == Format::SPLIT_BLOCK {
            170_000_000
        } else {
            960_000_000
        };
        for keys in [0, 1, 32, 300, 983, 1_000_000, most] {
            let rates: Vec<f64> = (1..=100)
                .map(|bits| format.rate(keys, BitsPerKey::whole(bits)).unwrap())
                .collect();
            for wanted in [0.5, 0.01, 1e-3, 1e-6, 1e-9] {
                let searched = rates.iter().zip(1..).find(|(rate, _)| **rate <= wanted);
                let found = format.bits_per_key_for_rate(keys, wanted);
                match searched {
                    Some((_, bits)) => {
                        assert_eq!(found, Ok(BitsPerKey::whole(bits)), "{format:?}, {keys} keys")
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
            let sizes: Vec<u64> = (1..=100)
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
