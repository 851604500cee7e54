//! The contract, over every policy: all ways to build give the same bytes and all ways to query the same answers,
//! errors are the same everywhere, no key is denied, and no bytes make a reader panic.

use std::fmt::Debug;

use filter_formats::parquet::SplitBlock;
use filter_formats::rocksdb::Ribbon;
use filter_formats::rocksdb::{CacheLine, FastLocalBloom, LegacyBloom};
use filter_formats::{BinaryFuse, Bloom64, policies};
use filter_policy::hashers::{KeyHasher, LevelDbHash, Murmur2};
use filter_policy::kernels::{Kernel, KernelToken, Source, Stored};
use filter_policy::{
    Answers, BitsPerKey, BloomFilterPolicy, Error, FilterBuilder, FilterBytes, FilterPolicy, HashFunction,
    HashedKey, KeyHash, KeyHashes, Layout, MATCHES_EVERYTHING, OwnedFilter, Policy, Prepared, PreparedFilter,
    contract,
};
use proptest::collection::vec;
use proptest::prelude::*;

use super::support::any_bytes::{any_bits_per_key, any_filter};
use super::support::hashers::Seeded;
use super::support::random::slices;
use super::support::ways::{Known, answers, built, check_many, filter_of};

const TEN: BitsPerKey = BitsPerKey::whole(10);

/// Runs the same for policies with ways of their own to build, their variants, and one with an external hash function. Every
/// policy of the list keeps the public contract, below.
macro_rules! each_policy {
    ($bits:expr, |$policy:ident| $run:expr) => {{
        let bits = $bits;
        each_policy!(@ |$policy| $run, BloomFilterPolicy::with_seed(7, bits), BloomFilterPolicy::with_signed_tail(bits));
        for kernel in Kernel::available() {
            each_policy!(@ |$policy| $run,
                BloomFilterPolicy::with_leveldb_hash(bits).on_kernel(kernel),
                BloomFilterPolicy::new(bits).on_kernel(kernel),
                BloomFilterPolicy::with_hasher(Seeded(7), bits).on_kernel(kernel),
                Bloom64::new(bits).on_kernel(kernel),
                FastLocalBloom::new(bits).on_kernel(kernel),
                SplitBlock::new(bits).on_kernel(kernel),
                SplitBlock::with_xxph3(bits).on_kernel(kernel)
            );
        }
        for line in [CacheLine::Bytes64, CacheLine::Bytes128, CacheLine::Bytes256] {
            each_policy!(@ |$policy| $run, LegacyBloom::with_line(bits, line));
        }
        each_policy!(@ |$policy| $run, Ribbon::new(bits), BinaryFuse::new(bits));
    }};
    (@ |$policy:ident| $run:expr, $($value:expr),+) => {
        $({
            let $policy = $value;
            $run;
        })+
    };
}

/// Builds and queries in all ways.
fn check_ways<L: Layout + Debug>(policy: Policy<L>, keys: &[&[u8]], others: &[&[u8]]) {
    let context = format!("{policy:?}");
    let filter = built(&policy, keys, &context);
    let of_keys = answers(&policy, &filter, keys, &context);
    assert!(of_keys.iter().all(|&answer| answer), "{context}: a key is denied");
    answers(&policy, &filter, others, &context);
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
        each_policy!(bits, |policy| check_ways(policy, &keys, &slices(&others)));
    }

    /// Policies of one name answer alike, whichever kernel they use.
    #[test]
    fn any_bytes_are_read(filter in any_filter(), keys in vec(vec(any::<u8>(), 0..40), 1..70)) {
        let mut known = Known::new();
        each_policy!(TEN, |policy| known.check(&policy, &filter, &slices(&keys)));
    }
}

/// An iterator with a wrong size hint.
#[derive(Clone)]
struct Liar {
    announced: usize,
    left: u32,
}

impl Iterator for Liar {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        self.left = self.left.checked_sub(1)?;
        Some(self.left)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.announced, Some(self.announced))
    }
}

