//! XXPH3 with the seed 0, for a key of 9 to 64 bytes in each lane; with `FINAL`, XXH3. Keys of other lengths are hashed
//! one by one.

use hashzoo::{xxh3_64, xxph3_64};

use super::tile::{Classes, Group, Later, groups_of, hash_slices, have_16_bytes, slices};
use crate::simd::keys::Keys;
use crate::simd::lanes::{Lanes64, WideLanes};

/// xxHash's primes that both of its functions use.
pub(super) const PRIME64_1: u64 = 0x9e37_79b1_85eb_ca87;
pub(super) const PRIME64_3: u64 = 0x1656_67b1_9e37_79f9;

/// The first eight words of XXH3's secret, which seed 0 leaves unchanged.
///
/// Source: RocksDB, `util/xxph3.h`.
const SECRET: [u64; 8] = [
    0xbe4b_a423_396c_feb8,
    0x1cad_21f7_2c81_017c,
    0xdb97_9083_e96d_d4de,
    0x1f67_b3b7_a4a4_4072,
    0x78e5_c0cc_4ee6_79cb,
    0x2172_ffcc_7dd0_5a82,
    0x8e24_43f7_7446_08b8,
    0x4c26_3a81_e690_35e0,
];

/// The sums of two words of the secret each that XXH3 takes for keys of 9 to 16 bytes.
const SHORT: [u64; 2] = [SECRET[3] ^ SECRET[4], SECRET[5] ^ SECRET[6]];

/// XXH3's multiplier in the last step, `PRIME_MX1`.
const LAST: u64 = 0x1656_6791_9e37_79f9;

/// The function, which is XXH3 if `FINAL`.
pub(crate) struct Xxph3<const FINAL: bool>;

impl<const FINAL: bool> Classes for Xxph3<FINAL> {
    const BOUNDS: &[u64] = &[8, 16, 32, 64];

    #[inline(always)]
    unsafe fn of_class<L: Lanes64, const CLASS: usize>(lanes: L, keys: &Group<'_>) -> L::Vector {
        // SAFETY: guaranteed by the caller.
        unsafe {
            match CLASS {
                0 => {
                    let low = lanes.collect(|i| word(keys[i], 0));
                    let high = lanes.collect(|i| word(keys[i], keys[i].len() - 8));
                    of_two_words::<_, FINAL>(lanes, low, high, lens(lanes, keys))
                }
                1 => avalanche::<_, FINAL>(lanes, outer(lanes, keys)),
                _ => {
                    let first = lanes.collect_pairs(|i| keys[i].as_ptr().add(16));
                    let last = lanes.collect_pairs(|i| keys[i].as_ptr().add(keys[i].len() - 32));
                    let inner = lanes.add(mix(lanes, first, 4), mix(lanes, last, 6));
                    avalanche::<_, FINAL>(lanes, lanes.add(outer(lanes, keys), inner))
                }
            }
        }
    }

    #[inline(always)]
    fn of_one(key: &[u8]) -> u64 {
        if FINAL { xxh3_64(key, 0) } else { xxph3_64(key, 0) }
    }

    #[inline(always)]
    fn hash<S: WideLanes>(lanes: S, keys: Keys<'_>, start: usize, hashes: &mut [u64]) {
        let count = hashes.len();
        if let Keys::Packed(keys) = keys
            && keys.key_len() == 16
        {
            let keys = &keys.bytes().as_chunks::<16>().0[start..start + count];
            // SAFETY: the type has the length.
            return unsafe { hash_16::<FINAL, _, _>(lanes, keys, Later::NONE, hashes) };
        }
        let mut room = None;
        let (keys, later) = slices(lanes, &keys, start, count, &mut room);
        if have_16_bytes(keys) {
            // SAFETY: the condition.
            unsafe { hash_16::<FINAL, _, _>(lanes, keys, later, hashes) }
        } else {
            hash_slices::<Self, _, _>(lanes, lanes.wide(), keys, later, hashes);
        }
    }
}

