//! XXH3 with 64 bits, the final function of xxHash 0.8.
//!
//! Origin: Yann Collet, xxHash 0.8.0 (2020, BSD): `XXH3_64bits`, described in
//! <https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md>. Pebble's binary fuse filters use it without a
//! seed. Keys of 17 bytes and more share their steps with [`xxph3_64`](super::xxph3_64).

use super::xxh64;
use super::xxph3_64::{SECRET, avalanche, fold, of_17_to_64, of_more_than_64};
use crate::HashInfo;
use crate::words::{half_word, word};

/// Multiplier of keys of 4 to 8 bytes: `PRIME_MX2`.
const SHORT: u64 = 0x9fb2_1c65_1e98_df25;

/// Returns XXH3 of `key` under `seed` with the default secret; `XXH3_64bits` is the seed 0.
///
/// Output: 64 bits. Seed: any. Empty key: 0x2d06_8005_38d3_94c2 under seed 0. Never panics.
///
/// ```
/// use hashzoo::xxh3_64;
///
/// assert_eq!(xxh3_64(b"abc", 0), 0x78af_5f94_892f_3950);
/// ```
#[inline(always)]
pub const fn xxh3_64(key: &[u8], seed: u64) -> u64 {
    match key.len() {
        // First, so that keys of 17 bytes and more skip the comparisons for shorter ones.
        17.. if key.len() <= 64 => of_17_to_64::<true>(key, seed),
        9..=16 => of_9_to_16(key, seed),
        4..=8 => of_4_to_8(key, seed),
        _ => of_few_or_many(key, seed),
    }
}

/// Hashes keys of unusual length. Separate, so that the usual cases are small enough to be inlined.
const fn of_few_or_many(key: &[u8], seed: u64) -> u64 {
    match key.len() {
        0 => xxh64::avalanche(seed ^ word(&SECRET, 56) ^ word(&SECRET, 64)),
        1..=3 => of_1_to_3(key, seed),
        _ => of_more_than_64::<true>(key, seed),
    }
}

const fn of_1_to_3(key: &[u8], seed: u64) -> u64 {
    let [first, middle, last] = [key[0], key[key.len() / 2], key[key.len() - 1]];
    let combined = u32::from_le_bytes([last, key.len() as u8, first, middle]);
    let flip = (half_word(&SECRET, 0) ^ half_word(&SECRET, 4)) as u64;
    xxh64::avalanche(combined as u64 ^ flip.wrapping_add(seed))
}

#[inline]
const fn of_4_to_8(key: &[u8], seed: u64) -> u64 {
    let seed = seed ^ ((seed as u32).swap_bytes() as u64) << 32;
    let both = half_word(key, key.len() - 4) as u64 | (half_word(key, 0) as u64) << 32;
    let keyed = both ^ (word(&SECRET, 8) ^ word(&SECRET, 16)).wrapping_sub(seed);
    let mixed = (keyed ^ keyed.rotate_left(49) ^ keyed.rotate_left(24)).wrapping_mul(SHORT);
    let mixed = (mixed ^ (mixed >> 35).wrapping_add(key.len() as u64)).wrapping_mul(SHORT);
    mixed ^ (mixed >> 28)
}

#[inline(always)]
const fn of_9_to_16(key: &[u8], seed: u64) -> u64 {
    let low = word(key, 0) ^ (word(&SECRET, 24) ^ word(&SECRET, 32)).wrapping_add(seed);
    let high = word(key, key.len() - 8) ^ (word(&SECRET, 40) ^ word(&SECRET, 48)).wrapping_sub(seed);
    avalanche::<true>(
        (key.len() as u64)
            .wrapping_add(low.swap_bytes())
            .wrapping_add(high)
            .wrapping_add(fold(low, high)),
    )
}

pub(super) static INFO: HashInfo = HashInfo {
    name: "XXH3",
    ident: "xxh3_64",
    year: 2019,
    author: "Yann Collet",
    source: "https://github.com/Cyan4973/xxHash, doc/xxhash_spec.md",
    output_bits: 64,
    seed: Some("seed 0, with the default secret"),
    weaknesses: &[
        "Keys whose halves meet a zero in a product are easy to construct for a known seed: not for keys that an \
         attacker chooses.",
    ],
    aliases: &["XXH3_64bits", "xxh3-64"],
    answers: &[
        (b"", 0x2d06_8005_38d3_94c2),
        (b"a", 0xe6c6_32b6_1e96_4e1f),
        (b"abc", 0x78af_5f94_892f_3950),
        (b"\x0b0Uz\x9f", 0x8b9a_336a_5cca_24f5),
        (b"\x0b0Uz\x9f\xc4\xe9\x0e3X}\xa2", 0x7d46_569e_2ff6_f29f),
        (
            b"\x0b0Uz\x9f\xc4\xe9\x0e3X}\xa2\xc7\xec\x116[\x80\xa5\xca",
            0xbb25_896e_ff3c_d0d0,
        ),
    ],
    answers_source: "xxHash's test vectors, and the crate xxhash-rust 0.8.19",
    verification: 0x9a63_6405,
    hash: |key| xxh3_64(key, 0),
    seeded: Some(|key, seed| xxh3_64(key, seed as u64)),
};
