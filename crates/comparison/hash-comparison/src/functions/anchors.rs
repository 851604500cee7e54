//! Functions outside the published comparison as reference points, each from a maintained crate.
//!
//! Each function hashes only the bytes of the key, with a fixed seed. 64-bit functions compute all their bits; the low
//! 32 are compared.

#[cfg(all(target_pointer_width = "64", target_endian = "little"))]
mod in_memory;

use std::hash::Hasher;

use super::{Function, zoo};
use crate::functions::verify::LONG_KEY;
use crate::record::{FunctionGroup, Resistance};
use siphasher::sip::{SipHasher13, SipHasher24};
use wyhash_final4::generics::WyHasher;
use wyhash_final4::wyhash64::WyHash64;

/// Returns the anchors that do not come from `hashzoo`, oldest first. Functions without stable values come last, and
/// only on platforms where their values are known.
pub(super) fn all() -> impl Iterator<Item = Function> {
    let promised = [
        CRC_32,
        CRC_32C,
        FNV_1A,
        MURMUR_HASH_3,
        CITY_HASH_64,
        XX_HASH_32,
        sip(
            "siphash24",
            |key| SipHasher24::new_with_key(&TEST_KEY).hash(key),
            &["SipHash24"],
            SIP_2_4,
        ),
        sip(
            "siphash13",
            |key| SipHasher13::new_with_key(&TEST_KEY).hash(key),
            &["SipHash13"],
            SIP_1_3,
        ),
        xx("xxh64", |key| xxhash_rust::xxh64::xxh64(key, 0), &["XXH64"]),
        WYHASH,
        xx("xxh3_64", xxhash_rust::xxh3::xxh3_64, &["xxh3-64", "xxhash3"]),
        RAPIDHASH,
    ];
    #[cfg(all(target_pointer_width = "64", target_endian = "little"))]
    let in_memory = in_memory::all();
    #[cfg(not(all(target_pointer_width = "64", target_endian = "little")))]
    let in_memory = [];
    promised.into_iter().chain(in_memory)
}

const FOX: &[u8] = b"The quick brown fox jumps over the lazy dog";

/// The fields that most anchors share.
const ANCHOR: Function = Function {
    group: FunctionGroup::Anchor,
    licence: "MIT OR Apache-2.0",
    resistance_reason: "No seed: keys that collide, once found, collide in every program.",
    ..Function::custom("", 64, |_| 0, &[])
};

/// The fields that functions with a seed share that was not made to be secret.
const SEEDED: Function = Function {
    seed: Some("0"),
    resistance: Resistance::SeedOnly,
    weaknesses: &["Keys that collide under every seed are easily made."],
    resistance_reason: "Keys that collide under every seed are easily made.",
    ..ANCHOR
};

/// Hashes the bytes of a key with `write`, not with `Hash for [u8]`, which would hash the length as well.
#[inline]
pub(super) fn written(mut hasher: impl Hasher, key: &[u8]) -> u64 {
    hasher.write(key);
    hasher.finish()
}

// Cyclic redundancy checks.

const CRC_32: Function = Function {
    name: "CRC-32",
    ident: "crc32",
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
    resistance_reason: "The seed cancels out: keys that collide under one seed collide under all.",
    // The check value of the catalogue of parametrised CRC algorithms, and one more.
    answers: &[
        (b"", 0),
        (b"123456789", 0xcbf4_3926),
        (FOX, 0x414f_a339),
        (&LONG_KEY, 0xd2cd_d6ee),
    ],
    code: Some(0x3719_db20),
    seeded: Some(|key, seed| {
        let mut hasher = crc32fast::Hasher::new_with_initial(seed);
        hasher.update(key);
        u64::from(hasher.finalize())
    }),
    ..ANCHOR
};

const CRC_32C: Function = Function {
    name: "CRC-32C",
    ident: "crc32c",
    hash: |key| u64::from(crc32c::crc32c(key)),
    origin: "crc32c 0.6.9",
    year: 1993,
    author: "Guy Castagnoli, Stefan Bräuer, Martin Herrmann (the polynomial 0x1edc6f41)",
    source: "IEEE Transactions on Communications 41 (6), 1993; RFC 3720, appendix B.4",
    aliases: &["crc-32/iscsi", "Castagnoli"],
    // The check value of the catalogue of parametrised CRC algorithms, then 32 bytes of 0x00 and of 0xff from RFC 3720.
    answers: &[
        (b"", 0),
        (b"123456789", 0xe306_9283),
        (&[0; 32], 0x8a91_36aa),
        (&[0xff; 32], 0x62a8_ab43),
        (&LONG_KEY, 0x1612_3e88),
    ],
    // The code of SMHasher3.
    code: Some(0x6e60_71bd),
    seeded: Some(|key, seed| u64::from(crc32c::crc32c_append(seed, key))),
    ..CRC_32
};

