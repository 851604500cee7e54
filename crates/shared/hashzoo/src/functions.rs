//! The functions, one per file with its record and known answers, and the tables of the registry.
//!
//! To add a function, add a file here, its `mod` and `pub use` lines, and its line in a table below. All other code, in
//! this crate and outside, iterates the tables.

mod adler32;
mod ap;
mod bkdr;
mod bp;
mod calc_hashnr;
mod dek;
mod djb2a;
mod djb_nocase;
mod djbx33a;
mod elf;
mod farm_fingerprint64;
mod fnv1_32;
mod fxhash1;
mod js;
mod leveldb_hash;
mod lookup3;
mod murmur2;
mod murmur3_x64_128;
mod murmur64a;
mod one_at_a_time;
mod pjw;
mod rocksdb_hash;
mod rs;
mod sdbm;
mod siphash12_low32;
mod siphash12_low32_nocase;
mod spark_murmur3;
mod string_hashcode;
mod superfasthash;
mod xxh3_64;
mod xxh64;
mod xxph3_64;

pub use adler32::adler32;
pub use ap::ap;
pub use bkdr::bkdr;
pub use bp::bp;
pub use calc_hashnr::calc_hashnr;
pub use dek::dek;
pub use djb_nocase::{djb_nocase, djb2};
pub use djb2a::djb2a;
pub use djbx33a::djbx33a;
pub use elf::elf;
pub use farm_fingerprint64::farm_fingerprint64;
pub use fnv1_32::{fnv0_32, fnv1_32, fnv1a_32};
pub use fxhash1::fxhash1;
pub use js::js;
pub use leveldb_hash::{LEVELDB_BLOOM_SEED, leveldb_hash};
pub use lookup3::lookup3;
pub use murmur2::{MURMUR2_SEED, murmur2, murmur2_signed_tail};
pub use murmur3_x64_128::{Murmur3X64_128, murmur3_x64_128};
pub use murmur64a::{REDISBLOOM_SEED, murmur64a};
pub use one_at_a_time::one_at_a_time;
pub use pjw::pjw;
pub use rocksdb_hash::rocksdb_hash;
pub use rs::rs;
pub use sdbm::sdbm;
pub use siphash12_low32::{
    SIPHASH_KEY, SIPHASH_TEST_KEY, siphash, siphash12, siphash12_low32, siphash13, siphash24,
};
pub use siphash12_low32_nocase::{siphash_nocase, siphash12_low32_nocase};
pub use spark_murmur3::spark_murmur3;
pub use string_hashcode::string_hashcode;
pub use superfasthash::superfasthash;
pub use xxh3_64::xxh3_64;
pub use xxh64::xxh64;
pub use xxph3_64::xxph3_64;

use crate::HashInfo;

/// The 17 functions of the published comparison, in its order and under its names.
pub static PUBLISHED: [&HashInfo; 17] = [
    &sdbm::INFO,
    &leveldb_hash::INFO,
    &js::INFO,
    &pjw::INFO,
    &murmur2::INFO,
    &elf::INFO,
    &bkdr::INFO,
    &calc_hashnr::INFO,
    &ap::INFO,
    &bp::INFO,
    &fnv1_32::INFO,
    &rs::INFO,
    &djb_nocase::INFO,
    &djb2a::INFO,
    &dek::INFO,
    &siphash12_low32_nocase::INFO,
    &siphash12_low32::INFO,
];

/// Other forms of the published functions: MurmurHash2 as compiled with a signed `char`, FNV-1a and FNV-0, djb2, and SipHash
/// with 64 bits.
pub static VARIANTS: &[&HashInfo] = &[
    &murmur2::SIGNED_TAIL,
    &fnv1_32::FNV1A,
    &fnv1_32::FNV0,
    &djb_nocase::CASE_SENSITIVE,
    &siphash12_low32::ROUNDS_1_2,
    &siphash12_low32::ROUNDS_1_3,
    &siphash12_low32::ROUNDS_2_4,
];

/// Functions outside the published comparison, such as those of stored formats, languages and older programs.
pub static OTHERS: &[&HashInfo] = &[
    &one_at_a_time::INFO,
    &lookup3::INFO,
    &murmur3_x64_128::INFO,
    &murmur64a::INFO,
    &spark_murmur3::INFO,
    &rocksdb_hash::INFO,
    &xxph3_64::INFO,
    &xxh64::INFO,
    &xxh3_64::INFO,
    &farm_fingerprint64::INFO,
    &fxhash1::INFO,
    &string_hashcode::INFO,
    &djbx33a::INFO,
    &superfasthash::INFO,
    &adler32::INFO,
];
