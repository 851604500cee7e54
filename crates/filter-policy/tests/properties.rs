//! What must hold for all keys, all parameters and all bytes.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use filter_policy::{
    BitsPerKey, BloomFilter64Policy, BloomFilter64View, BloomFilterPolicy, FilterKind, FilterPolicy,
    FilterView, KeyHasher, LevelDbHash, Murmur2, Murmur2SignedTail,
};
use proptest::collection::{hash_set, vec};
use proptest::prelude::*;

/// A textbook Bloom filter with LevelDB's probe sequence: a vector of flags and 64-bit arithmetic.
struct Oracle {
    flags: Vec<bool>,
    probes: u64,
}

impl Oracle {
    fn new(hashes: &[u32], bits_per_key: u32) -> Self {
        let bits = (hashes.len() as u64 * u64::from(bits_per_key))
            .max(64)
            .div_ceil(8)
            * 8;
        let probes = (u64::from(bits_per_key) * 69 / 100).clamp(1, 30);
        let mut oracle = Self {
            flags: vec![false; usize::try_from(bits).unwrap()],
            probes,
        };
        for &hash in hashes {
            for position in oracle.positions(hash) {
                oracle.flags[position] = true;
            }
        }
        oracle
    }

    fn positions(&self, hash: u32) -> Vec<usize> {
        let stride = u64::from(hash >> 17) | u64::from(hash) << 15 & 0xffff_ffff;
        let bits = self.flags.len();
        (0..self.probes)
            .map(|i| usize::try_from((u64::from(hash) + i * stride) & 0xffff_ffff).unwrap() % bits)
            .collect()
    }

    fn may_match(&self, hash: u32) -> bool {
        self.positions(hash)
            .into_iter()
            .all(|position| self.flags[position])
    }

    fn to_filter(&self) -> Vec<u8> {
        let byte = |flags: &[bool]| {
            flags
                .iter()
                .enumerate()
                .map(|(i, &flag)| u8::from(flag) << i)
                .sum::<u8>()
        };
        let mut filter: Vec<u8> = self.flags.chunks(8).map(byte).collect();
        filter.push(u8::try_from(self.probes).unwrap());
        filter
    }
}

/// The rules for reading, written down a second time.
fn answer_by_the_rules(hash: u32, filter: &[u8]) -> bool {
    match filter {
        [] | [_] => false,
        [.., probes] if *probes > 30 => true,
        [bit_array @ .., probes] => {
            let flags = bit_array
                .iter()
                .flat_map(|byte| (0..8).map(move |i| byte >> i & 1 == 1))
                .collect();
            Oracle {
                flags,
                probes: u64::from(*probes),
            }
            .may_match(hash)
        }
    }
}

fn build_hashes(hashes: &[u32], bits_per_key: BitsPerKey) -> Vec<u8> {
    let policy = BloomFilterPolicy::bloom_filter2(bits_per_key);
    let mut filter = vec![0xaa; policy.filter_len(hashes.len()).unwrap()];
    policy
        .build_hashes_in(hashes.iter().copied(), &mut filter)
        .unwrap();
    filter
}

