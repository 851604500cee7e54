//! The growing filter: a chain of Guava's Bloom filters, the last of which takes new elements.

use alloc::vec::Vec;
use core::mem;

use crate::error::Error;
use crate::funnel::{Funnel, Hashed};
use crate::guava::BloomFilter;
use crate::hash::Hash128;
use crate::positions::DistinctPositions;
use crate::stats::Stats;

mod parameters;
mod stored;

pub use parameters::{GrowingParameters, GrowthRule};

/// A set that may seem to contain an absent element, for any number of elements.
///
/// The filter starts small, and opens another link when the last one is full. An element is contained if any link
/// contains it. *No false negatives*: an inserted element is contained until [`clear`](Self::clear).
///
/// With [`GrowthRule::Tightening`] the false-positive rate stays below the requested one, whatever the number of
/// elements: a link is full as soon as one more element could lift it, by its set bits, above its share of the rate.
/// With [`GrowthRule::SameSize`] the rate grows with every link; [`false_positive_rate`](Self::false_positive_rate)
/// returns it.
///
/// A query may read every link, so many small links make it slow. Start with the capacity that you expect, and leave
/// growth for unexpected elements.
///
/// ```
/// use membership_filters::Long;
/// use membership_filters::{GrowingBloomFilter, GrowingParameters};
///
/// let mut seen = GrowingBloomFilter::new(Long, &GrowingParameters::new(1_000, 0.01)?)?;
/// for id in 0..50_000_i64 {
///     seen.insert(&id)?;
/// }
/// assert!((0..50_000_i64).all(|id| seen.might_contain(&id)));
/// assert_eq!(seen.links().count(), 6);
/// assert!(seen.false_positive_rate() <= 0.01);
/// # Ok::<(), membership_filters::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct GrowingBloomFilter<F> {
    funnel: F,
    parameters: GrowingParameters,
    /// The full links, oldest first.
    full: Vec<Link>,
    /// The link that takes new elements.
    last: Link,
}

#[derive(Debug, Clone, PartialEq)]
struct Link {
    /// Queried by hash, so that links need no funnel.
    filter: BloomFilter<()>,
    /// The number of insertions that changed bits.
    len: u64,
    ones: u64,
    /// The link is full when it has more ones than this.
    limit: u64,
}

impl<F> GrowingBloomFilter<F> {
    /// Creates an empty filter of one link.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory).
    pub fn new(funnel: F, parameters: &GrowingParameters) -> Result<Self, Error> {
        Ok(Self {
            funnel,
            parameters: *parameters,
            full: Vec::new(),
            last: Link::new(parameters, 0)?,
        })
    }

    /// Inserts an element, and opens a new link if that fills the last one. Returns true if the element was certainly
    /// absent; if it looked present in any link, nothing changes.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory) or another kind when a new link cannot be opened; the
    /// filter is then unchanged.
    pub fn insert<T: ?Sized>(&mut self, item: &T) -> Result<bool, Error>
    where
        F: Funnel<T>,
    {
        self.insert_raw(Hash128::of_key(&self.funnel, item))
    }

    fn insert_raw(&mut self, hash: Hash128) -> Result<bool, Error> {
        if self.contains_raw(hash) {
            return Ok(false);
        }
        let ones = self.last.ones + self.last.new_ones(hash);
        // The next link comes first: if it cannot be opened, nothing has changed.
        let next = if ones > self.last.limit {
            Some(self.next_link()?)
        } else {
            None
        };
        self.last.filter.insert_hash(&Hashed::assume((), hash))?;
        self.last.ones = ones;
        self.last.len += 1;
        if let Some(next) = next {
            self.full.push(mem::replace(&mut self.last, next));
        }
        Ok(true)
    }

    /// Makes the link after the last one, and reserves room for another full link.
    fn next_link(&mut self) -> Result<Link, Error> {
        let next = Link::new(&self.parameters, self.full.len() + 1)?;
        Error::reserve(&mut self.full, 1)?;
        Ok(next)
    }

    fn contains_raw(&self, hash: Hash128) -> bool {
        let hash = Hashed::assume((), hash);
        // Most elements are in the newest links, which are the largest.
        self.chain()
            .rev()
            .any(|link| link.filter.might_contain_hash(&hash))
    }

