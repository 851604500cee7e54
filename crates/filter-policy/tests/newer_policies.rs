//! What must hold of the policies with 64-bit hashes and of RocksDB's, for all keys, all parameters and all bytes.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeSet;

use filter_policy::{
    BitsPerKey, BloomFilter64Policy, BloomFilter64View, BloomFilterPolicy, CacheLine, Error,
    FastLocalBloomPolicy, FilterPolicy, LegacyFullFilterPolicy, MATCHES_EVERYTHING, RocksDbBitsPerKey,
    RocksDbFilterKind, RocksDbFilterView,
};
use proptest::collection::vec;
use proptest::prelude::*;

fn any_bits_per_key() -> impl Strategy<Value = BitsPerKey> {
    (0.0..=60.0_f64).prop_map(|bits| BitsPerKey::fractional(bits).unwrap())
}

fn any_rocksdb_bits_per_key() -> impl Strategy<Value = RocksDbBitsPerKey> {
    (0.5..=110.0_f64).prop_map(|bits| RocksDbBitsPerKey::new(bits).unwrap())
}

/// The policies with 64-bit hashes and those of RocksDB.
fn newer_policies(bits: BitsPerKey, rocksdb_bits: RocksDbBitsPerKey) -> Vec<Box<dyn FilterPolicy>> {
    let legacy = LegacyFullFilterPolicy::new(rocksdb_bits);
    vec![
        Box::new(BloomFilter64Policy::new(bits)),
        Box::new(FastLocalBloomPolicy::new(rocksdb_bits)),
        Box::new(legacy),
        Box::new(legacy.with_line(CacheLine::Bytes128)),
        Box::new(legacy.with_line(CacheLine::Bytes256)),
        #[cfg(feature = "alloc")]
        Box::new(filter_policy::RibbonPolicy::new(rocksdb_bits)),
    ]
}

/// Tails that lead to every kind, and any bytes.
fn rocksdb_tail() -> impl Strategy<Value = [u8; 5]> {
    prop_oneof![
        any::<[u8; 5]>(),
        (0..=31_u8, 0..=1_u8).prop_map(|(probes, rest)| [0xff, 0, probes, rest, 0]),
        (any::<u8>(), 0..=9_u8).prop_map(|(seed, blocks)| [0xfe, seed, blocks, 0, 0]),
        (1..=127_u8, 0..=9_u8).prop_map(|(probes, lines)| [probes, lines, 0, 0, 0]),
    ]
}

/// Builds in a slice of the length that the policy asks for, with room behind it.
fn create(policy: &dyn FilterPolicy, keys: &[Vec<u8>]) -> Vec<u8> {
    let slices: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
    let len = policy.max_filter_len(keys.len()).unwrap();
    let mut out = vec![0xaa; len + 3];
    let filter = policy.create_filter(&slices, &mut out).unwrap().to_vec();
    assert!(filter.len() <= len);
    assert_eq!(out[len..], [0xaa; 3], "written beyond the filter");
    filter
}

#[test]
fn every_encoding_has_its_own_name() {
    let ten = BitsPerKey::whole(10);
    let mut names: Vec<String> = newer_policies(ten, RocksDbBitsPerKey::MIN)
        .iter()
        .map(|policy| policy.name().to_owned())
        .collect();
    // The length of a line is read from the filter.
    names.dedup();
    names.extend([
        BloomFilterPolicy::leveldb_builtin(ten).name().to_owned(),
        BloomFilterPolicy::bloom_filter2(ten).name().to_owned(),
        BloomFilterPolicy::bloom_filter2_signed_tail(ten)
            .name()
            .to_owned(),
        // Behind `filter.`, as LevelDB's engines store names, another encoding.
        RocksDbFilterView::COMPATIBILITY_NAME.to_owned(),
    ]);
    let distinct: BTreeSet<&String> = names.iter().collect();
    assert_eq!(distinct.len(), names.len(), "{names:?}");
}

