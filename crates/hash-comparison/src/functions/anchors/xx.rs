//! The xxHash family.

use super::{ANCHOR, FOX};
use crate::functions::Function;
use crate::functions::verify::check_code;
use crate::record::Resistance;

/// The fields that the xxHash functions share; XXH3 overrides some of them.
const COMMON: Function = Function {
    origin: "xxhash-rust 0.8.19",
    licence: "BSL-1.0",
    author: "Yann Collet",
    source: "https://github.com/Cyan4973/xxHash, doc/xxhash_spec.md",
    weaknesses: &["Keys that collide under every seed are easily made."],
    seed: Some("0"),
    resistance: Resistance::SeedOnly,
    resistance_reason: "Not made for secret seeds: keys that collide under every seed can be made.",
    ..ANCHOR
};

pub(super) const XX_HASH_32: Function = Function {
    name: "xxHash32",
    ident: "xxh32",
    output_bits: 32,
    hash: |key| u64::from(xxhash_rust::xxh32::xxh32(key, 0)),
    year: 2012,
    aliases: &["XXH32"],
    // Vectors that ports commonly test.
    answers: &[
        (b"", 0x02cc_5d05),
        (b"a", 0x550d_7456),
        (b"abc", 0x32d1_53ff),
        (FOX, 0xe85e_a4de),
    ],
    verify: |_| {
        check_code(0xba88_b743, 4, |key, seed| {
            u64::from(xxhash_rust::xxh32::xxh32(key, seed))
        })
    },
    ..COMMON
};

pub(super) const XX_HASH_64: Function = Function {
    name: "xxHash64",
    ident: "xxh64",
    hash: |key| xxhash_rust::xxh64::xxh64(key, 0),
    year: 2014,
    aliases: &["XXH64"],
    // Vectors that ports commonly test.
    answers: &[
        (b"", 0xef46_db37_51d8_e999),
        (b"a", 0xd24e_c4f1_a98c_6e5b),
        (b"abc", 0x44bc_2cf5_ad77_0999),
        (FOX, 0x0b24_2d36_1fda_71bc),
    ],
    verify: |_| {
        check_code(0x024b_7cf4, 8, |key, seed| {
            xxhash_rust::xxh64::xxh64(key, u64::from(seed))
        })
    },
    ..COMMON
};

pub(super) const XXH3: Function = Function {
    name: "XXH3",
    ident: "xxh3_64",
    hash: xxhash_rust::xxh3::xxh3_64,
    year: 2019,
    weaknesses: &["Keys that collide under every seed are known."],
    aliases: &["xxh3-64", "xxhash3"],
    seed: Some("0, with the default secret"),
    resistance_reason: "Keys that collide under every seed are known.",
    // Vectors that ports of XXH3 commonly test.
    answers: &[
        (b"", 0x2d06_8005_38d3_94c2),
        (b"a", 0xe6c6_32b6_1e96_4e1f),
        (b"abc", 0x78af_5f94_892f_3950),
    ],
    verify: |_| {
        // The code of SMHasher3 and of Zig's standard library; rurban's SMHasher has another (0x39cd9e4a), since it
        // derives a secret from the seed instead of passing the seed.
        check_code(0x9a63_6405, 8, |key, seed| {
            xxhash_rust::xxh3::xxh3_64_with_seed(key, u64::from(seed))
        })
    },
    ..COMMON
};