#[test]
fn a_wrong_length_costs_no_key() {
    fn run<L: Layout + Debug>(policy: Policy<L>) {
        for (announced, left) in [(0, 1000), (1, 1000), (999, 1000), (1001, 1000), (1000, 0), (0, 0)] {
            let keys = || Liar { announced, left }.map(u32::to_le_bytes);
            let filter = policy.build(keys()).unwrap();
            let prepared = policy.prepare(&filter);
            assert!(
                keys().all(|key| prepared.may_match(&key)),
                "{policy:?}: {announced} for {left}"
            );
        }
    }

    each_policy!(TEN, |policy| run(policy));
}

/// Policies that count keys refuse more than fit; RocksDB's stop growing.
#[test]
fn more_keys_than_fit() {
    fn run<L: Layout + Debug>(policy: Policy<L>) {
        let grows = !policy.name().starts_with("rocksdb.");
        let len = policy.max_filter_len(usize::MAX);
        assert_eq!(
            matches!(len, Err(Error::FilterTooLarge { .. })),
            grows,
            "{policy:?}"
        );
        if let Err(Error::FilterTooLarge { most, .. }) = len {
            let len = |keys: u64| policy.max_filter_len(usize::try_from(keys).unwrap());
            assert!(len(most).is_ok() && len(most + 1).is_err(), "{policy:?}: {most}");
        }
        assert!(len.is_ok_and(|len| len < 5 << 30) != grows, "{policy:?}");
        let announced = usize::MAX;
        let keys = Liar { announced, left: 3 }.map(u32::to_le_bytes);
        let error = policy.build(keys).unwrap_err();
        assert_eq!(matches!(error, Error::FilterTooLarge { .. }), grows, "{policy:?}");
    }

    each_policy!(BitsPerKey::MAX, |policy| run(policy));
}

#[test]
fn memory_that_is_not_there() {
    let policy = BloomFilterPolicy::new(BitsPerKey::MAX);
    // Addressable, but more than any allocator has.
    let announced = 1 << 20;
    let mut out = b"what was there".to_vec();
    let keys: Vec<&[u8]> = vec![b""; announced];
    let error = policy.append_filter(&keys, &mut out).unwrap_err();
    let bytes = policy.max_filter_len(announced).unwrap();
    assert_eq!(error, Error::AllocationFailed { bytes });
    assert_eq!(out, b"what was there");
    // The hint has no upper bound.
    let keys = core::iter::repeat_n("key", 3).chain(core::iter::repeat("key").skip(1).take_while(|_| false));
    assert_eq!(keys.size_hint(), (3, None));
    let policy = BloomFilterPolicy::new(TEN);
    assert_eq!(policy.build(keys), policy.build(["key"; 3]));
}

/// A policy with only the required methods: it fails to write, and matches keys that start with the filter.
struct Bare;

impl FilterPolicy for Bare {
    fn name(&self) -> &str {
        "Bare"
    }

    fn max_filter_len(&self, _: usize) -> Result<usize, Error> {
        Ok(100)
    }

    fn create_filter<'out>(&self, _: &[&[u8]], out: &'out mut [u8]) -> Result<FilterBytes<'out>, Error> {
        out.fill(0xaa);
        let (needed, given) = (101, 100);
        Err(Error::BufferTooShort { needed, given })
    }

    fn key_may_match(&self, key: &[u8], filter: &[u8]) -> bool {
        key.starts_with(filter)
    }
}

#[test]
fn a_policy_of_another_crate_has_the_rest_by_default() {
    let policy: &dyn FilterPolicy = &Bare;
    let prepared = policy.prepare(b"k");
    assert!(prepared.may_match(b"key") && !prepared.may_match(b"other"));
    assert!(
        prepared.may_match_hash(KeyHash::new(HashFunction::XXH3, 7_u64)),
        "nothing is known of its hash values"
    );
    let keys: [&[u8]; 3] = [b"other", b"key", b"k"];
    check_many(&"Bare", &[false, true, true], &|answers| {
        prepared.may_match_many(&keys, answers)
    });
    assert!(!policy.answers_prefixes() && policy.prefix_may_match(b"other", b"k"));
    let mut out = b"what was there".to_vec();
    assert!(policy.append_filter(&[b"key"], &mut out).is_err());
    assert_eq!(out, b"what was there");
}

