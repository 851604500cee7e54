//! BPHash: shift by seven and xor, started at the key's length and masked to 31 bits.
//!
//! Origin: "BP" in Arash Partow's General Purpose Hash Function Algorithms (2002, MIT), which names no author; it
//! starts at 0 and returns 32 bits. The start value and the mask come from the published comparison
//! (`hash.cpp` of github.com/hardcore-os/HashLib, 2021).
//! <https://www.partow.net/programming/hashfunctions/>

use crate::HashInfo;
use crate::weakness::EASY_COLLISIONS;
use crate::words::LOW_31_BITS;
use crate::words::step_by_byte;

/// Returns BPHash of `key`: the low 31 bits of `h = (h << 7) ^ byte` over the bytes, from the key's length.
///
/// Output: 31 bits. Seed: none. Empty key: 0. Never panics; the length enters modulo 2^32.
///
/// ```
/// assert_eq!(hashzoo::bp(b"abc"), 0x787163);
/// // Only the last four bytes and three bits of the fifth count.
/// assert_eq!(hashzoo::bp(b"abandon"), hashzoo::bp(b"Brandon"));
/// ```
#[inline]
pub const fn bp(key: &[u8]) -> u32 {
    step_by_byte!(key, key.len() as u32, |h, byte| (h << 7) ^ byte) & LOW_31_BITS
}

pub(super) static INFO: HashInfo = HashInfo {
    name: "BPHash",
    ident: "bp",
    year: 2002,
    author: "unknown; in Arash Partow's library",
    source: "Arash Partow, General Purpose Hash Function Algorithms, \
             https://www.partow.net/programming/hashfunctions/; start at the length and mask to 31 bits: hash.cpp of \
             github.com/hardcore-os/HashLib (2021)",
    output_bits: 31,
    seed: None,
    weaknesses: &[
        "Only the last four bytes and three bits of the fifth survive; decimal text has at most 80,000 values. A worst \
         case for charts, no function to use.",
        "Linear over GF(2).",
        EASY_COLLISIONS,
    ],
    aliases: &[],
    answers: &[
        (b"", 0),
        (b"abc", 0x0078_7163),
        (b"The quick brown fox jumps over the lazy dog", 0x1419_37e7),
        (b"\x00\xff\x80", 0x0060_7f00),
    ],
    answers_source: "hash.cpp of github.com/hardcore-os/HashLib, built with -funsigned-char",
    verification: 0x7fdf_afbf,
    hash: |key| bp(key) as u64,
    seeded: None,
};
