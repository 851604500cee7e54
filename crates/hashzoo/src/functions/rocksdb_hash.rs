//! RocksDB's 32-bit hash: LevelDB's, with the tail read as a signed `char`.
//!
//! Origin: `util/hash.cc` of RocksDB (Facebook, 2012, from LevelDB): "to avoid data format incompatibilities" it keeps
//! the sign that its first compiler gave `char`, on every platform. Its Bloom filters of format version 4 and before
//! depend on it, with the seed of LevelDB's.
//! <https://github.com/facebook/rocksdb/blob/main/util/hash.cc>

use crate::HashInfo;
use crate::tail::after_words_of_4;

use super::leveldb_hash::{self, LEVELDB_BLOOM_SEED};

const M: u32 = 0xc6a4_a793;

/// RocksDB's `Hash` of `key` under `seed`; its Bloom filters take [`LEVELDB_BLOOM_SEED`].
///
/// The same as [`leveldb_hash`](crate::leveldb_hash) unless one of the last `key.len() % 4` bytes is above 0x7f.
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
    h = h
        .wrapping_add(sum_of_signed(after_words_of_4(key)))
        .wrapping_mul(M);
    h ^ (h >> 24)
}

/// The one to three bytes of a tail, each as a signed `char` enters: they are added, so a sign borrows from the byte
/// above.
#[inline]
const fn sum_of_signed(tail: u32) -> u32 {
    let [a, b, c, _] = tail.to_le_bytes();
    (a as i8 as u32)
        .wrapping_add((b as i8 as u32) << 8)
        .wrapping_add((c as i8 as u32) << 16)
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
        "Colliding keys are easy to construct for a known seed: not for keys that an attacker chooses.",
    ],
    aliases: &[],
    verification: 0x8bbe_db54,
    hash: |key| rocksdb_hash(key, LEVELDB_BLOOM_SEED) as u64,
    seeded: Some(|key, seed| rocksdb_hash(key, seed) as u64),
    ..leveldb_hash::INFO
};

#[cfg(test)]
mod tests {
    use super::super::leveldb_hash::{LEVELDB_BLOOM_SEED, leveldb_hash};
    use super::rocksdb_hash;

    #[test]
    fn known_answers() {
        // `Hash` of librocksdb 7.8.3.
        const KNOWN: [(&[u8], u32); 6] = [
            (b"", 0xbc9f_1d34),
            (b"\xff", 493_254_479),
            (b"\x80\xff", 4_129_784_096),
            (b"\xff\x80\x81", 782_177_610),
            (b"\xff\xff\xff\xff\xe9", 3_367_325_514),
            (b"hello", 4_153_775_694),
        ];
        for (key, value) in KNOWN {
            assert_eq!(rocksdb_hash(key, LEVELDB_BLOOM_SEED), value, "{key:x?}");
        }
    }

    #[test]
    fn only_tail_bytes_above_0x7f_differ_from_leveldb() {
        for same in [&b""[..], b"abc", b"\xff\xfe\xfd\xfc", b"\xff\xfe\xfd\xfcabc"] {
            assert_eq!(rocksdb_hash(same, 0), leveldb_hash(same, 0), "{same:x?}");
        }
        for different in [&b"\x80"[..], b"a\x80", b"\x80a", b"abcd\xffbc"] {
            assert_ne!(
                rocksdb_hash(different, 0),
                leveldb_hash(different, 0),
                "{different:x?}"
            );
        }
    }
}
