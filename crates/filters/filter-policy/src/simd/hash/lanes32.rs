//! The hash functions, for a key in each lane.

use crate::simd::lanes::{Lanes, MAX_LANES, STEP, last_bytes};
use crate::simd::source::LaneHash;

/// The longest key that is hashed in a lane. Longer keys are rare, and lanes count in 32 bits.
const LONGEST: usize = 1 << 20;
/// The number of bytes by which the longest key of a group may exceed four times the shortest: beyond that, most lanes
/// wait for one of them.
const UNEVEN: usize = 128;

/// The steps of MurmurHash2 if `MURMUR`, and of LevelDB's hash otherwise. `m` and the shifts are those of `hashzoo`'s sources.
#[derive(Clone, Copy)]
struct Function<S: Lanes, const MURMUR: bool> {
    lanes: S,
    seed: S::Vector,
    m: S::Vector,
}

impl<S: Lanes, const MURMUR: bool> Function<S, MURMUR> {
    #[inline(always)]
    fn new(lanes: S, seed: u32) -> Self {
        Self {
            lanes,
            seed: lanes.splat(seed),
            m: lanes.splat(if MURMUR { 0x5bd1_e995 } else { 0xc6a4_a793 }),
        }
    }

    #[inline(always)]
    fn start(self, lens: S::Vector) -> S::Vector {
        let lens = if MURMUR { lens } else { self.mul(lens) };
        self.lanes.xor(self.seed, lens)
    }

    #[inline(always)]
    fn word(self, hashes: S::Vector, words: S::Vector) -> S::Vector {
        if MURMUR {
            let words = self.mul(self.mixed::<24>(self.mul(words)));
            self.lanes.xor(self.mul(hashes), words)
        } else {
            self.mixed::<16>(self.mul(self.lanes.add(hashes, words)))
        }
    }

    /// Takes the one to three bytes after the last whole word.
    #[inline(always)]
    fn tail(self, hashes: S::Vector, tails: S::Vector) -> S::Vector {
        if MURMUR {
            self.mul(self.lanes.xor(hashes, tails))
        } else {
            self.mixed::<24>(self.mul(self.lanes.add(hashes, tails)))
        }
    }

    #[inline(always)]
    fn finish(self, hashes: S::Vector) -> S::Vector {
        if MURMUR {
            self.mixed::<15>(self.mul(self.mixed::<13>(hashes)))
        } else {
            hashes
        }
    }

    /// Hashes a key of similar length in each lane, given the shortest and the longest of these lengths.
    #[inline(always)]
    fn hash(self, keys: &[&[u8]], [shortest, longest]: [usize; 2], tail: impl Fn(&[u8]) -> u32) -> S::Vector {
        let lanes = self.lanes;
        let equal = shortest == longest;
        let lens = if equal {
            lanes.splat(longest as u32)
        } else {
            each(lanes, keys, |key| key.len() as u32)
        };
        let mut hashes = self.start(lens);
        let mut from = 0;
        while from + STEP <= shortest {
            for words in lanes.words::<true>(keys, from) {
                hashes = self.word(hashes, words);
            }
            from += STEP;
        }
        // From here on some of the keys end.
        let ends = lanes.shift_right::<2>(lens);
        while from + 4 <= longest {
            for (i, words) in lanes.words::<false>(keys, from).into_iter().enumerate() {
                let index = lanes.splat((from / 4 + i) as u32);
                hashes = lanes.if_less(index, ends, self.word(hashes, words), hashes);
            }
            from += STEP;
        }
        if !(equal && longest % 4 == 0) {
            let tails = each(lanes, keys, tail);
            let tail_lens = each(lanes, keys, |key| (key.len() % 4) as u32);
            hashes = lanes.if_less(lanes.splat(0), tail_lens, self.tail(hashes, tails), hashes);
        }
        self.finish(hashes)
    }

    #[inline(always)]
    fn mul(self, vector: S::Vector) -> S::Vector {
        self.lanes.mul(vector, self.m)
    }

    #[inline(always)]
    fn mixed<const BY: u32>(self, vector: S::Vector) -> S::Vector {
        self.lanes.xor(vector, self.lanes.shift_right::<BY>(vector))
    }
}

/// Hashes as many 16-byte keys as there are lanes.
#[inline(always)]
pub(crate) fn packed<S: Lanes>(lanes: S, function: LaneHash, keys: &[[u8; STEP]]) -> S::Vector {
    #[inline(always)]
    fn run<S: Lanes, const MURMUR: bool>(lanes: S, seed: u32, keys: &[[u8; STEP]]) -> S::Vector {
        let function = Function::<S, MURMUR>::new(lanes, seed);
        let mut hashes = function.start(lanes.splat(STEP as u32));
        for words in lanes.packed_words(keys) {
            hashes = function.word(hashes, words);
        }
        lanes.in_order(function.finish(hashes))
    }
    match function {
        LaneHash::LevelDb { seed } => run::<S, false>(lanes, seed, keys),
        LaneHash::Murmur2 { seed } | LaneHash::Murmur2SignedTail { seed } => {
            run::<S, true>(lanes, seed, keys)
        }
    }
}

/// Hashes as many keys as there are lanes.
#[inline(always)]
pub(crate) fn slices<S: Lanes>(lanes: S, function: LaneHash, keys: &[&[u8]]) -> S::Vector {
    let first = keys.first().map_or(0, |key| key.len());
    let (mut shortest, mut longest) = (first, first);
    // Lengths are usually equal, which is faster to check.
    if keys.iter().fold(0, |bits, key| bits | (key.len() ^ first)) != 0 {
        for key in keys {
            shortest = shortest.min(key.len());
            longest = longest.max(key.len());
        }
    }
    let uneven = if S::UNEVEN {
        longest / 4 > shortest + UNEVEN / 4
    } else {
        longest != shortest
    };
    if longest > LONGEST || uneven {
        return each(lanes, keys, |key| function.hash(key));
    }
    let lens = [shortest, longest];
    match function {
        LaneHash::LevelDb { seed } => Function::<S, false>::new(lanes, seed).hash(keys, lens, last_bytes),
        LaneHash::Murmur2 { seed } | LaneHash::Murmur2SignedTail { seed } => {
            let is_signed = matches!(function, LaneHash::Murmur2SignedTail { .. });
            Function::<S, true>::new(lanes, seed).hash(keys, lens, |key| match last_bytes(key) {
                tail if is_signed => sign_extended(tail),
                tail => tail,
            })
        }
    }
}

/// Returns a value for each key.
#[inline(always)]
fn each<S: Lanes>(lanes: S, keys: &[&[u8]], value: impl Fn(&[u8]) -> u32) -> S::Vector {
    let mut values = [0; MAX_LANES];
    for (lane, key) in values.iter_mut().zip(keys) {
        *lane = value(key);
    }
    lanes.load(&values)
}

/// Sign-extends the bytes of a tail, as a program with signed `char` does.
#[inline(always)]
fn sign_extended(tail: u32) -> u32 {
    let [a, b, c, _] = tail.to_le_bytes();
    a as i8 as u32 ^ (b as i8 as u32) << 8 ^ (c as i8 as u32) << 16
}
