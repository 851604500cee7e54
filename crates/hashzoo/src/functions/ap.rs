//! APHash: Arash Partow's hash in its form of 2002, masked to 31 bits.
//!
//! Origin: Arash Partow, General Purpose Hash Function Algorithms (2002, MIT). His library has since changed the start
//! value and uses a product: [`ap_partow`]. Most copies have the old form, [`ap_2002_full32`]. The mask comes from the
//! published comparison.
//! <https://www.partow.net/programming/hashfunctions/>

use super::LOW_31_BITS;
use crate::HashInfo;
use crate::weakness::{EASY_COLLISIONS, LINEAR_BUT_FOR_A_CONSTANT, ONLY_31_BITS};

/// Returns APHash of `key`: the low 31 bits of [`ap_2002_full32`].
///
/// Output: 31 bits. Seed: none. Empty key: 0. Never panics.
///
/// ```
/// assert_eq!(hashzoo::ap(b"abc"), 0x1e7896e3);
/// ```
#[inline]
pub const fn ap(key: &[u8]) -> u32 {
    ap_2002_full32(key) & LOW_31_BITS
}

/// Returns APHash of 2002: from 0, with shifts by 7 and 3 at even places, and by 11 and 5 with inversion at odd places.
///
/// Output: 32 bits. Seed: none. Empty key: 0. Never panics.
#[inline]
pub const fn ap_2002_full32(key: &[u8]) -> u32 {
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
    h
}

/// Returns APHash as in Partow's library today: from 0xaaaaaaaa, with a product and a sum in place of two xors.
///
/// Output: 32 bits. Seed: none. Empty key: 0xaaaaaaaa. Never panics.
#[inline]
pub const fn ap_partow(key: &[u8]) -> u32 {
    let mut h = 0xaaaa_aaaa_u32;
    let mut rest = key;
    while let [even, odd, tail @ ..] = rest {
        h ^= (h << 7) ^ (h >> 3).wrapping_mul(*even as u32);
        h ^= !(h << 11).wrapping_add(*odd as u32 ^ (h >> 5));
        rest = tail;
    }
    if let [even] = rest {
        h ^= (h << 7) ^ (h >> 3).wrapping_mul(*even as u32);
    }
    h
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

pub(super) static FULL32: HashInfo = HashInfo {
    name: "APHash-2002-full32",
    ident: "ap_2002_full32",
    source: "Arash Partow, General Purpose Hash Function Algorithms, form of 2002, \
             https://www.partow.net/programming/hashfunctions/",
    output_bits: 32,
    weaknesses: &[LINEAR_BUT_FOR_A_CONSTANT, EASY_COLLISIONS],
    answers: &[
        (b"", 0),
        (b"bloom", 0xdc63_e5d0),
        (b"The quick brown fox jumps over the lazy dog", 0x45de_b1cf),
        (b"\x00\xff\x80", 0x1fff_8060),
    ],
    answers_source: "two programs, in C and in Python",
    verification: 0x19db_c641,
    hash: |key| ap_2002_full32(key) as u64,
    ..INFO
};

pub(super) static PARTOW: HashInfo = HashInfo {
    name: "APHash-Partow",
    ident: "ap_partow",
    year: 2010,
    source: "Arash Partow, General Purpose Hash Function Algorithms, form of 2010 and today; \
             https://github.com/ArashPartow/hash",
    output_bits: 32,
    weaknesses: &[
        "A zero byte at an even place enters as a product with zero, so it erases part of the step.",
        EASY_COLLISIONS,
    ],
    answers: &[
        (b"", 0xaaaa_aaaa),
        (b"hello world", 0x9f23_6ae6),
        (b"The quick brown fox jumps over the lazy dog", 0xa18c_aec3),
        (b"\x00\xff\x80", 0x868e_11d7),
    ],
    answers_source: "APHash of Partow's C library",
    verification: 0x3dc4_84af,
    hash: |key| ap_partow(key) as u64,
    ..INFO
};
