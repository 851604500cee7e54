//! FarmHash's 64-bit fingerprint.
//!
//! Origin: Geoff Pike, FarmHash 1.0 (Google, 2014, MIT), `farmhashna::Hash64`, which is `Fingerprint64`: one of the few
//! functions of FarmHash that give the same value on every platform. Stored data depend on it, for example through
//! BigQuery's `FARM_FINGERPRINT` and Guava's `farmHashFingerprint64`. <https://github.com/google/farmhash>
//!
//! Crate `farmhash` 1.1.5 gives other values at 128, 192, 256, ... bytes, because its loop takes the last block twice.

use crate::HashInfo;
use crate::weakness::EASY_COLLISIONS;
use crate::words::{half_word, word};

/// Primes between 2^63 and 2^64.
const K0: u64 = 0xc3a5_c85c_97cb_3127;
const K1: u64 = 0xb492_b66f_be98_f273;
const K2: u64 = 0x9ae1_6a3b_2f90_404f;

/// The bytes per step of the loop over long keys.
const BLOCK: usize = 64;

/// Returns FarmHash's `Fingerprint64` of `key`.
///
/// Output: 64 bits. Seed: none. Empty key: 0x9ae16a3b2f90404f. Never panics.
///
/// ```
/// // From the documentation of BigQuery's FARM_FINGERPRINT.
/// assert_eq!(hashzoo::farm_fingerprint64(b"1footrue") as i64, -1541654101129638711);
/// ```
#[inline]
pub const fn farm_fingerprint64(key: &[u8]) -> u64 {
    match key.len() {
        0..=16 => up_to_16(key),
        17..=32 => up_to_32(key),
        33..=64 => up_to_64(key),
        _ => longer(key),
    }
}

const fn up_to_16(key: &[u8]) -> u64 {
    let len = key.len();
    let multiplier = K2.wrapping_add(2 * len as u64);
    match *key {
        [] => K2,
        [first, ..] if len < 4 => {
            let y = first as u64 | (key[len / 2] as u64) << 8;
            let z = len as u64 + ((key[len - 1] as u64) << 2);
            folded(y.wrapping_mul(K2) ^ z.wrapping_mul(K0)).wrapping_mul(K2)
        }
        _ if len < 8 => combined(
            len as u64 + ((half_word(key, 0) as u64) << 3),
            half_word(key, len - 4) as u64,
            multiplier,
        ),
        _ => {
            let a = word(key, 0).wrapping_add(K2);
            let b = word(key, len - 8);
            let c = b.rotate_right(37).wrapping_mul(multiplier).wrapping_add(a);
            let d = a.rotate_right(25).wrapping_add(b).wrapping_mul(multiplier);
            combined(c, d, multiplier)
        }
    }
}

const fn up_to_32(key: &[u8]) -> u64 {
    let len = key.len();
    let multiplier = K2.wrapping_add(2 * len as u64);
    let (y, z) = halves(key, word(key, 0).wrapping_mul(K1), multiplier);
    combined(y, z, multiplier)
}

const fn up_to_64(key: &[u8]) -> u64 {
    let len = key.len();
    let multiplier = K2.wrapping_add(2 * len as u64);
    let a = word(key, 0).wrapping_mul(K2);
    let (y, z) = halves(key, a, multiplier);
    let z = combined(y, z, multiplier);
    let e = word(key, 16).wrapping_mul(multiplier);
    let f = word(key, 24);
    let g = y.wrapping_add(word(key, len - 32)).wrapping_mul(multiplier);
    let h = z.wrapping_add(word(key, len - 24)).wrapping_mul(multiplier);
    combined(
        e.wrapping_add(f)
            .rotate_right(43)
            .wrapping_add(g.rotate_right(30))
            .wrapping_add(h),
        e.wrapping_add(f.wrapping_add(a).rotate_right(18)).wrapping_add(g),
        multiplier,
    )
}

/// Returns two words of the first and the last 16 bytes; `a` is made of the first eight bytes.
#[inline]
const fn halves(key: &[u8], a: u64, multiplier: u64) -> (u64, u64) {
    let len = key.len();
    let b = word(key, 8);
    let c = word(key, len - 8).wrapping_mul(multiplier);
    let d = word(key, len - 16).wrapping_mul(K2);
    let y = a
        .wrapping_add(b)
        .rotate_right(43)
        .wrapping_add(c.rotate_right(30))
        .wrapping_add(d);
    let z = a
        .wrapping_add(b.wrapping_add(K2).rotate_right(18))
        .wrapping_add(c);
    (y, z)
}

