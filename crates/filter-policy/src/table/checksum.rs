//! The checksum behind every block of a table.

/// Added to the rotated checksum (LevelDB's `util/crc32c.h`).
const MASK_DELTA: u32 = 0xa282_ead8;

/// The polynomial of Castagnoli, bits reversed (RFC 3720, appendix B.4).
const POLYNOMIAL: u32 = 0x82f6_3b78;

/// The checksum of a byte that follows the checksum 0.
const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0_u32;
    while byte < 256 {
        let mut checksum = byte;
        let mut bit = 0;
        while bit < 8 {
            let low_bit = checksum & 1;
            checksum = (checksum >> 1) ^ (POLYNOMIAL * low_bit);
            bit += 1;
        }
        #[expect(
            clippy::indexing_slicing,
            reason = "checked by the compiler, which computes the table"
        )]
        {
            table[byte as usize] = checksum;
        }
        byte += 1;
    }
    table
};

/// The checksum that a table stores behind a block: CRC-32C over the contents as they are stored and the byte
/// that tells their compression, then masked.
///
/// The mask (rotation to the right by 15, plus 0xa282ead8) keeps apart the checksum of data and the checksum
/// of data that itself holds checksums.
///
/// ```
/// use filter_policy::table::block_checksum;
///
/// // Behind the empty metaindex of a table without filters: no entries, one restart point.
/// assert_eq!(block_checksum(&[0, 0, 0, 0, 1, 0, 0, 0], 0), 0xb0a1_f2c0);
/// ```
pub fn block_checksum(contents: &[u8], compression: u8) -> u32 {
    let of_contents = extend(!0, contents);
    mask(!extend(of_contents, &[compression]))
}

fn mask(checksum: u32) -> u32 {
    checksum.rotate_right(15).wrapping_add(MASK_DELTA)
}

/// Continues a checksum, in the inverted form that it has on the way.
fn extend(checksum: u32, bytes: &[u8]) -> u32 {
    bytes.iter().fold(checksum, |checksum, &byte| {
        let [low, ..] = checksum.to_le_bytes();
        #[expect(clippy::indexing_slicing, reason = "a byte is below 256")]
        let of_byte = TABLE[usize::from(low ^ byte)];
        of_byte ^ (checksum >> 8)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_answers() {
        let ascending: [u8; 32] = core::array::from_fn(|i| u8::try_from(i).unwrap());
        let descending: [u8; 32] = core::array::from_fn(|i| u8::try_from(31 - i).unwrap());
        // RFC 3720, appendix B.4; the string is the usual check value of CRC catalogues.
        let known: [(&[u8], u32); 6] = [
            (&[], 0),
            (b"123456789", 0xe306_9283),
            (&[0; 32], 0x8a91_36aa),
            (&[0xff; 32], 0x62a8_ab43),
            (&ascending, 0x46dd_794e),
            (&descending, 0x113f_db5c),
        ];
        for (bytes, checksum) in known {
            assert_eq!(!extend(!0, bytes), checksum, "{bytes:x?}");
        }
    }

    #[test]
    fn the_compression_byte_is_part_of_it() {
        assert_eq!(block_checksum(b"12345678", b'9'), mask(0xe306_9283));
        assert_ne!(block_checksum(b"contents", 0), block_checksum(b"contents", 1));
    }
}
