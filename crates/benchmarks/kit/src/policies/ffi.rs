//! The split-block Bloom filter of `sbbf-rs`.
#![expect(unsafe_code, reason = "`sbbf-rs` takes pointers")]

use sbbf_rs::{ALIGNMENT, BUCKET_SIZE, FilterFn};

/// Two blocks, because the crate requires this alignment.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Pair([u8; 2 * BUCKET_SIZE]);

const _: () = assert!(align_of::<Pair>() == ALIGNMENT);

/// A filter of 256-bit blocks, as in Parquet, for 64-bit hash values.
pub(super) struct SplitBlocks {
    functions: FilterFn,
    pairs: Vec<Pair>,
    blocks: usize,
}

impl SplitBlocks {
    /// Builds an empty filter of at least `bits` bits and at least one block.
    pub(super) fn with_bits(bits: usize) -> Self {
        let blocks = bits.div_ceil(8 * BUCKET_SIZE).max(1);
        Self {
            functions: FilterFn::new(),
            pairs: vec![Pair([0; 2 * BUCKET_SIZE]); blocks.div_ceil(2)],
            blocks,
        }
    }

    /// Returns the number of bytes of all blocks.
    pub(super) fn bytes(&self) -> usize {
        self.blocks * BUCKET_SIZE
    }

    /// Adds a hash value.
    #[inline]
    pub(super) fn insert(&mut self, hash: u64) {
        // SAFETY: the memory is aligned and holds `blocks` blocks, at least one.
        unsafe {
            self.functions
                .insert(self.pairs.as_mut_ptr().cast(), self.blocks, hash)
        };
    }

    /// Returns true if the filter may hold a hash value.
    #[inline]
    pub(super) fn contains(&self, hash: u64) -> bool {
        // SAFETY: as in `insert`.
        unsafe {
            self.functions
                .contains(self.pairs.as_ptr().cast(), self.blocks, hash)
        }
    }
}