const fn longer(key: &[u8]) -> u64 {
    let y = 81_u64.wrapping_mul(K1).wrapping_add(113);
    let mut state = State {
        x: 81_u64.wrapping_mul(K2).wrapping_add(word(key, 0)),
        y,
        z: folded(y.wrapping_mul(K2).wrapping_add(113)).wrapping_mul(K2),
        v: (0, 0),
        w: (0, 0),
    };
    let mut rest = key;
    // The last 64 bytes come after the loop, even if they are a whole block.
    while rest.len() > BLOCK {
        state = state.stepped(rest, K1, 1);
        rest = rest.split_at(BLOCK).1;
    }
    let multiplier = K1.wrapping_add((state.z & 0xff) << 1);
    state.w.0 = state.w.0.wrapping_add((key.len() as u64 - 1) & 63);
    state.v.0 = state.v.0.wrapping_add(state.w.0);
    state.w.0 = state.w.0.wrapping_add(state.v.0);
    let State { x, y, z, v, w } = state.stepped(key.split_at(key.len() - BLOCK).1, multiplier, 9);
    combined(
        combined(v.0, w.0, multiplier)
            .wrapping_add(folded(y).wrapping_mul(K0))
            .wrapping_add(z),
        combined(v.1, w.1, multiplier).wrapping_add(x),
        multiplier,
    )
}

/// The state of the loop over long keys.
struct State {
    x: u64,
    y: u64,
    z: u64,
    v: (u64, u64),
    w: (u64, u64),
}

impl State {
    /// Mixes in a block. The last block has another multiplier, and counts two words of the state `weight` times.
    #[inline]
    const fn stepped(self, block: &[u8], multiplier: u64, weight: u64) -> Self {
        let Self {
            mut x,
            mut y,
            mut z,
            v,
            w,
        } = self;
        x = x
            .wrapping_add(y)
            .wrapping_add(v.0)
            .wrapping_add(word(block, 8))
            .rotate_right(37)
            .wrapping_mul(multiplier);
        y = y
            .wrapping_add(v.1)
            .wrapping_add(word(block, 48))
            .rotate_right(42)
            .wrapping_mul(multiplier);
        x ^= w.1.wrapping_mul(weight);
        y = y
            .wrapping_add(v.0.wrapping_mul(weight))
            .wrapping_add(word(block, 40));
        z = z.wrapping_add(w.0).rotate_right(33).wrapping_mul(multiplier);
        let v = summed(block, 0, v.1.wrapping_mul(multiplier), x.wrapping_add(w.0));
        let w = summed(block, 32, z.wrapping_add(w.1), y.wrapping_add(word(block, 16)));
        Self { x: z, y, z: x, v, w }
    }
}

/// Mixes the 32 bytes at `at` into two words.
#[inline]
const fn summed(block: &[u8], at: usize, a: u64, b: u64) -> (u64, u64) {
    let last = word(block, at + 24);
    let first = a.wrapping_add(word(block, at));
    let sum = first
        .wrapping_add(word(block, at + 8))
        .wrapping_add(word(block, at + 16));
    let b = b.wrapping_add(first).wrapping_add(last).rotate_right(21);
    (
        sum.wrapping_add(last),
        b.wrapping_add(sum.rotate_right(44)).wrapping_add(first),
    )
}

/// Combines two words into one.
#[inline]
const fn combined(u: u64, v: u64, multiplier: u64) -> u64 {
    let a = folded((u ^ v).wrapping_mul(multiplier));
    let b = folded((v ^ a).wrapping_mul(multiplier));
    b.wrapping_mul(multiplier)
}

#[inline]
const fn folded(value: u64) -> u64 {
    value ^ (value >> 47)
}

pub(super) static INFO: HashInfo = HashInfo {
    name: "FarmHash64",
    ident: "farm_fingerprint64",
    year: 2014,
    author: "Geoff Pike",
    source: "FarmHash 1.0, farmhash.cc, farmhashna::Hash64; https://github.com/google/farmhash",
    output_bits: 64,
    seed: None,
    weaknesses: &[
        EASY_COLLISIONS,
        "Shares its values with CityHash64 up to 32 bytes, and with none of its versions beyond.",
    ],
    aliases: &[
        "FarmHash",
        "Fingerprint64",
        "FARM_FINGERPRINT",
        "farmHashFingerprint64",
    ],
    answers: &[
        (b"1footrue", 0xea9a_f1c3_57a4_ccc9),
        (b"2applefalse", 0x26c7_d758_028b_a93b),
        (b"3true", 0xbc46_31f2_e60e_e4d0),
        (b"test", 0x7717_383d_aa85_b5b2),
        (b"", 0x9ae1_6a3b_2f90_404f),
        (b"hello world", 0x588f_b747_8bd6_b01b),
        (
            b"The quick brown fox jumps over the lazy dog",
            0xabbe_83f3_3b1b_5134,
        ),
        (b"\x00\xff\x80", 0x2153_2f9f_2298_9430),
    ],
    answers_source: "BigQuery's documentation; \"test\": Guava's tests; the last four: farmhash.cc",
    verification: 0x9b32_9eb7,
    hash: farm_fingerprint64,
    seeded: None,
};
