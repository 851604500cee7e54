//! Estimates how often the positions of a key coincide with each other, and with those of another key.
//!
//! Most keys have as many positions as probes, and share at most one of them with a given other key. The others are
//! rare, and all the rarer the larger the filter is. They are drawn on purpose: of two probes it is decided that they
//! coincide, and a start and a step are solved for. Each draw counts with the inverse of the probability with which
//! any pair of probes leads to it, so that the estimates have no bias (importance sampling by several densities: Veach
//! and Guibas, "Optimally Combining Sampling Techniques for Monte Carlo Rendering", SIGGRAPH 1995).

use super::{DoubleHashing, MAX, Precision, Shares};
use crate::splitmix::SplitMix64;

/// The seed of the draws.
const SEED: u64 = 4;

/// The number of draws: the error of a rate is a few per cent.
const DRAWS: u64 = 1 << 10;

/// The keys of a filter, whose starts and steps modulo the number of bits are random.
pub(crate) struct Walks {
    bits: u64,
    probes: usize,
    sums: DoubleHashing,
    draws: u64,
    /// Sums lose this much modulo the number of bits each time they overflow.
    lost: u64,
    /// As many times more keys than by chance have the step of the keys with their start: 0 if both are independent.
    same: f64,
    /// For each distance between two probes, the number of steps that have the same multiple. The first is not used.
    solutions: [u64; MAX],
    /// For each distance, the inverse of its quotient by the number of solutions, modulo the bits by that number.
    inverses: [u64; MAX],
    /// The distances between probes that are used to draw keys which repeat themselves. Near probes weigh more, because
    /// they leave the fewest positions.
    near: Weights,
    /// The distances between probes that are used to draw keys which share positions. Each pair of probes weighs the same.
    pairs: Weights,
}

/// The weights of distances between probes, summed up to each distance.
struct Weights([f64; MAX]);

impl Weights {
    fn new(solutions: &[u64; MAX], probes: usize, weight: impl Fn(f64, f64) -> f64) -> Self {
        let (mut sums, mut sum) = ([0.0; MAX], 0.0);
        for (distance, (solutions, to)) in solutions.iter().zip(&mut sums).enumerate().skip(1) {
            if distance < probes {
                sum += *solutions as f64 * weight(distance as f64, (probes - distance) as f64);
            }
            *to = sum;
        }
        Self(sums)
    }

    fn all(&self) -> f64 {
        self.0.last().copied().unwrap_or_default()
    }

    fn draw(&self, random: &mut SplitMix64) -> Option<usize> {
        let at = random.unit() * self.all();
        self.0.iter().position(|sum| *sum > at)
    }
}

/// The keys by their number of different positions.
pub(super) struct Classes {
    /// The probability of each class.
    pub(super) shares: Shares,
    /// For each class, the probabilities that another key covers 2, 3, ... of the positions.
    pub(super) hits: [Shares; MAX + 1],
}

impl Walks {
    pub(crate) fn new(sums: DoubleHashing, bits: u64, probes: u32, precision: Precision) -> Self {
        // No memory has more.
        let bits = bits.min(1 << 62);
        let power = match sums {
            DoubleHashing::Unbounded => 0,
            DoubleHashing::Modulo(power) => power,
            DoubleHashing::Mirrored => 32,
        };
        let probes = usize::try_from(probes).unwrap_or(MAX).min(MAX);
        let (mut solutions, mut inverses) = ([0; MAX], [0; MAX]);
        // Mirrored sums need that of 2.
        let both = solutions.iter_mut().zip(&mut inverses).take(probes.max(3));
        for (distance, (solutions, factor)) in (0..).zip(both).skip(1) {
            *solutions = gcd(distance, bits);
            let apart = bits / *solutions;
            *factor = inverse(distance / *solutions % apart, apart);
        }
        Self {
            bits,
            probes,
            near: Weights::new(&solutions, probes, |distance, _| 1.0 / distance),
            pairs: Weights::new(&solutions, probes, |_, pairs| pairs),
            sums,
            draws: precision.of(DRAWS),
            lost: narrow((1_u128 << power) % u128::from(bits)),
            same: 0.0,
            solutions,
            inverses,
        }
    }

