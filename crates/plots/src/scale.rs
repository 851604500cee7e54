//! Axes: the mapping from values to pixels, and the ticks.
//!
//! A scale is a coordinate of plotters, whose own have ticks at powers of ten alone if they are logarithmic. Logarithms
//! come from `libm`, so charts are the same on every platform.

use core::ops::Range;

use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};

/// A linear or logarithmic axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    logarithmic: bool,
    /// The value at the low end.
    pub low: f64,
    /// The value at the high end.
    pub high: f64,
    /// The pixel of the low end.
    pub from: f64,
    /// The pixel of the high end.
    pub to: f64,
    /// Least distance of ticks, as a share of the axis.
    gap: f64,
}

/// Bounds of the ends of an axis, so that ticks are few and no number overflows.
const LIMITS: (f64, f64) = (1e-100, 1e100);

impl Scale {
    /// Builds a linear axis from 0 to `high`, clamped to 1e-100..=1e100; zero, negative numbers and NaN count as 1.
    pub fn linear(high: f64) -> Self {
        let high = if high > 0.0 { high } else { 1.0 };
        Self::new(false, 0.0, high.clamp(LIMITS.0, LIMITS.1))
    }

    /// Builds a logarithmic axis. Both ends are clamped to 1e-100..=1e100, and `high` to at least 1 % above `low`.
    pub fn log(low: f64, high: f64) -> Self {
        // Unlike `clamp`, this also replaces NaN.
        let low = low.max(LIMITS.0).min(LIMITS.1);
        Self::new(true, low, high.max(low * 1.01).min(LIMITS.1 * 1.01))
    }

    fn new(logarithmic: bool, low: f64, high: f64) -> Self {
        Self {
            logarithmic,
            low,
            high,
            from: 0.0,
            to: 1.0,
            gap: 0.1,
        }
    }

    /// Returns the axis with ticks that are at least about `gap` apart, as a share of the axis.
    pub(crate) fn ticking(self, gap: f64) -> Self {
        Self { gap, ..self }
    }

    /// Returns the axis with the same values from pixel `from` to pixel `to`; `to` may be less than `from`.
    pub fn over(self, from: f64, to: f64) -> Self {
        Self { from, to, ..self }
    }

    /// Returns the pixel of `value`; values beyond an end map to that end.
    pub fn at(&self, value: f64) -> f64 {
        self.from + self.share(self.clamped(value)) * (self.to - self.from)
    }

    /// Returns `value`, or the end beyond which it lies.
    pub(crate) fn clamped(&self, value: f64) -> f64 {
        value.clamp(self.low, self.high)
    }

    /// Returns true if `value` lies on the axis.
    pub fn contains(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// Returns how far along the axis `value` lies: 0 at the low end, 1 at the high end.
    pub(crate) fn share(&self, value: f64) -> f64 {
        if self.logarithmic {
            // A logarithmic axis has no zero, so zero is placed far below the low end.
            libm::log10(value.max(f64::MIN_POSITIVE) / self.low) / libm::log10(self.high / self.low)
        } else {
            (value - self.low) / (self.high - self.low)
        }
    }

    /// Returns the value that lies this far along the axis.
    pub(crate) fn value(&self, share: f64) -> f64 {
        if self.logarithmic {
            self.low * libm::pow(self.high / self.low, share)
        } else {
            self.low + share * (self.high - self.low)
        }
    }

    /// Returns round values for ticks.
    fn ticks(&self) -> Vec<f64> {
        let (gap, ratio) = (self.gap, self.high / self.low);
        // Below a factor of four, too few multiples of 1, 2 and 5 lie on the axis.
        if self.logarithmic && ratio >= 4.0 {
            let decade = 1.0 / libm::log10(ratio);
            // The closest of 1, 2, 5 and 10 are 0.3 of a decade apart.
            let multiples = if decade * 0.3 >= gap { &[1, 2, 5][..] } else { &[1] };
            let every = libm::ceil(gap / decade).max(1.0) as i32;
            let exponents =
                libm::floor(libm::log10(self.low)) as i32..=libm::ceil(libm::log10(self.high)) as i32;
            let decades = exponents.filter(|exponent| exponent.rem_euclid(every) == 0);
            let ticks =
                decades.flat_map(|exponent| multiples.iter().map(move |digit| decimal(*digit, exponent)));
            return ticks.filter(|tick| self.contains(*tick)).collect();
        }
        // A logarithmic axis is most crowded at its upper end.
        let rough = gap * self.high * if self.logarithmic { libm::log(ratio) } else { 1.0 };
        let exponent = libm::floor(libm::log10(rough)) as i32;
        let steps = [(1, exponent), (2, exponent), (5, exponent), (1, exponent + 1)];
        let wide = |step: &&(i64, i32)| decimal(step.0, step.1) >= rough * (1.0 - 1e-9);
        let &(digit, exponent) = steps.iter().find(wide).unwrap_or(&steps[3]);
        let step = decimal(digit, exponent);
        let first = libm::ceil(self.low / step - 1e-9) as i64;
        let last = libm::floor(self.high / step + 1e-9) as i64;
        let ticks = (first..=last).map(|index| decimal(index * digit, exponent));
        ticks.filter(|tick| self.contains(*tick)).collect()
    }
}

/// Returns an integer times a power of ten, rounded like a literal: 0.3, not 0.30000000000000004.
fn decimal(digits: i64, exponent: i32) -> f64 {
    let power = libm::pow(10.0, f64::from(exponent.abs()));
    if exponent < 0 {
        digits as f64 / power
    } else {
        digits as f64 * power
    }
}

impl Ranged for Scale {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let length = f64::from(limit.1 - limit.0);
        limit.0 + libm::round((self.share(*value) * length).clamp(-1e8, 1e8)) as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        if hint.weight().allow_light_points() {
            // No lines between ticks.
            return Vec::new();
        }
        self.ticks()
    }

    fn range(&self) -> Range<f64> {
        self.low..self.high
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ticks_are_decimal_numbers() {
        let ticks = [0.0, 0.1, 0.2, 0.3, 0.4];
        assert_eq!(Scale::linear(0.4).ticking(0.2).ticks(), ticks);
    }

    fn any_end() -> impl Strategy<Value = f64> {
        let special = [0.0, -1.0, 1.0, 1e6, 1e6 + 1e-9, f64::MAX, f64::INFINITY, f64::NAN];
        prop_oneof![any::<f64>(), proptest::sample::select(special.to_vec())]
    }

    proptest! {
        #![proptest_config(proptest::test_runner::Config::default())]

        #[test]
        fn any_numbers_give_an_axis(low in any_end(), high in any_end(), value in any::<f64>()) {
            for scale in [Scale::log(low, high).over(10.0, 310.0), Scale::linear(high).over(10.0, 310.0)] {
                let ticks = scale.ticking(0.1).ticks();
                prop_assert!((1..40).contains(&ticks.len()), "{low:e} {high:e}: {} ticks", ticks.len());
                prop_assert_eq!((scale.at(scale.low), scale.at(scale.high)), (10.0, 310.0));
                prop_assert!(ticks.iter().all(|tick| (9.99..=310.01).contains(&scale.at(*tick))));
                prop_assert!(value.is_nan() || (9.99..=310.01).contains(&scale.at(value)), "{value:e}");
                // No number overflows what plotters counts in.
                scale.map(&value, (100, 3100));
            }
        }
    }
}
