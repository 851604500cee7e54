//! The positions that single probes take: some more often than others, some never.

use super::{CYCLE, HASHES, MAX, Precision, gcd};
use crate::sizing::inverse;
use crate::splitmix::SplitMix64;

/// The third probe is this number times a sum of two parts of the hash value.
const THIRD: u64 = (1 << 16) + 1;

/// The number of sums that do not wrap around.
const SUMS: u64 = 1 << 16;

/// The seed of the draws.
const SEED: u64 = 1;

/// The number of probes of hash values that are drawn from all.
const LOOKS: u64 = 3 << 14;

/// The number of hash values that are drawn among the aligned ones.
const ALIGNED_DRAWS: u64 = 3 << 11;

/// The shares of aligned hash values whose strides are aligned if so many are taken at once.
const DRAWN_TIMES: [f64; 4] = [0.5, 0.25, 0.125, 0.125];

/// Filters of fewer bits have so few positions between those of the third probe that strides need no alignment.
const FEW_POSITIONS: u64 = 1 << 19;

/// The most classes of positions by their remainder modulo 3, 5 and 17.
const MAX_CLASSES: usize = 255;

/// Filters of fewer bits have each position at so many values of the third probe that they are even.
const EVEN_THIRD: u64 = 1 << 13;

/// Filters of fewer bits have so many values for each position that only their mean matters.
const FEW_VALUES: u64 = 1 << 26;

/// Returns the expected share of ones.
pub(super) fn fill(bits: u64, keys: u64, probes: u8) -> f64 {
    let places = KeyPlaces::new(bits, keys, probes);
    let classes = places.zeros.get(..small(places.classes)).unwrap_or_default();
    1.0 - places.third_leaves(Precision::Full) * classes.iter().sum::<f64>() / classes.len() as f64
}

/// Returns the rate over the rate of evenly spread positions: the mean over hash values of the product of the shares of
/// ones at their positions.
///
/// # Neglects
///
/// The formula neglects that one stored key may set several of the bits.
pub(super) fn ratio(bits: u64, keys: u64, probes: u8, precision: Precision) -> f64 {
    let places = KeyPlaces::new(bits, keys, probes);
    if places.are_even() {
        return 1.0;
    }
    let random = &mut SplitMix64::new(SEED);
    let draws = precision.of((bits / 16).min(LOOKS / u64::from(probes)).max(1 << 11));
    let aligned_draws = precision.of(ALIGNED_DRAWS * places.third.reach.min(1));
    // Each draw counts with the inverse of the rate at which either kind of draw leads to it.
    let weighted = |(product, _, aligned)| product / (draws as f64 + aligned_draws as f64 * aligned);
    // The zeros that the third probe leaves are a control variate: their mean is known.
    let others = f64::from(probes - u8::from(probes > 2));
    let (expected, [mut mean, mut left, mut squares, mut products]) =
        (others * places.third_leaves(precision), [0.0; 4]);
    for _ in 0..draws {
        let look = places.look(random.next() >> 32);
        let (more, share) = (look.1 - expected, weighted(look));
        mean += share;
        left += more;
        squares += more * more;
        products += share * more;
    }
    // Where the third probe leaves equal shares everywhere, there is nothing to control.
    let spread = squares - left * left / draws as f64;
    if spread > 1e-9 {
        mean -= (products - mean * left / draws as f64) / spread * left;
    }
    for _ in 0..aligned_draws {
        let drawn = places.third.draw_aligned(random);
        mean += drawn.map_or(0.0, |hash| weighted(places.look(hash)));
    }
    let k = f64::from(probes);
    let ideal = -libm::expm1(-k * keys as f64 / bits as f64);
    mean / libm::pow(ideal, k)
}