    /// Removes all elements and all links except the first, whose memory is kept.
    pub fn clear(&mut self) {
        if !self.full.is_empty() {
            self.last = self.full.swap_remove(0);
            self.full.clear();
        }
        self.last.filter.clear();
        self.last.len = 0;
        self.last.ones = 0;
    }

    /// Returns the probability that an absent element seems to be in the filter now:
    /// `1 - product of (1 - (ones / bits)^k)` over all links.
    ///
    /// The rate of a link of a few thousand bits exceeds the formula by up to 1.4 divided by the number of bits; a
    /// tightening rule leaves room for that. An element has the same positions in all links of the same size, so that
    /// with few probes their rate exceeds the formula too: measured 0.76 instead of 0.68 for five links of two probes, and
    /// 0.43 instead of 0.41 for five of three.
    pub fn false_positive_rate(&self) -> f64 {
        let none = self.chain().map(|link| libm::log1p(-link.rate()));
        // An empty filter's sum is a negative zero.
        -libm::expm1(none.sum()) + 0.0
    }

    /// Returns the parameters that the filter was made with.
    pub const fn parameters(&self) -> &GrowingParameters {
        &self.parameters
    }

    /// Returns the state of each link, the oldest first.
    pub fn links(&self) -> impl Iterator<Item = Stats> {
        self.chain().map(Link::stats)
    }

    /// Returns the bits of each link, the oldest first, as [`BloomFilter::words`] returns them.
    pub fn words(&self) -> impl Iterator<Item = &[u64]> {
        self.chain().map(|link| link.filter.words())
    }

    fn chain(&self) -> impl DoubleEndedIterator<Item = &Link> {
        self.full.iter().chain([&self.last])
    }

    /// Returns the state of the filter.
    pub fn stats(&self) -> Stats {
        let bits = self.links().map(|link| link.places).sum();
        Stats {
            len: Some(self.chain().map(|link| link.len).sum()),
            places: bits,
            taken: self.chain().map(|link| link.ones).sum(),
            memory_bytes: bits / 8,
            false_positive_rate: self.false_positive_rate(),
        }
    }
}

impl Link {
    /// Makes the empty link at this place of the chain.
    fn new(parameters: &GrowingParameters, place: usize) -> Result<Self, Error> {
        let shape = parameters.link(place)?;
        Ok(Self {
            filter: BloomFilter::new((), &shape.parameters)?,
            len: 0,
            ones: 0,
            limit: shape.limit,
        })
    }

    /// Returns the number of bits that an element would change.
    fn new_ones(&self, hash: Hash128) -> u64 {
        let filter = &self.filter;
        let positions = filter
            .strategy()
            .positions(hash, filter.probe_count(), filter.bits.modulus());
        let zeros = DistinctPositions::new(positions.filter(|&position| !filter.bits.test(position)));
        zeros.as_slice().len() as u64
    }

    fn rate(&self) -> f64 {
        let fill = self.ones as f64 / self.filter.bits() as f64;
        libm::pow(fill, self.filter.probe_count().into())
    }

    fn stats(&self) -> Stats {
        Stats {
            len: Some(self.len),
            places: self.filter.bits(),
            taken: self.ones,
            memory_bytes: self.filter.bits() / 8,
            false_positive_rate: self.rate(),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::error::ErrorKind;
    use crate::funnel::Hashed;
    use crate::hash::Hash128;

    use super::{GrowingBloomFilter, GrowingParameters, GrowthRule};

    #[test]
    fn a_link_that_cannot_be_had_is_an_error_and_changes_nothing() {
        let mut filter = GrowingBloomFilter::new((), &GrowingParameters::new(100, 0.01).unwrap()).unwrap();
        // The next link would have more bits than a Bloom filter can have.
        let rule = GrowthRule::Tightening {
            growth: 16,
            ratio: 0.8,
        };
        filter.parameters = GrowingParameters::with_rule(1 << 33, 0.5, rule).unwrap();
        filter.last.limit = 10;
        let hash = |h1, h2| Hashed::assume((), Hash128 { h1, h2 });
        let (first, second) = (hash(1, 3), hash(500, 7));
        assert!(filter.insert_hash(&first).unwrap());
        let before = filter.clone();
        for _ in 0..2 {
            assert_eq!(
                filter.insert_hash(&second).unwrap_err().kind(),
                ErrorKind::TooLarge
            );
            assert!(filter == before);
        }
        // An element that looks present needs no new link.
        assert!(!filter.insert_hash(&first).unwrap());
    }
}
