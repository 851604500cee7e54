//! MurmurHash64A: Austin Appleby's MurmurHash2 with 64 bits, for 64-bit machines.
//!
//! Origin: Austin Appleby, 2008, public domain: `MurmurHash64A` in `MurmurHash2.cpp` of SMHasher,
//! <https://github.com/aappleby/smhasher/blob/master/src/MurmurHash2.cpp>. Words are read little-endian here on every
//! platform. libstdc++'s `std::hash` of strings is this function under the seed 0xc70f6907; `MurmurHash64B` is another
//! function. RedisBloom's Bloom filters hash a key under [`REDISBLOOM_SEED`], and again under the value of that.

use crate::HashInfo;
use crate::weakness::COLLISIONS_UNDER_EVERY_SEED;
use crate::words::after_words_of_8;

const M: u64 = 0xc6a4_a793_5bd1_e995;

/// The seed of the first hash of RedisBloom's filters: the function's own multiplier.
pub const REDISBLOOM_SEED: u64 = M;

/// Returns MurmurHash64A of `key` under `seed`; RedisBloom's filters begin with [`REDISBLOOM_SEED`].
///
/// Output: 64 bits. Seed: any; 0 leaves the empty key at 0. Never panics.
///
/// ```
/// use hashzoo::{REDISBLOOM_SEED, murmur64a};
///
/// const BLOOM: u64 = murmur64a(b"bloom", REDISBLOOM_SEED);
/// assert_eq!(BLOOM, 0x7d231c93283670c0);
/// ```
#[inline]
pub const fn murmur64a(key: &[u8], seed: u64) -> u64 {
    let mut hash = seed ^ (key.len() as u64).wrapping_mul(M);
    let mut rest = key;
    while let Some((word, tail)) = rest.split_first_chunk() {
        let word = folded(u64::from_le_bytes(*word).wrapping_mul(M)).wrapping_mul(M);
        hash = (hash ^ word).wrapping_mul(M);
        rest = tail;
    }
    if !rest.is_empty() {
        hash = (hash ^ after_words_of_8(key)).wrapping_mul(M);
    }
    folded(folded(hash).wrapping_mul(M))
}

#[inline]
const fn folded(value: u64) -> u64 {
    value ^ (value >> 47)
}

pub(super) static INFO: HashInfo = HashInfo {
    name: "MurmurHash64A",
    ident: "murmur64a",
    year: 2008,
    author: "Austin Appleby",
    source: "MurmurHash2.cpp, https://github.com/aappleby/smhasher/blob/master/src/MurmurHash2.cpp; the seed: \
             libstdc++, libsupc++/hash_bytes.cc",
    output_bits: 64,
    seed: Some("seed 0xc70f6907, that of std::hash in libstdc++"),
    weaknesses: &[COLLISIONS_UNDER_EVERY_SEED],
    aliases: &["MurmurHash2_x64_64"],
    answers: &[
        (b"", 0x553e_9390_1e46_2a6e),
        (b"abc", 0x32d8_2bf8_ed3d_ba39),
        (b"hello world", 0x4d66_86d3_6206_7ff9),
        (
            b"The quick brown fox jumps over the lazy dog",
            0xdccb_f254_1704_bc75,
        ),
        (b"\x00\xff\x80", 0x14da_239e_8d07_bd98),
    ],
    answers_source: "std::hash<std::string> of libstdc++ 12",
    // SMHasher prints the same code.
    verification: 0x1f0d_3804,
    hash: |key| murmur64a(key, 0xc70f_6907),
    seeded: Some(|key, seed| murmur64a(key, seed as u64)),
};
