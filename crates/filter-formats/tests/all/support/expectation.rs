//! The exact rate of an ideal Bloom filter.

/// Returns the probability that an absent key matches if every probe of every key, and of the absent key, picks one of
/// `bits` bits independently: the mean of `(X / bits)^probes` over the number X of ones that `keys` keys leave.
///
/// The probability that the absent key's probes hit d different bits is computed probe by probe; the probability that d
/// given bits are ones, by inclusion and exclusion. Good for probe counts up to about 20; beyond, the sum loses too
/// many digits.
pub(crate) fn exact_rate(bits: u64, keys: u64, probes: u8) -> f64 {
    let (m, k) = (bits as f64, usize::from(probes));
    let mut distinct = vec![0.0; k + 1];
    distinct[0] = 1.0;
    for _ in 0..k {
        for d in (0..=k).rev() {
            let from_fewer = if d > 0 {
                distinct[d - 1] * (m - d as f64 + 1.0) / m
            } else {
                0.0
            };
            distinct[d] = distinct[d] * d as f64 / m + from_fewer;
        }
    }
    let balls = f64::from(probes) * keys as f64;
    let all_ones = |d: usize| -> f64 {
        let mut choices = 1.0;
        let mut sum = 0.0;
        for i in 0..=d {
            let sign = if i % 2 == 0 { 1.0 } else { -1.0 };
            sum += sign * choices * libm::exp(balls * libm::log1p(-(i as f64) / m));
            choices *= (d - i) as f64 / (i + 1) as f64;
        }
        sum
    };
    (0..=k).map(|d| distinct[d] * all_ones(d)).sum()
}
