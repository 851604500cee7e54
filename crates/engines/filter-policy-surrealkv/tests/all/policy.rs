//! The adapter without an engine: the stored bytes, partitions, and the answers for any bytes that are read back.

use filter_policy::formats;
use filter_policy::leveldb::Murmur2;
use filter_policy::prefix::{FixedPrefix, PrefixPolicy};
use filter_policy::rocksdb::RibbonPolicy;
use filter_policy::{BitsPerKey, BloomFilterPolicy, Error, FilterBytes, FilterPolicy, KeyHash, KeyHashes};
use filter_policy_surrealkv::SurrealKvPolicy;
use surrealkv::FilterPolicy as Engine;

const BLOOM: BloomFilterPolicy<Murmur2> = BloomFilterPolicy::new(BitsPerKey::whole(10));

/// Every policy that is found by its name.
fn all() -> impl Iterator<Item = SurrealKvPolicy<Box<dyn FilterPolicy + Send + Sync>>> {
    formats::ALL
        .iter()
        .map(|listed| SurrealKvPolicy::new(listed.policy(BitsPerKey::whole(10))).unwrap())
}

fn keys(count: usize) -> Vec<Vec<u8>> {
    (0..count).map(|i| format!("user:{i:07}").into_bytes()).collect()
}

fn hashes(policy: &dyn Engine, keys: &[Vec<u8>]) -> Vec<u64> {
    keys.iter().map(|key| policy.key_hash(key)).collect()
}

#[test]
fn filters_of_keys_and_of_hashes_are_the_policys_own() {
    for policy in all() {
        for count in [0, 1, 2, 100, 5_000] {
            let keys = keys(count);
            let slices: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
            let mut expected = Vec::new();
            policy.policy().append_filter(&slices, &mut expected).unwrap();
            assert_eq!(policy.create_filter(&keys), expected, "{}", policy.name());
            // Entries are several versions of a key.
            let versions: Vec<u64> = hashes(&policy, &keys)
                .iter()
                .flat_map(|&hash| [hash; 3])
                .collect();
            assert_eq!(policy.create_filter_from_hashes(&versions), expected);
            for key in &keys {
                assert!(policy.may_contain(&expected, key), "{}: {key:x?}", policy.name());
            }
        }
    }
}

#[test]
fn a_partition_is_as_large_as_it_may_be() {
    for policy in all() {
        for bytes in [0, 1, 64, 1_000, 4_096, 16_384, 100_000] {
            let count = policy.filter_keys_per_partition(bytes);
            assert!(count > 0);
            let len = policy.create_filter(&keys(count)).len();
            let name = policy.name();
            assert!(len <= bytes || count == 1, "{name}: {len} bytes in {bytes}");
            if bytes >= 4_096 {
                // Formats have sizes of whole blocks, segments, and fingerprints of four or eight bits.
                let percent = if name == "binaryfuse" { 45 } else { 92 };
                assert!(len * 100 >= bytes * percent, "{name}: {len} bytes in {bytes}");
            }
        }
    }
    let ribbon = SurrealKvPolicy::new(RibbonPolicy::new(BitsPerKey::whole(10))).unwrap();
    let bloom = SurrealKvPolicy::new(BLOOM).unwrap();
    assert_eq!(bloom.filter_keys_per_partition(16_384), 13_106);
    assert!(ribbon.filter_keys_per_partition(16_384) > 18_000);
}

#[test]
fn any_bytes_have_the_policys_answer() {
    for policy in all() {
        for filter in [
            &[][..],
            &[6],
            &[0, 6],
            &[0x55; 5],
            &[0, 0xfe, 7, 1, 0, 0],
            &[0xff; 70],
        ] {
            let expected = policy.policy().key_may_match(b"ab", filter);
            assert_eq!(policy.may_contain(filter, b"ab"), expected, "{filter:x?}");
        }
        assert!(policy.may_contain(&[0x00, 0xff], b"any key"));
    }
}

#[test]
fn a_policy_without_hashes_is_refused() {
    let error = SurrealKvPolicy::new(PrefixPolicy::new(BLOOM, FixedPrefix::new(2))).unwrap_err();
    assert!(error.to_string().contains("key_hash"), "{error}");
}

/// A policy with this name and the hash values of [`BLOOM`] changed by this function. It denies every key, and builds
/// no filters: from hash values, or at all.
struct Faulty(&'static str, fn(KeyHash) -> Option<KeyHash>);

impl FilterPolicy for Faulty {
    fn name(&self) -> &str {
        self.0
    }

    fn max_filter_len(&self, _: usize) -> Result<usize, Error> {
        Ok(1)
    }

    fn create_filter<'out>(&self, _: &[&[u8]], _: &'out mut [u8]) -> Result<FilterBytes<'out>, Error> {
        Err(Error::BufferTooShort { needed: 1, given: 0 })
    }

    fn key_may_match(&self, _: &[u8], _: &[u8]) -> bool {
        false
    }

    fn key_hash(&self, key: &[u8]) -> Option<KeyHash> {
        BLOOM
            .key_hash(key)
            .and_then(if key.is_empty() { Some } else { self.1 })
    }

    fn create_from_hashes<'out>(
        &self,
        _: KeyHashes<'_>,
        out: &'out mut [u8],
    ) -> Result<FilterBytes<'out>, Error> {
        match self.0 {
            "Failing" => Err(Error::BufferTooShort { needed: 1, given: 0 }),
            _ => Ok(out.into()),
        }
    }
}

#[test]
fn what_fails_denies_nothing() {
    // Some hash values are none, or of another width than those before.
    let wide: fn(KeyHash) -> Option<KeyHash> = |hash| Some(KeyHash::new(hash.function(), hash.value() << 32));
    for (name, hash) in [
        ("Failing", Some as _),
        ("Faulty", (|_| None) as _),
        ("Faulty", wide),
    ] {
        let policy = SurrealKvPolicy::new(Faulty(name, hash)).unwrap();
        let filter = policy.create_filter(&keys(10));
        assert_eq!(filter, [0x00, 0xff], "{name}");
        assert!(policy.may_contain(&filter, b"any key"));
    }
    // Filters that never grow: the search for the largest still ends.
    let policy = SurrealKvPolicy::new(Faulty("Failing", Some)).unwrap();
    assert!(policy.filter_keys_per_partition(16_384) <= 16_384 * 8);
}

#[test]
fn the_engines_names_are_refused() {
    assert_eq!(surrealkv::RibbonFilter::new(10).name(), "surrealkv.RibbonFilter");
    for name in ["leveldb.BloomFilter", "surrealkv.RibbonFilter"] {
        let error = SurrealKvPolicy::new(Faulty(name, Some)).err().unwrap();
        assert!(error.to_string().contains("of this name"), "{error}");
    }
}
