//! The number of collisions of a random function, and tests and intervals for an observed count.

use super::correction::{FAMILY_LEVEL, bonferroni};
use super::occupancy::{collision_variance, expected_collisions};
use super::root::band;
use super::{normal, poisson};

/// The distribution of the number of collisions of a random function.
///
/// Uses one of three approximations; no other code chooses between them:
///
/// - *Few collisions*, at most one per hundred keys: Poisson around the expectation.
/// - *Few free values*, at most one in a hundred: the number of collisions exceeds `keys - values` by the number of
///   values that no key got, which is Poisson.
/// - *Otherwise*: normal with the exact mean and variance of the occupancy problem and a continuity correction.
///
/// At the borders, the variance of the Poisson approximations is 3 to 6 per cent too large, which errs towards calling
/// a function random.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CollisionLaw {
    keys: u64,
    expected: f64,
    shape: Shape,
}

/// Below this standard deviation, counts are too skewed for the tails of the normal distribution: at 100 keys and 12
/// bits its p-value would be 400 times too small.
const MIN_NORMAL_DEVIATION: f64 = 14.0;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Shape {
    /// `sure` unavoidable collisions plus a Poisson number with mean `mean`.
    Poisson { sure: u64, mean: f64 },
    /// Normal around the expectation.
    Normal { deviation: f64 },
}

/// The largest share that counts as rare, so that a Poisson approximation applies.
const MAX_RARE_SHARE: f64 = 0.01;

impl CollisionLaw {
    /// Builds the law for `keys` distinct keys and `2^bits` values.
    ///
    /// # Panics
    ///
    /// If `bits` is not between 1 and 64.
    pub fn new(keys: u64, bits: u32) -> Self {
        let expected = expected_collisions(keys, bits);
        let n = keys as f64;
        let values = libm::ldexp(1.0, bits as i32);
        let free = expected - (n - values);
        let shape = if expected <= n * MAX_RARE_SHARE {
            Shape::Poisson {
                sure: 0,
                mean: expected,
            }
        } else if free <= values * MAX_RARE_SHARE {
            // More keys than values, so `bits` is below 64.
            let sure = keys - (1_u64 << bits);
            // The same as `free`, without the cancellation.
            let mean = values * libm::exp(n * libm::log1p(-1.0 / values));
            Shape::Poisson { sure, mean }
        } else {
            Shape::Normal {
                deviation: collision_variance(keys, bits).sqrt(),
            }
        };
        Self {
            keys,
            expected,
            shape,
        }
    }

    /// Returns the expected number of collisions.
    pub fn expected(&self) -> f64 {
        self.expected
    }

    /// The largest possible number of collisions: all keys map to one value.
    fn max_collisions(&self) -> u64 {
        self.keys.saturating_sub(1)
    }

    /// Returns the two-sided p-value of a count of collisions: twice the smaller tail, at most 1.
    pub fn two_sided_p(&self, collisions: u64) -> f64 {
        let (at_most, at_least) = match self.shape {
            Shape::Poisson { sure, mean } => match collisions.checked_sub(sure) {
                Some(count) => (poisson::at_most(count, mean), poisson::at_least(count, mean)),
                None => (0.0, 1.0),
            },
            Shape::Normal { deviation } => {
                let above = collisions as f64 - self.expected;
                let (at_most, at_least) = (
                    normal::upper_tail(-(above + 0.5) / deviation),
                    normal::upper_tail((above - 0.5) / deviation),
                );
                if deviation < MIN_NORMAL_DEVIATION {
                    // Small counts are skewed: also try a Poisson law of equal variance, moved to the same mean.
                    let mean = deviation * deviation;
                    let moved = (above + mean).max(0.0);
                    (
                        at_most.max(poisson::at_most(moved.ceil() as u64, mean)),
                        at_least.max(poisson::at_least(moved.floor() as u64, mean)),
                    )
                } else {
                    (at_most, at_least)
                }
            }
        };
        (2.0 * at_most.min(at_least)).min(1.0)
    }

