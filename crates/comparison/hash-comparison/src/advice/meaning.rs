//! What a figure means for whoever uses a function: lookups that read a disk, keys that are compared, keys of the fullest shard.

use serde::Serialize;

use super::figures::{Basis, Figure};
use crate::record::Unit;

/// What chance costs in one place, in numbers that a sentence needs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Meaning {
    /// One of so many lookups of absent keys passes the filter and reads the disk.
    Lookups {
        /// The lookups for each that passes.
        one_of: f64,
    },
    /// Keys that are compared until a key is found.
    Comparisons {
        /// The mean.
        mean: f64,
        /// The mean if every bucket had the same number of keys, or one more.
        best: f64,
    },
    /// The keys of the fullest shard.
    Fullest {
        /// The number of shards.
        shards: u64,
        /// The excess over an equal share.
        more: f64,
    },
    /// Keys that have the value of another, which a checksum cannot tell apart.
    Equal {
        /// The number of them, out of all.
        keys: f64,
        /// The number of all keys.
        of: u64,
    },
}

impl Meaning {
    /// Returns what chance means in the place of a figure; `None` if it costs nothing that could be stated.
    pub fn of(figure: &Figure) -> Option<Self> {
        let row = &figure.row;
        let (chance, keys) = (row.chance, row.keys);
        let is_known = chance.is_finite() && chance > 0.0 && keys > 0 && row.size > 0;
        is_known.then(|| match row.unit {
            Unit::FalsePositives => Self::Lookups { one_of: 1.0 / chance },
            Unit::Comparisons => Self::Comparisons {
                mean: chance,
                best: evenly(keys, buckets(figure)),
            },
            Unit::FullestShard => Self::Fullest {
                shards: row.size,
                more: chance * row.size as f64 / keys as f64 - 1.0,
            },
            Unit::Collisions => Self::Equal {
                keys: chance,
                of: keys,
            },
        })
    }
}

/// Returns the number of buckets: for other keys than those that were counted, the power of two that gives the figure of chance,
/// `1 + (keys - 1) / (2 * buckets)`.
fn buckets(figure: &Figure) -> u64 {
    let row = &figure.row;
    match figure.basis {
        Basis::Measured => row.size,
        _ => (((row.keys - 1) as f64 / (2.0 * (row.chance - 1.0))) as u64).max(1),
    }
}

/// Returns the mean number of comparisons to find a key in chained buckets that are as evenly filled as possible.
fn evenly(keys: u64, buckets: u64) -> f64 {
    let (each, fuller) = (keys / buckets, keys % buckets);
    // The keys of a bucket are found after 1, 2, ... comparisons.
    let of_bucket = |keys: u64| keys as f64 * (keys as f64 + 1.0) / 2.0;
    let sum = fuller as f64 * of_bucket(each + 1) + (buckets - fuller) as f64 * of_bucket(each);
    sum / keys as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_spread_evenly_at_best() {
        assert_eq!(evenly(4, 4), 1.0);
        // Two buckets of two keys and two of one.
        assert_eq!(evenly(6, 4), 8.0 / 6.0);
    }
}
