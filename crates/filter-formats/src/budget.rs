//! Bits where reads go: divides a budget of memory among filters of different sizes.
//!
//! A store of several levels has most of its keys, and so most of its filter memory, in the last level. A read of an
//! absent key asks a filter of every level, and a bit per key more for a small level costs little. So equal bits per key
//! are a poor division of memory: [`plan`] finds the division of Dayan, Athanassoulis and Idreos ("Monkey: Optimal Navigable
//! Key-Value Store", SIGMOD 2017) for the sizes of the stored format. [`Budgeted`] is a policy that builds filters by it.

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

/// The most bits per key of a plan.
const MOST_BITS: f64 = 32.0;

/// Divides `bytes` of memory among levels, so that few reads are needless.
///
/// With ideal filters the fewest reads are needless where a further byte saves as many of them in every level: a level's
/// rate is proportional to its keys by its reads (Monkey's optimum, by Lagrange). The plan has these bits per key, in
/// hundredths and up to 32, or no filter where they are fewer than one, for as high a rate of exchange as the format's real
/// sizes allow.
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
    if let Some(wrong) = levels
        .iter()
        .find(|level| !(level.reads >= 0.0 && level.reads.is_finite()))
    {
        return Err(Error::OutOfDomain {
            what: "reads of a level",
            given: wrong.reads,
            allowed: "at least 0",
        });
    }
    // What a bit per key more does to the logarithm of the rate.
    let ln_rate = |bits| Ok::<f64, Error>(libm::log(format.rate(10_000, BitsPerKey::whole(bits))?));
    let slope = (ln_rate(8)? - ln_rate(16)?) / 8.0;
    let at = |price: f64| -> Result<Plan, Error> {
        let shares = levels.iter().map(|level| share(format, slope, level, price));
        let shares = shares.collect::<Result<_, _>>()?;
        Ok(Plan { shares })
    };
    // At the lowest price no level has a filter, and at the highest all have the most bits.
    let (mut low, mut high) = (-PRICES, PRICES);
    // After fifty halvings a filter changes by less than a hundredth of a bit per key.
    for _ in 0..50 {
        let middle = f64::midpoint(low, high);
        if at(middle)?.bytes() <= bytes {
            low = middle;
        } else {
            high = middle;
        }
    }
    let mut plan = at(low)?;
    // What sizes in steps leave goes to one level after the other.
    let mut left = bytes - plan.bytes();
    for share in &mut plan.shares {
        let Level { keys, filters, reads } = share.level;
        let room = (share.bytes + left) / filters.max(1);
        if let Ok(bits) = format.bits_per_key_for_bytes(keys, room)
            && reads > 0.0
            && (1.0..=MOST_BITS).contains(&bits.get())
        {
            let larger = format.filter_bytes(keys, bits)?.saturating_mul(filters);
            if larger > share.bytes {
                left -= larger - share.bytes;
                (share.bits_per_key, share.bytes) = (Some(bits), larger);
            }
        }
        if let Some(bits) = share.bits_per_key {
            share.rate = format.rate(keys, bits)?;
        }
    }
    Ok(plan)
}

/// The logarithm of the highest and of one by the lowest price: beyond it reads and keys of any size make no difference.
const PRICES: f64 = 1_000.0;

/// Returns the filters of a level where a read that is saved is worth the exponential of `price` bits, without their rate.
fn share(format: Format, slope: f64, level: &Level, price: f64) -> Result<Share, Error> {
    let Level { keys, filters, reads } = *level;
    let bits = (price + libm::log(reads / (keys as f64 * filters as f64))) / slope;
    let bits = libm::floor(bits.min(MOST_BITS) * 100.0) / 100.0;
    let bits_per_key = (bits >= 1.0).then(|| BitsPerKey::fractional(bits)).transpose()?;
    let one = bits_per_key.map_or(Ok(0), |bits| format.filter_bytes(keys, bits))?;
    Ok(Share {
        level: *level,
        bits_per_key,
        bytes: one.saturating_mul(filters),
        rate: 1.0,
    })
}

/// A policy whose bits per key depend on the number of keys of a filter, by a [`Plan`].
///
/// Readers need no plan: filters are those of the policy `P`, under its name.
///
/// ```
/// use filter_formats::BloomFilter64Policy;
/// use filter_formats::budget::{Budgeted, Level, plan};
/// use filter_formats::sizing::Format;
/// use filter_policy::FilterPolicy as _;
///
/// let levels = [1_000, 100_000].map(|keys| Level { keys, filters: 1, reads: 1.0 });
/// let policy = Budgeted::new(BloomFilter64Policy::new, &plan(Format::BLOOM64, &levels, 100_000)?);
/// assert_eq!(policy.name(), BloomFilter64Policy::NAME);
/// assert!(policy.bits_per_key(1_000).unwrap().get() > 16.0);
/// assert!(policy.bits_per_key(100_000).unwrap().get() < 8.0);
/// # Ok::<(), filter_policy::Error>(())
/// ```
#[derive(Clone)]
pub struct Budgeted<P> {
    new: fn(BitsPerKey) -> P,
    /// The policy that reads: bits per key make no difference to it.
    reader: P,
    /// For filters of up to so many keys, fewest first; the last is for all others.
    steps: Vec<(u64, Option<BitsPerKey>)>,
}

impl<P: FilterPolicy> Budgeted<P> {
    /// Makes a policy that gives each filter the bits per key of the plan's level with the nearest number of keys, by
    /// their ratio. For levels with the same number of keys those of the first count: a policy sees only a filter's keys.
    pub fn new(new: fn(BitsPerKey) -> P, plan: &Plan) -> Self {
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
            new,
            reader: new(BitsPerKey::whole(10)),
            steps: steps.map(|(end, share)| (end, share.bits_per_key)).collect(),
        }
    }

    /// Returns the bits per key of a filter of this many keys; `None` if it gets no filter.
    pub fn bits_per_key(&self, keys: usize) -> Option<BitsPerKey> {
        self.steps.iter().find(|(end, _)| keys as u64 <= *end)?.1
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
