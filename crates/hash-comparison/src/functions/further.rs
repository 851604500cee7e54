//! Functions that few programs use or that are new: named, or measured with all others, but never by default.
//!
//! Their crates are compiled by the feature `further-functions` alone. Without it the facts are here, the code is not.

use super::anchors::{ANCHOR, FOX, SEEDED};
use super::{Function, verify::LONG_KEY};
use crate::record::{FunctionGroup, Resistance};
#[cfg(feature = "further-functions")]
use {
    super::anchors::written,
    highway::{HighwayHash as _, HighwayHasher, Key},
    metrohash::MetroHash64,
    polymur_hash::PolymurHash,
};

/// Returns the functions, oldest first.
pub(super) fn all() -> impl Iterator<Item = Function> {
    let all = [
        METRO_HASH_64,
        SEA_HASH,
        HIGHWAY_HASH_64,
        BLAKE3,
        KOMIHASH,
        POLYMUR_HASH,
        GX_HASH_64,
        CHIBI_HASH_64,
        MUSE_AIR,
    ];
    all.into_iter().map(|function| Function {
        group: FunctionGroup::Further,
        lacks: NO_FEATURE.or(function.lacks),
        ..function
    })
}

const NO_FEATURE: Option<&str> = if cfg!(feature = "further-functions") {
    None
} else {
    Some(
        "build it with the feature further-functions, as in `cargo install --locked --path crates/hash-comparison \
         --features further-functions`; `cargo xtask compare` does so when the function is named",
    )
};
/// The reason why functions without a form for other processors are missing.
pub(super) const NO_AES: Option<&str> = if cfg!(target_feature = "aes") {
    None
} else {
    Some(
        "it needs AES instructions, which the processor must have and the build must allow: set \
         RUSTFLAGS='-C target-feature=+aes'; `cargo xtask compare` does so for --all and gxhash64 if the processor has them",
    )
};

/// A closure over a crate that only the feature compiles; without it, a stand-in that is never called.
macro_rules! compiled {
    (|$($argument:ident),+| $value:expr) => {
        |$($argument),+| {
            #[cfg(feature = "further-functions")]
            { $value }
            #[cfg(not(feature = "further-functions"))]
            { unreachable!("a function that is not compiled, of {:?}", ($($argument,)+)) }
        }
    };
}

/// The bytes from 0 on, 251 times over, as BLAKE3's vectors have them and, up to 64, HighwayHash's.
const COUNTING: &[u8; 1025] = &{
    let mut bytes = [0; 1025];
    let mut at = 0;
    while at < bytes.len() {
        bytes[at] = (at % 251) as u8;
        at += 1;
    }
    bytes
};

const METRO_HASH_64: Function = Function {
    name: "MetroHash64",
    ident: "metrohash64",
    hash: compiled!(|key| written(MetroHash64::with_seed(0), key)),
    lacks: if cfg!(target_endian = "big") {
        Some("its crate reads keys in the order of the machine's bytes, which gives other values here")
    } else {
        None
    },
    origin: "metrohash 1.0.7",
    licence: "MIT",
    year: 2015,
    author: "J. Andrew Rogers",
    source: "https://github.com/jandrewrogers/MetroHash, metrohash64.h of July 2015",
    weaknesses: &[
        "The earlier metrohash64_1 and metrohash64_2 give other values.",
        "On short keys its seed is not mixed well (MetroHash issue 3); SMHasher3 lists a bad seed.",
    ],
    aliases: &["MetroHash"],
    resistance_reason: "Not made for secret seeds, which short keys may reveal (MetroHash issue 3).",
    // The author's test vector, then metrohash64.cpp, compiled and run.
    answers: &[
        (
            b"012345678901234567890123456789012345678901234567890123456789012",
            0xad4b_7006_ae3d_756b,
        ),
        (b"", 0x705f_b008_071e_967d),
        (FOX, 0x9c38_7419_1571_b837),
        (&LONG_KEY, 0xec68_10bf_f519_9fce),
    ],
    // The code of SMHasher3.
    code: Some(0x6fa8_28c9),
    seeded: Some(compiled!(|key, seed| written(
        MetroHash64::with_seed(seed.into()),
        key
    ))),
    ..SEEDED
};

