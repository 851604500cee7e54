//! MurmurHash3, the 128-bit form for 64-bit machines.
//!
//! Origin: Austin Appleby, 2011, public domain: `MurmurHash3_x64_128` in `MurmurHash3.cpp` of SMHasher,
//! <https://github.com/aappleby/smhasher/blob/master/src/MurmurHash3.cpp>. Words are read little-endian here on every
//! platform. Guava's `Hashing.murmur3_128` is this function; its bytes are the two halves in order, each little-endian.
//! `MurmurHash3_x86_128` is another function, and so is Cassandra's, which sign-extends tail bytes.

use crate::HashInfo;
use crate::weakness::COLLISIONS_UNDER_EVERY_SEED;
use crate::words::after_words_of_16;

const C1: u64 = 0x87c3_7b91_1142_53d5;
const C2: u64 = 0x4cf5_ad43_2745_937f;

/// The bytes mixed in at a time.
const BLOCK: usize = 16;

/// Returns the 128 bits of MurmurHash3 of `key` under `seed`, as the halves `(h1, h2)`; Guava's seed is 0.
///
/// Output: twice 64 bits. Seed: any; 0 leaves the empty key at (0, 0). Never panics; the length enters modulo 2^64.
/// [`Murmur3X64_128`] takes the key in pieces.
///
/// ```
/// use hashzoo::murmur3_x64_128;
///
/// const BLOOM: (u64, u64) = murmur3_x64_128(b"bloom", 0);
/// assert_eq!(BLOOM, (0x270dd9a51eeb0832, 0xda269d58ac07a707));
/// ```
#[inline]
pub const fn murmur3_x64_128(key: &[u8], seed: u32) -> (u64, u64) {
    let mut state = State::new(seed);
    let mut rest = key;
    while let Some((block, after)) = rest.split_first_chunk::<BLOCK>() {
        state = state.with_block(u128::from_le_bytes(*block));
        rest = after;
    }
    state.finish(after_words_of_16(key), key.len() as u64)
}

/// The state of [`murmur3_x64_128`] for a key that arrives in pieces. The result does not depend on the pieces.
///
/// ```
/// use hashzoo::{Murmur3X64_128, murmur3_x64_128};
///
/// let mut state = Murmur3X64_128::new(0);
/// state.update(b"blo");
/// state.update(b"om");
/// assert_eq!(state.finish(), murmur3_x64_128(b"bloom", 0));
/// ```
#[derive(Debug, Clone)]
pub struct Murmur3X64_128 {
    state: State,
    /// The last `len % 16` bytes, at the start of the array.
    tail: [u8; BLOCK],
    /// The number of bytes so far, modulo 2^64.
    len: u64,
}

impl Murmur3X64_128 {
    /// Returns the state before the first byte.
    #[inline]
    pub const fn new(seed: u32) -> Self {
        Self {
            state: State::new(seed),
            tail: [0; BLOCK],
            len: 0,
        }
    }

    /// Adds the next bytes of the key.
    #[inline]
    pub fn update(&mut self, bytes: &[u8]) {
        let waiting = self.waiting();
        self.len = self.len.wrapping_add(bytes.len() as u64);
        let room = BLOCK - waiting;
        if bytes.len() < room {
            self.tail[waiting..waiting + bytes.len()].copy_from_slice(bytes);
            return;
        }
        let (first, mut rest) = bytes.split_at(room);
        self.tail[waiting..].copy_from_slice(first);
        self.state = self.state.with_block(u128::from_le_bytes(self.tail));
        while let Some((block, after)) = rest.split_first_chunk::<BLOCK>() {
            self.state = self.state.with_block(u128::from_le_bytes(*block));
            rest = after;
        }
        self.tail[..rest.len()].copy_from_slice(rest);
    }

