//! The code of the functions of other crates. Each function hashes only the bytes of the key, with a fixed seed.

#[cfg(all(target_pointer_width = "64", target_endian = "little"))]
use std::hash::BuildHasher;
use std::hash::Hasher;
use std::sync::LazyLock;

use chibihash::v2::chibi_hash64;
use highway::{HighwayHash as _, HighwayHasher, Key};
use komihash::komihash;
use md5::{Digest as _, Md5};
use metrohash::MetroHash64;
use polymur_hash::PolymurHash;
use sha1::Sha1;
use siphasher::sip::{SipHasher13, SipHasher24};
use wyhash_final4::generics::WyHasher;
use wyhash_final4::wyhash64::WyHash64;

/// A function's identifier, the function under its fixed seed, and under any.
type Code = (&'static str, fn(&[u8]) -> u64, Option<fn(&[u8], u32) -> u64>);

/// The key of the paper's test vectors. This key is public: a program that hashes untrusted keys must draw its own.
const SIP_KEY: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
const HIGHWAY_KEY: Key = Key([
    0x0706_0504_0302_0100,
    0x0f0e_0d0c_0b0a_0908,
    0x1716_1514_1312_1110,
    0x1f1e_1d1c_1b1a_1918,
]);
/// Programs prepare its key once.
static POLYMUR: LazyLock<PolymurHash> = LazyLock::new(|| PolymurHash::from_u64_seed(0xfedb_ca98_7654_3210));

/// Returns the first 64 bits of a digest, little-endian.
fn first_64(digest: &[u8]) -> u64 {
    digest.first_chunk().map_or(0, |first| u64::from_le_bytes(*first))
}

/// Hashes the bytes of a key with `write`, not with `Hash for [u8]`, which would hash the length as well.
#[inline]
fn written(mut hasher: impl Hasher, key: &[u8]) -> u64 {
    hasher.write(key);
    hasher.finish()
}

#[cfg(all(target_pointer_width = "64", target_endian = "little"))]
#[inline]
fn built(state: &impl BuildHasher, key: &[u8]) -> u64 {
    written(state.build_hasher(), key)
}

/// The functions that this build and processor have. The values of those in memory are known on 64-bit little-endian processors
/// alone.
pub(super) const ALL: &[Code] = &[
    (
        "crc32",
        |key| crc32fast::hash(key).into(),
        Some(|key, seed| {
            let mut hasher = crc32fast::Hasher::new_with_initial(seed);
            hasher.update(key);
            hasher.finalize().into()
        }),
    ),
    (
        "crc32c",
        |key| crc32c::crc32c(key).into(),
        Some(|key, seed| crc32c::crc32c_append(seed, key).into()),
    ),
    (
        "fnv1a_64",
        |key| written(fnv::FnvHasher::default(), key),
        Some(|key, seed| {
            let start = u64::from(seed) ^ 0xcbf2_9ce4_8422_2325;
            written(fnv::FnvHasher::with_key(start), key)
        }),
    ),
    // Not crate `murmur3`, which reads the key through `std::io::Read` and takes more than twice the time.
    (
        "murmur3_32",
        |key| murmurhash32::murmurhash3_with_seed::<0>(key).into(),
        None,
    ),
    ("cityhash64", |key| cityhasher::hash::<u64>(key), None),
    (
        "xxh32",
        |key| xxhash_rust::xxh32::xxh32(key, 0).into(),
        Some(|key, seed| xxhash_rust::xxh32::xxh32(key, seed).into()),
    ),
    (
        "siphash24",
        |key| SipHasher24::new_with_key(&SIP_KEY).hash(key),
        None,
    ),
    (
        "siphash13",
        |key| SipHasher13::new_with_key(&SIP_KEY).hash(key),
        None,
    ),
    ("xxh64", |key| xxhash_rust::xxh64::xxh64(key, 0), None),
    (
        "wyhash_final4",
        |key| WyHasher::<WyHash64>::from_seed(0).hash(key),
        Some(|key, seed| WyHasher::<WyHash64>::from_seed(seed.into()).hash(key)),
    ),
    ("xxh3_64", xxhash_rust::xxh3::xxh3_64, None),
    // Version 3 under its default seed 0: the module whose values the crate promises to keep.
    (
        "rapidhash_v3",
        rapidhash::v3::rapidhash_v3,
        Some(|key, seed| {
            let secrets = rapidhash::v3::RapidSecrets::seed_cpp(seed.into());
            rapidhash::v3::rapidhash_v3_seeded(key, &secrets)
        }),
    ),
    #[cfg(all(target_pointer_width = "64", target_endian = "little"))]
    (
        "fxhash",
        |key| written(rustc_hash::FxHasher::default(), key),
        Some(|key, seed| written(rustc_hash::FxHasher::with_seed(seed as usize), key)),
    ),
    #[cfg(all(
        target_pointer_width = "64",
        target_endian = "little",
        any(
            target_arch = "aarch64",
            all(target_arch = "x86_64", not(target_feature = "aes"))
        )
    ))]
    (
        "ahash_fallback",
        |key| built(&ahash::RandomState::with_seeds(0, 0, 0, 0), key),
        None,
    ),
    #[cfg(all(target_pointer_width = "64", target_endian = "little"))]
    (
        "foldhash_quality",
        |key| built(&foldhash::quality::FixedState::with_seed(0), key),
        None,
    ),
    #[cfg(all(target_pointer_width = "64", target_endian = "little"))]
    (
        "foldhash_fast",
        |key| built(&foldhash::fast::FixedState::with_seed(0), key),
        None,
    ),
    ("md5_64", |key| first_64(&Md5::digest(key)), None),
    ("sha1_64", |key| first_64(&Sha1::digest(key)), None),
    #[cfg(target_endian = "little")]
    (
        "metrohash64",
        |key| written(MetroHash64::with_seed(0), key),
        Some(|key, seed| written(MetroHash64::with_seed(seed.into()), key)),
    ),
    ("seahash_v4", seahash::hash, None),
    (
        "highwayhash_64",
        |key| HighwayHasher::new(HIGHWAY_KEY).hash64(key),
        Some(|key, seed| {
            HighwayHasher::new(Key([1, 2, 3, 4].map(|word| word ^ u64::from(seed)))).hash64(key)
        }),
    ),
    #[cfg(all(target_arch = "x86_64", target_feature = "aes"))]
    (
        "ahash_aes",
        |key| built(&ahash::RandomState::with_seeds(0, 0, 0, 0), key),
        None,
    ),
    (
        "blake3_keyed_64",
        |key| first_64(blake3::keyed_hash(b"whats the Elvish word for friend", key).as_bytes()),
        None,
    ),
    (
        "komihash_v5",
        |key| komihash(key, 0),
        Some(|key, seed| komihash(key, seed.into())),
    ),
    (
        "polymur_hash",
        |key| POLYMUR.hash_with_tweak(key, 0xabcd_ef01_2345_6789),
        Some(|key, seed| PolymurHash::from_u64_seed(0).hash_with_tweak(key, seed.into())),
    ),
    #[cfg(target_feature = "aes")]
    (
        "gxhash64_v3",
        |key| gxhash::gxhash64(key, 0),
        Some(|key, seed| gxhash::gxhash64(key, seed.into())),
    ),
    (
        "chibihash64_v2",
        |key| chibi_hash64(key, 0),
        Some(|key, seed| chibi_hash64(key, seed.into())),
    ),
    (
        "museair_v2",
        |key| museair::hash(key, 0),
        Some(|key, seed| museair::hash(key, seed.into())),
    ),
];
