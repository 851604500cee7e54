//! The growing filter: a chain of Guava's Bloom filters, of which the last one takes the elements.

use alloc::vec::Vec;

use guava_bloom::{BloomFilter, Funnel, Hash128, Modulus, ParameterError};

use crate::error::BuildError;
use crate::positions::DistinctPositions;

mod parameters;
mod stored;

pub(crate) use parameters::MAX_GROWTH;
pub use parameters::{GrowingParameters, GrowthRule};

/// A set of elements that may wrongly contain an absent one, for any number of elements.
///
/// It starts small; when its last link is full, it opens another. An element is there if any link has it. *Never
/// missing*: an element that was inserted is contained, until [`reset`](Self::reset).
///
/// Under [`GrowthRule::Tightening`] the probability of a false positive stays under the one that was asked for,
/// whatever the number of elements: a link is full as soon as its bits, counted, would exceed its share of that
/// probability with one element more. Under [`GrowthRule::SameSize`] it grows with every link;
/// [`accumulated_fpp`](Self::accumulated_fpp) tells how far it is.
///
/// Every query may ask all links, so many small links make it slow. Start with the capacity that you expect, and leave
/// growing for the case that more comes.
///
/// ```
/// use guava_bloom::Long;
/// use membership_filters::{GrowingBloomFilter, GrowingParameters};
///
/// let mut seen = GrowingBloomFilter::new(Long, &GrowingParameters::new(1_000, 0.01)?)?;
/// for id in 0..50_000_i64 {
///     seen.insert(&id)?;
/// }
/// assert!((0..50_000_i64).all(|id| seen.might_contain(&id)));
/// assert_eq!(seen.stats().links, 6);
/// assert!(seen.accumulated_fpp() <= 0.01);
/// # Ok::<(), membership_filters::BuildError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct GrowingBloomFilter<F> {
    funnel: F,
    parameters: GrowingParameters,
    /// Never empty; all but the last are full.
    links: Vec<Link>,
}

#[derive(Debug, Clone, PartialEq)]
struct Link {
    /// Asked by hash, so that links need no funnel.
    filter: BloomFilter<()>,
    modulus: Modulus,
    /// Insertions that changed bits.
    elements: u64,
    ones: u64,
    /// The link is full when it has more ones.
    limit: u64,
}

impl<F> GrowingBloomFilter<F> {
    /// An empty filter, of one link.
    ///
    /// # Errors
    ///
    /// [`BuildError::Bloom`] when there is no memory for the first link.
    pub fn new(funnel: F, parameters: &GrowingParameters) -> Result<Self, BuildError> {
        let mut links = Vec::new();
        reserve_one(&mut links)?;
        links.push(Link::new(parameters, 0)?);
        Ok(Self {
            funnel,
            parameters: *parameters,
            links,
        })
    }

    /// Adds an element, and opens a new link if that fills the last one. Whether it was certainly not there; if it
    /// looked present in any link, nothing is changed.
    ///
    /// # Errors
    ///
    /// [`BuildError::Bloom`] or [`BuildError::AllocationFailed`] when a new link cannot be opened; nothing is changed
    /// then.
    pub fn insert<T: ?Sized>(&mut self, item: &T) -> Result<bool, BuildError>
    where
        F: Funnel<T>,
    {
        self.insert_hash(self.funnel.hash(item))
    }

    /// Whether the element is there; wrongly so with about the probability that
    /// [`accumulated_fpp`](Self::accumulated_fpp) tells, never wrongly not.
    pub fn might_contain<T: ?Sized>(&self, item: &T) -> bool
    where
        F: Funnel<T>,
    {
        self.might_contain_hash(self.funnel.hash(item))
    }

    /// [`insert`](Self::insert) of an element with this hash.
    ///
    /// # Errors
    ///
    /// As of [`insert`](Self::insert).
    pub fn insert_hash(&mut self, hash: Hash128) -> Result<bool, BuildError> {
        if self.might_contain_hash(hash) {
            return Ok(false);
        }
        let place = self.links.len();
        let Some(last) = self.links.last_mut() else {
            return Ok(false);
        };
        let ones = last.ones + last.new_ones(hash);
        // The next link comes first: if there is none to be had, nothing has happened.
        let next = if ones > last.limit {
            Some(Link::new(&self.parameters, place)?)
        } else {
            None
        };
        if next.is_some() {
            reserve_one(&mut self.links)?;
        }
        if let Some(last) = self.links.last_mut() {
            last.filter.put_hash(hash);
            last.ones = ones;
            last.elements += 1;
        }
        self.links.extend(next);
        Ok(true)
    }

