//! Axes: the mapping from values to pixels, and the ticks.
//!
//! Logarithms come from `libm`, so charts are the same on every platform.

/// A linear or logarithmic axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    logarithmic: bool,
    /// Value at `from`.
    low: f64,
    /// Value at `to`.
    high: f64,
    /// Pixel of the low end.
    from: f64,
    /// Pixel of the high end.
    to: f64,
}

/// Bounds of the ends of an axis, so that ticks are few and no number overflows.
const LIMITS: (f64, f64) = (1e-100, 1e100);

impl Scale {
    /// Builds a linear axis from 0 to `high`, clamped to 1e-100..=1e100; zero, negative numbers and NaN count as 1.
    pub fn linear(high: f64) -> Self {
        let high = if high > 0.0 {
            high.clamp(LIMITS.0, LIMITS.1)
        } else {
            1.0
        };
        Self {
            logarithmic: false,
            low: 0.0,
            high,
            from: 0.0,
            to: 1.0,
        }
    }

    /// Builds a logarithmic axis. Both ends are clamped to 1e-100..=1e100, and `high` to at least 1 % above `low`.
    pub fn log(low: f64, high: f64) -> Self {
        // Unlike `clamp`, this also replaces NaN.
        let low = low.max(LIMITS.0).min(LIMITS.1);
        let high = high.max(low * 1.01).min(LIMITS.1 * 1.01);
        Self {
            logarithmic: true,
            low,
            high,
            from: 0.0,
            to: 1.0,
        }
    }

    /// Returns the axis with the same values from pixel `from` to pixel `to`; `to` may be less than `from`.
    pub fn over(self, from: f64, to: f64) -> Self {
        Self { from, to, ..self }
    }

    /// Returns the lowest and highest value.
    pub fn ends(&self) -> (f64, f64) {
        (self.low, self.high)
    }

    /// Returns the pixel of the low end.
    pub fn start(&self) -> f64 {
        self.from
    }

    /// Returns the pixel of the high end.
    pub fn end(&self) -> f64 {
        self.to
    }

    /// Returns the pixel of `value`; values beyond an end map to that end.
    pub fn at(&self, value: f64) -> f64 {
        self.beyond(value.clamp(self.low, self.high))
    }

    /// Returns the pixel of `value`, which may lie beyond the ends.
    pub(crate) fn beyond(&self, value: f64) -> f64 {
        let share = if self.logarithmic {
            // A logarithmic axis has no zero, so zero is placed far below the low end.
            libm::log10(value.max(f64::MIN_POSITIVE) / self.low) / libm::log10(self.high / self.low)
        } else {
            (value - self.low) / (self.high - self.low)
        };
        self.from + share * (self.to - self.from)
    }

    /// Returns true if `value` lies beyond the high end.
    pub fn is_above(&self, value: f64) -> bool {
        value > self.high
    }

