//! The Bloom filter below those of Guava, Spark and RedisBloom: bits, and the rule for their positions.

use alloc::vec::Vec;
use core::fmt;

use filter_policy::building::parts::{BitsInParts, PartSizes};

#[cfg(target_has_atomic = "64")]
use crate::atomic_bits::AtomicU64;
#[cfg(target_has_atomic = "64")]
use crate::backend::Concurrent;
use crate::backend::{Backend, Exclusive, Merge, StoredSize};
use crate::batch::{self, in_batches};
use crate::bits::{Bits, WORD, Word};
use crate::contents::{Reader, Writer};
use crate::error::Error;
use crate::filter::Filter;
use crate::hash::{Hash128, HashId};
use crate::stats::{Load, Stats, estimated_len, ideal_rate, rate};
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

/// A form of Bloom filters of another program, and in a filter the parameter of this form other than the size: filters with
/// different values cannot be merged.
pub trait Variety: Copy + PartialEq + fmt::Debug {
    /// The name of the filter, and that of its form for many threads.
    const NAMES: [&'static str; 2];

    /// The first eight bytes of the envelope.
    const MAGIC: [u8; 8];

    /// The name of the parameter in the plural, for error texts.
    const VARIETIES: &'static str;

    /// The hash of the keys: see [`Backend::HASH`].
    const HASH: Option<HashId> = None;

    /// See [`Backend::Funnel`].
    type Funnel;

    /// The size of a filter.
    type Parameters: Clone + Send + Sync + 'static;

    /// Returns the parameters for this many keys at this rate.
    fn sized(capacity: u64, rate: f64) -> Result<Self::Parameters, Error>;

    /// Returns the parameters for this many keys in this many bits, if there is a rule for that.
    fn sized_by_bits(_capacity: u64, _bits: u64) -> Result<Option<Self::Parameters>, Error> {
        Ok(None)
    }

    /// Returns the parameter, the number of words and the probe count.
    fn shape(parameters: &Self::Parameters) -> (Self, usize, u32);

    /// Returns the rule of the positions.
    fn rule(self) -> Rule;

    /// Returns the seed of the hash, if the stored form has one.
    fn seed(self) -> Option<i32> {
        None
    }

    /// Returns the length of the header before the words, in bytes.
    fn header_len(self) -> usize;

    /// Writes this header.
    fn write<W, E>(self, probe_count: u32, words: &[W], writer: &mut Writer<'_, E>) -> Result<(), E>;

    /// Reads this header: the parameter, the number of words and the probe count.
    ///
    /// # Errors
    ///
    /// [`Error`] names the value that no filter has.
    fn read(reader: &mut Reader<'_>) -> Result<(Self, u64, u32), Error>;
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

/// Guava's and Spark's filters and the links of RedisBloom share these methods. The rule is that of the variety: given as
/// such, it is known when loops are compiled.
impl<V, W: Word> Bloom<V, W> {
    #[inline]
    pub(crate) fn find_batch(&self, rule: Rule, hashes: &[Hash128], answers: &mut Vec<bool>) {
        let probes = self.probe_count;
        by_rule!(rule, RULE => batch::contains::<RULE, W>(&self.bits, probes, hashes, answers));
    }

    /// Returns the false-positive rate of so many ones.
    pub(crate) fn rate_of(&self, rule: Rule, ones: u64) -> f64 {
        rate(rule, ones, self.bits.len(), self.probe_count)
    }
}

impl<V> Bloom<V> {
    /// Inserts keys in order. Returns the number of keys that changed bits.
    pub(crate) fn put_batch(&mut self, rule: Rule, hashes: &[Hash128]) -> u64 {
        let (probes, modulus) = (self.probe_count, self.bits.modulus());
        by_rule!(rule, RULE => {
            if !self.bits.are_near() {
                return batch::insert::<RULE, _, _>(&mut self.bits, |bits, at| bits.set(at), probes, hashes);
            }
            let steps = hashes.iter().map(|&hash| Steps::<RULE>::start(hash));
            let put = |steps| unrolled::any(steps, probes, modulus, |position| self.bits.set(position));
            steps.map(put).map(u64::from).sum()
        })
    }
}

impl<V: Variety> Bloom<V> {
    /// Inserts keys a part of the filter at a time. Returns false if nothing was done, since that is not faster.
    fn insert_in_parts(&mut self, sizes: PartSizes, hashes: &mut impl Iterator<Item = Hash128>) -> bool {
        let (rule, probes, modulus) = (self.variety.rule(), self.probe_count, self.bits.modulus());
        let announced = hashes.size_hint().0.saturating_mul(probes as usize);
        let Some(mut building) = BitsInParts::new(sizes, self.bits.words_mut(), announced) else {
            return false;
        };
        in_batches(hashes, |hashes| {
            by_rule!(rule, RULE => batch::insert_in_parts::<RULE>(&mut building, modulus, probes, hashes));
            true
        });
        building.finish();
        true
    }
}

impl<V: Variety, W: Word> Backend for Bloom<V, W> {
    const NAME: &'static str = V::NAMES[W::IS_SHARED as usize];

    const MAGIC: [u8; 8] = V::MAGIC;

    const HASH: Option<HashId> = V::HASH;

    const IS_STREAM: bool = true;

    const MERGE: Result<fn(&mut Self, &Self), &'static str> = Ok(|ours, theirs| ours.bits.add(&theirs.bits));

    type Hash = Hash128;

    type Funnel = V::Funnel;

    type Parameters = V::Parameters;

    fn sized(capacity: u64, rate: f64) -> Result<V::Parameters, Error> {
        V::sized(capacity, rate)
    }

    fn sized_by_bits(capacity: u64, bits: u64) -> Result<Option<V::Parameters>, Error> {
        V::sized_by_bits(capacity, bits)
    }

    fn size(parameters: &V::Parameters) -> Result<StoredSize, Error> {
        let (variety, words, probes) = V::shape(parameters);
        let memory_bytes = (words * WORD) as u64;
        Ok(StoredSize {
            contents_len: variety.header_len() as u64 + memory_bytes,
            memory_bytes,
            probe_count: Some(probes),
        })
    }

    fn rate(parameters: &V::Parameters, keys: u64) -> f64 {
        let (variety, words, probes) = V::shape(parameters);
        variety.rule().rate(words as u64 * 64, keys as f64, probes)
    }

    fn new(parameters: &V::Parameters) -> Result<Self, Error> {
        let (variety, words, probes) = V::shape(parameters);
        Ok(Self::of(variety, Bits::zeros(words)?, probes))
    }

    #[inline]
    fn contains(&self, hash: Hash128) -> bool {
        let (probes, modulus) = (self.probe_count, self.bits.modulus());
        by_rule!(self.variety.rule(), RULE => {
            unrolled::every(Steps::<RULE>::start(hash), probes, modulus, |position| self.bits.test(position))
        })
    }

    fn contains_batch(&self, hashes: &[Hash128], answers: &mut Vec<bool>) {
        self.find_batch(self.variety.rule(), hashes, answers);
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
            probe_count: Some(self.probe_count),
            is_probe_count_chosen: true,
            expected_rate: self.rate_of(self.variety.rule(), ones),
        }
    }

    fn load(&self) -> Option<Load> {
        let share = self.bits.sampled_ones();
        Some(Load::of_ones(share, self.bits.len(), self.probe_count))
    }

    fn rate_at(&self, keys: u64) -> f64 {
        ideal_rate(self.bits.len(), keys, self.probe_count)
    }

    fn ones(&self) -> u64 {
        self.bits.ones()
    }

    fn estimated_len(&self) -> Option<u64> {
        estimated_len(self.bits.ones(), self.bits.len(), self.probe_count)
    }

    fn seed(&self) -> Option<i32> {
        self.variety.seed()
    }

    fn check_compatible(&self, other: &Self) -> Result<(), Error> {
        Error::check_equal(V::VARIETIES, &self.variety, &other.variety)?;
        Error::check_equal("probe counts", &self.probe_count, &other.probe_count)?;
        Error::check_equal("numbers of bits", &self.bits.len(), &other.bits.len())
    }

    fn contents_len(&self) -> u64 {
        self.variety.header_len() as u64 + self.bits.len() / 8
    }

    fn write<E>(&self, writer: &mut Writer<'_, E>) -> Result<(), E> {
        let words = self.bits.words();
        self.variety.write(self.probe_count, words, writer)?;
        writer.words_be(words)
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, Error> {
        let (variety, words, probe_count) = V::read(reader)?;
        let words = reader.words_by(words, u64::from_be_bytes)?;
        Ok(Self::of(
            variety,
            Bits::from_words(words)?.map(W::from),
            probe_count,
        ))
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

    fn insert_batch(&mut self, hashes: &[Hash128]) -> Result<(), Error> {
        if self.bits.are_near() {
            hashes.iter().for_each(|&hash| _ = self.insert(hash));
        } else {
            self.put_batch(self.variety.rule(), hashes);
        }
        Ok(())
    }

    fn insert_all(&mut self, mut hashes: impl Iterator<Item = Hash128>) -> Result<(), Error> {
        if !self.insert_in_parts(PartSizes::BEST, &mut hashes) {
            in_batches(hashes, |hashes| self.insert_batch(hashes).is_ok());
        }
        Ok(())
    }

    #[inline]
    fn new_result(new: bool) -> Result<bool, Error> {
        Ok(new)
    }

    fn done(_: Result<(), Error>) {}

    fn clear(&mut self) {
        self.bits.clear();
    }
}

impl<V: Variety> Merge for Bloom<V> {}

impl<V: Variety, W: Word, F, A> Filter<Bloom<V, W>, F, A> {
    /// Returns the probe count k: the number of bits of a key.
    #[inline]
    pub const fn probe_count(&self) -> u32 {
        self.backend.probe_count
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

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;
    use crate::guava::Strategy;
    use crate::spark::Version;

    /// Runs of 8 positions, and of more in filters of more than 1 KiB.
    const SMALL: PartSizes = PartSizes {
        least: 0,
        part: 64,
        most: 16,
    };

    fn hashes(count: u64) -> impl Iterator<Item = Hash128> + Clone {
        (0..count).map(|number| Hash128::of(&number.to_le_bytes()))
    }

    /// Inserts keys in parts into a filter that has ones, and returns whether there were enough of them for that.
    fn agrees<V: Variety>(variety: V, words: usize, probes: u32, keys: u64) -> bool {
        let mut expected = Bloom::of(variety, Bits::from_words(vec![1 << 40; words]).unwrap(), probes);
        let mut filter = expected.clone();
        let unchanged = expected.clone();
        for hash in hashes(keys) {
            expected.insert(hash);
        }
        let is_done = filter.insert_in_parts(SMALL, &mut hashes(keys));
        assert!(
            filter == if is_done { expected } else { unchanged },
            "{variety:?}, {words} words, {probes} probes"
        );
        is_done
    }

    #[test]
    fn filters_in_parts_have_the_same_bits() {
        let mut done = 0;
        // Lengths that end at a part, and others; numbers of keys around those of batches.
        for words in [1, 4, 8, 9, 128, 133, 500] {
            for (probes, keys) in [(1, 0), (1, 511), (7, 64), (7, 512), (7, 1025), (30, 3000)] {
                done += u32::from(agrees(Strategy::Murmur128Mitz32, words, probes, keys));
                done += u32::from(agrees(Strategy::Murmur128Mitz64, words, probes, keys));
                done += u32::from(agrees(Version::V1, words, probes, keys));
                done += u32::from(agrees(Version::V2 { seed: 7 }, words, probes, keys));
            }
        }
        assert_eq!(done, 148);
    }

    /// The default sizes, as users meet them.
    #[test]
    fn a_filter_above_the_limit_has_the_same_bits() {
        let words = PartSizes::BEST.least / WORD;
        let filter = || Bloom::of(Strategy::default(), Bits::<u64>::zeros(words).unwrap(), 7);
        let keys = hashes(PartSizes::BEST.least as u64 / 32 / 7 + 1);
        let (mut expected, mut whole, mut later) = (filter(), filter(), filter());
        for hash in keys.clone() {
            expected.insert(hash);
        }
        whole.insert_all(keys.clone()).unwrap();
        assert!(whole == expected);
        // Announces no number of keys.
        later.insert_all(keys.filter(|_| true)).unwrap();
        assert!(later == expected);
    }
}
