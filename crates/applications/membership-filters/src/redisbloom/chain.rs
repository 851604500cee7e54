//! A chain of links.

use alloc::vec::Vec;

use super::layer::Layer;
use super::parameters::Link;
use crate::error::{Error, Violation};

/// The backend of [`BloomFilter`](super::BloomFilter): links.
#[derive(Debug, Clone, PartialEq)]
pub struct Chain {
    /// The factor between the capacities of links, if the chain scales; no more than a number in the header if not.
    pub(super) expansion: u32,
    pub(super) is_scaling: bool,
    /// Set if the bits of further links are a power of two, as in RedisBloom 1 and 2.0.
    pub(super) is_rounded: bool,
    /// The full links, oldest first.
    pub(super) full: Vec<Layer>,
    /// The link that takes new keys.
    pub(super) last: Layer,
}

impl Chain {
    pub(super) fn next_link(&self) -> Result<Layer, Error> {
        let Link { capacity, rate, .. } = self.last.shape;
        if !self.is_scaling {
            let (thing, range) = ("the keys of a chain that does not scale", "at most its capacity");
            let got = format_args!("one more than {capacity}");
            return Err(Error::Full(Violation::new(thing, range, got)));
        }
        if rate * 0.5 == 0.0 {
            let (links, thing) = (self.full.len() + 1, "the number of links");
            let range = format_args!(
                "at most {links}, after which the rate would be 0: give a larger capacity or expansion"
            );
            return Err(Error::Full(Violation::new(thing, range, links + 1)));
        }
        // A number that is too large is refused.
        let capacity = capacity.saturating_mul(self.expansion.into());
        let link = if self.is_rounded { Link::rounded } else { Link::new };
        Layer::new(link(capacity, rate * 0.5)?)
    }

    pub(super) fn sum(&self, of: fn(&Layer) -> u64) -> u64 {
        self.layers().map(of).fold(0, u64::saturating_add)
    }

    pub(super) fn layers(&self) -> impl Iterator<Item = &Layer> {
        self.full.iter().chain([&self.last])
    }
}