/// Checks the contract. Other tests know the bytes of all policies: the checksum is computed from the keys of the check.
fn check_contract(policy: &dyn FilterPolicy) -> f64 {
    let keys = (0..1_000_usize).map(|i| format!("key{i:0width$}", width = 1 + i % 17));
    let filter = filter_of(policy, &keys.collect::<Vec<_>>());
    let step = |sum: u64, &byte: &u8| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    contract::check(policy, filter.iter().fold(0xcbf2_9ce4_8422_2325, step))
}

/// Policies by name, as engines hold them.
#[test]
fn every_policy_keeps_the_public_contract() {
    for known in policies::ALL {
        let rate = check_contract(&*known.policy(TEN));
        // A filter of so few keys leaves a binary fuse filter four bits each, and a single probe matches one key in ten.
        assert!((0.004..0.1).contains(&rate), "{}: {rate}", known.name());
    }
    for name in [
        "BloomFilter2.Seed9747b28c",
        "BloomFilter2.Prefix.Fixed2",
        "BloomFilter2.Prefix.Separated0x2f",
    ] {
        check_contract(&*policies::by_name(name, TEN).unwrap());
    }
    each_policy!(TEN, |policy| check_contract(&policy));
}

/// Each breaks one sentence of the contract.
mod broken {
    use super::*;

    /// That of the filter of `BloomFilter2`.
    const CHECKSUM: u64 = 0x6171_f3a4_917e_0a87;

    /// A filter that writes one answer too many.
    #[derive(Clone, Copy)]
    struct OneMore;

    impl Stored for OneMore {
        type Hash = u64;

        fn may_match(self, _: KernelToken, _: u64) -> bool {
            false
        }

        fn may_match_many(self, _: KernelToken, source: Source<'_, u64>, answers: &mut [u64]) {
            answers.fill(1 << (source.len() % 64));
        }
    }

    impl Layout for OneMore {
        type Hash = u64;
        type Filter<'f> = Self;

        fn name(&self) -> &str {
            "Broken"
        }

        fn bits_per_key(&self) -> Option<BitsPerKey> {
            None
        }

        fn hash_function(&self) -> HashFunction {
            HashFunction::XXH3
        }

        fn hash(&self, _: &[u8]) -> u64 {
            0
        }

        fn max_len(&self, _: usize) -> Result<usize, Error> {
            Ok(0)
        }

        fn build(&self, _: KernelToken, _: Source<'_, u64>, _: &mut [u8]) -> Result<usize, Error> {
            Ok(0)
        }

        fn read(&self, _: &[u8]) -> Option<Self> {
            Some(Self)
        }

        fn other(_: &[u8]) -> Prepared {
            Prepared::same_for_all(false)
        }

        fn prepare(&self, kernel: KernelToken, _: Self) -> Prepared {
            Prepared::new::<Self>(kernel, HashFunction::XXH3, Some(|_, _, _| false), &[], [0; 3])
        }

        fn restore(_: KernelToken, _: &[u8], _: [u64; 3]) -> Self {
            Self
        }
    }

    struct Broken {
        sentence: &'static str,
        policy: BloomFilterPolicy<Murmur2>,
    }

    impl FilterPolicy for Broken {
        fn name(&self) -> &str {
            if self.sentence == "must have a name" {
                ""
            } else {
                "Broken"
            }
        }

        fn max_filter_len(&self, keys: usize) -> Result<usize, Error> {
            self.policy.max_filter_len(keys)
        }