const SEA_HASH: Function = Function {
    name: "SeaHash",
    ident: "seahash",
    hash: compiled!(|key| seahash::hash(key)),
    origin: "seahash 4.1.0",
    licence: "MIT",
    year: 2016,
    author: "Ticki",
    source: "https://docs.rs/seahash/4.1.0/seahash/reference, version 4",
    weaknesses: &[
        "Every step can be inverted, so that keys that collide can be computed.",
        "Its four secret words can be computed from values (redox-os/tfs issue 5).",
    ],
    seed: Some("its four default words"),
    resistance_reason: "Its secret words can be computed from values (redox-os/tfs issue 5).",
    // Its test vector, then the reference implementation of its documentation.
    answers: &[
        (b"to be or not to be", 0x1b99_3a82_6f4a_e575),
        (b"", 0xc920_ca43_256f_dcb9),
        (FOX, 0xb5c9_3a0f_41f7_166c),
        (&LONG_KEY, 0x2346_3fd6_43c4_a541),
    ],
    ..SEEDED
};

const HIGHWAY_HASH_64: Function = Function {
    name: "HighwayHash-64",
    ident: "highwayhash_64",
    hash: compiled!(|key| {
        let words = [
            0x0706_0504_0302_0100,
            0x0f0e_0d0c_0b0a_0908,
            0x1716_1514_1312_1110,
            0x1f1e_1d1c_1b1a_1918,
        ];
        HighwayHasher::new(Key(words)).hash64(key)
    }),
    origin: "highway 1.3.0",
    licence: "MIT",
    year: 2016,
    author: "Jyrki Alakuijala, Bill Cox, Jan Wassenberg",
    source: "https://arxiv.org/abs/1612.06257; https://github.com/google/highwayhash",
    weaknesses: &["On short keys slower than SipHash: made for long ones and for vector instructions."],
    aliases: &["HighwayHash"],
    seed: Some("the key of 32 bytes, 00 01 02 ... 1f"),
    resistance: Resistance::Keyed,
    resistance_reason: "Made for a secret key of 256 bits, and no attack is known; the published analysis is its authors' own.",
    // From Google's highwayhash_test.cc.
    answers: &[
        (b"", 0x907a_56de_22c2_6e53),
        (&[0], 0x7eab_43aa_c7cd_dd78),
        (COUNTING.split_at(33).0, 0x2c90_f73c_a031_81fc),
        (COUNTING.split_at(64).0, 0x7554_2c5d_4cd2_a6ff),
    ],
    // The code of SMHasher3, which makes a key from its seed.
    code: Some(0xf324_6108),
    seeded: Some(compiled!(|key, seed| {
        let words = [1, 2, 3, 4].map(|word: u64| word ^ u64::from(seed));
        HighwayHasher::new(Key(words)).hash64(key)
    })),
    ..ANCHOR
};

const BLAKE3: Function = Function {
    name: "BLAKE3",
    ident: "blake3_keyed_64",
    hash: compiled!(|key| {
        let hash = blake3::keyed_hash(b"whats the Elvish word for friend", key);
        hash.as_bytes()
            .first_chunk()
            .map_or(0, |bytes| u64::from_le_bytes(*bytes))
    }),
    origin: "blake3 1.8.7",
    licence: "CC0-1.0 OR Apache-2.0 OR Apache-2.0 WITH LLVM-exception",
    year: 2020,
    author: "Jack O'Connor, Jean-Philippe Aumasson, Samuel Neves, Zooko Wilcox-O'Hearn",
    source: "https://github.com/BLAKE3-team/BLAKE3-specs, keyed; the first 8 of 32 bytes, little-endian",
    weaknesses: &[
        "What a cryptographic function costs: several times the time of SipHash on short keys.",
        "Keys that collide in 64 of its 256 bits are found in some 2^32 attempts by whoever knows the key.",
    ],
    aliases: &["BLAKE3-64"],
    seed: Some("the key of 32 bytes, \"whats the Elvish word for friend\""),
    resistance: Resistance::Keyed,
    resistance_reason: "A cryptographic function under a secret key of 256 bits.",
    // From test_vectors.json of its repository.
    answers: &[
        (b"", 0x763c_ed04_56b7_b292),
        (&[0], 0x5648_2fff_df78_786d),
        (COUNTING, 0x82e3_c7e0_5dc5_7d35),
    ],
    ..ANCHOR
};

