//! Split blocks: a block is half a vector, and keys of one length are hashed eight at a time.

use core::arch::x86_64::*;

use hashzoo::xxh64;

use super::super::Avx512;
use super::{each, store, word};
use crate::generic::entries::{block_entries, entry};
use crate::keys::Keys;
use crate::split_block::{
    Block, BlockLanes, insert_by, insert_hash_by, key_may_match_by, may_match_by, may_match_each_by,
    may_match_many_by,
};
use crate::wide::WideSource;
use crate::x86_64::avx2::wide::blocks::{bits_of, has, prefetch, set};

/// xxHash's primes.
const PRIME_1: u64 = 0x9e37_79b1_85eb_ca87;
const PRIME_2: u64 = 0xc2b2_ae3d_27d4_eb4f;
const PRIME_3: u64 = 0x1656_67b1_9e37_79f9;
const PRIME_4: u64 = 0x85eb_ca77_c2b2_ae63;
const PRIME_5: u64 = 0x27d4_eb2f_1656_67c5;

/// The number of bytes that the four accumulators consume together.
const STRIPE: usize = 32;

block_entries!(Avx512, "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt");

impl BlockLanes for Avx512 {
    type Bits = __m256i;

    #[inline(always)]
    fn bits_of(self, hash: u64) -> __m256i {
        // SAFETY: see the type.
        unsafe { bits_of(hash) }
    }

    #[inline(always)]
    fn has(self, block: &Block, bits: __m256i) -> bool {
        // SAFETY: see the type.
        unsafe { has(block, bits) }
    }

    #[inline(always)]
    fn set(self, block: &mut Block, bits: __m256i) {
        // SAFETY: see the type.
        unsafe { set(block, bits) }
    }

    #[inline(always)]
    fn hash(self, source: WideSource<'_>, start: usize, hashes: &mut [u64]) {
        // SAFETY: see the type.
        unsafe { hash(source, start, hashes) }
    }

    #[inline(always)]
    fn prefetch<const WRITE: bool>(self, blocks: &[Block], index: usize) {
        prefetch::<_, WRITE>(self, blocks, index);
    }
}

/// Computes the hash values from `start` on. Panics if there are too few.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
fn hash(source: WideSource<'_>, start: usize, hashes: &mut [u64]) {
    let whole = hashes.len() / 8 * 8;
    let (groups, rest) = hashes.split_at_mut(whole);
    let groups = groups.as_chunks_mut::<8>().0.iter_mut();
    match source {
        // Columns of Parquet numbers.
        WideSource::Keys(Keys::Packed(keys)) if keys.key_len() == 8 => {
            let keys = &keys.bytes().as_chunks().0[start..start + whole];
            for (group, keys) in groups.zip(keys.as_chunks().0) {
                store(group, of_words(keys));
            }
        }
        WideSource::Keys(Keys::Packed(keys)) if keys.key_len() == 4 => {
            let keys = &keys.bytes().as_chunks().0[start..start + whole];
            for (group, keys) in groups.zip(keys.as_chunks().0) {
                store(group, of_half_words(keys));
            }
        }
        WideSource::Keys(Keys::Packed(keys)) => {
            let len = keys.key_len();
            let keys = keys.bytes()[start * len..(start + whole) * len].chunks_exact(8 * len);
            for (group, keys) in groups.zip(keys) {
                let mut keys = keys.chunks_exact(len);
                let keys = core::array::from_fn(|_| keys.next().unwrap_or_default());
                store(group, of_one_length(&keys, len));
            }
        }
        WideSource::Keys(Keys::Slices(keys)) => {
            for (group, keys) in groups.zip(keys[start..start + whole].as_chunks().0) {
                of_8(keys, group);
            }
        }
        WideSource::Hashes(values) => {
            groups
                .into_slice()
                .as_flattened_mut()
                .copy_from_slice(&values[start..start + whole]);
        }
    }
    source.hash_by(|key| xxh64(key, 0), start + whole, rest);
}

/// Hashes eight keys, together if their lengths are equal.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
#[inline]
fn of_8(keys: &[&[u8]; 8], hashes: &mut [u64; 8]) {
    let len = keys[0].len();
    if keys.iter().fold(0, |bits, key| bits | (key.len() ^ len)) == 0 {
        store(hashes, of_one_length(keys, len));
    } else {
        for (hash, key) in hashes.iter_mut().zip(keys) {
            *hash = xxh64(key, 0);
        }
    }
}

