//! BPHash: shift by seven and xor, started at the key's length and masked to 31 bits.
//!
//! Origin: "BP" in Arash Partow's General Purpose Hash Function Algorithms (2002, MIT), which names no author; it
//! starts at 0 and returns 32 bits: [`bp_partow`]. The start value and the mask come from the published comparison
//! (`hash.cpp` of github.com/hardcore-os/HashLib, 2021).
//! <https://www.partow.net/programming/hashfunctions/>

use super::LOW_31_BITS;
use crate::HashInfo;
use crate::weakness::EASY_COLLISIONS;
use crate::words::step_by_byte;

/// Returns BPHash of `key`: the low 31 bits of [`bp_len_full32`].
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
    bp_len_full32(key) & LOW_31_BITS
}

/// Returns all 32 bits of BPHash, started from the key's length: `h = (h << 7) ^ byte` over the bytes.
///
/// Output: 32 bits. Seed: none. Empty key: 0. Never panics; the length enters modulo 2^32.
#[inline]
pub const fn bp_len_full32(key: &[u8]) -> u32 {
    bp_from(key.len() as u32, key)
}

/// Returns BPHash as in Partow's library: `h = (h << 7) ^ byte` over the bytes, from 0.
///
/// Output: 32 bits. Seed: none. Empty key: 0. Never panics.
#[inline]
pub const fn bp_partow(key: &[u8]) -> u32 {
    bp_from(0, key)
}

#[inline]
const fn bp_from(start: u32, key: &[u8]) -> u32 {
    step_by_byte!(key, start, |h, byte| (h << 7) ^ byte)
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

pub(super) static FULL32: HashInfo = HashInfo {
    name: "BPHash-full32",
    ident: "bp_len_full32",
    source: "hash.cpp of github.com/hardcore-os/HashLib (2021), without its mask to 31 bits",
    output_bits: 32,
    weaknesses: &[
        "Only the last four bytes and four bits of the fifth survive.",
        "Linear over GF(2).",
        EASY_COLLISIONS,
    ],
    answers: &[
        (b"", 0),
        (b"hello world", 0x7dfc_b664),
        (b"The quick brown fox jumps over the lazy dog", 0x9419_37e7),
        (b"\x00\xff\x80", 0x0060_7f00),
    ],
    answers_source: "two programs, in C and in Python",
    verification: 0xffdf_af3f,
    hash: |key| bp_len_full32(key) as u64,
    ..INFO
};

pub(super) static PARTOW: HashInfo = HashInfo {
    name: "BPHash-Partow",
    ident: "bp_partow",
    source: "Arash Partow, General Purpose Hash Function Algorithms, \
             https://www.partow.net/programming/hashfunctions/",
    answers: &[
        (b"", 0),
        (b"abc", 0x0018_7163),
        (b"The quick brown fox jumps over the lazy dog", 0x9419_37e7),
        (b"\x00\xff\x80", 0x7f00),
    ],
    answers_source: "BPHash of Partow's C library",
    verification: 0xffdf_af3f,
    hash: |key| bp_partow(key) as u64,
    ..FULL32
};
