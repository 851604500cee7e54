//! XXH64 with the seed 0, for a key of 8 to 63 bytes in each lane. Keys of other lengths are hashed one by one, except
//! adjacent keys of four bytes.

use hashzoo::xxh64;

use super::tile::{Classes, Group, groups_of, hash_slices, slices};
use super::xxph3::{PRIME64_1, PRIME64_3, word};
use crate::simd::keys::Keys;
use crate::simd::lanes::{Lanes64, WideLanes};

const PRIME64_2: u64 = 0xc2b2_ae3d_27d4_eb4f;
const PRIME64_4: u64 = 0x85eb_ca77_c2b2_ae63;
const PRIME64_5: u64 = 0x27d4_eb2f_1656_67c5;

/// The number of bytes that XXH64 consumes at once.
const STRIPE: usize = 32;

/// The function.
pub(crate) struct Xxh64;

impl Classes for Xxh64 {
    const BOUNDS: &[u64] = &[7, 31, 63];

    #[inline(always)]
    unsafe fn of_class<L: Lanes64, const CLASS: usize>(lanes: L, keys: &Group<'_>) -> L::Vector {
        // SAFETY: guaranteed by the caller.
        unsafe {
            match CLASS {
                0 => of_rest::<L, 0>(lanes, keys, lanes.splat(PRIME64_5)),
                _ => of_32_to_63(lanes, keys),
            }
        }
    }

    #[inline(always)]
    fn of_one(key: &[u8]) -> u64 {
        xxh64(key, 0)
    }

    #[inline(always)]
    fn hash<S: WideLanes>(lanes: S, keys: Keys<'_>, start: usize, hashes: &mut [u64]) {
        let (chains, range) = (lanes.chains(), start..start + hashes.len());
        match keys {
            // Columns of numbers in Parquet.
            Keys::Packed(keys) if keys.key_len() == 8 => {
                hash_numbers(chains, &keys.bytes().as_chunks::<8>().0[range], hashes);
            }
            Keys::Packed(keys) if keys.key_len() == 4 => {
                hash_numbers(chains, &keys.bytes().as_chunks::<4>().0[range], hashes);
            }
            keys => {
                let mut room = None;
                let (keys, later) = slices(lanes, &keys, start, range.len(), &mut room);
                hash_slices::<Self, _, _>(lanes, chains, keys, later, hashes);
            }
        }
    }
}

/// Hashes keys of four or eight bytes.
#[inline(always)]
fn hash_numbers<L: Lanes64, const LEN: usize>(lanes: L, keys: &[[u8; LEN]], hashes: &mut [u64]) {
    let (groups, others) = groups_of(lanes, hashes);
    for (keys, hashes) in keys.chunks_exact(L::LANES).zip(groups) {
        let numbers = lanes.collect(|i| {
            let mut word = [0; 8];
            word[..LEN].copy_from_slice(&keys[i]);
            u64::from_le_bytes(word)
        });
        let start = lanes.splat(PRIME64_5.wrapping_add(LEN as u64));
        let mixed = if LEN == 8 {
            with_word(lanes, start, numbers)
        } else {
            with_half_word(lanes, start, numbers)
        };
        lanes.store(avalanche(lanes, mixed), hashes);
    }
    for (key, hash) in keys[keys.len() - others.len()..].iter().zip(others) {
        *hash = xxh64(key, 0);
    }
}

/// # Safety
///
/// The keys have 32 to 63 bytes.
#[inline(always)]
unsafe fn of_32_to_63<L: Lanes64>(lanes: L, keys: &Group<'_>) -> L::Vector {
    let mut sums = [
        lanes.splat(PRIME64_1.wrapping_add(PRIME64_2)),
        lanes.splat(PRIME64_2),
        lanes.splat(0),
        lanes.splat(PRIME64_1.wrapping_neg()),
    ];
    for (number, sum) in sums.iter_mut().enumerate() {
        // SAFETY: guaranteed by the caller.
        let words = lanes.collect(|i| unsafe { word(keys[i], 8 * number) });
        *sum = round(lanes, *sum, words);
    }
    let [a, b, c, d] = sums;
    let mut sum = lanes.add(
        lanes.add(lanes.rotate_left::<1, 63>(a), lanes.rotate_left::<7, 57>(b)),
        lanes.add(lanes.rotate_left::<12, 52>(c), lanes.rotate_left::<18, 46>(d)),
    );
    for each in sums {
        let mixed = lanes.xor(sum, round(lanes, lanes.splat(0), each));
        sum = lanes.add(times(lanes, mixed, PRIME64_1), lanes.splat(PRIME64_4));
    }
    // SAFETY: guaranteed by the caller.
    unsafe { of_rest::<L, STRIPE>(lanes, keys, sum) }
}

