//! JSHash: Justin Sobel's bitwise hash, masked to 31 bits.
//!
//! Origin: Justin Sobel, in Arash Partow's General Purpose Hash Function Algorithms (2002, MIT), which returns all 32
//! bits. The mask comes from the published comparison and many copies.
//! <https://www.partow.net/programming/hashfunctions/>

use crate::HashInfo;
use crate::weakness::{EASY_COLLISIONS, ONLY_31_BITS};
use crate::words::LOW_31_BITS;
use crate::words::step_by_byte;

/// The start value in Partow's library.
const START: u32 = 1_315_423_911;

/// Returns JSHash of `key`: the low 31 bits of `h ^= (h << 5) + byte + (h >> 2)` over the bytes, from 1315423911.
///
/// Output: 31 bits. Seed: none. Empty key: 0x4e67c6a7, the start value. Never panics.
///
/// ```
/// assert_eq!(hashzoo::js(b"abc"), 0x1a9b17a1);
/// ```
#[inline]
pub const fn js(key: &[u8]) -> u32 {
    let full = step_by_byte!(key, START, |h, byte| h
        ^ (h << 5).wrapping_add(h >> 2).wrapping_add(byte));
    full & LOW_31_BITS
}

pub(super) static INFO: HashInfo = HashInfo {
    name: "JSHash",
    ident: "js",
    year: 2002,
    author: "Justin Sobel",
    source: "Arash Partow, General Purpose Hash Function Algorithms, \
             https://www.partow.net/programming/hashfunctions/; masked to 31 bits: hash.cpp of \
             github.com/hardcore-os/HashLib (2021)",
    output_bits: 31,
    seed: None,
    weaknesses: &[
        ONLY_31_BITS,
        "The step is no bijection: one byte leaves 68.6 % of the states reachable, and words collide (\"hack\" and \
         \"junk\", hence \"hacker\" and \"junker\").",
        EASY_COLLISIONS,
    ],
    aliases: &[],
    answers: &[
        (b"", 0x4e67_c6a7),
        (b"abc", 0x1a9b_17a1),
        (b"The quick brown fox jumps over the lazy dog", 0x5fef_fe38),
        (b"\x00\xff\x80", 0x1a9a_a85d),
    ],
    answers_source: "JSHash of Partow's C library, its low 31 bits",
    verification: 0x169e_045f,
    hash: |key| js(key) as u64,
    seeded: None,
};
