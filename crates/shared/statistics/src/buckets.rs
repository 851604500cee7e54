//! Distribution of keys over hash-table buckets: colliding pairs, empty buckets and the fullest bucket.

use super::root::last_where;
use super::special::incomplete_gamma;
use super::{binomial, normal};

/// The distribution of randomly hashed keys over buckets that may differ slightly in probability.
///
/// ```
/// use statistics::buckets::BucketLaw;
///
/// // 1,000 keys in 1,000 buckets: about 500 colliding pairs, and 37 % of the buckets are empty.
/// let law = BucketLaw::new(1000, &[(1000, 0.001)]);
/// assert!((law.pairs() - 499.5).abs() < 1e-9);
/// assert!((law.empty() - 367.9).abs() < 0.5);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct BucketLaw {
    keys: f64,
    /// Pairs of a number of buckets and the probability of each of them.
    classes: Vec<(f64, f64)>,
    /// Sum of the squared probabilities of all buckets; `cubes` is the sum of the cubed ones.
    squares: f64,
    cubes: f64,
}

impl BucketLaw {
    /// Builds the law for `keys` keys from pairs (number of buckets, probability of each); all probabilities sum to 1.
    pub fn new(keys: u64, classes: &[(u64, f64)]) -> Self {
        let classes: Vec<(f64, f64)> = classes
            .iter()
            .filter(|&&(count, _)| count > 0)
            .map(|&(count, p)| (count as f64, p))
            .collect();
        Self {
            keys: keys as f64,
            squares: classes.iter().map(|&(count, p)| count * p * p).sum(),
            cubes: classes.iter().map(|&(count, p)| count * p * p * p).sum(),
            classes,
        }
    }

    /// Builds the law for buckets chosen as `value % buckets`, where values are uniform from 0 to `2^bits - 1`.
    ///
    /// # Panics
    ///
    /// If `bits` is above 64 or `buckets` is 0.
    pub fn remainders(keys: u64, buckets: u64, bits: u32) -> Self {
        assert!(bits <= 64, "the number of bits must be at most 64, got {bits}");
        let range = 1_u128 << bits;
        let larger = (range % u128::from(buckets)) as u64;
        let least = (range / u128::from(buckets)) as f64;
        let range = range as f64;
        Self::new(
            keys,
            &[(larger, (least + 1.0) / range), (buckets - larger, least / range)],
        )
    }

    /// Returns the expected number of pairs of keys that share a bucket.
    pub fn pairs(&self) -> f64 {
        self.keys * (self.keys - 1.0) / 2.0 * self.squares
    }

    /// Returns the two-sided p-value of a count of pairs that share a bucket: twice the smaller tail, at most 1.
    ///
    /// Uses a gamma distribution (Pearson's type III) with the exact mean and variance of the count, its skewness up to
    /// terms that vanish with many buckets, and a continuity correction. Three keys in one bucket make three pairs at
    /// once, so the count is more skewed than a Poisson count.
    pub fn pairs_p(&self, pairs: u64) -> f64 {
        let n = self.keys;
        let all = n * (n - 1.0) / 2.0;
        let triples = n * (n - 1.0) * (n - 2.0);
        let (s2, s3) = (self.squares, self.cubes);
        let variance = all * s2 * (1.0 - s2) + triples * (s3 - s2 * s2).max(0.0);
        if variance <= 0.0 {
            return 1.0;
        }
        let third = all * s2 + triples * s3;
        let shape = 4.0 * variance * variance * variance / (third * third);
        let scale = third / (2.0 * variance);
        let start = self.pairs() - shape * scale;
        let tails = |at: f64| incomplete_gamma(shape, ((at - start) / scale).max(0.0));
        let at_least = tails(pairs as f64 - 0.5).1;
        let at_most = tails(pairs as f64 + 0.5).0;
        (2.0 * at_least.min(at_most)).min(1.0)
    }

    /// Returns the expected number of empty buckets.
    pub fn empty(&self) -> f64 {
        self.classes
            .iter()
            .map(|&(count, p)| count * libm::exp(self.keys * libm::log1p(-p)))
            .sum()
    }

    /// Returns the two-sided p-value of a count of empty buckets: twice the smaller tail of the normal distribution
    /// with the asymptotic variance for many buckets (Weiss 1958).
    pub fn empty_p(&self, empty: u64) -> f64 {
        let buckets: f64 = self.classes.iter().map(|&(count, _)| count).sum();
        let load = self.keys / buckets;
        let zero = libm::exp(-load);
        let variance = buckets * zero * (1.0 - zero * (1.0 + load));
        if variance <= 0.0 {
            return 1.0;
        }
        let above = empty as f64 - self.empty();
        let deviation = variance.sqrt();
        let at_least = normal::upper_tail((above - 0.5) / deviation);
        let at_most = normal::upper_tail(-(above + 0.5) / deviation);
        (2.0 * at_least.min(at_most)).min(1.0)
    }

