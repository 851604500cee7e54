//! Reads the manifest of a database of LevelDB or RocksDB, which lists its tables and names its logs.
//!
//! The manifest is a log (`doc/log_format.md` in LevelDB) whose records are version edits (`db/version_edit.cc` in
//! both): each adds tables to levels and removes them. RocksDB's edits apply to a column family and have more parts.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use super::checksum::record_checksum;
use super::varint::take_u64;

/// The size of a block in bytes. Records are split at block boundaries.
const BLOCK_LEN: usize = 32 * 1024;

/// The size of the header of each record fragment: checksum, length and kind.
const HEADER_LEN: usize = 7;

/// The bit of the parts of RocksDB's edits that may be skipped: a length and that many bytes.
const MAY_BE_SKIPPED: u64 = 1 << 13;

/// Returns the name of the manifest that the file `CURRENT` states; `None` if the contents are not a line with
/// `MANIFEST-` and a number, so that no other path is accepted.
pub fn manifest_name(current: &[u8]) -> Option<&str> {
    let name = str::from_utf8(current).ok()?.strip_suffix('\n')?;
    let digits = name.strip_prefix("MANIFEST-")?;
    (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then_some(name)
}

/// The rule that a damaged manifest breaks, or one of an unknown engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ManifestError(&'static str);

impl ManifestError {
    /// Returns the rule.
    pub const fn rule(&self) -> &'static str {
        self.0
    }
}

/// The contents of a database's manifest.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DatabaseManifest {
    /// The column families by number. LevelDB's tables are those of family 0.
    families: BTreeMap<u64, ColumnFamily>,
    previous_log: u64,
    /// The oldest log that RocksDB keeps, which may have prepared transactions. 0 if the manifest does not state it.
    oldest_prepared_log: u64,
    next_file: Option<u64>,
    tracked_logs: BTreeSet<u64>,
    /// The number below which RocksDB tracks no log.
    tracked_from: u64,
    is_rocksdb: bool,
    /// Set if bytes are no part of a record that was applied.
    is_cut: bool,
    /// The number of edits that must follow the last one to apply it.
    missing_edits: u64,
}

/// A column family of RocksDB, or all of a database of LevelDB.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ColumnFamily {
    name: Vec<u8>,
    is_bytewise: bool,
    /// The number of the first log with entries that are in no table.
    log: Option<u64>,
    /// The sizes of the tables by levels and numbers.
    tables: BTreeMap<(u64, u64), u64>,
}

impl ColumnFamily {
    /// Returns the name: `default` for the first family, and for the only one of LevelDB.
    pub fn name(&self) -> &[u8] {
        &self.name
    }

    /// Returns the numbers of the tables, and their sizes in bytes. RocksDB may have put some into other folders, which
    /// only the program that opens the database names (`db_paths`, `cf_paths`).
    pub fn tables(&self) -> BTreeMap<u64, u64> {
        let all = self.tables.iter();
        all.map(|((_, number), size)| (*number, *size)).collect()
    }

    /// Returns true for the family in which RocksDB keeps its own statistics.
    pub fn is_hidden(&self) -> bool {
        self.name == b"___rocksdb_stats_history___"
    }
}

impl DatabaseManifest {
    /// Reads a manifest. Memory is bounded by a small multiple of its length.
    ///
    /// # Errors
    ///
    /// The rule that the manifest breaks. A record that is cut off by the end of the file is ignored, because an
    /// interrupted writer leaves it; [`gap`](Self::gap) reports it.
    pub fn parse(bytes: &[u8]) -> Result<Self, ManifestError> {
        let mut manifest = Self::default();
        let mut record = Vec::new();
        let mut has_begun = false;
        for block in bytes.chunks(BLOCK_LEN) {
            let mut rest = block;
            while let Some((header, after)) = rest.split_first_chunk::<HEADER_LEN>() {
                let [c0, c1, c2, c3, l0, l1, kind] = *header;
                let len = usize::from(u16::from_le_bytes([l0, l1]));
                if kind == 0 && len == 0 {
                    // Preallocated space that was not written.
                    manifest.is_cut = true;
                    break;
                }
                let Some((piece, after)) = after.split_at_checked(len) else {
                    if block.len() < BLOCK_LEN {
                        break;
                    }
                    return Err(ManifestError("record fragment must lie within its block"));
                };
                if record_checksum(kind, piece) != u32::from_le_bytes([c0, c1, c2, c3]) {
                    return Err(ManifestError("record fragment must match its checksum"));
                }
                record.extend_from_slice(piece);
                has_begun = match (kind, has_begun) {
                    // A whole record, or the last fragment.
                    (1, false) | (4, true) => {
                        let rule = "record must be a version edit of LevelDB or RocksDB";
                        manifest.apply(&record).ok_or(ManifestError(rule))?;
                        record.clear();
                        false
                    }
                    // The first fragment, or one in the middle.
                    (2, false) | (3, true) => true,
                    _ => return Err(ManifestError("record fragments must be in sequence")),
                };
                rest = after;
            }
            // The end of a whole block has no room for a header.
            manifest.is_cut |= block.len() < BLOCK_LEN && !rest.is_empty();
        }
        manifest.is_cut |= has_begun;
        Ok(manifest)
    }

