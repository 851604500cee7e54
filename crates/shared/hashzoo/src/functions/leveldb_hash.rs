//! SimMurMurHash: LevelDB's own hash, in the shape of the first MurmurHash.
//!
//! Origin: `util/hash.cc` of LevelDB (Google, 2011), "similar to murmur hash". The seed comes from LevelDB's built-in
//! Bloom filter, `util/bloom.cc`. Stored filters depend on both.
//! <https://github.com/google/leveldb/blob/main/util/hash.cc>

use crate::HashInfo;
use crate::weakness::EASY_COLLISIONS_FOR_A_SEED;
use crate::words::after_words_of_4;

const M: u32 = 0xc6a4_a793;

/// The seed of LevelDB's built-in Bloom filter (`BloomHash` in `util/bloom.cc`) and of the published comparison.
pub const LEVELDB_BLOOM_SEED: u32 = 0xbc9f_1d34;

/// Returns LevelDB's `Hash` of `key` under `seed`; the published comparison uses [`LEVELDB_BLOOM_SEED`].
///
/// Output: 32 bits. Seed: any; 0 leaves the empty key at 0. Empty key: `seed`. Never panics; the length enters
/// modulo 2^32.
///
/// ```
/// use hashzoo::{LEVELDB_BLOOM_SEED, leveldb_hash};
///
/// assert_eq!(leveldb_hash(b"abc", LEVELDB_BLOOM_SEED), 0x855d012f);
/// ```
#[inline]
pub const fn leveldb_hash(key: &[u8], seed: u32) -> u32 {
    with_tail::<false>(key, seed)
}

/// Returns LevelDB's hash, or RocksDB's, which reads the tail as signed `char`.
#[inline]
pub(super) const fn with_tail<const SIGNED: bool>(key: &[u8], seed: u32) -> u32 {
    let mut h = seed ^ (key.len() as u32).wrapping_mul(M);
    let mut rest = key;
    while let Some((word, tail)) = rest.split_first_chunk::<4>() {
        h = h.wrapping_add(u32::from_le_bytes(*word)).wrapping_mul(M);
        h ^= h >> 16;
        rest = tail;
    }
    if rest.is_empty() {
        return h;
    }
    let tail = after_words_of_4(key);
    let tail = if SIGNED { sum_of_signed(tail) } else { tail };
    h = h.wrapping_add(tail).wrapping_mul(M);
    h ^ (h >> 24)
}

/// Sums the one to three bytes of a tail as signed `char`. A negative byte borrows from the byte above.
#[inline]
const fn sum_of_signed(tail: u32) -> u32 {
    let [a, b, c, _] = tail.to_le_bytes();
    (a as i8 as u32)
        .wrapping_add((b as i8 as u32) << 8)
        .wrapping_add((c as i8 as u32) << 16)
}

pub(super) static INFO: HashInfo = HashInfo {
    name: "SimMurMurHash",
    ident: "leveldb_hash",
    year: 2011,
    author: "Jeff Dean and Sanjay Ghemawat (LevelDB)",
    source: "LevelDB, util/hash.cc, with the seed of util/bloom.cc; \
             https://github.com/google/leveldb/blob/main/util/hash.cc",
    output_bits: 32,
    seed: Some("seed 0xbc9f1d34"),
    weaknesses: &["The empty key gives the seed itself.", EASY_COLLISIONS_FOR_A_SEED],
    aliases: &["LevelDB Hash", "BloomHash"],
    answers: &[
        (b"", 0xbc9f_1d34),
        (b"b", 0xef13_45c4),
        (b"\xc3\x97", 0x5b66_3814),
        (b"\xe2\x99\xa5", 0x323c_078f),
        (b"\xe1\x80\xb92", 0xed21_633a),
        (b"hello world", 0x008d_fddb),
        (b"The quick brown fox jumps over the lazy dog", 0x7e36_fe57),
    ],
    answers_source: "LevelDB, util/hash_test.cc; the last two: leveldb::Hash of libleveldb 1.23",
    verification: 0x65c2_68b7,
    hash: |key| leveldb_hash(key, LEVELDB_BLOOM_SEED) as u64,
    seeded: Some(|key, seed| leveldb_hash(key, seed) as u64),
};