    /// [`might_contain`](Self::might_contain) of an element with this hash.
    pub fn might_contain_hash(&self, hash: Hash128) -> bool {
        // Most elements are in the newest links, which are the largest.
        self.links
            .iter()
            .rev()
            .any(|link| link.filter.might_contain_hash(hash))
    }

    /// Removes all elements and all links but the first, whose memory is kept.
    pub fn reset(&mut self) {
        self.links.truncate(1);
        for link in &mut self.links {
            link.filter.clear();
            link.elements = 0;
            link.ones = 0;
        }
    }

    /// The probability that an absent element is found now: `1 - product of (1 - (ones / bits)^k)` over all links, which
    /// err independently of each other.
    pub fn accumulated_fpp(&self) -> f64 {
        let none = self.links.iter().map(|link| libm::log1p(-link.fpp()));
        // An empty filter's sum is a negative zero.
        -libm::expm1(none.sum()) + 0.0
    }

    /// The parameters that the filter was made with.
    pub const fn parameters(&self) -> &GrowingParameters {
        &self.parameters
    }

    /// The funnel that the filter was made with.
    pub const fn funnel(&self) -> &F {
        &self.funnel
    }

    /// The state of each link, the oldest first.
    pub fn links(&self) -> impl ExactSizeIterator<Item = LinkStats> {
        self.links.iter().map(|link| LinkStats {
            elements: link.elements,
            bits: link.filter.bit_size(),
            ones: link.ones,
            probes: link.filter.probes(),
            expected_fpp: link.fpp(),
        })
    }

    /// The links themselves, the oldest first. They are asked by hash, and can be written as Guava's streams.
    pub fn filters(&self) -> impl ExactSizeIterator<Item = &BloomFilter<()>> {
        self.links.iter().map(|link| &link.filter)
    }

    /// The state of the filter.
    pub fn stats(&self) -> GrowingStats {
        let bits = self.links().map(|link| link.bits).sum();
        GrowingStats {
            links: self.links.len(),
            elements: self.links().map(|link| link.elements).sum(),
            bits,
            ones: self.links().map(|link| link.ones).sum(),
            memory_bytes: bits / 8,
            accumulated_fpp: self.accumulated_fpp(),
        }
    }
}

impl Link {
    /// The empty link at this place of the chain.
    fn new(parameters: &GrowingParameters, place: usize) -> Result<Self, BuildError> {
        let shape = parameters.link(place)?;
        let bits = shape.parameters.bit_size();
        Ok(Self {
            filter: BloomFilter::new((), &shape.parameters)?,
            modulus: Modulus::new(bits).ok_or(ParameterError::WordCount { given: bits / 64 })?,
            elements: 0,
            ones: 0,
            limit: shape.limit,
        })
    }

    /// How many bits an element would change.
    fn new_ones(&self, hash: Hash128) -> u64 {
        let filter = &self.filter;
        let positions = filter.strategy().positions(hash, filter.probes(), self.modulus);
        // The bits are in memory, so that every word's index is a `usize`.
        let is_one = |position: u64| filter.words()[(position / 64) as usize] >> (position % 64) & 1 == 1;
        let zeros = DistinctPositions::new(positions.filter(|&position| !is_one(position)));
        zeros.as_slice().len() as u64
    }

    fn fpp(&self) -> f64 {
        let fill = self.ones as f64 / self.filter.bit_size() as f64;
        libm::pow(fill, self.filter.probes().into())
    }
}

fn reserve_one(links: &mut Vec<Link>) -> Result<(), BuildError> {
    links.try_reserve(1).map_err(|_| BuildError::AllocationFailed {
        bytes: ((links.len() + 1) * size_of::<Link>()) as u64,
    })
}

/// The state of a link.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct LinkStats {
    /// Insertions that changed bits of the link.
    pub elements: u64,
    /// Bits of the link.
    pub bits: u64,
    /// Bits that are ones.
    pub ones: u64,
    /// The probe count k.
    pub probes: u8,
    /// The probability that this link finds an absent element now: `(ones / bits)^k`.
    pub expected_fpp: f64,
}

/// The state of a growing filter.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct GrowingStats {
    /// Links of the chain, at least 1.
    pub links: usize,
    /// Insertions that changed bits: different elements, but for those that looked present.
    pub elements: u64,
    /// Bits of all links.
    pub bits: u64,
    /// Bits that are ones.
    pub ones: u64,
    /// Bytes of the bits.
    pub memory_bytes: u64,
    /// The probability that an absent element is found now.
    pub accumulated_fpp: f64,
}
