//! SipHash: the low 32 bits of SipHash-1-2, and SipHash with any number of rounds.
//!
//! Origin: Jean-Philippe Aumasson and Daniel J. Bernstein, *SipHash: a fast short-input PRF* (INDOCRYPT 2012, CC0),
//! <https://eprint.iacr.org/2012/351>. Redis chose one round per word and two at the end (`src/siphash.c`, commit
//! adeed29a of 2017); [`SIPHASH_KEY`] is the key of its self-test. Redis itself keeps all 64 bits and draws a random
//! key.

use crate::HashInfo;
use crate::weakness::{FEWER_ROUNDS, PUBLIC_KEY};
use crate::words::after_words_of_8;

/// The key of the published comparison and of Redis's self-test: the ASCII digits `1234567812345678`.
pub const SIPHASH_KEY: [u8; 16] = *b"1234567812345678";

/// The key of the paper's test vectors: the bytes 0 to 15. The 64-bit records of the registry use it.
pub const SIPHASH_TEST_KEY: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// Returns the published comparison's SipHash of `data`: the low 32 bits of SipHash-1-2. The comparison's key is
/// [`SIPHASH_KEY`].
///
/// Output: 32 bits. Key: any 16 bytes. Empty data: 0x9cae6be8 under the published key. Never panics.
///
/// ```
/// use hashzoo::{SIPHASH_KEY, siphash12_low32};
///
/// assert_eq!(siphash12_low32(&SIPHASH_KEY, b"abc"), 0x810add33);
/// ```
#[inline]
pub const fn siphash12_low32(key: &[u8; 16], data: &[u8]) -> u32 {
    siphash12(key, data) as u32
}

/// Returns SipHash-`C`-`D` of `data` under `key`: `C` rounds for each eight bytes, and `D` at the end.
///
/// Output: 64 bits. Key: any 16 bytes. Empty data: depends on the key. Never panics; the length enters modulo 256.
///
/// ```
/// use hashzoo::{SIPHASH_TEST_KEY, siphash};
///
/// assert_eq!(siphash::<2, 4>(&SIPHASH_TEST_KEY, b""), 0x726fdb47dd0e0e31);
/// ```
#[inline]
pub const fn siphash<const C: usize, const D: usize>(key: &[u8; 16], data: &[u8]) -> u64 {
    siphash_of::<C, D, false>(key, data)
}

/// Returns SipHash-1-2, as Redis uses it; see [`siphash`].
#[inline]
pub const fn siphash12(key: &[u8; 16], data: &[u8]) -> u64 {
    siphash::<1, 2>(key, data)
}

/// Returns SipHash-1-3, which the hash tables of Rust's standard library use today; see [`siphash`].
#[inline]
pub const fn siphash13(key: &[u8; 16], data: &[u8]) -> u64 {
    siphash::<1, 3>(key, data)
}

/// Returns SipHash-2-4, which its designers recommend; see [`siphash`].
#[inline]
pub const fn siphash24(key: &[u8; 16], data: &[u8]) -> u64 {
    siphash::<2, 4>(key, data)
}

/// Returns SipHash of the data, or of the data in ASCII lower case, folded as the words are read.
pub(super) const fn siphash_of<const C: usize, const D: usize, const FOLD: bool>(
    key: &[u8; 16],
    data: &[u8],
) -> u64 {
    let mut state = State::new(key);
    let mut rest = data;
    while let Some((word, tail)) = rest.split_first_chunk::<8>() {
        let word = u64::from_le_bytes(*word);
        state.absorb::<C>(if FOLD { fold_ascii_case(word) } else { word });
        rest = tail;
    }
    let last = after_words_of_8(data);
    let last = if FOLD { fold_ascii_case(last) } else { last };
    state.absorb::<C>(last | (data.len() as u64) << 56);
    state.finish::<D>()
}

/// Turns A to Z into a to z in each of the eight bytes.
#[inline]
const fn fold_ascii_case(word: u64) -> u64 {
    const fn in_each_byte(byte: u8) -> u64 {
        u64::from_ne_bytes([byte; 8])
    }
    // Seven-bit bytes plus at most 63 stay below 256, so no byte carries into the next. The top bit of a sum is set if
    // the byte is at least 'A', or above 'Z'.
    let low_seven = word & in_each_byte(0x7f);
    let from_a = low_seven + in_each_byte(0x80 - b'A');
    let past_z = low_seven + in_each_byte(0x7f - b'Z');
    let capital = from_a & !past_z & !word & in_each_byte(0x80);
    // 0x80 >> 2 is the bit between the cases.
    word | capital >> 2
}

struct State {
    v0: u64,
    v1: u64,
    v2: u64,
    v3: u64,
}

impl State {
    /// Mixes the key with the paper's constants, "somepseudorandomlygeneratedbytes".
    #[inline]
    const fn new(key: &[u8; 16]) -> Self {
        let key = u128::from_le_bytes(*key);
        let (k0, k1) = (key as u64, (key >> 64) as u64);
        Self {
            v0: k0 ^ 0x736f_6d65_7073_6575,
            v1: k1 ^ 0x646f_7261_6e64_6f6d,
            v2: k0 ^ 0x6c79_6765_6e65_7261,
            v3: k1 ^ 0x7465_6462_7974_6573,
        }
    }

    const fn absorb<const ROUNDS: usize>(&mut self, word: u64) {
        self.v3 ^= word;
        self.rounds::<ROUNDS>();
        self.v0 ^= word;
    }

