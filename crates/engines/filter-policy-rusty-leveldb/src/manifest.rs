//! Reads the manifest, which lists the tables of a database, in LevelDB's format.
//!
//! The manifest is a log (`doc/log_format.md` in LevelDB) whose records are version edits (`db/version_edit.cc`): each
//! adds tables to levels and removes them.

use std::collections::BTreeSet;

/// The size of a block in bytes. Records are split at block boundaries.
const BLOCK_LEN: usize = 32 * 1024;

/// The size of the header of each record fragment: checksum, length and kind.
const HEADER_LEN: usize = 7;

/// The number that LevelDB adds to a stored checksum after rotating it by 15 bits (`util/crc32c.h`).
const MASK_DELTA: u32 = 0xa282_ead8;

/// Returns the numbers of the tables that belong to the database, in ascending order.
///
/// # Errors
///
/// The rule that a damaged manifest breaks. A record that is cut off by the end of the file is ignored, because an
/// interrupted writer leaves it.
pub(crate) fn live_tables(manifest: &[u8]) -> Result<BTreeSet<u64>, &'static str> {
    let mut live = BTreeSet::new();
    let mut record = Vec::new();
    let mut has_begun = false;
    for block in manifest.chunks(BLOCK_LEN) {
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
                return Err("record fragment must lie within its block");
            };
            let checksum = crc32c::crc32c_append(crc32c::crc32c(&[kind]), piece);
            if checksum.rotate_right(15).wrapping_add(MASK_DELTA) != u32::from_le_bytes([c0, c1, c2, c3]) {
                return Err("record fragment must match its checksum");
            }
            record.extend_from_slice(piece);
            has_begun = match (kind, has_begun) {
                // A whole record, or the last fragment.
                (1, false) | (4, true) => {
                    apply(&record, &mut live).ok_or("record must be one of LevelDB's version edits")?;
                    record.clear();
                    false
                }
                // The first fragment, or one in the middle.
                (2, false) | (3, true) => true,
                _ => return Err("record fragments must be in sequence"),
            };
            rest = after;
        }
    }
    Ok(live.into_iter().map(|(_, number)| number).collect())
}

/// Applies a version edit to the levels and numbers of tables. Returns `None` if the edit is damaged.
fn apply(mut edit: &[u8], live: &mut BTreeSet<(u64, u64)>) -> Option<()> {
    let edit = &mut edit;
    let mut added = Vec::new();
    while !edit.is_empty() {
        match number(edit)? {
            // The name of the comparator.
            1 => bytes(edit)?,
            // The numbers of the log, the next file, the last entry and the previous log.
            2..=4 | 9 => {
                number(edit)?;
            }
            // The start of the next compaction of a level.
            5 => {
                number(edit)?;
                bytes(edit)?;
            }
            // A table that left its level.
            6 => {
                live.remove(&(number(edit)?, number(edit)?));
            }
            // A table that was added: its size, first key and last key follow.
            7 => {
                added.push((number(edit)?, number(edit)?));
                number(edit)?;
                bytes(edit)?;
                bytes(edit)?;
            }
            _ => return None,
        }
    }
    // Added last, because tables that an edit adds exist afterwards whatever its order.
    live.extend(added);
    Some(())
}

