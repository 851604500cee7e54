//! Many elements at once: the same answers as one by one, sooner where the filter is larger than the caches.
//!
//! One by one, the processor waits for the memory of an element's bit before it knows whether to look at the next bit.
//! Here the memory of many elements' bits is asked for before the first of them is looked at, so that these accesses
//! overlap. Elements that are known to be absent drop out between the rounds, without a branch that the processor would
//! have to guess.

use crate::filter::BloomFilter;
use crate::funnel::Funnel;
use crate::hash::Hash128;
use crate::strategy::{Mitz32, Mitz64, Steps, Strategy};

/// How many elements are looked up together. Measured: 128 wait less than 64, and their state still fits into the first
/// cache.
const LANES: usize = 128;

/// How many probes of an element a round makes at most.
const GROUP: usize = 8;

/// How many positions are fetched ahead when elements are put, which are as many cache lines: about as the first cache
/// has. More than the largest probe count.
const AHEAD: usize = 512;

const NO_HASH: Hash128 = Hash128 { h1: 0, h2: 0 };

/// An element that is still in.
#[derive(Clone, Copy)]
struct Lane<S> {
    steps: S,
    /// Which of the elements it is.
    element: usize,
}

impl<F> BloomFilter<F> {
    /// [`BloomFilter::might_contain`] of each element, into the answer at the same place.
    ///
    /// Nothing is allocated.
    ///
    /// ```
    /// use guava_bloom::{BloomFilter, Parameters, Utf8};
    ///
    /// let mut filter = BloomFilter::new(Utf8, &Parameters::new(100, 0.001)?)?;
    /// filter.put("apple");
    /// let mut answers = [false; 2];
    /// filter.might_contain_many(&["apple", "banana"], &mut answers);
    /// assert_eq!(answers, [true, false]);
    /// # Ok::<(), guava_bloom::ParameterError>(())
    /// ```
    ///
    /// # Panics
    ///
    /// When there are not as many answers as elements.
    pub fn might_contain_many<T>(&self, items: &[T], answers: &mut [bool])
    where
        F: Funnel<T>,
    {
        self.contains_all(items, |item| self.funnel().hash(item), answers);
    }

    /// [`BloomFilter::might_contain_hash`] of each hash, into the answer at the same place; as
    /// [`BloomFilter::might_contain_many`].
    ///
    /// # Panics
    ///
    /// When there are not as many answers as hashes.
    pub fn might_contain_hashes(&self, hashes: &[Hash128], answers: &mut [bool]) {
        self.contains_all(hashes, |&hash| hash, answers);
    }

    /// [`BloomFilter::put`] of each element in turn; whether it changed bits comes to the same place of `changed`.
    ///
    /// Nothing is allocated.
    ///
    /// # Panics
    ///
    /// When `changed` is not as long as `items`.
    pub fn put_many<T>(&mut self, items: &[T], changed: &mut [bool])
    where
        F: Funnel<T>,
    {
        assert_same_len(items.len(), changed.len());
        let mut hashes = [NO_HASH; LANES];
        for (items, changed) in items.chunks(LANES).zip(changed.chunks_mut(LANES)) {
            for (hash, item) in hashes.iter_mut().zip(items) {
                *hash = self.funnel().hash(item);
            }
            self.put_hashes(hashes.get(..items.len()).unwrap_or_default(), changed);
        }
    }

    /// [`BloomFilter::put_hash`] of each hash in turn, as [`BloomFilter::put_many`].
    ///
    /// # Panics
    ///
    /// When `changed` is not as long as `hashes`.
    pub fn put_hashes(&mut self, hashes: &[Hash128], changed: &mut [bool]) {
        assert_same_len(hashes.len(), changed.len());
        match self.strategy() {
            Strategy::Murmur128Mitz32 => self.put_by::<Mitz32>(hashes, changed),
            Strategy::Murmur128Mitz64 => self.put_by::<Mitz64>(hashes, changed),
        }
    }

