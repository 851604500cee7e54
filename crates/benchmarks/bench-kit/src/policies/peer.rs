//! Filters of other crates, each in newly allocated memory.

use core::hint::black_box;

use super::ours::count;
use super::{Batched, Forms, Maker};

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

    fn queries<'a>(&'a self, stored: &[&[u8]], keys: Batched<'a>) -> Forms<'a> {
        let filter = (self.make)(stored);
        let run = move || {
            let filter = black_box(&filter);
            count(keys.slices, |key| (self.has)(filter, key))
        };
        vec![("one-by-one", Box::new(run))]
    }
}
