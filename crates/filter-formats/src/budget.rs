//! Bits where reads go: divides a budget of memory among filters of different sizes.
//!
//! A store of several levels has most of its keys, and so most of its filter memory, in the last level. A read of an
//! absent key asks a filter of every level, and a bit per key more for a small level costs little. So equal bits per key
//! are a poor division of memory: [`plan`] finds the division with the fewest needless reads (Dayan, Athanassoulis and
//! Idreos, "Monkey: Optimal Navigable Key-Value Store", SIGMOD 2017, derive it for ideal filters; here rates and sizes are
//! those of the stored format). [`Budgeted`] is a policy that builds filters by such a plan.

use alloc::vec::Vec;
use core::fmt;

use filter_policy::{
    Answers, BitsPerKey, Error, FilterBytes, FilterPolicy, KeyHash, KeyHashes, MATCHES_EVERYTHING,
    PreparedFilter,
};

use crate::sizing::Format;

/// Filters that are alike: those of a level, or a single table's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Level {
    /// The number of keys of each filter.
    pub keys: u64,
    /// The number of filters.
    pub filters: u64,
    /// The times that one of these filters is asked for a key that it does not hold, for each read, or in any other unit that
    /// all levels share. A read of an absent key asks one filter of each level: 1.
    pub reads: f64,
}

/// The filters of a [`Level`] in a [`Plan`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share {
    /// The level.
    pub level: Level,
    /// The bits per key of its filters; `None` if they are not worth their memory.
    pub bits_per_key: Option<BitsPerKey>,
    /// The bytes of all its filters.
    pub bytes: u64,
    /// The rate of false positives; 1 without filters.
    pub rate: f64,
}

impl Share {
    /// Returns the needless reads of the level, in the unit of [`Level::reads`].
    pub fn needless(&self) -> f64 {
        self.level.reads * self.rate
    }
}

/// A division of memory among the filters of a store.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The levels, in the given order.
    pub shares: Vec<Share>,
}

impl Plan {
    /// Returns the bytes of all filters.
    pub fn bytes(&self) -> u64 {
        self.shares.iter().map(|share| share.bytes).sum()
    }

    /// Returns the needless reads of all levels.
    pub fn needless(&self) -> f64 {
        self.shares.iter().map(Share::needless).sum()
    }
}

/// The most bits per key of a plan, except where a format has only whole numbers of them.
const MOST_BITS: u32 = 32;
/// Up to so many levels all divisions are compared.
const MOST_COMPARED: usize = 16;
/// The most divisions that are compared one by one; bounds exclude nearly all others.
const MOST_STEPS: u32 = 1_000_000;

/// Divides `bytes` of memory among levels, so that the fewest reads are needless.
///
/// Bits per key are chosen in tenths (LevelDB's format: in halves, since its rate takes long to compute), up to 32, or no
/// filter. Among these no division has fewer needless reads, for the format's real sizes and [rates](Format::rate). For
/// more than 16 levels, such as single tables, memory is given where a byte saves most reads until no step fits.
///
/// ```
/// use filter_formats::budget::{Level, plan};
/// use filter_formats::sizing::Format;
/// use filter_policy::BitsPerKey;
///
/// // Four levels of one filter each, and the memory of ten bits for every key.
/// let keys = [1_000, 10_000, 100_000, 1_000_000];
/// let levels = keys.map(|keys| Level { keys, filters: 1, reads: 1.0 });
/// let bytes = keys.map(|keys| Format::BLOOM64.filter_bytes(keys, BitsPerKey::whole(10)).unwrap());
/// let plan = plan(Format::BLOOM64, &levels, bytes.iter().sum())?;
/// assert!(plan.bytes() <= bytes.iter().sum());
///
/// // 3.3 % of reads are needless with ten bits everywhere, and 1.2 % with the plan.
/// assert!((0.011..0.012).contains(&plan.needless()));
/// let bits: Vec<f64> = plan.shares.iter().map(|share| share.bits_per_key.unwrap().get()).collect();
/// assert!(bits.is_sorted_by(|small, large| small > large) && bits[3] > 9.0);
/// # Ok::<(), filter_policy::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::OutOfDomain`] if a level's reads are negative or not a number; those of [`Format::filter_bytes`].
pub fn plan(format: Format, levels: &[Level], bytes: u64) -> Result<Plan, Error> {
    let choices = levels.iter().map(|level| choices(format, level, bytes));
    let choices: Vec<Vec<Share>> = choices.collect::<Result<_, _>>()?;
    let hulls: Vec<Vec<Share>> = choices.iter().map(|choices| hull(choices)).collect();
    let mut search = Search {
        best: by_gain(&hulls, bytes),
        least: f64::INFINITY,
        steps: 0,
    };
    if levels.len() <= MOST_COMPARED {
        search.least = search.best.iter().map(Share::needless).sum();
        let bounds: Vec<Bound> = (1..=hulls.len())
            .map(|from| Bound::new(hulls.get(from..).unwrap_or(&[])))
            .collect();
        search.walk(&choices, &bounds, &mut Vec::new(), bytes, 0.0);
    }
    Ok(Plan { shares: search.best })
}

