//! Functions for in-memory tables, whose values may differ between releases and platforms.
//!
//! The known answers were recorded from the pinned releases on 64-bit little-endian platforms. On other platforms the
//! values are unknown, and no function is measured unchecked, so this module is left out.

use std::hash::BuildHasher as _;

use super::{ANCHOR, FOX, written};
use crate::functions::Function;
use crate::functions::verify::LONG_KEY;
use crate::record::Resistance;

const MAY_CHANGE: &str =
    "Its values may change with any release, and differ between platforms: not for stored data.";

/// The fields that all in-memory functions share.
const IN_MEMORY: Function = Function {
    stable: false,
    weaknesses: &[MAY_CHANGE],
    ..ANCHOR
};

/// Returns the in-memory functions of this platform.
pub(super) fn all() -> impl Iterator<Item = Function> {
    let without_aes = cfg!(any(
        target_arch = "aarch64",
        all(target_arch = "x86_64", not(target_feature = "aes"))
    ));
    let a_hash = without_aes.then_some(A_HASH);
    [FX_HASH]
        .into_iter()
        .chain(a_hash)
        .chain([FOLDHASH, FOLDHASH_FAST])
}

const FX_HASH: Function = Function {
    name: "FxHash-2",
    ident: "fxhash",
    hash: |key| written(rustc_hash::FxHasher::default(), key),
    origin: "rustc-hash 2.1.3",
    licence: "Apache-2.0 OR MIT",
    year: 2024,
    author: "Orson Peters (version 2); the Rust compiler's developers",
    source: "https://github.com/rust-lang/rustc-hash, version 2",
    weaknesses: &[
        MAY_CHANGE,
        "Version 1, which is FxHash-1 here, Firefox's original and the crate fxhash are other functions called FxHash.",
    ],
    aliases: &["rustc-hash", "rustc-hash 2"],
    // Written down from the pinned release.
    answers: &[
        (b"", 0xf456_d268_76d7_2d91),
        (b"a", 0xbd8e_8067_b4be_2f50),
        (FOX, 0x64c0_5fca_ecee_65de),
    ],
    // The code of SMHasher3, for version 2.1.1.
    code: Some(0x8f17_7350),
    seeded: Some(|key, seed| written(rustc_hash::FxHasher::with_seed(seed as usize), key)),
    ..IN_MEMORY
};

/// The fallback, without AES instructions at compile time as in most programs. With AES, aHash gives other values.
const A_HASH: Function = Function {
    name: "aHash",
    ident: "ahash_fallback",
    hash: |key| written(ahash::RandomState::with_seeds(0, 0, 0, 0).build_hasher(), key),
    origin: "ahash 0.8.12",
    year: 2018,
    author: "Tom Kaitchuck",
    source: "https://github.com/tkaitchuck/aHash, the fallback without AES",
    aliases: &["ahash fallback"],
    seed: Some("four words of 0"),
    resistance: Resistance::SeedOnly,
    resistance_reason: "Its secret seed makes attacks harder, but no analysis is published.",
    // No vectors are published, since no values are promised. Recorded from the pinned release.
    answers: &[
        (b"", 0x6354_fdac_89c6_6b55),
        (b"a", 0x95ae_82a4_0cab_b40c),
        (FOX, 0x5de8_14e1_d37c_7550),
    ],
    code: Some(0x9d6f_d887),
    ..IN_MEMORY
};

const FOLDHASH: Function = Function {
    name: "foldhash",
    ident: "foldhash_quality",
    hash: |key| written(foldhash::quality::FixedState::with_seed(0).build_hasher(), key),
    origin: "foldhash 0.2.0",
    licence: "Zlib",
    year: 2024,
    author: "Orson Peters",
    source: "https://github.com/orlp/foldhash",
    aliases: &["foldhash quality"],
    seed: Some("0"),
    resistance: Resistance::SeedOnly,
    resistance_reason: "Its secret seed makes attacks harder only while no hash value is visible, as its author says.",
    // No vectors are published, since no values are promised. Recorded from the pinned release to detect changes.
    answers: &[
        (b"", 0xcfbc_9eae_bd51_464b),
        (b"a", 0x3199_587a_bf73_4b40),
        (FOX, 0x15a7_cc07_0c67_7dae),
        (&LONG_KEY, 0x2906_9bda_1570_e7ec),
    ],
    code: Some(0x2cce_7155),
    ..IN_MEMORY
};

const FOLDHASH_FAST: Function = Function {
    name: "foldhash-fast",
    ident: "foldhash_fast",
    hash: |key| written(foldhash::fast::FixedState::with_seed(0).build_hasher(), key),
    weaknesses: &[
        "Its single bits are not mixed well: made for tables that use high and low bits together.",
        MAY_CHANGE,
    ],
    aliases: &["foldhash fast"],
    answers: &[
        (b"", 0x01ee_54dc_4d5e_9d2d),
        (b"a", 0x4d95_32b8_28b2_c6e4),
        (FOX, 0x289e_a811_6f19_10a4),
        (&LONG_KEY, 0x44ea_5ae1_8361_07e4),
    ],
    code: Some(0x1a8c_bb6a),
    ..FOLDHASH
};
