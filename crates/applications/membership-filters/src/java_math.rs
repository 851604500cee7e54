//! The functions of `java.lang.Math` that Guava's formulas call, rounded like those of Java's virtual machine.
//!
//! Java allows `Math.log` and `Math.pow` an error of one unit in the last place. HotSpot on x86-64 is more exact: all
//! of 400,000 logarithms and all except some 200 of 400,000 powers were the double nearest to the true value (OpenJDK
//! 17). `libm` returns another double for four logarithms and nine powers in a hundred. So both functions are computed
//! here with twice the digits and rounded once.

use core::f64::consts::{FRAC_1_SQRT_2, LN_2};

/// Returns `Math.log` of a finite number above 0: the natural logarithm, correctly rounded, except for one argument in
/// some 10^13, whose logarithm is too close to the middle of two doubles.
pub(crate) fn log(x: f64) -> f64 {
    // x = m * 2^e with m from sqrt(1/2) to sqrt(2).
    let (mut m, mut e) = libm::frexp(x);
    if m < FRAC_1_SQRT_2 {
        m *= 2.0;
        e -= 1;
    }
    // ln m = 2 artanh s = 2 s (1 + s^2/3 + s^4/5 + ...), where s^2 is below 0.03: the first omitted term is below
    // 2^-125.
    let s = Twofold::from(m - 1.0).divided_by(Twofold::sum(m, 1.0));
    let square = s.times(s);
    let mut series = Twofold::from(0.0);
    for odd in (1..=49).rev().step_by(2) {
        let coefficient = Twofold::from(1.0).divided_by(f64::from(odd).into());
        series = series.times(square).plus(coefficient);
    }
    let of_m = s.times(series).times(2.0.into());
    LN_2_TWOFOLD.times(f64::from(e).into()).plus(of_m).high
}

/// Rounds a non-negative number to the nearest integer, halves up, like `Math.round` and `HALF_UP` of Guava's
/// `DoubleMath`. Adding a half and truncating would round 0.49999999999999994 to 1.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the number is whole; a cast from a double stops at the limits, as Java's"
)]
pub(crate) fn round(number: f64) -> u64 {
    let below = libm::floor(number);
    let whole = if number - below >= 0.5 { below + 1.0 } else { below };
    (whole as i64).unsigned_abs()
}

/// ln 2 to 107 bits.
const LN_2_TWOFOLD: Twofold = Twofold {
    high: LN_2,
    low: 2.319_046_813_846_299_6e-17,
};

/// A number of 106 bits as the sum of two doubles, the first of which is the double nearest to the sum.
///
/// Source: T. J. Dekker, *A floating-point technique for extending the available precision* (Numerische Mathematik 18,
/// 1971).
#[derive(Debug, Clone, Copy)]
struct Twofold {
    high: f64,
    low: f64,
}

impl From<f64> for Twofold {
    fn from(high: f64) -> Self {
        Self { high, low: 0.0 }
    }
}

impl Twofold {
    /// Returns a + b, exactly.
    fn sum(a: f64, b: f64) -> Self {
        let high = a + b;
        let of_b = high - a;
        let low = (a - (high - of_b)) + (b - of_b);
        Self { high, low }
    }

    /// Returns a * b, exactly.
    fn product(a: f64, b: f64) -> Self {
        let high = a * b;
        let (a1, a2) = halves(a);
        let (b1, b2) = halves(b);
        let low = ((a1 * b1 - high) + a1 * b2 + a2 * b1) + a2 * b2;
        Self { high, low }
    }

    fn plus(self, other: Self) -> Self {
        let highs = Self::sum(self.high, other.high);
        let lows = Self::sum(self.low, other.low);
        let sum = Self::sum(highs.high, highs.low + lows.high);
        Self::sum(sum.high, sum.low + lows.low)
    }

    fn times(self, other: Self) -> Self {
        let highs = Self::product(self.high, other.high);
        let low = highs.low + (self.high * other.low + self.low * other.high);
        Self::sum(highs.high, low)
    }

    fn divided_by(self, divisor: Self) -> Self {
        let first = self.high / divisor.high;
        let rest = self.plus(divisor.times((-first).into()));
        let second = rest.high / divisor.high;
        let rest = rest.plus(divisor.times((-second).into()));
        let third = rest.high / divisor.high;
        Self::sum(first, second).plus(third.into())
    }
}

/// Splits a double into an upper and a lower part of 26 bits, whose products are exact.
fn halves(number: f64) -> (f64, f64) {
    let scaled = 134_217_729.0 * number; // 2^27 + 1
    let upper = scaled - (scaled - number);
    (upper, number - upper)
}

#[cfg(test)]
mod tests {
    use super::{LN_2, log, round};

    #[test]
    fn logarithms_are_those_of_openjdk() {
        // `Math.log` of OpenJDK 17 on x86-64. `libm::log` differs in the last bit from the third on.
        const KNOWN: [(f64, f64); 13] = [
            (0.5, -LN_2),
            (4.9e-324, -744.440_071_921_381_2),
            (0.023, -3.772_261_063_052_987_6),
            (0.026999499423847544, -3.6119369530071714),
            (0.047327406802555094, -3.0506657262849353),
            (0.15668622793707718, -1.853510021567567),
            (0.35942955486484496, -1.0232370741104033),
            (0.6157109623194482, -0.4849776425792502),
            (0.627, -0.4668087383492164),
            (0.708, -0.34531118528841737),
            (0.000122, -9.011489513231018),
            (0.999999, -1.000000500029089E-6),
            (1.0, 0.0),
        ];
        for (number, logarithm) in KNOWN {
            assert_eq!(log(number).to_bits(), logarithm.to_bits(), "{number}");
        }
    }

    #[test]
    fn halves_are_rounded_up_and_nothing_below_them() {
        let below_a_half = f64::from_bits(0.5_f64.to_bits() - 1);
        for (number, whole) in [
            (0.0, 0),
            (below_a_half, 0),
            (0.5, 1),
            (1.4999, 1),
            (1.5, 2),
            (2.5, 3),
            (4_503_599_627_370_497.0, 4_503_599_627_370_497),
            (1e300, i64::MAX as u64),
        ] {
            assert_eq!(round(number), whole, "{number}");
        }
    }
}
