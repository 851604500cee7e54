//! The counting Bloom filter: Guava's positions, with counters instead of bits.
//!
//! Source: Fan, Cao, Almeida, Broder, "Summary Cache: A Scalable Wide-Area Web Cache Sharing Protocol" (IEEE/ACM
//! Transactions on Networking 8(3), 2000), section V.C.

use crate::backend::{Backend, Counted, Exclusive, Remove, StoredSize};
use crate::bits::{Bits, MAX_WORD_COUNT};
use crate::bloom::{Bloom, Variety as _};
use crate::contents::{Reader, Writer};
use crate::error::Error;
use crate::filter::Filter;
use crate::guava::{self, Parameters, Strategy};
use crate::hash::{Hash128, Xxph3};
use crate::modulus::Modulus;
use crate::packed::{PackedIntegers, word_count};
use crate::stats::{Load, Stats, estimated_len, ideal_rate, rate};
use crate::steps::{Steps, by_rule};
use crate::stored::{invalid, zero};
use crate::unrolled;

/// The bits of a counter. In a filter that is no fuller than expected, with keys inserted once, a counter reaches 15
/// with a probability of at most `(e ln 2 / 15)^15`, some 3e-14.
const WIDTH: u32 = 4;

/// The number of bytes between the common header and the counters.
const FIELDS_LEN: u64 = 24;

/// A Bloom filter from which keys can be removed.
///
/// Take it where an insertion must never fail, or where you need the plain filter, too; otherwise a
/// [`CuckooFilter`](crate::CuckooFilter) takes a quarter of the memory.
///
/// Positions and sizes are those of Guava's [`BloomFilter`](guava::BloomFilter); a counter replaces each bit, and counts the keys that
/// have this position. A key counts once in a counter, even if several of its positions coincide. A counter has four
/// bits.
///
/// *No false negatives*: a key that was inserted more often than removed is contained, as long as only inserted
/// keys are removed: see [`remove`](Filter::remove). A counter that reaches its largest value stays there for good,
/// so that it never becomes 0 too early; removed keys may then still look present.
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
pub type CountingBloomFilter<F = Xxph3> = Filter<Counting, F>;

/// The backend of [`CountingBloomFilter`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counting {
    strategy: Strategy,
    probe_count: u32,
    modulus: Modulus,
    counters: PackedIntegers,
    len: u64,
    /// The number of counters that are not 0.
    nonzero: u64,
}

impl<F> CountingBloomFilter<F> {
    /// Returns the plain filter with the same keys: a bit is set where a counter is not 0. If no counter is stuck
    /// and only inserted keys were removed, it equals, bit for bit, a filter into which only the remaining keys
    /// were inserted.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub fn to_bloom_filter(&self) -> Result<guava::BloomFilter<F>, Error>
    where
        F: Clone,
    {
        let Counting {
            strategy,
            probe_count,
            counters,
            ..
        } = &self.backend;
        // The counters are in memory, and their number is a multiple of 64.
        let words = usize::try_from(counters.len() / 64).unwrap_or(usize::MAX);
        let mut bits: Bits = Bits::zeros(words)?;
        for position in (0..counters.len()).filter(|&position| counters.get(position) > 0) {
            bits.set(position);
        }
        let bloom = Bloom::of(*strategy, bits, *probe_count);
        Ok(Filter::of(bloom, self.funnel.clone()))
    }
}

impl Backend for Counting {
    const NAME: &'static str = "CountingBloomFilter";

    const MAGIC: [u8; 8] = *b"MFcounts";

    const REMOVE: Option<fn(&mut Self, Hash128) -> bool> = Some(Remove::remove);

    const MERGE: Result<fn(&mut Self, &Self), &'static str> =
        Err("counting filters: insert the keys of both into one");

    type Hash = Hash128;

    type Funnel = Option<Xxph3>;

    type Parameters = Parameters;

    fn sized(capacity: u64, rate: f64) -> Result<Parameters, Error> {
        Parameters::new(capacity, rate)
    }

    fn size(parameters: &Parameters) -> Result<StoredSize, Error> {
        let memory_bytes = word_count(parameters.bits().into(), WIDTH)? as u64 * 8;
        Ok(StoredSize {
            contents_len: FIELDS_LEN + memory_bytes,
            memory_bytes,
            probe_count: Some(parameters.probe_count()),
        })
    }

    fn rate(parameters: &Parameters, keys: u64) -> f64 {
        parameters.rate_at(keys)
    }

    fn new(parameters: &Parameters) -> Result<Self, Error> {
        Ok(Self {
            strategy: parameters.chosen_strategy(),
            probe_count: parameters.probe_count(),
            modulus: parameters.modulus(),
            counters: PackedIntegers::zeroed(parameters.bits(), WIDTH)?,
            len: 0,
            nonzero: 0,
        })
    }

