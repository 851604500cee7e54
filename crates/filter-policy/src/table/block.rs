//! The entries of a block: the same form for data, index and metaindex.

use alloc::vec::Vec;

use super::error::{BlockRole, Damage};
use super::varint;

/// The bit of a block's last number that says that a hash index lies before it (RocksDB,
/// `table/block_based/data_block_footer.h`). The bit two below says that keys follow evenly, which means nothing here.
const HAS_HASH_INDEX: u32 = 1 << 31;

/// The bits of that number that say that entries are laid out in another way, or nothing yet.
const OTHER_LAYOUTS: u32 = 1 << 28 | 1 << 30;

/// The bits of that number that are left for the restart points.
const RESTARTS: u32 = (1 << 28) - 1;

/// A block, decompressed.
#[derive(Debug, Clone)]
pub struct Block {
    role: BlockRole,
    contents: Vec<u8>,
    /// Whether the last number says more than the number of restart points.
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

    /// The bits of the last number of a block of RocksDB's that say that its entries cannot be read here; 0 if they can.
    pub(super) fn other_layout(&self) -> u32 {
        self.contents
            .last_chunk()
            .map_or(0, |last| u32::from_le_bytes(*last) & OTHER_LAYOUTS)
    }

    /// The bytes.
    pub fn contents(&self) -> &[u8] {
        &self.contents
    }

    /// The bytes, with the vector they are in.
    pub fn into_contents(self) -> Vec<u8> {
        self.contents
    }

    /// Walks over the entries. Filter blocks have none: theirs is another form.
    ///
    /// # Errors
    ///
    /// [`Damage::Restarts`].
    pub fn entries(&self) -> Result<Entries<'_>, Damage> {
        let entries = self.entry_bytes()?;
        Ok(Entries {
            role: self.role,
            len: entries.len(),
            rest: entries,
            key: Vec::new(),
        })
    }

    /// The entries without what follows them: restart points, their number and, in some blocks of RocksDB's, a hash index
    /// between the two.
    pub(super) fn entry_bytes(&self) -> Result<&[u8], Damage> {
        let size = self.contents.len();
        let restarts = |count| Damage::Restarts {
            block: self.role,
            count,
            size,
        };
        let (mut before, last) = self.contents.split_last_chunk::<4>().ok_or(restarts(None))?;
        let mut count = u32::from_le_bytes(*last);
        let damage = restarts(Some(count));
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
    /// The whole key. In data blocks of a database, 8 bytes of sequence number and kind follow the user's
    /// key.
    pub key: &'e [u8],
    /// The value.
    pub value: &'e [u8],
}

/// The entries of a block, in the order they are stored, from [`Block::entries`].
///
/// Not an `Iterator`, because each key is put together in a buffer that the next one uses again.
#[derive(Debug, Clone)]
pub struct Entries<'a> {
    role: BlockRole,
    len: usize,
    rest: &'a [u8],
    key: Vec<u8>,
}

impl<'a> Entries<'a> {
    /// The next entry; `None` after the last one, and after damage.
    ///
    /// # Errors
    ///
    /// [`Damage::Entry`].
    pub fn next_entry(&mut self) -> Result<Option<Entry<'_>>, Damage> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let position = self.len - self.rest.len();
        match self.take() {
            Some(value) => Ok(Some(Entry {
                key: &self.key,
                value,
            })),
            None => {
                self.rest = &[];
                Err(Damage::Entry {
                    block: self.role,
                    position,
                })
            }
        }
    }

    /// Completes the next key and returns its value.
    fn take(&mut self) -> Option<&'a [u8]> {
        let mut bytes = self.rest;
        let mut length = || usize::try_from(varint::take_u32(&mut bytes)?).ok();
        let (shared, unshared, value) = (length()?, length()?, length()?);
        let (suffix, bytes) = bytes.split_at_checked(unshared)?;
        let (value, bytes) = bytes.split_at_checked(value)?;
        if shared > self.key.len() {
            return None;
        }
        self.key.truncate(shared);
        self.key.extend_from_slice(suffix);
        self.rest = bytes;
        Some(value)
    }
}
