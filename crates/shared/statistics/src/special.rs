//! The regularised incomplete gamma and beta functions.
//!
//! Series and continued fractions from the Handbook of Mathematical Functions (Abramowitz and Stegun), 6.5.29, 6.5.31
//! and 26.5.8; Lentz's method evaluates the fractions. Their common factor is a Poisson or binomial probability,
//! computed by Loader's saddle-point expansion ("Fast and Accurate Computation of Binomial Probabilities", 2000), which
//! keeps digits that a difference of large logarithms would lose.

use core::f64::consts::{PI, TAU};

/// Terms are dropped below this share of the sum.
const PRECISION: f64 = f64::EPSILON / 2.0;
/// Replaces a zero denominator in Lentz's method.
const TINY: f64 = 1e-300;
/// More terms than any argument up to 2^40 needs: near the mean, the count grows like its square root.
const MAX_TERMS: u32 = 100_000_000;

/// Returns `P(a, x)` and `Q(a, x) = 1 - P(a, x)` for `a > 0` and `x >= 0`, each accurate in its own tail.
pub(super) fn incomplete_gamma(a: f64, x: f64) -> (f64, f64) {
    debug_assert!(a > 0.0 && x >= 0.0, "incomplete gamma of {a}, {x}");
    if x == 0.0 {
        return (0.0, 1.0);
    }
    if x == f64::INFINITY {
        return (1.0, 0.0);
    }
    // x^a e^-x / Gamma(a + 1)
    let front = poisson_term(a, x);
    if x < a + 1.0 {
        let mut term = 1.0;
        let mut sum = 1.0;
        let mut denominator = a;
        for _ in 0..MAX_TERMS {
            denominator += 1.0;
            term *= x / denominator;
            sum += term;
            if term < sum * PRECISION {
                break;
            }
        }
        let p = (front * sum).min(1.0);
        (p, 1.0 - p)
    } else {
        let mut b = x + 1.0 - a;
        let mut c = 1.0 / TINY;
        let mut d = 1.0 / b;
        let mut fraction = d;
        for i in 1..MAX_TERMS {
            let i = f64::from(i);
            let numerator = -i * (i - a);
            b += 2.0;
            d = 1.0 / not_zero(numerator * d + b);
            c = not_zero(b + numerator / c);
            let change = c * d;
            fraction *= change;
            if (change - 1.0).abs() < f64::EPSILON {
                break;
            }
        }
        let q = (front * a * fraction).min(1.0);
        (1.0 - q, q)
    }
}

/// Returns `I_x(a, b)` and `1 - I_x(a, b)` for `a, b > 0` and `x` in 0 to 1, each accurate in its own tail.
pub(super) fn incomplete_beta(a: f64, b: f64, x: f64) -> (f64, f64) {
    debug_assert!(
        a > 0.0 && b > 0.0 && (0.0..=1.0).contains(&x),
        "incomplete beta of {a}, {b}, {x}"
    );
    if x == 0.0 {
        return (0.0, 1.0);
    }
    if x == 1.0 {
        return (1.0, 0.0);
    }
    if x < (a + 1.0) / (a + b + 2.0) {
        let lower = beta_lower(a, b, x, 1.0 - x).min(1.0);
        (lower, 1.0 - lower)
    } else {
        let upper = beta_lower(b, a, 1.0 - x, x).min(1.0);
        (1.0 - upper, upper)
    }
}

/// Computes `I_x(a, b)` by its continued fraction, for `x` below the mean; `y` is `1 - x`.
fn beta_lower(a: f64, b: f64, x: f64, y: f64) -> f64 {
    let n = a + b;
    let mut c = 1.0;
    let mut d = 1.0 / not_zero(1.0 - n * x / (a + 1.0));
    let mut fraction = d;
    for i in 1..MAX_TERMS {
        let i = f64::from(i);
        let even = i * (b - i) * x / ((a + 2.0 * i - 1.0) * (a + 2.0 * i));
        d = 1.0 / not_zero(1.0 + even * d);
        c = not_zero(1.0 + even / c);
        fraction *= c * d;
        let odd = -(a + i) * (n + i) * x / ((a + 2.0 * i) * (a + 2.0 * i + 1.0));
        d = 1.0 / not_zero(1.0 + odd * d);
        c = not_zero(1.0 + odd / c);
        let change = c * d;
        fraction *= change;
        if (change - 1.0).abs() < f64::EPSILON {
            break;
        }
    }
    // x^a y^b / (a B(a, b))
    binomial_term(a, b, x, y) * (b / n) * fraction
}

fn not_zero(value: f64) -> f64 {
    if value.abs() < TINY { TINY } else { value }
}