struct KeyPlaces {
    bits: u64,
    count: usize,
    probes: [Probe; MAX],
    /// The number of values of the positions after `last`; those up to it have one more.
    values: u64,
    last: u64,
    third: Third,
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
        // Those from the number of probes on are not used.
        let all = core::array::from_fn(|number| Probe::new(number as u64 % u64::from(probes), bits));
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
        let values = HASHES as f64 / bits as f64;
        let third = Third::new(bits, probes.into());
        Self {
            bits,
            count: probes.into(),
            probes: all,
            values: CYCLE / bits,
            last: CYCLE % bits,
            third,
            weight,
            classes,
            hashes,
            zeros: hashes.map(|hashes| libm::exp(-weight * values * hashes)),
        }
    }

    fn are_even(&self) -> bool {
        let third_is = self.third.divisor == 1 && self.bits < EVEN_THIRD || self.count <= 2;
        self.classes == 1 && third_is
    }

    /// Returns the product of the shares of ones at the positions of a hash value, the sum of the shares of zeros that the
    /// third probes of keys leave there, except at its own third, and how many times as often as any hash value
    /// [`draw_aligned`](Third::draw_aligned) draws it.
    fn look(&self, hash: u64) -> (f64, f64, f64) {
        let stride = (hash >> 17 | hash << 15) % HASHES;
        let (mut value, mut wraps, mut sum, step) = (hash, 0, self.sum_of(hash), self.sum_of(stride));
        let once_more = self.third.plus(step, self.third.lost);
        let aligned = self.third.aligned(stride, step);
        let (mut product, mut left) = (1.0, 0.0);
        for probe in self.probes.get(..self.count).unwrap_or_default() {
            let zeros = self.third_leaves_at(sum, value).0;
            left += if probe.number == 2 { 0.0 } else { zeros };
            product *= 1.0 - zeros * self.others_leave(probe, wraps, value);
            value += stride;
            sum = self
                .third
                .plus(sum, if value < HASHES { step } else { once_more });
            (value, wraps) = (value % HASHES, wraps + value / HASHES);
            if self.third.divisor > 1 {
                sum = self.sum_of(value);
            }
        }
        (product, left, aligned)
    }

    /// Returns the sum of a value.
    const fn sum_of(&self, value: u64) -> u64 {
        self.third.sum_of(value % self.bits)
    }

    /// Returns the share of zeros that the third probes of keys leave at a position, and the number of values there.
    #[inline(always)]
    fn third_leaves_at(&self, sum: u64, value: u64) -> (f64, u64) {
        let (hashes, values) = self.third.hashes(sum, value);
        (
            if values == 0 {
                1.0
            } else {
                libm::exp(-self.weight * hashes)
            },
            values,
        )
    }

    /// Returns the mean of these shares over all positions.
    fn third_leaves(&self, precision: Precision) -> f64 {
        let parts = precision.of(1 << 10);
        let values = if self.count > 2 { 196_606 } else { 0 };
        let ones = |part: u64| {
            let value = (2 * part + 1) * values / (2 * parts) * THIRD % HASHES;
            let (zeros, values) = self.third_leaves_at(self.sum_of(value), value);
            (1.0 - zeros) / values.max(1) as f64
        };
        let ones = (0..parts).map(ones).sum::<f64>() / parts as f64 * values as f64 / self.bits as f64;
        1.0 - ones
    }

    /// Returns the share of zeros that the other probes leave among positions like that of a probe, which has wrapped
    /// around so often.
    #[inline(always)]
    fn others_leave(&self, probe: &Probe, wraps: u64, value: u64) -> f64 {
        let class = if self.classes == 1 {
            0
        } else {
            small(value % self.bits % self.classes)
        };
        let get = |of: &[f64; MAX_CLASSES]| of.get(class).copied().unwrap_or_default();
        if self.bits < FEW_VALUES {
            return get(&self.zeros);
        }
        let values = self.values + u64::from(value % self.bits <= self.last);
        let mut hashes = values as f64 * get(&self.hashes);
        if probe.number != 2 {
            // The value's own other hash values instead of the mean; equal ones are counted elsewhere.
            let at = value as f64 / HASHES as f64;
            let own = probe.share_of_wraps(wraps, at);
            let mean = probe.means.get(small(wraps)).copied().unwrap_or_default();
            hashes += probe.hashes(probe.divisor, wraps, at) - own - mean;
        }
        libm::exp(-self.weight * hashes)
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
        for wraps in 0..=number {
            let mean = probe.hashes(probe.shared, wraps, 0.5);
            probe
                .means
                .get_mut(small(wraps))
                .into_iter()
                .for_each(|to| *to = mean);
        }
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
    bits: u64,
    /// The sums of the strides that are drawn are at most this far from the middle; 0 if none are.
    reach: u64,
    /// The amount that a wrap adds to a sum.
    lost: u64,
}

/// The sums of values that wrap around equally often.
struct Sums {
    count: u64,
    /// The number of hash values of the first sum, and of how many more each next one is.
    least: f64,
    growth: f64,
    /// The remainder by `divisor` of the positions.
    rest: u64,
    /// The amount added to the sum of a position that wraps around 0 times, less the first sum.
    ahead: u64,
}

