//! Hash values are used only in filters of their function, and probe counts only up to their limit: no call with another
//! one denies a stored key or panics.

use filter_formats::policies::{self, AnyPolicy};
use filter_policy::kernels::Kernel;
use filter_policy::{
    BitsPerKey, BloomFilterPolicy, Error, FilterBytes, FilterPolicy, HashFunction, HashedKey, KeyHash,
    KeyHashes, OwnedFilter, building, contract,
};

use super::support::hashers::Seeded;
use super::support::ways::filter_of;

const TEN: BitsPerKey = BitsPerKey::whole(10);

/// A policy of another crate, whose function is another one for every number under the same name.
struct Own {
    number: u64,
    function: HashFunction,
}

impl Own {
    fn new(number: u64) -> Self {
        let function = HashFunction::new("test.Own", move |key| Self::value(number, key));
        Self { number, function }
    }

    fn value(number: u64, key: &[u8]) -> u64 {
        let step = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        key.iter().fold(number, step)
    }
}

impl FilterPolicy for Own {
    fn name(&self) -> &str {
        "test.Own"
    }

    fn max_filter_len(&self, keys: usize) -> Result<usize, Error> {
        Ok(8 * keys)
    }

    fn create_filter<'out>(&self, keys: &[&[u8]], out: &'out mut [u8]) -> Result<FilterBytes<'out>, Error> {
        let hashes: Vec<u64> = keys.iter().map(|key| Self::value(self.number, key)).collect();
        self.create_from_hashes(KeyHashes::new(self.function, &hashes), out)
    }

    fn key_may_match(&self, key: &[u8], filter: &[u8]) -> bool {
        let value = Self::value(self.number, key).to_le_bytes();
        !filter.len().is_multiple_of(8) || filter.as_chunks().0.contains(&value)
    }

    fn key_hash(&self, key: &[u8]) -> Option<KeyHash> {
        Some(KeyHash::new(self.function, Self::value(self.number, key)))
    }

    fn hashed_may_match(&self, key: &[u8], hash: KeyHash, filter: &[u8]) -> bool {
        match hash.of::<u64>(self.function) {
            Some(value) if filter.len().is_multiple_of(8) => {
                filter.as_chunks().0.contains(&value.to_le_bytes())
            }
            _ => self.key_may_match(key, filter),
        }
    }

    fn create_from_hashes<'out>(
        &self,
        hashes: KeyHashes<'_>,
        out: &'out mut [u8],
    ) -> Result<FilterBytes<'out>, Error> {
        let hashes: &[u64] = hashes.of(self.function)?;
        let filter = building::room(out, 8 * hashes.len())?;
        for (place, hash) in filter.as_chunks_mut().0.iter_mut().zip(hashes) {
            *place = hash.to_le_bytes();
        }
        Ok(filter.into())
    }
}

fn all() -> Vec<AnyPolicy> {
    let mut all: Vec<AnyPolicy> = policies::ALL.iter().map(|known| known.policy(TEN)).collect();
    for seed in [7, 8] {
        all.push(Box::new(BloomFilterPolicy::with_seed(seed, TEN)));
        all.push(Box::new(BloomFilterPolicy::with_hasher(Seeded(seed), TEN)));
        all.push(Box::new(Own::new(seed.into())));
    }
    all
}

#[test]
fn a_key_hashed_under_another_policy_is_not_denied() {
    let keys: Vec<[u8; 4]> = (0..300_u32).map(u32::to_be_bytes).collect();
    let all = all();
    for policy in &all {
        let filter = filter_of(policy, &keys);
        let (owned, prepared) = (OwnedFilter::new(policy, &filter), policy.prepare(&filter));
        let function = policy.key_hash(b"").unwrap().function();
        for other in &all {
            let at = format!("{} in a filter of {}", other.name(), policy.name());
            let shared = other.key_hash(b"").unwrap().function() == function;
            for key in &keys {
                let hashed = HashedKey::new(other, key);
                let hash = hashed.hash().unwrap();
                let answers = [
                    owned.may_match_hashed(&hashed),
                    prepared.may_match_hashed(&hashed),
                    policy.hashed_may_match(key, hash, &filter),
                ];
                assert_eq!(answers, [true; 3], "{at}");
                assert_eq!(shared, hash == policy.key_hash(key).unwrap(), "{at}");
            }
            let mut room = vec![0; policy.max_filter_len(1).unwrap()];
            for hashes in [
                KeyHashes::new(other.key_hash(b"").unwrap().function(), &[1_u64]),
                KeyHashes::new(other.key_hash(b"").unwrap().function(), &[1_u32]),
            ] {
                let built = policy.create_from_hashes(hashes, &mut room).is_ok();
                assert!(!built || shared, "{at}");
            }
        }
    }
    contract::check(&Own::new(7), 0xf72e_7c13_9c1c_1e40);
}

#[test]
fn policies_of_one_function_share_hash_values() {
    let kafka = BloomFilterPolicy::with_seed(0x9747_b28c, TEN);
    let hasher = BloomFilterPolicy::with_hasher(*kafka.hasher(), TEN);
    let function = |policy: &BloomFilterPolicy<_>| policy.key_hash(b"").map(KeyHash::function);
    assert_eq!(function(&kafka), function(&hasher));
    let mut all = all();
    all.push(Box::new(BloomFilterPolicy::with_seed(5381, TEN)));
    for (one, other) in all
        .iter()
        .flat_map(|one| all.iter().map(move |other| (one, other)))
    {
        let hashes = |policy: &AnyPolicy| {
            let keys = (0..99_u8).map(|len| vec![0xff - len; len.into()]);
            let hash = |key: Vec<u8>| policy.key_hash(&key).unwrap();
            keys.map(hash).map(|hash| (hash.function(), hash.value())).unzip()
        };
        let (functions, values): (Vec<HashFunction>, Vec<u64>) = hashes(one);
        let (others, other_values) = hashes(other);
        assert_eq!(
            functions == others,
            values == other_values,
            "{} {}",
            one.name(),
            other.name()
        );
    }
}

/// Kernels take any probe count, and none of them panics where another does not.
#[test]
fn any_probe_count_is_the_same_for_every_kernel() {
    use filter_kernels::{KernelToken, LaneSource, Source, bloom64, fast_local, leveldb};

    let (wide, narrow): (Vec<u64>, Vec<u32>) = (0..70_u64)
        .map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15))
        .map(|hash| (hash, (hash >> 32) as u32))
        .unzip();
    for probes in 0..=u8::MAX {
        for len in [64, 1_024, 65_536] {
            let written = Kernel::available().map(|kernel| {
                let token = KernelToken::given(Some(kernel));
                let [mut of_32, mut of_64, mut lines] = [(); 3].map(|()| vec![0; len]);
                leveldb::insert(token, LaneSource::Hashes(&narrow), probes, &mut of_32);
                bloom64::insert(token, &mut of_64, probes, Source::Hashes(&wide));
                let source = Source::Hashes(&wide);
                fast_local::insert(token, lines.as_chunks_mut().0, probes, source);
                [of_32, of_64, lines]
            });
            let written: Vec<_> = written.collect();
            assert!(
                written.iter().all(|bytes| *bytes == written[0]),
                "{probes} probes, {len} bytes"
            );
        }
    }
}
