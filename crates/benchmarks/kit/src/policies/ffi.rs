//! The split-block Bloom filter of `sbbf-rs`.
#![expect(unsafe_code, reason = "`sbbf-rs` takes pointers")]

use sbbf_rs::{ALIGNMENT, BUCKET_SIZE, FilterFn};

/// Two blocks, because the crate requires this alignment.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Pair([u8; 2 * BUCKET_SIZE]);

const _: () = assert!(align_of::<Pair>() == ALIGNMENT);

/// A filter of 256-bit blocks, as in Parquet, for 64-bit hash values.
pub struct SplitBlocks {
    functions: FilterFn,
    pairs: Vec<Pair>,
    blocks: usize,
}

impl SplitBlocks {
    /// Builds an empty filter of at least `bits` bits and at least one block.
    pub fn with_bits(bits: usize) -> Self {
        let mut filter = Self {
            functions: FilterFn::new(),
            pairs: Vec::new(),
            blocks: 0,
        };
        filter.clear(bits);
        filter
    }

    /// Empties the filter and resizes it to `bits` bits, reusing its memory.
    pub fn clear(&mut self, bits: usize) {
        self.blocks = bits.div_ceil(8 * BUCKET_SIZE).max(1);
        self.pairs.clear();
        self.pairs
            .resize(self.blocks.div_ceil(2), Pair([0; 2 * BUCKET_SIZE]));
    }

    /// Returns the number of bytes of all blocks.
    pub fn bytes(&self) -> usize {
        self.blocks * BUCKET_SIZE
    }

    /// Returns the first byte of the first block.
    pub fn first_byte(&self) -> u8 {
        self.pairs[0].0[0]
    }

    /// Adds a hash value.
    #[inline]
    pub fn insert(&mut self, hash: u64) {
        // SAFETY: the memory is aligned and holds `blocks` blocks, at least one.
        unsafe {
            self.functions
                .insert(self.pairs.as_mut_ptr().cast(), self.blocks, hash)
        };
    }

    /// Returns true if the filter may hold a hash value.
    #[inline]
    pub fn contains(&self, hash: u64) -> bool {
        // SAFETY: as in `insert`.
        unsafe {
            self.functions
                .contains(self.pairs.as_ptr().cast(), self.blocks, hash)
        }
    }
}