impl Third {
    fn new(bits: u64, probes: u64) -> Self {
        let divisor = gcd(THIRD, bits);
        let apart = bits / divisor;
        let inverse = inverse(THIRD / divisor % apart, apart);
        let sums = |(wraps, first, count, least, growth)| {
            let wrapped = wraps * (HASHES % bits) % bits;
            let rest = (divisor - wrapped % divisor) % divisor;
            let sum = (rest + wrapped) / divisor % apart * inverse % apart;
            let ahead = (sum + apart - first % apart) % apart;
            Sums {
                count: if probes > 2 { count } else { 0 },
                least,
                growth,
                rest,
                ahead,
            }
        };
        let wraps = [
            (0, 0, SUMS, 0.75, 0.5),
            (1, 65_536, 65_535, 32_768.0, 0.0),
            (2, 131_071, 65_535, 32_767.75, -0.5),
        ];
        let wraps = wraps.map(sums);
        // Strides that are further from the middle lead from the first to the last sums within the probes.
        let is_drawn = u64::from(probes > 2 && bits >= FEW_POSITIONS);
        let reach = is_drawn * (SUMS / probes.clamp(2, 9).saturating_sub(1)).min(apart / 8);
        Self {
            bits,
            reach,
            lost: (bits - (HASHES - 1) % bits - 1) / divisor * inverse % apart,
            divisor,
            inverse,
            apart,
            wraps,
        }
    }

    /// Returns the sum of a position, without the remainder by `divisor`.
    const fn sum_of(&self, position: u64) -> u64 {
        position / self.divisor * self.inverse % self.apart
    }

    /// Returns the number of times as often as any that a stride is drawn.
    fn aligned(&self, stride: u64, sum: u64) -> f64 {
        if self.reach == 0 || self.divisor > 1 && !(stride % self.bits).is_multiple_of(self.divisor) {
            return 0.0;
        }
        let block = stride / self.bits * self.bits;
        let share = |(times, drawn): (u64, f64)| {
            let width = times * (2 * self.reach + 1);
            let distance = times * (sum + self.apart + self.reach + 1) - 1 - self.middle(times, block);
            if distance % self.apart < width {
                drawn / width as f64
            } else {
                0.0
            }
        };
        (1..).zip(DRAWN_TIMES).map(share).sum::<f64>() * self.bits.min(HASHES - block) as f64
    }

    /// Returns the sum of a stride of which so many, and the wraps that they have on average, leave a probe where it is.
    fn middle(&self, times: u64, block: u64) -> u64 {
        let strides = times * (block + self.bits / 2);
        let wraps = ((strides + HASHES / 2) / HASHES) as i64;
        let rest = strides as i64 - wraps * HASHES as i64;
        let sum = rest / (1 << 16) - wraps * self.lost as i64;
        sum.rem_euclid(self.apart as i64) as u64
    }

    /// Draws a hash value whose strides, or every second, are aligned: they nearly lead from one position of the third
    /// probe to another. Mostly those that wrap nearly a whole number of times. `None` if the stride would be above 2^32.
    fn draw_aligned(&self, random: &mut SplitMix64) -> Option<u64> {
        let (drawn, block) = (random.next(), (random.next() >> 32) / self.bits * self.bits);
        let times = u64::from((drawn | 8).trailing_zeros()) + 1;
        let middle = (self.middle(times, block) + (drawn >> 4) % times * self.apart) / times;
        let sum = (middle + self.apart - self.reach + (drawn >> 8) % (2 * self.reach + 1)) % self.apart;
        let stride = block + sum * THIRD % self.bits;
        (stride < HASHES).then_some((stride << 17 | stride >> 15) % HASHES)
    }

    /// Returns the sum that two are, modulo the bits.
    #[inline(always)]
    const fn plus(&self, one: u64, other: u64) -> u64 {
        let sum = one + other;
        if sum < self.apart { sum } else { sum - self.apart }
    }

    /// Returns the number of hash values whose third probe is at the position of a value with this sum, and the number of
    /// its values there.
    #[inline(always)]
    fn hashes(&self, sum: u64, value: u64) -> (f64, u64) {
        let [never, once, twice] = &self.wraps;
        let of = |sums: &Sums| sums.hashes(self, sum, value);
        let (never, once, twice) = (of(never), of(once), of(twice));
        (never.0 + once.0 + twice.0, never.1 + once.1 + twice.1)
    }
}

impl Sums {
    #[inline(always)]
    fn hashes(&self, third: &Third, sum: u64, value: u64) -> (f64, u64) {
        let after = third.plus(sum, self.ahead);
        if after >= self.count || third.divisor > 1 && value % third.bits % third.divisor != self.rest {
            return (0.0, 0);
        }
        let more = if third.apart > self.count {
            0
        } else {
            (self.count - 1 - after) / third.apart
        };
        let middle = after as f64 + (more * third.apart) as f64 / 2.0;
        ((more + 1) as f64 * (self.least + self.growth * middle), more + 1)
    }
}