/// Hashes keys of 16 bytes, and prefetches later ones.
///
/// # Safety
///
/// The keys have 16 bytes.
#[inline(always)]
unsafe fn hash_16<const FINAL: bool, S: WideLanes, K: AsRef<[u8]>>(
    lanes: S,
    keys: &[K],
    mut later: Later<'_, '_>,
    hashes: &mut [u64],
) {
    let wide = lanes.wide();
    let (groups, others) = groups_of(wide, hashes);
    for (keys, hashes) in keys.chunks_exact(S::Wide::LANES).zip(groups) {
        later.prefetch(lanes, S::Wide::LANES);
        // SAFETY: guaranteed by the caller.
        let (low, high) = unsafe { wide.collect_pairs(|i| keys[i].as_ref().as_ptr()) };
        wide.store(of_two_words::<_, FINAL>(wide, low, high, wide.splat(16)), hashes);
    }
    for (key, hash) in keys[keys.len() - others.len()..].iter().zip(others) {
        *hash = Xxph3::<FINAL>::of_one(key.as_ref());
    }
}

/// Mixes the lengths and the first and last 16 bytes.
///
/// # Safety
///
/// The keys have at least 16 bytes.
#[inline(always)]
unsafe fn outer<L: Lanes64>(lanes: L, keys: &Group<'_>) -> L::Vector {
    // SAFETY: guaranteed by the caller.
    let first = unsafe { lanes.collect_pairs(|i| keys[i].as_ptr()) };
    // SAFETY: guaranteed by the caller.
    let last = unsafe { lanes.collect_pairs(|i| keys[i].as_ptr().add(keys[i].len() - 16)) };
    let lens = lanes.mul(lens(lanes, keys), lanes.splat(PRIME64_1));
    lanes.add(lens, lanes.add(mix(lanes, first, 0), mix(lanes, last, 2)))
}

#[inline(always)]
fn lens<L: Lanes64>(lanes: L, keys: &Group<'_>) -> L::Vector {
    lanes.collect(|i| keys[i].len() as u64)
}

/// Mixes 16 bytes of each key with two words of the secret.
#[inline(always)]
fn mix<L: Lanes64>(lanes: L, (low, high): (L::Vector, L::Vector), secret: usize) -> L::Vector {
    let low = lanes.xor(low, lanes.splat(SECRET[secret]));
    lanes.fold(low, lanes.xor(high, lanes.splat(SECRET[secret + 1])))
}

/// Hashes keys of 9 to 16 bytes, given their first and last eight.
#[inline(always)]
fn of_two_words<L: Lanes64, const FINAL: bool>(
    lanes: L,
    low: L::Vector,
    high: L::Vector,
    lens: L::Vector,
) -> L::Vector {
    let secret = if FINAL { SHORT } else { [SECRET[0], SECRET[1]] };
    let low = lanes.xor(low, lanes.splat(secret[0]));
    let high = lanes.xor(high, lanes.splat(secret[1]));
    let added = if FINAL { lanes.swap_bytes(low) } else { low };
    let sum = lanes.add(lens, lanes.add(added, high));
    avalanche::<_, FINAL>(lanes, lanes.add(sum, lanes.fold(low, high)))
}

#[inline(always)]
fn avalanche<L: Lanes64, const FINAL: bool>(lanes: L, sum: L::Vector) -> L::Vector {
    let factor = lanes.splat(if FINAL { LAST } else { PRIME64_3 });
    lanes.mixed::<32>(lanes.mul(lanes.mixed::<37>(sum), factor))
}

/// Reads eight bytes of a key.
///
/// # Safety
///
/// The key has eight bytes from `place` on.
#[inline(always)]
pub(super) unsafe fn word(key: &[u8], place: usize) -> u64 {
    // SAFETY: guaranteed by the caller.
    u64::from_le(unsafe { key.as_ptr().add(place).cast::<u64>().read_unaligned() })
}
