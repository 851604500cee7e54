//! APHash: Arash Partow's hash in its form of 2002, masked to 31 bits.
//!
//! Origin: Arash Partow, General Purpose Hash Function Algorithms (2002, MIT). His library has since changed the start
//! value and uses a product; most copies have the old form. The mask comes from the published comparison.
//! <https://www.partow.net/programming/hashfunctions/>

use crate::HashInfo;
use crate::weakness::{EASY_COLLISIONS, LINEAR_BUT_FOR_A_CONSTANT, ONLY_31_BITS};
use crate::words::LOW_31_BITS;

/// Returns APHash of `key`, its low 31 bits: from 0, with shifts by 7 and 3 at even places, and by 11 and 5 with inversion at
/// odd places.
///
/// Output: 31 bits. Seed: none. Empty key: 0. Never panics.
///
/// ```
/// assert_eq!(hashzoo::ap(b"abc"), 0x1e7896e3);
/// ```
#[inline]
pub const fn ap(key: &[u8]) -> u32 {
    let mut h = 0_u32;
    let mut rest = key;
    while let [even, odd, tail @ ..] = rest {
        h ^= (h << 7) ^ *even as u32 ^ (h >> 3);
        h ^= !((h << 11) ^ *odd as u32 ^ (h >> 5));
        rest = tail;
    }
    if let [even] = rest {
        h ^= (h << 7) ^ *even as u32 ^ (h >> 3);
    }
    h & LOW_31_BITS
}

pub(super) static INFO: HashInfo = HashInfo {
    name: "APHash",
    ident: "ap",
    year: 2002,
    author: "Arash Partow",
    source: "Arash Partow, General Purpose Hash Function Algorithms, form of 2002, \
             https://www.partow.net/programming/hashfunctions/; masked to 31 bits: hash.cpp of \
             github.com/hardcore-os/HashLib (2021)",
    output_bits: 31,
    seed: None,
    weaknesses: &[ONLY_31_BITS, LINEAR_BUT_FOR_A_CONSTANT, EASY_COLLISIONS],
    aliases: &[],
    answers: &[
        (b"", 0),
        (b"bloom", 0x5c63_e5d0),
        (b"The quick brown fox jumps over the lazy dog", 0x45de_b1cf),
        (b"\x00\xff\x80", 0x1fff_8060),
    ],
    answers_source: "hash.cpp of github.com/hardcore-os/HashLib, built with -funsigned-char",
    verification: 0x0b7b_e28b,
    hash: |key| ap(key) as u64,
    seeded: None,
};