/// Returns the choices for a level of which none is better in both bytes and needless reads than another, fewest bytes
/// first. The first is no filter.
fn choices(format: Format, level: &Level, bytes: u64) -> Result<Vec<Share>, Error> {
    if !(level.reads >= 0.0 && level.reads.is_finite()) {
        return Err(Error::OutOfDomain {
            what: "reads of a level",
            given: level.reads,
            allowed: "at least 0",
        });
    }
    let mut all = alloc::vec![Share {
        level: *level,
        bits_per_key: None,
        bytes: 0,
        rate: 1.0,
    }];
    let parts = if format == Format::LEVEL_DB { 2 } else { 10 };
    for part in parts..=MOST_BITS * parts {
        let bits_per_key = BitsPerKey::fractional(f64::from(part) / f64::from(parts))?;
        let of_all = format
            .filter_bytes(level.keys, bits_per_key)?
            .saturating_mul(level.filters);
        // Steps of a format that are longer than a tenth of a bit, and what is beyond the budget.
        if of_all > bytes || all.last().is_some_and(|last| last.bytes == of_all) {
            continue;
        }
        all.push(Share {
            level: *level,
            bits_per_key: Some(bits_per_key),
            bytes: of_all,
            rate: format.rate(level.keys, bits_per_key)?,
        });
    }
    all.sort_by(|a, b| a.bytes.cmp(&b.bytes).then(a.rate.total_cmp(&b.rate)));
    let mut least = f64::INFINITY;
    all.retain(|share| {
        let is_better = share.rate < least;
        least = least.min(share.rate);
        is_better
    });
    Ok(all)
}

/// Returns the choices on the lower convex hull of needless reads by bytes.
fn hull(choices: &[Share]) -> Vec<Share> {
    let mut hull: Vec<Share> = Vec::new();
    for &choice in choices {
        while let [.., before, last] = hull[..]
            && gain(&before, &last) <= gain(&last, &choice)
        {
            hull.pop();
        }
        hull.push(choice);
    }
    hull
}

/// Returns the needless reads that each byte more saves.
fn gain(from: &Share, to: &Share) -> f64 {
    (from.needless() - to.needless()) / (to.bytes - from.bytes).max(1) as f64
}

/// Returns the steps from each choice of the hulls to the next as level, choice, gain and bytes, the largest gain first.
/// Gains fall along a hull, so the steps of a level stay in order.
fn steps(hulls: &[Vec<Share>]) -> Vec<(usize, Share, f64, u64)> {
    let mut steps: Vec<(usize, Share, f64, u64)> = hulls
        .iter()
        .enumerate()
        .flat_map(|(level, hull)| {
            let pairs = hull.iter().zip(hull.iter().skip(1));
            pairs.map(move |(from, to)| (level, *to, gain(from, to), to.bytes - from.bytes))
        })
        .collect();
    steps.sort_by(|a, b| b.2.total_cmp(&a.2));
    steps
}

/// Gives memory where a byte saves most reads. A level whose next step does not fit gets no more.
fn by_gain(hulls: &[Vec<Share>], bytes: u64) -> Vec<Share> {
    let mut taken: Vec<Share> = hulls.iter().flat_map(|hull| hull.first()).copied().collect();
    let mut is_full = alloc::vec![false; hulls.len()];
    let mut left = bytes;
    for (level, choice, _, step) in steps(hulls) {
        let (Some(taken), Some(is_full)) = (taken.get_mut(level), is_full.get_mut(level)) else {
            continue;
        };
        *is_full |= step > left;
        if !*is_full {
            *taken = choice;
            left -= step;
        }
    }
    taken
}

/// The needless reads of some levels if memory could be divided at will between their choices: a lower bound.
struct Bound {
    /// Bytes taken after each step, needless reads then, and what each further byte saves.
    after: Vec<(u64, f64, f64)>,
}

