//! The contract between a storage engine and a filter policy.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use crate::error::Error;

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
///   something else. The policy must not panic; where it cannot tell, it answers `true`, so that damage costs
///   time and not data. No bytes at all are the filter of no keys: engines write nothing where there is
///   nothing to filter.
/// * **The order of the keys** is the engine's; they may hold duplicates. A policy must not need them sorted.
/// * **Equal keys are equal bytes.** An engine whose comparator calls keys equal that differ in their bytes
///   (ignoring case or trailing blanks, say) must not use a filter over the bytes as they are: a key stored
///   under one spelling would be denied under another. Wrap the policy so that it sees one spelling only.
/// * **Shared use.** Methods take `&self`; an engine that asks from several threads requires `Send + Sync`
///   besides.
///
/// The trait can be made into an object: `&dyn FilterPolicy`.
pub trait FilterPolicy {
    /// The name of the encoding, stored with the filters: engines ignore a filter whose name is not that of
    /// their policy.
    ///
    /// It must change whenever the same keys would be probed differently: another hash function, seed or
    /// probe sequence takes another name. It must not change with what readers do not need to know, such as
    /// the bits per key. Two encodings under one name deny keys that are there.
    fn name(&self) -> &str;

    /// The most bytes that a filter of this many keys takes. The filter itself may be shorter, for instance
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
    /// [`max_filter_len`](Self::max_filter_len) bytes; [`Error::FilterTooLarge`] as there;
    /// [`Error::AllocationFailed`] of a policy that needs memory besides.
    fn create_filter<'out>(&self, keys: &[&[u8]], out: &'out mut [u8]) -> Result<&'out mut [u8], Error>;

    /// Appends the filter of these keys to `out` and leaves what is already there as it is: engines collect
    /// the filters of many blocks in one buffer.
    ///
    /// # Errors
    ///
    /// As [`create_filter`](Self::create_filter), and [`Error::AllocationFailed`]; `out` is then what it was.
    #[cfg(feature = "alloc")]
    fn append_filter(&self, keys: &[&[u8]], out: &mut Vec<u8>) -> Result<(), Error> {
        append_with(out, self.max_filter_len(keys.len())?, |room| {
            self.create_filter(keys, room).map(|filter| filter.len())
        })
    }

    /// Whether the filter may hold the key; `false` means that it surely does not.
    ///
    /// `filter` is one filter, exactly as it was created, or whatever a disk made of it.
    fn key_may_match(&self, key: &[u8], filter: &[u8]) -> bool;

    /// Whether [`prefix_may_match`](Self::prefix_may_match) ever says no: an engine need not fetch the filter
    /// for a scan otherwise. The default is that it never does.
    fn answers_prefixes(&self) -> bool {
        false
    }

    /// Whether the filter may hold a key that starts with `start`; `false` means that it surely holds none. A
    /// filter over whole keys cannot tell, so the default is `true`.
    /// `PrefixPolicy` makes a policy that can.
    fn prefix_may_match(&self, start: &[u8], filter: &[u8]) -> bool {
        let _ = (start, filter);
        true
    }
}

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
