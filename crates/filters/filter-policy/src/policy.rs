//! The contract between a storage engine and a filter policy.

pub(crate) mod any;
#[cfg(feature = "alloc")]
pub(crate) mod builder;
#[cfg(feature = "alloc")]
pub mod contract;
mod format;
mod hashed_key;
mod kernel_choice;
mod of_format;
mod prepared;
pub(crate) mod query;

#[cfg(feature = "alloc")]
use alloc::boxed::Box;
#[cfg(feature = "alloc")]
use alloc::sync::Arc;
#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::ops::Bound;

use crate::bits_per_key::BitsPerKey;
#[cfg(feature = "alloc")]
use crate::building::append_with;
use crate::error::Error;
use crate::filter_bytes::FilterBytes;
use crate::key_hash::{KeyHash, KeyHashes, WRONG_HASHES};
#[cfg(feature = "alloc")]
use crate::range::RangeFilterBuilder;
pub use any::AnyFormat;
pub(crate) use any::{Facts, FilterSize, ListedFormat};
pub use format::Format;
pub use hashed_key::HashedKey;
pub use kernel_choice::BestKernel;
pub use of_format::Policy;
pub(crate) use prepared::Restore;
pub use prepared::{OwnedFilter, Prepared, PreparedFilter};

/// A filter that matches every key, for every reader of LevelDB's format and every policy: in LevelDB's format, a last
/// byte above 30 is reserved. Engine adapters store it when a filter cannot be built.
///
/// ```
/// use filter_policy::{BloomFilterPolicy, FilterPolicy, MATCHES_EVERYTHING};
///
/// let policy = BloomFilterPolicy::new(10.into());
/// assert!(policy.key_may_match(b"any key", &MATCHES_EVERYTHING));
/// ```
pub const MATCHES_EVERYTHING: [u8; 2] = [0x00, 0xff];

/// Builds a filter from the keys of a block and answers from the filter's bytes whether a key may be in the block.
///
/// An engine stores the bytes next to the block and queries them before it reads the block. Both sides rely on this
/// contract:
///
/// * **No false negatives.** For every key that a filter was built from, [`key_may_match`](Self::key_may_match) on
///   exactly those bytes is `true`, in every later version of the policy with the same name. For other keys the answer
///   should usually be `false` and may always be `true`.
/// * **Bytes come back from disk.** The engine may pass bytes that were damaged, truncated or written by something
///   else. The policy must not panic, but its answer is meaningless: altered bytes may deny stored keys. Engines
///   protect filters by a checksum, as they do every block, and must not query a filter whose checksum is wrong. An
///   empty slice is the filter of no keys: engines write nothing when there is nothing to filter.
/// * **Key order** is up to the engine, and keys may contain duplicates. A policy must not require sorted keys.
/// * **Equal keys have equal bytes.** An engine whose comparator treats keys with different bytes as equal (ignoring
///   case or trailing blanks, say) must not use a filter over the raw bytes: a key stored under one spelling would be
///   denied under another. Wrap the policy so that it sees only one spelling.
/// * **`00 ff` matches every key.** An adapter that could not build a filter stores [`MATCHES_EVERYTHING`]. A policy
///   answers `true` for these two bytes and never writes them as the filter of some keys.
/// * **Shared use.** Methods take `&self`; an engine that queries from several threads also requires `Send + Sync`.
///
/// The trait is object-safe: `&dyn FilterPolicy`. References, boxes and `Arc`s of policies are policies. Behind any of
/// them, a [`HashedKey`](crate::HashedKey) hashes a key once for many filters, an
/// [`OwnedFilter`](crate::OwnedFilter) keeps a prepared filter, and a `FilterBuilder` takes keys one by one. Policies
/// whose type is known have [more ways to build](crate::Policy).
///
/// To write a policy, implement the four methods without a default: [`own_policy`](crate::own_policy) shows how, and
/// `contract::check` tests the result. The supertrait [`AsPolicy`] needs no implementation: every policy has it.
///
/// ```
/// use filter_policy::{Answers, BloomFilterPolicy, FilterPolicy};
///
/// let policy: &dyn FilterPolicy = &BloomFilterPolicy::new(10.into());
/// let keys: [&[u8]; 2] = [b"apple", b"banana"];
/// let mut buffer = [0; 64];
/// let filter = policy.create_filter(&keys, &mut buffer)?;
/// assert!(policy.key_may_match(b"apple", &filter));
///
/// // One filter, many queries.
/// let prepared = policy.prepare(&filter);
/// assert!(prepared.may_match(b"banana") && !prepared.may_match(b"grape"));
/// let mut words = [0; 1];
/// let mut answers = Answers::new(&mut words);
/// prepared.may_match_many(&keys, &mut answers)?;
/// assert!(answers.get(0) && answers.get(1));
/// # Ok::<(), filter_policy::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a filter policy",
    note = "implement the four methods of `FilterPolicy` without a default: `filter_policy::own_policy` shows how",
    note = "for another hash in LevelDB's format, implement `KeyHasher` and use `BloomFilterPolicy::with_hasher`"
)]
pub trait FilterPolicy: AsPolicy {
    /// Returns the name of the encoding, which is stored with the filters: an engine ignores a filter whose name
    /// differs from that of the engine's policy.
    ///
    /// The name must change whenever the same keys would be probed differently: another hash function, seed or probe
    /// sequence needs another name. The name must not depend on anything that readers do not need, such as the bits per
    /// key. Two encodings under one name deny stored keys.
    fn name(&self) -> &str;

