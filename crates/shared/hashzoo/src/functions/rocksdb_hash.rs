//! RocksDB's 32-bit hash: LevelDB's, with the tail read as a signed `char`.
//!
//! Origin: `util/hash.cc` of RocksDB (Facebook, 2012, from LevelDB): "to avoid data format incompatibilities" it keeps
//! the sign that its first compiler gave `char`, on every platform. RocksDB's Bloom filters up to format version 4
//! depend on it, with LevelDB's seed.
//! <https://github.com/facebook/rocksdb/blob/main/util/hash.cc>

use crate::HashInfo;
use crate::weakness::EASY_COLLISIONS_FOR_A_SEED;

use super::leveldb_hash::{self, LEVELDB_BLOOM_SEED};

/// Returns RocksDB's `Hash` of `key` under `seed`; its Bloom filters use [`LEVELDB_BLOOM_SEED`].
///
/// The result equals [`leveldb_hash`](crate::leveldb_hash) unless one of the last `key.len() % 4` bytes is above 0x7f.
///
/// Output: 32 bits. Seed: any; 0 leaves the empty key at 0. Empty key: `seed`. Never panics; the length enters
/// modulo 2^32.
///
/// ```
/// use hashzoo::{LEVELDB_BLOOM_SEED, leveldb_hash, rocksdb_hash};
///
/// assert_eq!(rocksdb_hash(b"abc", LEVELDB_BLOOM_SEED), leveldb_hash(b"abc", LEVELDB_BLOOM_SEED));
/// assert_ne!(rocksdb_hash(b"\xff", LEVELDB_BLOOM_SEED), leveldb_hash(b"\xff", LEVELDB_BLOOM_SEED));
/// ```
#[inline]
pub const fn rocksdb_hash(key: &[u8], seed: u32) -> u32 {
    leveldb_hash::with_tail::<true>(key, seed)
}

pub(super) static INFO: HashInfo = HashInfo {
    name: "RocksDB-Hash",
    ident: "rocksdb_hash",
    year: 2012,
    author: "Jeff Dean and Sanjay Ghemawat (LevelDB); the signed tail: RocksDB",
    source: "RocksDB, util/hash.cc, with the seed of LevelDB's util/bloom.cc; \
             https://github.com/facebook/rocksdb/blob/main/util/hash.cc",
    weaknesses: &[
        "Another function than LevelDB's wherever a tail byte is above 0x7f.",
        "The empty key gives the seed itself.",
        EASY_COLLISIONS_FOR_A_SEED,
    ],
    aliases: &[],
    answers: &[
        (b"", 0xbc9f_1d34),
        (b"\xff", 0x1d66_774f),
        (b"\x80\xff", 0xf627_8120),
        (b"\xff\x80\x81", 0x2e9f_154a),
        (b"\xff\xff\xff\xff\xe9", 0xc8b5_4f4a),
        (b"\x0b0Uz\x9f\xc4\xe9\x0e3X}\xa2", 0xf19e_3e30),
        (b"hello", 0xf795_964e),
    ],
    answers_source: "Hash of librocksdb 7.8.3",
    verification: 0x8bbe_db54,
    hash: |key| rocksdb_hash(key, LEVELDB_BLOOM_SEED) as u64,
    seeded: Some(|key, seed| rocksdb_hash(key, seed) as u64),
    ..leveldb_hash::INFO
};
