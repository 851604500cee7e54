//! Building from sorted keys, of which a part is kept.

use alloc::vec::Vec;

use super::alphabet::{Alphabet, Pairs, Weights};
use super::layout::{MAX_EXTRA, MAX_SUFFIX};
use super::plan::Plan;
use super::trie::Coder;
use super::{LEAST_LEN, size_in_bytes, write};
use crate::bits_per_key::BitsPerKey;
use crate::building::reserve;
use crate::error::Error;

/// The longest key in bytes.
const MAX_KEY: usize = 1 << 20;

/// Builds a filter of [`RangePolicy`](super::RangePolicy) from sorted keys, given one by one. It keeps of each key only
/// what tells it apart and a few bytes more: at a million keys like `user:<id>:<ulid>` some 12 bytes a key, and 24 while
/// it builds the filter. Few keys take more.
///
/// ```
/// use core::ops::Bound;
/// use filter_policy::FilterPolicy;
/// use filter_policy::range::{RangeFilterBuilder, RangePolicy};
///
/// let mut builder = RangeFilterBuilder::new(12.into());
/// for key in ["apple", "banana", "cherry"] {
///     builder.insert(key.as_bytes())?;
/// }
/// let filter = builder.finish()?;
/// let policy = RangePolicy::new(12.into());
/// assert_eq!(policy.build(["cherry", "apple", "banana"])?, filter, "in any order");
/// assert!(policy.range_may_match(Bound::Included(b"b"), Bound::Excluded(b"c"), &filter));
/// assert!(!policy.range_may_match(Bound::Included(b"d"), Bound::Unbounded, &filter));
/// # Ok::<(), filter_policy::Error>(())
/// ```
#[derive(Clone)]
pub struct RangeFilterBuilder {
    bits_per_key: BitsPerKey,
    keys: u32,
    /// The last key, and what it shares with the one before: bytes, and bytes if zeros follow the end of that one.
    last: Vec<u8>,
    shared: Shared,
    pairs: Pairs,
    records: Vec<u8>,
}

/// How many bytes a key shares with the one before it.
#[derive(Clone, Copy, Default)]
struct Shared {
    bytes: usize,
    with_zeros: usize,
}

impl Shared {
    fn of(last: &[u8], key: &[u8]) -> Self {
        let bytes = last.iter().zip(key).take_while(|(last, key)| last == key).count();
        let rest = key.get(bytes..).unwrap_or_default();
        let zeros = rest.iter().take_while(|&&byte| byte == 0).count();
        let with_zeros = if bytes == last.len() { bytes + zeros } else { bytes };
        Self { bytes, with_zeros }
    }
}

impl RangeFilterBuilder {
    /// Makes a builder without keys.
    pub const fn new(bits_per_key: BitsPerKey) -> Self {
        Self {
            bits_per_key,
            keys: 0,
            last: Vec::new(),
            shared: Shared {
                bytes: 0,
                with_zeros: 0,
            },
            pairs: Pairs::new(),
            records: Vec::new(),
        }
    }

    /// Adds a key. One that equals the last counts once.
    ///
    /// # Errors
    ///
    /// [`Error::Policy`] when the key is less than the last one, or longer than 1 MiB; [`Error::FilterTooLarge`] when
    /// there are too many; [`Error::AllocationFailed`]. The builder then has the keys that it had before, and it is up
    /// to the engine to store [`MATCHES_EVERYTHING`](crate::MATCHES_EVERYTHING) in place of their filter.
    pub fn insert(&mut self, key: &[u8]) -> Result<(), Error> {
        if key.len() > MAX_KEY {
            return Err(Error::Policy {
                reason: "keys of a range filter must be at most 1 MiB long",
            });
        }
        let mut shared = Shared::default();
        if self.keys > 0 {
            if self.last == key {
                return Ok(());
            }
            if self.last.as_slice() > key {
                return Err(Error::Policy {
                    reason: "keys of a range filter's builder must be sorted",
                });
            }
            shared = Shared::of(&self.last, key);
        }
        let keys = self.keys.saturating_add(1);
        size_in_bytes(keys.into(), self.bits_per_key)?;
        reserve(&mut self.last, key.len())?;
        if self.keys > 0 {
            self.record_last(shared.with_zeros)?;
        }
        self.pairs.add(key, shared.bytes)?;
        self.keys = keys;
        self.shared = shared;
        self.last.clear();
        self.last.extend_from_slice(key);
        Ok(())
    }

