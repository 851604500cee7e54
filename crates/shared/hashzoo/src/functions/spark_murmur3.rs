//! Spark's MurmurHash3 with 32 bits: each byte after the last whole word takes a full round, with its sign extended.
//!
//! Origin: `Murmur3_x86_32.hashUnsafeBytes` in Apache Spark's `common/sketch` and `common/unsafe` (2015). Spark keeps it
//! for stored data such as its Bloom filters; `hashUnsafeBytes2` has the usual tail.
//! <https://github.com/apache/spark/blob/master/common/sketch/src/main/java/org/apache/spark/util/sketch/Murmur3_x86_32.java>

use crate::HashInfo;
use crate::weakness::COLLISIONS_UNDER_EVERY_SEED;
use crate::words::half_word;

/// Returns Spark's `Murmur3_x86_32.hashUnsafeBytes` of `key` under `seed`. Its `hashLong` is the hash of the eight bytes
/// of a number, little-endian, and its `hashInt` of four.
///
/// The result equals MurmurHash3_x86_32 if the length is a multiple of 4.
///
/// Output: 32 bits. Seed: any. Empty key: the seed after the final mix, so 0 for 0. Never panics; the length enters
/// modulo 2^32.
///
/// ```
/// assert_eq!(hashzoo::spark_murmur3(b"hello", 0), 0xb21f6e00);
/// assert_eq!(hashzoo::spark_murmur3(&(-2_i64).to_le_bytes(), 0), 0xaa48b385);
/// ```
#[inline]
pub const fn spark_murmur3(key: &[u8], seed: u32) -> u32 {
    let mut h = seed;
    let mut rest = key;
    while rest.len() >= 4 {
        h = round(h, half_word(rest, 0));
        rest = rest.split_at(4).1;
    }
    while let [byte, tail @ ..] = rest {
        h = round(h, byte.cast_signed() as u32);
        rest = tail;
    }
    h ^= key.len() as u32;
    h = (h ^ h >> 16).wrapping_mul(0x85eb_ca6b);
    h = (h ^ h >> 13).wrapping_mul(0xc2b2_ae35);
    h ^ h >> 16
}

/// Mixes a word into the state: `mixK1`, then `mixH1`.
#[inline]
const fn round(h: u32, word: u32) -> u32 {
    let word = word
        .wrapping_mul(0xcc9e_2d51)
        .rotate_left(15)
        .wrapping_mul(0x1b87_3593);
    (h ^ word)
        .rotate_left(13)
        .wrapping_mul(5)
        .wrapping_add(0xe654_6b64)
}

pub(super) static INFO: HashInfo = HashInfo {
    name: "Spark-Murmur3",
    ident: "spark_murmur3",
    year: 2015,
    author: "Austin Appleby (MurmurHash3); the tail: Apache Spark",
    source: "Apache Spark, common/sketch, Murmur3_x86_32.java, hashUnsafeBytes; https://github.com/apache/spark",
    output_bits: 32,
    seed: Some("0, that of Spark's Bloom filters"),
    weaknesses: &[
        "Another function than MurmurHash3_x86_32 wherever the length is no multiple of 4.",
        "The empty key gives 0 under the seed 0.",
        COLLISIONS_UNDER_EVERY_SEED,
    ],
    aliases: &["Murmur3_x86_32.hashUnsafeBytes"],
    answers: &[
        (b"", 0),
        (b"a", 0x2b03_8801),
        (b"\xff", 0x6210_6c3e),
        (b"\x80\xff", 0x0316_ee6c),
        (b"\xff\x80\x81", 0x3604_5a0c),
        (b"\x01\x02\x03\x04\xe9", 0x25ed_14c2),
        (b"hello", 0xb21f_6e00),
        (b"\xfe\xff\xff\xff\xff\xff\xff\xff", 0xaa48_b385),
        (b"The quick brown fox jumps over the lazy dog", 0x5fd2_0a20),
    ],
    answers_source: "spark-sketch of Spark 4.3.0",
    // Computed by SMHasher's procedure over Spark's own function.
    verification: 0x4df4_af9e,
    hash: |key| spark_murmur3(key, 0) as u64,
    seeded: Some(|key, seed| spark_murmur3(key, seed) as u64),
};
