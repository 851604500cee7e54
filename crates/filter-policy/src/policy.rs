//! The contract between a storage engine and a filter policy.

mod prepared;

#[cfg(feature = "alloc")]
use alloc::boxed::Box;
#[cfg(feature = "alloc")]
use alloc::sync::Arc;
#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use crate::error::Error;
pub use prepared::PreparedFilter;

/// Turns the keys of a block into filter bytes and answers from those bytes whether a key may be in the
/// block.
///
/// An engine stores the bytes beside the block and asks before it reads the block. What each side may rely
/// on:
///
/// * **No false negatives.** For every key that a filter was built from,
///   [`key_may_match`](Self::key_may_match) on exactly those bytes is `true`, in every later version of the
///   policy that has the same name. For other keys it should be `false` most of the time and may be `true` at
///   any time.
/// * **Bytes come back from disk.** The engine may hand in bytes that were damaged, cut or written by
///   something else. The policy must not panic. Its answer is then worth nothing: altered bytes may deny keys
///   that are stored. Engines protect filters by a checksum, as they do every block; where the checksum is
///   wrong, the engine must not ask. No bytes at all are the filter of no keys: engines write nothing where
///   there is nothing to filter.
/// * **The order of the keys** is the engine's; they may hold duplicates. A policy must not need them sorted.
/// * **Equal keys are equal bytes.** An engine whose comparator calls keys equal that differ in their bytes
///   (ignoring case or trailing blanks, say) must not use a filter over the bytes as they are: a key stored
///   under one spelling would be denied under another. Wrap the policy so that it sees one spelling only.
/// * **Shared use.** Methods take `&self`; an engine that asks from several threads requires `Send + Sync`
///   besides.
///
/// The trait is object-safe: `&dyn FilterPolicy`. References, boxes and `Arc`s of policies are policies. The policies of this
/// crate have [more ways to build and to ask](crate::HashedPolicy).
///
/// ```
/// use filter_policy::{BitsPerKey, BloomFilterPolicy, FilterPolicy};
///
/// let policy: &dyn FilterPolicy = &BloomFilterPolicy::leveldb_builtin(BitsPerKey::whole(10));
/// let keys: [&[u8]; 2] = [b"apple", b"banana"];
/// let mut buffer = [0; 64];
/// let filter = policy.create_filter(&keys, &mut buffer)?;
/// assert!(policy.key_may_match(b"apple", filter));
///
/// // One filter, many questions.
/// let prepared = policy.prepare(filter);
/// assert!(prepared.may_match(b"banana") && !prepared.may_match(b"grape"));
/// let mut answers = [0];
/// prepared.may_match_many(&keys, &mut answers)?;
/// assert_eq!(answers, [0b11]);
/// # Ok::<(), filter_policy::Error>(())
/// ```
pub trait FilterPolicy: AsPolicy {
    /// Returns the name of the encoding, which is stored with the filters: engines ignore a filter whose name is not that
    /// of their policy.
    ///
    /// It must change whenever the same keys would be probed differently: another hash function, seed or
    /// probe sequence takes another name. It must not change with what readers do not need to know, such as
    /// the bits per key. Two encodings under one name deny keys that are there.
    fn name(&self) -> &str;

    /// Returns the most bytes that a filter of this many keys takes. The filter itself may be shorter, for instance
    /// where a policy drops duplicates.
    ///
    /// # Errors
    ///
    /// [`Error::FilterTooLarge`] when no slice could hold it.
    fn max_filter_len(&self, keys: usize) -> Result<usize, Error>;