    /// Returns the maximum length in bytes of a filter of this many keys. The filter itself may be shorter, for
    /// instance if a policy drops duplicates.
    ///
    /// # Errors
    ///
    /// [`Error::FilterTooLarge`] when the filter is longer than any slice.
    fn max_filter_len(&self, keys: usize) -> Result<usize, Error>;

    /// Returns the largest number of keys whose filter has at most this many bytes whatever the keys are; 0 if not even
    /// the filter of one key certainly fits, `usize::MAX` if filters do not grow.
    ///
    /// ```
    /// use filter_policy::{BloomFilterPolicy, FilterPolicy};
    ///
    /// let policy = BloomFilterPolicy::new(10.into());
    /// assert_eq!(policy.max_filter_len(80_000)?, 100_001);
    /// assert_eq!(policy.capacity(100_001), 80_000);
    /// # Ok::<(), filter_policy::Error>(())
    /// ```
    fn capacity(&self, filter_len: usize) -> usize {
        (0..usize::BITS).rev().fold(0, |keys, bit| {
            let more = keys | 1 << bit;
            let fits = self.max_filter_len(more).is_ok_and(|len| len <= filter_len);
            if fits { more } else { keys }
        })
    }

    /// Returns the bits per key of the filters that the policy builds; `None`, the default, if it has no such number.
    fn bits_per_key(&self) -> Option<BitsPerKey> {
        None
    }

    /// Writes the filter of these keys to the start of `out` and returns the part written, which alone is the filter;
    /// the rest of `out` is unspecified.
    ///
    /// # Errors
    ///
    /// [`Error::BufferTooShort`] when `out` cannot hold the filter, which never happens with
    /// [`max_filter_len`](Self::max_filter_len) bytes; [`Error::FilterTooLarge`] when no slice could hold it;
    /// [`Error::AllocationFailed`] when a policy needs memory in addition to `out` and there is none;
    /// [`Error::Policy`] for the policy's other reasons.
    fn create_filter<'out>(&self, keys: &[&[u8]], out: &'out mut [u8]) -> Result<FilterBytes<'out>, Error>;

    /// Appends the filter of these keys to `out` and keeps the existing bytes: engines collect the filters of many
    /// blocks in one buffer.
    ///
    /// # Errors
    ///
    /// [`Error::FilterTooLarge`], [`Error::AllocationFailed`] and other errors of
    /// [`create_filter`](Self::create_filter); `out` is then unchanged.
    #[cfg(feature = "alloc")]
    fn append_filter(&self, keys: &[&[u8]], out: &mut Vec<u8>) -> Result<(), Error> {
        append_with(out, self.max_filter_len(keys.len())?, |room| {
            self.create_filter(keys, room).map(|filter| filter.len())
        })
    }

    /// Returns true if the filter may contain the key. `false` is certain.
    ///
    /// `filter` is one filter, exactly as it was created, or any other bytes.
    fn key_may_match(&self, key: &[u8], filter: &[u8]) -> bool;

    /// Prepares a filter for many queries: work that depends only on the filter is done once.
    ///
    /// The default prepares nothing and calls [`key_may_match`](Self::key_may_match) for every query.
    fn prepare<'a>(&'a self, filter: &'a [u8]) -> PreparedFilter<'a> {
        PreparedFilter::unprepared(self.as_policy(), filter)
    }

    /// Returns the hash value from which the policy builds and answers in place of the key. A policy returns one for
    /// every key, always of the same function, or for none, which is the default: keys are then kept and queried whole.
    ///
    /// A policy that alters keys before it passes them to another policy must not return that policy's hash values: a
    /// key that was hashed unaltered under the other policy would be denied.
    fn key_hash(&self, key: &[u8]) -> Option<KeyHash> {
        let _ = key;
        None
    }

    /// Answers as [`key_may_match`](Self::key_may_match) does, for a key with a known [`key_hash`](Self::key_hash). A
    /// hash value of another function is not used: check it with [`KeyHash::of`].
    #[inline]
    fn hashed_may_match(&self, key: &[u8], hash: KeyHash, filter: &[u8]) -> bool {
        let _ = hash;
        self.key_may_match(key, filter)
    }

    /// Writes the bytes of [`create_filter`](Self::create_filter) for keys with these hash values.
    ///
    /// # Errors
    ///
    /// The errors of [`create_filter`](Self::create_filter); [`Error::Policy`] if the policy does not build from hash
    /// values, or another function made these: check them with [`KeyHashes::of`].
    fn create_from_hashes<'out>(
        &self,
        hashes: KeyHashes<'_>,
        out: &'out mut [u8],
    ) -> Result<FilterBytes<'out>, Error> {
        let _ = (hashes, out);
        Err(WRONG_HASHES)
    }

    /// Returns true if [`prefix_may_match`](Self::prefix_may_match) can return `false`. If not, an engine need not
    /// fetch the filter for a scan. The default is `false`.
    fn answers_prefixes(&self) -> bool {
        false
    }

    /// Returns true if the filter may have a key that starts with `start`. `false` is certain.
    ///
    /// It answers for a scan that ends with the last such key. A scan from `start` on over larger keys must not query
    /// it: a range without keys that start so may contain others.
    ///
    /// A filter over whole keys cannot answer for prefixes, so the default is `true`; `PrefixPolicy` makes a policy
    /// that can.
    fn prefix_may_match(&self, start: &[u8], filter: &[u8]) -> bool {
        let _ = (start, filter);
        true
    }

    /// Returns true if [`range_may_match`](Self::range_may_match) can return `false`. If not, an engine need not fetch
    /// the filter for a scan of a range. The default is `false`.
    fn answers_ranges(&self) -> bool {
        false
    }

    /// Returns true if the filter may have a key between the bounds, in the order of bytes. `false` is certain.
    ///
    /// An engine whose comparator orders keys in another way must not query it. A filter over hashes of keys cannot
    /// answer for ranges, so the default is `true`; [`RangePolicy`](crate::range::RangePolicy) can.
    fn range_may_match(&self, lower: Bound<&[u8]>, upper: Bound<&[u8]>, filter: &[u8]) -> bool {
        let _ = (lower, upper, filter);
        true
    }

    /// Returns a builder that takes sorted keys one by one and keeps only a part of each; `None`, the default, if the
    /// policy has none. A [`FilterBuilder`](crate::FilterBuilder) builds the same filter of any policy, and keeps the keys.
    #[cfg(feature = "alloc")]
    fn range_builder(&self) -> Option<RangeFilterBuilder> {
        None
    }
}

