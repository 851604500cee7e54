//! Hashes keys of a tile four at a time, each in a 64-bit lane. Four keys belong to one class of lengths and may be
//! anywhere in the tile, so no branch depends on the length of a key.

use core::arch::x86_64::*;
use core::hint::assert_unchecked;

use crate::keys::Keys;
use crate::wide::TILE;

/// If a tile's first and last key are fewer bytes apart, the tile's keys are adjacent in memory.
const FETCHED_TOGETHER: usize = 128 * TILE;

// A mask has a bit for each key of a tile.
const _: () = assert!(TILE <= 64);

#[derive(Clone, Copy)]
pub(crate) struct Four<'a>([&'a [u8]; 4]);

impl Four<'_> {
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
    #[inline]
    pub(crate) fn lens(&self) -> __m256i {
        let [a, b, c, d] = self.0;
        let len = |key: &[u8]| key.len().cast_signed() as i64;
        _mm256_setr_epi64x(len(a), len(b), len(c), len(d))
    }

    /// Reads an eight-byte word from each key, at a place that depends on the key's length.
    ///
    /// # Safety
    ///
    /// Each key has eight bytes from its place on.
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
    #[inline]
    pub(crate) unsafe fn words(&self, place: impl Fn(usize) -> usize) -> __m256i {
        let word = |key: &[u8]| {
            // SAFETY: guaranteed by the caller.
            unsafe { key.as_ptr().add(place(key.len())).cast::<i64>().read_unaligned() }
        };
        let [a, b, c, d] = self.0;
        _mm256_setr_epi64x(word(a), word(b), word(c), word(d))
    }

    /// Reads two adjacent eight-byte words from each key.
    ///
    /// # Safety
    ///
    /// Each key has 16 bytes from its place on.
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
    #[inline]
    pub(crate) unsafe fn two_words(&self, place: impl Fn(usize) -> usize) -> (__m256i, __m256i) {
        let words = |key: &[u8]| {
            // SAFETY: guaranteed by the caller.
            unsafe { _mm_loadu_si128(key.as_ptr().add(place(key.len())).cast()) }
        };
        let [a, b, c, d] = self.0;
        let even = _mm256_set_m128i(words(c), words(a));
        let odd = _mm256_set_m128i(words(d), words(b));
        (_mm256_unpacklo_epi64(even, odd), _mm256_unpackhi_epi64(even, odd))
    }
}

/// Returns a mask of the keys in each class: longer than one bound and not longer than the next. Up to three keys at
/// the end are in no class.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
#[inline]
pub(crate) fn classes<const N: usize, const BOUNDS: usize>(
    keys: &[&[u8]],
    bounds: [i64; BOUNDS],
) -> [u64; N] {
    const { assert!(N + 1 == BOUNDS) };
    let mut longer = [0; BOUNDS];
    for (i, &keys) in keys.as_chunks().0.iter().enumerate() {
        let lens = Four(keys).lens();
        for (longer, bound) in longer.iter_mut().zip(bounds) {
            let signs = _mm256_castsi256_pd(_mm256_cmpgt_epi64(lens, _mm256_set1_epi64x(bound)));
            *longer |= u64::from(_mm256_movemask_pd(signs).cast_unsigned()) << (4 * i);
        }
    }
    core::array::from_fn(|class| longer[class] & !longer[class + 1])
}

/// Hashes the keys at these places, `FOURS` groups of four at a time. The last key fills up the last groups.
///
/// # Safety
///
/// There are keys and room for hash values at all of the places.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
#[inline]
pub(crate) unsafe fn hash_at<const FOURS: usize>(
    places: u64,
    keys: &[&[u8]],
    hashes: &mut [u64],
    function: impl Fn(&[Four<'_>; FOURS]) -> [__m256i; FOURS],
) {
    let (mut left, room) = (places, hashes.len());
    let mut next = || {
        let place = left.trailing_zeros() as usize;
        // SAFETY: guaranteed by the caller.
        unsafe { assert_unchecked(place < keys.len() && place < room) }
        let after = left & left.wrapping_sub(1);
        left = if after == 0 { left } else { after };
        place
    };
    for _ in 0..(places.count_ones() as usize).div_ceil(4 * FOURS) {
        let mut places = [[0; 4]; FOURS];
        let mut fours = [Four([&[]; 4]); FOURS];
        for (four, places) in fours.iter_mut().zip(&mut places) {
            for (key, place) in four.0.iter_mut().zip(places) {
                *place = next();
                *key = keys[*place];
            }
        }
        for ([a, b, c, d], values) in places.into_iter().zip(function(&fours)) {
            hashes[a] = _mm256_extract_epi64::<0>(values).cast_unsigned();
            hashes[b] = _mm256_extract_epi64::<1>(values).cast_unsigned();
            hashes[c] = _mm256_extract_epi64::<2>(values).cast_unsigned();
            hashes[d] = _mm256_extract_epi64::<3>(values).cast_unsigned();
        }
    }
}

/// Hashes the keys at all other places one by one.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
#[inline]
pub(crate) fn hash_others(places: u64, keys: &[&[u8]], hashes: &mut [u64], function: impl Fn(&[u8]) -> u64) {
    let mut left = !places & u64::MAX >> (64 - keys.len());
    while left != 0 {
        let place = left.trailing_zeros() as usize;
        hashes[place] = function(keys[place]);
        left &= left - 1;
    }
}

/// Hashes as many keys from `start` on, as slices, as there are hash values, 1 to [`TILE`].
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
#[inline]
pub(crate) fn for_tile(
    keys: Keys<'_>,
    start: usize,
    hashes: &mut [u64],
    hash: impl Fn(&[&[u8]], &mut [u64]),
) {
    match keys {
        Keys::Slices(keys) => hash(tile(keys, start, hashes.len()), hashes),
        Keys::Packed(keys) => {
            let mut slices: [&[u8]; TILE] = [&[]; TILE];
            for (slice, key) in slices.iter_mut().zip(keys.iter().skip(start)) {
                *slice = key;
            }
            hash(&slices[..hashes.len()], hashes);
        }
    }
}

/// Returns `count` keys from `start` on, at most [`TILE`], and prefetches the keys of the next tile.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
#[inline]
pub(crate) fn tile<'a, 'k>(keys: &'a [&'k [u8]], start: usize, count: usize) -> &'a [&'k [u8]] {
    let (tile, later) = keys[start..].split_at(count);
    if start == 0 {
        prefetch(tile);
    }
    prefetch(&later[..later.len().min(TILE)]);
    tile
}

/// Prefetches both ends of keys, unless they are so close together that the processor does so by itself.
#[inline(always)]
fn prefetch(keys: &[&[u8]]) {
    let place = |key: Option<&&[u8]>| key.map_or(0, |key| key.as_ptr().addr());
    if place(keys.first()).abs_diff(place(keys.last())) < FETCHED_TOGETHER {
        return;
    }
    for key in keys {
        let start = key.as_ptr().cast::<i8>();
        let end = start.wrapping_add(key.len()).wrapping_sub(1);
        // SAFETY: a prefetch is a hint, valid for any address, and every x86-64 processor decodes it.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(start);
            _mm_prefetch::<_MM_HINT_T0>(end);
        }
    }
}