/// Takes a number of seven bits per byte, lowest bits first, off the front.
fn number(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = u64::from(*bytes.split_off_first()?);
        let bits = byte & 0x7f;
        if bits << shift >> shift != bits {
            return None;
        }
        value |= bits << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

/// Takes a length and that many bytes off the front.
fn bytes(bytes: &mut &[u8]) -> Option<()> {
    let len = usize::try_from(number(bytes)?).ok()?;
    bytes.split_off(..len)?;
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes records like LevelDB.
    fn log(records: &[Vec<u8>]) -> Vec<u8> {
        let mut log = Vec::new();
        for record in records {
            let (mut rest, mut is_first) = (record.as_slice(), true);
            while is_first || !rest.is_empty() {
                let room = BLOCK_LEN - log.len() % BLOCK_LEN;
                if room < HEADER_LEN {
                    log.resize(log.len() + room, 0);
                    continue;
                }
                let (piece, after) = rest.split_at(rest.len().min(room - HEADER_LEN));
                let kind = match (is_first, after.is_empty()) {
                    (true, true) => 1,
                    (true, false) => 2,
                    (false, false) => 3,
                    (false, true) => 4,
                };
                let checksum = crc32c::crc32c(&[&[kind], piece].concat());
                let masked = checksum.rotate_right(15).wrapping_add(MASK_DELTA);
                let len = u16::try_from(piece.len()).unwrap();
                log.extend([&masked.to_le_bytes()[..], &len.to_le_bytes(), &[kind], piece].concat());
                (rest, is_first) = (after, false);
            }
        }
        log
    }

    /// Returns bytes after their length.
    fn sized(len: usize) -> Vec<u8> {
        let groups = [len & 0x7f | 0x80, len >> 7 & 0x7f | 0x80, len >> 14];
        [groups.map(|group| group as u8).to_vec(), vec![b'x'; len]].concat()
    }

    fn edits() -> Vec<Vec<u8>> {
        // Every kind of part; table 5 is added to level 0.
        let first =
            b"\x01\x04name\x02\x05\x03\x09\x04\x80\x01\x09\x00\x05\x02\x03key\x07\x00\x05\x10\x01a\x01z";
        // Table 300, in a record that is larger than two blocks.
        let second = [&b"\x07\x00\xac\x02\x10"[..], &sized(40_000), &sized(40_000)].concat();
        // Table 5 is moved to the next level, in the unusual order, table 300 is removed, and the last number added.
        let third = b"\x07\x01\x05\x10\x00\x00\x06\x00\x05\x06\x00\xac\x02\
                      \x07\x06\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x10\x00\x00";
        vec![first.to_vec(), second, third.to_vec()]
    }

    #[test]
    fn tables_come_and_go() {
        let edits = edits();
        let expected: [&[u64]; 4] = [&[], &[5], &[5, 300], &[5, u64::MAX]];
        for (count, expected) in expected.iter().enumerate() {
            let live = live_tables(&log(&edits[..count])).unwrap();
            assert!(live.iter().eq(*expected), "{count}: {live:?}");
        }
    }

    #[test]
    fn records_may_end_anywhere_in_a_block() {
        for len in (BLOCK_LEN - 40..BLOCK_LEN + 10).chain([2 * BLOCK_LEN]) {
            let filler = [vec![1], sized(len)].concat();
            let edit = b"\x07\x00\x07\x10\x00\x00".to_vec();
            let live = live_tables(&log(&[filler, edit])).unwrap();
            assert!(live.iter().eq(&[7]), "{len}");
        }
    }

    #[test]
    fn a_cut_manifest_is_one_that_ends_earlier() {
        let whole = log(&edits());
        for len in 0..whole.len() {
            let live = live_tables(&whole[..len]).unwrap();
            assert!(live.is_subset(&BTreeSet::from([5, 300])), "{len}: {live:?}");
        }
    }

    #[test]
    fn damage_is_found() {
        let mut flipped = log(&edits());
        flipped[20] ^= 1;
        let refused = |manifest: &[u8]| live_tables(manifest).unwrap_err();
        assert!(refused(&flipped).contains("checksum"));
        for edit in [
            &b"\x08"[..],
            b"\x07",
            b"\x01\x05name",
            b"\x02\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02",
            b"\x02\x80",
        ] {
            assert!(refused(&log(&[edit.to_vec()])).contains("edits"), "{edit:x?}");
        }
        // Without its first block, a record starts in the middle.
        let long = log(&[edits()[1].clone()]);
        assert!(refused(&long[BLOCK_LEN..]).contains("sequence"));
        // A length beyond the end of a whole block.
        let mut block = vec![0; BLOCK_LEN];
        block[..HEADER_LEN].copy_from_slice(&[0, 0, 0, 0, 0xff, 0xff, 1]);
        assert!(refused(&block).contains("within its block"));
        // Preallocated space is skipped.
        let padded = [vec![0; BLOCK_LEN], log(&[edits()[0].clone()])].concat();
        assert!(live_tables(&padded).unwrap().iter().eq(&[5]));
    }

    #[test]
    fn any_edit_has_an_answer() {
        let [edit, ..] = &edits()[..] else {
            panic!("no edits");
        };
        for position in 0..edit.len() {
            for byte in 0..=255 {
                let mut changed = edit.clone();
                changed[position] = byte;
                let mut live = BTreeSet::new();
                let applied = apply(&changed, &mut live);
                // A table takes at least six bytes, and a damaged edit adds no table.
                assert!(live.len() <= changed.len() / 6);
                assert!(applied.is_some() || live.is_empty(), "{position}, {byte}");
            }
        }
        // The edit can be cut before each of its seven parts and nowhere else.
        let whole = |end: &usize| apply(&edit[..*end], &mut BTreeSet::new()).is_some();
        assert_eq!((0..edit.len()).filter(whole).count(), 7);
    }
}
