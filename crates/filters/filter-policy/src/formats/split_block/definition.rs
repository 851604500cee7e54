//! The definition (`FORMAT.md`): the bits of a hash value in its block.
#![allow(
    clippy::cast_possible_truncation,
    clippy::indexing_slicing,
    reason = "lengths were checked before, and the lowest bits are meant"
)]

/// A block: the bits that one key can set.
pub(crate) type Block = [u8; BLOCK_LEN];

/// The length of a block in bytes.
pub(crate) const BLOCK_LEN: usize = 32;

/// The factors of a hash value's lower half, one for each word of the block.
///
/// Source: the Parquet format, `BloomFilter.md`.
const SALTS: [u32; 8] = [
    0x47b6_137b,
    0x4497_4d91,
    0x8824_ad5b,
    0xa2b7_289d,
    0x7054_95c7,
    0x2df1_424b,
    0x9efc_4947,
    0x5c6b_fb31,
];

/// Returns the position of a hash value's bit in the word with this salt.
#[inline(always)]
const fn position(hash: u64, salt: u32) -> u32 {
    (hash as u32).wrapping_mul(salt) >> 27
}

/// Returns the bits of a hash value in the four words of 64 bits of its block: in registers, without a kernel.
#[inline(always)]
pub(crate) fn words_of(hash: u64) -> [u64; BLOCK_LEN / 8] {
    let (pairs, _) = SALTS.as_chunks();
    core::array::from_fn(|index| {
        let [low, high] = pairs[index].map(|salt: u32| 1 << position(hash, salt));
        low | high << 32
    })
}

/// Sets the bits of a hash value.
#[inline(always)]
pub(super) fn set_all(block: &mut Block, hash: u64) {
    for (word, salt) in block.as_chunks_mut().0.iter_mut().zip(&SALTS) {
        *word = (u32::from_le_bytes(*word) | 1 << position(hash, *salt)).to_le_bytes();
    }
}

/// Returns true if the bits of a hash value are set. Tests all words even if a bit is missing: an early exit would be
/// mispredicted for half of the absent keys.
#[inline(always)]
pub(super) fn all_set(block: &Block, hash: u64) -> bool {
    let words = block.as_chunks().0.iter().zip(&SALTS);
    words.fold(1, |all, (word, salt)| {
        all & u32::from_le_bytes(*word) >> position(hash, *salt)
    }) != 0
}

/// [`all_set`] in the form of which the compiler makes a single test of a vector, which other code would wait for
/// longer.
#[inline(always)]
pub(super) fn none_missing(block: &Block, hash: u64) -> bool {
    let words = block.as_chunks().0.iter().zip(&SALTS);
    words.fold(0, |missing, (word, salt)| {
        missing | !u32::from_le_bytes(*word) & 1 << position(hash, *salt)
    }) == 0
}