/// `x^a e^-x / Gamma(a + 1)`.
fn poisson_term(a: f64, x: f64) -> f64 {
    libm::exp(-stirling_error(a) - deviance(a, x)) / (TAU * a).sqrt()
}

/// `Gamma(a + b + 1) / (Gamma(a + 1) Gamma(b + 1)) x^a y^b` with `y = 1 - x`.
fn binomial_term(a: f64, b: f64, x: f64, y: f64) -> f64 {
    let n = a + b;
    let exponent =
        stirling_error(n) - stirling_error(a) - stirling_error(b) - deviance(a, n * x) - deviance(b, n * y);
    libm::exp(exponent) * (n / (TAU * a * b)).sqrt()
}

/// `ln Gamma(n + 1)` minus Stirling's formula `(n + 1/2) ln n - n + ln(2 pi) / 2`.
fn stirling_error(n: f64) -> f64 {
    if n < 16.0 {
        return libm::lgamma(n + 1.0) - (n + 0.5) * libm::log(n) + n - 0.5 * libm::log(2.0 * PI);
    }
    // The next term is below 1 / (188 n^11), which is below the precision of an `f64` from n = 16 on.
    let s = 1.0 / (n * n);
    (1.0 / 12.0 - (1.0 / 360.0 - (1.0 / 1260.0 - (1.0 / 1680.0 - s / 1188.0) * s) * s) * s) / n
}

/// `x ln(x / mean) + mean - x`, never negative.
fn deviance(x: f64, mean: f64) -> f64 {
    let difference = x - mean;
    if difference.abs() < 0.1 * (x + mean) {
        // x ln(x/mean) in powers of v = (x - mean) / (x + mean), so that the leading terms cancel exactly.
        let v = difference / (x + mean);
        let square = v * v;
        let mut sum = difference * v;
        let mut term = 2.0 * x * v;
        for i in 1..1000 {
            term *= square;
            let next = sum + term / f64::from(2 * i + 1);
            if next == sum {
                break;
            }
            sum = next;
        }
        return sum;
    }
    x * libm::log(x / mean) + mean - x
}

#[cfg(test)]
mod tests {
    use statrs::function::{beta, gamma};

    use super::*;
    use crate::test_support::assert_close;

    #[test]
    fn incomplete_gamma_agrees_with_statrs() {
        for a in [0.1, 0.5, 1.0, 2.5, 10.0, 116.4, 1000.0, 32_767.5] {
            for ratio in [0.01, 0.3, 0.9, 0.999, 1.0, 1.001, 1.1, 2.0, 5.0] {
                let x = a * ratio;
                let (p, q) = incomplete_gamma(a, x);
                assert!((p + q - 1.0).abs() < 1e-12, "{a} {x}");
                assert_close!(p, gamma::gamma_lr(a, x), 1e-9, "P({a}, {x})");
                let theirs = gamma::gamma_ur(a, x);
                if theirs > 1e-12 {
                    assert_close!(q, theirs, 1e-9, "Q({a}, {x})");
                }
            }
        }
    }

    #[test]
    fn incomplete_beta_agrees_with_statrs() {
        for a in [0.5, 1.0, 3.0, 40.0, 500.0, 11_700.0] {
            for b in [0.5, 2.0, 60.0, 1000.0, 988_000.0] {
                for x in [1e-6, 0.003, 0.0117, 0.2, 0.5, 0.9, 0.999] {
                    let (lower, upper) = incomplete_beta(a, b, x);
                    let theirs = beta::beta_reg(a, b, x);
                    if theirs > 1e-12 {
                        assert_close!(lower, theirs, 1e-7, "I_{x}({a}, {b})");
                    }
                    assert_close!(upper, incomplete_beta(b, a, 1.0 - x).0, 1e-9, "{a} {b} {x}");
                }
            }
        }
    }

    #[test]
    fn the_ends_are_exact_and_the_far_tails_are_numbers() {
        assert_eq!(incomplete_gamma(3.0, 0.0), (0.0, 1.0));
        assert_eq!(incomplete_gamma(3.0, f64::INFINITY), (1.0, 0.0));
        assert_eq!(incomplete_gamma(1e6, 1.0).0, 0.0);
        assert_eq!(incomplete_gamma(1.0, 1e6).1, 0.0);
        assert_eq!(incomplete_beta(2.0, 3.0, 0.0), (0.0, 1.0));
        assert_eq!(incomplete_beta(2.0, 3.0, 1.0), (1.0, 0.0));
        assert_eq!(incomplete_beta(1e7, 1.0, 1e-3).0, 0.0);
    }
}
