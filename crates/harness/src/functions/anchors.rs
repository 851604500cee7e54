//! Modern functions to hold the classic ones against, each from a maintained crate.
//!
//! All are called on the bytes of the key alone, with a fixed seed, and in whole: 64-bit functions compute all their
//! bits, of which the low 32 are compared.

#[cfg(all(target_pointer_width = "64", target_endian = "little"))]
use std::hash::BuildHasher as _;
use std::hash::Hasher as _;

use hashzoo::verification_value;

use super::Function;
use super::verify::{Answers, WrongAnswer, check, check_answers};
use crate::record::FunctionGroup;

/// The anchors, oldest first.
///
/// foldhash is among them on 64-bit little-endian platforms only: it has other values elsewhere, of which nothing is
/// known, and no function is measured unchecked.
pub const ALL: &[Function] = &[
    CRC_32,
    FNV_1A,
    MURMUR_HASH_3,
    XXH3,
    RAPIDHASH,
    #[cfg(all(target_pointer_width = "64", target_endian = "little"))]
    FOLDHASH,
];

const FOX: &[u8] = b"The quick brown fox jumps over the lazy dog";

const CRC_32: Function = Function {
    name: "CRC-32",
    ident: "crc32",
    group: FunctionGroup::Anchor,
    output_bits: 32,
    hash: |key| u64::from(crc32fast::hash(key)),
    origin: "crc32fast 1.5.4",
    year: 1975,
    author: "W. Wesley Peterson (method, 1961); the polynomial 0x04c11db7 of Autodin II",
    source: "ISO 3309; RFC 1952, section 8",
    weaknesses: &[
        "Linear: the difference of two values depends on the difference of the keys alone.",
        "Made to find transmission errors, not to spread keys.",
    ],
    aliases: &["crc32fast", "crc-32/iso-hdlc"],
    stable: true,
    verify: |function| {
        // The check value of the catalogue of parametrised CRC algorithms, and one more.
        const ANSWERS: &Answers = &[(b"", 0), (b"123456789", 0xcbf4_3926), (FOX, 0x414f_a339)];
        check_answers(function, ANSWERS)?;
        check_code(0x3719_db20, 4, |key, seed| {
            let mut hasher = crc32fast::Hasher::new_with_initial(seed);
            hasher.update(key);
            u64::from(hasher.finalize())
        })
    },
};

const FNV_1A: Function = Function {
    name: "FNV-1a",
    ident: "fnv1a",
    group: FunctionGroup::Anchor,
    output_bits: 64,
    hash: |key| {
        let mut hasher = fnv::FnvHasher::default();
        hasher.write(key);
        hasher.finish()
    },
    origin: "fnv 1.0.7",
    year: 2003,
    author: "Glenn Fowler, Landon Curt Noll, Phong Vo",
    source: "RFC 9923; http://www.isthe.com/chongo/tech/comp/fnv/; hash_64a.c of https://github.com/lcn2/fnv (2003)",
    weaknesses: &[
        "The low bits of the value depend on the low bits of the key's bytes alone.",
        "A byte at a time, each step waiting for the one before.",
    ],
    aliases: &["fnv-1a-64", "fnv64a"],
    stable: true,
    verify: |function| {
        // From Noll's own test vectors.
        const ANSWERS: &Answers = &[
            (b"", 0xcbf2_9ce4_8422_2325),
            (b"a", 0xaf63_dc4c_8601_ec8c),
            (b"foobar", 0x8594_4171_f739_67e8),
        ];
        check_answers(function, ANSWERS)?;
        check_code(0x1034_55fc, 8, |key, seed| {
            let mut hasher = fnv::FnvHasher::with_key(u64::from(seed) ^ 0xcbf2_9ce4_8422_2325);
            hasher.write(key);
            hasher.finish()
        })
    },
};

const MURMUR_HASH_3: Function = Function {
    name: "MurmurHash3",
    ident: "murmur3_32",
    group: FunctionGroup::Anchor,
    output_bits: 32,
    // Not crate `murmur3`, which reads the key through `std::io::Read` and takes more than twice the time.
    hash: |key| u64::from(murmurhash32::murmurhash3_with_seed::<0>(key)),
    origin: "murmurhash32 0.4.0",
    year: 2011,
    author: "Austin Appleby",
    source: "https://github.com/aappleby/smhasher, MurmurHash3.cpp, MurmurHash3_x86_32",
    weaknesses: &["Keys that collide under every seed are easily made."],
    aliases: &["murmur3", "murmurhash3_x86_32"],
    stable: true,
    verify: |function| {
        // Vectors in common use; Wikipedia's article on MurmurHash has the last two.
        const ANSWERS: &Answers = &[(b"", 0), (b"test", 0xba6b_d213), (FOX, 0x2e4f_f723)];
        check_answers(function, ANSWERS)?;
        // The crate takes its seed at compile time, so this is the code of the form with seed 0. The tests compare it
        // with another crate, whose code with seeds is the published one.
        check_code(0xe26b_b05b, 4, |key, _| (function.hash)(key))
    },
};