/// No key is denied; the ways of building agree; the policy, the view and the trait object answer alike.
fn check_policy<H: KeyHasher>(hasher: H, bits_per_key: BitsPerKey, keys: &[Vec<u8>], others: &[Vec<u8>]) {
    let policy = BloomFilterPolicy::with_hasher(hasher, bits_per_key);
    let len = policy.filter_len(keys.len()).unwrap();
    let mut from_keys = vec![0xaa; len];
    policy.build_in(keys, &mut from_keys).unwrap();

    let hashes: Vec<u32> = keys.iter().map(|key| policy.hasher().hash(key)).collect();
    assert_eq!(from_keys, build_hashes(&hashes, bits_per_key));

    let object: &dyn FilterPolicy = &policy;
    let slices: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
    let mut longer = vec![0xaa; len + 3];
    assert_eq!(object.create_filter(&slices, &mut longer).unwrap(), from_keys);
    assert_eq!(longer[len..], [0xaa; 3], "written beyond the filter");
    assert_eq!(object.max_filter_len(keys.len()), Ok(len));

    #[cfg(feature = "alloc")]
    {
        let prefix = b"prefix".to_vec();
        let expected = [&prefix[..], &from_keys].concat();
        let mut appended = prefix.clone();
        policy.append(keys, &mut appended).unwrap();
        assert_eq!(appended, expected);
        let mut uncounted = prefix.clone();
        policy
            .append(keys.iter().filter(|_| true), &mut uncounted)
            .unwrap();
        assert_eq!(uncounted, expected);
        let mut from_hashes = prefix.clone();
        policy
            .append_hashes(hashes.iter().copied(), &mut from_hashes)
            .unwrap();
        assert_eq!(from_hashes, expected);
        let mut by_object = prefix.clone();
        object.append_filter(&slices, &mut by_object).unwrap();
        assert_eq!(by_object, expected);
        assert_eq!(policy.build(keys).unwrap(), from_keys);
    }

    let view = FilterView::new(&from_keys);
    for key in keys {
        assert!(policy.key_may_match(key, &from_keys), "{key:x?} is denied");
        assert!(
            view.may_match(policy.hasher(), key),
            "{key:x?} is denied by the view"
        );
    }
    for key in others {
        let answer = answer_by_the_rules(policy.hasher().hash(key), &from_keys);
        assert_eq!(policy.key_may_match(key, &from_keys), answer);
        assert_eq!(object.key_may_match(key, &from_keys), answer);
        assert_eq!(view.may_match(policy.hasher(), key), answer);
    }
}

fn any_bits_per_key() -> impl Strategy<Value = BitsPerKey> {
    prop_oneof![
        (0..=100_u32).prop_map(BitsPerKey::whole),
        (0.0..=60.0_f64).prop_map(|bits| BitsPerKey::fractional(bits).unwrap()),
    ]
}

/// `floor(keys * bits_per_key)` without looking at the double's encoding: the fraction is taken apart by
/// doubling, and multiplied by Horner's rule, in which `floor((a + x) / 2) = floor((a + floor(x)) / 2)` keeps
/// every step whole.
fn exact_product(keys: u64, bits_per_key: f64) -> u128 {
    let integer = bits_per_key.trunc();
    let mut fraction = bits_per_key - integer;
    let mut bits = Vec::new();
    while fraction > 0.0 {
        fraction *= 2.0;
        bits.push(fraction >= 1.0);
        fraction -= fraction.trunc();
    }
    let of_fraction = bits
        .iter()
        .rev()
        .fold(0_u128, |sum, &bit| (sum + u128::from(keys) * u128::from(bit)) / 2);
    u128::from(keys) * integer as u128 + of_fraction
}