    /// Returns the hash of all bytes so far.
    #[inline]
    pub const fn finish(&self) -> (u64, u64) {
        let stale = 8 * (BLOCK - self.waiting()) as u32;
        // The bytes after the tail belong to earlier blocks and are shifted out. A shift by 128 bits would overflow.
        let tail = match u128::from_le_bytes(self.tail).checked_shl(stale) {
            Some(shifted) => shifted >> stale,
            None => 0,
        };
        self.state.finish(tail, self.len)
    }

    /// Returns the number of bytes that do not fill a block yet.
    const fn waiting(&self) -> usize {
        (self.len % BLOCK as u64) as usize
    }
}

#[derive(Debug, Clone, Copy)]
struct State {
    h1: u64,
    h2: u64,
}

impl State {
    #[inline]
    const fn new(seed: u32) -> Self {
        Self {
            h1: seed as u64,
            h2: seed as u64,
        }
    }

    #[inline]
    const fn with_block(self, block: u128) -> Self {
        let State { h1, h2 } = self.with_words(block);
        // `self.h2` is the second half before its word was mixed in.
        let h1 = h1.rotate_left(27).wrapping_add(self.h2);
        let h1 = h1.wrapping_mul(5).wrapping_add(0x52dc_e729);
        let h2 = h2.rotate_left(31).wrapping_add(h1);
        let h2 = h2.wrapping_mul(5).wrapping_add(0x3849_5ab5);
        Self { h1, h2 }
    }

    /// Mixes both words into their halves. A zero word leaves its half unchanged.
    #[inline]
    const fn with_words(self, words: u128) -> Self {
        let (k1, k2) = (words as u64, (words >> 64) as u64);
        Self {
            h1: self.h1 ^ k1.wrapping_mul(C1).rotate_left(31).wrapping_mul(C2),
            h2: self.h2 ^ k2.wrapping_mul(C2).rotate_left(33).wrapping_mul(C1),
        }
    }

    #[inline]
    const fn finish(self, tail: u128, len: u64) -> (u64, u64) {
        let mixed = if len.is_multiple_of(BLOCK as u64) {
            self
        } else {
            self.with_words(tail)
        };
        let State { mut h1, mut h2 } = mixed;
        h1 ^= len;
        h2 ^= len;
        h1 = h1.wrapping_add(h2);
        h2 = h2.wrapping_add(h1);
        h1 = avalanche(h1);
        h2 = avalanche(h2);
        h1 = h1.wrapping_add(h2);
        h2 = h2.wrapping_add(h1);
        (h1, h2)
    }
}

/// Appleby's `fmix64`.
#[inline]
const fn avalanche(mut k: u64) -> u64 {
    k ^= k >> 33;
    k = k.wrapping_mul(0xff51_afd7_ed55_8ccd);
    k ^= k >> 33;
    k = k.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    k ^ (k >> 33)
}

pub(super) static INFO: HashInfo = HashInfo {
    name: "MurmurHash3_x64_128",
    ident: "murmur3_x64_128",
    year: 2011,
    author: "Austin Appleby",
    source: "MurmurHash3.cpp, https://github.com/aappleby/smhasher/blob/master/src/MurmurHash3.cpp; the value is the \
             first half, h1",
    output_bits: 64,
    seed: Some("seed 0 (Guava's)"),
    weaknesses: &[COLLISIONS_UNDER_EVERY_SEED],
    aliases: &["murmur3_128", "MurmurHash3F"],
    answers: &[
        (b"", 0),
        (b"abc", 0xb496_3f3f_3fad_7867),
        (b"hello", 0xcbd8_a7b3_41bd_9b02),
        (
            b"The quick brown fox jumps over the lazy dog",
            0xe34b_bc7b_bc07_1b6c,
        ),
        (b"\x00\xff\x80", 0xf7ce_2dc0_4093_0cc0),
    ],
    answers_source: "a transcription of MurmurHash3.cpp into Python; the last: crate murmur3 0.5.2",
    verification: 0x443d_8c6d,
    hash: |key| murmur3_x64_128(key, 0).0,
    seeded: Some(|key, seed| murmur3_x64_128(key, seed).0),
};