/// Finishes the hash values after the first `DONE` bytes.
///
/// # Safety
///
/// The keys have at least 8 bytes, at least `DONE`, and less than a stripe after these.
#[inline(always)]
unsafe fn of_rest<L: Lanes64, const DONE: usize>(lanes: L, keys: &Group<'_>, start: L::Vector) -> L::Vector {
    let lens = lanes.collect(|i| keys[i].len() as u64);
    let mut hashes = lanes.add(start, lens);
    for place in [DONE, DONE + 8, DONE + 16] {
        let bound = place as u64 + 7;
        if lanes.above(lens, bound) == 0 {
            break;
        }
        // SAFETY: guaranteed by the caller; for keys that end earlier, it is the last word.
        let words = lanes.collect(|i| unsafe { word(keys[i], place.min(keys[i].len() - 8)) });
        hashes = lanes.if_above(lens, bound, with_word(lanes, hashes, words), hashes);
    }
    let left = lanes.and(lens, lanes.splat(7));
    if lanes.above(left, 0) != 0 {
        // SAFETY: guaranteed by the caller.
        let last = lanes.collect(|i| unsafe { word(keys[i], keys[i].len() - 8) });
        hashes = with_tail(lanes, hashes, last, left);
    }
    avalanche(lanes, hashes)
}

/// Consumes the `left` bytes after the last whole word, which are the end of the key's last eight bytes.
#[inline(always)]
fn with_tail<L: Lanes64>(lanes: L, mut hashes: L::Vector, last: L::Vector, left: L::Vector) -> L::Vector {
    // For a key without such bytes, all bits are shifted out.
    let behind = lanes.sub(lanes.splat(64), lanes.shift_left::<3>(left));
    let tail = lanes.shift_right_each(last, behind);
    let half = lanes.and(tail, lanes.splat(0xffff_ffff));
    hashes = lanes.if_above(left, 3, with_half_word(lanes, hashes, half), hashes);
    let taken = lanes.shift_left::<3>(lanes.and(left, lanes.splat(4)));
    let mut bytes = lanes.shift_right_each(tail, taken);
    let left = lanes.and(left, lanes.splat(3));
    for count in 0..3 {
        let mixed = lanes.xor(
            hashes,
            times(lanes, lanes.and(bytes, lanes.splat(0xff)), PRIME64_5),
        );
        let mixed = times(lanes, lanes.rotate_left::<11, 53>(mixed), PRIME64_1);
        hashes = lanes.if_above(left, count, mixed, hashes);
        bytes = lanes.shift_right::<8>(bytes);
    }
    hashes
}

#[inline(always)]
fn with_word<L: Lanes64>(lanes: L, hashes: L::Vector, words: L::Vector) -> L::Vector {
    let mixed = lanes.xor(hashes, round(lanes, lanes.splat(0), words));
    let mixed = times(lanes, lanes.rotate_left::<27, 37>(mixed), PRIME64_1);
    lanes.add(mixed, lanes.splat(PRIME64_4))
}

#[inline(always)]
fn with_half_word<L: Lanes64>(lanes: L, hashes: L::Vector, halves: L::Vector) -> L::Vector {
    let mixed = lanes.xor(hashes, times(lanes, halves, PRIME64_1));
    let mixed = times(lanes, lanes.rotate_left::<23, 41>(mixed), PRIME64_2);
    lanes.add(mixed, lanes.splat(PRIME64_3))
}

#[inline(always)]
fn round<L: Lanes64>(lanes: L, sums: L::Vector, words: L::Vector) -> L::Vector {
    let sums = lanes.add(sums, times(lanes, words, PRIME64_2));
    times(lanes, lanes.rotate_left::<31, 33>(sums), PRIME64_1)
}

#[inline(always)]
fn avalanche<L: Lanes64>(lanes: L, hashes: L::Vector) -> L::Vector {
    let hashes = times(lanes, lanes.mixed::<33>(hashes), PRIME64_2);
    let hashes = times(lanes, lanes.mixed::<29>(hashes), PRIME64_3);
    lanes.mixed::<32>(hashes)
}

#[inline(always)]
fn times<L: Lanes64>(lanes: L, a: L::Vector, factor: u64) -> L::Vector {
    lanes.mul(a, lanes.splat(factor))
}