    /// Returns the expected number of keys in the fullest bucket, treating the buckets as independent.
    pub fn longest(&self) -> f64 {
        // The probability that some bucket holds at least `length` keys.
        let some = |length: f64| {
            let none = |&(count, p): &(f64, f64)| {
                count * libm::log1p(-binomial::at_least(length, self.keys, p).min(1.0))
            };
            -libm::expm1(self.classes.iter().map(none).sum::<f64>())
        };
        // The expectation is the sum of `some` over all lengths: 1 up to `length`, then by the trapezoidal rule.
        let mut length = last_where(0, self.keys as u64, |length| some(length as f64) >= 1.0 - 1e-15) as f64;
        let most = self
            .classes
            .iter()
            .map(|&(_, p)| self.keys * p)
            .fold(0.0, f64::max);
        let step = libm::floor(libm::sqrt(most) / 32.0).max(1.0);
        let (mut sum, mut here) = (length, 1.0);
        while length < self.keys && here >= 1e-9 {
            let next = some(length + step);
            sum += (step * (here + next) + next - here) / 2.0;
            (length, here) = (length + step, next);
        }
        sum
    }

    /// Returns an upper bound on the probability that some bucket holds at least `longest` keys: the sum over all
    /// buckets (Boole's inequality), which is tight when it is small.
    pub fn longest_p(&self, longest: u64) -> f64 {
        let sum: f64 = self
            .classes
            .iter()
            .map(|&(count, p)| count * binomial::at_least(longest as f64, self.keys, p))
            .sum();
        sum.min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use rand::{Rng as _, SeedableRng as _};
    use rand_xoshiro::SplitMix64;

    use super::*;
    use crate::test_support::assert_close;

    fn even(keys: u64, buckets: u64) -> BucketLaw {
        BucketLaw::new(keys, &[(buckets, 1.0 / buckets as f64)])
    }

    #[test]
    fn small_cases_by_hand() {
        // Two keys in four buckets collide with probability 1/4.
        let law = even(2, 4);
        assert_close!(law.pairs(), 0.25, 1e-15);
        assert_close!(law.empty(), 2.25, 1e-15);
        assert_close!(law.longest_p(2), 0.25, 1e-12);
        // Values 0 to 7 modulo 3: remainders 0, 1 and 2 occur 3, 3 and 2 times.
        let law = BucketLaw::remainders(2, 3, 3);
        assert_close!(law.pairs(), 22.0 / 64.0, 1e-15);
        // With 64 bits the remainders are uniform to within rounding.
        assert_close!(
            BucketLaw::remainders(1000, 997, 64).pairs(),
            even(1000, 997).pairs(),
            1e-12
        );
        assert_close!(BucketLaw::remainders(9, 8, 64).empty(), even(9, 8).empty(), 1e-12);
    }

    #[test]
    fn nothing_and_one_key_surprise_nobody() {
        for keys in [0, 1] {
            let law = even(keys, 16);
            assert_eq!((law.pairs_p(0), law.longest_p(keys)), (1.0, 1.0), "{keys}");
            assert!(law.empty_p(16 - keys) > 0.5);
            assert!(law.longest().is_finite());
        }
    }

    /// Simulated random functions: the means agree, and about 1 % of the p-values are below 0.01.
    #[test]
    fn thrown_keys_follow_the_law() {
        let mut generator = SplitMix64::seed_from_u64(1);
        let rounds = 4000;
        for (keys, buckets) in [(1000_u64, 1000_u64), (1900, 1024), (300, 307)] {
            let law = even(keys, buckets);
            let (mut pairs_sum, mut empty_sum, mut longest_sum) = (0_u64, 0_u64, 0_u64);
            let mut below = [0_u32; 3];
            for _ in 0..rounds {
                let mut counts = vec![0_u64; buckets as usize];
                for _ in 0..keys {
                    let at = (u128::from(generator.next_u64()) * u128::from(buckets)) >> 64;
                    counts[at as usize] += 1;
                }
                let pairs = counts.iter().map(|&c| c * c.saturating_sub(1) / 2).sum();
                let empty = counts.iter().filter(|&&c| c == 0).count() as u64;
                let longest = *counts.iter().max().unwrap();
                pairs_sum += pairs;
                empty_sum += empty;
                longest_sum += longest;
                let p = [law.pairs_p(pairs), law.empty_p(empty), law.longest_p(longest)];
                for (count, p) in below.iter_mut().zip(p) {
                    *count += u32::from(p < 0.01);
                }
            }
            let mean = |sum: u64| sum as f64 / f64::from(rounds);
            assert_close!(mean(pairs_sum), law.pairs(), 0.005);
            assert_close!(mean(empty_sum), law.empty(), 0.005);
            assert_close!(mean(longest_sum), law.longest(), 0.02);
            // 40 of 4,000 ± 3.5 standard deviations; the p-values of the longest are bounds, so fewer are small.
            assert!((19..=62).contains(&below[0]), "{keys}: {below:?}");
            assert!((19..=62).contains(&below[1]), "{keys}: {below:?}");
            assert!(below[2] <= 62, "{keys}: {below:?}");
        }
    }
}
