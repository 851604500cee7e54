//! The exact rate of an ideal filter, whose share of ones is random.

use crate::Error;
use crate::simd::MAX_PROBES;

use crate::error::outside;

const MAX: usize = MAX_PROBES as usize;

/// From this many probes per bit on, hardly any bit is still zero.
const CROWDED: f64 = 4.0;

/// Returns the exact false-positive rate of an ideal filter: the probability that an absent key matches if each probe
/// of every key, and of the absent key, picks one of `bits` bits independently. With X ones the rate is the mean of
/// `(X / bits)^probes`, which is more than [`Textbook::rate`](super::Textbook::rate), the power of the mean: by 1 to 4 % in filters of 32
/// keys, and by a negligible amount in filters of thousands.
///
/// Accurate to about 11 digits.
///
/// # Errors
///
/// [`Error::OutOfDomain`] when `bits` is 0 or `probes` above 30.
///
/// ```
/// use filter_policy::sizing::{Textbook, exact_rate};
///
/// // 32 keys at 20 bits per key.
/// let exact = exact_rate(640, 32, 14)?;
/// assert!((exact - 7.0623e-5).abs() < 1e-9);
/// assert!((exact / Textbook::with_probe_count(14).rate(640, 32)? - 1.044).abs() < 1e-3);
/// # Ok::<(), filter_policy::Error>(())
/// ```
pub fn exact_rate(bits: u64, keys: u64, probes: u32) -> Result<f64, Error> {
    if bits == 0 {
        return Err(outside("number of bits", 0.0, "at least 1"));
    }
    if probes > MAX_PROBES.into() {
        return Err(outside("probe count", f64::from(probes), "between 0 and 30"));
    }
    let (bits, balls) = (bits as f64, f64::from(probes) * keys as f64);
    let distinct = distinct(probes, bits);
    let mut sum = 0.0;
    // The absent key's probes hit d distinct bits. In large filters d nearly always equals the probe count, and smaller
    // d are too rare to count.
    for (d, &probability) in distinct.iter().enumerate().take(probes as usize + 1).rev() {
        if probability > sum * 1e-18 {
            sum += probability * all_ones(d, bits, balls);
        }
    }
    // Rounding may add up to a little more than certainty.
    Ok(sum.min(1.0))
}

/// Returns the probabilities that this many balls hit 0, 1, 2, ... distinct cells out of `cells`.
pub(super) fn distinct(balls: u32, cells: f64) -> [f64; MAX + 1] {
    let mut share = [0.0; MAX + 1];
    share[0] = 1.0;
    for _ in 0..balls {
        throw(&mut share, cells);
    }
    share
}

/// Adds one ball to the probabilities of the number of hit cells.
fn throw(share: &mut [f64], cells: f64) {
    let mut fewer = 0.0;
    for (d, here) in share.iter_mut().enumerate() {
        let met = d as f64;
        // No more cells can be hit than exist.
        let from_fewer = fewer * (cells - met + 1.0).max(0.0) / cells;
        fewer = *here;
        *here = *here * met / cells + from_fewer;
    }
}

/// Returns the probability that `d` given bits out of `bits` are all ones after this many balls; `d` is at most `bits`.
///
/// All terms are positive where they may differ much, so no digits are lost to cancellation.
fn all_ones(d: usize, bits: f64, balls: f64) -> f64 {
    let chosen = d as f64;
    if balls >= CROWDED * bits {
        // Inclusion and exclusion: zeros are rare enough for the sum to converge.
        let mut choices = 1.0;
        let mut sum = 0.0;
        for i in 0..=d {
            let i = i as f64;
            sum += choices * libm::exp(balls * libm::log1p(-i / bits));
            choices *= -(chosen - i) / (i + 1.0);
        }
        return sum;
    }
    let mut covered = [0.0; MAX + 1];
    covered[0] = 1.0;
    let Some(covered) = covered.get_mut(..=d) else {
        return 0.0;
    };
    let inside = chosen / bits;
    // The number of balls that hit the given bits is binomial; each of these balls then hits any of the given bits.
    let mut probability = libm::exp(balls * libm::log1p(-inside));
    if inside >= 1.0 {
        // The given bits are all of the bits: at most 30, with at most four balls each.
        probability = 1.0;
    }
    let mut sum = 0.0;
    let mut fallen = 0.0;
    loop {
        let all = covered.last().copied().unwrap_or_default();
        if inside < 1.0 || fallen == balls {
            sum += probability * all;
        }
        let rest_is_nothing = fallen > balls * inside && probability < sum * 1e-18;
        if fallen >= balls || probability == 0.0 || rest_is_nothing {
            return sum;
        }
        if inside < 1.0 {
            probability *= (balls - fallen) / (fallen + 1.0) * (inside / (1.0 - inside));
        }
        throw(covered, chosen);
        fallen += 1.0;
    }
}

