//! The positions that single probes take: some more often than others, some never.

use super::{CYCLE, HASHES, gcd, solve};

/// The third probe is this number times a sum of two parts of the hash value.
const THIRD: u64 = (1 << 16) + 1;

/// The number of probes to look at, over all hash values.
const LOOKS: u32 = 1_500_000;

/// The most classes of positions by their remainder modulo 3, 5 and 17.
const MAX_CLASSES: usize = 255;

/// Filters of fewer bits have each position at so many values of the third probe that they are even.
const EVEN_THIRD: u64 = 1 << 13;

/// Filters of fewer bits have so many values for each position that only their mean matters.
const FEW_VALUES: u64 = 1 << 23;

/// Returns the rate over the rate of evenly spread positions: the mean over hash values of the product of the shares of
/// ones at their positions.
///
/// # Neglects
///
/// The formula neglects that one stored key may set several of the bits.
pub(super) fn ratio(bits: u64, keys: u64, probes: u8) -> f64 {
    let k = u64::from(probes);
    let places = KeyPlaces::new(bits, keys, probes);
    if places.are_even() {
        return 1.0;
    }
    let most = LOOKS / u32::from(probes);
    let samples = u32::try_from(bits / 4).unwrap_or(most).clamp(1 << 13, most);
    let mut sum = 0.0;
    for sample in 0..samples {
        let hash = evenly_spread(sample);
        let stride = u64::from(hash.rotate_right(17));
        let mut product = 1.0;
        for probe in 0..k {
            product *= places.share_of_ones(probe, u64::from(hash) + probe * stride);
        }
        sum += product;
    }
    let ideal = -libm::expm1(-(k as f64) * keys as f64 / bits as f64);
    sum / f64::from(samples) / libm::pow(ideal, k as f64)
}

/// Returns hash values whose upper 15 and lower 17 bits are evenly spread in two dimensions (Roberts 2018: multiples of
/// the powers of the plastic number).
fn evenly_spread(sample: u32) -> u32 {
    let upper = sample.wrapping_mul(3_242_174_889).wrapping_add(1 << 31);
    let lower = sample.wrapping_mul(2_447_445_414).wrapping_add(1 << 31);
    upper >> 17 << 17 | lower >> 15
}

struct KeyPlaces {
    bits: u64,
    third: Option<Third>,
    /// The number of stored hash values for each hash value, as it counts for the zeros.
    weight: f64,
    /// The number of classes of positions, by their remainder.
    classes: u64,
    /// For each class, the number of hash values for each value of a probe, summed over the probes other than the
    /// third.
    hashes: [f64; MAX_CLASSES],
    /// The share of zeros in a class if the third probe does not come here, and the position has the fewest values.
    zeros: [f64; MAX_CLASSES],
}

impl KeyPlaces {
    fn new(bits: u64, keys: u64, probes: u8) -> Self {
        let others = || (0..u64::from(probes)).filter(|&probe| probe != 2);
        let divisor = |probe| gcd(divisor(probe), bits);
        let classes = others()
            .map(divisor)
            .fold(1, |all, one| all / gcd(all, one) * one);
        let mut hashes = [0.0; MAX_CLASSES];
        for probe in others() {
            let divisor = divisor(probe);
            for (class, hashes) in (0..classes).zip(&mut hashes) {
                // A probe is `(1 + i * 2^15) * hash - wraps` modulo 2^32 - 1.
                *hashes += (0..=probe)
                    .filter(|wraps| (class + wraps).is_multiple_of(divisor))
                    .map(|wraps| divisor as f64 * share_of_wraps(probe, wraps, 0.5))
                    .sum::<f64>();
            }
        }
        // Other keys with one of so many hash values are a matter of chance.
        let weight = -libm::expm1(-(keys as f64) / HASHES as f64);
        let values = HASHES / bits;
        Self {
            bits,
            third: (probes > 2).then(|| Third::new(bits)),
            weight,
            classes,
            hashes,
            zeros: hashes.map(|hashes| libm::exp(-weight * values as f64 * hashes)),
        }
    }

