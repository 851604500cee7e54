//! XXPH3: the preview of XXH3 that RocksDB froze.
//!
//! Origin: Yann Collet's XXH3, 64 bits, in xxHash 0.7.2 (2019, BSD), before its values became final. RocksDB keeps it
//! as `util/xxph3.h`, with another value for the empty key, and calls it `Hash64`. RocksDB's Bloom and Ribbon filters
//! of format version 5 and later depend on it. Today's XXH3 is another function, with other values at every length.
//! <https://github.com/facebook/rocksdb/blob/main/util/xxph3.h>
//!
//! Functions with the parameter `FINAL` are also those of [`xxh3_64`](super::xxh3_64), where it is set.

use super::xxh64::{PRIME64_1, PRIME64_2, PRIME64_3, PRIME64_4, PRIME64_5};
use crate::HashInfo;
use crate::words::{half_word, two_words, word};

const PRIME32_1: u64 = 0x9e37_79b1;
const PRIME32_2: u64 = 0x85eb_ca77;
const PRIME32_3: u64 = 0xc2b2_ae3d;

/// The last multiplier of the preview and of the final function.
const AVALANCHE: [u64; 2] = [PRIME64_3, 0x1656_6791_9e37_79f9];

/// xxHash's `kSecret`, the same as in the final XXH3.
#[rustfmt::skip]
pub(super) const SECRET: [u8; SECRET_LEN] = [
    0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c, 0xf7, 0x21, 0xad, 0x1c,
    0xde, 0xd4, 0x6d, 0xe9, 0x83, 0x90, 0x97, 0xdb, 0x72, 0x40, 0xa4, 0xa4, 0xb7, 0xb3, 0x67, 0x1f,
    0xcb, 0x79, 0xe6, 0x4e, 0xcc, 0xc0, 0xe5, 0x78, 0x82, 0x5a, 0xd0, 0x7d, 0xcc, 0xff, 0x72, 0x21,
    0xb8, 0x08, 0x46, 0x74, 0xf7, 0x43, 0x24, 0x8e, 0xe0, 0x35, 0x90, 0xe6, 0x81, 0x3a, 0x26, 0x4c,
    0x3c, 0x28, 0x52, 0xbb, 0x91, 0xc3, 0x00, 0xcb, 0x88, 0xd0, 0x65, 0x8b, 0x1b, 0x53, 0x2e, 0xa3,
    0x71, 0x64, 0x48, 0x97, 0xa2, 0x0d, 0xf9, 0x4e, 0x38, 0x19, 0xef, 0x46, 0xa9, 0xde, 0xac, 0xd8,
    0xa8, 0xfa, 0x76, 0x3f, 0xe3, 0x9c, 0x34, 0x3f, 0xf9, 0xdc, 0xbb, 0xc7, 0xc7, 0x0b, 0x4f, 0x1d,
    0x8a, 0x51, 0xe0, 0x4b, 0xcd, 0xb4, 0x59, 0x31, 0xc8, 0x9f, 0x7e, 0xc9, 0xd9, 0x78, 0x73, 0x64,
    0xea, 0xc5, 0xac, 0x83, 0x34, 0xd3, 0xeb, 0xc3, 0xc5, 0x81, 0xa0, 0xff, 0xfa, 0x13, 0x63, 0xeb,
    0x17, 0x0d, 0xdd, 0x51, 0xb7, 0xf0, 0xda, 0x49, 0xd3, 0x16, 0x55, 0x26, 0x29, 0xd4, 0x68, 0x9e,
    0x2b, 0x16, 0xbe, 0x58, 0x7d, 0x47, 0xa1, 0xfc, 0x8f, 0xf8, 0xb8, 0xd1, 0x7a, 0xd0, 0x31, 0xce,
    0x45, 0xcb, 0x3a, 0x8f, 0x95, 0x16, 0x04, 0x28, 0xaf, 0xd7, 0xfb, 0xca, 0xbb, 0x4b, 0x40, 0x7e,
];

const SECRET_LEN: usize = 192;

