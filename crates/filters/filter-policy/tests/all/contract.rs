//! The contract, over every policy: all ways to build give the same bytes and all ways to query the same answers,
//! errors are the same everywhere, no key is denied, and no bytes make a reader panic.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;

use filter_policy::formats;
use filter_policy::leveldb::{LevelDbHash, Murmur2};
use filter_policy::policies::{self, AnyPolicy as Boxed};
use filter_policy::rocksdb::FastLocalBloomPolicy;
use filter_policy::{
    Answers, BitsPerKey, BloomFilterPolicy, Error, FilterBytes, FilterPolicy, HashFunctionId, HashedKey,
    KeyHash, KeyHashes, MATCHES_EVERYTHING, OwnedFilter, Policy, PreparedFilter, contract,
};
use proptest::collection::vec;
use proptest::prelude::*;

use super::support::any_bytes::{any_bits_per_key, any_filter};
use super::support::formats::{AnyPolicy, ROWS, Seeded};
use super::support::list::List;
use super::support::random::slices;
use super::support::ways::{Hashes, check_all, check_bytes, check_many, filter_of};

const TEN: BitsPerKey = BitsPerKey::whole(10);

/// Every policy on every kernel.
fn every(bits: BitsPerKey) -> impl Iterator<Item = Box<dyn AnyPolicy>> {
    ROWS.iter().flat_map(move |row| row.on_kernels(bits))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn all_ways_agree(
        keys in vec(vec(any::<u8>(), 0..40), 0..300),
        others in vec(vec(any::<u8>(), 0..40), 0..100),
        times in 1..4_usize,
        bits in any_bits_per_key(),
    ) {
        let keys: Vec<&[u8]> = slices(&keys).into_iter().flat_map(|key| std::iter::repeat_n(key, times)).collect();
        check_all(bits, &keys, &slices(&others));
    }

    #[test]
    fn any_bytes_are_read(filter in any_filter(), keys in vec(vec(any::<u8>(), 0..40), 1..70)) {
        check_bytes(&filter, &slices(&keys));
    }
}

#[test]
fn every_policy_keeps_the_public_contract() {
    let mut names = BTreeSet::new();
    for row in ROWS {
        for policy in row.on_kernels(TEN) {
            let rate = contract::check(&policy, row.checksum);
            assert_eq!(policy.bits_per_key(), Some(TEN), "{policy:?}");
            for keys in (1..300).chain([3_000]) {
                let room = policy.max_filter_len(keys).unwrap();
                assert!(policy.capacity(room) >= keys, "{policy:?}, {keys} keys");
            }
            // A filter of so few keys leaves a binary fuse filter four bits each, and a single probe matches one key in
            // ten.
            assert!((0.004..0.1).contains(&rate), "{policy:?}: {rate}");
            names.insert(policy.name().to_owned());
        }
    }
    for known in formats::ALL {
        assert!(
            names.contains(known.name()),
            "{} must have a row in support/formats.rs",
            known.name()
        );
    }
    for (name, checksum) in [
        ("BloomFilter2.Prefix.Fixed2", 0xb9db_e852_8181_a543),
        ("BloomFilter2.Prefix.Separated0x2f", 0xcaf5_135a_7f80_9f08),
    ] {
        contract::check(&policies::by_name(name, TEN).unwrap(), checksum);
    }
    contract::check(&Policy::of(List::new(7)), 0xf72e_7c13_9c1c_1e40);
}

/// An iterator with a wrong size hint.
#[derive(Clone)]
struct Liar {
    announced: usize,
    left: u32,
}

impl Iterator for Liar {
    type Item = Vec<u8>;

    fn next(&mut self) -> Option<Vec<u8>> {
        self.left = self.left.checked_sub(1)?;
        Some(self.left.to_le_bytes().to_vec())
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.announced, Some(self.announced))
    }
}

#[test]
fn a_wrong_length_costs_no_key() {
    for policy in every(TEN) {
        for (announced, left) in [(0, 1000), (1, 1000), (999, 1000), (1001, 1000), (1000, 0), (0, 0)] {
            let mut keys = Liar { announced, left };
            let filter = policy.build(&mut keys.clone()).unwrap();
            assert!(
                keys.all(|key| policy.key_may_match(&key, &filter)),
                "{policy:?}: {announced} for {left}"
            );
        }
    }
}