    /// Writes the filter of these keys to the start of `out` and returns the part written; the rest of `out`
    /// is free.
    ///
    /// # Errors
    ///
    /// [`Error::BufferTooShort`] when `out` cannot hold the filter, which never happens with
    /// [`max_filter_len`](Self::max_filter_len) bytes; [`Error::FilterTooLarge`] when no slice could hold it;
    /// [`Error::AllocationFailed`] when a policy needs memory besides `out` and there is none.
    fn create_filter<'out>(&self, keys: &[&[u8]], out: &'out mut [u8]) -> Result<&'out mut [u8], Error>;

    /// Appends the filter of these keys to `out` and leaves what is already there as it is: engines collect
    /// the filters of many blocks in one buffer.
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

    /// Returns whether the filter may hold the key; `false` means that it certainly does not.
    ///
    /// `filter` is one filter, exactly as it was created, or any other bytes.
    fn key_may_match(&self, key: &[u8], filter: &[u8]) -> bool;

    /// Asks one filter for many keys: bit `i % 64` of `answers[i / 64]` becomes the answer for key `i`.
    ///
    /// It writes a word for every 64 keys, sets the bits beyond the last key to 0, and leaves further words unchanged.
    ///
    /// # Errors
    ///
    /// [`Error::TooFewAnswers`] when `answers` has fewer words than the keys need; it is then unchanged.
    fn keys_may_match(&self, keys: &[&[u8]], filter: &[u8], answers: &mut [u64]) -> Result<(), Error> {
        self.prepare(filter).may_match_many(keys, answers)
    }

    /// Prepares a filter for many questions: what depends on the filter alone is done once.
    ///
    /// The default prepares nothing and asks [`key_may_match`](Self::key_may_match) each time.
    fn prepare<'a>(&'a self, filter: &'a [u8]) -> PreparedFilter<'a> {
        PreparedFilter::of_policy(self.as_policy(), filter)
    }

    /// Returns whether [`prefix_may_match`](Self::prefix_may_match) ever says no: an engine need not fetch the filter
    /// for a scan otherwise. The default is that it never does.
    fn answers_prefixes(&self) -> bool {
        false
    }

    /// Returns whether the filter may hold a key that starts with `start`; `false` means that it certainly holds none. A
    /// filter over whole keys cannot tell, so the default is `true`.
    /// `PrefixPolicy` makes a policy that can.
    fn prefix_may_match(&self, start: &[u8], filter: &[u8]) -> bool {
        let _ = (start, filter);
        true
    }
}

/// A policy as an object. Every policy has this without doing anything for it.
pub trait AsPolicy {
    /// Returns the policy as an object.
    fn as_policy(&self) -> &(dyn FilterPolicy + '_);
}

impl<P: FilterPolicy> AsPolicy for P {
    #[inline]
    fn as_policy(&self) -> &(dyn FilterPolicy + '_) {
        self
    }
}

/// A pointer to a policy is that policy.
macro_rules! forward {
    ($(#[$attribute:meta])* $pointer:ty) => {
        $(#[$attribute])*
        impl<P: FilterPolicy + ?Sized> FilterPolicy for $pointer {
            fn name(&self) -> &str {
                (**self).name()
            }

            fn max_filter_len(&self, keys: usize) -> Result<usize, Error> {
                (**self).max_filter_len(keys)
            }

            fn create_filter<'out>(&self, keys: &[&[u8]], out: &'out mut [u8]) -> Result<&'out mut [u8], Error> {
                (**self).create_filter(keys, out)
            }

            #[cfg(feature = "alloc")]
            fn append_filter(&self, keys: &[&[u8]], out: &mut Vec<u8>) -> Result<(), Error> {
                (**self).append_filter(keys, out)
            }

            #[inline]
            fn key_may_match(&self, key: &[u8], filter: &[u8]) -> bool {
                (**self).key_may_match(key, filter)
            }

            fn keys_may_match(&self, keys: &[&[u8]], filter: &[u8], answers: &mut [u64]) -> Result<(), Error> {
                (**self).keys_may_match(keys, filter, answers)
            }

            #[inline]
            fn prepare<'a>(&'a self, filter: &'a [u8]) -> PreparedFilter<'a> {
                (**self).prepare(filter)
            }

            fn answers_prefixes(&self) -> bool {
                (**self).answers_prefixes()
            }

            fn prefix_may_match(&self, start: &[u8], filter: &[u8]) -> bool {
                (**self).prefix_may_match(start, filter)
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

/// Appends up to `max_len` bytes to `out` by writing them in place; `write` returns how many it wrote. An
/// error leaves `out` as it was.
#[cfg(feature = "alloc")]
pub(crate) fn append_with(
    out: &mut Vec<u8>,
    max_len: usize,
    write: impl FnOnce(&mut [u8]) -> Result<usize, Error>,
) -> Result<(), Error> {
    let start = out.len();
    out.try_reserve(max_len)
        .map_err(|_| Error::AllocationFailed { bytes: max_len })?;
    out.resize(start + max_len, 0);
    let written = write(out.get_mut(start..).unwrap_or_default());
    out.truncate(start + written.unwrap_or(0));
    written.map(|_| ())
}