    /// Keeps what the filter can need of the last key, which shares so many bytes with the next.
    fn record_last(&mut self, with_next: usize) -> Result<(), Error> {
        let Shared { bytes, with_zeros } = self.shared;
        let mut end = self.last.len().min(with_zeros.max(with_next) + 1);
        // Each byte that another could follow has at least one bit.
        let (mut known, mut sure) = (0, 0);
        while (known < self.known_bits() || sure < MAX_EXTRA) && end < self.last.len() {
            let before = end.checked_sub(1).and_then(|before| self.last.get(before));
            let bits = before.map_or(0, |&before| self.pairs.least_bits(before));
            (known, sure, end) = (known + bits, sure + bits.min(1), end + 1);
        }
        let kept = self.last.get(bytes..end).unwrap_or_default();
        // Not doubled: this is most of the memory.
        let room = kept.len() + 20;
        if self.records.capacity() - self.records.len() < room {
            let more = room.max(self.records.len() / 16);
            self.records
                .try_reserve_exact(more)
                .map_err(|_| Error::AllocationFailed { bytes: more })?;
        }
        put_count(&mut self.records, bytes as u64);
        put_count(
            &mut self.records,
            2 * kept.len() as u64 + u64::from(end == self.last.len()),
        );
        self.records.extend_from_slice(kept);
        Ok(())
    }

    /// The bits after the one that tells a key apart that a filter of the keys so far can store.
    fn known_bits(&self) -> u32 {
        let bits = u32::try_from(self.bits_per_key.times(1)).unwrap_or(MAX_SUFFIX);
        // Few keys share the least length.
        let bits = if u64::from(self.keys) <= LEAST_LEN {
            MAX_SUFFIX
        } else {
            bits.saturating_add(1).max(8)
        };
        bits.min(MAX_SUFFIX) + MAX_EXTRA
    }

    /// Returns the filter. That of no keys is empty.
    ///
    /// # Errors
    ///
    /// [`Error::AllocationFailed`].
    pub fn finish(mut self) -> Result<Vec<u8>, Error> {
        if self.keys == 0 {
            return Ok(Vec::new());
        }
        self.record_last(0)?;
        let most = size_in_bytes(self.keys.into(), self.bits_per_key)?;
        let alphabet = self.choose_alphabet(most)?;
        let coder = self.coded(&alphabet)?;
        // Before forks take their memory.
        drop(self);
        let trie = coder.finish()?;
        let mut reserved = 0;
        loop {
            // Lengths are known only when all else is chosen. If they do not fit, it is chosen for less.
            match Plan::new(&trie, &alphabet, most, reserved)? {
                Ok(plan) => return write::filter(&trie, &alphabet, &plan),
                Err(over) => reserved += over + u64::from(trie.keys) / 32 + 64,
            }
        }
    }

    fn choose_alphabet(&self, most: usize) -> Result<Alphabet, Error> {
        let mut weights = Weights::new(&self.pairs)?;
        let mut key = Vec::new();
        let mut records = Records(&self.records).peekable();
        while let Some(record) = records.next() {
            let deep = records.peek().map_or(0, |next| next.shared).max(record.shared);
            record.apply(&mut key)?;
            weights.add(&key, record.is_whole, record.shared, deep);
        }
        Ok(weights.choose((most / 2).min(most.saturating_sub(write::header_len(self.keys)))))
    }

