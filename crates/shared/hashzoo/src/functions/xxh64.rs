//! XXH64, the 64-bit form of xxHash.
//!
//! Origin: Yann Collet, 2014, BSD: `XXH64` in `xxhash.h`, frozen since release 0.3.5 and described in
//! <https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md>. Parquet uses it with seed 0 for the values of its
//! split-block Bloom filters.

use crate::HashInfo;
use crate::weakness::COLLISIONS_UNDER_EVERY_SEED;
use crate::words::{after_words_of_8, word};

pub(super) const PRIME64_1: u64 = 0x9e37_79b1_85eb_ca87;
pub(super) const PRIME64_2: u64 = 0xc2b2_ae3d_27d4_eb4f;
pub(super) const PRIME64_3: u64 = 0x1656_67b1_9e37_79f9;
pub(super) const PRIME64_4: u64 = 0x85eb_ca77_c2b2_ae63;
pub(super) const PRIME64_5: u64 = 0x27d4_eb2f_1656_67c5;

/// The bytes that the four accumulators take together.
const STRIPE: usize = 32;

/// Returns XXH64 of `key` under `seed`; Parquet's filters use the seed 0.
///
/// Output: 64 bits. Seed: any. Empty key: 0xef46_db37_51d8_e999 under seed 0. Never panics.
///
/// ```
/// use hashzoo::xxh64;
///
/// const ABC: u64 = xxh64(b"abc", 0);
/// assert_eq!(ABC, 0x44bc2cf5ad770999);
/// ```
#[inline]
pub const fn xxh64(key: &[u8], seed: u64) -> u64 {
    let start = if key.len() < STRIPE {
        seed.wrapping_add(PRIME64_5)
    } else {
        stripes(key, seed)
    };
    let mut hash = start.wrapping_add(key.len() as u64);
    let (_, mut rest) = key.split_at(key.len() / STRIPE * STRIPE);
    while let Some((word, after)) = rest.split_first_chunk::<8>() {
        hash ^= round(0, u64::from_le_bytes(*word));
        hash = hash
            .rotate_left(27)
            .wrapping_mul(PRIME64_1)
            .wrapping_add(PRIME64_4);
        rest = after;
    }
    if !rest.is_empty() {
        hash = with_tail(hash, after_words_of_8(key), rest.len());
    }
    avalanche(hash)
}

/// Mixes in the one to seven bytes after the last word. Computes every possible step and selects the results, because
/// branches would be mispredicted once or twice per key if lengths are mixed.
#[inline]
const fn with_tail(mut hash: u64, tail: u64, len: usize) -> u64 {
    let word = (hash ^ (tail & 0xffff_ffff).wrapping_mul(PRIME64_1))
        .rotate_left(23)
        .wrapping_mul(PRIME64_2)
        .wrapping_add(PRIME64_3);
    hash = choose(len >= 4, word, hash);
    let mut bytes = tail >> (8 * (len & 4));
    let mut count = 0;
    while count < 3 {
        let byte = (hash ^ (bytes & 0xff).wrapping_mul(PRIME64_5))
            .rotate_left(11)
            .wrapping_mul(PRIME64_1);
        hash = choose(count < len % 4, byte, hash);
        bytes >>= 8;
        count += 1;
    }
    hash
}

/// Selects by a mask, which the compiler does not turn into a branch.
#[inline]
const fn choose(condition: bool, yes: u64, no: u64) -> u64 {
    no ^ ((yes ^ no) & (condition as u64).wrapping_neg())
}

/// Mixes in all whole stripes. Separate, so that the rest of the function is small enough to be inlined.
const fn stripes(key: &[u8], seed: u64) -> u64 {
    let mut sums = [
        seed.wrapping_add(PRIME64_1).wrapping_add(PRIME64_2),
        seed.wrapping_add(PRIME64_2),
        seed,
        seed.wrapping_sub(PRIME64_1),
    ];
    let mut rest = key;
    while let Some((stripe, after)) = rest.split_first_chunk::<STRIPE>() {
        let mut lane = 0;
        while lane < sums.len() {
            sums[lane] = round(sums[lane], word(stripe, 8 * lane));
            lane += 1;
        }
        rest = after;
    }
    let mut hash = sums[0]
        .rotate_left(1)
        .wrapping_add(sums[1].rotate_left(7))
        .wrapping_add(sums[2].rotate_left(12))
        .wrapping_add(sums[3].rotate_left(18));
    let mut lane = 0;
    while lane < sums.len() {
        hash = (hash ^ round(0, sums[lane]))
            .wrapping_mul(PRIME64_1)
            .wrapping_add(PRIME64_4);
        lane += 1;
    }
    hash
}

#[inline]
const fn round(sum: u64, word: u64) -> u64 {
    sum.wrapping_add(word.wrapping_mul(PRIME64_2))
        .rotate_left(31)
        .wrapping_mul(PRIME64_1)
}

#[inline]
pub(super) const fn avalanche(mut hash: u64) -> u64 {
    hash = (hash ^ (hash >> 33)).wrapping_mul(PRIME64_2);
    hash = (hash ^ (hash >> 29)).wrapping_mul(PRIME64_3);
    hash ^ (hash >> 32)
}

pub(super) static INFO: HashInfo = HashInfo {
    name: "xxHash64",
    ident: "xxh64",
    year: 2014,
    author: "Yann Collet",
    source: "https://github.com/Cyan4973/xxHash, doc/xxhash_spec.md",
    output_bits: 64,
    seed: Some("seed 0 (Parquet's)"),
    weaknesses: &[COLLISIONS_UNDER_EVERY_SEED],
    aliases: &["XXH64"],
    answers: &[
        (b"", 0xef46_db37_51d8_e999),
        (b"\x0b", 0xf592_c0c7_639c_4cb6),
        (b"\x0b0Uz\x9f\xc4\xe9\x0e3X}\xa2", 0x2f53_b002_6603_9e64),
        (
            b"\x0b0Uz\x9f\xc4\xe9\x0e3X}\xa2\xc7\xec\x116[\x80\xa5\xca\xef\x149^\x83\xa8\xcd\xf2\x17<a\x86\xab\xd0\xf5",
            0x59de_01e6_5b64_555b,
        ),
    ],
    answers_source: "the Python package xxhash, which is xxHash's C code",
    verification: 0x024b_7cf4,
    hash: |key| xxh64(key, 0),
    seeded: Some(|key, seed| xxh64(key, seed as u64)),
};