    /// Sets how many times as many keys as by chance have a key's step with its start.
    pub(crate) const fn with_equal(self, times: f64) -> Self {
        Self {
            same: (times - 1.0).max(0.0),
            ..self
        }
    }

    pub(super) const fn bits(&self) -> u64 {
        self.bits
    }

    pub(super) const fn probes(&self) -> usize {
        self.probes
    }

    /// Returns a bound for the rate of keys of which two probes coincide, or that share positions with one of the others, at
    /// this share of ones.
    pub(super) fn most_repetitions(&self, keys: f64, ones: f64) -> f64 {
        let (bits, probes) = (self.bits as f64, self.probes as f64);
        let solutions = self.solutions.iter().take(self.probes).enumerate().skip(1);
        // Probes that are so far apart leave as many positions.
        let matching =
            |(distance, solutions): (usize, &u64)| *solutions as f64 * libm::pow(ones, distance as f64);
        let repeating: f64 = solutions.map(matching).sum();
        // Few keys share more than half of the positions, except those that walk alike or backwards.
        let sharing = 8.0 + self.same + 2.0 * probes * probes * libm::pow(ones, probes / 2.0);
        // Overflows lead to two sums for each distance.
        2.0 * repeating / bits + keys * sharing / (bits * bits)
    }

    /// Estimates the classes of keys.
    pub(super) fn classes(&self) -> Classes {
        let random = &mut SplitMix64::new(SEED);
        let (mut shares, mut hits) = ([0.0; MAX + 1], [[0.0; MAX + 1]; MAX + 1]);
        for _ in 0..self.draws {
            let Some((walk, weight)) = self.repeating(random) else {
                continue;
            };
            let (positions, weight) = (Positions::different(&walk, self), weight / self.draws as f64);
            add(&mut shares, positions.len, weight);
            if let Some(hits) = hits.get_mut(positions.len) {
                self.add_hits(hits, weight, &walk, &positions, random);
            }
        }
        for (hits, share) in hits.iter_mut().zip(&shares).filter(|(_, share)| **share > 0.0) {
            hits.iter_mut().for_each(|hit| *hit /= share);
        }
        // Most keys have as many positions as probes, except in the smallest filters.
        let (mut found, mut of_all) = (0, [0.0; MAX + 1]);
        for _ in 0..2 * self.draws {
            let walk = self.draw(random);
            let positions = Positions::different(&walk, self);
            if positions.len == self.probes {
                found += 1;
                self.add_hits(&mut of_all, 1.0, &walk, &positions, random);
            }
            if found == self.draws {
                break;
            }
        }
        of_all.iter_mut().for_each(|hit| *hit /= found.max(1) as f64);
        let repeating: f64 = shares.iter().sum();
        add(&mut shares, self.probes, (1.0 - repeating).max(0.0));
        hits.get_mut(self.probes)
            .into_iter()
            .for_each(|hits| *hits = of_all);
        Classes { shares, hits }
    }

    /// Adds the weight of keys that share several positions of a walk, one of them drawn.
    fn add_hits(&self, hits: &mut Shares, weight: f64, walk: &Walk, of: &Positions, random: &mut SplitMix64) {
        if let Some((covered, more)) = self.sharing(of.get(), random) {
            add(hits, covered, weight * more);
        }
        if self.same > 0.0 && of.len > 1 {
            let (start, step) = (walk.start, walk.step);
            let other = Walk {
                start,
                step,
                ..self.draw(random)
            };
            let other = Positions::different(&other, self);
            let covered = other
                .get()
                .iter()
                .filter(|position| of.get().contains(position))
                .count();
            if covered > 1 {
                let bits = self.bits as f64;
                add(hits, covered, weight * self.same / (bits * bits));
            }
        }
    }

