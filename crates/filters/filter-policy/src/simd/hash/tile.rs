//! Hashes the keys of a tile in lanes. The keys of a group belong to one class of lengths and may be anywhere in the
//! tile, so no branch depends on the length of a key.

use core::hint::assert_unchecked;
use core::marker::PhantomData;

use crate::simd::keys::Keys;
use crate::simd::lanes::{Lanes64, Target, WideLanes, Work};
use crate::simd::source::{Source, TILE};

/// The maximum number of keys in a group.
pub(crate) const MAX_GROUP: usize = 8;

/// If a tile's first and last key are fewer bytes apart, the tile's keys are adjacent in memory.
const FETCHED_TOGETHER: usize = 128 * TILE;

/// The number of bytes up to which adjacent keys are likely to be in a cache that needs no prefetching: half of the
/// second cache of a server's core. Asking a filter of 3,000 keys for four megabytes of scattered keys takes half as
/// long with prefetching if they are not cached, and as long if they are.
const IN_CACHE: usize = 1 << 19;

// A mask has a bit for each key of a tile.
const _: () = assert!(TILE <= 64);

/// A key for each lane; the others are unused.
pub(crate) type Group<'a> = [&'a [u8]; MAX_GROUP];

/// A hash function for keys of some classes of lengths.
pub(crate) trait Classes {
    /// The bounds of the classes: the keys of a class are longer than one bound and not longer than the next.
    const BOUNDS: &[u64];

    /// Returns the hash values of a group.
    ///
    /// # Safety
    ///
    /// The keys are of the class.
    unsafe fn of_class<L: Lanes64, const CLASS: usize>(lanes: L, keys: &Group<'_>) -> L::Vector;

    /// Returns the hash value of a key of any length.
    fn of_one(key: &[u8]) -> u64;

    /// Hashes at most [`TILE`] keys from `start` on. Panics if there are too few.
    fn hash<S: WideLanes>(lanes: S, keys: Keys<'_>, start: usize, hashes: &mut [u64]);
}

/// Computes at most [`TILE`] hash values from `start` on. Panics if there are too few.
#[inline(always)]
pub(crate) fn hash<F: Classes, T: Target>(
    target: T,
    source: Source<'_, u64>,
    start: usize,
    hashes: &mut [u64],
) {
    target.call(HashTile::<F>(source, start, hashes, PhantomData));
}

struct HashTile<'k, 'h, F>(Source<'k, u64>, usize, &'h mut [u64], PhantomData<F>);

impl<F: Classes> Work for HashTile<'_, '_, F> {
    type Out = ();

    #[inline(always)]
    fn portable(self) {
        let Self(source, start, hashes, _) = self;
        source.hash_by(F::of_one, start, hashes);
    }

    #[inline(always)]
    fn wide<S: WideLanes>(self, lanes: S) {
        match self {
            Self(Source::Keys(keys), start, hashes, _) => F::hash(lanes, keys, start, hashes),
            given => given.portable(),
        }
    }
}

/// Hashes 1 to [`TILE`] keys, and prefetches later ones, as many with each group: all at once, they would wait for each
/// other.
#[inline(always)]
pub(super) fn hash_slices<F: Classes, S: Target, L: Lanes64>(
    of_processor: S,
    lanes: L,
    keys: &[&[u8]],
    mut later: Later<'_, '_>,
    hashes: &mut [u64],
) {
    // For each bound, the keys that are longer. Keys at the end that do not fill all lanes are in no class.
    let mut longer = [0; 4];
    for (i, keys) in keys.chunks_exact(L::LANES).enumerate() {
        let lens = lanes.collect(|i| keys[i].len() as u64);
        for (longer, &bound) in longer.iter_mut().zip(F::BOUNDS) {
            *longer |= u64::from(lanes.above(lens, bound)) << (L::LANES * i);
        }
    }
    let [above_0, above_1, above_2, above_3] = longer;
    // SAFETY: the keys at these places are of the class, and there is a hash value for each key.
    unsafe {
        hash_class::<F, S, L, 0>(of_processor, lanes, &mut later, above_0 & !above_1, keys, hashes);
        hash_class::<F, S, L, 1>(of_processor, lanes, &mut later, above_1 & !above_2, keys, hashes);
        if F::BOUNDS.len() > 3 {
            hash_class::<F, S, L, 2>(of_processor, lanes, &mut later, above_2 & !above_3, keys, hashes);
        }
    }
    let last = if F::BOUNDS.len() > 3 { above_3 } else { above_2 };
    let mut others = !(above_0 & !last) & u64::MAX >> (64 - keys.len());
    while others != 0 {
        let place = others.trailing_zeros() as usize;
        hashes[place] = F::of_one(keys[place]);
        others &= others - 1;
    }
}

/// Hashes the keys at these places, as many at a time as there are lanes. The last key fills up the last group.
///
/// # Safety
///
/// There are keys of the class and room for hash values at all of the places.
#[inline(always)]
unsafe fn hash_class<F: Classes, S: Target, L: Lanes64, const CLASS: usize>(
    of_processor: S,
    lanes: L,
    later: &mut Later<'_, '_>,
    places: u64,
    keys: &[&[u8]],
    hashes: &mut [u64],
) {
    let (mut left, room) = (places, hashes.len());
    for _ in 0..(places.count_ones() as usize).div_ceil(L::LANES) {
        let mut places = [0; MAX_GROUP];
        let mut group: Group<'_> = [&[]; MAX_GROUP];
        for (key, place) in group.iter_mut().zip(&mut places).take(L::LANES) {
            *place = left.trailing_zeros() as usize;
            // SAFETY: guaranteed by the caller.
            unsafe { assert_unchecked(*place < keys.len() && *place < room) }
            let after = left & left.wrapping_sub(1);
            left = if after == 0 { left } else { after };
            *key = keys[*place];
        }
        later.prefetch(of_processor, L::LANES);
        let mut values = [0; MAX_GROUP];
        // SAFETY: guaranteed by the caller.
        lanes.store(unsafe { F::of_class::<L, CLASS>(lanes, &group) }, &mut values);
        for (place, value) in places.into_iter().zip(values).take(L::LANES) {
            hashes[place] = value;
        }
    }
}

/// Splits hash values into groups of one for each lane and the rest.
#[inline(always)]
pub(super) fn groups_of<L: Lanes64>(
    _: L,
    hashes: &mut [u64],
) -> (core::slice::ChunksExactMut<'_, u64>, &mut [u64]) {
    let (groups, others) = hashes.split_at_mut(hashes.len() / L::LANES * L::LANES);
    (groups.chunks_exact_mut(L::LANES), others)
}

/// The keys that are hashed after those of a tile.
#[derive(Clone, Copy)]
pub(crate) struct Later<'a, 'k>(&'a [&'k [u8]]);

impl Later<'_, '_> {
    pub(super) const NONE: Self = Self(&[]);