#[test]
fn a_short_slice_is_an_error_that_says_how_much_is_needed() {
    // Ten keys and a repeat: the policies of RocksDB's size the filter by ten.
    let keys: Vec<Vec<u8>> = (0..11_u8).map(|i| vec![i.min(9)]).collect();
    let slices: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
    for policy in newer_policies(BitsPerKey::whole(60), RocksDbBitsPerKey::whole(52)) {
        let needed = create(&*policy, &keys).len();
        for given in [0, 1, 5, needed / 2, needed - 1] {
            let mut out = vec![0xaa; given];
            let error = policy.create_filter(&slices, &mut out).unwrap_err();
            assert_eq!(
                error,
                Error::BufferTooShort { needed, given },
                "{}",
                policy.name()
            );
        }
        let mut exact = vec![0; needed];
        assert!(
            policy.create_filter(&slices, &mut exact).is_ok(),
            "{}",
            policy.name()
        );
    }
}

/// Adapters store it where a filter cannot be made.
#[test]
fn what_matches_everything_does_so_under_every_policy() {
    for policy in newer_policies(BitsPerKey::whole(10), RocksDbBitsPerKey::MIN) {
        for key in [&b""[..], b"key", &[0xff; 300]] {
            assert!(
                policy.key_may_match(key, &MATCHES_EVERYTHING),
                "{}",
                policy.name()
            );
        }
    }
}

/// Those that take the last byte for k.
#[test]
fn readers_of_another_kind_deny_nothing() {
    let (ten, rocksdb_ten) = (BitsPerKey::whole(10), RocksDbBitsPerKey::whole(10));
    let policies = newer_policies(ten, rocksdb_ten);
    for count in [1_u32, 10, 2_000, 100_000] {
        let keys: Vec<Vec<u8>> = (0..count).map(|i| i.to_le_bytes().to_vec()).collect();
        for policy in &policies {
            let filter = create(&**policy, &keys);
            let readers: [&dyn FilterPolicy; 3] = [
                &BloomFilterPolicy::leveldb_builtin(ten),
                &BloomFilterPolicy::bloom_filter2(ten),
                &BloomFilter64Policy::new(ten),
            ];
            for reader in readers
                .into_iter()
                .filter(|reader| reader.name() != policy.name())
            {
                for absent in [&b""[..], b"absent", &[0xff; 300]] {
                    assert!(
                        reader.key_may_match(absent, &filter),
                        "{} by {}",
                        policy.name(),
                        reader.name()
                    );
                }
            }
        }
    }
}