        fn create_filter<'out>(
            &self,
            keys: &[&[u8]],
            out: &'out mut [u8],
        ) -> Result<FilterBytes<'out>, Error> {
            match self.sentence {
                r#"stored key "" (0 bytes) was denied"# => {
                    self.policy.create_filter(&keys[..keys.len() * 9 / 10], out)
                }
                "must not be 00 ff" if !keys.is_empty() => {
                    out[..2].copy_from_slice(&MATCHES_EVERYTHING);
                    Ok(FilterBytes::from(&mut out[..2]))
                }
                "must be refused, or hold the filter" if out.len() < 9 => Ok(out.into()),
                // Its reader finds every key in these other bytes.
                "the checksum of the filter of 1000 keys" if keys.len() == 1_000 => {
                    BloomFilterPolicy::new(BitsPerKey::whole(9)).create_filter(keys, out)
                }
                _ => self.policy.create_filter(keys, out),
            }
        }

        fn append_filter(&self, keys: &[&[u8]], out: &mut Vec<u8>) -> Result<(), Error> {
            if self.sentence == "must keep the existing bytes" {
                out.clear();
            }
            self.policy.append_filter(keys, out)
        }

        fn key_may_match(&self, key: &[u8], filter: &[u8]) -> bool {
            let may_match = self.policy.key_may_match(key, filter);
            match (self.sentence, filter) {
                ("00 ff must match every key", [0, 0xff]) => false,
                ("must not panic", [_, _, _]) => panic!("must not panic"),
                _ => may_match,
            }
        }

        fn prepare<'a>(&'a self, filter: &'a [u8]) -> PreparedFilter<'a> {
            match self.sentence {
                "must agree on" if filter.len() < 100 => self.policy.prepare(&MATCHES_EVERYTHING),
                "one bit each" => {
                    PreparedFilter::of(self, filter, OneMore.prepare(KernelToken::best(), OneMore))
                }
                _ => self.policy.prepare(filter),
            }
        }

        fn key_hash(&self, key: &[u8]) -> Option<KeyHash> {
            (self.sentence == "FilterBuilder: stored key").then_some(())?;
            self.policy.key_hash(key)
        }

        fn create_from_hashes<'out>(
            &self,
            hashes: KeyHashes<'_>,
            out: &'out mut [u8],
        ) -> Result<FilterBytes<'out>, Error> {
            if self.sentence != "hash values of another function must be refused" {
                let _: &[u32] = hashes.of(self.policy.layout().hash_function())?;
            }
            self.policy.create_filter(&[], out)
        }

        fn prefix_may_match(&self, start: &[u8], _: &[u8]) -> bool {
            self.sentence != "is stored" || start.is_empty()
        }
    }

    #[test]
    fn the_contract_test_finds_what_is_broken() {
        for sentence in [
            "must have a name",
            r#"stored key "" (0 bytes) was denied"#,
            "must not be 00 ff",
            "must be refused, or hold the filter",
            "must keep the existing bytes",
            "00 ff must match every key",
            "must not panic",
            "one bit each",
            "must agree on",
            "FilterBuilder: stored key",
            "hash values of another function must be refused",
            "is stored",
            "the checksum of the filter of 1000 keys",
        ] {
            let policy = Broken {
                sentence,
                policy: BloomFilterPolicy::new(TEN),
            };
            let check = std::panic::AssertUnwindSafe(|| contract::check(&policy, CHECKSUM));
            let panic = std::panic::catch_unwind(check).unwrap_err();
            let message = panic
                .downcast_ref::<String>()
                .map_or_else(|| *panic.downcast_ref::<&str>().unwrap(), String::as_str);
            assert!(
                message.contains(sentence),
                "{message:?} does not say {sentence:?}"
            );
        }
        let whole = Broken {
            sentence: "",
            policy: BloomFilterPolicy::new(TEN),
        };
        contract::check(&whole, CHECKSUM);
    }
}

