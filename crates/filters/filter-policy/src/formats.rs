//! The stored formats of engines, each in a file and a folder of its name, and the list of all.
//!
//! ```
//! use filter_policy::{BitsPerKey, formats};
//!
//! let fifteen = BitsPerKey::whole(15);
//! assert_eq!(formats::LEVEL_DB.filter_len(45_402, fifteen)?, 85_130);
//! assert_eq!(formats::LEVEL_DB.probe_count(45_402, fifteen)?, Some(10));
//! assert_eq!(formats::LEVEL_DB.capacity(85_130, fifteen), 45_402);
//! assert_eq!(formats::LEVEL_DB.bits_per_key_for_len(45_402, 85_130)?, fifteen);
//!
//! // Bits per key and bytes of some formats at a rate of 0.1 %.
//! for (format, bits, bytes) in [
//!     (formats::LEVEL_DB, 14.88, 84_449),
//!     (formats::BLOOM64, 14.38, 81_611),
//!     (formats::FAST_LOCAL_BLOOM, 15.54, 88_261),
//!     (formats::RIBBON, 15.41, 58_437),
//!     (formats::SPLIT_BLOCK, 16.89, 95_872),
//! ] {
//!     let bits_per_key = format.bits_per_key_for_rate(45_402, 0.001)?;
//!     assert_eq!(bits_per_key.get(), bits);
//!     assert_eq!(format.filter_len(45_402, bits_per_key)?, bytes);
//! }
//! # Ok::<(), filter_policy::Error>(())
//! ```
//!
//! RocksDB's formats count bits per key from 1 to 100: lower values count as 1, higher values as 100. Values below 0.5
//! are an error here, because RocksDB writes no filters then.

pub(crate) mod basho;
pub(crate) mod bloom64;
pub(crate) mod fuse;
pub mod leveldb;
pub mod rocksdb;
pub(crate) mod split_block;
#[cfg(all(test, feature = "alloc"))]
mod tests;

use crate::bits_per_key::BitsPerKey;
use crate::policy::AnyFormat;
pub use basho::Basho;
use basho::BashoFilterPolicy;
pub use bloom64::Bloom64;
use bloom64::BloomFilter64Policy;
pub use fuse::BinaryFuse;
use fuse::BinaryFusePolicy;
use leveldb::BloomFilterPolicy;
use rocksdb::{FastLocalBloomPolicy, LegacyBloomPolicy, RibbonPolicy};
pub use split_block::SplitBlock;
pub use split_block::bits::{Xxh64, Xxph3};
use split_block::{ParquetPolicy, SplitBlockPolicy};

/// The bits per key of filters that a policy of the list writes; it reads filters of any size.
const TEN: BitsPerKey = BitsPerKey::whole(10);

/// Names the formats, and lists them.
macro_rules! formats {
    ($($(#[$doc:meta])* $name:ident = $policy:expr;)+) => {
        $($(#[$doc])* pub const $name: &dyn AnyFormat = &$policy.format;)+

        /// Every format with a fixed name.
        ///
        /// ```
        /// use filter_policy::{BitsPerKey, FilterPolicy as _, formats};
        ///
        /// for known in formats::ALL {
        ///     assert_eq!(known.policy(BitsPerKey::whole(10)).name(), known.name());
        /// }
        /// ```
        pub const ALL: &[&dyn AnyFormat] = &[$($name),+];
    };
}

formats! {
    /// [`BloomFilterPolicy::with_leveldb_hash`].
    LEVEL_DB = BloomFilterPolicy::with_leveldb_hash(TEN);
    /// [`BloomFilterPolicy::new`].
    MURMUR2 = BloomFilterPolicy::new(TEN);
    /// [`BloomFilterPolicy::with_signed_tail`].
    MURMUR2_SIGNED_TAIL = BloomFilterPolicy::with_signed_tail(TEN);
    /// [`BloomFilter64Policy`].
    BLOOM64 = BloomFilter64Policy::new(TEN);
    /// [`FastLocalBloomPolicy`].
    FAST_LOCAL_BLOOM = FastLocalBloomPolicy::new(TEN);
    /// [`LegacyBloomPolicy`].
    LEGACY_BLOOM = LegacyBloomPolicy::new(TEN);
    /// [`RibbonPolicy`].
    RIBBON = RibbonPolicy::new(TEN);
    /// [`ParquetPolicy::new`].
    SPLIT_BLOCK = ParquetPolicy::new(TEN);
    /// [`SplitBlockPolicy::new`].
    SPLIT_BLOCK_XXPH3 = SplitBlockPolicy::new(TEN);
    /// [`BinaryFusePolicy`].
    BINARY_FUSE = BinaryFusePolicy::new(TEN);
    /// [`BashoFilterPolicy::new`].
    BASHO = BashoFilterPolicy::new(TEN);
    /// [`BashoFilterPolicy::with_murmur2`].
    BASHO_MURMUR2 = BashoFilterPolicy::with_murmur2(TEN);
}
