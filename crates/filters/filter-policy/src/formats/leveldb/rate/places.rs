//! The positions that single probes take: some more often than others, some never.

use super::{CYCLE, HASHES, MAX, gcd, solve};

/// The third probe is this number times a sum of two parts of the hash value.
const THIRD: u64 = (1 << 16) + 1;

/// The number of probes to look at, over all hash values.
const LOOKS: u32 = 500_000;

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
        for probe in places.probes.iter().take(probes.into()) {
            product *= places.share_of_ones(probe, u64::from(hash) + probe.number * stride);
        }
        sum += product;
    }
    let k = f64::from(probes);
    let ideal = -libm::expm1(-k * keys as f64 / bits as f64);
    sum / f64::from(samples) / libm::pow(ideal, k)
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
    probes: [Probe; MAX],
    /// The number of values of the positions after `last`; those up to it have one more.
    values: u64,
    last: u64,
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
        let all = core::array::from_fn(|number| Probe::new(number as u64, bits));
        let others = || all.iter().take(probes.into()).filter(|probe| probe.number != 2);
        let classes = others().fold(1, |all, Probe { shared, .. }| all / gcd(all, *shared) * shared);
        let mut hashes = [0.0; MAX_CLASSES];
        for (class, hashes) in (0..classes).zip(&mut hashes) {
            // A probe is `(1 + i * 2^15) * hash - wraps` modulo 2^32 - 1.
            let wraps = |of: &Probe| small((of.shared - class % of.shared) % of.shared);
            *hashes = others().filter_map(|probe| probe.means.get(wraps(probe))).sum();
        }
        // Other keys with one of so many hash values are a matter of chance.
        let weight = -libm::expm1(-(keys as f64) / HASHES as f64);
        let values = HASHES / bits;
        Self {
            bits,
            probes: all,
            values: CYCLE / bits,
            last: CYCLE % bits,
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
    fn share_of_ones(&self, probe: &Probe, value: u64) -> f64 {
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
        let values = self.values + u64::from(position <= self.last);
        let mut hashes = third + values as f64 * get(&self.hashes);
        if probe.number != 2 {
            // The value's own other hash values instead of the mean; equal ones are counted elsewhere.
            let at = value as f64 / HASHES as f64;
            let own = probe.share_of_wraps(wraps, at);
            let mean = probe.means.get(small(wraps)).copied().unwrap_or_default();
            hashes += probe.hashes(probe.divisor, wraps, at) - own - mean;
        }
        -libm::expm1(-self.weight * hashes)
    }
}

/// The numbers that the places of a probe depend on. Those of the third are in [`Third`].
struct Probe {
    number: u64,
    /// The divisor that the probe's multiple of the hash value has in common with 2^32 - 1.
    divisor: u64,
    /// The divisor that the number of bits has in common with that.
    shared: u64,
    /// The share of hash values for each number of wraps.
    share: f64,
    /// For each number of wraps, the mean number of hash values at positions of the same remainder.
    means: [f64; MAX],
}

impl Probe {
    fn new(number: u64, bits: u64) -> Self {
        let divisor = gcd(1 + (number << 15), CYCLE);
        let mut probe = Self {
            number,
            divisor,
            shared: gcd(divisor, bits),
            share: 1.0 / number.max(1) as f64,
            means: [0.0; MAX],
        };
        probe.means = core::array::from_fn(|wraps| probe.hashes(probe.shared, wraps as u64, 0.5));
        probe
    }

    /// Returns the number of hash values for a value of the probe at this share of 2^32, of those that wrap as often modulo
    /// the divisor.
    fn hashes(&self, divisor: u64, wraps: u64, at: f64) -> f64 {
        let (mut hashes, mut wraps) = (0.0, wraps % divisor);
        while wraps <= self.number {
            hashes += divisor as f64 * self.share_of_wraps(wraps, at);
            wraps += divisor;
        }
        hashes
    }

    /// Returns the share of hash values whose probe wraps around this often, among those where it then is at this share of
    /// 2^32.
    fn share_of_wraps(&self, wraps: u64, at: f64) -> f64 {
        match wraps {
            0 if self.number == 0 => 1.0,
            0 => at * self.share,
            _ if wraps == self.number => (1.0 - at) * self.share,
            _ => self.share,
        }
    }
}

fn small(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// The third probe: with a hash value of `a * 2^17 + b`, its value is `65537 * (2a + b)` modulo 2^32, one of 196,606.
struct Third {
    /// A position is that of `sum * THIRD` modulo the bits if it is a multiple of `divisor`, and its quotient times
    /// `inverse` equals the sum modulo `apart`.
    divisor: u64,
    inverse: u64,
    apart: u64,
    /// The sums that wrap around 0, 1 and 2 times.
    wraps: [Sums; 3],
}

/// The sums of values that wrap around equally often.
struct Sums {
    first: u64,
    last: u64,
    /// The remainder by `divisor` of the positions.
    rest: u64,
    /// The amount added to the sum of a position that wraps around 0 times, less the first sum.
    ahead: u64,
}

impl Third {
    fn new(bits: u64) -> Self {
        let divisor = gcd(THIRD, bits);
        let inverse = solve(THIRD, divisor, bits).next().unwrap_or_default();
        let apart = bits / divisor;
        let sums = |(wraps, first, last)| {
            let wrapped = wraps * (HASHES % bits) % bits;
            let rest = (divisor - wrapped % divisor) % divisor;
            let sum = (rest + wrapped) / divisor % apart * inverse % apart;
            let ahead = (sum + apart - first % apart) % apart;
            Sums {
                first,
                last,
                rest,
                ahead,
            }
        };
        let wraps = [(0, 0, 65_535), (1, 65_536, 131_070), (2, 131_071, 196_605)].map(sums);
        Self {
            divisor,
            inverse,
            apart,
            wraps,
        }
    }

    /// Returns the number of hash values whose third probe is at a position.
    fn hashes(&self, position: u64) -> f64 {
        let mut hashes = 0.0;
        let sum = position / self.divisor * self.inverse % self.apart;
        for &Sums {
            first,
            last,
            rest,
            ahead,
        } in &self.wraps
        {
            let after = sum + ahead;
            let after = if after < self.apart {
                after
            } else {
                after - self.apart
            };
            let low = first + after;
            if position % self.divisor != rest || low > last {
                continue;
            }
            let steps = (last - low) / self.apart;
            let high = low + steps * self.apart;
            // Sums grow more frequent to 65,536 and rarer from 131,071 on, by one for each two.
            let of = |sum: u64| match first {
                0 => sum as f64 / 2.0 + 0.75,
                65_536 => 32_768.0,
                _ => 32_767.75 - (sum - 131_071) as f64 / 2.0,
            };
            hashes += (steps + 1) as f64 * (of(low) + of(high)) / 2.0;
        }
        hashes
    }
}