    /// Prefetches both ends of the next keys.
    #[inline(always)]
    pub(crate) fn prefetch<L: Target>(&mut self, lanes: L, count: usize) {
        let (next, rest) = self.0.split_at(count.min(self.0.len()));
        self.0 = rest;
        for key in next {
            lanes.prefetch::<false, _>(key, 0);
            lanes.prefetch::<false, _>(key, key.len().wrapping_sub(1));
        }
    }
}

/// Returns `count` keys from `start` on, at most [`TILE`], as slices, and the later ones to prefetch.
#[inline(always)]
pub(super) fn slices<'a, 'k, L: Target>(
    lanes: L,
    keys: &Keys<'k>,
    start: usize,
    count: usize,
    room: &'a mut Option<[&'k [u8]; TILE]>,
) -> (&'a [&'k [u8]], Later<'a, 'k>)
where
    'k: 'a,
{
    match keys {
        Keys::Slices(keys) => (&keys[start..start + count], later(lanes, keys, start)),
        Keys::Packed(keys) => {
            let len = keys.key_len();
            let keys = keys.bytes()[start * len..].chunks_exact(len);
            let room = room.insert([&[]; TILE]);
            for (slice, key) in room.iter_mut().zip(keys) {
                *slice = key;
            }
            (&room[..count], Later::NONE)
        }
    }
}

/// Returns the keys to prefetch while those of the tile from `start` on are hashed: the next tile's, unless they are so
/// close together and so few that prefetching would take longer than it saves. Prefetches the first tile at once.
#[inline(always)]
pub(crate) fn later<'a, 'k, L: Target>(lanes: L, keys: &'a [&'k [u8]], start: usize) -> Later<'a, 'k> {
    let (tile, later) = keys[start..].split_at(TILE.min(keys.len() - start));
    let place = |key: Option<&&[u8]>| key.map_or(0, |key| key.as_ptr().addr());
    let apart = place(tile.first()).abs_diff(place(tile.last()));
    if apart < FETCHED_TOGETHER && apart * (keys.len() / TILE) < IN_CACHE {
        return Later::NONE;
    }
    if start == 0 {
        Later(tile).prefetch(lanes, TILE);
    }
    Later(&later[..later.len().min(TILE)])
}

/// Returns true if all keys have 16 bytes. A separate function without target features: where gather instructions are
/// available, the compiler uses them for the lengths, which takes as long as hashing the keys.
#[inline(never)]
pub(super) fn have_16_bytes(keys: &[&[u8]]) -> bool {
    keys.iter().fold(0, |bits, key| bits | (key.len() ^ 16)) == 0
}