proptest! {
    #[test]
    fn newer_policies_deny_no_key(
        keys in vec(vec(any::<u8>(), 0..40), 0..300),
        bits in any_bits_per_key(),
        rocksdb_bits in any_rocksdb_bits_per_key(),
    ) {
        for policy in newer_policies(bits, rocksdb_bits) {
            let filter = create(&*policy, &keys);
            for key in &keys {
                prop_assert!(policy.key_may_match(key, &filter), "{}: {:x?} is denied", policy.name(), key);
            }
        }
    }

    /// Of equal keys in a row RocksDB's policies see one, however the filter is built.
    #[test]
    fn repeated_keys_leave_no_trace_in_rocksdbs_filters(
        runs in vec((vec(any::<u8>(), 0..4), 1..4_usize), 0..200),
        rocksdb_bits in any_rocksdb_bits_per_key(),
    ) {
        let once: Vec<Vec<u8>> = runs.iter().map(|(key, _)| key.clone()).collect();
        let repeated: Vec<Vec<u8>> = runs
            .iter()
            .flat_map(|(key, times)| std::iter::repeat_n(key.clone(), *times))
            .collect();
        for policy in newer_policies(BitsPerKey::whole(10), rocksdb_bits).into_iter().skip(1) {
            let filter = create(&*policy, &repeated);
            prop_assert_eq!(&filter, &create(&*policy, &once), "{}", policy.name());
            #[cfg(feature = "alloc")]
            {
                let slices: Vec<&[u8]> = repeated.iter().map(Vec::as_slice).collect();
                let mut appended = b"prefix".to_vec();
                policy.append_filter(&slices, &mut appended).unwrap();
                prop_assert_eq!(appended.strip_prefix(b"prefix").unwrap(), &filter);
            }
        }
        let policy = FastLocalBloomPolicy::new(rocksdb_bits);
        let mut exact = vec![0; create(&policy, &repeated).len()];
        prop_assert!(policy.build_in(&repeated, &mut exact).is_ok(), "fits when counted");
    }

    /// Against a vector of flags.
    #[test]
    fn bloom64_filters_are_those_of_the_oracle(
        hashes in vec(any::<u64>(), 0..300),
        others in vec(any::<u64>(), 50),
        bits in 0..=60_u32,
    ) {
        let policy = BloomFilter64Policy::new(BitsPerKey::whole(bits));
        let mut filter = vec![0xaa; policy.filter_len(hashes.len()).unwrap()];
        policy.build_hashes_in(hashes.iter().copied(), &mut filter).unwrap();
        let size = (filter.len() - 1) * 8;
        let probes = policy.probe_count(hashes.len()).unwrap();
        let positions = |hash: u64| -> Vec<usize> {
            let mut walk = u128::from(hash);
            let mut next = || {
                let position = (walk * size as u128) >> 64;
                walk = walk * 0xf135_7aea_2e62_a9c5 % (1 << 64);
                usize::try_from(position).unwrap()
            };
            (0..probes).map(|_| next()).collect()
        };
        let mut flags = vec![false; size];
        for position in hashes.iter().flat_map(|&hash| positions(hash)) {
            flags[position] = true;
        }
        let view = BloomFilter64View::new(&filter);
        prop_assert_eq!(view.probe_count(), Some(probes));
        for (at, &flag) in flags.iter().enumerate() {
            prop_assert_eq!(view.bit_array()[at / 8] >> (at % 8) & 1 == 1, flag);
        }
        for hash in others {
            let answer = positions(hash).into_iter().all(|at| flags[at]);
            prop_assert_eq!(view.may_match_hash(hash), answer);
        }
    }

    /// Whatever the bytes and the tail, every reader answers, by the rule of the kind.
    #[test]
    fn any_bytes_have_an_answer_of_rocksdbs(
        mut filter in vec(any::<u8>(), 0..400),
        tail in rocksdb_tail(),
        key in vec(any::<u8>(), 0..40),
    ) {
        filter.extend(tail);
        let view = RocksDbFilterView::new(&filter);
        let answer = view.may_match(&key);
        let rate = view.false_positive_rate();
        prop_assert!((0.0..=1.0).contains(&rate), "{}", rate);
        match view.kind() {
            RocksDbFilterKind::Empty => prop_assert!(!answer && filter.len() <= 5 && rate == 0.0),
            RocksDbFilterKind::Reserved => prop_assert!(answer && rate == 1.0 && view.bits() == 0),
            RocksDbFilterKind::Ribbon => prop_assert_eq!((view.probe_count(), view.ones()), (None, None)),
            RocksDbFilterKind::LegacyBloom | RocksDbFilterKind::FastLocalBloom => {
                prop_assert!(view.bits() <= (filter.len() as u64 - 5) * 8);
                prop_assert!(view.ones().is_some_and(|ones| ones <= view.bits()));
                prop_assert!(answer || view.ones() < Some(view.bits()));
            }
            kind => panic!("{kind:?} is new"),
        }
        for policy in newer_policies(BitsPerKey::whole(10), RocksDbBitsPerKey::MIN).into_iter().skip(1) {
            prop_assert_eq!(policy.key_may_match(&key, &filter), answer);
        }
    }
}
