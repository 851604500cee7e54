//! The Bloom filter below those of Guava, Spark and RedisBloom: bits, and the rule for their positions.

use alloc::vec::Vec;
use core::fmt;

#[cfg(target_has_atomic = "64")]
use crate::atomic_bits::AtomicU64;
#[cfg(target_has_atomic = "64")]
use crate::backend::Concurrent;
use crate::backend::{Backend, Compatible, Exclusive, Merge, Probed};
use crate::batch;
use crate::bits::{Bits, Word};
use crate::error::Error;
use crate::filter::Filter;
use crate::hash::Hash128;
use crate::stats::{Stats, estimated_len, rate};
use crate::steps::{Rule, Steps, by_rule};
use crate::unrolled;

/// Bits, and the rule for the positions of a key: the backend of the filters of Guava, whose variety is a
/// [`Strategy`](crate::guava::Strategy), and of Spark, where it is a [`Version`](crate::spark::Version).
#[derive(Debug, Clone)]
pub struct Bloom<V, W = u64> {
    pub(crate) variety: V,
    pub(crate) bits: Bits<W>,
    pub(crate) probe_count: u32,
}

/// A parameter of a format, other than the size: filters with different values cannot be merged.
pub trait Variety: Copy + PartialEq + fmt::Debug {
    /// The name of the filter, and that of its form for many threads.
    const NAMES: [&'static str; 2];

    /// The name of the parameter in the plural, for error texts.
    const VARIETIES: &'static str;

    /// Returns the rule of the positions.
    fn rule(self) -> Rule;
}

impl<V: Variety> Bloom<V> {
    /// Inserts keys in order. Returns the number of those that changed bits.
    pub(crate) fn put_batch(&mut self, hashes: &[Hash128]) -> u64 {
        if self.bits.are_near() {
            return hashes.iter().map(|&hash| u64::from(self.insert(hash))).sum();
        }
        let (rule, probes) = (self.variety.rule(), self.probe_count);
        by_rule!(rule, RULE => batch::insert::<RULE, _, _>(&mut self.bits, |bits, at| bits.set(at), probes, hashes))
    }
}

impl<V, W> Bloom<V, W> {
    pub(crate) const fn of(variety: V, bits: Bits<W>, probe_count: u32) -> Self {
        Self {
            variety,
            bits,
            probe_count,
        }
    }
}

impl<V: Variety, W: Word> Backend for Bloom<V, W> {
    const NAME: &'static str = V::NAMES[W::IS_SHARED as usize];

    type Hash = Hash128;

    #[inline]
    fn contains(&self, hash: Hash128) -> bool {
        let (probes, modulus) = (self.probe_count, self.bits.modulus());
        by_rule!(self.variety.rule(), RULE => {
            unrolled::every(Steps::<RULE>::start(hash), probes, modulus, |position| self.bits.test(position))
        })
    }

    fn contains_batch(&self, hashes: &[Hash128], answers: &mut Vec<bool>) {
        let (rule, probes) = (self.variety.rule(), self.probe_count);
        by_rule!(rule, RULE => batch::contains::<RULE, W>(&self.bits, probes, hashes, answers));
    }

    #[inline]
    fn bits(&self) -> u64 {
        self.bits.len()
    }

    fn stats(&self) -> Stats {
        let (ones, bits) = (self.bits.ones(), self.bits.len());
        Stats {
            len: estimated_len(ones, bits, self.probe_count),
            is_estimate: true,
            places: bits,
            taken: ones,
            memory_bytes: bits / 8,
            expected_rate: rate(self.variety.rule(), ones, bits, self.probe_count),
        }
    }
}

impl<V: Variety, W: Word> Probed for Bloom<V, W> {
    #[inline]
    fn probe_count(&self) -> u32 {
        self.probe_count
    }

    fn ones(&self) -> u64 {
        self.bits.ones()
    }

    fn estimated_len(&self) -> Option<u64> {
        estimated_len(self.bits.ones(), self.bits.len(), self.probe_count)
    }
}

impl<V: Variety, W: Word> Compatible for Bloom<V, W> {
    fn check_compatible(&self, other: &Self) -> Result<(), Error> {
        Error::check_equal(V::VARIETIES, &self.variety, &other.variety)?;
        Error::check_equal("probe counts", &self.probe_count, &other.probe_count)?;
        Error::check_equal("numbers of bits", &self.bits.len(), &other.bits.len())
    }
}

impl<V: Variety> Exclusive for Bloom<V> {
    type New = bool;

    type Done = ();

    #[inline]
    fn insert(&mut self, hash: Hash128) -> bool {
        let (probes, modulus) = (self.probe_count, self.bits.modulus());
        by_rule!(self.variety.rule(), RULE => {
            unrolled::any(Steps::<RULE>::start(hash), probes, modulus, |position| self.bits.set(position))
        })
    }

    fn insert_batch(&mut self, hashes: &[Hash128]) {
        self.put_batch(hashes);
    }

    fn clear(&mut self) {
        self.bits.clear();
    }
}

impl<V: Variety> Merge for Bloom<V> {
    fn merge(&mut self, other: &Self) {
        self.bits.set_all(&other.bits);
    }
}

impl<V: Variety, F> Filter<Bloom<V>, F> {
    /// Returns the bits: bit i of the filter is bit i mod 64, from the least significant, of word i / 64.
    #[inline]
    pub fn words(&self) -> &[u64] {
        self.backend.bits.words()
    }
}

#[cfg(target_has_atomic = "64")]
impl<V: Variety> Concurrent for Bloom<V, AtomicU64> {
    type Alone = Bloom<V>;

    #[inline]
    fn insert(&self, hash: Hash128) -> bool {
        let (probes, modulus) = (self.probe_count, self.bits.modulus());
        by_rule!(self.variety.rule(), RULE => {
            unrolled::any(Steps::<RULE>::start(hash), probes, modulus, |position| self.bits.set(position))
        })
    }

    fn insert_batch(&self, hashes: &[Hash128]) {
        if self.bits.are_near() {
            return hashes.iter().for_each(|&hash| _ = self.insert(hash));
        }
        let (rule, probes) = (self.variety.rule(), self.probe_count);
        by_rule!(rule, RULE => batch::insert::<RULE, _, _>(&self.bits, |bits, at| bits.set(at), probes, hashes));
    }

    fn merge(&self, other: &Self) {
        self.bits.set_all(other.bits.values());
    }

    fn copy(&self) -> Bloom<V> {
        let bits = self.bits.copy(Word::value);
        Bloom::of(self.variety, bits, self.probe_count)
    }

    fn into_alone(self) -> Bloom<V> {
        let bits = self.bits.map(AtomicU64::into_inner);
        Bloom::of(self.variety, bits, self.probe_count)
    }

    fn from_alone(alone: Bloom<V>) -> Self {
        let bits = alone.bits.map(AtomicU64::new);
        Bloom::of(alone.variety, bits, alone.probe_count)
    }
}

impl<V: PartialEq, W: Word> PartialEq for Bloom<V, W> {
    fn eq(&self, other: &Self) -> bool {
        let is_alike = self.variety == other.variety && self.probe_count == other.probe_count;
        is_alike && self.bits == other.bits
    }
}

impl<V: Eq, W: Word> Eq for Bloom<V, W> {}
