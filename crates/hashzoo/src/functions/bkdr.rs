//! BKDRHash: Kernighan and Ritchie's polynomial with the multiplier 131, masked to 31 bits.
//!
//! Origin: Kernighan and Ritchie, *The C Programming Language*, 2nd edition (1988), p. 144, with 31. Arash Partow's
//! General Purpose Hash Function Algorithms (2002, MIT) introduced the name and 131, and returns all 32 bits:
//! [`bkdr131_full32`]. The mask comes from the published comparison and many copies. With 31 it is Java's
//! `String.hashCode`: [`bkdr31`]. [`bkdr_full32`] takes any multiplier, for example the also common 1313 and 13131.
//! <https://www.partow.net/programming/hashfunctions/>

use super::LOW_31_BITS;
use crate::HashInfo;
use crate::weakness::{EASY_COLLISIONS, LEADING_ZEROS, ONLY_31_BITS, POOR_HIGH_BITS, POOR_LOW_BITS};
use crate::words::step_by_byte;

/// Returns BKDRHash of `key`: the low 31 bits of [`bkdr131_full32`].
///
/// Output: 31 bits. Seed: none. Empty key: 0. Never panics.
///
/// ```
/// assert_eq!(hashzoo::bkdr(b"abc"), 0x1998f2);
/// ```
#[inline]
pub const fn bkdr(key: &[u8]) -> u32 {
    bkdr131_full32(key) & LOW_31_BITS
}

/// Returns the polynomial `h = MULTIPLIER * h + byte` over the bytes, from 0.
///
/// Output: 32 bits. Seed: none. Empty key: 0. Never panics. With an even multiplier, only the last 32 bytes count.
#[inline]
pub const fn bkdr_full32<const MULTIPLIER: u32>(key: &[u8]) -> u32 {
    step_by_byte!(key, 0, |h, byte| h.wrapping_mul(MULTIPLIER).wrapping_add(byte))
}

/// Returns BKDRHash as in Partow's library: [`bkdr_full32`] with 131.
///
/// Output: 32 bits. Seed: none. Empty key: 0. Never panics.
#[inline]
pub const fn bkdr131_full32(key: &[u8]) -> u32 {
    bkdr_full32::<131>(key)
}

/// Returns Kernighan and Ritchie's hash: [`bkdr_full32`] with 31.
///
/// For Latin-1 text, which includes ASCII, this is Java's `String.hashCode` as an unsigned number. Java sums UTF-16
/// units, so the UTF-8 bytes of other text give other values.
///
/// Output: 32 bits. Seed: none. Empty key: 0. Never panics.
///
/// ```
/// assert_eq!(hashzoo::bkdr31(b"hello world") as i32, 1794106052);
/// ```
#[inline]
pub const fn bkdr31(key: &[u8]) -> u32 {
    bkdr_full32::<31>(key)
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

pub(super) static FULL32: HashInfo = HashInfo {
    name: "BKDRHash-full32",
    ident: "bkdr131_full32",
    source: "Arash Partow, General Purpose Hash Function Algorithms, \
             https://www.partow.net/programming/hashfunctions/",
    output_bits: 32,
    weaknesses: &[LEADING_ZEROS, POOR_LOW_BITS, POOR_HIGH_BITS, EASY_COLLISIONS],
    answers: &[
        (b"", 0),
        (b"hello world", 0x4e19_5644),
        (b"The quick brown fox jumps over the lazy dog", 0xc518_1667),
        (b"0123456789", 0x9682_1965),
        (b"\x00\xff\x80", 0x82fd),
    ],
    answers_source: "BKDRHash of Partow's C library",
    verification: 0x0e8c_326a,
    hash: |key| bkdr131_full32(key) as u64,
    ..INFO
};

pub(super) static MULTIPLIER_31: HashInfo = HashInfo {
    name: "Java-hashCode",
    ident: "bkdr31",
    year: 1988,
    author: "Brian Kernighan and Dennis Ritchie",
    source: "Kernighan and Ritchie, The C Programming Language, 2nd edition (1988), p. 144; java.lang.String.hashCode",
    output_bits: 32,
    weaknesses: &[
        "The multiplier is smaller than the range of a letter: two letters already collide (\"Aa\" and \"BB\").",
        LEADING_ZEROS,
        POOR_LOW_BITS,
        POOR_HIGH_BITS,
        EASY_COLLISIONS,
    ],
    aliases: &["String.hashCode"],
    answers: &[
        (b"", 0),
        (b"abc", 0x0001_7862),
        (b"hello world", 0x6aef_e2c4),
        (b"The quick brown fox jumps over the lazy dog", 0xdbac_dd53),
        (b"\x00\xff\x80", 0x1f61),
    ],
    answers_source: "java.lang.String.hashCode",
    verification: 0x69cb_1e92,
    hash: |key| bkdr31(key) as u64,
    ..INFO
};
