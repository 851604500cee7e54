//! Evenness: how the values spread over the buckets of a table, and how often each output bit is one.

use super::Hashed;
use crate::dataset::Dataset;
use crate::record::{DistributionKind, DistributionRow};
use crate::stats::chi_square;

/// Bucket counts that a table would have by masking; of these, the [`COUNTS_USED`] largest that the keys can fill.
const POWERS_OF_TWO: [u64; 5] = [65_536, 4096, 256, 16, 2];
/// The same by remainder: the largest prime below each, and 3.
const PRIMES: [u64; 5] = [65_521, 4093, 251, 13, 3];
/// How many bucket counts of either kind are tested.
const COUNTS_USED: usize = 3;
/// Least expected keys in a bucket: below, the chi-square distribution is a poor guide (Cochran 1954).
const LEAST_EXPECTED: u64 = 5;

/// Rows of one function on one dataset: power-of-two bucket counts, prime ones, then the output bits from the lowest.
///
/// Of the counts 65536, 4096, 256, 16 and 2 (65521, 4093, 251, 13 and 3) the three largest are tested that leave at
/// least five keys to a bucket and that the function has bits for: fewer than ten keys give no bucket rows. No key
/// gives no row at all.
///
/// # Panics
///
/// If `hashed` is not of the keys of `dataset`.
pub fn measure(dataset: &Dataset, hashed: &Hashed<'_>) -> Vec<DistributionRow> {
    let values = &hashed.values;
    assert_eq!(values.len(), dataset.keys.len(), "values of other keys");
    if values.is_empty() {
        return Vec::new();
    }
    let keys = values.len() as u64;
    let bits = hashed.function.compared_bits();
    let row = |kind, parameter, statistic, dof, p_value| DistributionRow {
        dataset: dataset.name.clone(),
        function: hashed.function.name.to_owned(),
        kind,
        parameter,
        statistic,
        dof,
        p_value,
    };
    let buckets = [
        (DistributionKind::PowerOfTwoBuckets, POWERS_OF_TWO),
        (DistributionKind::PrimeBuckets, PRIMES),
    ];
    let mut rows = Vec::new();
    for (kind, counts) in buckets {
        let usable = counts
            .into_iter()
            .filter(|&count| count * LEAST_EXPECTED <= keys && count <= 1 << bits);
        for count in usable.take(COUNTS_USED) {
            let statistic = chi_square_of_remainders(values, count, bits);
            let p_value = chi_square::upper_tail(statistic, count - 1);
            rows.push(row(kind, count, statistic, count - 1, p_value));
        }
    }
    for bit in 0..bits {
        let ones = values.iter().filter(|&&value| value >> bit & 1 == 1).count() as f64;
        let n = keys as f64;
        let above = 2.0 * ones - n;
        let p_value = chi_square::upper_tail(above * above / n, 1);
        rows.push(row(
            DistributionKind::BitShare,
            u64::from(bit),
            ones / n,
            1,
            p_value,
        ));
    }
    rows
}

/// Pearson's statistic of the values modulo `buckets` against a random function of `bits` bits.
///
/// The remainders by a prime are not quite equally likely, since the prime does not divide the number of values; the
/// expectation of each bucket takes that into account. For a power of two the remainder is the low bits.
fn chi_square_of_remainders(values: &[u32], buckets: u64, bits: u32) -> f64 {
    let mut counts = vec![0_u64; buckets as usize];
    for &value in values {
        counts[(u64::from(value) % buckets) as usize] += 1;
    }
    let range = 1_u64 << bits;
    let (least, larger) = (range / buckets, range % buckets);
    counts
        .iter()
        .zip(0_u64..)
        .map(|(&count, bucket)| {
            let of_range = least + u64::from(bucket < larger);
            let expected = values.len() as f64 * (of_range as f64 / range as f64);
            let above = count as f64 - expected;
            above * above / expected
        })
        .sum()
}