/// The bytes that the eight accumulators take together.
const STRIPE: usize = 64;

/// The bytes by which the secret advances with each stripe.
const SECRET_STEP: usize = 8;

/// The number of stripes until the secret is used up and the accumulators are scrambled.
const STRIPES: usize = (SECRET_LEN - STRIPE) / SECRET_STEP;

type Accumulators = [u64; 8];

/// Returns XXPH3 of `key` under `seed`; RocksDB's filters use the seed 0.
///
/// Output: 64 bits. Seed: any. Empty key: 0x5342_c301_0fe1_dd04 under seed 0. Never panics.
///
/// ```
/// use hashzoo::xxph3_64;
///
/// assert_eq!(xxph3_64(b"", 0), 5_999_572_062_939_766_020); // from librocksdb's Hash64
/// ```
#[inline(always)]
pub const fn xxph3_64(key: &[u8], seed: u64) -> u64 {
    match key.len() {
        // First, so that keys of 17 bytes and more skip the comparisons for shorter ones.
        17.. if key.len() <= 64 => of_17_to_64::<false>(key, seed),
        9..=16 => of_9_to_16(key, seed),
        4..=8 => of_4_to_8(key, seed),
        _ => of_few_or_many(key, seed),
    }
}

/// Hashes keys of unusual length. Separate, so that the usual cases are small enough to be inlined: a call would take
/// half as long as the hash.
const fn of_few_or_many(key: &[u8], seed: u64) -> u64 {
    match key.len() {
        0 => fold(seed.wrapping_add(word(&SECRET, 0)), PRIME64_2),
        1..=3 => of_1_to_3(key, seed),
        // Lengths 4 to 64 never get here.
        4..=64 => of_17_to_64::<false>(key, seed),
        _ => of_more_than_64::<false>(key, seed),
    }
}

pub(super) const fn of_more_than_64<const FINAL: bool>(key: &[u8], seed: u64) -> u64 {
    match key.len() {
        ..=128 => of_65_to_128::<FINAL>(key, seed),
        129..=240 => of_129_to_240::<FINAL>(key, seed),
        _ => of_more_than_240::<FINAL>(key, seed),
    }
}

#[inline]
const fn of_1_to_3(key: &[u8], seed: u64) -> u64 {
    let combined = u32::from_le_bytes([key[0], key[key.len() / 2], key[key.len() - 1], key.len() as u8]);
    let flip = (half_word(&SECRET, 0) as u64).wrapping_add(seed);
    avalanche::<false>((combined as u64 ^ flip).wrapping_mul(PRIME64_1))
}

#[inline]
const fn of_4_to_8(key: &[u8], seed: u64) -> u64 {
    let both = half_word(key, 0) as u64 | (half_word(key, key.len() - 4) as u64) << 32;
    let keyed = both ^ word(&SECRET, 0).wrapping_add(seed);
    let mixed = (keyed ^ (keyed >> 51))
        .wrapping_mul(PRIME32_1)
        .wrapping_add(key.len() as u64);
    avalanche::<false>((mixed ^ (mixed >> 47)).wrapping_mul(PRIME64_2))
}

#[inline(always)]
const fn of_9_to_16(key: &[u8], seed: u64) -> u64 {
    let low = word(key, 0) ^ word(&SECRET, 0).wrapping_add(seed);
    let high = word(key, key.len() - 8) ^ word(&SECRET, 8).wrapping_sub(seed);
    avalanche::<false>(
        (key.len() as u64)
            .wrapping_add(low)
            .wrapping_add(high)
            .wrapping_add(fold(low, high)),
    )
}

/// Mixes 16 bytes from either end, and 16 more from either end if the key has more than 32.
#[inline(always)]
pub(super) const fn of_17_to_64<const FINAL: bool>(key: &[u8], seed: u64) -> u64 {
    let mut hash = (key.len() as u64).wrapping_mul(PRIME64_1);
    if key.len() > 32 {
        let inner = mix_16(key, 16, 32, seed).wrapping_add(mix_16(key, key.len() - 32, 48, seed));
        hash = hash.wrapping_add(inner);
    }
    let outer = mix_16(key, 0, 0, seed).wrapping_add(mix_16(key, key.len() - 16, 16, seed));
    avalanche::<FINAL>(hash.wrapping_add(outer))
}