    /// Returns the numbers of the tables that belong to the database, in ascending order.
    pub fn tables(&self) -> BTreeSet<u64> {
        let all = self.families.values().flat_map(|family| family.tables.keys());
        all.map(|(_, number)| *number).collect()
    }

    /// Returns the column families, in the order of their creation.
    pub fn families(&self) -> impl Iterator<Item = &ColumnFamily> {
        self.families.values()
    }

    /// Returns true if a table with this number that the manifest does not list is obsolete, given that the
    /// [oldest log](Self::oldest_log) is there and that the database wrote the table. A later edit, which the manifest may
    /// lack, adds tables with higher numbers, or with entries of that log, which is then removed. It may also add a table
    /// that was ingested or imported, whose number an earlier edit gives out: its properties show where it is from.
    pub fn has_given_out(&self, table: u64) -> bool {
        self.gap().is_none() && self.next_file.is_some_and(|next| table < next)
    }

    /// Returns the number of the oldest log that may have entries that are in no table, as the manifest states it.
    pub fn oldest_log(&self) -> u64 {
        let stated = Some(self.oldest_prepared_log).filter(|log| *log > 0);
        let families = self.families.values().filter_map(|family| family.log).min();
        let previous = Some(self.previous_log).filter(|log| *log > 0);
        let oldest = stated.or(families).into_iter().chain(previous).min();
        oldest.unwrap_or(0)
    }

    /// Returns the numbers of the logs that RocksDB needs to open the database. It states them only with the option
    /// `track_and_verify_wals_in_manifest`, and never the last one.
    pub const fn tracked_logs(&self) -> &BTreeSet<u64> {
        &self.tracked_logs
    }

    /// Returns true if the log with this number may have entries that are in no table.
    pub fn needs_log(&self, number: u64) -> bool {
        let families = self.families.values().map(|family| family.log.unwrap_or(0));
        // RocksDB keeps all logs until its manifest states the oldest.
        let prepared = self.is_rocksdb.then_some(self.oldest_prepared_log);
        number >= families.chain(prepared).min().unwrap_or(0) || number == self.previous_log
    }

    /// Returns true if keys are in the order of their bytes, in all column families.
    pub fn is_bytewise(&self) -> bool {
        self.families.values().all(|family| family.is_bytewise)
    }

    /// Returns true if the manifest has parts that only RocksDB writes.
    pub const fn is_rocksdb(&self) -> bool {
        self.is_rocksdb
    }

