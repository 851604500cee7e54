//! Filters of other crates, each in newly allocated memory.

use core::hint::black_box;

use super::ours::count;
use super::{Batched, Forms, Made, Maker};

/// A filter of another crate.
pub struct Peer<M, B, H> {
    /// The crate.
    pub package: &'static str,
    /// Builds a filter.
    pub make: M,
    /// Returns the bytes of a filter.
    pub bytes: B,
    /// Returns true if a filter may have a key.
    pub has: H,
}

impl<F: 'static, M, B, H> Maker for Peer<M, B, H>
where
    M: Fn(&[&[u8]]) -> F,
    B: Fn(&F) -> usize,
    H: Fn(&F, &[u8]) -> bool,
{
    fn version(&self) -> String {
        crate::version(self.package)
    }

    fn builds<'a>(&'a self, size: usize, keys: Batched<'a>) -> Forms<'a> {
        let build = |keys| (self.bytes)(black_box(&(self.make)(keys))) as u64;
        let run = move || keys.slices.chunks_exact(size).map(build).sum();
        vec![("slices", Box::new(run))]
    }

    fn filter<'a>(&'a self, keys: &[&[u8]]) -> Box<dyn Made + 'a> {
        Box::new(OfPeer(self, (self.make)(keys)))
    }
}

struct OfPeer<'p, F, M, B, H>(&'p Peer<M, B, H>, F);

impl<F, M, B: Fn(&F) -> usize, H: Fn(&F, &[u8]) -> bool> Made for OfPeer<'_, F, M, B, H> {
    fn bytes(&self) -> usize {
        (self.0.bytes)(&self.1)
    }

    fn asks<'a>(&'a self, keys: Batched<'a>) -> Forms<'a> {
        let run = move || {
            let filter = black_box(&self.1);
            count(keys.slices, |key| (self.0.has)(filter, key))
        };
        vec![("one-by-one", Box::new(run))]
    }
}
