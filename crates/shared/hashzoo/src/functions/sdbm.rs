//! SDBMHash: the polynomial with multiplier 65599 of the sdbm database library.
//!
//! Origin: Ozan Yigit, `hash.c` of sdbm (beta of August 1989, first release in December 1990, public domain), a clone
//! of ndbm. Perl's `SDBM_File`, gawk and Berkeley DB still have it.
//! <http://www.cse.yorku.ca/~oz/hash.html>

use crate::HashInfo;
use crate::weakness::{EASY_COLLISIONS, LEADING_ZEROS, POOR_HIGH_BITS, POOR_LOW_BITS};
use crate::words::step_by_byte;

/// A prime. sdbm writes the product as `(h << 6) + (h << 16) - h`.
const MULTIPLIER: u32 = 65599;

/// Returns SDBMHash of `key`: `h = 65599 * h + byte` over the bytes, from 0.
///
/// Output: 32 bits. Seed: none. Empty key: 0. Never panics.
///
/// ```
/// assert_eq!(hashzoo::sdbm(b"abc"), 0x3025f862);
/// ```
#[inline]
pub const fn sdbm(key: &[u8]) -> u32 {
    step_by_byte!(key, 0, |h, byte| h.wrapping_mul(MULTIPLIER).wrapping_add(byte))
}

pub(super) static INFO: HashInfo = HashInfo {
    name: "SDBMHash",
    ident: "sdbm",
    year: 1989,
    author: "Ozan Yigit",
    source: "sdbm, hash.c (beta of August 1989); http://www.cse.yorku.ca/~oz/hash.html",
    output_bits: 32,
    seed: None,
    weaknesses: &[
        LEADING_ZEROS,
        POOR_LOW_BITS,
        POOR_HIGH_BITS,
        "On decimal digits it collides more often than chance, on numbers of 19 digits by a quarter.",
        EASY_COLLISIONS,
    ],
    aliases: &["65599 hash"],
    answers: &[
        (b"", 0),
        (b"abc", 0x3025_f862),
        (b"The quick brown fox jumps over the lazy dog", 0x8ca7_7173),
        (b"\x00\xff\x80", 0x00ff_3f41),
    ],
    answers_source: "SDBMHash of Partow's C library; ASCII keys: also apu__sdbm_hash of libaprutil1",
    verification: 0xdb3a_42ce,
    hash: |key| sdbm(key) as u64,
    seeded: None,
};