    fn put_by<S: Steps>(&mut self, hashes: &[Hash128], changed: &mut [bool]) {
        let probes = usize::from(self.probes());
        let together = AHEAD / probes;
        let mut positions = [0; AHEAD];
        for (hashes, changed) in hashes.chunks(together).zip(changed.chunks_mut(together)) {
            for (positions, hash) in positions.chunks_exact_mut(probes).zip(hashes) {
                let mut steps = S::new(*hash);
                for position in positions {
                    *position = self.bits.position(steps.step());
                    self.bits.prefetch(*position);
                }
            }
            for (positions, changed) in positions.chunks_exact(probes).zip(changed) {
                *changed = positions
                    .iter()
                    .fold(false, |changed, &position| changed | self.bits.set(position));
            }
        }
    }

    fn contains_all<T>(&self, items: &[T], hash: impl Fn(&T) -> Hash128, answers: &mut [bool]) {
        match self.strategy() {
            Strategy::Murmur128Mitz32 => self.contains_all_by::<Mitz32, T>(items, hash, answers),
            Strategy::Murmur128Mitz64 => self.contains_all_by::<Mitz64, T>(items, hash, answers),
        }
    }

    fn contains_all_by<S: Steps, T>(&self, items: &[T], hash: impl Fn(&T) -> Hash128, answers: &mut [bool]) {
        assert_same_len(items.len(), answers.len());
        let mut lanes = [Lane {
            steps: S::new(NO_HASH),
            element: 0,
        }; LANES];
        let mut positions = [[0; GROUP]; LANES];
        for (items, answers) in items.chunks(LANES).zip(answers.chunks_mut(LANES)) {
            for (element, (lane, item)) in lanes.iter_mut().zip(items).enumerate() {
                let steps = S::new(hash(item));
                *lane = Lane { steps, element };
            }
            answers.fill(false);
            let left = self.keep_contained(&mut lanes, items.len(), &mut positions);
            for lane in lanes.iter().take(left) {
                if let Some(answer) = answers.get_mut(lane.element) {
                    *answer = true;
                }
            }
        }
    }

    /// Moves the lanes whose elements might be contained to the front; how many they are. `left` lanes are in use.
    /// `positions` is room for those of a round.
    fn keep_contained<S: Steps>(
        &self,
        lanes: &mut [Lane<S>; LANES],
        mut left: usize,
        positions: &mut [[u64; GROUP]; LANES],
    ) -> usize {
        let mut probes = usize::from(self.probes());
        // Half of the absent elements drop out at each probe of a filter that is as full as it should be: the first
        // rounds are short, and whoever is left then is most likely contained.
        let mut rounds = [1, 2].into_iter().chain(core::iter::repeat(GROUP));
        while probes > 0 && left > 0 {
            let group = rounds.next().unwrap_or(GROUP).min(probes);
            probes -= group;
            for (lane, positions) in lanes.iter_mut().zip(&mut *positions).take(left) {
                for position in positions.iter_mut().take(group) {
                    *position = self.bits.position(lane.steps.step());
                    self.bits.prefetch(*position);
                }
            }
            let mut kept = 0;
            for (at, positions) in positions.iter().enumerate().take(left) {
                let mut tests = positions
                    .iter()
                    .take(group)
                    .map(|&position| self.bits.test(position));
                let contained = if group <= 2 {
                    // As likely as not: a branch would be guessed wrong too often.
                    tests.fold(true, |all, test| all & test)
                } else {
                    tests.all(|test| test)
                };
                let lane = lanes.get(at).copied();
                if let (Some(place), Some(lane)) = (lanes.get_mut(kept), lane) {
                    *place = lane;
                }
                kept += usize::from(contained);
            }
            left = kept;
        }
        left
    }
}

fn assert_same_len(given: usize, places: usize) {
    assert_eq!(given, places, "as many places for answers as elements are needed");
}
