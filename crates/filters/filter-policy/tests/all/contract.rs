//! The contract, over every policy: errors are the same everywhere, no key is denied, whatever function hashed it, and no
//! bytes make a reader panic. That all ways agree on every kernel is the law in `src/formats/tests.rs`.

use std::cell::Cell;
use std::ops::Bound;
use std::sync::Arc;

use filter_policy::formats;
use filter_policy::leveldb::{KeyHasher, LevelDbHash, Murmur2};
use filter_policy::policies::{self, AnyPolicy};
use filter_policy::prefix::{FixedPrefix, PrefixPolicy};
use filter_policy::range::{RangeFilterBuilder, RangePolicy};
use filter_policy::rocksdb::FastLocalBloomPolicy;
use filter_policy::{
    Answers, BitsPerKey, BloomFilterPolicy, Error, FilterBytes, FilterPolicy, HashFunctionId, HashedKey,
    KeyHash, KeyHashes, MATCHES_EVERYTHING, OwnedFilter, PreparedFilter, contract,
};
use proptest::collection::vec;
use proptest::prelude::*;

use super::any_bytes::filters;
use super::support::keys::{filter_of, slices};

const TEN: BitsPerKey = BitsPerKey::whole(10);

/// Generates bytes of any length with tails of every kind, of which most are of no writer.
fn any_filter() -> impl Strategy<Value = Vec<u8>> {
    let width = prop_oneof![Just(8_u8), Just(10), any::<u8>()];
    let tail = prop_oneof![
        vec(any::<u8>(), 0..6),
        (0..=31_u8, 0..=1_u8).prop_map(|(probes, rest)| vec![0xff, 0, probes, rest, 0]),
        (any::<u8>(), 0..=9_u8).prop_map(|(seed, blocks)| vec![0xfe, seed, blocks, 0, 0]),
        (1..=127_u8, 0..=9_u8).prop_map(|(probes, lines)| vec![probes, lines, 0, 0, 0]),
        (0..=0x9f_u8).prop_map(|last| vec![0xff, 0xff, 0xff, 0xff, last]),
        (any::<u64>(), 0..4_u32, 0..6_u8, width).prop_map(|(seed, segments, log2_len, width)| {
            [
                &seed.to_le_bytes()[..],
                &segments.to_le_bytes(),
                &[log2_len, width],
            ]
            .concat()
        }),
    ];
    let bits = prop_oneof![
        vec(any::<u8>(), 0..400),
        (0..9_usize).prop_map(|blocks| vec![0xff; 32 * blocks]),
    ];
    (bits, tail).prop_map(|(bits, tail)| [bits, tail].concat())
}

proptest! {
    #[test]
    fn any_bytes_have_an_answer(filter in any_filter(), keys in vec(vec(any::<u8>(), 0..40), 1..70)) {
        filters::check(&filter, &slices(&keys));
    }
}