    fn coded<'a>(&self, alphabet: &'a Alphabet) -> Result<Coder<'a>, Error> {
        let mut coder = Coder::new(alphabet, self.known_bits(), self.keys)?;
        let mut key = Vec::new();
        for record in Records(&self.records) {
            coder.part(&key, record.shared, record.kept)?;
            record.apply(&mut key)?;
            coder.append(&key, record.shared, record.is_whole)?;
        }
        Ok(coder)
    }
}

impl core::fmt::Debug for RangeFilterBuilder {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let Self {
            bits_per_key, keys, ..
        } = self;
        write!(f, "RangeFilterBuilder({keys} keys, {bits_per_key} bits per key)")
    }
}

/// Writes a number, seven bits a byte, the lowest first.
pub(super) fn put_count(out: &mut Vec<u8>, mut count: u64) {
    while count >= 128 {
        out.push(count as u8 | 128);
        count >>= 7;
    }
    out.push(count as u8);
}

/// What is kept of a key: the bytes after those that it shares with the key before, perhaps not all.
#[derive(Clone, Copy)]
struct Record<'a> {
    shared: usize,
    kept: &'a [u8],
    is_whole: bool,
}

impl Record<'_> {
    /// Makes of the key before this key, as far as it is kept.
    fn apply(&self, key: &mut Vec<u8>) -> Result<(), Error> {
        key.truncate(self.shared);
        reserve(key, self.kept.len())?;
        key.extend_from_slice(self.kept);
        Ok(())
    }
}

struct Records<'a>(&'a [u8]);

impl Records<'_> {
    fn count(&mut self) -> Option<usize> {
        let mut count = 0;
        for shift in (0..usize::BITS).step_by(7) {
            let (&byte, rest) = self.0.split_first()?;
            self.0 = rest;
            count |= usize::from(byte & 127) << shift;
            if byte < 128 {
                break;
            }
        }
        Some(count)
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Record<'a>;

    fn next(&mut self) -> Option<Record<'a>> {
        let shared = self.count()?;
        let len = self.count()?;
        let (kept, rest) = self.0.split_at_checked(len / 2)?;
        self.0 = rest;
        let is_whole = len % 2 == 1;
        Some(Record {
            shared,
            kept,
            is_whole,
        })
    }
}

#[cfg(not(emulated))]
#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;
    use crate::range::trie::Fork;

    /// Of each key at most 24 bytes besides the filter: while keys come, its record; while they are made into bits, the
    /// bits that it shares with the one before and its own; then these and a fork; then its own, a fork, and two numbers.
    #[test]
    fn memory_of_a_key() {
        const KEYS: usize = 100_000;
        let mut builder = RangeFilterBuilder::new(10.into());
        let mut random = crate::splitmix::SplitMix64::new(1);
        for i in 0..KEYS {
            let (user, time) = (i / 25 * 16, 0x018d_0000_0000_u64 + i as u64 % 25 * 99_999_999);
            let key = format!("user:{user:07}:{time:013x}{:013x}", random.next() >> 12);
            builder.insert(key.as_bytes()).unwrap();
        }
        let records = builder.records.capacity() as f64 / KEYS as f64;
        let alphabet = builder.choose_alphabet(10 * KEYS / 8).unwrap();
        let coder = builder.coded(&alphabet).unwrap();
        let bits = coder.finish().unwrap().bits.capacity() as f64 / KEYS as f64;
        let numbers = size_of::<u32>() as f64;
        let fork = size_of::<Fork>() as f64;
        for (stage, bytes) in [
            ("coding", records + numbers + 2.0 * bits),
            ("forks", numbers + bits + fork),
            ("planning", bits + fork + numbers + 1.0),
        ] {
            assert!(bytes <= 24.0, "{stage}: {bytes} bytes a key");
        }
    }
}
