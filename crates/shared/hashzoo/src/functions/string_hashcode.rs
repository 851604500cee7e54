//! `String.hashCode`: Java's hash of a string, the polynomial with the multiplier 31, here over bytes.
//!
//! Origin: Kernighan and Ritchie, *The C Programming Language*, 2nd edition (1988), p. 144; `java.lang.String.hashCode`
//! since Java 1.2 (1998),
//! <https://docs.oracle.com/en/java/javase/17/docs/api/java.base/java/lang/String.html#hashCode()>. Java hashes UTF-16
//! code units. Here each byte, as a number from 0 to 255, takes the place of one: the value is that of the string whose
//! characters are U+0000 to U+00FF, `new String(key, ISO_8859_1).hashCode()`. So it is Java's value of ASCII text; the
//! UTF-8 bytes of other text have another value than Java's string. `Arrays.hashCode(byte[])`, which starts at 1 and
//! reads signed bytes, is another function.

use crate::HashInfo;
use crate::weakness::{EASY_COLLISIONS, LEADING_ZEROS, POOR_HIGH_BITS, POOR_LOW_BITS};
use crate::words::step_by_byte;

/// Returns `String.hashCode` of `key`, read as Latin-1: `h = 31 * h + byte` over the unsigned bytes, from 0.
///
/// Output: 32 bits, which Java reads as a signed number. Seed: none. Empty key: 0. Never panics.
///
/// ```
/// assert_eq!(hashzoo::string_hashcode(b"abc"), 96354);
/// assert_eq!(hashzoo::string_hashcode(b"Aa"), hashzoo::string_hashcode(b"BB"));
/// // `HashMap` chooses buckets by the low bits of this:
/// let spread = |h: u32| h ^ (h >> 16);
/// assert_eq!(spread(hashzoo::string_hashcode(b"hello world")) % 16, 11);
/// ```
#[inline]
pub const fn string_hashcode(key: &[u8]) -> u32 {
    step_by_byte!(key, 0, |h, byte| h.wrapping_mul(31).wrapping_add(byte))
}

pub(super) static INFO: HashInfo = HashInfo {
    name: "String.hashCode",
    ident: "string_hashcode",
    year: 1988,
    author: "Brian Kernighan and Dennis Ritchie; Java 1.2 (1998)",
    source: "Kernighan and Ritchie, The C Programming Language, 2nd edition (1988), p. 144; java.lang.String, \
             https://docs.oracle.com/en/java/javase/17/docs/api/java.base/java/lang/String.html#hashCode()",
    output_bits: 32,
    seed: None,
    weaknesses: &[
        "The multiplier is smaller than the range of a letter: two letters already collide (\"Aa\" and \"BB\").",
        "Java hashes UTF-16 code units: the bytes of text beyond Latin-1 have another value here.",
        LEADING_ZEROS,
        POOR_LOW_BITS,
        POOR_HIGH_BITS,
        EASY_COLLISIONS,
    ],
    aliases: &["java.lang.String.hashCode", "Java String.hashCode", "hashCode"],
    answers: &[
        (b"", 0),
        (b"abc", 0x0001_7862),
        (b"hello world", 0x6aef_e2c4),
        (b"The quick brown fox jumps over the lazy dog", 0xdbac_dd53),
        (b"\x00\xff\x80", 0x1f61),
    ],
    answers_source: "new String(key, ISO_8859_1).hashCode() of OpenJDK 17.0.15",
    verification: 0x69cb_1e92,
    hash: |key| string_hashcode(key) as u64,
    seeded: None,
};