#[cfg(not(emulated))]
#[cfg(test)]
mod tests {
    use super::super::Textbook;
    use super::*;

    #[test]
    fn rates_agree_with_exact_arithmetic() {
        // Computed with Python's `Fraction`: the shares of d distinct bits, times the sums by inclusion and exclusion.
        let known = [
            (64, 1, 1, 1.562_5e-2),
            (2, 1, 2, 6.25e-1),
            (64, 1, 30, 1.292_288_257_602_717e-12),
            (64, 3, 15, 6.085_539_023_099_586e-5),
            (64, 10, 4, 4.914_187_214_837_789e-2),
            (64, 64, 1, 6.350_134_757_560_926e-1),
            (64, 64, 2, 7.525_656_999_882_215e-1),
            (320, 32, 7, 8.421_636_552_841_791e-3),
            (640, 32, 14, 7.062_322_586_069_826e-5),
            (1280, 32, 27, 4.959_263_726_028_168e-9),
            (1440, 32, 30, 4.556_344_545_769_042e-10),
            (30, 3, 30, 3.786_264_663_698_199e-1),
            (30, 5, 30, 8.869_847_527_852_719e-1),
            (31, 2, 30, 3.940_606_801_956_55e-2),
            (8, 4, 8, 9.279_574_088_452_457e-1),
            (8, 3, 8, 7.983_942_673_611_841e-1),
            (5120, 512, 7, 8.207_857_143_904_412e-3),
            (64, 2, 30, 1.804_421_065_978_923e-6),
            (64, 8, 30, 5.684_404_218_372_295e-1),
            (64, 9, 30, 7.053_519_303_739_947e-1),
            (64, 100, 3, 9.740_003_639_997_92e-1),
            (20_480, 2048, 7, 8.197_254_468_855_19e-3),
            (43_000, 1000, 30, 1.069_712_224_419_406e-9),
        ];
        for (bits, keys, probes, expected) in known {
            let given = exact_rate(bits, keys, probes).unwrap();
            assert!(
                (given / expected - 1.0).abs() < 1e-11,
                "m {bits}, n {keys}, k {probes}: {given:e}, not {expected:e}"
            );
        }
    }

    #[test]
    fn rates_at_the_edges() {
        assert_eq!(exact_rate(64, 0, 6), Ok(0.0));
        // Nearly all bits are ones, so that rounding could pass certainty.
        for (bits, keys) in (1..64).flat_map(|bits| [(bits, 64), (bits, 1000)]) {
            for probes in 1..=30 {
                assert!(
                    exact_rate(bits, keys, probes).unwrap() <= 1.0,
                    "{bits} {keys} {probes}"
                );
            }
        }
        assert_eq!(exact_rate(64, 5, 0), Ok(1.0));
        assert_eq!(exact_rate(1, 1, 30), Ok(1.0));
        assert!(exact_rate(64, u64::MAX, 30).unwrap() > 1.0 - 1e-12);
        // Too small for a double.
        assert_eq!(exact_rate(u64::MAX, 1000, 30), Ok(0.0));
        assert!(exact_rate(0, 1, 1).is_err() && exact_rate(64, 1, 31).is_err());
    }

    #[test]
    fn large_filters_have_the_textbooks_rate_and_small_ones_more() {
        for (keys, closer_than) in [(32, 0.11), (1000, 0.01), (1_000_000, 1e-5), (1 << 40, 1e-9)] {
            for (bits_per_key, probes) in [(1, 1), (5, 3), (10, 7), (20, 14), (43, 30)] {
                let exact = exact_rate(keys * bits_per_key, keys, probes).unwrap();
                let textbook = Textbook::with_probe_count(probes)
                    .rate(keys * bits_per_key, keys)
                    .unwrap();
                let more = exact / textbook - 1.0;
                assert!(
                    (-1e-9..closer_than).contains(&more),
                    "{keys} keys at {bits_per_key} bits: {exact} and {textbook}"
                );
            }
        }
    }
}
