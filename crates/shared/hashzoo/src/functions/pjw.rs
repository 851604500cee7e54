//! PJW: Peter J. Weinberger's hash in the Dragon Book.
//!
//! Origin: Aho, Sethi, Ullman, *Compilers: Principles, Techniques, and Tools* (1986), p. 436, `hashpjw`. The `.hash`
//! section of ELF uses the same function: [`elf`](super::elf()).

use crate::HashInfo;
use crate::weakness::{EASY_COLLISIONS, LEADING_ZEROS};
use crate::words::step_by_byte;

/// The top four bits, which each step folds back in at bits 4 to 7.
const TOP_FOUR_BITS: u32 = 0xf000_0000;

/// Returns the PJW hash of `key`: each step shifts left by four bits, adds the byte, and folds the top four bits back
/// in.
///
/// Output: 28 bits. Seed: none. Empty key: 0. Never panics.
///
/// ```
/// assert_eq!(hashzoo::pjw(b"abc"), 0x6783);
/// ```
#[inline]
pub const fn pjw(key: &[u8]) -> u32 {
    step_by_byte!(key, 0, |h, byte| {
        let sum = (h << 4).wrapping_add(byte);
        let top = sum & TOP_FOUR_BITS;
        sum ^ top ^ (top >> 24)
    })
}

pub(super) static INFO: HashInfo = HashInfo {
    name: "PJW",
    ident: "pjw",
    year: 1986,
    author: "Peter J. Weinberger",
    source: "Aho, Sethi, Ullman, Compilers: Principles, Techniques, and Tools (1986), p. 436, hashpjw",
    output_bits: 28,
    seed: None,
    weaknesses: &[
        "Only 28 bits.",
        LEADING_ZEROS,
        "The step is no bijection, and bytes overlap in four bits: decimal numbers of 19 digits collide twice as often \
         as in 28 random bits, those of nine digits ten times.",
        EASY_COLLISIONS,
    ],
    aliases: &["hashpjw", "PJWHash"],
    answers: &[
        (b"", 0),
        (b"abc", 0x6783),
        (b"The quick brown fox jumps over the lazy dog", 0x0428_0c57),
        (b"\x00\xff\x80", 0x1070),
    ],
    answers_source: "PJWHash of Partow's C library; of keys without NUL also elf_hash of libelf 0.188",
    verification: 0x09c9_6b6c,
    hash: |key| pjw(key) as u64,
    seeded: None,
};