// FNV-1a, 64 bits; the forms of 32 bits are in `hashzoo`.

const FNV_1A: Function = Function {
    name: "FNV-1a 64",
    ident: "fnv1a_64",
    hash: |key| written(fnv::FnvHasher::default(), key),
    origin: "fnv 1.0.7",
    year: 2003,
    author: "Glenn Fowler, Landon Curt Noll, Phong Vo",
    source: "RFC 9923; http://www.isthe.com/chongo/tech/comp/fnv/; hash_64a.c of https://github.com/lcn2/fnv (2003)",
    weaknesses: &[
        "The low bits of the value depend on the low bits of the key's bytes alone.",
        "On short keys the high bits are poor: tables that take them suffer.",
        "A byte at a time, each step waiting for the one before.",
    ],
    aliases: &["fnv-1a-64", "fnv64a"],
    // From Noll's own test vectors.
    answers: &[
        (b"", 0xcbf2_9ce4_8422_2325),
        (b"a", 0xaf63_dc4c_8601_ec8c),
        (b"foobar", 0x8594_4171_f739_67e8),
    ],
    code: Some(0x1034_55fc),
    seeded: Some(|key, seed| {
        let start = u64::from(seed) ^ 0xcbf2_9ce4_8422_2325;
        written(fnv::FnvHasher::with_key(start), key)
    }),
    ..ANCHOR
};

// MurmurHash3, 32 bits; the form of 128 bits is in `hashzoo`.

const MURMUR_HASH_3: Function = Function {
    name: "MurmurHash3",
    ident: "murmur3_32",
    output_bits: 32,
    // Not crate `murmur3`, which reads the key through `std::io::Read` and takes more than twice the time.
    hash: |key| u64::from(murmurhash32::murmurhash3_with_seed::<0>(key)),
    origin: "murmurhash32 0.4.0",
    licence: "MIT",
    year: 2011,
    author: "Austin Appleby",
    source: "https://github.com/aappleby/smhasher, MurmurHash3.cpp, MurmurHash3_x86_32",
    aliases: &["murmur3-32", "murmurhash3_x86_32"],
    // Vectors in common use; Wikipedia's article on MurmurHash has the last two.
    answers: &[(b"", 0), (b"test", 0xba6b_d213), (FOX, 0x2e4f_f723)],
    // The crate takes its seed at compile time, so this is the code of the form with seed 0.
    code: Some(0xe26b_b05b),
    ..SEEDED
};

// Google's CityHash; FarmHash's fingerprint is in `hashzoo`.

const CITY_HASH_64: Function = Function {
    name: "CityHash64",
    ident: "cityhash64",
    hash: |key| cityhasher::hash::<u64>(key),
    origin: "cityhasher 0.1.0",
    year: 2011,
    author: "Geoff Pike, Jyrki Alakuijala",
    source: "https://github.com/google/cityhash, city.cc, version 1.1",
    weaknesses: &[
        "Versions before 1.1 give other values.",
        "Colliding keys are easy to construct: not for keys that an attacker chooses.",
    ],
    aliases: &["CityHash", "CityHash64 v1.1"],
    // From Google's city.cc, compiled and run.
    answers: &[
        (b"", 0x9ae1_6a3b_2f90_404f),
        (b"a", 0xb345_4265_b6df_75e3),
        (b"hello world", 0x588f_b747_8bd6_b01b),
        (FOX, 0xc268_7249_28fe_ca7d),
    ],
    // SMHasher's "City64noSeed".
    code: Some(0x4c4e_54b1),
    ..ANCHOR
};

// SipHash with the rounds that programs use.

/// The key of the paper's test vectors. This key is public: a program that hashes untrusted keys must draw its own.
const TEST_KEY: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

const SIP_1_3: &str = "Made for a secret key of 128 bits: fewer rounds than SipHash-2-4, which its authors proposed, and no attack is known.";
const SIP_2_4: &str = "Made for a secret key of 128 bits, with the rounds that its authors proposed.";