    fn are_even(&self) -> bool {
        let third_is = self
            .third
            .as_ref()
            .is_none_or(|third| third.divisor == 1 && self.bits < EVEN_THIRD);
        self.classes == 1 && third_is
    }

    /// Returns the share of ones among positions like that of a probe, whose value is given before it wraps around.
    fn share_of_ones(&self, probe: u64, value: u64) -> f64 {
        let (wraps, value) = (value / HASHES, value % HASHES);
        let position = value % self.bits;
        let class = small(position % self.classes);
        let get = |of: &[f64; MAX_CLASSES]| of.get(class).copied().unwrap_or_default();
        let third = self.third.as_ref().map_or(0.0, |third| third.hashes(position));
        if self.bits < FEW_VALUES {
            let zeros = get(&self.zeros);
            return if third == 0.0 {
                1.0 - zeros
            } else {
                1.0 - zeros * libm::exp(-self.weight * third)
            };
        }
        let values = (CYCLE - position) / self.bits + 1;
        let mut hashes = third + values as f64 * get(&self.hashes);
        if probe != 2 {
            // The value's own other hash values instead of the mean; equal ones are counted elsewhere.
            let (all, at) = (divisor(probe), value as f64 / HASHES as f64);
            let here = |divisor: u64, at| {
                (wraps % divisor..=probe)
                    .step_by(small(divisor))
                    .map(|wraps| divisor as f64 * share_of_wraps(probe, wraps, at))
                    .sum::<f64>()
            };
            hashes += here(all, at) - share_of_wraps(probe, wraps, at) - here(gcd(all, self.bits), 0.5);
        }
        -libm::expm1(-self.weight * hashes)
    }
}

fn small(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// Returns the divisor that a probe's multiple of the hash value has in common with 2^32 - 1.
fn divisor(probe: u64) -> u64 {
    gcd(1 + (probe << 15), CYCLE)
}

/// Returns the share of hash values whose probe wraps around this often, among those where it then is at this share of
/// 2^32.
fn share_of_wraps(probe: u64, wraps: u64, at: f64) -> f64 {
    let one = 1.0 / probe.max(1) as f64;
    match wraps {
        0 if probe == 0 => 1.0,
        0 => at * one,
        _ if wraps == probe => (1.0 - at) * one,
        _ => one,
    }
}

/// The third probe: with a hash value of `a * 2^17 + b`, its value is `65537 * (2a + b)` modulo 2^32, one of 196,606.
struct Third {
    bits: u64,
    /// `value * inverse` modulo `apart` is the sum `2a + b` of a value that is a multiple of `divisor`.
    divisor: u64,
    inverse: u64,
    apart: u64,
}

impl Third {
    fn new(bits: u64) -> Self {
        let divisor = gcd(THIRD, bits);
        let inverse = solve(THIRD, divisor, bits).next().unwrap_or_default();
        Self {
            bits,
            divisor,
            inverse,
            apart: bits / divisor,
        }
    }

    /// Returns the number of hash values whose third probe is at a position.
    fn hashes(&self, position: u64) -> f64 {
        let mut hashes = 0.0;
        for (wraps, first, last) in [(0, 0, 65_535), (1, 65_536, 131_070), (2, 131_071, 196_605)] {
            let value = position + wraps * (HASHES % self.bits);
            if !value.is_multiple_of(self.divisor) {
                continue;
            }
            let sum = (value / self.divisor) % self.apart * self.inverse % self.apart;
            let low = first + (sum + self.apart - first % self.apart) % self.apart;
            if low > last {
                continue;
            }
            let steps = (last - low) / self.apart;
            let high = low + steps * self.apart;
            // Sums grow more frequent to 65,536 and rarer from 131,071 on, by one for each two.
            let of = |sum: u64| match wraps {
                0 => sum as f64 / 2.0 + 0.75,
                1 => 32_768.0,
                _ => 32_767.75 - (sum - 131_071) as f64 / 2.0,
            };
            hashes += (steps + 1) as f64 * (of(low) + of(high)) / 2.0;
        }
        hashes
    }
}