/// Policies that count keys refuse more than fit; RocksDB's stop growing.
#[test]
fn more_keys_than_fit() {
    for policy in every(BitsPerKey::MAX) {
        let grows = !policy.name().starts_with("rocksdb.");
        let len = policy.max_filter_len(usize::MAX);
        if let Err(Error::FilterTooLarge { most, .. }) = len {
            let len = |keys: u64| policy.max_filter_len(usize::try_from(keys).unwrap());
            assert!(
                grows && len(most).is_ok() && len(most + 1).is_err(),
                "{policy:?}: {most}"
            );
        } else {
            assert!(!grows && len.unwrap() < 5 << 30, "{policy:?}");
        }
        let announced = usize::MAX;
        let error = policy.build(&mut Liar { announced, left: 3 }).unwrap_err();
        assert_eq!(matches!(error, Error::FilterTooLarge { .. }), grows, "{policy:?}");
    }
}

#[test]
fn memory_that_is_not_there() {
    let policy = BloomFilterPolicy::new(BitsPerKey::MAX);
    // Addressable, but more than any allocator has.
    let keys: Vec<&[u8]> = vec![b""; 1 << 20];
    let mut out = b"what was there".to_vec();
    let bytes = policy.max_filter_len(keys.len()).unwrap();
    assert_eq!(
        policy.append_filter(&keys, &mut out),
        Err(Error::AllocationFailed { bytes })
    );
    assert_eq!(out, b"what was there");
}

/// Hash values are used only in filters of their function: no call with another one denies a stored key or panics.
#[test]
fn a_key_hashed_under_another_policy_is_not_denied() {
    let keys: Vec<[u8; 4]> = (0..300_u32).map(u32::to_be_bytes).collect();
    let mut all: Vec<Box<dyn AnyPolicy>> = ROWS.iter().map(|row| (row.policy)(TEN)).collect();
    for seed in [8, 5381] {
        all.push(Box::new(BloomFilterPolicy::with_seed(seed, TEN)));
        all.push(Box::new(BloomFilterPolicy::with_hasher(Seeded(seed), TEN)));
        all.push(Box::new(Policy::of(List::new(seed.into()))));
    }
    let function = |policy: &dyn AnyPolicy| policy.key_hash(b"").unwrap().function();
    for policy in &all {
        let filter = filter_of(policy, &keys);
        let (owned, prepared) = (OwnedFilter::new(policy, &filter), policy.prepare(&filter));
        for other in &all {
            let at = format!("{other:?} in a filter of {policy:?}");
            let shared = function(&**other) == function(&**policy);
            for key in &keys {
                let hashed = HashedKey::new(other, key);
                let hash = hashed.hash().unwrap();
                let answers = [
                    owned.may_match_hashed(&hashed),
                    prepared.may_match_hashed(&hashed),
                    policy.hashed_may_match(key, hash, &filter),
                    owned.may_match_hash(hash),
                ];
                assert_eq!(answers, [true; 4], "{at}");
                assert_eq!(shared, hash == policy.key_hash(key).unwrap(), "{at}");
            }
            let hashes = keys.iter().map(|key| other.key_hash(key).unwrap().value());
            let hashes = Hashes::new(function(&**other), hashes);
            check_many(&mut [0; 5], &[true; 300], &|| at.clone(), &|answers| {
                prepared.may_match_hashes(hashes.get(), answers)
            });
            // A value of the other width is of no function that policies have.
            let of_other_width = match function(&**other).bits() {
                64 => KeyHash::new(function(&**other), 1_u32),
                _ => KeyHash::new(function(&**other), 1_u64),
            };
            assert!(prepared.may_match_hash(of_other_width), "{at}");
            assert!(policy.hashed_may_match(&keys[0], of_other_width, &filter), "{at}");
            // Policies of one function share all values, others hardly one.
            let values = |policy: &dyn AnyPolicy| -> Vec<u64> {
                let keys = (0..99_u8).map(|len| vec![0xff - len; len.into()]);
                keys.map(|key| policy.key_hash(&key).unwrap().value()).collect()
            };
            assert_eq!(shared, values(&**policy) == values(&**other), "{at}");
            let mut room = vec![0; policy.max_filter_len(1).unwrap()];
            for hashes in [
                KeyHashes::new(function(&**other), &[1_u64]),
                KeyHashes::new(function(&**other), &[1_u32]),
            ] {
                let is_own = shared && hashes.values::<u64>().is_some() == (function(&**policy).bits() == 64);
                assert_eq!(
                    policy.create_from_hashes(hashes, &mut room).is_ok(),
                    is_own,
                    "{at}"
                );
            }
        }
    }
    let kafka = BloomFilterPolicy::with_seed(0x9747_b28c, TEN);
    assert_eq!(
        function(&kafka),
        function(&BloomFilterPolicy::with_hasher(
            Murmur2::with_seed(0x9747_b28c),
            TEN
        ))
    );
}

