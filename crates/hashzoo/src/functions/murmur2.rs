//! MurmurHash2, 32 bits.

const M: u32 = 0x5bd1_e995;

/// Seed of the published comparison and of the `BloomFilter2` policy; Redis used it for its dictionaries before 4.0.
pub const MURMUR2_SEED: u32 = 5381;

/// MurmurHash2 of `key`.
pub const fn murmur2(key: &[u8], seed: u32) -> u32 {
    let mut h = seed ^ key.len() as u32;
    let mut rest = key;
    while let Some((word, tail)) = rest.split_first_chunk::<4>() {
        let mut k = u32::from_le_bytes(*word).wrapping_mul(M);
        k ^= k >> 24;
        h = h.wrapping_mul(M) ^ k.wrapping_mul(M);
        rest = tail;
    }
    if !rest.is_empty() {
        let mut i = 0;
        while i < rest.len() {
            h ^= (rest[i] as u32) << (8 * i);
            i += 1;
        }
        h = h.wrapping_mul(M);
    }
    h ^= h >> 13;
    h = h.wrapping_mul(M);
    h ^ (h >> 15)
}

/// MurmurHash2 as a C program with signed `char` computes it: the one to three tail bytes are sign-extended.
pub const fn murmur2_signed_tail(key: &[u8], seed: u32) -> u32 {
    let mut h = seed ^ key.len() as u32;
    let mut rest = key;
    while let Some((word, tail)) = rest.split_first_chunk::<4>() {
        let mut k = u32::from_le_bytes(*word).wrapping_mul(M);
        k ^= k >> 24;
        h = h.wrapping_mul(M) ^ k.wrapping_mul(M);
        rest = tail;
    }
    if !rest.is_empty() {
        let mut i = 0;
        while i < rest.len() {
            h ^= (rest[i] as i8 as u32) << (8 * i);
            i += 1;
        }
        h = h.wrapping_mul(M);
    }
    h ^= h >> 13;
    h = h.wrapping_mul(M);
    h ^ (h >> 15)
}