/// Hashes keys of eight bytes.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
#[inline]
fn of_words(keys: &[[u8; 8]; 8]) -> __m512i {
    // SAFETY: the array has the length of a vector.
    let words = unsafe { _mm512_loadu_si512(keys.as_ptr().cast()) };
    avalanche(with_word(splat(PRIME_5.wrapping_add(8)), words))
}

/// Hashes keys of four bytes.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
#[inline]
fn of_half_words(keys: &[[u8; 4]; 8]) -> __m512i {
    // SAFETY: the array has the length of half a vector.
    let words = unsafe { _mm256_loadu_si256(keys.as_ptr().cast()) };
    let start = splat(PRIME_5.wrapping_add(4));
    avalanche(with_half_word(start, _mm512_cvtepu32_epi64(words)))
}

/// Hashes keys of `len` bytes.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
fn of_one_length(keys: &[&[u8]; 8], len: usize) -> __m512i {
    let mut hashes = if len < STRIPE {
        splat(PRIME_5)
    } else {
        of_stripes(keys, len)
    };
    hashes = _mm512_add_epi64(hashes, splat(len as u64));
    let mut at = len / STRIPE * STRIPE;
    while at + 8 <= len {
        hashes = with_word(hashes, each(keys, |key| word(key, at)));
        at += 8;
    }
    if at + 4 <= len {
        let half_word = |key: &[u8]| {
            let word = key[at..].first_chunk().expect("the key is long enough");
            u64::from(u32::from_le_bytes(*word))
        };
        hashes = with_half_word(hashes, each(keys, half_word));
        at += 4;
    }
    while at < len {
        let bytes = each(keys, |key| u64::from(key[at]));
        hashes = _mm512_xor_si512(hashes, times(bytes, PRIME_5));
        hashes = times(_mm512_rol_epi64::<11>(hashes), PRIME_1);
        at += 1;
    }
    avalanche(hashes)
}

/// Consumes all whole stripes.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
#[inline]
fn of_stripes(keys: &[&[u8]; 8], len: usize) -> __m512i {
    let mut sums = [
        splat(PRIME_1.wrapping_add(PRIME_2)),
        splat(PRIME_2),
        splat(0),
        splat(0_u64.wrapping_sub(PRIME_1)),
    ];
    for stripe in 0..len / STRIPE {
        for (lane, sum) in sums.iter_mut().enumerate() {
            let at = stripe * STRIPE + 8 * lane;
            *sum = round(*sum, each(keys, |key| word(key, at)));
        }
    }
    let [a, b, c, d] = sums;
    let first = _mm512_add_epi64(_mm512_rol_epi64::<1>(a), _mm512_rol_epi64::<7>(b));
    let last = _mm512_add_epi64(_mm512_rol_epi64::<12>(c), _mm512_rol_epi64::<18>(d));
    let mut hashes = _mm512_add_epi64(first, last);
    for sum in sums {
        hashes = times(_mm512_xor_si512(hashes, round(splat(0), sum)), PRIME_1);
        hashes = _mm512_add_epi64(hashes, splat(PRIME_4));
    }
    hashes
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
#[inline]
fn with_word(hashes: __m512i, words: __m512i) -> __m512i {
    let hashes = _mm512_xor_si512(hashes, round(splat(0), words));
    let hashes = times(_mm512_rol_epi64::<27>(hashes), PRIME_1);
    _mm512_add_epi64(hashes, splat(PRIME_4))
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
#[inline]
fn with_half_word(hashes: __m512i, words: __m512i) -> __m512i {
    let hashes = _mm512_xor_si512(hashes, times(words, PRIME_1));
    let hashes = times(_mm512_rol_epi64::<23>(hashes), PRIME_2);
    _mm512_add_epi64(hashes, splat(PRIME_3))
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
#[inline]
fn round(sums: __m512i, words: __m512i) -> __m512i {
    let sums = _mm512_add_epi64(sums, times(words, PRIME_2));
    times(_mm512_rol_epi64::<31>(sums), PRIME_1)
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
#[inline]
fn avalanche(hashes: __m512i) -> __m512i {
    let hashes = times(_mm512_xor_si512(hashes, _mm512_srli_epi64::<33>(hashes)), PRIME_2);
    let hashes = times(_mm512_xor_si512(hashes, _mm512_srli_epi64::<29>(hashes)), PRIME_3);
    _mm512_xor_si512(hashes, _mm512_srli_epi64::<32>(hashes))
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
#[inline]
fn times(values: __m512i, prime: u64) -> __m512i {
    _mm512_mullo_epi64(values, splat(prime))
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
#[inline]
fn splat(value: u64) -> __m512i {
    _mm512_set1_epi64(value.cast_signed())
}