/// The functions of a format read the bytes that were prepared, and no others.
#[test]
fn an_owned_filter_of_changing_bytes_does_not_panic() {
    struct Changing(Cell<usize>, Vec<u8>);

    impl AsRef<[u8]> for Changing {
        fn as_ref(&self) -> &[u8] {
            let len = self.0.replace(self.0.get() / 2);
            &self.1[..len]
        }
    }

    let keys: Vec<[u8; 4]> = (0..2_000_u32).map(u32::to_le_bytes).collect();
    for policy in every(TEN) {
        let filter = filter_of(&policy, &keys);
        let owned = OwnedFilter::new(policy, Changing(Cell::new(filter.len()), filter));
        for key in keys.iter().take(20) {
            owned.may_match(key);
            owned
                .may_match_many(&keys[..64], &mut Answers::new(&mut [0]))
                .unwrap();
        }
    }
}

/// A policy that overrides every method.
struct Full(BloomFilterPolicy<LevelDbHash>);

fn seven() -> KeyHash {
    KeyHash::new(HashFunctionId::XXH3, 7_u64)
}

impl FilterPolicy for Full {
    fn name(&self) -> &str {
        "Full"
    }

    fn max_filter_len(&self, keys: usize) -> Result<usize, Error> {
        Ok(keys + 1)
    }

    fn bits_per_key(&self) -> Option<BitsPerKey> {
        Some(TEN)
    }

    fn create_filter<'out>(&self, _: &[&[u8]], out: &'out mut [u8]) -> Result<FilterBytes<'out>, Error> {
        Ok(FilterBytes::from(&mut out[..1]))
    }

    fn append_filter(&self, _: &[&[u8]], out: &mut Vec<u8>) -> Result<(), Error> {
        out.push(2);
        Ok(())
    }

    fn key_may_match(&self, _: &[u8], _: &[u8]) -> bool {
        false
    }

    fn prepare<'a>(&'a self, filter: &'a [u8]) -> PreparedFilter<'a> {
        self.0.prepare(filter)
    }

    fn key_hash(&self, _: &[u8]) -> Option<KeyHash> {
        Some(seven())
    }

    fn hashed_may_match(&self, _: &[u8], hash: KeyHash, _: &[u8]) -> bool {
        hash == seven()
    }

    fn create_from_hashes<'out>(
        &self,
        _: KeyHashes<'_>,
        out: &'out mut [u8],
    ) -> Result<FilterBytes<'out>, Error> {
        Ok(FilterBytes::from(&mut out[..2]))
    }

    fn answers_prefixes(&self) -> bool {
        true
    }

    fn prefix_may_match(&self, start: &[u8], _: &[u8]) -> bool {
        start == b"prefix"
    }
}

#[test]
fn a_pointer_to_a_policy_is_that_policy() {
    fn check(policy: impl FilterPolicy) {
        assert_eq!((policy.name(), policy.bits_per_key()), ("Full", Some(TEN)));
        assert_eq!(policy.max_filter_len(7), Ok(8));
        assert_eq!(policy.create_filter(&[], &mut [0; 9]).unwrap().len(), 1);
        assert_eq!(filter_of(&policy, &[""; 0]), [2]);
        assert!(!policy.key_may_match(b"key", &[]) && policy.prepare(&MATCHES_EVERYTHING).may_match(b"key"));
        let key = HashedKey::new(&policy, b"key");
        assert_eq!((key.hash(), key.may_match(&[])), (Some(seven()), true));
        let none = KeyHashes::new::<u64>(HashFunctionId::XXH3, &[]);
        assert_eq!(policy.create_from_hashes(none, &mut [0; 9]).unwrap().len(), 2);
        assert!(policy.answers_prefixes());
        assert!(policy.prefix_may_match(b"prefix", &[]) && !policy.prefix_may_match(b"other", &[]));
    }

    let policy = || Full(BloomFilterPolicy::with_leveldb_hash(TEN));
    check(policy());
    let full = policy();
    check(&full);
    check(&policy() as &dyn FilterPolicy);
    check(Box::new(policy()));
    check(Box::new(policy()) as Boxed);
    check(Arc::new(policy()));
    check(Arc::new(Box::new(policy()) as Boxed));
}

#[test]
fn policies_can_be_constants_and_shared() {
    const fn is_shareable<T: Send + Sync + Copy + 'static>(_: &T) {}
    static POLICY: BloomFilterPolicy<LevelDbHash> = BloomFilterPolicy::with_leveldb_hash(TEN);
    const SEEDED: BloomFilterPolicy<Murmur2> = BloomFilterPolicy::with_seed(1, TEN);
    const LOCAL: FastLocalBloomPolicy = FastLocalBloomPolicy::new(TEN);
    is_shareable(&POLICY);
    is_shareable(&SEEDED);
    is_shareable(&HashedKey::new(&LOCAL, b"key"));
    assert_eq!(SEEDED.name(), "BloomFilter2.Seed00000001");
}