/// A policy that ignores the case of keys and passes on the hash values of another one denies keys that the other hashed.
#[test]
fn a_policy_that_changes_keys_has_a_function_of_its_own() {
    struct NoCase<P>(P, Option<HashFunction>);

    impl<P: FilterPolicy> FilterPolicy for NoCase<P> {
        fn name(&self) -> &str {
            "NoCase"
        }

        fn max_filter_len(&self, keys: usize) -> Result<usize, Error> {
            self.0.max_filter_len(keys)
        }

        fn create_filter<'out>(
            &self,
            keys: &[&[u8]],
            out: &'out mut [u8],
        ) -> Result<FilterBytes<'out>, Error> {
            let keys: Vec<Vec<u8>> = keys.iter().map(|key| key.to_ascii_lowercase()).collect();
            self.0
                .create_filter(&keys.iter().map(Vec::as_slice).collect::<Vec<_>>(), out)
        }

        fn key_may_match(&self, key: &[u8], filter: &[u8]) -> bool {
            self.0.key_may_match(&key.to_ascii_lowercase(), filter)
        }

        fn key_hash(&self, key: &[u8]) -> Option<KeyHash> {
            let hash = self.0.key_hash(&key.to_ascii_lowercase())?;
            let value = u32::try_from(hash.value()).unwrap();
            Some(KeyHash::new(self.1.unwrap_or(hash.function()), value))
        }

        fn create_from_hashes<'out>(
            &self,
            hashes: KeyHashes<'_>,
            out: &'out mut [u8],
        ) -> Result<FilterBytes<'out>, Error> {
            let Some(own) = self.1 else {
                return self.0.create_from_hashes(hashes, out);
            };
            let inner = self.0.key_hash(b"").unwrap().function();
            self.0
                .create_from_hashes(KeyHashes::new::<u32>(inner, hashes.of(own)?), out)
        }
    }

    #[derive(Clone, Copy)]
    struct Sum;

    impl KeyHasher for Sum {
        fn hash(&self, key: &[u8]) -> u32 {
            key.iter()
                .fold(1, |sum, &byte| sum.wrapping_mul(0x0100_0193) ^ u32::from(byte))
        }

        fn policy_name(&self) -> &str {
            "test.Sum"
        }
    }

    fn check<P: FilterPolicy + Copy>(inner: P) {
        let value =
            |key: &[u8]| u32::try_from(inner.key_hash(&key.to_ascii_lowercase()).unwrap().value()).unwrap();
        let own = HashFunction::new("NoCase", value);
        let said = |policy: NoCase<P>| {
            let check = std::panic::AssertUnwindSafe(|| contract::check(&policy, 0));
            *std::panic::catch_unwind(check)
                .unwrap_err()
                .downcast::<String>()
                .unwrap()
        };
        let text = said(NoCase(inner, None));
        assert!(text.starts_with("key_hash must return the value"), "{text}");
        let text = said(NoCase(inner, Some(own)));
        assert!(text.starts_with("the checksum of the filter"), "{text}");
    }

    check(BloomFilterPolicy::new(TEN));
    check(BloomFilterPolicy::with_hasher(Sum, TEN));
}

/// A policy without hash values, behind a pointer.
#[test]
fn keys_of_a_policy_without_hashes_are_kept_whole() {
    let policy: std::sync::Arc<dyn FilterPolicy + Send + Sync> =
        policies::by_name("BloomFilter2.Prefix.Fixed2", TEN)
            .unwrap()
            .into();
    assert!(policy.key_hash(b"key").is_none());
    let keys: [&[u8]; 3] = [b"", b"apple", b"banana"];
    for keys in [&keys[..], &[]] {
        let mut builder = FilterBuilder::new(std::sync::Arc::clone(&policy));
        assert!(builder.is_empty());
        for key in keys {
            builder.insert(key).unwrap();
        }
        assert_eq!(builder.len(), keys.len());
        let mut expected = Vec::new();
        policy.append_filter(keys, &mut expected).unwrap();
        assert_eq!(builder.finish().unwrap(), expected);
    }
}

