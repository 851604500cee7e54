//! One key and many filters.

use hashzoo::xxph3_64;

use super::view::{Contents, fast_local};
use crate::arch::Chosen;
use crate::arch::wide::lines;

/// A key that many of RocksDB's filters are asked for: hashed once.
///
/// That is what a read of a log-structured tree does, level by level, until the key is found. It pays from the second
/// filter on. Filters of the legacy kind have a hash function of their own and hash the key again.
///
/// ```
/// use filter_policy::{FastLocalBloomPolicy, RocksDbBitsPerKey};
///
/// let policy = FastLocalBloomPolicy::new(RocksDbBitsPerKey::whole(10));
/// let (mut young, mut old) = ([0; 69], [0; 69]);
/// let levels = [&*policy.build_in(["a", "b"], &mut young)?, policy.build_in(["c", "d"], &mut old)?];
///
/// let key = policy.hashed(b"c");
/// assert_eq!(levels.iter().position(|filter| key.may_be_in(filter)), Some(1));
/// # Ok::<(), filter_policy::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct HashedRocksDbKey<'k> {
    key: &'k [u8],
    hash: u64,
    kernel: Chosen,
}

impl<'k> HashedRocksDbKey<'k> {
    #[inline]
    pub(super) fn new(kernel: Chosen, key: &'k [u8]) -> Self {
        Self {
            key,
            hash: xxph3_64(key, 0),
            kernel,
        }
    }

    /// The hash value, [`FastLocalBloomPolicy::hash`](crate::FastLocalBloomPolicy::hash).
    pub const fn hash(&self) -> u64 {
        self.hash
    }

    /// Whether the filter, of any kind, may hold the key; as
    /// [`RocksDbFilterView::may_match`](crate::RocksDbFilterView::may_match).
    #[inline]
    pub fn may_be_in(&self, filter: &[u8]) -> bool {
        if let Some((lines, probes)) = fast_local(filter) {
            return lines::may_match(self.kernel, lines, probes, self.hash);
        }
        match Contents::of_another_kind(filter) {
            Contents::Ribbon(solution) => solution.may_match(self.hash),
            contents => contents.may_match(self.key),
        }
    }
}
