//! Axes: the mapping from values to pixels, and the ticks.
//!
//! Every axis is logarithmic: equal ratios have equal distances, so that neither a slow function nor a rare value leaves
//! the others on one spot. A scale is a coordinate of plotters, whose own logarithmic ones have ticks at powers of ten
//! alone. Logarithms come from `libm`, so charts are the same on every platform.

use core::ops::Range;

use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};

/// A logarithmic axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    /// The value at the low end.
    pub low: f64,
    /// The value at the high end.
    pub high: f64,
    /// The pixel of the low end.
    pub(crate) from: f64,
    /// The pixel of the high end.
    pub(crate) to: f64,
    /// Least distance of ticks, as a share of the axis.
    gap: f64,
}

/// Bounds of the ends of an axis, so that ticks are few and no number overflows.
const LIMITS: (f64, f64) = (1e-100, 1e100);
/// The largest value on an axis of values, as a multiple of their upper quartile.
const MOST: f64 = 3.0;
/// Distance of the outermost values from the ends of an axis, as a ratio.
const MARGIN: f64 = 1.08;

impl Scale {
    /// Builds an axis with these ends. Both are clamped to 1e-100..=1e100, and `high` to at least 1 % above `low`.
    pub fn new(low: f64, high: f64) -> Self {
        // Unlike `clamp`, this also replaces NaN.
        let low = low.max(LIMITS.0).min(LIMITS.1);
        Self {
            low,
            high: high.max(low * 1.01).min(LIMITS.1 * 1.01),
            from: 0.0,
            to: 1.0,
            gap: 0.1,
        }
    }

    /// Builds an axis of these values without the few that are far larger than the others, which would push those together.
    /// Values that are not above zero are left out too.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let mut values: Vec<f64> = (values.into_iter())
            .filter(|value| value.is_finite() && *value > 0.0)
            .collect();
        values.sort_by(f64::total_cmp);
        let [least, .., most] = values[..] else {
            let middle = values.first().copied().unwrap_or(1.0);
            return Self::new(middle / MOST, middle * MOST);
        };
        let most = most.min(values[values.len() * 3 / 4] * MOST);
        Self::new(least / MARGIN, most * MARGIN)
    }

    /// Returns the axis with room for these values too.
    pub fn reaching(self, values: impl IntoIterator<Item = f64>) -> Self {
        let values = values
            .into_iter()
            .filter(|value| value.is_finite() && *value > 0.0);
        let (low, high) = values.fold((self.low, self.high), |(low, high), value| {
            (low.min(value / MARGIN), high.max(value * MARGIN))
        });
        Self::new(low, high)
    }

    /// Returns the axis with ticks that are at least about `gap` apart, as a share of the axis.
    pub(crate) fn ticking(self, gap: f64) -> Self {
        Self { gap, ..self }
    }

    /// Returns the axis with the same values from pixel `from` to pixel `to`; `to` may be less than `from`.
    pub(crate) fn over(self, from: f64, to: f64) -> Self {
        Self { from, to, ..self }
    }

    /// Returns the pixel of `value`; values beyond an end map to that end, and NaN to the low end.
    pub(crate) fn at(&self, value: f64) -> f64 {
        let value = value.max(self.low).min(self.high);
        self.from + self.share(value) * (self.to - self.from)
    }

    /// Returns true if `value` lies on the axis.
    pub fn contains(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// Returns how far along the axis `value` lies: 0 at the low end, 1 at the high end.
    fn share(&self, value: f64) -> f64 {
        // There is no zero, so zero is placed far below the low end.
        libm::log10(value.max(f64::MIN_POSITIVE) / self.low) / libm::log10(self.high / self.low)
    }

    /// Returns round values for ticks.
    pub(crate) fn ticks(&self) -> Vec<f64> {
        let (gap, ratio) = (self.gap, self.high / self.low);
        // Below a factor of four, too few multiples of 1, 2 and 5 lie on the axis.
        if ratio >= 4.0 {
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
        // The axis is most crowded at its upper end.
        let rough = gap * self.high * libm::log(ratio);
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
        assert_eq!(Scale::new(0.15, 0.4).ticking(0.2).ticks(), [0.2, 0.3, 0.4]);
    }

    fn any_end() -> impl Strategy<Value = f64> {
        let special = [0.0, -1.0, 1.0, 1e6, 1e6 + 1e-9, f64::MAX, f64::INFINITY, f64::NAN];
        prop_oneof![any::<f64>(), proptest::sample::select(special.to_vec())]
    }

    proptest! {
        #![proptest_config(proptest::test_runner::Config::default())]

        #[test]
        fn any_numbers_give_an_axis(low in any_end(), high in any_end(), value in any::<f64>()) {
            for scale in [Scale::new(low, high).over(10.0, 310.0), Scale::of([low, high, value]).over(10.0, 310.0)] {
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