/// The functions of a format read the bytes that were prepared, and no others.
#[test]
fn an_owned_filter_of_changing_bytes_does_not_panic() {
    use std::cell::Cell;

    struct Changing(Cell<usize>, Vec<u8>);

    impl AsRef<[u8]> for Changing {
        fn as_ref(&self) -> &[u8] {
            let len = self.0.replace(self.0.get() / 2);
            &self.1[..len]
        }
    }

    fn run<L: Layout + Copy>(policy: Policy<L>) {
        let keys: Vec<[u8; 4]> = (0..2_000_u32).map(u32::to_le_bytes).collect();
        let filter = policy.build(keys.iter()).unwrap();
        let owned = OwnedFilter::new(policy, Changing(Cell::new(filter.len()), filter));
        for key in keys.iter().take(20) {
            owned.may_match(key);
            owned
                .may_match_many(&keys[..64], &mut Answers::new(&mut [0]))
                .unwrap();
        }
    }

    each_policy!(TEN, |policy| run(policy));
}

/// A policy that overrides every method.
mod pointers {
    use std::sync::Arc;

    use super::*;

    struct Full(BloomFilterPolicy<LevelDbHash>);

    fn seven() -> KeyHash {
        KeyHash::new(HashFunction::XXH3, 7_u64)
    }

    impl FilterPolicy for Full {
        fn name(&self) -> &str {
            "Full"
        }

        fn max_filter_len(&self, keys: usize) -> Result<usize, Error> {
            Ok(keys + 1)
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
            hashes: KeyHashes<'_>,
            out: &'out mut [u8],
        ) -> Result<FilterBytes<'out>, Error> {
            assert_eq!(hashes.len(), 3);
            Ok(FilterBytes::from(&mut out[..2]))
        }

        fn answers_prefixes(&self) -> bool {
            true
        }

        fn prefix_may_match(&self, start: &[u8], _: &[u8]) -> bool {
            start == b"prefix"
        }
    }

    fn check(policy: impl FilterPolicy) {
        assert_eq!((policy.name(), policy.max_filter_len(7)), ("Full", Ok(8)));
        assert_eq!(policy.create_filter(&[], &mut [0; 9]).unwrap().len(), 1);
        let mut out = Vec::new();
        policy.append_filter(&[], &mut out).unwrap();
        assert_eq!(out, [2]);
        assert!(!policy.key_may_match(b"key", &MATCHES_EVERYTHING));
        assert!(policy.prepare(&MATCHES_EVERYTHING).may_match(b"key"));
        let key = HashedKey::new(&policy, b"key");
        assert!(key.may_match(&[]));
        assert_eq!(key.hash(), Some(seven()));
        let mut builder = FilterBuilder::new(&policy);
        for _ in 0..3 {
            builder.insert(b"key").unwrap();
        }
        assert_eq!(builder.finish().unwrap().len(), 2);
        assert!(policy.answers_prefixes());
        assert!(policy.prefix_may_match(b"prefix", &[]) && !policy.prefix_may_match(b"other", &[]));
    }

    #[test]
    fn a_pointer_to_a_policy_is_that_policy() {
        let policy = || Full(BloomFilterPolicy::with_leveldb_hash(TEN));
        check(policy());
        let full = policy();
        check(&full);
        check(&policy() as &dyn FilterPolicy);
        check(Box::new(policy()));
        check(Box::new(policy()) as Box<dyn FilterPolicy + Send + Sync>);
        check(Arc::new(policy()));
        check(Arc::new(Box::new(policy()) as Box<dyn FilterPolicy + Send + Sync>));
    }
}

#[test]
fn policies_can_be_constants_and_shared() {
    const fn is_shareable<T: Send + Sync + Copy + 'static>(_: &T) {}
    static POLICY: BloomFilterPolicy<LevelDbHash> = BloomFilterPolicy::with_leveldb_hash(TEN);
    const SEEDED: BloomFilterPolicy<Murmur2> = BloomFilterPolicy::with_seed(1, TEN);
    const LOCAL: Policy<FastLocalBloom> = FastLocalBloom::new(TEN);
    is_shareable(&POLICY);
    is_shareable(&SEEDED);
    is_shareable(&HashedKey::new(&LOCAL, b"key"));
    assert_eq!(SEEDED.hasher().seed(), 1);
}
