//! DJBX33A: PHP's hash of array keys, Bernstein's sum with multiplier 33 in 64 bits, with the high bit set.
//!
//! Origin: Daniel J. Bernstein, comp.lang.c, about 1991, named "Times 33 with Addition" by Ralf S. Engelschall;
//! `zend_inline_hash_func` of PHP since version 7 (2015), on 64-bit machines. It reads `char`, so bytes above 0x7f are
//! negative on x86-64, as here, and not on ARM; of ASCII keys both have the same value. 32-bit machines keep the low 32
//! bits and set the highest of them. APR's function of this name starts at 0 or at a random number.
//! <https://github.com/php/php-src/blob/PHP-8.2/Zend/zend_string.h>

use crate::HashInfo;
use crate::weakness::{EASY_COLLISIONS, POOR_HIGH_BITS, POOR_LOW_BITS};

/// Bernstein's start value.
const START: u64 = 5381;

const MULTIPLIER: u64 = 33;

/// PHP sets this bit, because it marks a hash that is not computed yet by 0.
const HIGH_BIT: u64 = 1 << 63;

/// Returns DJBX33A of `key`, as PHP on x86-64: `h = 33 * h + byte` over the signed bytes, from 5381, and the high bit
/// set.
///
/// The low 32 bits of ASCII keys are those of [`djb2`](crate::djb2).
///
/// Output: 64 bits, of which the highest is always set. Seed: none. Empty key: 0x8000000000001505. Never panics.
///
/// ```
/// assert_eq!(hashzoo::djbx33a(b"abc"), 0x800000000b885c8b);
/// assert_eq!(hashzoo::djbx33a(b"hello world") as u32, hashzoo::djb2(b"hello world"));
/// assert_eq!(hashzoo::djbx33a(b"Ez"), hashzoo::djbx33a(b"FY"));
/// ```
#[inline]
pub const fn djbx33a(key: &[u8]) -> u64 {
    let (mut h, mut rest) = (START, key);
    while let [byte, tail @ ..] = rest {
        h = h.wrapping_mul(MULTIPLIER).wrapping_add(*byte as i8 as u64);
        rest = tail;
    }
    h | HIGH_BIT
}

pub(super) static INFO: HashInfo = HashInfo {
    name: "DJBX33A",
    ident: "djbx33a",
    year: 2015,
    author: "Daniel J. Bernstein; Ralf S. Engelschall (the name); PHP's developers (64 bits)",
    source: "PHP 7, Zend/zend_string.h, zend_inline_hash_func on x86-64, after Bernstein in comp.lang.c, about 1991; \
             https://github.com/php/php-src/blob/PHP-8.2/Zend/zend_string.h",
    output_bits: 64,
    seed: None,
    weaknesses: &[
        "The multiplier is smaller than the range of a letter: two letters already collide (\"Ez\" and \"FY\").",
        "The highest bit is always set, so 63 bits remain.",
        "Bytes above 0x7f are negative on x86-64 and positive on ARM, so keys with them have other values there.",
        POOR_LOW_BITS,
        POOR_HIGH_BITS,
        EASY_COLLISIONS,
    ],
    aliases: &["zend_inline_hash_func", "zend_hash_func"],
    answers: &[
        (b"", 0x8000_0000_0000_1505),
        (b"abc", 0x8000_0000_0b88_5c8b),
        (b"hello world", 0xc094_3fd4_3551_c8c1),
        (
            b"The quick brown fox jumps over the lazy dog",
            0xb6d2_3eef_34cc_38de,
        ),
        (b"\xff", 0x8000_0000_0002_b5a4),
        (b"\x00\xff\x80", 0x8000_0000_0b86_b244),
    ],
    answers_source: "zend_hash_func of Debian's libphp8.2-embed 8.2.31, x86-64",
    verification: 0xb400_163c,
    hash: |key| djbx33a(key),
    seeded: None,
};
