//! Tests of the generic code and of the instruction sets.

extern crate alloc;

// WebAssembly has no pages to guard.
#[cfg_attr(target_family = "wasm", path = "tests/unguarded.rs")]
pub(crate) mod guarded;
mod operations;
pub(crate) mod plain;

use alloc::vec::Vec;

use crate::simd::choose::{KernelToken, Token};
use crate::simd::kernel::Kernel;

/// All kernels that are not portable code, with the arrays of as many lanes.
pub(crate) fn kernels() -> impl Iterator<Item = (KernelToken, KernelToken)> {
    let (eight, sixteen) = (
        KernelToken(Token::Plain8(plain::Plain)),
        KernelToken(Token::Plain16(plain::Plain)),
    );
    let found = Kernel::available().filter(|kernel| *kernel != Kernel::Scalar);
    found.map(move |kernel| {
        let plain = if kernel == Kernel::Avx512 { sixteen } else { eight };
        (KernelToken::of(kernel), plain)
    })
}

/// SplitMix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    pub(crate) fn bytes(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|_| self.next() as u8).collect()
    }
}