impl Bound {
    fn new(hulls: &[Vec<Share>]) -> Self {
        let needless = hulls
            .iter()
            .flat_map(|hull| hull.first())
            .map(Share::needless)
            .sum();
        let mut last = (0, needless, 0.0);
        let mut after = Vec::new();
        for (_, _, gain, step) in steps(hulls) {
            after.push((last.0, last.1, gain));
            last = (last.0 + step, last.1 - gain * step as f64, 0.0);
        }
        after.push(last);
        Self { after }
    }

    fn at(&self, bytes: u64) -> f64 {
        let passed = self.after.partition_point(|(taken, ..)| *taken <= bytes);
        let here = self.after.get(passed.saturating_sub(1));
        here.map_or(0.0, |(taken, needless, gain)| {
            needless - gain * (bytes - taken) as f64
        })
    }
}

/// The search for the best division: every choice for every level, without those that a bound excludes.
struct Search {
    best: Vec<Share>,
    least: f64,
    steps: u32,
}

impl Search {
    /// Tries the choices for each level after the `taken` ones, the most promising first. `bounds` are those of the levels
    /// after each.
    fn walk(
        &mut self,
        choices: &[Vec<Share>],
        bounds: &[Bound],
        taken: &mut Vec<Share>,
        bytes: u64,
        needless: f64,
    ) {
        let ([choices, later @ ..], [bound, bounds @ ..]) = (choices, bounds) else {
            // Bounds let only better divisions come here.
            self.least = needless;
            self.best.clone_from(taken);
            return;
        };
        let mut promising: Vec<(f64, &Share)> = choices
            .iter()
            .filter(|choice| choice.bytes <= bytes)
            .map(|choice| {
                (
                    needless + choice.needless() + bound.at(bytes - choice.bytes),
                    choice,
                )
            })
            .collect();
        promising.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (bound, choice) in promising {
            self.steps += 1;
            // What rounding may add is no gain.
            if bound >= self.least * (1.0 - 1e-12) || self.steps > MOST_STEPS {
                return;
            }
            taken.push(*choice);
            self.walk(
                later,
                bounds,
                taken,
                bytes - choice.bytes,
                needless + choice.needless(),
            );
            taken.pop();
        }
    }
}

/// A policy whose bits per key depend on the number of keys of a filter, by a [`Plan`] or a limit of bytes.
///
/// Readers need no plan: filters are those of the policy `P`, under its name.
///
/// ```
/// use filter_formats::BloomFilter64Policy;
/// use filter_formats::budget::Budgeted;
/// use filter_policy::{BitsPerKey, FilterPolicy as _};
///
/// // Ten bits per key, but no filter of more than 1,000 bytes.
/// let policy = Budgeted::new(BloomFilter64Policy::new, BitsPerKey::whole(10)).with_most_bytes(1_000);
/// assert_eq!(policy.name(), BloomFilter64Policy::NAME);
/// assert_eq!(policy.max_filter_len(500)?, 626);
/// assert_eq!(policy.max_filter_len(1_000)?, 1_000);
/// assert!((7.99..8.0).contains(&policy.bits_per_key(1_000).unwrap().get()));
/// // With less than a bit per key there is no filter: two bytes that match every key.
/// assert_eq!(policy.max_filter_len(10_000)?, 2);
/// # Ok::<(), filter_policy::Error>(())
/// ```
#[derive(Clone)]
pub struct Budgeted<P> {
    new: fn(BitsPerKey) -> P,
    /// The policy that reads: bits per key make no difference to it.
    reader: P,
    /// For filters of up to so many keys, fewest first; the last is for all others.
    steps: Vec<(u64, Option<BitsPerKey>)>,
    most_bytes: usize,
}

impl<P: FilterPolicy> Budgeted<P> {
    /// Makes a policy with these bits per key for filters of any size.
    pub fn new(new: fn(BitsPerKey) -> P, bits_per_key: BitsPerKey) -> Self {
        Self {
            new,
            reader: new(bits_per_key),
            steps: alloc::vec![(u64::MAX, Some(bits_per_key))],
            most_bytes: usize::MAX,
        }
    }

