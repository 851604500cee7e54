//! Functions outside the published comparison as reference points, each from a maintained crate.
//!
//! Each function hashes only the bytes of the key, with a fixed seed. 64-bit functions compute all their bits; the low
//! 32 are compared.

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

/// Returns the anchors that do not come from `hashzoo`, oldest first. Functions without stable values come last, and
/// only on platforms where their values are known.
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

/// The fields that most anchors share.
const ANCHOR: Function = Function {
    group: FunctionGroup::Anchor,
    licence: "MIT OR Apache-2.0",
    stable: true,
    resistance_reason: "No seed: keys that collide, once found, collide in every program.",
    ..Function::custom("", 64, |_| 0, &[])
};

/// Hashes the bytes of a key with `write`, not with `Hash for [u8]`, which would hash the length as well.
#[inline]
fn written(mut hasher: impl Hasher, key: &[u8]) -> u64 {
    hasher.write(key);
    hasher.finish()
}
