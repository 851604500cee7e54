//! wyhash and its descendant rapidhash.

use wyhash_final4::generics::WyHasher;
use wyhash_final4::wyhash64::WyHash64;

use super::{ANCHOR, FOX};
use crate::functions::Function;
use crate::functions::verify::check_code;
use crate::record::Resistance;

pub(super) const WYHASH: Function = Function {
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
    resistance: Resistance::SeedOnly,
    resistance_reason: "Keys that collide under every seed are known.",
    // The first is Zig's; the others were written down from the pinned release.
    answers: &[
        (b"", 0x0409_638e_e2bd_e459),
        (b"a", 0x28d2_0533_09d2_8531),
        (FOX, 0x6303_b3ba_de45_a571),
    ],
    verify: |_| {
        // The code of SMHasher for version 4.1, and of Zig.
        check_code(0xbd5e_840c, 8, |key, seed| {
            WyHasher::<WyHash64>::from_seed(u64::from(seed)).hash(key)
        })
    },
    ..ANCHOR
};

pub(super) const RAPIDHASH: Function = Function {
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
    resistance: Resistance::SeedOnly,
    resistance_reason: "Keys that collide under every seed are known.",
    // From the official C header, version 3 (commit 92731ee), compiled and run; so is the code below.
    answers: &[
        (b"", 0x0338_dc4b_e2ce_cdae),
        (b"a", 0x599f_47df_33a2_e1eb),
        (b"abc", 0xcb47_5bea_fa9c_0da2),
        (b"hello world", 0x2f27_cb27_d524_0940),
        (FOX, 0x9172_2dc8_d52a_3f7b),
    ],
    verify: |_| {
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
    ..ANCHOR
};