    /// Draws a key of which two probes coincide. Returns it with its weight.
    fn repeating(&self, random: &mut SplitMix64) -> Option<(Walk, f64)> {
        let (distance, all) = (self.near.draw(random)?, self.near.all());
        let first = random.index(self.probes - distance);
        let mut walk = self.draw(random);
        let (one, other) = (*walk.probes.get(first)?, *walk.probes.get(first + distance)?);
        if one.is_mirrored == other.is_mirrored {
            let apart = self.minus(other.lost, one.lost);
            walk.step = self.step_for(distance, apart, random)?;
        } else {
            // One sum is the negative of the other, less one.
            let steps = self.times((2 * first + distance) as u64, walk.step);
            let lost = self.plus(one.lost, other.lost);
            let twice = self.plus(self.minus(self.bits - 1, steps), lost);
            walk.start = self.step_for(2, twice, random)?;
        }
        let mut probes = [(0, false); MAX];
        for (to, probe) in probes.iter_mut().zip(walk.positions(self)) {
            *to = probe;
        }
        let mut rest = probes.get(..self.probes).unwrap_or_default();
        let mut density = 0.0;
        while let Some(((at, is_mirrored), later)) = rest.split_first() {
            for (distance, (_, other_is)) in (1..).zip(later).filter(|(_, (other, _))| other == at) {
                let each = all * (distance * (self.probes - distance)) as f64;
                density += match is_mirrored == other_is {
                    true => 1.0 / each,
                    false => self.solutions_of(distance) as f64 / (each * self.solutions_of(2) as f64),
                };
            }
            rest = later;
        }
        let weight = 1.0 / (self.bits as f64 * density);
        Some((walk, weight))
    }

    /// Draws a key that shares at least two of these positions. Returns the number that it shares, and its weight.
    fn sharing(&self, of: &[u64], random: &mut SplitMix64) -> Option<(usize, f64)> {
        if of.len() < 2 {
            return None;
        }
        let mut walk = self.draw(random);
        let (distance, all) = (self.pairs.draw(random)?, self.pairs.all());
        let first = random.index(self.probes - distance);
        // Half of the keys walk as the other does, forwards or backwards.
        let (one, other) = if random.is_even() {
            let one = random.index(of.len().checked_sub(distance).filter(|&count| count > 0)?);
            if random.is_even() {
                (one, one + distance)
            } else {
                (one + distance, one)
            }
        } else {
            let (one, other) = (random.index(of.len()), random.index(of.len() - 1));
            (one, other + usize::from(other >= one))
        };
        let sum = self.sum_of(walk.probes.get(first)?, *of.get(one)?);
        let further = self.sum_of(walk.probes.get(first + distance)?, *of.get(other)?);
        walk.step = self.step_for(distance, self.minus(further, sum), random)?;
        walk.start = self.minus(sum, self.times(first as u64, walk.step));
        let (mut covered, mut count) = (0_u64, 0);
        let mut at = [None; MAX];
        for ((position, _), at) in walk.positions(self).zip(&mut at) {
            *at = of.iter().position(|&other| other == position);
            if let Some(place) = *at {
                count += usize::from(covered >> place & 1 == 0);
                covered |= 1 << place;
            }
        }
        let any = 0.5 / (of.len() * (of.len() - 1)) as f64;
        let mut density = 0.0;
        let hits = || {
            (0_usize..)
                .zip(&at)
                .filter_map(|(probe, at)| Some((probe, (*at)?)))
        };
        for (probe, place) in hits() {
            for (later, other) in hits().filter(|&(later, other)| later > probe && other != place) {
                let (distance, apart) = (later - probe, place.abs_diff(other));
                density += any;
                if distance == apart {
                    density += 0.25 / (of.len() - distance) as f64;
                }
            }
        }
        let bits = self.bits as f64;
        Some((count, all / (bits * bits * density)))
    }

    /// Draws a key.
    fn draw(&self, random: &mut SplitMix64) -> Walk {
        let (start, step) = (random.unit(), random.unit());
        let mut walk = Walk {
            start: random.below(self.bits),
            step: random.below(self.bits),
            probes: [Probe::default(); MAX],
        };
        if self.sums != DoubleHashing::Unbounded {
            // Overflows depend on the high bits of a hash alone.
            let (mut sum, mut lost) = (start, 0);
            for probe in walk.probes.iter_mut().take(self.probes) {
                let is_mirrored = self.sums == DoubleHashing::Mirrored && sum >= 0.5;
                *probe = Probe { lost, is_mirrored };
                sum += step;
                if sum >= 1.0 {
                    sum -= 1.0;
                    lost = self.plus(lost, self.lost);
                }
            }
        }
        walk
    }

    /// Returns the sum, before overflows, with which a probe is at a position.
    fn sum_of(&self, probe: &Probe, position: u64) -> u64 {
        let sum = if probe.is_mirrored {
            self.bits - 1 - position
        } else {
            position
        };
        self.plus(sum, probe.lost)
    }

