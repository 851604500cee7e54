//! SimMurMurHash: LevelDB's own hash, in the shape of the first MurmurHash.
//!
//! Origin: `util/hash.cc` of LevelDB (Google, 2011), "similar to murmur hash"; the seed is that of its built-in Bloom
//! filter, `util/bloom.cc`. LevelDB's stored filters depend on it.
//! <https://github.com/google/leveldb/blob/main/util/hash.cc>

use crate::HashInfo;
use crate::tail::after_words_of_4;

const M: u32 = 0xc6a4_a793;

/// Seed of LevelDB's built-in Bloom filter (`BloomHash` in `util/bloom.cc`) and of the published comparison.
pub const LEVELDB_BLOOM_SEED: u32 = 0xbc9f_1d34;

/// LevelDB's `Hash` of `key` under `seed`; the published one is [`LEVELDB_BLOOM_SEED`].
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
    h = h.wrapping_add(after_words_of_4(key)).wrapping_mul(M);
    h ^ (h >> 24)
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
    weaknesses: &[
        "The empty key gives the seed itself.",
        "Colliding keys are easy to construct for a known seed: not for keys that an attacker chooses.",
    ],
    aliases: &["LevelDB Hash", "BloomHash"],
    verification: 0x65c2_68b7,
    hash: |key| leveldb_hash(key, LEVELDB_BLOOM_SEED) as u64,
    seeded: Some(|key, seed| leveldb_hash(key, seed) as u64),
};

#[cfg(test)]
mod tests {
    use super::{LEVELDB_BLOOM_SEED, leveldb_hash};

    #[test]
    fn known_answers() {
        // LevelDB's own `util/hash_test.cc`, the test named SignedUnsignedIssue: a tail that is read as signed char
        // fails it.
        const KNOWN: [(&[u8], u32); 5] = [
            (b"", 0xbc9f_1d34),
            (b"\x62", 0xef13_45c4),
            (b"\xc3\x97", 0x5b66_3814),
            (b"\xe2\x99\xa5", 0x323c_078f),
            (b"\xe1\x80\xb9\x32", 0xed21_633a),
        ];
        for (key, value) in KNOWN {
            assert_eq!(leveldb_hash(key, LEVELDB_BLOOM_SEED), value, "{key:?}");
        }
    }

    #[test]
    fn known_answer_of_twelve_words() {
        // Also `util/hash_test.cc`, with its other seed: an iSCSI read command.
        const COMMAND: [u8; 48] = [
            0x01, 0xc0, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00, //
            0x14, 0x00, 0x00, 0x00, 0x00, 0x00, 0x04, 0x00, 0x00, 0x00, 0x00, 0x14, 0x00, 0x00, 0x00,
            0x18, //
            0x28, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        ];
        assert_eq!(leveldb_hash(&COMMAND, 0x1234_5678), 0xf333_dabb);
    }
}
