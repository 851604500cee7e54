//! Jenkins's one-at-a-time.
//!
//! Origin: Bob Jenkins, *Hash functions*, Dr. Dobb's Journal, September 1997, public domain;
//! <https://burtleburtle.net/bob/hash/doobs.html>. Perl used it until 5.18, and SMHasher calls this form
//! `JenkinsOOAT_perl`; SMHasher's `JenkinsOOAT` is another function, the form that Perl hardened afterwards.

use crate::HashInfo;
use crate::weakness::{EASY_COLLISIONS_FOR_A_SEED, LEADING_ZEROS};
use crate::words::step_by_byte;

/// Returns one-at-a-time of `key`: each byte is added and mixed in by two shifts; three more shifts finish the value.
///
/// Output: 32 bits. Seed: the start value; the article has 0. Under seed 0, the empty key and keys of only zero bytes
/// give 0. Never panics.
///
/// ```
/// assert_eq!(hashzoo::one_at_a_time(b"a", 0), 0xca2e9442);
/// ```
#[inline]
pub const fn one_at_a_time(key: &[u8], seed: u32) -> u32 {
    let mut h = step_by_byte!(key, seed, |h, byte| {
        let sum = h.wrapping_add(byte);
        let mixed = sum.wrapping_add(sum << 10);
        mixed ^ (mixed >> 6)
    });
    h = h.wrapping_add(h << 3);
    h ^= h >> 11;
    h.wrapping_add(h << 15)
}

pub(super) static INFO: HashInfo = HashInfo {
    name: "OneAtATime",
    ident: "one_at_a_time",
    year: 1997,
    author: "Bob Jenkins",
    source: "Dr. Dobb's Journal, September 1997; https://burtleburtle.net/bob/hash/doobs.html",
    output_bits: 32,
    seed: Some("0, the start value"),
    weaknesses: &[
        LEADING_ZEROS,
        "A byte at a time, each step waiting for the one before.",
        EASY_COLLISIONS_FOR_A_SEED,
    ],
    aliases: &["Jenkins one-at-a-time", "OOAT", "joaat"],
    answers: &[
        (b"", 0),
        (b"a", 0xca2e_9442),
        (b"abc", 0xed13_1f5b),
        (b"The quick brown fox jumps over the lazy dog", 0x519e_91f5),
        (b"\x00\xff\x80", 0x234e_280a),
    ],
    answers_source: "JenkinsOOAT_perl of SMHasher; \"a\" and the fox are in Wikipedia's article too",
    // SMHasher prints the same code, for "JenkinsOOAT_perl".
    verification: 0xee05_869b,
    hash: |key| one_at_a_time(key, 0) as u64,
    seeded: Some(|key, seed| one_at_a_time(key, seed) as u64),
};
