//! JSHash: Justin Sobel's bitwise hash, masked to 31 bits.
//!
//! Origin: Justin Sobel, in Arash Partow's General Purpose Hash Function Algorithms (2002, MIT), which returns all 32
//! bits: [`js_full32`]. The mask comes from the published comparison and many copies.
//! <https://www.partow.net/programming/hashfunctions/>

use super::LOW_31_BITS;
use crate::HashInfo;
use crate::weakness::{EASY_COLLISIONS, ONLY_31_BITS};
use crate::words::step_by_byte;

/// The start value in Partow's library.
const START: u32 = 1_315_423_911;

/// Returns JSHash of `key`: the low 31 bits of [`js_full32`].
///
/// Output: 31 bits. Seed: none. Empty key: 0x4e67c6a7, the start value. Never panics.
///
/// ```
/// assert_eq!(hashzoo::js(b"abc"), 0x1a9b17a1);
/// ```
#[inline]
pub const fn js(key: &[u8]) -> u32 {
    js_full32(key) & LOW_31_BITS
}

/// Returns JSHash as in Partow's library: `h ^= (h << 5) + byte + (h >> 2)` over the bytes, from 1315423911.
///
/// Output: 32 bits. Seed: none. Empty key: 0x4e67c6a7, the start value. Never panics.
#[inline]
pub const fn js_full32(key: &[u8]) -> u32 {
    step_by_byte!(key, START, |h, byte| h
        ^ (h << 5).wrapping_add(h >> 2).wrapping_add(byte))
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

pub(super) static FULL32: HashInfo = HashInfo {
    name: "JSHash-full32",
    ident: "js_full32",
    source: "Arash Partow, General Purpose Hash Function Algorithms, \
             https://www.partow.net/programming/hashfunctions/",
    output_bits: 32,
    weaknesses: &[
        "The step is no bijection: one byte leaves 68.6 % of the states reachable, and words collide (\"hack\" and \
         \"junk\", hence \"hacker\" and \"junker\").",
        EASY_COLLISIONS,
    ],
    answers: &[
        (b"", 0x4e67_c6a7),
        (b"hello world", 0xbc6b_e306),
        (b"The quick brown fox jumps over the lazy dog", 0xdfef_fe38),
        (b"\x00\xff\x80", 0x1a9a_a85d),
    ],
    answers_source: "JSHash of Partow's C library",
    verification: 0xcea6_0adf,
    hash: |key| js_full32(key) as u64,
    ..INFO
};