const KOMIHASH: Function = Function {
    name: "komihash",
    ident: "komihash_v5",
    hash: compiled!(|key| komihash::komihash(key, 0)),
    origin: "komihash 0.5.0",
    licence: "MIT",
    year: 2021,
    author: "Aleksey Vaneev",
    source: "https://github.com/avaneev/komihash, komihash.h, version 5",
    weaknesses: &[
        "Versions before 5 give other values.",
        "Two keys of 64 bytes that collide under 91 % of all seeds are known (komihash issue 23).",
    ],
    resistance_reason: "Two keys that collide under 91 % of all seeds are known (komihash issue 23).",
    // From the author's README, then komihash.h, compiled and run.
    answers: &[
        (b"This is a test of komihash.", 0x5b13_177f_c68b_4f96),
        (b"7 chars", 0x2c51_4f6e_5dcb_11cb),
        (b"", 0xb768_3ea7_4301_32b4),
        (&LONG_KEY, 0x775f_0319_6c70_74e6),
    ],
    // The code of SMHasher3.
    code: Some(0x8157_ff6d),
    seeded: Some(compiled!(|key, seed| komihash::komihash(key, seed.into()))),
    ..SEEDED
};

/// The secret of polymur-hash, which programs prepare once.
#[cfg(feature = "further-functions")]
static POLYMUR: std::sync::LazyLock<PolymurHash> =
    std::sync::LazyLock::new(|| PolymurHash::from_u64_seed(0xfedc_ba98_7654_3210));

const POLYMUR_HASH: Function = Function {
    name: "polymur-hash",
    ident: "polymur_hash",
    hash: compiled!(|key| POLYMUR.hash_with_tweak(key, 0xabcd_ef01_2345_6789)),
    origin: "polymur-hash 0.2.3",
    licence: "MIT",
    year: 2023,
    author: "Orson Peters",
    source: "https://github.com/orlp/polymur-hash, version 2",
    weaknesses: &[
        "Nothing is promised once an attacker sees values.",
        "The proof of its bound has not been checked by others (polymur-hash issue 7).",
    ],
    aliases: &["PolymurHash"],
    seed: Some("the seed fedcba9876543210, the tweak abcdef0123456789"),
    resistance: Resistance::Keyed,
    resistance_reason: "Under a secret random key, two keys of up to n bytes collide with a probability of at most \
                        n * 2^-60.2, by its author's proof, as long as values stay secret.",
    // From the author's test.c, which has this seed and tweak; the last by polymur-hash.h, compiled and run.
    answers: &[
        (b"", 0x1a6e_f9f9_d6c5_76fb),
        (b"i", 0xd16d_0597_71c6_5e13),
        (b"es", 0x5ee4_e0c0_9f56_2f87),
        (
            b"mbbtplseab2mgtgh8uwlhbmdrwxae3tc2mtf98bwuhmz4bfjnf",
            0x65a5_7c4e_5928_8dc7,
        ),
        (&LONG_KEY, 0x1bfb_a587_754e_20ce),
    ],
    // The code of SMHasher3 for seeds as tweaks of another key.
    code: Some(0x95cf_b54d),
    seeded: Some(compiled!(
        |key, seed| PolymurHash::from_u64_seed(0).hash_with_tweak(key, seed.into())
    )),
    ..ANCHOR
};

