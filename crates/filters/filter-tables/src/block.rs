//! The entries of a block, in the same form for data, index and metaindex.

use alloc::vec::Vec;

use super::error::{BlockRole, Damage};
use super::varint;

/// The bit of a block's last number that marks a hash index before the number (RocksDB,
/// `table/block_based/data_block_footer.h`). The bit two below marks evenly spaced keys and is ignored here.
const HAS_HASH_INDEX: u32 = 1 << 31;

/// The bits of a block's last number that mark another arrangement of entries, or are reserved.
const OTHER_LAYOUTS: u32 = 1 << 28 | 1 << 30;

/// The bits of a block's last number that hold the number of restart points.
const RESTARTS: u32 = (1 << 28) - 1;

/// A decompressed block.
#[derive(Debug, Clone)]
pub struct Block {
    role: BlockRole,
    contents: Vec<u8>,
    /// Set if the last number holds more than the number of restart points.
    is_rocksdbs: bool,
}

impl Block {
    pub(super) const fn new(role: BlockRole, contents: Vec<u8>, is_rocksdbs: bool) -> Self {
        Self {
            role,
            contents,
            is_rocksdbs,
        }
    }

    /// Returns the bits in a RocksDB block's last number that mark an unsupported arrangement of entries; 0 if it can
    /// be read.
    pub(super) fn other_layout(&self) -> u32 {
        self.contents
            .last_chunk()
            .map_or(0, |last| u32::from_le_bytes(*last) & OTHER_LAYOUTS)
    }

    /// Returns the bytes.
    pub fn contents(&self) -> &[u8] {
        &self.contents
    }

    /// Returns the bytes as the vector that holds them.
    pub fn into_contents(self) -> Vec<u8> {
        self.contents
    }

    /// Returns the entries. Filter blocks have none: their form is different.
    ///
    /// # Errors
    ///
    /// [`Damage::Restarts`].
    pub fn entries(&self) -> Result<Entries<'_>, Damage> {
        Ok(Entries(Cursor::new(self.role, self.entry_bytes()?)))
    }

    /// Returns the bytes of the entries, without the restart points, the number of restart points and, in some RocksDB
    /// blocks, a hash index between the two.
    pub(super) fn entry_bytes(&self) -> Result<&[u8], Damage> {
        let size = self.contents.len();
        let block = self.role;
        let damage = Damage::Restarts { block, size };
        let (mut before, last) = self.contents.split_last_chunk::<4>().ok_or(damage)?;
        let mut count = u32::from_le_bytes(*last);
        if self.is_rocksdbs {
            if count & HAS_HASH_INDEX != 0 {
                let (buckets, len) = before.split_last_chunk::<2>().ok_or(damage)?;
                let len = usize::from(u16::from_le_bytes(*len));
                before = buckets
                    .len()
                    .checked_sub(len)
                    .and_then(|end| buckets.get(..end))
                    .ok_or(damage)?;
            }
            count &= RESTARTS;
        }
        usize::try_from(count)
            .ok()
            .and_then(|count| before.len().checked_sub(count.checked_mul(4)?))
            .and_then(|len| before.get(..len))
            .ok_or(damage)
    }
}

/// An entry of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry<'e> {
    /// The whole key. In data blocks of a database, 8 bytes of sequence number and kind follow the user's key.
    pub key: &'e [u8],
    /// The value.
    pub value: &'e [u8],
}

/// The entries of a block in stored order, from [`Block::entries`].
///
/// Not an `Iterator`, because each key is assembled in a buffer that the next entry reuses.
#[derive(Debug, Clone)]
pub struct Entries<'a>(Cursor<'a>);

impl<'a> Entries<'a> {
    /// Returns the next entry; `None` after the last one, and after an error.
    ///
    /// # Errors
    ///
    /// [`Damage::Entry`], [`Damage::KeyAllocation`].
    pub fn next_entry(&mut self) -> Result<Option<Entry<'_>>, Damage> {
        let Some(stored) = self.0.take(split)? else {
            return Ok(None);
        };
        let (key, value) = (self.0.assemble(&stored)?, stored.value);
        Ok(Some(Entry { key, value }))
    }

    /// Returns the offset at which the last entry, and so its value, ends in the block.
    pub(super) const fn position(&self) -> usize {
        self.0.len - self.0.rest.len()
    }

    /// Returns the next value without assembling its key, which takes no memory. Not to be mixed with
    /// [`next_entry`](Self::next_entry).
    pub(super) fn next_value(&mut self) -> Result<Option<&'a [u8]>, Damage> {
        Ok(self.0.take(split)?.map(|stored| stored.value))
    }
}

/// Splits bytes into the first entry and the rest.
fn split(mut bytes: &[u8]) -> Option<(StoredEntry<'_, &[u8]>, &[u8])> {
    let mut length = || take_length(&mut bytes);
    let (shared, unshared, value) = (length()?, length()?, length()?);
    let (suffix, bytes) = bytes.split_at_checked(unshared)?;
    let (value, rest) = bytes.split_at_checked(value)?;
    let stored = StoredEntry {
        shared,
        suffix,
        value,
    };
    Some((stored, rest))
}

pub(super) fn take_length(bytes: &mut &[u8]) -> Option<usize> {
    usize::try_from(varint::take_u32(bytes)?).ok()
}

/// An entry as stored.
pub(super) struct StoredEntry<'a, V> {
    /// The length that the key shares with the last one.
    pub(super) shared: usize,
    /// The rest of the key.
    pub(super) suffix: &'a [u8],
    pub(super) value: V,
}

/// Reads entries with values of any form one by one.
#[derive(Debug, Clone)]
pub(super) struct Cursor<'a> {
    role: BlockRole,
    len: usize,
    rest: &'a [u8],
    /// The last key, if keys are assembled.
    key: Vec<u8>,
    /// The length of the last key.
    key_len: usize,
}

impl<'a> Cursor<'a> {
    /// Makes a reader of the entries in these bytes, of a block without its restart points.
    pub(super) const fn new(role: BlockRole, entries: &'a [u8]) -> Self {
        Self {
            role,
            len: entries.len(),
            rest: entries,
            key: Vec::new(),
            key_len: 0,
        }
    }

    /// Returns the next entry, which `split` splits from the rest; `None` after the last one, and after an error.
    pub(super) fn take<V>(
        &mut self,
        split: impl FnOnce(&'a [u8]) -> Option<(StoredEntry<'a, V>, &'a [u8])>,
    ) -> Result<Option<StoredEntry<'a, V>>, Damage> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let position = self.len - self.rest.len();
        let bytes = core::mem::take(&mut self.rest);
        let taken = split(bytes).filter(|(stored, _)| stored.shared <= self.key_len);
        let (stored, rest) = taken.ok_or(Damage::Entry {
            block: self.role,
            position,
        })?;
        self.key_len = stored.shared + stored.suffix.len();
        self.rest = rest;
        Ok(Some(stored))
    }

    /// Completes the key of the entry that was taken from the part that it shares with the last one.
    pub(super) fn assemble<V>(&mut self, stored: &StoredEntry<'a, V>) -> Result<&[u8], Damage> {
        self.key.truncate(stored.shared);
        if self.key.try_reserve(stored.suffix.len()).is_err() {
            self.rest = &[];
            return Err(Damage::KeyAllocation {
                block: self.role,
                bytes: self.key_len,
            });
        }
        self.key.extend_from_slice(stored.suffix);
        Ok(&self.key)
    }
}
