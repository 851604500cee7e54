//! The counting Bloom filter: Guava's positions, with counters instead of bits.
//!
//! Source: Fan, Cao, Almeida, Broder, "Summary Cache: A Scalable Wide-Area Web Cache Sharing Protocol" (IEEE/ACM
//! Transactions on Networking 8(3), 2000), section V.C.

use alloc::vec::Vec;

use crate::bits::Bits;
use crate::bloom::Bloom;
use crate::error::Error;
use crate::funnel::Funnel;
use crate::guava::{BloomFilter, Parameters, Strategy};
use crate::hash::{Hash128, Xxph3};
use crate::modulus::Modulus;

use crate::packed::PackedIntegers;
use crate::stats::{Stats, estimated_len, rate};
use crate::steps::by_rule;
use crate::stored;
use crate::unrolled::{self, Steps as _};

mod form;

/// The bits of a counter. In a filter that is no fuller than expected, with keys inserted once, a counter reaches 15
/// with a probability of at most `(e ln 2 / 15)^15`, some 3e-14.
const WIDTH: u32 = 4;

/// A Bloom filter from which keys can be removed.
///
/// Positions and sizes are those of Guava's [`BloomFilter`]; a counter replaces each bit, and counts the keys that
/// have this position. A key counts once in a counter, even if several of its positions coincide. A counter has four
/// bits.
///
/// *No false negatives*: a key that was inserted more often than removed is contained, as long as only inserted
/// keys are removed: see [`remove`](Self::remove). A counter that reaches its largest value stays there for good,
/// so that it never becomes 0 too early; removed keys may then still look present.
/// [`stuck_counters`](Self::stuck_counters) counts these.
///
/// Insert every key that may be removed later, also if it looks present already: to skip the insertion then
/// (`if !filter.contains(key)`) and to remove the key later lowers the counters of others, which go missing.
///
/// The same insertions and removals under the same parameters give the same bytes on every platform.
///
/// ```
/// use membership_filters::CountingBloomFilter;
///
/// let mut sessions = CountingBloomFilter::with_capacity(10_000, 0.001)?;
/// sessions.insert("alice");
/// sessions.insert("bob");
/// assert!(sessions.remove("alice"));
/// assert!(!sessions.contains("alice"));
/// assert!(sessions.contains("bob"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountingBloomFilter<F = Xxph3> {
    funnel: F,
    strategy: Strategy,
    probe_count: u32,
    modulus: Modulus,
    counters: PackedIntegers,
    len: u64,
    /// The number of counters that are not 0.
    nonzero: u64,
    /// The number of counters that have their largest value.
    stuck: u64,
}

stored::filter!([F] CountingBloomFilter<F>, F, |hash| hash, bool, (), mut);
stored::stored!([F: crate::funnel::Hashing] CountingBloomFilter<F>, b"MFcounts", F, (funnel: F), funnel);
stored::removal!(CountingBloomFilter);
stored::with_capacity!([] CountingBloomFilter, (), |capacity, rate| Self::new(
    Xxph3,
    &Parameters::new(capacity, rate)?
));

impl<F> CountingBloomFilter<F> {
    /// Creates an empty filter: each of the parameters' bits becomes a counter.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::TooLarge`](crate::ErrorKind::TooLarge), [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory).
    pub fn new(funnel: F, parameters: &Parameters) -> Result<Self, Error> {
        let counters = PackedIntegers::zeroed(parameters.bits(), WIDTH)?;
        Ok(Self {
            funnel,
            strategy: parameters.chosen_strategy(),
            probe_count: parameters.probe_count(),
            modulus: parameters.modulus(),
            counters,
            len: 0,
            nonzero: 0,
            stuck: 0,
        })
    }

    /// Removes one copy of the key if it looks present. Returns whether it did.
    ///
    /// Remove only keys that were inserted. Removing another one that looks present lowers counters of others: the
    /// call returns true, and an inserted key whose counter becomes 0 is missing from then on. So let the data
    /// behind the filter decide, not `contains`, and rebuild the filter from the data after a possible wrong
    /// removal. If the call returns false, nothing changed, and the key was certainly absent.
    pub fn remove<T: ?Sized>(&mut self, item: &T) -> bool
    where
        F: Funnel<T>,
    {
        self.remove_raw(Hash128::of_key(&self.funnel, item))
    }

    fn insert_raw(&mut self, hash: Hash128) -> bool {
        let nonzero_before = self.nonzero;
        self.change_all(hash, |counter, largest| (counter + 1).min(largest));
        self.len = self.len.saturating_add(1);
        self.nonzero > nonzero_before
    }

    fn insert_batch(&mut self, hashes: &[Hash128]) {
        hashes.iter().for_each(|&hash| _ = self.insert_raw(hash));
    }

