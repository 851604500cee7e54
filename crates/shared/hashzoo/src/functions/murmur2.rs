//! MurMurHash2: Austin Appleby's MurmurHash2, 32 bits.
//!
//! Origin: Austin Appleby, 2008, public domain: `MurmurHash2` in `MurmurHash2.cpp` of SMHasher,
//! <https://github.com/aappleby/smhasher/blob/master/src/MurmurHash2.cpp>. Words are read little-endian here on every
//! platform (his `MurmurHashNeutral2`). `MurmurHash2A` and `MurmurHashAligned2` are other functions.
//! The seed 5381 comes from Redis (`src/dict.c`, commit da920e75 of 2012, until 4.0); nginx uses 0, Kafka 0x9747b28c.

use crate::HashInfo;
use crate::weakness::COLLISIONS_UNDER_EVERY_SEED;
use crate::words::after_words_of_4;

const M: u32 = 0x5bd1_e995;

/// The seed of the published comparison and of the `BloomFilter2` policy; Redis used it for its dictionaries before
/// 4.0.
pub const MURMUR2_SEED: u32 = 5381;

/// Returns MurmurHash2 of `key` under `seed`; the published comparison uses [`MURMUR2_SEED`].
///
/// Output: 32 bits. Seed: any; 0 leaves the empty key at 0. Empty key: 0x0342ce6c under the published seed. Never
/// panics; the length enters modulo 2^32.
///
/// ```
/// use hashzoo::{MURMUR2_SEED, murmur2};
///
/// const BLOOM: u32 = murmur2(b"bloom", MURMUR2_SEED);
/// assert_eq!(BLOOM, 0xd07b4aea);
/// ```
#[inline]
pub const fn murmur2(key: &[u8], seed: u32) -> u32 {
    murmur2_with_tail::<false>(key, seed)
}

/// Returns MurmurHash2 as a C program with signed `char` computes it: the one to three tail bytes are sign-extended.
///
/// The result equals [`murmur2`] unless one of the last `key.len() % 4` bytes is above 0x7f. Programs that read the key
/// through `const char *` compute this on x86, for example github.com/hardcore-os/HashLib. Use it to read their data.
///
/// Output: 32 bits. Seed: any. Empty key: 0x0342ce6c under the published seed. Never panics.
///
/// ```
/// use hashzoo::{MURMUR2_SEED, murmur2, murmur2_signed_tail};
///
/// assert_eq!(murmur2_signed_tail(b"abc", MURMUR2_SEED), murmur2(b"abc", MURMUR2_SEED));
/// assert_ne!(murmur2_signed_tail(b"\xff", MURMUR2_SEED), murmur2(b"\xff", MURMUR2_SEED));
/// ```
#[inline]
pub const fn murmur2_signed_tail(key: &[u8], seed: u32) -> u32 {
    murmur2_with_tail::<true>(key, seed)
}

const fn murmur2_with_tail<const SIGNED: bool>(key: &[u8], seed: u32) -> u32 {
    let mut h = seed ^ key.len() as u32;
    let mut rest = key;
    while let Some((word, tail)) = rest.split_first_chunk::<4>() {
        let mut k = u32::from_le_bytes(*word).wrapping_mul(M);
        k ^= k >> 24;
        h = h.wrapping_mul(M) ^ k.wrapping_mul(M);
        rest = tail;
    }
    if !rest.is_empty() {
        let tail = after_words_of_4(key);
        h = (h ^ if SIGNED { sign_extended(tail) } else { tail }).wrapping_mul(M);
    }
    h ^= h >> 13;
    h = h.wrapping_mul(M);
    h ^ (h >> 15)
}

/// Combines the one to three bytes of a tail, each sign-extended.
#[inline]
const fn sign_extended(tail: u32) -> u32 {
    let [a, b, c, _] = tail.to_le_bytes();
    a as i8 as u32 ^ (b as i8 as u32) << 8 ^ (c as i8 as u32) << 16
}

pub(super) static INFO: HashInfo = HashInfo {
    name: "MurMurHash2",
    ident: "murmur2",
    year: 2008,
    author: "Austin Appleby",
    source: "MurmurHash2.cpp, https://github.com/aappleby/smhasher/blob/master/src/MurmurHash2.cpp; the seed: \
             Redis, src/dict.c (2012)",
    output_bits: 32,
    seed: Some("seed 5381"),
    weaknesses: &[COLLISIONS_UNDER_EVERY_SEED],
    aliases: &["MurmurHash2_x86_32", "MurmurHashNeutral2"],
    answers: &[
        (b"", 0x0342_ce6c),
        (b"abc", 0xb337_7ff6),
        (b"The quick brown fox jumps over the lazy dog", 0x45ca_1618),
        (b"\x00\xff\x80", 0x6080_330e),
    ],
    answers_source: "MurmurHash2.cpp of SMHasher",
    // SMHasher prints the same code.
    verification: 0x2786_4c1e,
    hash: |key| murmur2(key, MURMUR2_SEED) as u64,
    seeded: Some(|key, seed| murmur2(key, seed) as u64),
};

pub(super) static SIGNED_TAIL: HashInfo = HashInfo {
    name: "MurmurHash2-signed-tail",
    ident: "murmur2_signed_tail",
    source: "hash.cpp of github.com/hardcore-os/HashLib (2021), built where char is signed",
    weaknesses: &[
        "Another function than MurmurHash2 wherever a tail byte is above 0x7f: only for reading what such a program \
         stored.",
        COLLISIONS_UNDER_EVERY_SEED,
    ],
    aliases: &[],
    answers: &[
        (b"", 0x0342_ce6c),
        (b"abc", 0xb337_7ff6),
        (b"hello world", 0x0dd8_a7f9),
        (b"\xff", 0xae22_a791),
        (b"\x00\xff\x80", 0x18ee_350b),
    ],
    answers_source: "hash.cpp of github.com/hardcore-os/HashLib, built by gcc on x86-64",
    verification: 0x4cc7_1b1b,
    hash: |key| murmur2_signed_tail(key, MURMUR2_SEED) as u64,
    seeded: Some(|key, seed| murmur2_signed_tail(key, seed) as u64),
    ..INFO
};
