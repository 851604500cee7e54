//! The exact rate of an ideal filter in which each key uses one line of bits.

use super::occupancy::distinct;

/// The number of bits in a line.
const BITS: usize = 512;

/// Keys per line above which lines hardly differ from the mean; only filters at their size limit have that many.
const CROWDED: f64 = 600.0;

/// Returns the false-positive rate of `keys` keys in `lines` lines of 512 bits with 1 to 30 probes each.
pub(crate) fn line_rate(lines: u64, keys: u64, probes: u8) -> f64 {
    with_equal_halves(lines, keys, rate(lines, keys, probes))
}

/// Returns the false-positive rate of `keys` keys in split blocks.
pub(crate) fn split_block_rate(blocks: u64, keys: u64) -> f64 {
    with_equal_halves(blocks, keys, rate_of_blocks(blocks, keys))
}

/// Adds the rate of keys with the same line and the same probe half of the hash to the rate of the probes.
fn with_equal_halves(lines: u64, keys: u64, by_probes: f64) -> f64 {
    const SAME_HALF: f64 = 1.0 / 4_294_967_296.0;
    if keys == 0 {
        return 0.0;
    }
    let by_equal_halves = (keys as f64 / lines as f64 * SAME_HALF).min(1.0);
    by_probes + by_equal_halves * (1.0 - by_probes)
}

/// Returns the rate of the probes alone, in lines.
///
/// The number of keys in a line is binomial, and each number of keys gives a distribution of the ones. RocksDB's
/// estimate (`util/bloom_impl.h`, `BloomMath::CacheLocalFpRate`) instead takes the textbook rate one standard deviation
/// above and below the mean, which is 1 % too low at 10 bits per key and 10 % at 20.
fn rate(lines: u64, keys: u64, probes: u8) -> f64 {
    let (k, lines, keys) = (f64::from(probes), lines as f64, keys as f64);
    let mean = keys / lines;
    if mean > CROWDED {
        return libm::pow(-libm::expm1(-k * mean / BITS as f64), k);
    }
    let distinct = distinct(probes.into(), BITS as f64);
    // For each number of bits of a line, the probability that all of them are ones.
    let mut ones = distinct.map(|_| 0.0);
    ones[0] = 1.0;
    // The probability that a line has `here` keys; a single line has all of them.
    let mut probability = libm::exp(keys * libm::log1p(-1.0 / lines));
    let mut sum = 0.0;
    let mut here = 0.0;
    loop {
        if here == keys && lines == 1.0 {
            probability = 1.0;
        }
        if probability > 0.0 {
            sum += probability * ones.iter().zip(&distinct).map(|(a, b)| a * b).sum::<f64>();
        }
        if here >= keys || here > mean && probability < sum * 1e-15 && lines > 1.0 {
            return sum;
        }
        for _ in 0..probes {
            // A probe is at none of these bits, or at one of them: the others were ones.
            let mut fewer = 0.0;
            for (of, all) in ones.iter_mut().enumerate().take(usize::from(probes) + 1) {
                let share = of as f64 / BITS as f64;
                (fewer, *all) = (*all, *all * (1.0 - share) + fewer * share);
            }
        }
        if lines > 1.0 {
            probability *= (keys - here) / (here + 1.0) / (lines - 1.0);
        }
        here += 1.0;
    }
}

/// Returns the rate of the probes alone, in split blocks: each key, and the absent key, picks one bit in each of eight 32-bit
/// words. By inclusion and exclusion of the words whose bit no key picks.
fn rate_of_blocks(blocks: u64, keys: u64) -> f64 {
    const ZERO_LEFT: f64 = 31.0 / 32.0;
    // The choices of 0, 1, 2, ... words add up to zero, so that one may be subtracted from each probability.
    let choices = [1.0, -8.0, 28.0, -56.0, 70.0, -56.0, 28.0, -8.0, 1.0];
    let terms = (0..).zip(choices).map(|(words, choices)| {
        let is_touched = (1.0 - libm::pow(ZERO_LEFT, f64::from(words))) / blocks as f64;
        choices * libm::expm1(keys as f64 * libm::log1p(-is_touched))
    });
    terms.sum::<f64>().clamp(0.0, 1.0)
}

#[cfg(not(emulated))]
#[cfg(test)]
mod tests {
    use super::super::exact_rate;
    use super::*;

    #[test]
    fn one_line_is_a_filter() {
        for (keys, probes) in [(1, 1), (1, 24), (5, 24), (32, 6), (51, 6), (500, 1), (100, 3)] {
            let expected = exact_rate(512, keys, u32::from(probes)).unwrap();
            let given = rate(1, keys, probes);
            assert!(
                (given / expected - 1.0).abs() < 1e-11,
                "{keys} keys: {given:e}, {expected:e}"
            );
        }
    }

    #[test]
    fn two_lines_are_the_mean_over_their_keys() {
        // Three keys, by counting: the queried line holds 0, 1, 2 and 3 keys in 1, 3, 3 and 1 of eight cases.
        let of = |keys| exact_rate(512, keys, 4).unwrap();
        let expected = (3.0 * of(1) + 3.0 * of(2) + of(3)) / 8.0;
        assert!((rate(2, 3, 4) / expected - 1.0).abs() < 1e-11);
    }

    #[test]
    fn split_blocks_of_few_keys() {
        // Two keys in two blocks: the queried block holds 0, 1 and 2 keys in 1, 2 and 1 of four cases.
        let of = |keys| libm::pow(1.0 - libm::pow(31.0 / 32.0, keys), 8.0);
        assert!((rate_of_blocks(2, 2) / (of(1.0) / 2.0 + of(2.0) / 4.0) - 1.0).abs() < 1e-4);
        assert!((rate_of_blocks(1, 40) / of(40.0) - 1.0).abs() < 1e-12);
        let (below, above) = (rate_of_blocks(100, 60_000), rate_of_blocks(100, 60_001));
        assert!((above / below - 1.0).abs() < 1e-6, "{below} and {above}");
    }

    #[test]
    fn crowded_lines_go_on_where_the_sum_ends() {
        let (below, above) = (rate(1000, 600_000, 1), rate(1000, 600_001, 1));
        assert!((above / below - 1.0).abs() < 2e-3, "{below} and {above}");
        assert!((rate((1 << 26) - 1, u64::MAX, 6) - 1.0).abs() < 1e-12);
    }
}
