//! The occupancy problem (balls thrown into boxes): collisions of a random function on distinct keys.

/// Returns the expected number of collisions of a random function: keys minus distinct values, when each of `keys`
/// keys gets one of `2^bits` values with equal probability.
///
/// With m values and n keys, this is `n - m (1 - (1 - 1/m)^n)`. Accurate to a few units in the last place for up to
/// 2^53 keys and 1 to 64 bits, even where the plain formula would subtract nearly equal numbers.
///
/// ```
/// use statistics::occupancy::expected_collisions;
///
/// assert_eq!(expected_collisions(1, 32), 0.0);
/// assert!((expected_collisions(1_000_000, 32) - 116.406_170_9).abs() < 1e-6);
/// ```
pub fn expected_collisions(keys: u64, bits: u32) -> f64 {
    let m = values(bits);
    m * beyond_linear(keys, 1.0 / m)
}

/// Returns the variance of the number of collisions, which equals the variance of the number of values no key gets.
///
/// With `q = (1 - 1/m)^n`, the variance is `m q (1 - q) + m (m - 1) q^2 ((1 - 1/(m - 1)^2)^n - 1)` (Johnson and Kotz,
/// Urn Models and Their Application, 1977, section 3.2, rearranged).
pub fn collision_variance(keys: u64, bits: u32) -> f64 {
    if keys < 2 {
        return 0.0;
    }
    let m = values(bits);
    let n = keys as f64;
    let others = m - 1.0;
    if n <= m {
        // The two terms nearly cancel: put q = 1 - u, u = (n - expected) / m, and cancel by hand.
        let expected = expected_collisions(keys, bits);
        let u = (n - expected) / m;
        let q = 1.0 - u;
        let rest = q * others * beyond_linear(keys, 1.0 / (others * others));
        return m * q * ((u * n - n / m) / others - expected / m + rest);
    }
    let q = libm::exp(n * libm::log1p(-1.0 / m));
    m * q * (1.0 - q) + m * others * q * q * libm::expm1(n * libm::log1p(-1.0 / (others * others)))
}

fn values(bits: u32) -> f64 {
    assert!(
        (1..=64).contains(&bits),
        "the number of bits must be between 1 and 64, got {bits}"
    );
    // Exact: a power of two.
    libm::ldexp(1.0, bits as i32)
}

/// Returns `(1 - y)^n - 1 + n y`: the power without its constant and linear terms, never negative.
fn beyond_linear(n: u64, y: f64) -> f64 {
    let count = n as f64;
    if count * y > 1.0 {
        return libm::expm1(count * libm::log1p(-y)) + count * y;
    }
    // The binomial series from the quadratic term on; n y is at most 1, so the terms shrink like 1/k!.
    let mut term = count * (count - 1.0) / 2.0 * y * y;
    let mut sum = 0.0;
    let mut k = 2.0;
    while term != 0.0 && sum + term != sum {
        sum += term;
        term *= -y * (count - k) / (k + 1.0);
        k += 1.0;
    }
    sum
}

#[cfg(test)]
mod tests;
