//! The code of the further functions.

use std::sync::LazyLock;

use chibihash::v2::chibi_hash64;
use highway::{HighwayHash as _, HighwayHasher, Key};
use komihash::komihash;
use md5::{Digest as _, Md5};
use metrohash::MetroHash64;
use polymur_hash::PolymurHash;
use sha1::Sha1;

use super::Code;
use crate::functions::anchors::written;

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

/// The functions that this processor has.
pub(super) const ALL: &[Code] = &[
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
        |key| {
            written(
                std::hash::BuildHasher::build_hasher(&ahash::RandomState::with_seeds(0, 0, 0, 0)),
                key,
            )
        },
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
