//! DJB2Hash: Bernstein's hash with multiplier 33 and xor, called djb2a elsewhere.
//!
//! Origin: Daniel J. Bernstein, the hash of his constant database cdb (1996), which he came to prefer,
//! <https://cr.yp.to/cdb/cdb.txt>. Beware of the names: "djb2" elsewhere is the sum, [`djb2`](super::djb2).

use crate::HashInfo;
use crate::weakness::{EASY_COLLISIONS, POOR_HIGH_BITS, POOR_LOW_BITS};
use crate::words::step_by_byte;

/// Bernstein's start value.
const START: u32 = 5381;

const MULTIPLIER: u32 = 33;

/// Returns DJB2Hash of `key`: `h = (33 * h) ^ byte` over the bytes, from 5381.
///
/// Output: 32 bits. Seed: none. Empty key: 5381. Never panics.
///
/// ```
/// assert_eq!(hashzoo::djb2a(b"abc"), 0x0b873285);
/// ```
#[inline]
pub const fn djb2a(key: &[u8]) -> u32 {
    step_by_byte!(key, START, |h, byte| h.wrapping_mul(MULTIPLIER) ^ byte)
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
        POOR_LOW_BITS,
        POOR_HIGH_BITS,
        EASY_COLLISIONS,
    ],
    aliases: &["cdb_hash", "cdbhash"],
    answers: &[
        (b"", 0x1505),
        (b"abc", 0x0b87_3285),
        (b"The quick brown fox jumps over the lazy dog", 0xb679_b80a),
        (b"\x00\xff\x80", 0x0b86_c17a),
    ],
    answers_source: "cdb_hash of libcdb 0.78",
    verification: 0x405a_0275,
    hash: |key| djb2a(key) as u64,
    seeded: None,
};
