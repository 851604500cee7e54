//! DJB2Hash: Bernstein's hash with multiplier 33 and xor, called djb2a elsewhere.
//!
//! Origin: Daniel J. Bernstein's own later preference, the hash of his constant database cdb (1996),
//! <https://cr.yp.to/cdb/cdb.txt>. A trap in the names: "djb2" elsewhere is the sum, [`djb2`](super::djb2).

use crate::HashInfo;

/// Bernstein's start value.
const START: u32 = 5381;

const MULTIPLIER: u32 = 33;

/// DJB2Hash of `key`: `h = (33 * h) ^ byte` over the bytes, from 5381.
///
/// Output: 32 bits. Seed: none. Empty key: 5381. Never panics.
///
/// ```
/// assert_eq!(hashzoo::djb2a(b"abc"), 0x0b873285);
/// ```
#[inline]
pub const fn djb2a(key: &[u8]) -> u32 {
    let mut h = START;
    let mut rest = key;
    while let [byte, tail @ ..] = rest {
        h = h.wrapping_mul(MULTIPLIER) ^ *byte as u32;
        rest = tail;
    }
    h
}

pub(super) static INFO: HashInfo = HashInfo {
    name: "DJB2Hash",
    ident: "djb2a",
    year: 1996,
    author: "Daniel J. Bernstein",
    source: "cdb, cdb_hash; https://cr.yp.to/cdb/cdb.txt",
    output_bits: 32,
    seed: None,
    weaknesses: &[
        "The multiplier is smaller than the range of a byte: two bytes already collide.",
        "On decimal digits of one length an output bit is constant, which doubles the collisions.",
        "Output bit j depends only on bits 0 to j of the bytes, so the low bits are poor: tables of a power of two \
         size suffer.",
        "Colliding keys are easy to construct: not for keys that an attacker chooses.",
    ],
    aliases: &["cdb_hash", "cdbhash"],
    verification: 0x405a_0275,
    hash: |key| djb2a(key) as u64,
    seeded: None,
};

#[cfg(test)]
mod tests {
    use super::djb2a;

    #[test]
    fn known_answers() {
        // `cdb_hash` of libcdb 0.78.
        const KNOWN: [(&[u8], u32); 5] = [
            (b"", 5381),
            (b"a", 0x0002_b5c4),
            (b"abc", 0x0b87_3285),
            (b"hello world", 0xf8c6_5345),
            (b"\xff", 0x0002_b55a),
        ];
        for (key, value) in KNOWN {
            assert_eq!(djb2a(key), value, "{key:?}");
        }
    }
}