/// Mixes 16 bytes from either end, moving inwards until all bytes are covered.
const fn of_65_to_128<const FINAL: bool>(key: &[u8], seed: u64) -> u64 {
    let mut hash = (key.len() as u64).wrapping_mul(PRIME64_1);
    let mut pair = 0;
    while pair < key.len().div_ceil(32) {
        let first = mix_16(key, 16 * pair, 32 * pair, seed);
        let last = mix_16(key, key.len() - 16 * (pair + 1), 32 * pair + 16, seed);
        hash = hash.wrapping_add(first).wrapping_add(last);
        pair += 1;
    }
    avalanche::<FINAL>(hash)
}

const fn of_129_to_240<const FINAL: bool>(key: &[u8], seed: u64) -> u64 {
    /// The number of chunks that use the secret from its start; later ones use it from its fourth byte.
    const FIRST: usize = 8;
    let mut hash = (key.len() as u64).wrapping_mul(PRIME64_1);
    let mut chunk = 0;
    while chunk < FIRST {
        hash = hash.wrapping_add(mix_16(key, 16 * chunk, 16 * chunk, seed));
        chunk += 1;
    }
    hash = avalanche::<FINAL>(hash);
    while chunk < key.len() / 16 {
        hash = hash.wrapping_add(mix_16(key, 16 * chunk, 16 * (chunk - FIRST) + 3, seed));
        chunk += 1;
    }
    avalanche::<FINAL>(hash.wrapping_add(mix_16(key, key.len() - 16, 136 - 17, seed)))
}

const fn of_more_than_240<const FINAL: bool>(key: &[u8], seed: u64) -> u64 {
    let secret = seeded_secret(seed);
    let mut sums: Accumulators = [
        PRIME32_3, PRIME64_1, PRIME64_2, PRIME64_3, PRIME64_4, PRIME32_2, PRIME64_5, PRIME32_1,
    ];
    // The final function always has a last stripe of its own, the preview only if bytes are left.
    let stripes = (key.len() - FINAL as usize) / STRIPE;
    let mut stripe = 0;
    while stripe < stripes {
        sums = accumulate::<FINAL>(
            sums,
            key,
            stripe * STRIPE,
            &secret,
            stripe % STRIPES * SECRET_STEP,
        );
        stripe += 1;
        if stripe % STRIPES == 0 {
            sums = scramble(sums, &secret);
        }
    }
    if stripes * STRIPE < key.len() {
        // The last stripe overlaps the previous one, so it takes another part of the secret.
        sums = accumulate::<FINAL>(sums, key, key.len() - STRIPE, &secret, SECRET_LEN - STRIPE - 7);
    }
    merge::<FINAL>(&sums, &secret, (key.len() as u64).wrapping_mul(PRIME64_1))
}

/// Returns the secret with the seed added to even words and subtracted from odd ones.
const fn seeded_secret(seed: u64) -> [u8; SECRET_LEN] {
    let mut secret = SECRET;
    if seed == 0 {
        return secret;
    }
    let mut at = 0;
    while at < SECRET_LEN {
        let own = word(&SECRET, at);
        let seeded = if at % 16 == 0 {
            own.wrapping_add(seed)
        } else {
            own.wrapping_sub(seed)
        };
        secret
            .split_at_mut(at)
            .1
            .split_at_mut(8)
            .0
            .copy_from_slice(&seeded.to_le_bytes());
        at += 8;
    }
    secret
}