/// A policy as a trait object, which default methods of [`FilterPolicy`] need. Implemented for every policy.
pub trait AsPolicy {
    /// Returns the policy as a trait object.
    fn as_policy(&self) -> &(dyn FilterPolicy + '_);
}

impl<P: FilterPolicy> AsPolicy for P {
    #[inline]
    fn as_policy(&self) -> &(dyn FilterPolicy + '_) {
        self
    }
}

/// Implements the trait for a pointer by forwarding to the policy.
macro_rules! forward {
    ($(#[$attribute:meta])* $pointer:ty) => {
        $(#[$attribute])*
        impl<P: FilterPolicy + ?Sized> FilterPolicy for $pointer {
            #[inline]
            fn name(&self) -> &str {
                (**self).name()
            }

            #[inline]
            fn max_filter_len(&self, keys: usize) -> Result<usize, Error> {
                (**self).max_filter_len(keys)
            }

            #[inline]
            fn bits_per_key(&self) -> Option<BitsPerKey> {
                (**self).bits_per_key()
            }

            #[inline]
            fn create_filter<'out>(&self, keys: &[&[u8]], out: &'out mut [u8]) -> Result<FilterBytes<'out>, Error> {
                (**self).create_filter(keys, out)
            }

            #[cfg(feature = "alloc")]
            #[inline]
            fn append_filter(&self, keys: &[&[u8]], out: &mut Vec<u8>) -> Result<(), Error> {
                (**self).append_filter(keys, out)
            }

            #[inline]
            fn key_may_match(&self, key: &[u8], filter: &[u8]) -> bool {
                (**self).key_may_match(key, filter)
            }

            #[inline]
            fn prepare<'a>(&'a self, filter: &'a [u8]) -> PreparedFilter<'a> {
                (**self).prepare(filter)
            }

            #[inline]
            fn key_hash(&self, key: &[u8]) -> Option<KeyHash> {
                (**self).key_hash(key)
            }

            #[inline]
            fn hashed_may_match(&self, key: &[u8], hash: KeyHash, filter: &[u8]) -> bool {
                (**self).hashed_may_match(key, hash, filter)
            }

            #[inline]
            fn create_from_hashes<'out>(&self, hashes: KeyHashes<'_>, out: &'out mut [u8]) -> Result<FilterBytes<'out>, Error> {
                (**self).create_from_hashes(hashes, out)
            }

            #[inline]
            fn answers_prefixes(&self) -> bool {
                (**self).answers_prefixes()
            }

            #[inline]
            fn prefix_may_match(&self, start: &[u8], filter: &[u8]) -> bool {
                (**self).prefix_may_match(start, filter)
            }

            #[inline]
            fn answers_ranges(&self) -> bool {
                (**self).answers_ranges()
            }

            #[inline]
            fn range_may_match(&self, lower: Bound<&[u8]>, upper: Bound<&[u8]>, filter: &[u8]) -> bool {
                (**self).range_may_match(lower, upper, filter)
            }

            #[cfg(feature = "alloc")]
            #[inline]
            fn range_builder(&self) -> Option<RangeFilterBuilder> {
                (**self).range_builder()
            }
        }
    };
}

forward!(&P);
forward!(
    #[cfg(feature = "alloc")]
    Box<P>
);
forward!(
    #[cfg(feature = "alloc")]
    Arc<P>
);
