//! Adler-32: zlib's checksum, two sums modulo 65521. It was not made as a hash function, but programs use it as one.
//!
//! Origin: Mark Adler (1995), after Fletcher's checksum; RFC 1950, sections 2.2 and 9,
//! <https://www.rfc-editor.org/rfc/rfc1950>. SCTP replaced it by CRC-32C because it is weak on short messages: RFC
//! 3309, <https://www.rfc-editor.org/rfc/rfc3309>.

use crate::HashInfo;
use crate::weakness::EASY_COLLISIONS;

/// The largest prime below 2^16.
const MODULUS: u32 = 65_521;

/// The largest number of bytes whose sums fit in 32 bits, so that the remainder can wait.
const SUMMED: usize = 5552;

/// Returns Adler-32 of `key`: `a` is 1 plus the sum of the bytes, `b` the sum of all values of `a` after a byte, both
/// modulo 65521; the value is `b << 16 | a`.
///
/// Output: 32 bits. Seed: none. Empty key: 1. Never panics.
///
/// ```
/// use std::collections::HashSet;
///
/// assert_eq!(hashzoo::adler32(b"abc"), 0x024d0127);
/// // 100,000 numbers of nine digits have 1,666 values.
/// let values = (100_000_000..100_100_000).map(|number| hashzoo::adler32(number.to_string().as_bytes()));
/// assert_eq!(values.collect::<HashSet<u32>>().len(), 1_666);
/// ```
#[inline]
pub const fn adler32(key: &[u8]) -> u32 {
    let (mut a, mut b, mut rest) = (1_u32, 0_u32, key);
    while !rest.is_empty() {
        let (mut chunk, after) = match rest.split_at_checked(SUMMED) {
            Some(parts) => parts,
            None => (rest, [].as_slice()),
        };
        while let [byte, tail @ ..] = chunk {
            a += *byte as u32;
            b += a;
            chunk = tail;
        }
        (a, b, rest) = (a % MODULUS, b % MODULUS, after);
    }
    b << 16 | a
}

pub(super) static INFO: HashInfo = HashInfo {
    name: "Adler-32",
    ident: "adler32",
    year: 1995,
    author: "Mark Adler, after John G. Fletcher",
    source: "RFC 1950, sections 2.2 and 9; https://www.rfc-editor.org/rfc/rfc1950",
    output_bits: 32,
    seed: None,
    weaknesses: &[
        "Short keys reach few of the values, as RFC 3309 explains: 100,000 numbers of nine digits have 1,666.",
        "Neighbouring bytes cancel out: keys of three bytes already collide (\"bcb\" and \"cac\").",
        "The low 16 bits are the sum of the bytes: their order does not count.",
        "Made to find transmission errors, not to spread keys.",
        EASY_COLLISIONS,
    ],
    aliases: &["adler"],
    answers: &[
        (b"", 1),
        (b"abc", 0x024d_0127),
        (b"123456789", 0x091e_01de),
        (b"The quick brown fox jumps over the lazy dog", 0x5bdc_0fda),
        (b"\x00\xff\x80", 0x0281_0180),
    ],
    answers_source: "zlib 1.2.13, through Python's zlib.adler32",
    verification: 0x6e8e_8f4d,
    hash: |key| adler32(key) as u64,
    seeded: None,
};
