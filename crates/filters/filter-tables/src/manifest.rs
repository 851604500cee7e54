//! Reads the manifest of a database of LevelDB, which lists its tables.
//!
//! The manifest is a log (`doc/log_format.md`) whose records are version edits (`db/version_edit.cc`): each adds tables to
//! levels and removes them.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use super::checksum::record_checksum;
use super::varint::take_u64;

/// The size of a block in bytes. Records are split at block boundaries.
const BLOCK_LEN: usize = 32 * 1024;

/// The size of the header of each record fragment: checksum, length and kind.
const HEADER_LEN: usize = 7;

/// Returns the name of the manifest that the file `CURRENT` states; `None` if the contents are not a line with
/// `MANIFEST-` and a number, so that no other path is accepted.
pub fn manifest_name(current: &[u8]) -> Option<&str> {
    let name = str::from_utf8(current).ok()?.strip_suffix('\n')?;
    let digits = name.strip_prefix("MANIFEST-")?;
    (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then_some(name)
}

/// The rule that a damaged manifest breaks, or one of another engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ManifestError(&'static str);

impl ManifestError {
    /// Returns the rule.
    pub const fn rule(&self) -> &'static str {
        self.0
    }
}

/// The contents of the manifest of a database of LevelDB.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DatabaseManifest {
    /// The levels and numbers of the tables.
    tables: BTreeSet<(u64, u64)>,
}

impl DatabaseManifest {
    /// Reads a manifest. Memory is bounded by a small multiple of its length.
    ///
    /// # Errors
    ///
    /// The rule that the manifest breaks. RocksDB's manifests break one, too. A record that is cut off by the end of the
    /// file is ignored, because an interrupted writer leaves it.
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
                        let rule = "record must be one of LevelDB's version edits";
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
        }
        Ok(manifest)
    }

    /// Returns the numbers of the tables that belong to the database, in ascending order.
    pub fn tables(&self) -> BTreeSet<u64> {
        self.tables.iter().map(|(_, number)| *number).collect()
    }

    /// Applies a version edit. Returns `None`, and changes no table, if it is damaged.
    fn apply(&mut self, mut edit: &[u8]) -> Option<()> {
        let edit = &mut edit;
        let (mut added, mut removed) = (Vec::new(), Vec::new());
        while !edit.is_empty() {
            match take_u64(edit)? {
                // The name of the comparator.
                1 => {
                    take_bytes(edit)?;
                }
                // The log, the next file, the last entry, the log before.
                2..=4 | 9 => {
                    take_u64(edit)?;
                }
                // The start of the next compaction of a level.
                5 => {
                    take_u64(edit)?;
                    take_bytes(edit)?;
                }
                // A table that left its level.
                6 => removed.push((take_u64(edit)?, take_u64(edit)?)),
                // A table that was added, with its size, its first key and its last.
                7 => {
                    added.push((take_u64(edit)?, take_u64(edit)?));
                    take_u64(edit)?;
                    take_bytes(edit)?;
                    take_bytes(edit)?;
                }
                _ => return None,
            }
        }
        for table in removed {
            self.tables.remove(&table);
        }
        // Added last, because tables that an edit adds exist afterwards whatever its order.
        self.tables.extend(added);
        Some(())
    }
}

/// Takes a length and that many bytes off the front.
fn take_bytes<'e>(edit: &mut &'e [u8]) -> Option<&'e [u8]> {
    let len = usize::try_from(take_u64(edit)?).ok()?;
    edit.split_off(..len)
}
