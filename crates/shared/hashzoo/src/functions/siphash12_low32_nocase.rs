//! SipHashNoCase: the low 32 bits of SipHash-1-2 of the key in ASCII lower case.
//!
//! Origin: `siphash_nocase` of Redis (`src/siphash.c`, commit adeed29a of 2017), which folds A to Z as it reads the
//! bytes, and returns 64 bits: [`siphash_nocase`]. See [`siphash`](super::siphash) for the function itself.

use super::siphash12_low32::{SIPHASH_KEY, as_smhasher_seeds, siphash_of};
use crate::HashInfo;
use crate::weakness::{FEWER_ROUNDS, PUBLIC_KEY};

/// Returns the published comparison's SipHashNoCase of `data`: the low 32 bits of SipHash-1-2 of the data in ASCII
/// lower case. The comparison's key is [`SIPHASH_KEY`].
///
/// Output: 32 bits. Key: any 16 bytes. Empty data: 0x9cae6be8 under the published key. Never panics.
///
/// ```
/// use hashzoo::{SIPHASH_KEY, siphash12_low32, siphash12_low32_nocase};
///
/// assert_eq!(siphash12_low32_nocase(&SIPHASH_KEY, b"BASIC"), siphash12_low32(&SIPHASH_KEY, b"basic"));
/// ```
#[inline]
pub const fn siphash12_low32_nocase(key: &[u8; 16], data: &[u8]) -> u32 {
    siphash_nocase::<1, 2>(key, data) as u32
}

/// Returns SipHash-`C`-`D` of `data` in ASCII lower case under `key`, without a copy of the data.
///
/// Output: 64 bits. Key: any 16 bytes. Empty data: depends on the key. Never panics; the length enters modulo 256.
#[inline]
pub const fn siphash_nocase<const C: usize, const D: usize>(key: &[u8; 16], data: &[u8]) -> u64 {
    siphash_of::<C, D, true>(key, data)
}

pub(super) static INFO: HashInfo = HashInfo {
    name: "SipHashNoCase",
    ident: "siphash12_low32_nocase",
    source: "Redis, src/siphash.c, siphash_nocase (2017), after https://eprint.iacr.org/2012/351; the low 32 bits: \
             hash.cpp of github.com/hardcore-os/HashLib (2021)",
    weaknesses: &[
        "Keys that differ in ASCII case alone collide, by design.",
        PUBLIC_KEY,
        FEWER_ROUNDS,
        "32 bits: even under a secret key some tens of thousands of keys are enough for a collision by chance.",
    ],
    answers: &[
        (b"", 0x9cae_6be8),
        (b"hello world", 0xdae0_f000),
        (b"HELLO world", 0xdae0_f000),
        (b"The quick brown fox jumps over the lazy dog", 0xe58d_f332),
        (b"\x00\xff\x80", 0xe2a0_3064),
    ],
    answers_source: "apr_siphash(c = 1, d = 2) of libaprutil1 1.6.3 of the key in lower case, the low half",
    verification: 0xab36_ea67,
    hash: |data| siphash12_low32_nocase(&SIPHASH_KEY, data) as u64,
    seeded: Some(|data, seed| as_smhasher_seeds::<1, 2, true>(data, seed) & u32::MAX as u64),
    ..super::siphash12_low32::INFO
};