/// Returns SipHash in the crate that the standard library's implementation is developed in.
fn sip(
    ident: &str,
    hash: fn(&[u8]) -> u64,
    alias: &'static [&'static str],
    reason: &'static str,
) -> Function {
    Function {
        origin: "siphasher 1.0.4",
        seed: Some("the key of 16 bytes, 00 01 02 ... 0f"),
        resistance: Resistance::Keyed,
        resistance_reason: reason,
        ..zoo::measured_elsewhere(ident, hash, alias)
    }
}

// The xxHash family.

const XX_HASH_32: Function = Function {
    name: "xxHash32",
    ident: "xxh32",
    output_bits: 32,
    hash: |key| u64::from(xxhash_rust::xxh32::xxh32(key, 0)),
    origin: "xxhash-rust 0.8.19",
    licence: "BSL-1.0",
    year: 2012,
    author: "Yann Collet",
    source: "https://github.com/Cyan4973/xxHash, doc/xxhash_spec.md",
    resistance_reason: "Not made for secret seeds: keys that collide under every seed can be made.",
    aliases: &["XXH32"],
    // Vectors that ports commonly test.
    answers: &[
        (b"", 0x02cc_5d05),
        (b"a", 0x550d_7456),
        (b"abc", 0x32d1_53ff),
        (FOX, 0xe85e_a4de),
    ],
    code: Some(0xba88_b743),
    seeded: Some(|key, seed| u64::from(xxhash_rust::xxh32::xxh32(key, seed))),
    ..SEEDED
};

/// Returns a function of xxHash with 64 bits.
fn xx(ident: &str, hash: fn(&[u8]) -> u64, aliases: &'static [&'static str]) -> Function {
    Function {
        origin: XX_HASH_32.origin,
        licence: XX_HASH_32.licence,
        weaknesses: XX_HASH_32.weaknesses,
        resistance_reason: XX_HASH_32.resistance_reason,
        ..zoo::measured_elsewhere(ident, hash, aliases)
    }
}

// wyhash and its descendant rapidhash.

const WYHASH: Function = Function {
    name: "wyhash",
    ident: "wyhash_final4",
    hash: |key| WyHasher::<WyHash64>::from_seed(0).hash(key),
    origin: "wyhash-final4 0.2.2",
    licence: "MIT",
    year: 2019,
    author: "Wang Yi",
    source: "https://github.com/wangyi-fudan/wyhash, wyhash.h, final version 4.1; Zig's std.hash.Wyhash",
    weaknesses: &[
        "Every version of wyhash gives other values; 4.2 has other secrets.",
        "With the default secrets, keys that collide under every seed are known.",
    ],
    aliases: &["wyhash final 4"],
    seed: Some("0, with the default secrets"),
    resistance_reason: "Keys that collide under every seed are known.",
    // The first is Zig's; the others were written down from the pinned release.
    answers: &[
        (b"", 0x0409_638e_e2bd_e459),
        (b"a", 0x28d2_0533_09d2_8531),
        (FOX, 0x6303_b3ba_de45_a571),
    ],
    // The code of SMHasher for version 4.1, and of Zig.
    code: Some(0xbd5e_840c),
    seeded: Some(|key, seed| WyHasher::<WyHash64>::from_seed(u64::from(seed)).hash(key)),
    ..SEEDED
};

const RAPIDHASH: Function = Function {
    name: "rapidhash",
    ident: "rapidhash_v3",
    // Version 3 under its default seed 0: the module whose values the crate promises to keep.
    hash: rapidhash::v3::rapidhash_v3,
    origin: "rapidhash 4.5.1",
    year: 2025,
    author: "Nicolas De Carli",
    source: "https://github.com/Nicoshev/rapidhash, rapidhash.h, version 3",
    weaknesses: &["With the default secrets, keys that collide under every seed are known."],
    aliases: &["rapidhash v3"],
    seed: Some("0, with the default secrets"),
    resistance_reason: "Keys that collide under every seed are known.",
    // From the official C header, version 3 (commit 92731ee), compiled and run; so is the code below.
    answers: &[
        (b"", 0x0338_dc4b_e2ce_cdae),
        (b"a", 0x599f_47df_33a2_e1eb),
        (b"abc", 0xcb47_5bea_fa9c_0da2),
        (b"hello world", 0x2f27_cb27_d524_0940),
        (&LONG_KEY, 0x2a5d_0bb7_c6b1_5138),
        (FOX, 0x9172_2dc8_d52a_3f7b),
    ],
    code: Some(0x1fdc_65ee),
    seeded: Some(|key, seed| {
        let secrets = rapidhash::v3::RapidSecrets::seed_cpp(u64::from(seed));
        rapidhash::v3::rapidhash_v3_seeded(key, &secrets)
    }),
    ..SEEDED
};
