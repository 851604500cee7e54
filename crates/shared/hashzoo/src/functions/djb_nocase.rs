//! DJB: Bernstein's sum with multiplier 33, of the key in ASCII lower case.
//!
//! Origin: Daniel J. Bernstein, comp.lang.c, about 1991; the folding form is `dictGenCaseHashFunction` of Redis
//! (`src/dict.c`, commit 1b1f47c9 of 2010, until 4.0). Without the fold it is known as djb2, Partow's `DJBHash` and
//! GLib's `g_str_hash`: [`djb2`]. Redis calls `tolower`; here only A to Z are folded, on every platform and in every
//! locale.
//! <http://www.cse.yorku.ca/~oz/hash.html>

use crate::HashInfo;
use crate::weakness::{EASY_COLLISIONS, POOR_HIGH_BITS, POOR_LOW_BITS};
use crate::words::step_by_byte;

/// Bernstein's start value.
const START: u32 = 5381;

const MULTIPLIER: u32 = 33;

/// Returns DJB of `key`: [`djb2`] of the key in ASCII lower case.
///
/// Output: 32 bits. Seed: none. Empty key: 5381. Never panics.
///
/// ```
/// assert_eq!(hashzoo::djb_nocase(b"Hello"), hashzoo::djb_nocase(b"HELLO"));
/// assert_eq!(hashzoo::djb_nocase(b"Hello"), hashzoo::djb2(b"hello"));
/// ```
#[inline]
pub const fn djb_nocase(key: &[u8]) -> u32 {
    step_by_byte!(key, START, |h, byte| h
        .wrapping_mul(MULTIPLIER)
        .wrapping_add((byte as u8).to_ascii_lowercase() as u32))
}

/// Returns the hash called djb2: `h = 33 * h + byte` over the bytes, from 5381.
///
/// Output: 32 bits. Seed: none. Empty key: 5381. Never panics.
///
/// ```
/// assert_eq!(hashzoo::djb2(b"abc"), 0x0b885c8b);
/// ```
#[inline]
pub const fn djb2(key: &[u8]) -> u32 {
    step_by_byte!(key, START, |h, byte| h
        .wrapping_mul(MULTIPLIER)
        .wrapping_add(byte))
}

pub(super) static INFO: HashInfo = HashInfo {
    name: "DJB",
    ident: "djb_nocase",
    year: 2010,
    author: "Daniel J. Bernstein; Salvatore Sanfilippo (folding)",
    source: "Redis, src/dict.c, dictGenCaseHashFunction (2010), after Bernstein in comp.lang.c, about 1991; \
             http://www.cse.yorku.ca/~oz/hash.html",
    output_bits: 32,
    seed: None,
    weaknesses: &[
        "Keys that differ in ASCII case alone collide, by design.",
        "The multiplier is smaller than the range of a byte: two bytes already collide.",
        "The low five output bits depend only on the low five bits of the bytes: keys that differ in higher bits alone \
         share them.",
        POOR_HIGH_BITS,
        EASY_COLLISIONS,
    ],
    aliases: &["dictGenCaseHashFunction"],
    answers: &[
        (b"", 0x1505),
        (b"hello world", 0x3551_c8c1),
        (b"HELLO world", 0x3551_c8c1),
        (b"The quick brown fox jumps over the lazy dog", 0x77fb_60fe),
        (b"\x00\xff\x80", 0x0b86_d444),
    ],
    answers_source: "hash.cpp of github.com/hardcore-os/HashLib, built with -funsigned-char",
    verification: 0x1b2d_eb41,
    hash: |key| djb_nocase(key) as u64,
    seeded: None,
};

pub(super) static CASE_SENSITIVE: HashInfo = HashInfo {
    name: "djb2",
    ident: "djb2",
    year: 1991,
    author: "Daniel J. Bernstein",
    source: "comp.lang.c, about 1991; http://www.cse.yorku.ca/~oz/hash.html",
    weaknesses: &[
        "The multiplier is smaller than the range of a letter: two letters already collide (\"Ab\" and \"BA\").",
        POOR_LOW_BITS,
        POOR_HIGH_BITS,
        EASY_COLLISIONS,
    ],
    aliases: &["DJBHash"],
    answers: &[
        (b"", 0x1505),
        (b"abc", 0x0b88_5c8b),
        (b"HELLO world", 0x5158_a821),
        (b"The quick brown fox jumps over the lazy dog", 0x34cc_38de),
        (b"\x00\xff\x80", 0x0b86_d444),
    ],
    answers_source: "DJBHash of Partow's C library; of ASCII keys also GLib's g_str_hash",
    verification: 0x00c7_fb24,
    hash: |key| djb2(key) as u64,
    ..INFO
};