    /// Makes a policy that gives each filter the bits per key of the plan's level with the nearest number of keys, by
    /// their ratio. For levels with the same number of keys those of the first count: a policy sees only a filter's keys.
    pub fn by_plan(new: fn(BitsPerKey) -> P, plan: &Plan) -> Self {
        let mut shares = plan.shares.clone();
        shares.sort_by_key(|share| share.level.keys);
        shares.dedup_by_key(|share| share.level.keys);
        let ends = shares.iter().skip(1).zip(&shares).map(|(next, share)| {
            // The geometric mean, in whole keys.
            (u128::from(share.level.keys) * u128::from(next.level.keys)).isqrt()
        });
        let ends = ends.map(|end| u64::try_from(end).unwrap_or(u64::MAX));
        let steps = ends.chain([u64::MAX]).zip(&shares);
        Self {
            steps: steps.map(|(end, share)| (end, share.bits_per_key)).collect(),
            ..Self::new(new, BitsPerKey::whole(10))
        }
    }

    /// Sets the largest number of bytes of a filter. Filters that would take more get fewer bits per key, and none if
    /// that is less than one.
    #[must_use]
    pub fn with_most_bytes(self, most_bytes: usize) -> Self {
        Self { most_bytes, ..self }
    }

    /// Returns the bits per key of a filter of this many keys; `None` if it gets no filter.
    pub fn bits_per_key(&self, keys: usize) -> Option<BitsPerKey> {
        let wanted = self.steps.iter().find(|(end, _)| keys as u64 <= *end)?.1?;
        let fits = |bits: BitsPerKey| {
            let len = (self.new)(bits).max_filter_len(keys);
            len.is_ok_and(|len| len <= self.most_bytes)
        };
        if fits(wanted) {
            return Some(wanted);
        }
        let (mut low, mut high) = (BitsPerKey::whole(1), wanted);
        if !fits(low) {
            return None;
        }
        // Fifty halvings leave less than a bit of any filter.
        for _ in 0..50 {
            let middle = BitsPerKey::fractional(low.get().midpoint(high.get())).ok()?;
            if fits(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        Some(low)
    }

    /// Writes with the policy for this many keys, or the filter that matches everything.
    fn write<'out>(
        &self,
        keys: usize,
        out: &'out mut [u8],
        create: impl FnOnce(P, &'out mut [u8]) -> Result<FilterBytes<'out>, Error>,
    ) -> Result<FilterBytes<'out>, Error> {
        if let Some(bits) = self.bits_per_key(keys) {
            return create((self.new)(bits), out);
        }
        let filter = filter_policy::building::room(out, MATCHES_EVERYTHING.len())?;
        filter.copy_from_slice(&MATCHES_EVERYTHING);
        Ok(filter.into())
    }
}

impl<P: fmt::Debug> fmt::Debug for Budgeted<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Budgeted")
            .field("reader", &self.reader)
            .field("steps", &self.steps)
            .field("most_bytes", &self.most_bytes)
            .finish_non_exhaustive()
    }
}

impl<P: FilterPolicy> FilterPolicy for Budgeted<P> {
    fn name(&self) -> &str {
        self.reader.name()
    }

    fn max_filter_len(&self, keys: usize) -> Result<usize, Error> {
        self.bits_per_key(keys)
            .map_or(Ok(MATCHES_EVERYTHING.len()), |bits| {
                (self.new)(bits).max_filter_len(keys)
            })
    }

    fn create_filter<'out>(&self, keys: &[&[u8]], out: &'out mut [u8]) -> Result<FilterBytes<'out>, Error> {
        self.write(keys.len(), out, |policy, out| policy.create_filter(keys, out))
    }

    fn key_may_match(&self, key: &[u8], filter: &[u8]) -> bool {
        self.reader.key_may_match(key, filter)
    }

    fn keys_may_match(&self, keys: &[&[u8]], filter: &[u8], answers: &mut Answers<'_>) -> Result<(), Error> {
        self.reader.keys_may_match(keys, filter, answers)
    }

    fn prepare<'a>(&'a self, filter: &'a [u8]) -> PreparedFilter<'a> {
        self.reader.prepare(filter)
    }

    fn key_hash(&self, key: &[u8]) -> Option<KeyHash> {
        self.reader.key_hash(key)
    }

    fn hashed_may_match(&self, key: &[u8], hash: KeyHash, filter: &[u8]) -> bool {
        self.reader.hashed_may_match(key, hash, filter)
    }

    fn create_from_hashes<'out>(
        &self,
        hashes: KeyHashes<'_>,
        out: &'out mut [u8],
    ) -> Result<FilterBytes<'out>, Error> {
        self.write(hashes.len(), out, |policy, out| {
            policy.create_from_hashes(hashes, out)
        })
    }

    fn answers_prefixes(&self) -> bool {
        self.reader.answers_prefixes()
    }

    fn prefix_may_match(&self, start: &[u8], filter: &[u8]) -> bool {
        self.reader.prefix_may_match(start, filter)
    }
}
