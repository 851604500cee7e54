//! JSHash: Justin Sobel's bitwise hash, cut to 31 bits.
//!
//! Origin: Justin Sobel, in Arash Partow's General Purpose Hash Function Algorithms (2002, MIT), where all 32 bits are
//! returned: [`js_full32`]. The mask is that of the published comparison and of many copies.
//! <https://www.partow.net/programming/hashfunctions/>

use super::LOW_31_BITS;
use crate::HashInfo;

/// Start value in Partow's library.
const START: u32 = 1_315_423_911;

/// JSHash of `key`: the low 31 bits of [`js_full32`].
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

/// JSHash as Partow's library has it: `h ^= (h << 5) + byte + (h >> 2)` over the bytes, from 1315423911.
///
/// Output: 32 bits. Seed: none. Empty key: 0x4e67c6a7, the start value. Never panics.
#[inline]
pub const fn js_full32(key: &[u8]) -> u32 {
    let mut h = START;
    let mut rest = key;
    while let [byte, tail @ ..] = rest {
        h ^= (h << 5).wrapping_add(h >> 2).wrapping_add(*byte as u32);
        rest = tail;
    }
    h
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
        "Only 31 bits.",
        "The step is no bijection: one byte leaves 68.6 % of the states reachable, and words collide (\"hack\" and \
         \"junk\", hence \"hacker\" and \"junker\").",
        "Colliding keys are easy to construct: not for keys that an attacker chooses.",
    ],
    aliases: &[],
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
        "Colliding keys are easy to construct: not for keys that an attacker chooses.",
    ],
    verification: 0xcea6_0adf,
    hash: |key| js_full32(key) as u64,
    ..INFO
};

#[cfg(test)]
mod tests {
    use super::{js, js_full32};

    #[test]
    fn known_answers() {
        // `JSHash` of Partow's C library; the left value is its low 31 bits.
        const KNOWN: [(&[u8], u32, u32); 4] = [
            (b"", 0x4e67_c6a7, 0x4e67_c6a7),
            (b"a", 0x2ef5_004d, 0xaef5_004d),
            (b"hello world", 0x3c6b_e306, 0xbc6b_e306),
            (b"\xff", 0x2ef5_012f, 0xaef5_012f),
        ];
        for (key, masked, full) in KNOWN {
            assert_eq!((js(key), js_full32(key)), (masked, full), "{key:?}");
        }
    }

    #[test]
    fn a_collision_survives_a_common_ending() {
        assert_eq!(js_full32(b"hack"), js_full32(b"junk"));
        assert_eq!(js_full32(b"hackers"), js_full32(b"junkers"));
    }
}