    /// Returns true if `value` lies on the axis.
    pub fn contains(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// Returns round values for ticks that are at least about `gap` pixels apart.
    pub fn ticks(&self, gap: f64) -> Vec<f64> {
        let length = (self.to - self.from).abs();
        // Below a factor of four, too few multiples of 1, 2 and 5 lie on the axis.
        if self.logarithmic && self.high / self.low >= 4.0 {
            self.log_ticks(length, gap)
        } else {
            self.even_ticks(length, gap)
        }
    }

    fn even_ticks(&self, length: f64, gap: f64) -> Vec<f64> {
        // Pixels per unit. A logarithmic axis is most crowded at its upper end.
        let pixels = if self.logarithmic {
            length / (self.high * libm::log(self.high / self.low))
        } else {
            length / self.high
        };
        let rough = gap / pixels;
        let exponent = libm::floor(libm::log10(rough)) as i32;
        // Ticks are multiples of a step, computed from integers so that 0.3 equals the literal 0.3.
        let (digit, exponent) = [(1, exponent), (2, exponent), (5, exponent), (1, exponent + 1)]
            .into_iter()
            .find(|(digit, exponent)| {
                f64::from(*digit) * ten_to(f64::from(*exponent)) >= rough * (1.0 - 1e-9)
            })
            .unwrap_or((1, exponent + 1));
        let value = |index: i64| {
            let whole = (index * i64::from(digit)) as f64;
            if exponent < 0 {
                whole / ten_to(f64::from(-exponent))
            } else {
                whole * ten_to(f64::from(exponent))
            }
        };
        let step = value(1);
        let first = libm::ceil(self.low / step - 1e-9) as i64;
        let last = libm::floor(self.high / step + 1e-9) as i64;
        (first..=last)
            .map(value)
            .filter(|tick| self.contains(*tick))
            .collect()
    }

    fn log_ticks(&self, length: f64, gap: f64) -> Vec<f64> {
        let decade = length / libm::log10(self.high / self.low);
        // The closest of 1, 2, 5 and 10 are 0.3 of a decade apart.
        let multiples: &[f64] = if decade * 0.3 >= gap {
            &[1.0, 2.0, 5.0]
        } else {
            &[1.0]
        };
        let every = libm::ceil(gap / decade).max(1.0) as i32;
        let first = libm::floor(libm::log10(self.low)) as i32;
        let last = libm::ceil(libm::log10(self.high)) as i32;
        let mut ticks = Vec::new();
        for exponent in (first..=last).filter(|e| e.rem_euclid(every) == 0) {
            for multiple in multiples {
                // Rounds like a literal in the usual ranges: 0.1, not 0.10000000000000001.
                let tick = multiple * ten_to(f64::from(exponent));
                if self.contains(tick) {
                    ticks.push(tick);
                }
            }
        }
        ticks
    }
}

fn ten_to(exponent: f64) -> f64 {
    libm::pow(10.0, exponent)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ends_and_middle_land_where_they_should() {
        let scale = Scale::log(0.1, 10.0).over(100.0, 300.0);
        assert!((scale.at(1.0) - 200.0).abs() < 1e-9);
        assert_eq!((scale.at(0.0), scale.at(1e9)), (100.0, 300.0));
        assert!(scale.is_above(11.0) && !scale.is_above(10.0));
        assert_eq!(Scale::linear(8.0).over(0.0, 80.0).at(2.0), 20.0);
        assert_eq!(Scale::linear(0.0).over(0.0, 80.0).at(0.5), 40.0);
    }

    #[test]
    fn ticks_are_round_and_far_enough_apart() {
        assert_eq!(Scale::linear(13.0).over(0.0, 300.0).ticks(50.0), [0.0, 5.0, 10.0]);
        assert_eq!(Scale::linear(0.4).over(0.0, 300.0).ticks(60.0).len(), 5);
        assert_eq!(
            Scale::log(0.5, 20.0).over(0.0, 400.0).ticks(40.0),
            [0.5, 1.0, 2.0, 5.0, 10.0, 20.0]
        );
        assert_eq!(
            Scale::log(1.0, 1e9).over(0.0, 300.0).ticks(60.0),
            [1.0, 100.0, 1e4, 1e6, 1e8]
        );
    }

    proptest! {
        #![proptest_config(proptest::test_runner::Config::default())]

        #[test]
        fn any_numbers_give_an_axis(low in any::<f64>(), high in any::<f64>(), value in any::<f64>()) {
            for scale in [Scale::log(low, high).over(10.0, 310.0), Scale::linear(high).over(10.0, 310.0)] {
                let ticks = scale.ticks(30.0);
                prop_assert!(ticks.len() < 40, "{low:e} {high:e}: {} ticks", ticks.len());
                prop_assert!(ticks.iter().all(|tick| (9.99..=310.01).contains(&scale.at(*tick))));
                prop_assert!(value.is_nan() || (9.99..=310.01).contains(&scale.at(value)), "{value:e}");
            }
        }
    }

    #[test]
    fn ends_that_no_axis_can_have_are_moved() {
        for (low, high) in [
            (0.0, 0.0),
            (f64::NAN, f64::NAN),
            (-1.0, f64::INFINITY),
            (f64::INFINITY, 0.0),
            (f64::MIN_POSITIVE, f64::MAX),
            (1.0, 1.0),
            (1e6, 1e6 + 1e-9),
        ] {
            let scale = Scale::log(low, high).over(0.0, 300.0);
            assert!((1..40).contains(&scale.ticks(30.0).len()), "{low:e} {high:e}");
            assert!(
                (scale.at(scale.low), scale.at(scale.high)) == (0.0, 300.0),
                "{low:e} {high:e}"
            );
        }
        assert!(Scale::linear(f64::MAX).over(0.0, 300.0).ticks(30.0).len() > 2);
    }
}
