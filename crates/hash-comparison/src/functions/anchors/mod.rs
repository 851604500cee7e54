//! Functions outside the published comparison to hold it against, each from a maintained crate.
//!
//! All are called on the bytes of the key alone, with a fixed seed, and in whole: 64-bit functions compute all their
//! bits, of which the low 32 are compared.

mod checksums;
mod city;
mod fnv;
#[cfg(all(target_pointer_width = "64", target_endian = "little"))]
mod in_memory;
mod murmur;
mod sip;
mod wy;
mod xx;

use std::hash::Hasher;

use super::Function;
use crate::record::FunctionGroup;

/// The anchors that do not come from `hashzoo`, oldest first; those that promise no values last, and only on platforms
/// whose values are known.
pub(super) fn all() -> impl Iterator<Item = Function> {
    let promised = [
        checksums::CRC_32,
        checksums::CRC_32C,
        fnv::FNV_1A,
        murmur::MURMUR_HASH_3,
        city::CITY_HASH_64,
        xx::XX_HASH_32,
        sip::SIP_HASH_2_4,
        sip::SIP_HASH_1_3,
        xx::XX_HASH_64,
        wy::WYHASH,
        xx::XXH3,
        wy::RAPIDHASH,
    ];
    #[cfg(all(target_pointer_width = "64", target_endian = "little"))]
    let in_memory = in_memory::ALL;
    #[cfg(not(all(target_pointer_width = "64", target_endian = "little")))]
    let in_memory: &[Function] = &[];
    promised.into_iter().chain(in_memory.iter().copied())
}

const FOX: &[u8] = b"The quick brown fox jumps over the lazy dog";

/// What most of them share.
const ANCHOR: Function = Function {
    group: FunctionGroup::Anchor,
    licence: "MIT OR Apache-2.0",
    stable: true,
    resistance_reason: "No seed: keys that collide are made once, and collide in every program.",
    ..Function::custom("", 64, |_| 0, &[])
};

/// What a hasher gives for the bytes of a key: `write`, not `Hash for [u8]`, which would hash the length as well.
#[inline]
fn written(mut hasher: impl Hasher, key: &[u8]) -> u64 {
    hasher.write(key);
    hasher.finish()
}