    fn contains_batch(&self, hashes: &[Hash128], answers: &mut Vec<bool>) {
        answers.extend(hashes.iter().map(|&hash| self.contains_raw(hash)));
    }

    fn contains_raw(&self, hash: Hash128) -> bool {
        let (bits, test) = (self.modulus, |position| self.counters.get(position) > 0);
        by_rule!(self.strategy.rule(), S => unrolled::every(S::start(hash, bits), self.probe_count, bits, test))
    }

    fn remove_raw(&mut self, hash: Hash128) -> bool {
        if !self.contains_raw(hash) {
            return false;
        }
        // A stuck counter stays.
        self.change_all(hash, |counter, largest| counter - u64::from(counter < largest));
        self.len = self.len.saturating_sub(1);
        true
    }

    /// Returns the plain filter with the same keys: a bit is set where a counter is not 0. If no counter is stuck
    /// and only inserted keys were removed, it equals, bit for bit, a filter into which only the remaining keys
    /// were inserted.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory).
    pub fn to_bloom_filter(&self) -> Result<BloomFilter<F>, Error>
    where
        F: Clone,
    {
        // The counters are in memory, and their number is a multiple of 64.
        let words = usize::try_from(self.counters.len() / 64).unwrap_or(usize::MAX);
        let mut bits: Bits = Bits::zeros(words)?;
        for position in (0..self.counters.len()).filter(|&position| self.counters.get(position) > 0) {
            bits.set(position);
        }
        let bloom = Bloom {
            bits,
            rule: self.strategy.rule(),
            probe_count: self.probe_count,
        };
        let funnel = self.funnel.clone();
        Ok(BloomFilter { bloom, funnel })
    }

    /// Returns an estimate of the number of different keys, from the share of counters that are not 0; `None` if too
    /// few are left for an error of 5 %. Earlier removals do not affect it, except through stuck counters.
    pub fn estimated_len(&self) -> Option<u64> {
        estimated_len(self.nonzero, self.counters.len(), self.probe_count)
    }

    /// Resets all counters, including stuck ones, and keeps the memory.
    pub fn clear(&mut self) {
        self.counters.clear();
        self.len = 0;
        self.nonzero = 0;
        self.stuck = 0;
    }

    /// Returns the insertions minus the removals, never below 0. The result is the number of keys, counting copies,
    /// as long as only inserted keys are removed.
    pub const fn len(&self) -> u64 {
        self.len
    }

    /// Returns whether [`len`](Self::len) is 0.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the number of counters, which is the number of bits of the plain filter.
    pub const fn counters(&self) -> u64 {
        self.counters.len()
    }

    /// Returns the number of bits of the counters.
    pub const fn bits(&self) -> u64 {
        self.counters.len() * self.counters.width() as u64
    }

    /// Returns the probe count k.
    pub const fn probe_count(&self) -> u32 {
        self.probe_count
    }

    /// Returns the strategy, which derives positions from a hash.
    pub const fn strategy(&self) -> Strategy {
        self.strategy
    }

    /// Returns the state of the filter.
    pub fn stats(&self) -> Stats {
        let counters = self.counters.len();
        Stats {
            len: Some(self.len),
            is_estimate: false,
            places: counters,
            taken: self.nonzero,
            memory_bytes: self.counters.words().len() as u64 * 8,
            expected_rate: rate(self.nonzero, counters, self.probe_count),
        }
    }

    /// Returns the number of counters that reached their largest value, which they keep until the filter is cleared.
    pub const fn stuck_counters(&self) -> u64 {
        self.stuck
    }

    /// Changes the counters of a key, each once.
    fn change_all(&mut self, hash: Hash128, changed: impl Fn(u64, u64) -> u64) {
        let (mut distinct, mut count) = ([0; u8::MAX as usize], 0);
        by_rule!(self.strategy.rule(), S => {
            let mut steps = S::start(hash, self.modulus);
            for _ in 0..self.probe_count {
                let position = steps.step(self.modulus);
                if !distinct[..count].contains(&position) {
                    distinct[count] = position;
                    count += 1;
                    self.change(position, &changed);
                }
            }
        });
    }

    /// Sets a counter to the result of `changed`, which takes its value and the largest one, and updates the totals.
    fn change(&mut self, position: u64, changed: impl FnOnce(u64, u64) -> u64) {
        let largest = self.counters.max();
        let before = self.counters.get(position);
        let after = changed(before, largest);
        self.counters.set(position, after);
        self.nonzero =
            self.nonzero + u64::from(before == 0 && after > 0) - u64::from(before > 0 && after == 0);
        self.stuck += u64::from(before < largest && after == largest);
    }
}
