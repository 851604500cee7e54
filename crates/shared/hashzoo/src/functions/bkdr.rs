//! BKDRHash: Kernighan and Ritchie's polynomial with the multiplier 131, masked to 31 bits.
//!
//! Origin: Kernighan and Ritchie, *The C Programming Language*, 2nd edition (1988), p. 144, with 31, which is also Java's
//! `String.hashCode`. Arash Partow's General Purpose Hash Function Algorithms (2002, MIT) introduced the name and 131, and
//! returns all 32 bits. The mask comes from the published comparison and many copies.
//! <https://www.partow.net/programming/hashfunctions/>

use crate::HashInfo;
use crate::weakness::{EASY_COLLISIONS, LEADING_ZEROS, ONLY_31_BITS, POOR_HIGH_BITS, POOR_LOW_BITS};
use crate::words::LOW_31_BITS;
use crate::words::step_by_byte;

/// Returns BKDRHash of `key`: the low 31 bits of the polynomial `h = 131 * h + byte` over the bytes, from 0.
///
/// Output: 31 bits. Seed: none. Empty key: 0. Never panics.
///
/// ```
/// assert_eq!(hashzoo::bkdr(b"abc"), 0x1998f2);
/// ```
#[inline]
pub const fn bkdr(key: &[u8]) -> u32 {
    step_by_byte!(key, 0, |h, byte| h.wrapping_mul(131).wrapping_add(byte)) & LOW_31_BITS
}

pub(super) static INFO: HashInfo = HashInfo {
    name: "BKDRHash",
    ident: "bkdr",
    year: 2002,
    author: "Brian Kernighan and Dennis Ritchie; Arash Partow (multiplier 131)",
    source: "Arash Partow, General Purpose Hash Function Algorithms, \
             https://www.partow.net/programming/hashfunctions/, after Kernighan and Ritchie, The C Programming \
             Language, 2nd edition (1988), p. 144; masked to 31 bits: hash.cpp of github.com/hardcore-os/HashLib (2021)",
    output_bits: 31,
    seed: None,
    weaknesses: &[
        ONLY_31_BITS,
        LEADING_ZEROS,
        POOR_LOW_BITS,
        POOR_HIGH_BITS,
        EASY_COLLISIONS,
    ],
    aliases: &[],
    answers: &[
        (b"", 0),
        (b"abc", 0x0019_98f2),
        (b"The quick brown fox jumps over the lazy dog", 0x4518_1667),
        (b"0123456789", 0x1682_1965),
        (b"\x00\xff\x80", 0x82fd),
    ],
    answers_source: "BKDRHash of Partow's C library, its low 31 bits",
    verification: 0x1024_6c6a,
    hash: |key| bkdr(key) as u64,
    seeded: None,
};
