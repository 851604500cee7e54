//! SipHash with the rounds that programs use.

use siphasher::sip::{SipHasher13, SipHasher24};

use super::{ANCHOR, FOX};
use crate::functions::Function;
use crate::functions::verify::check_code;
use crate::record::Resistance;

/// The key of the paper's test vectors. This key is public: a program that hashes untrusted keys must draw its own.
const TEST_KEY: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// The fields that both forms share.
const COMMON: Function = Function {
    origin: "siphasher 1.0.4",
    year: 2012,
    author: "Jean-Philippe Aumasson and Daniel J. Bernstein",
    weaknesses: &[
        "The key is public here: against keys that an attacker chooses it must be random and secret.",
    ],
    seed: Some("the key of 16 bytes, 00 01 02 ... 0f"),
    resistance: Resistance::Keyed,
    ..ANCHOR
};

/// Hashes as for SMHasher's verification value: the seed in the first four key bytes, and 0 for the empty input.
fn as_smhasher_seeds(key: &[u8], seed: u32, hash: impl Fn(&[u8; 16]) -> u64) -> u64 {
    if key.is_empty() {
        return 0;
    }
    hash(&u128::from(seed).to_le_bytes())
}

pub(super) const SIP_HASH_1_3: Function = Function {
    name: "SipHash-1-3",
    ident: "siphash13",
    hash: |key| SipHasher13::new_with_key(&TEST_KEY).hash(key),
    aliases: &["SipHash13"],
    source: "https://eprint.iacr.org/2012/351; the rounds: Rust and Python since 2016 and 2021",
    resistance_reason: "Made for a secret key of 128 bits: fewer rounds than SipHash-2-4, which its authors proposed, and no attack is known.",
    // The first vector that the crate is tested with; the others were computed by `hashzoo`, another implementation.
    answers: &[
        (b"", 0xabac_0158_050f_c4dc),
        (b"hello world", 0xab49_2b52_ffa7_4d7b),
        (FOX, 0x9bd9_3043_0f05_b1ce),
    ],
    verify: |_| {
        check_code(0x29c0_10bf, 8, |key, seed| {
            as_smhasher_seeds(key, seed, |sip_key| SipHasher13::new_with_key(sip_key).hash(key))
        })
    },
    ..COMMON
};

pub(super) const SIP_HASH_2_4: Function = Function {
    name: "SipHash-2-4",
    ident: "siphash24",
    hash: |key| SipHasher24::new_with_key(&TEST_KEY).hash(key),
    aliases: &["SipHash24"],
    source: "https://eprint.iacr.org/2012/351",
    resistance_reason: "Made for a secret key of 128 bits, with the rounds that its authors proposed.",
    // The first vector of the paper's reference code; the others were computed by `hashzoo`, another implementation.
    answers: &[
        (b"", 0x726f_db47_dd0e_0e31),
        (b"hello world", 0xed51_59c9_56cd_5602),
        (FOX, 0x5227_6105_dc1f_6fe4),
    ],
    verify: |_| {
        check_code(0xc58d_7f9c, 8, |key, seed| {
            as_smhasher_seeds(key, seed, |sip_key| SipHasher24::new_with_key(sip_key).hash(key))
        })
    },
    ..COMMON
};
