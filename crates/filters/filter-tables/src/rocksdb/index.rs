//! The entries of an index: of data blocks, of the parts of an index, or of the parts of a filter.

use super::super::block::{Cursor, StoredEntry, take_length};
use super::super::error::{BlockRole, Damage};
use super::super::footer::BlockHandle;
use super::super::stored::TRAILER_LEN;
use super::super::varint;
use super::properties::IndexForm;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct IndexEntry<'e> {
    /// A key at or above the last key of the handle's block, and below the first key after the block.
    pub(super) key: &'e [u8],
    pub(super) handle: BlockHandle,
}

/// Reads the entries of an index one by one.
#[derive(Clone)]
pub(super) struct IndexEntries<'a> {
    cursor: Cursor<'a>,
    form: IndexForm,
    last: Option<BlockHandle>,
}

impl<'a> IndexEntries<'a> {
    /// Makes a reader of the entries in these bytes, of a block without its restart points.
    pub(super) const fn new(role: BlockRole, form: IndexForm, entries: &'a [u8]) -> Self {
        Self {
            cursor: Cursor::new(role, entries),
            form,
            last: None,
        }
    }

    /// Returns the next entry; `None` after the last one, and after an error.
    pub(super) fn next_entry(&mut self) -> Result<Option<IndexEntry<'_>>, Damage> {
        let Some(stored) = self.next_stored()? else {
            return Ok(None);
        };
        let (key, handle) = (self.cursor.assemble(&stored)?, stored.value);
        Ok(Some(IndexEntry { key, handle }))
    }

    /// Returns the next handle without assembling its key, which takes no memory. Not to be mixed with
    /// [`next_entry`](Self::next_entry).
    pub(super) fn next_handle(&mut self) -> Result<Option<BlockHandle>, Damage> {
        Ok(self.next_stored()?.map(|stored| stored.value))
    }

    /// Returns the number of entries before the end or damage.
    pub(super) fn count(&self) -> usize {
        let mut rest = self.clone();
        core::iter::from_fn(|| rest.next_handle().ok().flatten()).count()
    }

    fn next_stored(&mut self) -> Result<Option<StoredEntry<'a, BlockHandle>>, Damage> {
        let (form, last) = (self.form, self.last);
        let stored = self.cursor.take(|bytes| split(bytes, form, last))?;
        self.last = stored.as_ref().map(|stored| stored.value);
        Ok(stored)
    }
}

/// Splits bytes into the first entry, which comes after one with this handle, and the rest.
fn split(
    mut bytes: &[u8],
    form: IndexForm,
    last: Option<BlockHandle>,
) -> Option<(StoredEntry<'_, BlockHandle>, &[u8])> {
    let (shared, unshared) = (take_length(&mut bytes)?, take_length(&mut bytes)?);
    // Delta-encoded values have no stored length; they end with their numbers.
    let value_len = (!form.is_delta_encoded).then(|| take_length(&mut bytes));
    let (suffix, mut rest) = bytes.split_at_checked(unshared)?;
    let handle = match value_len {
        Some(len) => {
            let (mut value, behind) = rest.split_at_checked(len?)?;
            rest = behind;
            take_handle(&mut value)?
        }
        None => {
            let handle = match last.filter(|_| shared > 0) {
                Some(last) => take_following_handle(last, &mut rest)?,
                None => take_handle(&mut rest)?,
            };
            if form.has_first_keys {
                let len = take_length(&mut rest)?;
                (_, rest) = rest.split_at_checked(len)?;
            }
            handle
        }
    };
    let stored = StoredEntry {
        shared,
        suffix,
        value: handle,
    };
    Some((stored, rest))
}

fn take_handle(bytes: &mut &[u8]) -> Option<BlockHandle> {
    let (handle, rest) = BlockHandle::decode(bytes)?;
    *bytes = rest;
    Some(handle)
}

/// Reads the handle of a block that directly follows `last`. The difference in size has its sign in the lowest bit.
fn take_following_handle(last: BlockHandle, bytes: &mut &[u8]) -> Option<BlockHandle> {
    let number = varint::take_u64(bytes)?;
    let sign = 0_u64.wrapping_sub(number & 1);
    let difference = ((number >> 1) ^ sign).cast_signed();
    Some(BlockHandle {
        offset: last
            .offset
            .checked_add(last.size)?
            .checked_add(TRAILER_LEN as u64)?,
        size: last.size.checked_add_signed(difference)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const DELTA: IndexForm = IndexForm {
        has_partitions: false,
        has_first_keys: false,
        is_delta_encoded: true,
        has_user_keys: true,
    };

    fn handle(offset: u64, size: u64) -> BlockHandle {
        BlockHandle { offset, size }
    }

    #[test]
    fn values_that_differ_from_the_one_before() {
        // "ab" in full; "ac" two bytes shorter; "ad" of the same size; "b" in full again, because nothing is shared.
        let bytes = [
            0, 2, b'a', b'b', 10, 100, 1, 1, b'c', 3, 1, 1, b'd', 0, 0, 1, b'b', 0x80, 2, 7,
        ];
        let mut entries = IndexEntries::new(BlockRole::Index, DELTA, &bytes);
        for (key, at) in [
            (&b"ab"[..], handle(10, 100)),
            (b"ac", handle(115, 98)),
            (b"ad", handle(218, 98)),
            (b"b", handle(256, 7)),
        ] {
            let entry = entries.next_entry().unwrap().unwrap();
            assert_eq!((entry.key, entry.handle), (key, at));
        }
        assert_eq!(entries.next_entry(), Ok(None));
    }

    #[test]
    fn first_keys_are_passed_over() {
        let form = IndexForm {
            has_first_keys: true,
            ..DELTA
        };
        let bytes = [0, 1, b'b', 1, 2, 3, b'x', b'y', b'z', 0, 1, b'c', 8, 3, 0];
        let mut entries = IndexEntries::new(BlockRole::Index, form, &bytes);
        assert_eq!(
            entries.next_entry().unwrap().map(|entry| entry.handle),
            Some(handle(1, 2))
        );
        assert_eq!(
            entries.next_entry().unwrap().map(|entry| entry.handle),
            Some(handle(8, 3))
        );
        assert_eq!(entries.next_entry(), Ok(None));
    }

    #[test]
    fn damage_is_reported_once() {
        // A key that shares missing bytes; a size below zero; a truncated handle.
        for bytes in [
            &[1, 1, b'a', 1, 1][..],
            &[0, 1, b'a', 1, 1, 1, 0, 3],
            &[0, 1, b'a', 1],
        ] {
            let mut entries = IndexEntries::new(BlockRole::Index, DELTA, bytes);
            let first_damage = loop {
                match entries.next_entry() {
                    Ok(Some(_)) => {}
                    Ok(None) => panic!("{bytes:x?} was read"),
                    Err(damage) => break damage,
                }
            };
            assert!(matches!(first_damage, Damage::Entry { .. }), "{bytes:x?}");
            assert_eq!(entries.next_entry(), Ok(None));
        }
    }
}