    /// Returns the reason why the manifest may lack tables of the database.
    pub fn gap(&self) -> Option<&'static str> {
        if self.is_cut {
            Some("manifest must end with a whole record")
        } else if self.missing_edits > 0 {
            Some("manifest must end with a whole atomic group")
        } else if self.next_file.is_none() || self.families.get(&0).is_none_or(|family| family.log.is_none())
        {
            Some("manifest must name the next file and a log")
        } else {
            None
        }
    }

    /// Applies a version edit. Returns `None`, and changes no table, if it is damaged.
    fn apply(&mut self, mut edit: &[u8]) -> Option<()> {
        let edit = &mut edit;
        let (mut added, mut removed) = (Vec::new(), Vec::new());
        let (mut comparator, mut log, mut number) = (None, None, 0);
        let (mut name, mut is_dropped) = (None, false);
        self.missing_edits = 0;
        while !edit.is_empty() {
            let part = take_u64(edit)?;
            self.is_rocksdb |= part > 9;
            match part {
                1 => comparator = Some(take_bytes(edit)?),
                2 => log = Some(take_u64(edit)?),
                3 => self.next_file = Some(take_u64(edit)?),
                9 => self.previous_log = take_u64(edit)?,
                10 => self.oldest_prepared_log = take_u64(edit)?,
                // The number of the last entry, the largest number of a family.
                4 | 203 => {
                    take_u64(edit)?;
                }
                // The start of the next compaction of a level.
                5 => {
                    take_u64(edit)?;
                    take_bytes(edit)?;
                }
                // A table that left its level.
                6 => removed.push((take_u64(edit)?, take_u64(edit)?)),
                // A table that was added.
                7 | 100 | 102 | 103 => {
                    let table = (take_u64(edit)?, take_u64(edit)?);
                    added.push((table, take_added(part, edit)?));
                }
                // The family of the edit, the name of a new one, the end of one.
                200 => number = take_u64(edit)?,
                201 => name = Some(take_bytes(edit)?),
                202 => is_dropped = true,
                300 => self.missing_edits = take_u64(edit)?,
                // A file of values, and how much of it is garbage.
                400 | 401 | 8194 | 8195 => take_value_file(part, edit)?,
                // An early form of what names logs, without a length.
                8196 | 8197 => return None,
                // A log that RocksDB tracks, and the end of all before a number.
                8199 => {
                    let log = take_u64(&mut take_bytes(edit)?)?;
                    if log >= self.tracked_from {
                        self.tracked_logs.insert(log);
                    }
                }
                8200 => {
                    self.tracked_from = self.tracked_from.max(take_u64(&mut take_bytes(edit)?)?);
                    while self
                        .tracked_logs
                        .first()
                        .is_some_and(|log| *log < self.tracked_from)
                    {
                        self.tracked_logs.pop_first();
                    }
                }
                _ if part & MAY_BE_SKIPPED != 0 => {
                    take_bytes(edit)?;
                }
                _ => return None,
            }
        }
        let family = self.families.entry(number).or_insert_with(|| ColumnFamily {
            name: if number == 0 {
                b"default".to_vec()
            } else {
                Vec::new()
            },
            ..ColumnFamily::default()
        });
        if let Some(name) = name {
            family.name = name.to_vec();
        }
        family.log = log.or(family.log);
        family.is_bytewise =
            comparator.map_or(family.is_bytewise, |name| name == b"leveldb.BytewiseComparator");
        for table in removed {
            family.tables.remove(&table);
        }
        // Added last, because tables that an edit adds exist afterwards whatever its order.
        family.tables.extend(added);
        if is_dropped {
            self.families.remove(&number);
        }
        Some(())
    }
}

/// Takes what follows the level and number of an added table, and returns its size: in RocksDB's forms there is more than
/// that, first key and last key.
fn take_added(part: u64, edit: &mut &[u8]) -> Option<u64> {
    if part == 102 {
        // The number of the table's folder.
        take_u64(edit)?;
    }
    let size = take_u64(edit)?;
    take_bytes(edit)?;
    take_bytes(edit)?;
    if part > 7 {
        // The numbers of the first and last entry.
        take_u64(edit)?;
        take_u64(edit)?;
    }
    if part < 103 {
        return Some(size);
    }
    loop {
        let field = take_u64(edit)?;
        if field == 1 {
            return Some(size);
        }
        // Field 65 is the number of the table's folder. Others with this bit change what the table means.
        if field & 64 != 0 && field != 65 {
            return None;
        }
        take_bytes(edit)?;
    }
}

/// Takes a file of values, or the garbage in one: three numbers, two texts of a new file, and fields until number 0.
fn take_value_file(part: u64, edit: &mut &[u8]) -> Option<()> {
    for _ in 0..3 {
        take_u64(edit)?;
    }
    if matches!(part, 400 | 8194) {
        take_bytes(edit)?;
        take_bytes(edit)?;
    }
    while take_u64(edit)? != 0 {
        take_bytes(edit)?;
    }
    Some(())
}

/// Takes a length and that many bytes off the front.
fn take_bytes<'e>(edit: &mut &'e [u8]) -> Option<&'e [u8]> {
    let len = usize::try_from(take_u64(edit)?).ok()?;
    edit.split_off(..len)
}