proptest! {
    #[test]
    fn any_bytes_have_an_answer(
        filter in vec(any::<u8>(), 0..80),
        key in vec(any::<u8>(), 0..40),
        hash: u32,
    ) {
        let view = FilterView::new(&filter);
        prop_assert_eq!(view.may_match_hash(hash), answer_by_the_rules(hash, &filter));
        prop_assert_eq!(
            BloomFilterPolicy::leveldb_builtin(BitsPerKey::whole(10)).key_may_match(&key, &filter),
            answer_by_the_rules(LevelDbHash.hash(&key), &filter)
        );

        let rate = view.false_positive_rate();
        prop_assert!((0.0..=1.0).contains(&rate));
        match view.kind() {
            FilterKind::Bloom => {
                let (last, bit_array) = filter.split_last().unwrap();
                prop_assert_eq!((view.bit_array(), view.probe_count()), (bit_array, Some(*last)));
                prop_assert_eq!(view.bits(), bit_array.len() as u64 * 8);
                let ones = bit_array.iter().map(|byte| u64::from(byte.count_ones())).sum::<u64>();
                prop_assert_eq!(view.ones(), ones);
                prop_assert_eq!(view.fill_ratio(), Some(ones as f64 / view.bits() as f64));
            }
            kind => {
                prop_assert_eq!((view.bit_array(), view.bits(), view.ones()), (&[][..], 0, 0));
                prop_assert_eq!((view.probe_count(), view.fill_ratio()), (None, None));
                prop_assert_eq!(view.estimated_keys(), None);
                prop_assert_eq!(rate, if kind == FilterKind::Reserved { 1.0 } else { 0.0 });
            }
        }
        if let Some(keys) = view.estimated_keys() {
            prop_assert!(keys.is_finite() && keys >= 0.0 && keys.is_sign_positive());
        }
    }

    /// Like the test above, with a last byte that makes most of the filters Bloom filters.
    #[test]
    fn any_bit_array_has_an_answer(mut filter in vec(any::<u8>(), 1..200), probes in 0..32_u8, hash: u32) {
        filter.push(probes);
        prop_assert_eq!(FilterView::new(&filter).may_match_hash(hash), answer_by_the_rules(hash, &filter));
    }

    #[test]
    fn no_key_is_ever_denied(
        keys in vec(vec(any::<u8>(), 0..40), 0..200),
        others in vec(vec(any::<u8>(), 0..40), 0..50),
        bits_per_key in any_bits_per_key(),
        seed: u32,
    ) {
        check_policy(Murmur2::new(), bits_per_key, &keys, &others);
        check_policy(Murmur2::with_seed(seed), bits_per_key, &keys, &others);
        check_policy(Murmur2SignedTail, bits_per_key, &keys, &others);
        check_policy(LevelDbHash, bits_per_key, &keys, &others);
    }

    #[test]
    fn filters_are_those_of_the_oracle(
        hashes in vec(any::<u32>(), 0..500),
        others in vec(any::<u32>(), 100),
        bits in 0..=60_u32,
    ) {
        let oracle = Oracle::new(&hashes, bits);
        let filter = build_hashes(&hashes, BitsPerKey::whole(bits));
        prop_assert_eq!(&filter, &oracle.to_filter());
        let view = FilterView::new(&filter);
        for hash in others {
            prop_assert_eq!(view.may_match_hash(hash), oracle.may_match(hash));
        }
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

    #[test]
    fn the_order_of_keys_leaves_no_trace(
        hashes in vec(any::<u32>(), 0..300),
        bits_per_key in any_bits_per_key(),
    ) {
        let mut sorted = hashes.clone();
        sorted.sort_unstable();
        prop_assert_eq!(build_hashes(&hashes, bits_per_key), build_hashes(&sorted, bits_per_key));
    }

    #[test]
    fn fractions_are_multiplied_exactly(
        keys in prop_oneof![any::<u64>(), 0..10_000_000_u64],
        bits in prop_oneof![
            0.0..=100.0_f64,
            0.0..=4_294_967_295.0_f64,
            0.0..=1e-9_f64,
            (0..1_000_u32).prop_map(|tenths| f64::from(tenths) / 10.0),
        ],
    ) {
        let exact = exact_product(keys, bits);
        let expected = u64::try_from(exact).ok().and_then(|bits| bits.max(64).checked_next_multiple_of(8));
        prop_assert_eq!(BitsPerKey::fractional(bits).unwrap().filter_bits(keys).ok(), expected);
    }

    #[test]
    fn every_encoding_has_its_own_name(seed: u32, other: u32) {
        let of_seed = Murmur2::with_seed(seed);
        prop_assert_eq!(of_seed.policy_name() == "BloomFilter2", seed == 5381);
        prop_assert_eq!(of_seed.policy_name() == Murmur2::with_seed(other).policy_name(), seed == other);
        prop_assert_ne!(of_seed.policy_name(), Murmur2SignedTail.policy_name());
        prop_assert_ne!(of_seed.policy_name(), LevelDbHash.policy_name());
        if seed != 5381 {
            prop_assert_eq!(of_seed.policy_name(), format!("BloomFilter2.Seed{seed:08x}"));
        }
    }

    #[test]
    fn keys_are_estimated_within_sampling_error(hashes in hash_set(any::<u32>(), 500..2_000)) {
        let count = hashes.len() as f64;
        let hashes: Vec<u32> = hashes.into_iter().collect();
        let filter = build_hashes(&hashes, BitsPerKey::whole(10));
        let estimate = FilterView::new(&filter).estimated_keys().unwrap();
        prop_assert!((estimate / count - 1.0).abs() < 0.1, "{} for {} keys", estimate, count);
    }
}
