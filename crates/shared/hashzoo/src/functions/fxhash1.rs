//! The first FxHash of Rust programs: version 1 of the crate `rustc-hash`, on 64-bit little-endian machines.
//!
//! Origin: Nicholas Nethercote, after a function of Firefox, rust-lang/rust pull request 37229 (2016);
//! `FxHasher::write` of <https://docs.rs/rustc-hash/1.1.0>. Words are little-endian here on every platform. Version 2 and the
//! crate `fxhash`, which takes the last bytes one at a time, are other functions.

use crate::HashInfo;
use crate::weakness::EASY_COLLISIONS_FOR_A_SEED;

/// Returns FxHash of `key` from the state `start`: 8 bytes per step, then the last 4, 2 and 1.
///
/// Output: 64 bits. Start: any, 0 in `rustc-hash`. Empty key: `start`. Never panics.
///
/// ```
/// use std::collections::HashSet;
///
/// // Of 100,000 numbers with nine digits, 2,508 share all 64 bits with one before, and nearly all the low 32.
/// let values = (100_000_000..100_100_000).map(|number| hashzoo::fxhash1(number.to_string().as_bytes(), 0));
/// assert_eq!(values.clone().collect::<HashSet<u64>>().len(), 100_000 - 2_508);
/// assert_eq!(values.map(|value| value as u32).collect::<HashSet<u32>>().len(), 32);
/// ```
#[inline]
pub const fn fxhash1(key: &[u8], start: u64) -> u64 {
    let (mut hash, mut rest) = (start, key);
    while let Some((word, after)) = rest.split_first_chunk() {
        (hash, rest) = (step(hash, u64::from_le_bytes(*word)), after);
    }
    if let Some((word, after)) = rest.split_first_chunk() {
        (hash, rest) = (step(hash, u32::from_le_bytes(*word) as u64), after);
    }
    if let Some((word, after)) = rest.split_first_chunk() {
        (hash, rest) = (step(hash, u16::from_le_bytes(*word) as u64), after);
    }
    match *rest {
        [byte] => step(hash, byte as u64),
        _ => hash,
    }
}

#[inline]
const fn step(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95)
}

pub(super) static INFO: HashInfo = HashInfo {
    name: "FxHash-1",
    ident: "fxhash1",
    year: 2016,
    author: "Nicholas Nethercote, after Firefox",
    source: "https://github.com/rust-lang/rustc-hash, version 1.1.0, on 64-bit little-endian machines",
    output_bits: 64,
    seed: Some("0, the state of a new hasher"),
    weaknesses: &[
        "Low bits depend only on the low bits of each word and on five carried bits: numbers written as text share them.",
        "Keys of zero bytes alone have the value 0, whatever their length.",
        "On 32-bit machines the crate computes another function.",
        EASY_COLLISIONS_FOR_A_SEED,
    ],
    aliases: &["FxHash 1", "rustc-hash 1"],
    answers: &[
        (b"", 0),
        (b"a", 0xe045_6665_d3e6_0275),
        (b"ab", 0xa26d_8360_dbf3_0c75),
        (b"abc", 0xc360_d759_17ea_8923),
        (b"abcd", 0x178a_f1ad_2792_0c75),
        (b"abcdefg", 0xfb55_d6a1_677e_bff8),
        (b"hello world", 0x824b_d397_ee33_69c5),
        (b"100000000", 0xa74c_c456_fcc7_630d),
        (b"\x00\xff\x80", 0xbd34_e30b_a1de_7f28),
    ],
    answers_source: "rustc-hash 1.1.0, compiled and run on x86-64",
    // SMHasher3 gave the same code before it took version 2.
    verification: 0x3240_8fe5,
    hash: |key| fxhash1(key, 0),
    seeded: Some(|key, seed| fxhash1(key, seed as u64)),
};
