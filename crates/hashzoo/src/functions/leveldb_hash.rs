//! LevelDB's own hash (`util/hash.cc`).

/// Seed of LevelDB's built-in Bloom filter (`util/bloom.cc`).
pub const LEVELDB_BLOOM_SEED: u32 = 0xbc9f_1d34;

/// LevelDB's `Hash` of `key`; the empty key gives `seed`.
pub const fn leveldb_hash(key: &[u8], seed: u32) -> u32 {
    const M: u32 = 0xc6a4_a793;
    let mut h = seed ^ (key.len() as u32).wrapping_mul(M);
    let mut rest = key;
    while let Some((word, tail)) = rest.split_first_chunk::<4>() {
        h = h.wrapping_add(u32::from_le_bytes(*word)).wrapping_mul(M);
        h ^= h >> 16;
        rest = tail;
    }
    if !rest.is_empty() {
        let mut i = 0;
        while i < rest.len() {
            h = h.wrapping_add((rest[i] as u32) << (8 * i));
            i += 1;
        }
        h = h.wrapping_mul(M);
        h ^= h >> 24;
    }
    h
}
