//! DEKHash: rotate by five and xor, started at JSHash's constant.
//!
//! Origin: Donald E. Knuth, *The Art of Computer Programming*, volume 3, section 6.4, in the form of Arash Partow's
//! General Purpose Hash Function Algorithms (2002, MIT), which starts at the key's length. The start
//! value 1315423911 comes from the published comparison. A much-copied C++ collection has it too, but computes in
//! `size_t` and returns 0 for the empty key, which makes it a different function.
//! <https://www.partow.net/programming/hashfunctions/>

use crate::HashInfo;
use crate::weakness::EASY_COLLISIONS;
use crate::words::step_by_byte;

/// The start value, which is JSHash's in Partow's library.
const START: u32 = 1_315_423_911;

/// Returns DEKHash of `key`: `h = h.rotate_left(5) ^ byte` over the bytes, from 1315423911.
///
/// Output: 32 bits. Seed: none. Empty key: 0x4e67c6a7, the start value. Never panics.
///
/// ```
/// assert_eq!(hashzoo::dek(b"abc"), 0xe3522f10);
/// ```
#[inline]
pub const fn dek(key: &[u8]) -> u32 {
    step_by_byte!(key, START, |h, byte| h.rotate_left(5) ^ byte)
}

pub(super) static INFO: HashInfo = HashInfo {
    name: "DEKHash",
    ident: "dek",
    year: 2002,
    author: "Donald E. Knuth",
    source: "Arash Partow, General Purpose Hash Function Algorithms, \
             https://www.partow.net/programming/hashfunctions/, after Knuth, The Art of Computer Programming, volume \
             3, section 6.4; the start value: hash.cpp of github.com/hardcore-os/HashLib (2021)",
    output_bits: 32,
    seed: None,
    weaknesses: &[
        "Linear over GF(2), and eight-bit bytes overlap under a shift of five: two letters already collide (\"xZ\" and \
         \"yz\"), so collisions come in families.",
        EASY_COLLISIONS,
    ],
    aliases: &[],
    answers: &[
        (b"", 0x4e67_c6a7),
        (b"abc", 0xe352_2f10),
        (b"The quick brown fox jumps over the lazy dog", 0xac29_55bb),
        (b"\x00\xff\x80", 0xe353_b853),
    ],
    answers_source: "hash.cpp of github.com/hardcore-os/HashLib, built with -funsigned-char",
    // This is the start value: the function is linear, and the contributions of the 256 results cancel.
    verification: 0x4e67_c6a7,
    hash: |key| dek(key) as u64,
    seeded: None,
};