/// Accumulates the stripe that starts at `at`.
#[inline]
const fn accumulate<const FINAL: bool>(
    mut sums: Accumulators,
    key: &[u8],
    at: usize,
    secret: &[u8; SECRET_LEN],
    secret_at: usize,
) -> Accumulators {
    let mut lane = 0;
    while lane < sums.len() {
        let data = word(key, at + 8 * lane);
        let keyed = data ^ word(secret, secret_at + 8 * lane);
        // The final function adds the data to the neighbour.
        let to = lane ^ FINAL as usize;
        sums[to] = sums[to].wrapping_add(data);
        sums[lane] = sums[lane].wrapping_add((keyed & 0xffff_ffff) * (keyed >> 32));
        lane += 1;
    }
    sums
}

const fn scramble(mut sums: Accumulators, secret: &[u8; SECRET_LEN]) -> Accumulators {
    let mut lane = 0;
    while lane < sums.len() {
        let shifted = sums[lane] ^ (sums[lane] >> 47);
        sums[lane] = (shifted ^ word(secret, SECRET_LEN - STRIPE + 8 * lane)).wrapping_mul(PRIME32_1);
        lane += 1;
    }
    sums
}

const fn merge<const FINAL: bool>(sums: &Accumulators, secret: &[u8; SECRET_LEN], start: u64) -> u64 {
    /// The start of the part of the secret used here.
    const AT: usize = 11;
    let mut hash = start;
    let mut lane = 0;
    while lane < sums.len() {
        let low = sums[lane] ^ word(secret, AT + 8 * lane);
        let high = sums[lane + 1] ^ word(secret, AT + 8 * lane + 8);
        hash = hash.wrapping_add(fold(low, high));
        lane += 2;
    }
    avalanche::<FINAL>(hash)
}

/// Mixes 16 bytes of the key with 16 bytes of the secret.
#[inline(always)]
const fn mix_16(key: &[u8], at: usize, secret_at: usize, seed: u64) -> u64 {
    let (low, high) = two_words(key, at);
    fold(
        low ^ word(&SECRET, secret_at).wrapping_add(seed),
        high ^ word(&SECRET, secret_at + 8).wrapping_sub(seed),
    )
}

/// Returns the xor of both halves of the product.
#[inline]
pub(super) const fn fold(a: u64, b: u64) -> u64 {
    let product = a as u128 * b as u128;
    product as u64 ^ (product >> 64) as u64
}

#[inline]
pub(super) const fn avalanche<const FINAL: bool>(mut hash: u64) -> u64 {
    hash = (hash ^ (hash >> 37)).wrapping_mul(AVALANCHE[FINAL as usize]);
    hash ^ (hash >> 32)
}

pub(super) static INFO: HashInfo = HashInfo {
    name: "XXPH3",
    ident: "xxph3_64",
    year: 2019,
    author: "Yann Collet; the value of the empty key: RocksDB",
    source: "RocksDB, util/xxph3.h, from xxHash 0.7.2; \
             https://github.com/facebook/rocksdb/blob/main/util/xxph3.h",
    output_bits: 64,
    seed: Some("seed 0"),
    weaknesses: &[
        "Not XXH3: xxHash gave the final function other values at every length.",
        "Keys whose halves meet a zero in a product are easy to construct for a known seed: not for keys that an \
         attacker chooses.",
    ],
    aliases: &["RocksDB Hash64"],
    answers: &[
        (b"", 0x5342_c301_0fe1_dd04),
        (b"\x0b", 0xd799_57ae_b2f5_4ee8),
        (b"\x0b0Uz\x9f", 0x1893_76cf_65bd_6d2a),
        (b"\x0b0Uz\x9f\xc4\xe9\x0e3X}\xa2", 0x7c30_2b3a_d85c_e7c9),
        (
            b"\x0b0Uz\x9f\xc4\xe9\x0e3X}\xa2\xc7\xec\x116[\x80\xa5\xca",
            0x7d3a_6f2e_3923_3690,
        ),
    ],
    answers_source: "Hash64 of librocksdb 7.8.3",
    verification: 0xee22_cbe9,
    hash: |key| xxph3_64(key, 0),
    seeded: Some(|key, seed| xxph3_64(key, seed as u64)),
};
