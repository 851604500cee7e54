//! A link with its keys.

use super::parameters::Link;
use crate::bits::Bits;
use crate::bloom::Bloom;
use crate::error::Error;
use crate::hash::Hash128;
use crate::steps::{Rule, Steps};
use crate::unrolled;

/// A link with its keys.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Layer {
    pub(super) shape: Link,
    /// Of as many bits and probes as the shape says.
    pub(super) bloom: Bloom<()>,
    /// The number of insertions that changed bits.
    pub(super) len: u64,
}

impl Layer {
    /// Makes an empty link.
    pub(super) fn new(shape: Link) -> Result<Self, Error> {
        // Bits beyond memory are refused.
        let words = usize::try_from(shape.bits / 64).unwrap_or(usize::MAX);
        Ok(Self::of(shape, Bits::zeros(words)?, 0))
    }

    pub(super) const fn of(shape: Link, bits: Bits, len: u64) -> Self {
        let bloom = Bloom::of((), bits, shape.probe_count);
        Self { shape, bloom, len }
    }

    #[inline]
    pub(super) fn contains(&self, hash: Hash128) -> bool {
        let (bits, modulus) = (&self.bloom.bits, self.bloom.bits.modulus());
        let steps = Steps::<{ Rule::RedisBloom as u8 }>::start(hash);
        unrolled::every_in_two(steps, self.bloom.probe_count, modulus, |position| {
            bits.test(position)
        })
    }

    /// Inserts a key. Returns true if that changed bits.
    #[inline]
    pub(super) fn insert(&mut self, hash: Hash128) -> bool {
        let (bits, probes) = (&mut self.bloom.bits, self.bloom.probe_count);
        let (steps, modulus) = (Steps::<{ Rule::RedisBloom as u8 }>::start(hash), bits.modulus());
        let is_new = unrolled::any(steps, probes, modulus, |position| bits.set(position));
        self.len += u64::from(is_new);
        is_new
    }
}