    #[inline]
    fn contains(&self, hash: Hash128) -> bool {
        let (bits, test) = (self.modulus, |position| self.counters.get(position) > 0);
        by_rule!(self.strategy.rule(), RULE => unrolled::every(Steps::<RULE>::start(hash), self.probe_count, bits, test))
    }

    fn bits(&self) -> u64 {
        self.counters.len() * u64::from(self.counters.width())
    }

    fn stats(&self) -> Stats {
        let counters = self.counters.len();
        Stats {
            len: Some(self.len),
            is_estimate: false,
            places: counters,
            taken: self.nonzero,
            memory_bytes: self.counters.words().len() as u64 * 8,
            probe_count: Some(self.probe_count),
            is_probe_count_chosen: true,
            expected_rate: rate(self.strategy.rule(), self.nonzero, counters, self.probe_count),
        }
    }

    fn load(&self) -> Option<Load> {
        let counters = self.counters.len();
        let share = self.nonzero as f64 / counters as f64;
        Some(Load::of_ones(share, counters, self.probe_count))
    }

    fn rate_at(&self, keys: u64) -> f64 {
        ideal_rate(self.counters.len(), keys, self.probe_count)
    }

    fn ones(&self) -> u64 {
        self.nonzero
    }

    fn estimated_len(&self) -> Option<u64> {
        estimated_len(self.nonzero, self.counters.len(), self.probe_count)
    }

    fn contents_len(&self) -> u64 {
        FIELDS_LEN + self.counters.words().len() as u64 * 8
    }

    fn write<E>(&self, writer: &mut Writer<'_, E>) -> Result<(), E> {
        writer.bytes(&[
            self.strategy.ordinal(),
            u8::try_from(self.probe_count).unwrap_or(u8::MAX),
            self.counters.width(),
        ])?;
        writer.bytes(&[0; 5])?;
        writer.u64(self.counters.len())?;
        writer.u64(self.len)?;
        writer.words(self.counters.words())
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, Error> {
        let [ordinal, probe_count, bits, reserved @ ..] = reader.array::<8>()?;
        zero(&reserved)?;
        let strategy =
            Strategy::from_ordinal(ordinal).ok_or_else(|| invalid("strategy", "0 or 1", ordinal))?;
        if probe_count == 0 {
            return Err(invalid("probe count", "between 1 and 255", 0));
        }
        if !(2..=16).contains(&bits) {
            return Err(invalid("the counter bits", "between 2 and 16", bits));
        }
        let counters = reader.u64()?;
        let modulus = Modulus::new(counters)
            .filter(|_| counters % 64 == 0 && counters / 64 <= MAX_WORD_COUNT.into())
            .ok_or_else(|| {
                let allowed = "a multiple of 64 from 64 to 64 * (2^31 - 1)";
                invalid("counters", allowed, counters)
            })?;
        let len = reader.u64()?;
        // 64 counters take as many words as a counter has bits.
        let words = reader.words(counters / 64 * u64::from(bits))?;
        reader.verify()?;
        let counters = PackedIntegers::from_words(words, counters, bits.into())
            .ok_or_else(|| invalid("padding after the last counter", 0, 1))?;
        let nonzero = counters.iter().filter(|&counter| counter > 0).count() as u64;
        Ok(Self {
            strategy,
            probe_count: probe_count.into(),
            modulus,
            counters,
            len,
            nonzero,
        })
    }
}

impl Exclusive for Counting {
    type New = bool;

    type Done = ();

    fn insert(&mut self, hash: Hash128) -> bool {
        let nonzero_before = self.nonzero;
        self.change_all(hash, |counter, largest| (counter + 1).min(largest));
        self.len = self.len.saturating_add(1);
        self.nonzero > nonzero_before
    }

    #[inline]
    fn new_result(new: bool) -> Result<bool, Error> {
        Ok(new)
    }

    fn done(_: Result<(), Error>) {}

    /// Resets counters that have their largest value, too.
    fn clear(&mut self) {
        self.counters.clear();
        self.len = 0;
        self.nonzero = 0;
    }
}

impl Remove for Counting {
    fn remove(&mut self, hash: Hash128) -> bool {
        if !self.contains(hash) {
            return false;
        }
        // A stuck counter stays.
        self.change_all(hash, |counter, largest| counter - u64::from(counter < largest));
        self.len = self.len.saturating_sub(1);
        true
    }
}

impl Counted for Counting {
    fn count(&self) -> u64 {
        self.len
    }
}

impl Counting {
    /// Changes the counters of a key, each once.
    fn change_all(&mut self, hash: Hash128, changed: impl Fn(u64, u64) -> u64) {
        let (mut distinct, mut count) = ([0; u8::MAX as usize], 0);
        by_rule!(self.strategy.rule(), RULE => {
            let mut steps = Steps::<RULE>::start(hash);
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
        let before = self.counters.get(position);
        let after = changed(before, self.counters.max());
        self.counters.set(position, after);
        self.nonzero =
            self.nonzero + u64::from(before == 0 && after > 0) - u64::from(before > 0 && after == 0);
    }
}
