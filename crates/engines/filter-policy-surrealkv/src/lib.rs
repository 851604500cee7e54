#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

use std::sync::atomic::{AtomicBool, Ordering};

use filter_policy::{Error, FilterPolicy, HashFunctionId, KeyHashes, MATCHES_EVERYTHING};

/// A policy of the crate `filter-policy` for SurrealKV.
///
/// The engine keeps one hash value for each entry of a table, and cuts the table's filter into partitions. The policy's
/// own filter of each partition is stored under its own name.
///
/// * Entries are hashed by [`key_hash`](FilterPolicy::key_hash), and a filter is built by
///   [`create_from_hashes`](FilterPolicy::create_from_hashes). Hash values that follow each other and are equal, as
///   those of a key's versions are, count once.
/// * A point read calls [`key_may_match`](FilterPolicy::key_may_match). Scans use no filter.
/// * A partition holds as many keys as a filter of the partition's size has room for.
///
/// If a filter cannot be built, two bytes are stored instead that match every key.
#[derive(Debug)]
pub struct SurrealKvPolicy<P> {
    policy: P,
    function: HashFunctionId,
    /// Set by a key without a hash value of that function, against the contract of
    /// [`key_hash`](FilterPolicy::key_hash): filters from hash values could deny such keys.
    is_faulty: AtomicBool,
}

/// The names of the engine's own policies, whose filters have other bytes.
const ENGINES_NAMES: [&str; 2] = ["leveldb.BloomFilter", "surrealkv.RibbonFilter"];

impl<P: FilterPolicy> SurrealKvPolicy<P> {
    /// Returns the policy for the engine.
    ///
    /// # Errors
    ///
    /// [`Error::Policy`] if the policy has no hash values for keys, as a policy over prefixes of keys: the engine keeps
    /// hash values and not keys; or if it has the name of a policy of SurrealKV, whose filters it would read.
    pub fn new(policy: P) -> Result<Self, Error> {
        if ENGINES_NAMES.contains(&policy.name()) {
            return Err(Error::Policy {
                reason: "SurrealKV has a policy of this name, with other filters",
            });
        }
        let Some(hash) = policy.key_hash(b"") else {
            return Err(Error::Policy {
                reason: "SurrealKV keeps hash values in place of keys, and this policy's key_hash returns none",
            });
        };
        Ok(Self {
            policy,
            function: hash.function(),
            is_faulty: AtomicBool::new(false),
        })
    }

    /// Returns the wrapped policy.
    pub fn policy(&self) -> &P {
        &self.policy
    }

    /// Builds the filter of hash values, which are of the policy's width.
    fn build(&self, mut hashes: Vec<u64>) -> Result<Vec<u8>, Error> {
        if self.is_faulty.load(Ordering::Relaxed) {
            return Err(Error::Policy {
                reason: "a key has no hash value, or one of another function",
            });
        }
        hashes.dedup();
        let mut filter = vec![0; self.policy.max_filter_len(hashes.len())?];
        let narrow: Vec<u32>;
        let hashes = if self.function.bits() == 32 {
            // The engine returns the values that `key_hash` made from 32 bits.
            narrow = hashes.iter().map(|&hash| hash as u32).collect();
            KeyHashes::new(self.function, &narrow)
        } else {
            KeyHashes::new(self.function, &hashes)
        };
        let len = self.policy.create_from_hashes(hashes, &mut filter)?.len();
        filter.truncate(len);
        Ok(filter)
    }
}

impl<P> surrealkv::FilterPolicy for SurrealKvPolicy<P>
where
    P: FilterPolicy + Send + Sync,
{
    fn name(&self) -> &str {
        self.policy.name()
    }

    fn may_contain(&self, filter: &[u8], key: &[u8]) -> bool {
        // Tested first, because a policy of another format need not know these bytes.
        filter == MATCHES_EVERYTHING || self.policy.key_may_match(key, filter)
    }

    fn create_filter(&self, keys: &[Vec<u8>]) -> Vec<u8> {
        let hashes: Vec<u64> = keys.iter().map(|key| self.key_hash(key)).collect();
        self.create_filter_from_hashes(&hashes)
    }

    fn key_hash(&self, key: &[u8]) -> u64 {
        match self.policy.key_hash(key) {
            Some(hash) if hash.function() == self.function => hash.value(),
            _ => {
                self.is_faulty.store(true, Ordering::Relaxed);
                0
            }
        }
    }

    fn create_filter_from_hashes(&self, hashes: &[u64]) -> Vec<u8> {
        self.build(hashes.to_vec())
            .unwrap_or_else(|_| MATCHES_EVERYTHING.to_vec())
    }

    fn filter_keys_per_partition(&self, partition_bytes: usize) -> usize {
        // No filter has less than a bit for a key.
        let most = partition_bytes.saturating_mul(8);
        let few = self.policy.capacity(partition_bytes).clamp(1, most.max(1));
        // Filters of some formats are shorter than the longest that they may be, and grow by steps: the true density
        // shows in filters.
        let len = |keys: usize| self.create_filter_from_hashes(&sample(keys)).len();
        let more = few as u128 * partition_bytes as u128 / len(few).max(1) as u128;
        let more = usize::try_from(more).map_or(most, |more| more.min(most));
        let mut counts = (0..4).map(|step| more - more / 50 * step);
        counts
            .find(|&keys| keys > few && len(keys) <= partition_bytes)
            .unwrap_or(few)
    }
}

/// Returns this many distinct hash values, in both widths.
fn sample(count: usize) -> Vec<u64> {
    // The odd multiplier, 2^64 divided by the golden ratio, spreads a sequence over all values.
    let spread = |i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32);
    (1..=count as u64).map(spread).collect()
}