const GX_HASH_64: Function = Function {
    name: "gxhash64",
    ident: "gxhash64_v3",
    #[cfg(target_feature = "aes")]
    hash: compiled!(|key| gxhash::gxhash64(key, 0)),
    lacks: NO_AES,
    origin: "gxhash 3.5.0",
    licence: "MIT",
    year: 2023,
    author: "Olivier Giniaux",
    source: "https://github.com/ogxd/gxhash, version 3",
    weaknesses: &[
        "Keys that collide under every seed are easily made (gxhash issue 83).",
        "It needs AES instructions, and every major version gives other values: not for stored data.",
        "It reads beyond the end of short keys, within their page of memory.",
    ],
    aliases: &["gxhash"],
    stable: false,
    resistance_reason: "Keys that collide under every seed are easily made (gxhash issue 83).",
    // The low halves are those of its own test; the rest is recorded from the pinned release.
    answers: &[
        (b"", 0xeed9_6c43_96ff_e83f),
        (&[0], 0x0b68_680a_fced_5be3),
        (&[0; 1000], 0xd296_70f4_8f27_ca2d),
        (FOX, 0x8601_5db3_d63d_c00b),
    ],
    // The code of SMHasher3.
    code: Some(0x48f8_4240),
    #[cfg(target_feature = "aes")]
    seeded: Some(compiled!(|key, seed| gxhash::gxhash64(key, seed.into()))),
    ..SEEDED
};

const CHIBI_HASH_64: Function = Function {
    name: "chibihash64",
    ident: "chibihash64_v2",
    hash: compiled!(|key| chibihash::v2::chibi_hash64(key, 0)),
    origin: "chibihash 0.6.0",
    licence: "MIT",
    year: 2024,
    author: "NRK",
    source: "https://github.com/N-R-K/ChibiHash, chibihash64.h, version 2",
    weaknesses: &[
        "Version 1 gives other values.",
        "It mixes little, as its author says, and is not for keys that an attacker chooses.",
    ],
    aliases: &["ChibiHash"],
    resistance_reason: "Not made to withstand attackers, as its author says.",
    // From chibihash64.h, compiled and run.
    answers: &[
        (b"", 0xd4f6_9e3e_ccf1_28fc),
        (b"a", 0x81ed_3a77_ee3f_4515),
        (FOX, 0x88b3_9bd7_6823_4335),
        (&LONG_KEY, 0xa845_e918_1382_8df8),
    ],
    // The code of SMHasher3.
    code: Some(0x65ed_889a),
    seeded: Some(compiled!(|key, seed| chibihash::v2::chibi_hash64(
        key,
        seed.into()
    ))),
    ..SEEDED
};

const MUSE_AIR: Function = Function {
    name: "MuseAir",
    ident: "museair_v2",
    hash: compiled!(|key| museair::hash(key, 0)),
    origin: "museair 0.6.0",
    year: 2024,
    author: "K--Aethiax",
    source: "https://github.com/eternal-io/museair, version 2 (2026), standard variant",
    weaknesses: &[
        "Versions before 2 give other values; under these, keys that collide under every seed are easily made.",
        "Two keys of 32 bytes that collide under one seed in 180,000 are known (museair issue 4).",
    ],
    resistance_reason: "Two keys that collide under one seed in 180,000 are known (museair issue 4).",
    // Recorded from the pinned release, whose author publishes only the code below.
    answers: &[
        (b"", 0xf28a_037a_2c29_a4d5),
        (FOX, 0xd34a_e8b1_4841_6e5c),
        (&LONG_KEY, 0xfe5c_a71d_7b32_1769),
    ],
    code: Some(0x7140_cabc),
    seeded: Some(compiled!(|key, seed| museair::hash(key, seed.into()))),
    ..SEEDED
};
