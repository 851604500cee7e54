//! RSHash: Robert Sedgewick's hash with a changing multiplier, masked to 31 bits.
//!
//! Origin: Robert Sedgewick, *Algorithms in C*, in the form of Arash Partow's General Purpose Hash Function Algorithms
//! (2002, MIT), which returns all 32 bits. The mask comes from the published comparison and many copies.
//! Partow's Python file has another function: it swaps the two constants and never reduces to 32 bits.
//! <https://www.partow.net/programming/hashfunctions/>

use crate::HashInfo;
use crate::weakness::{EASY_COLLISIONS, ONLY_31_BITS, POOR_HIGH_BITS, POOR_LOW_BITS};
use crate::words::LOW_31_BITS;

/// The first multiplier.
const FIRST: u32 = 63689;

/// The factor by which the multiplier grows after each byte.
const GROWTH: u32 = 378_551;

/// Returns RSHash of `key`: the low 31 bits of `h = a * h + byte` over the bytes, from 0, where a is 63689 and grows by the
/// factor 378551.
///
/// Output: 31 bits. Seed: none. Empty key: 0. Never panics.
///
/// ```
/// assert_eq!(hashzoo::rs(b"abc"), 0x31012aac);
/// ```
#[inline]
pub const fn rs(key: &[u8]) -> u32 {
    let mut h = 0_u32;
    let mut multiplier = FIRST;
    let mut rest = key;
    while let [byte, tail @ ..] = rest {
        h = h.wrapping_mul(multiplier).wrapping_add(*byte as u32);
        multiplier = multiplier.wrapping_mul(GROWTH);
        rest = tail;
    }
    h & LOW_31_BITS
}

pub(super) static INFO: HashInfo = HashInfo {
    name: "RSHash",
    ident: "rs",
    year: 2002,
    author: "Robert Sedgewick",
    source: "Arash Partow, General Purpose Hash Function Algorithms, \
             https://www.partow.net/programming/hashfunctions/, after Sedgewick, Algorithms in C; masked to 31 bits: \
             hash.cpp of github.com/hardcore-os/HashLib (2021)",
    output_bits: 31,
    seed: None,
    weaknesses: &[
        ONLY_31_BITS,
        "Zero bytes in front of a key change the value only through the multipliers of the bytes after them, and keys \
         of zero bytes alone all give 0.",
        POOR_LOW_BITS,
        POOR_HIGH_BITS,
        EASY_COLLISIONS,
    ],
    aliases: &[],
    answers: &[
        (b"", 0),
        (b"abc", 0x3101_2aac),
        (b"The quick brown fox jumps over the lazy dog", 0x29a4_500b),
        (b"\x00\xff\x80", 0x1f04_3767),
    ],
    answers_source: "RSHash of Partow's C library, its low 31 bits",
    verification: 0x00ed_2028,
    hash: |key| rs(key) as u64,
    seeded: None,
};