const XXH3: Function = Function {
    name: "XXH3",
    ident: "xxh3_64",
    group: FunctionGroup::Anchor,
    output_bits: 64,
    hash: xxhash_rust::xxh3::xxh3_64,
    origin: "xxhash-rust 0.8.19",
    year: 2019,
    author: "Yann Collet",
    source: "https://github.com/Cyan4973/xxHash, doc/xxhash_spec.md",
    weaknesses: &["Keys that collide under every seed are known."],
    aliases: &["xxh3-64", "xxhash3"],
    stable: true,
    verify: |function| {
        // Vectors that ports of XXH3 commonly test.
        const ANSWERS: &Answers = &[
            (b"", 0x2d06_8005_38d3_94c2),
            (b"a", 0xe6c6_32b6_1e96_4e1f),
            (b"abc", 0x78af_5f94_892f_3950),
        ];
        check_answers(function, ANSWERS)?;
        // The code of SMHasher3 and of Zig's standard library; rurban's SMHasher has another (0x39cd9e4a), since it
        // makes a secret from the seed instead of giving the seed.
        check_code(0x9a63_6405, 8, |key, seed| {
            xxhash_rust::xxh3::xxh3_64_with_seed(key, u64::from(seed))
        })
    },
};

const RAPIDHASH: Function = Function {
    name: "rapidhash",
    ident: "rapidhash_v3",
    group: FunctionGroup::Anchor,
    output_bits: 64,
    // Version 3 under its default seed 0: the module whose values the crate promises to keep.
    hash: rapidhash::v3::rapidhash_v3,
    origin: "rapidhash 4.5.1",
    year: 2025,
    author: "Nicolas De Carli",
    source: "https://github.com/Nicoshev/rapidhash, rapidhash.h, version 3",
    weaknesses: &["With the default secrets, keys that collide under every seed are known."],
    aliases: &["rapidhash v3"],
    stable: true,
    verify: |function| {
        // From the official C header, version 3 (commit 92731ee), compiled and run; so is the code below.
        const ANSWERS: &Answers = &[
            (b"", 0x0338_dc4b_e2ce_cdae),
            (b"a", 0x599f_47df_33a2_e1eb),
            (b"abc", 0xcb47_5bea_fa9c_0da2),
            (b"hello world", 0x2f27_cb27_d524_0940),
            (FOX, 0x9172_2dc8_d52a_3f7b),
        ];
        check_answers(function, ANSWERS)?;
        check_code(0x1fdc_65ee, 8, |key, seed| {
            let secrets = rapidhash::v3::RapidSecrets::seed_cpp(u64::from(seed));
            rapidhash::v3::rapidhash_v3_seeded(key, &secrets)
        })?;
        // Version 1 has a published code, and shares its arithmetic with version 3.
        check_code(0xaf40_4c4b, 8, |key, seed| {
            let secrets = rapidhash::v1::RapidSecrets::seed_cpp(u64::from(seed));
            rapidhash::v1::rapidhash_v1_seeded(key, &secrets)
        })
    },
};

/// Seed of the foldhash that is measured; any fixed one would do.
#[cfg(all(target_pointer_width = "64", target_endian = "little"))]
const FOLDHASH_SEED: u64 = 0;

#[cfg(all(target_pointer_width = "64", target_endian = "little"))]
const FOLDHASH: Function = Function {
    name: "foldhash",
    ident: "foldhash_quality",
    group: FunctionGroup::Anchor,
    output_bits: 64,
    // `write`, not `Hash for [u8]`, which would hash the length as well.
    hash: |key| {
        let mut hasher = foldhash::quality::FixedState::with_seed(FOLDHASH_SEED).build_hasher();
        hasher.write(key);
        hasher.finish()
    },
    origin: "foldhash 0.2.0",
    year: 2024,
    author: "Orson Peters",
    source: "https://github.com/orlp/foldhash",
    weaknesses: &[
        "Its values may change with any release, and differ between platforms: not for stored data.",
    ],
    aliases: &["foldhash quality"],
    stable: false,
    verify: |function| {
        // Nothing is published, since nothing is promised. Written down from the pinned release, so that a change does
        // not go unseen.
        const ANSWERS: &Answers = &[
            (b"", 0xcfbc_9eae_bd51_464b),
            (b"a", 0x3199_587a_bf73_4b40),
            (FOX, 0x15a7_cc07_0c67_7dae),
        ];
        check_answers(function, ANSWERS)?;
        check_code(0x2cce_7155, 8, |key, _| (function.hash)(key))
    },
};

/// Checks the verification value of the crate behind a function, where seeds can be given.
fn check_code(
    expected: u32,
    result_bytes: usize,
    hash: impl Fn(&[u8], u32) -> u64,
) -> Result<(), WrongAnswer> {
    check(
        || "SMHasher's verification value".to_owned(),
        u64::from(expected),
        u64::from(verification_value(hash, result_bytes)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn murmurhash3_is_the_one_with_the_published_code() {
        let seeded = |mut key: &[u8], seed| u64::from(murmur3::murmur3_32(&mut key, seed).unwrap());
        assert_eq!(verification_value(seeded, 4), 0xb0f5_7ee3);
        for length in 0..300 {
            let key: Vec<u8> = (0..length).map(|i: u32| (i * 37 + length) as u8).collect();
            assert_eq!((MURMUR_HASH_3.hash)(&key), seeded(&key, 0), "{length} bytes");
        }
        assert_eq!(verification_value(|key, _| seeded(key, 0), 4), 0xe26b_b05b);
    }
}