    const fn finish<const ROUNDS: usize>(mut self) -> u64 {
        self.v2 ^= 0xff;
        self.rounds::<ROUNDS>();
        self.v0 ^ self.v1 ^ self.v2 ^ self.v3
    }

    const fn rounds<const ROUNDS: usize>(&mut self) {
        let mut done = 0;
        while done < ROUNDS {
            self.v0 = self.v0.wrapping_add(self.v1);
            self.v2 = self.v2.wrapping_add(self.v3);
            self.v1 = self.v1.rotate_left(13) ^ self.v0;
            self.v3 = self.v3.rotate_left(16) ^ self.v2;
            self.v0 = self.v0.rotate_left(32);
            self.v2 = self.v2.wrapping_add(self.v1);
            self.v0 = self.v0.wrapping_add(self.v3);
            self.v1 = self.v1.rotate_left(17) ^ self.v2;
            self.v3 = self.v3.rotate_left(21) ^ self.v0;
            self.v2 = self.v2.rotate_left(32);
            done += 1;
        }
    }
}

/// Seeds SipHash like SMHasher (`siphash_test` and `siphash13_test` of rurban/smhasher): the seed is the first four
/// bytes of the key, the others are zero, and the empty input is not hashed but gives 0.
pub(super) const fn as_smhasher_seeds<const C: usize, const D: usize, const FOLD: bool>(
    data: &[u8],
    seed: u32,
) -> u64 {
    if data.is_empty() {
        return 0;
    }
    siphash_of::<C, D, FOLD>(&(seed as u128).to_le_bytes(), data)
}

pub(super) static INFO: HashInfo = HashInfo {
    name: "SipHash",
    ident: "siphash12_low32",
    year: 2017,
    author: "Jean-Philippe Aumasson and Daniel J. Bernstein; Salvatore Sanfilippo (rounds)",
    source: "Redis, src/siphash.c (2017), after https://eprint.iacr.org/2012/351; the low 32 bits: hash.cpp of \
             github.com/hardcore-os/HashLib (2021)",
    output_bits: 32,
    seed: Some("key \"1234567812345678\" (ASCII)"),
    weaknesses: &[
        PUBLIC_KEY,
        FEWER_ROUNDS,
        "32 bits: even under a secret key some tens of thousands of keys are enough for a collision by chance.",
    ],
    aliases: &[],
    answers: &[
        (b"", 0x9cae_6be8),
        (b"abc", 0x810a_dd33),
        (b"The quick brown fox jumps over the lazy dog", 0x01ed_8033),
        (b"\x00\xff\x80", 0xe2a0_3064),
    ],
    answers_source: "apr_siphash(c = 1, d = 2) of libaprutil1 1.6.3, the low half",
    verification: 0x2579_b868,
    hash: |data| siphash12_low32(&SIPHASH_KEY, data) as u64,
    seeded: Some(|data, seed| as_smhasher_seeds::<1, 2, false>(data, seed) & u32::MAX as u64),
};

pub(super) static ROUNDS_1_2: HashInfo = HashInfo {
    name: "SipHash-1-2",
    ident: "siphash12",
    source: "Redis, src/siphash.c (2017), after https://eprint.iacr.org/2012/351",
    output_bits: 64,
    seed: Some("key 00 01 02 ... 0f (the paper's test key)"),
    weaknesses: &[PUBLIC_KEY, FEWER_ROUNDS],
    answers: &[
        (b"", 0xcea2_8b51_565c_12e2),
        (b"hello world", 0xb91b_8e97_a165_8e27),
        (b"\x00\xff\x80", 0xdb88_ed52_07b2_ea2d),
    ],
    answers_source: "apr_siphash(c = 1, d = 2) of libaprutil1 1.6.3",
    verification: 0xa1c3_0840,
    hash: |data| siphash12(&SIPHASH_TEST_KEY, data),
    seeded: Some(as_smhasher_seeds::<1, 2, false>),
    ..INFO
};

pub(super) static ROUNDS_1_3: HashInfo = HashInfo {
    name: "SipHash-1-3",
    ident: "siphash13",
    year: 2012,
    author: "Jean-Philippe Aumasson and Daniel J. Bernstein",
    source: "https://eprint.iacr.org/2012/351",
    answers: &[
        (b"", 0xabac_0158_050f_c4dc),
        (b"hello world", 0xab49_2b52_ffa7_4d7b),
        (b"\x00\xff\x80", 0x7a65_8ceb_0eca_7c7e),
    ],
    answers_source: "crate siphasher 1.0.4",
    // SMHasher prints the same code.
    verification: 0x29c0_10bf,
    hash: |data| siphash13(&SIPHASH_TEST_KEY, data),
    seeded: Some(as_smhasher_seeds::<1, 3, false>),
    ..ROUNDS_1_2
};

pub(super) static ROUNDS_2_4: HashInfo = HashInfo {
    name: "SipHash-2-4",
    ident: "siphash24",
    weaknesses: &[PUBLIC_KEY],
    answers: &[
        (b"", 0x726f_db47_dd0e_0e31),
        (
            b"\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e",
            0xa129_ca61_49be_45e5,
        ),
        (b"\x00\xff\x80", 0xec9d_9e22_e551_93a0),
    ],
    answers_source: "the paper, appendix A, and its reference code; the last: crate siphasher 1.0.4",
    // SMHasher prints the same code.
    verification: 0xc58d_7f9c,
    hash: |data| siphash24(&SIPHASH_TEST_KEY, data),
    seeded: Some(as_smhasher_seeds::<2, 4, false>),
    ..ROUNDS_1_3
};
