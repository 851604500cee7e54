//! Bits where reads go: divides a budget of memory among filters of different sizes.
//!
//! A store of several levels has most of its keys, and so most of its filter memory, in the last level. A read of an
//! absent key queries a filter of every level, and a bit per key more for a small level costs little. So equal bits per
//! key are a poor division of memory: [`plan`] finds the division of Dayan, Athanassoulis and Idreos ("Monkey: Optimal
//! Navigable Key-Value Store", SIGMOD 2017) for the sizes of the stored format. Give the tables of each level a policy
//! of its bits per key: readers need none of this.

use alloc::vec::Vec;

use crate::{BitsPerKey, Error};

use crate::AnyFormat;
use crate::error::outside;

/// Filters of one size: those of a level, or of a single table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Level {
    /// The number of keys of each filter.
    pub keys: u64,
    /// The number of filters.
    pub filters: u64,
    /// The number of queries of one of these filters for an absent key, for each read, or in any other unit that all
    /// levels share. A read of an absent key queries one filter of each level: 1.
    pub reads: f64,
}

/// The filters of a [`Level`] in a [`Allocation`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share {
    /// The level.
    pub level: Level,
    /// The bits per key of its filters; `None` if they are not worth their memory.
    pub bits_per_key: Option<BitsPerKey>,
    /// The bytes of all its filters.
    pub memory_bytes: u64,
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
pub struct Allocation {
    /// The levels, in the given order.
    pub shares: Vec<Share>,
}

impl Allocation {
    /// Returns the bytes of all filters.
    pub fn memory_bytes(&self) -> u64 {
        self.shares.iter().map(|share| share.memory_bytes).sum()
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
/// With ideal filters the fewest reads are needless where a further byte saves as many of them in every level: a
/// level's rate is proportional to its keys by its reads (Monkey's optimum, by Lagrange). The plan has these bits per
/// key, in hundredths and up to 32, or no filter where they are fewer than one, for as high a rate of exchange as the
/// format's real sizes allow.
///
/// ```
/// use filter_policy::sizing::budget::{Level, plan};
/// use filter_policy::{BitsPerKey, formats};
///
/// // Four levels of one filter each, and the memory of ten bits for every key.
/// let keys = [1_000, 10_000, 100_000, 1_000_000];
/// let levels = keys.map(|keys| Level { keys, filters: 1, reads: 1.0 });
/// let bytes = keys.map(|keys| formats::BLOOM64.filter_len(keys, BitsPerKey::whole(10)).unwrap());
/// let plan = plan(formats::BLOOM64, &levels, bytes.iter().sum())?;
/// assert!(plan.memory_bytes() <= bytes.iter().sum());
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
/// [`Error::OutOfDomain`] if a level's reads are negative or not a number; those of `filter_len`.
pub fn plan(format: &dyn AnyFormat, levels: &[Level], bytes: u64) -> Result<Allocation, Error> {
    let is_wrong = |reads: &f64| !(*reads >= 0.0 && reads.is_finite());
    if let Some(reads) = levels.iter().map(|level| level.reads).find(is_wrong) {
        return Err(outside("reads of a level", reads, "at least 0"));
    }
    // What a bit per key more does to the logarithm of the rate.
    let ln_rate = |bits| Ok::<f64, Error>(libm::log(format.expected_rate(10_000, BitsPerKey::whole(bits))?));
    let slope = (ln_rate(8)? - ln_rate(16)?) / 8.0;
    let at = |price: f64| -> Result<Allocation, Error> {
        let shares = levels.iter().map(|level| share(format, slope, level, price));
        let shares = shares.collect::<Result<_, _>>()?;
        Ok(Allocation { shares })
    };
    // At the lowest price no level has a filter, and at the highest all have the most bits.
    let (mut low, mut high) = (-PRICES, PRICES);
    // After fifty halvings a filter changes by less than a hundredth of a bit per key.
    for _ in 0..50 {
        let middle = f64::midpoint(low, high);
        if at(middle)?.memory_bytes() <= bytes {
            low = middle;
        } else {
            high = middle;
        }
    }
    let mut plan = at(low)?;
    // What sizes in steps leave goes to one level after the other.
    let mut left = bytes - plan.memory_bytes();
    for share in &mut plan.shares {
        let Level { keys, filters, reads } = share.level;
        let room = (share.memory_bytes + left) / filters.max(1);
        if let Ok(bits) = format.bits_per_key_for_len(keys, room)
            && reads > 0.0
            && (1.0..=MOST_BITS).contains(&bits.get())
        {
            let larger = format.filter_len(keys, bits)?.saturating_mul(filters);
            if larger > share.memory_bytes {
                left -= larger - share.memory_bytes;
                (share.bits_per_key, share.memory_bytes) = (Some(bits), larger);
            }
        }
        if let Some(bits) = share.bits_per_key {
            share.rate = format.expected_rate(keys, bits)?;
        }
    }
    Ok(plan)
}

/// The logarithm of the highest and of one by the lowest price: beyond it reads and keys of any size make no
/// difference.
const PRICES: f64 = 1_000.0;

/// Returns the filters of a level where a read that is saved is worth the exponential of `price` bits, without their
/// rate.
fn share(format: &dyn AnyFormat, slope: f64, level: &Level, price: f64) -> Result<Share, Error> {
    let Level { keys, filters, reads } = *level;
    let bits = (price + libm::log(reads / (keys as f64 * filters as f64))) / slope;
    let bits = libm::floor(bits.min(MOST_BITS) * 100.0) / 100.0;
    let bits_per_key = (bits >= 1.0).then(|| BitsPerKey::fractional(bits)).transpose()?;
    let one = bits_per_key.map_or(Ok(0), |bits| format.filter_len(keys, bits))?;
    Ok(Share {
        level: *level,
        bits_per_key,
        memory_bytes: one.saturating_mul(filters),
        rate: 1.0,
    })
}
