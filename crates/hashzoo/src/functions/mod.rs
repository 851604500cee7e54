//! One function a file.

mod leveldb_hash;
mod murmur2;

pub use leveldb_hash::{LEVELDB_BLOOM_SEED, leveldb_hash};
pub use murmur2::{MURMUR2_SEED, murmur2, murmur2_signed_tail};