/// Returns the checksum of the filter of the contract's 1,000 keys: golden data prove that its bytes are right.
pub(crate) fn checksum(policy: &dyn FilterPolicy) -> u64 {
    let keys = (0..1_000_usize).map(|i| format!("key{i:0width$}", width = 1 + i % 17));
    filter_of(policy, &keys.collect::<Vec<_>>())
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |sum, &byte| {
            (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
}

#[test]
fn every_policy_keeps_the_public_contract() {
    let of_formats = formats::ALL.iter().map(|format| format.policy(TEN));
    let own_hash = Box::new(BloomFilterPolicy::with_hasher(Seeded(7), TEN));
    for policy in of_formats.chain([own_hash as AnyPolicy]) {
        let name = policy.name();
        let rate = contract::check(&policy, checksum(&policy));
        assert_eq!(policy.bits_per_key(), Some(TEN), "{name}");
        for keys in (1..300).chain([3_000]) {
            let room = policy.max_filter_len(keys).unwrap();
            assert!(policy.capacity(room) >= keys, "{name}, {keys} keys");
        }
        // A filter of so few keys leaves a binary fuse filter four bits each, and a single probe matches one key in
        // ten.
        assert!((0.004..0.1).contains(&rate), "{name}: {rate}");
    }
    for name in ["BloomFilter2.Prefix.Fixed2", "BloomFilter2.Prefix.Separated0x2f"] {
        let policy = policies::by_name(name, TEN).unwrap();
        contract::check(&policy, checksum(&policy));
    }
}

/// A pointer that does not forward a method denies nothing, or lets engines fetch no filter.
#[test]
fn a_policy_that_answers_ranges_keeps_the_contract_behind_every_pointer() {
    let policy = RangePolicy::new(TEN);
    let boxed: AnyPolicy = Box::new(policy);
    let shared: Arc<dyn FilterPolicy> = Arc::new(policy);
    let policies: [&dyn FilterPolicy; 4] = [&policy, &&policy, &boxed, &shared];
    for policy in policies {
        contract::check(policy, checksum(policy));
        assert!(policy.answers_ranges() && policy.answers_prefixes() && policy.range_builder().is_some());
    }
    let prefixes = PrefixPolicy::new(policy, FixedPrefix::new(3));
    contract::check(&prefixes, checksum(&prefixes));
    assert!(!prefixes.answers_ranges() && prefixes.range_builder().is_none());
    let filter = filter_of(&prefixes, &["key"]);
    assert!(prefixes.range_may_match(Bound::Excluded(b"key"), Bound::Unbounded, &filter));
}

/// A function that kernels do not know, with a seed that is not in its name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seeded(pub(crate) u32);

impl KeyHasher for Seeded {
    fn hash(&self, key: &[u8]) -> u32 {
        let step = |hash: u32, &byte: &u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        key.iter().fold(self.0, step)
    }

    fn policy_name(&self) -> &str {
        "test.Seeded"
    }
}

/// Policies that count keys refuse more than fit; RocksDB's stop growing.
#[test]
fn more_keys_than_fit() {
    for policy in formats::ALL.iter().map(|format| format.policy(u32::MAX.into())) {
        let (name, len) = (policy.name(), policy.max_filter_len(usize::MAX));
        let grows = !name.starts_with("rocksdb.");
        if let Err(Error::FilterTooLarge { most, .. }) = len {
            let len = |keys: u64| policy.max_filter_len(usize::try_from(keys).unwrap());
            assert!(
                grows && len(most).is_ok() && len(most + 1).is_err(),
                "{name}: {most}"
            );
        } else {
            assert!(!grows && len.unwrap() < 5 << 30, "{name}");
        }
    }
    // An iterator that announces so many.
    let built =
        BloomFilterPolicy::new(BitsPerKey::whole(u32::MAX)).build(std::iter::repeat_n("key", usize::MAX));
    assert!(matches!(built, Err(Error::FilterTooLarge { .. })));
}

#[test]
fn memory_that_is_not_there() {
    let policy = BloomFilterPolicy::new(BitsPerKey::whole(u32::MAX));
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
    let mut all: Vec<AnyPolicy> = formats::ALL.iter().map(|format| format.policy(TEN)).collect();
    for seed in [7, 8, 5381] {
        all.push(Box::new(BloomFilterPolicy::with_seed(seed, TEN)));
        all.push(Box::new(BloomFilterPolicy::with_hasher(Seeded(seed), TEN)));
    }
    let function = |policy: &dyn FilterPolicy| policy.key_hash(b"").unwrap().function();
    // Policies of one function share all values, others hardly one.
    let values = |policy: &dyn FilterPolicy| -> Vec<u64> {
        let keys = (0..99_u8).map(|len| vec![0xff - len; len.into()]);
        keys.map(|key| policy.key_hash(&key).unwrap().value()).collect()
    };
    for policy in &all {
        let filter = filter_of(policy, &keys);
        let (owned, prepared) = (OwnedFilter::new(policy, &filter), policy.prepare(&filter));
        for other in &all {
            let at = format!("{} in a filter of {}", other.name(), policy.name());
            let (of_other, shared) = (function(other), function(other) == function(policy));
            assert_eq!(shared, values(policy) == values(other), "{at}");
            for key in &keys {
                let hashed = HashedKey::new(other, key);
                let hash = other.key_hash(key).unwrap();
                let answers = [
                    owned.may_match_hashed(&hashed),
                    prepared.may_match_hashed(&hashed),
                    policy.hashed_may_match(key, hash, &filter),
                ];
                assert_eq!(answers, [true; 3], "{at}");
                assert_eq!(shared, hash == policy.key_hash(key).unwrap(), "{at}");
            }
            let wide: Vec<u64> = keys
                .iter()
                .map(|key| other.key_hash(key).unwrap().value())
                .collect();
            let narrow: Vec<u32> = wide.iter().map(|&value| value as u32).collect();
            let [of_width, of_other_width] = match of_other.bits() {
                64 => [KeyHashes::new(of_other, &wide), KeyHashes::new(of_other, &narrow)],
                _ => [KeyHashes::new(of_other, &narrow), KeyHashes::new(of_other, &wide)],
            };
            let mut words = [0; 5];
            let mut answers = Answers::new(&mut words);
            for hashes in [of_width, of_other_width] {
                prepared.may_match_hashes(hashes, &mut answers).unwrap();
                assert_eq!(answers.matches(), 300, "{at}");
            }
            // A value of the other width is of no function that policies have.
            let hash = match of_other.bits() {
                64 => KeyHash::new(of_other, 1_u32),
                _ => KeyHash::new(of_other, 1_u64),
            };
            assert!(policy.hashed_may_match(&keys[0], hash, &filter), "{at}");
            let mut room = vec![0; policy.max_filter_len(keys.len()).unwrap()];
            assert_eq!(
                policy.create_from_hashes(of_width, &mut room).is_ok(),
                shared,
                "{at}"
            );
            assert!(
                policy.create_from_hashes(of_other_width, &mut room).is_err(),
                "{at}"
            );
        }
    }
}

/// One word of answers too few is an error, and leaves no answers.
#[test]
fn too_few_words_for_answers() {
    let policy = BloomFilterPolicy::new(TEN);
    let (prepared, keys) = (policy.prepare(&[0, 6]), [&b"key"[..]; 65]);
    let hashes = KeyHashes::new(policy.key_hash(b"").unwrap().function(), &[7_u32; 65]);
    type Query<'a> = &'a dyn Fn(&mut Answers<'_>) -> Result<(), Error>;
    let ways: [Query<'_>; 3] = [
        &|answers| prepared.may_match_many(&keys, answers),
        &|answers| prepared.may_match_slices(&keys, answers),
        &|answers| prepared.may_match_hashes(hashes, answers),
    ];
    for query in ways {
        let mut words = [0; 1];
        let mut answers = Answers::new(&mut words);
        assert_eq!(
            query(&mut answers),
            Err(Error::TooFewAnswers { needed: 2, given: 1 })
        );
        assert!(answers.iter().len() == 0 && answers.get(0));
    }
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
    for policy in formats::ALL.iter().map(|format| format.policy(TEN)) {
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
    KeyHash::new(HashFunctionId::XXPH3, 7_u64)
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

    fn answers_ranges(&self) -> bool {
        true
    }

    fn range_may_match(&self, lower: Bound<&[u8]>, _: Bound<&[u8]>, _: &[u8]) -> bool {
        lower == Bound::Included(b"lower")
    }

    fn range_builder(&self) -> Option<RangeFilterBuilder> {
        Some(RangeFilterBuilder::new(TEN))
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
        assert!(policy.key_hash(b"key") == Some(seven()) && key.may_match(&[]));
        let none = KeyHashes::new::<u64>(HashFunctionId::XXPH3, &[]);
        assert_eq!(policy.create_from_hashes(none, &mut [0; 9]).unwrap().len(), 2);
        assert!(policy.answers_prefixes());
        assert!(policy.prefix_may_match(b"prefix", &[]) && !policy.prefix_may_match(b"other", &[]));
        assert!(policy.answers_ranges() && policy.range_builder().is_some());
        assert!(policy.range_may_match(Bound::Included(b"lower"), Bound::Unbounded, &[]));
        assert!(!policy.range_may_match(Bound::Unbounded, Bound::Included(b"lower"), &[]));
    }

    let policy = || Full(BloomFilterPolicy::with_leveldb_hash(TEN));
    check(policy());
    let full = policy();
    check(&full);
    check(&policy() as &dyn FilterPolicy);
    check(Box::new(policy()));
    check(Box::new(policy()) as AnyPolicy);
    check(Arc::new(policy()));
    check(Arc::new(Box::new(policy()) as AnyPolicy));
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
