//! FNVHash: FNV-1, 32 bits.
//!
//! Origin: Glenn Fowler, Phong Vo (1991) and Landon Curt Noll, public domain; draft-eastlake-fnv,
//! <http://www.isthe.com/chongo/tech/comp/fnv/>, <https://github.com/lcn2/fnv>. FNV-1 multiplies, then xors. The
//! authors recommend [`fnv1a_32`], which xors first. [`fnv0_32`] starts at 0 and is obsolete. Arash Partow's library
//! mistakes the offset basis for the prime, so its function is not FNV at all.

use crate::HashInfo;
use crate::weakness::{EASY_COLLISIONS, LEADING_ZEROS, POOR_HIGH_BITS, POOR_LOW_BITS};
use crate::words::step_by_byte;

/// The prime of 32-bit FNV: 2^24 + 2^8 + 0x93.
const PRIME: u32 = 16_777_619;

/// The start value of 32-bit FNV-1 and FNV-1a: FNV-0 of Noll's signature line.
const OFFSET_BASIS: u32 = 2_166_136_261;

/// Returns FNV-1 of `key`: `h = (16777619 * h) ^ byte` over the bytes, from 2166136261.
///
/// Output: 32 bits. Seed: none. Empty key: 0x811c9dc5, the offset basis. Never panics.
///
/// ```
/// assert_eq!(hashzoo::fnv1_32(b"a"), 0x050c5d7e);
/// ```
#[inline]
pub const fn fnv1_32(key: &[u8]) -> u32 {
    multiply_then_xor(OFFSET_BASIS, key)
}

/// Returns FNV-1a of `key`: `h = 16777619 * (h ^ byte)` over the bytes, from 2166136261.
///
/// Output: 32 bits. Seed: none. Empty key: 0x811c9dc5, the offset basis. Never panics.
///
/// ```
/// assert_eq!(hashzoo::fnv1a_32(b"a"), 0xe40c292c);
/// ```
#[inline]
pub const fn fnv1a_32(key: &[u8]) -> u32 {
    step_by_byte!(key, OFFSET_BASIS, |h, byte| (h ^ byte).wrapping_mul(PRIME))
}

/// Returns FNV-0 of `key`: [`fnv1_32`] from 0. Leading zero bytes of the key have no effect.
///
/// Output: 32 bits. Seed: none. Empty key: 0. Never panics.
#[inline]
pub const fn fnv0_32(key: &[u8]) -> u32 {
    multiply_then_xor(0, key)
}

const fn multiply_then_xor(start: u32, key: &[u8]) -> u32 {
    step_by_byte!(key, start, |h, byte| h.wrapping_mul(PRIME) ^ byte)
}

pub(super) static INFO: HashInfo = HashInfo {
    name: "FNVHash",
    ident: "fnv1_32",
    year: 1991,
    author: "Glenn Fowler, Landon Curt Noll, Phong Vo",
    source: "draft-eastlake-fnv; http://www.isthe.com/chongo/tech/comp/fnv/",
    output_bits: 32,
    seed: None,
    weaknesses: &[
        "The last byte is only xored in: it changes no more than the low eight bits.",
        POOR_LOW_BITS,
        POOR_HIGH_BITS,
        EASY_COLLISIONS,
    ],
    aliases: &["FNV-1", "FNV-1-32"],
    answers: &[
        (b"", 0x811c_9dc5),
        (b"a", 0x050c_5d7e),
        (b"foobar", 0x31f0_b262),
        (b"The quick brown fox jumps over the lazy dog", 0xe9c8_6c6e),
        (b"\x00\xff\x80", 0xafb0_0336),
    ],
    answers_source: "test_fnv.c of github.com/lcn2/fnv; the last two: two programs, in C and in Python",
    verification: 0xcf67_b6c3,
    hash: |key| fnv1_32(key) as u64,
    seeded: None,
};

pub(super) static FNV1A: HashInfo = HashInfo {
    name: "FNV-1a 32",
    ident: "fnv1a_32",
    year: 2003,
    source: "draft-eastlake-fnv; http://www.isthe.com/chongo/tech/comp/fnv/; hash_32a.c of \
             https://github.com/lcn2/fnv (2003)",
    weaknesses: &[POOR_LOW_BITS, EASY_COLLISIONS],
    aliases: &["FNV-1a-32"],
    answers: &[
        (b"", 0x811c_9dc5),
        (b"a", 0xe40c_292c),
        (b"foobar", 0xbf9c_f968),
        (b"The quick brown fox jumps over the lazy dog", 0x048f_ff90),
        (b"\x00\xff\x80", 0x728e_7760),
    ],
    verification: 0x2b37_7407,
    hash: |key| fnv1a_32(key) as u64,
    ..INFO
};

pub(super) static FNV0: HashInfo = HashInfo {
    name: "FNV-0-32",
    ident: "fnv0_32",
    weaknesses: &[
        LEADING_ZEROS,
        "The last byte is only xored in: it changes no more than the low eight bits.",
        POOR_LOW_BITS,
        POOR_HIGH_BITS,
        EASY_COLLISIONS,
    ],
    aliases: &[],
    answers: &[
        (b"", 0),
        (b"a", 0x61),
        (b"foobar", 0xb74b_b5ef),
        (b"The quick brown fox jumps over the lazy dog", 0x8907_4759),
        (b"\x00\xff\x80", 0xff01_91ed),
    ],
    verification: 0x2867_6b00,
    hash: |key| fnv0_32(key) as u64,
    ..INFO
};
