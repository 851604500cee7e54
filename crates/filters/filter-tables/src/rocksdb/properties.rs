//! The properties of a RocksDB table.

use alloc::vec::Vec;

use super::super::error::Damage;
use super::super::reader::MetaindexEntry;
use super::super::varint;

/// The properties of a table (`rocksdb.properties`), each a name and a value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RocksDbProperties(Vec<MetaindexEntry>);

/// The form of a table's index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct IndexForm {
    /// Set if the index names partitions, which name the data blocks.
    pub(super) has_partitions: bool,
    /// Set if values end with the first key of the data block.
    pub(super) has_first_keys: bool,
    /// Set if a value is stored as its difference from the previous value.
    pub(super) is_delta_encoded: bool,
    /// Set if keys lack the eight bytes that follow the user's key.
    pub(super) has_user_keys: bool,
}

impl RocksDbProperties {
    pub(super) const fn new(properties: Vec<MetaindexEntry>) -> Self {
        Self(properties)
    }

    /// Returns all properties, in stored order.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.0.iter().map(|entry| (entry.key(), entry.value()))
    }

    /// Returns the value of a property, in any form.
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        self.iter()
            .find(|(other, _)| *other == name.as_bytes())
            .map(|(_, value)| value)
    }

    /// Returns the value of a property that is a number; `None` if the property is missing or not a number.
    pub fn number(&self, name: &str) -> Option<u64> {
        let mut value = self.get(name)?;
        varint::take_u64(&mut value).filter(|_| value.is_empty())
    }

    /// Returns the name of the filter policy's configuration: `bloomfilter`, `ribbonfilter`.
    pub fn filter_policy(&self) -> Option<&[u8]> {
        self.get("rocksdb.filter.policy")
    }

    /// Returns the name of the column family for which the table was written.
    pub fn column_family(&self) -> Option<&[u8]> {
        self.get("rocksdb.column.family.name")
            .filter(|name| !name.is_empty())
    }

    /// Returns true if the filters have whole keys, or the table does not state it.
    pub fn has_whole_keys(&self) -> bool {
        self.get("rocksdb.block.based.table.whole.key.filtering") != Some(b"0")
    }

    /// Returns true if the database orders keys by their bytes. False if another comparator orders them or the table,
    /// as those of early releases, does not name it.
    pub fn is_bytewise(&self) -> bool {
        self.get("rocksdb.comparator") == Some(b"leveldb.BytewiseComparator")
    }

    /// Returns the name of the prefix extractor whose prefixes the filters hold; `None` when they hold none.
    pub fn prefix_extractor(&self) -> Option<&[u8]> {
        self.get("rocksdb.prefix.extractor.name").filter(|name| {
            *name != b"nullptr" && self.get("rocksdb.block.based.table.prefix.filtering") == Some(b"1")
        })
    }

    /// Returns the form of the index. Missing properties mean the form of the first tables.
    ///
    /// # Errors
    ///
    /// [`Damage::Property`].
    pub(super) fn index_form(&self) -> Result<IndexForm, Damage> {
        const KIND: &str = "rocksdb.block.based.table.index.type";
        let flag = |name: &'static str| match (self.get(name), self.number(name)) {
            (None, _) | (_, Some(0)) => Ok(false),
            (_, Some(1)) => Ok(true),
            _ => Err(Damage::Property { name }),
        };
        let damage = Damage::Property { name: KIND };
        // `BlockBasedTableOptions::IndexType`: binary search, hash search, two levels, binary search with first keys.
        let (has_partitions, has_first_keys) = match self.get(KIND) {
            None | Some([0 | 1, 0, 0, 0]) => (false, false),
            Some([2, 0, 0, 0]) => (true, false),
            Some([3, 0, 0, 0]) => (false, true),
            Some(_) => return Err(damage),
        };
        Ok(IndexForm {
            has_partitions,
            has_first_keys,
            is_delta_encoded: flag("rocksdb.index.value.is.delta.encoded")?,
            has_user_keys: flag("rocksdb.index.key.is.user.key")?,
        })
    }
}
