//! Writes manifests of LevelDB and RocksDB.

use filter_tables::block_checksum;

use super::tables::varint;

/// The parts of an edit that every manifest begins with: comparator, first log, next file and last entry.
pub(crate) const FIRST: &[u8] = b"\x01\x1aleveldb.BytewiseComparator\x02\x03\x03\x09\x04\x00";

/// Encodes the part that adds a table without keys to level 0, as LevelDB does.
pub(crate) fn added(table: u64) -> Vec<u8> {
    [&[7, 0], &varint(table)[..], &[16, 0, 0]].concat()
}

/// Writes records to a log as LevelDB does, split at the ends of blocks of 32 KiB.
pub(crate) fn log(records: &[Vec<u8>]) -> Vec<u8> {
    let mut log = Vec::new();
    for record in records {
        let (mut rest, mut is_first) = (record.as_slice(), true);
        while is_first || !rest.is_empty() {
            let room = 32 * 1024 - log.len() % (32 * 1024);
            if room < 7 {
                log.resize(log.len() + room, 0);
                continue;
            }
            let (piece, after) = rest.split_at(rest.len().min(room - 7));
            let kind = match (is_first, after.is_empty()) {
                (true, true) => 1,
                (true, false) => 2,
                (false, false) => 3,
                (false, true) => 4,
            };
            let len = u16::try_from(piece.len()).unwrap();
            let summed = [&[kind], piece].concat();
            let (last, before) = summed.split_last().unwrap();
            log.extend(block_checksum(before, *last).to_le_bytes());
            log.extend(len.to_le_bytes());
            log.extend(summed);
            (rest, is_first) = (after, false);
        }
    }
    log
}
