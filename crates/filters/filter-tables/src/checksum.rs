//! The checksum after every block of a table.

use core::fmt;

use crc::{CRC_32_ISCSI, Crc};

/// The number that is added to the rotated checksum (LevelDB's `util/crc32c.h`).
const MASK_DELTA: u32 = 0xa282_ead8;

/// CRC-32C with Castagnoli's polynomial (RFC 3720, appendix B.4).
const CRC32C: Crc<u32> = Crc::<u32>::new(&CRC_32_ISCSI);

/// Returns the checksum that a table stores after a block: CRC-32C over the contents as stored and the compression
/// byte, then masked.
///
/// The mask (rotation to the right by 15, plus 0xa282ead8) distinguishes the checksum of data from the checksum of data
/// that itself holds checksums.
///
/// ```
/// use filter_tables::block_checksum;
///
/// // After the empty metaindex of a table without filters: no entries, one restart point.
/// assert_eq!(block_checksum(&[0, 0, 0, 0, 1, 0, 0, 0], 0), 0xb0a1_f2c0);
/// ```
pub fn block_checksum(contents: &[u8], compression: u8) -> u32 {
    let mut digest = CRC32C.digest();
    digest.update(contents);
    digest.update(&[compression]);
    mask(digest.finalize())
}

/// Returns the checksum before a fragment of a log's record: CRC-32C over the kind and the bytes, then masked.
pub(super) fn record_checksum(kind: u8, bytes: &[u8]) -> u32 {
    let mut digest = CRC32C.digest();
    digest.update(&[kind]);
    digest.update(bytes);
    mask(digest.finalize())
}

/// The kind of checksum after each block of a RocksDB table, named by the first byte of the footer. LevelDB's tables
/// have CRC-32C.
///
/// Source: RocksDB, `table/format.cc` (`ComputeBuiltinChecksum`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChecksumKind {
    /// No checksum: the four bytes mean nothing.
    None,
    /// CRC-32C, masked, as in LevelDB's tables.
    Crc32c,
    /// xxHash, 32 bits, seed 0.
    XxHash32,
    /// xxHash, 64 bits, seed 0; the low half is stored.
    XxHash64,
    /// XXH3, 64 bits, of all but the last byte; its low half is stored, mixed with the last byte.
    Xxh3,
}

impl ChecksumKind {
    /// Returns the kind with this number; `None` for numbers that no release of RocksDB has used.
    pub const fn from_number(number: u8) -> Option<Self> {
        match number {
            0 => Some(Self::None),
            1 => Some(Self::Crc32c),
            2 => Some(Self::XxHash32),
            3 => Some(Self::XxHash64),
            4 => Some(Self::Xxh3),
            _ => None,
        }
    }

    /// Returns true if this build computes the checksum: the xxHash kinds need the feature `xxhash`.
    pub const fn is_supported(self) -> bool {
        match self {
            Self::None | Self::Crc32c => true,
            Self::XxHash32 | Self::XxHash64 | Self::Xxh3 => cfg!(feature = "xxhash"),
        }
    }

    /// Returns the checksum of `bytes` followed by `last`; `None` if the kind has no checksum or is not supported.
    pub(super) fn checksum(self, bytes: &[u8], last: u8) -> Option<u32> {
        match self {
            Self::None => None,
            Self::Crc32c => Some(block_checksum(bytes, last)),
            #[cfg(feature = "xxhash")]
            Self::XxHash32 => {
                let mut hash = xxhash_rust::xxh32::Xxh32::new(0);
                hash.update(bytes);
                hash.update(&[last]);
                Some(hash.digest())
            }
            #[cfg(feature = "xxhash")]
            Self::XxHash64 => {
                let mut hash = xxhash_rust::xxh64::Xxh64::new(0);
                hash.update(bytes);
                hash.update(&[last]);
                Some(low_half(hash.digest()))
            }
            #[cfg(feature = "xxhash")]
            Self::Xxh3 => {
                /// The factor of the last byte (`ModifyChecksumForLastByte`).
                const OF_LAST_BYTE: u32 = 0x6b90_83d9;
                let of_bytes = low_half(xxhash_rust::xxh3::xxh3_64(bytes));
                Some(of_bytes ^ u32::from(last).wrapping_mul(OF_LAST_BYTE))
            }
            #[cfg(not(feature = "xxhash"))]
            Self::XxHash32 | Self::XxHash64 | Self::Xxh3 => None,
        }
    }
}

#[cfg(feature = "xxhash")]
#[expect(clippy::cast_possible_truncation, reason = "the low half is what is stored")]
const fn low_half(hash: u64) -> u32 {
    hash as u32
}

impl fmt::Display for ChecksumKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "none",
            Self::Crc32c => "CRC-32C",
            Self::XxHash32 => "xxHash32",
            Self::XxHash64 => "xxHash64",
            Self::Xxh3 => "XXH3",
        })
    }
}

fn mask(checksum: u32) -> u32 {
    checksum.rotate_right(15).wrapping_add(MASK_DELTA)
}

#[cfg(all(test, feature = "xxhash"))]
mod tests {
    use super::*;

    /// Published values of "abc", of which the last byte is passed separately. The other kinds have golden data.
    #[test]
    fn the_kind_without_golden_data() {
        assert_eq!(ChecksumKind::XxHash32.checksum(b"ab", b'c'), Some(0x32d1_53ff));
    }
}