    /// Draws one of the steps of which this multiple has a value; `None` if there are none.
    fn step_for(&self, multiple: usize, value: u64, random: &mut SplitMix64) -> Option<u64> {
        let divisor = self.solutions_of(multiple);
        let apart = self.bits / divisor;
        if !value.is_multiple_of(divisor) {
            return None;
        }
        let least = product(value / divisor, *self.inverses.get(multiple)?, apart);
        Some(least + random.below(divisor) * apart)
    }

    fn solutions_of(&self, distance: usize) -> u64 {
        self.solutions.get(distance).copied().unwrap_or(1)
    }

    fn plus(&self, one: u64, other: u64) -> u64 {
        self.minus(one, self.minus(0, other))
    }

    fn minus(&self, one: u64, other: u64) -> u64 {
        if one >= other {
            one - other
        } else {
            one + (self.bits - other)
        }
    }

    fn times(&self, one: u64, other: u64) -> u64 {
        product(one, other, self.bits)
    }
}

/// The start and the step of a key modulo the number of bits, and what overflows do to its probes.
struct Walk {
    start: u64,
    step: u64,
    probes: [Probe; MAX],
}

#[derive(Clone, Copy, Default)]
struct Probe {
    /// The amount that overflows have taken from the sum.
    lost: u64,
    /// Is true if all bits of the sum are flipped.
    is_mirrored: bool,
}

impl Walk {
    /// Returns the positions of the probes, and whether they are mirrored.
    fn positions(&self, walks: &Walks) -> impl Iterator<Item = (u64, bool)> {
        let mut sum = self.start;
        self.probes.iter().take(walks.probes).map(move |probe| {
            let position = walks.minus(sum, probe.lost);
            sum = walks.plus(sum, self.step);
            match probe.is_mirrored {
                true => (walks.bits - 1 - position, true),
                false => (position, false),
            }
        })
    }
}

/// The different positions of a key, in the order of its probes.
struct Positions {
    numbers: [u64; MAX],
    len: usize,
}

impl Positions {
    fn different(walk: &Walk, walks: &Walks) -> Self {
        let (numbers, len) = ([0; MAX], 0);
        let mut positions = Self { numbers, len };
        for (position, _) in walk.positions(walks) {
            if !positions.get().contains(&position)
                && let Some(next) = positions.numbers.get_mut(positions.len)
            {
                *next = position;
                positions.len += 1;
            }
        }
        positions
    }

    fn get(&self) -> &[u64] {
        self.numbers.get(..self.len).unwrap_or_default()
    }
}

impl SplitMix64 {
    /// Returns a number from 0 to below the end, by the high half of a product; 0 if the end is 0.
    fn below(&mut self, end: u64) -> u64 {
        narrow((u128::from(self.next()) * u128::from(end)) >> 64)
    }

    fn index(&mut self, end: usize) -> usize {
        usize::try_from(self.below(end as u64)).unwrap_or(0)
    }

    fn is_even(&mut self) -> bool {
        self.next() >> 63 == 0
    }

    /// Returns a number from 0 to below 1.
    fn unit(&mut self) -> f64 {
        libm::ldexp((self.next() >> 11) as f64, -53)
    }
}

fn add(shares: &mut Shares, at: usize, more: f64) {
    shares.get_mut(at).into_iter().for_each(|share| *share += more);
}

pub(crate) fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Returns the inverse of a number that has no factor in common with the modulus, which is below 2^63.
pub(crate) fn inverse(number: u64, modulus: u64) -> u64 {
    let (mut rest, mut next) = (modulus.cast_signed(), number.cast_signed());
    let (mut factor, mut next_factor) = (0, 1);
    while next != 0 {
        let quotient = rest / next;
        (rest, next) = (next, rest - quotient * next);
        (factor, next_factor) = (next_factor, factor - quotient * next_factor);
    }
    factor.rem_euclid(modulus.cast_signed()).unsigned_abs()
}

fn product(one: u64, other: u64, modulus: u64) -> u64 {
    match one.checked_mul(other) {
        Some(product) => product % modulus,
        None => narrow(u128::from(one) * u128::from(other) % u128::from(modulus)),
    }
}

/// Returns a number that is below 2^64.
fn narrow(number: u128) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