    /// Returns the confidence interval at `level` for a function's mean number of collisions, given one observed count.
    ///
    /// Garwood's interval if counts are Poisson, otherwise the count plus or minus a multiple of a random function's
    /// standard deviation; clamped to the possible range.
    pub fn mean_interval(&self, collisions: u64, level: f64) -> (f64, f64) {
        let (low, high) = match self.shape {
            Shape::Poisson { sure, .. } => {
                let (low, high) = poisson::mean_interval(collisions.saturating_sub(sure), level);
                (low + sure as f64, high + sure as f64)
            }
            Shape::Normal { deviation } => {
                let reach = normal::upper_quantile((1.0 - level) / 2.0) * deviation;
                (collisions as f64 - reach, collisions as f64 + reach)
            }
        };
        let max = self.max_collisions() as f64;
        (low.clamp(0.0, max), high.clamp(0.0, max))
    }

    /// Returns true if a count differs from chance after correction for `tests` tests.
    pub fn differs(&self, collisions: u64, tests: usize) -> bool {
        bonferroni(self.two_sided_p(collisions), tests) < FAMILY_LEVEL
    }

    /// Returns the smallest and largest counts that do not differ from chance after correction for `tests` tests.
    pub fn band(&self, tests: usize) -> (u64, u64) {
        band(self.expected, self.max_collisions(), |count| {
            self.differs(count, tests)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::assert_close;

    #[test]
    fn few_free_values_are_rare() {
        let Shape::Poisson { sure, mean } = CollisionLaw::new(16_000_000, 20).shape else {
            panic!("16 million keys leave few of a million values free");
        };
        assert_eq!(sure, 16_000_000 - (1 << 20));
        assert_close!(mean, 0.247_621_792_459_883, 1e-9);
    }

    #[test]
    fn p_values_are_right_for_tiny_and_huge_counts() {
        let few = CollisionLaw::new(45_402, 32);
        assert_eq!(few.two_sided_p(0), 1.0);
        // Twice 1 - e^-0.24.
        assert_close!(
            few.two_sided_p(1),
            2.0 * -libm::expm1(-0.239_965_615_215_980_75),
            1e-9
        );
        assert_close!(few.two_sided_p(17), 1.300_479_617_040_63e-25, 1e-12);
        for keys in [0, 1, 2, 3, 100, 45_402, 1_000_000, 16_000_000, 400_000_000] {
            for bits in [1, 20, 24, 28, 32, 64] {
                let law = CollisionLaw::new(keys, bits);
                let middle = law.expected() as u64;
                for count in [0, 1, middle / 2, middle, middle + 1, 2 * middle, keys / 2, keys] {
                    let p = law.two_sided_p(count);
                    assert!((0.0..=1.0).contains(&p), "{keys} {bits} {count}: {p}");
                    let (low, high) = law.mean_interval(count, 0.99);
                    assert!(0.0 <= low && low <= high, "{keys} {bits} {count}: {low} {high}");
                }
                assert!(law.two_sided_p(middle) > 0.5, "{keys} {bits}");
            }
        }
    }

    #[test]
    fn the_band_ends_where_the_verdict_turns() {
        for (keys, bits) in [(45_402, 32), (45_402, 20), (1_000_000, 20), (16_000_000, 20)] {
            for tests in [1, 207, 10_000] {
                let law = CollisionLaw::new(keys, bits);
                let (low, high) = law.band(tests);
                assert!(low as f64 <= law.expected() + 1.0 && law.expected() <= high as f64 + 1.0);
                assert!(!law.differs(low, tests) && !law.differs(high, tests));
                assert!(law.differs(high + 1, tests), "{keys} {bits} {tests}");
                assert!(low == 0 || law.differs(low - 1, tests), "{keys} {bits} {tests}");
            }
        }
        for keys in 0..3 {
            assert_eq!(CollisionLaw::new(keys, 32).band(207), (0, 0));
        }
    }

    #[test]
    fn the_approximations_meet_at_their_borders() {
        // Just below and above one collision in a hundred keys at 20 bits.
        let at = |keys: u64| CollisionLaw::new(keys, 20);
        let (poisson, normal) = (at(21_000), at(21_200));
        assert!(
            matches!(poisson.shape, Shape::Poisson { .. }) && matches!(normal.shape, Shape::Normal { .. })
        );
        for deviations in [-3.0, -1.0, 1.0, 3.0] {
            let p = |law: CollisionLaw| {
                law.two_sided_p((law.expected() + deviations * law.expected().sqrt()).round() as u64)
            };
            assert_close!(p(poisson), p(normal), 0.5, "{deviations} deviations");
        }
    }
}
