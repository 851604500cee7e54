//! Implements the engine's trait for our policies. Knows nothing of files.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use filter_policy::filter_block::longest_filter;
use filter_policy::{FilterPolicy, MATCHES_EVERYTHING};

use crate::error::Error;

/// All names that were given to the engine.
static NAMES: Mutex<BTreeSet<&str>> = Mutex::new(BTreeSet::new());

/// A policy of the crate `filter-policy` for rusty-leveldb.
///
/// **Open databases that may contain filters of another policy with [`checked_open`](crate::checked_open).** The engine
/// does not compare names: `DB::open` with this policy on a database that was written with another one can deny every
/// stored key. The crate's documentation explains when.
///
/// The stored filters are the policy's, byte for byte. If a filter cannot be built or is empty (the engine panics on an
/// empty filter), two bytes are stored instead that match every key. The same happens to a filter above
/// [`longest_filter`], which is 62 bits per key for large ones: the engine stores offsets of filters in 32 bits.
///
/// ```
/// use std::rc::Rc;
///
/// use filter_policy::{BitsPerKey, BloomFilterPolicy};
/// use filter_policy_rusty_leveldb::RustyLevelDbPolicy;
/// use rusty_leveldb::{DB, FilterPolicy};
///
/// let bloom = BloomFilterPolicy::new(BitsPerKey::whole(10));
/// let policy = RustyLevelDbPolicy::new(bloom)?;
/// assert_eq!(policy.name(), "BloomFilter2");
///
/// // Safe here, because the database is new.
/// let mut options = rusty_leveldb::in_memory();
/// options.filter_policy = Rc::new(Box::new(policy));
/// DB::open("new", options)?.put(b"key", b"value")?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct RustyLevelDbPolicy<P> {
    policy: P,
    name: &'static str,
}

impl<P: FilterPolicy> RustyLevelDbPolicy<P> {
    /// Returns the policy for the engine.
    ///
    /// The engine needs `'static` names, but names with a seed or an extractor are created at run time. So each
    /// different name is leaked once.
    ///
    /// # Errors
    ///
    /// [`Error::EmptyName`], because the engine panics when it looks for a filter without a name.
    pub fn new(policy: P) -> Result<Self, Error> {
        match policy.name() {
            "" => Err(Error::EmptyName),
            name => Ok(Self {
                name: for_ever(name),
                policy,
            }),
        }
    }

    /// Returns the wrapped policy.
    pub const fn policy(&self) -> &P {
        &self.policy
    }
}

// `Send`, because the engine lets a database move to another thread, together with its policy.
impl<P: FilterPolicy + Send> rusty_leveldb::FilterPolicy for RustyLevelDbPolicy<P> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn create_filter(&self, keys: &[u8], key_offsets: &[usize]) -> Vec<u8> {
        let mut filter = Vec::new();
        let built = split(keys, key_offsets)
            .is_some_and(|keys| self.policy.append_filter(&keys, &mut filter).is_ok());
        if !built || filter.is_empty() || filter.len() > longest_filter(key_offsets.len()) {
            filter = MATCHES_EVERYTHING.to_vec();
        }
        filter
    }

    fn key_may_match(&self, key: &[u8], filter: &[u8]) -> bool {
        // Tested first, because a policy of another format need not know these bytes.
        filter == MATCHES_EVERYTHING || self.policy.key_may_match(key, filter)
    }
}

/// Splits the bytes into the keys that start at these offsets. Returns `None` if the offsets do not ascend within the
/// bytes.
fn split<'k>(keys: &'k [u8], offsets: &[usize]) -> Option<Vec<&'k [u8]>> {
    let ends = offsets.iter().skip(1).copied().chain([keys.len()]);
    offsets
        .iter()
        .zip(ends)
        .map(|(&start, end)| keys.get(start..end))
        .collect()
}

/// Returns a copy of the name that lives until the program ends.
fn for_ever(name: &str) -> &'static str {
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    match names.get(name) {
        Some(&known) => known,
        None => {
            let kept: &'static str = Box::leak(name.into());
            names.insert(kept);
            kept
        }
    }
}

#[cfg(test)]
mod tests {
    use filter_policy::{BitsPerKey, BloomFilterPolicy};
    use rusty_leveldb::FilterPolicy as _;

    use super::*;

    const TEN: BitsPerKey = BitsPerKey::whole(10);

    #[test]
    fn offsets_that_make_no_sense_deny_nothing() {
        let policy = RustyLevelDbPolicy::new(BloomFilterPolicy::new(TEN)).unwrap();
        for offsets in [&[1, 0][..], &[4], &[0, 9], &[usize::MAX]] {
            assert_eq!(
                policy.create_filter(b"key", offsets),
                MATCHES_EVERYTHING,
                "{offsets:?}"
            );
        }
    }

    #[test]
    fn a_name_is_kept_once() {
        let named = |seed| {
            RustyLevelDbPolicy::new(BloomFilterPolicy::with_seed(seed, TEN))
                .unwrap()
                .name()
        };
        assert_eq!(named(1), "BloomFilter2.Seed00000001");
        assert!(std::ptr::eq(named(1), named(1)));
        assert_ne!(named(1), named(2));
    }
}
