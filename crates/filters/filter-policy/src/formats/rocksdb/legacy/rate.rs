//! The rate of RocksDB's Bloom filter of format version 4 or earlier, from the arithmetic of its probes.
//!
//! A key probes its line at `start + i * stride` modulo 512, where start and stride are different bits of its hash value.
//! Rotations of a line, and odd multiples of it, change no rate, so that absent keys are of ten classes, by the zeros at
//! the end of their strides. For each class, the share of stored keys that have a number of probes in common with the
//! absent key is counted over all starts and strides. Each key of the line covers as many of the absent key's probes, and
//! any choice of them is taken to be as likely as another.

use core::cmp::Ordering;

use crate::simd::MAX_PROBES;

/// The number of bits in a line.
const BITS: usize = 512;

/// The share of the keys with one start and one stride.
const ONE_WALK: f64 = 1.0 / (BITS * BITS) as f64;

/// Returns the rate, keys with equal hash values included.
pub(super) fn rate(lines: u32, keys: u64, probes: u8) -> f64 {
    of_strides(0, equal_walks(lines), lines, keys, probes)
}

/// Returns most of the lowest rates in little time: those of absent keys with at most eight positions, and of stored keys with
/// an absent key's start and stride, if these are counted fast.
pub(super) fn floor(lines: u32, keys: u64, probes: u8) -> f64 {
    const FEW_POSITIONS: u32 = 6;
    const MANY: u32 = 1 << 12;
    let equal = if lines > MANY { equal_walks(lines) } else { 0.0 };
    let by_equal = -libm::expm1(keys as f64 * libm::log1p(-equal / f64::from(lines.max(1))));
    let others = 1.0 - libm::ldexp(1.0, -(FEW_POSITIONS as i32));
    others * by_equal + of_strides(FEW_POSITIONS, equal.max(ONE_WALK), lines, keys, probes)
}

/// Returns the part of the rate that is due to absent keys with at least so many zeros at the end of their strides.
fn of_strides(zeros: u32, equal: f64, lines: u32, keys: u64, probes: u8) -> f64 {
    if keys == 0 {
        return 0.0;
    }
    let more_equal = equal - ONE_WALK;
    let all_zeros = BITS.ilog2();
    let of_stride = |zeros: u32| {
        let steps = steps(1 << zeros, probes);
        let mut shared = shared_probes(zeros, probes);
        shared
            .get_mut(steps)
            .into_iter()
            .for_each(|all| *all += more_equal);
        shared
            .first_mut()
            .into_iter()
            .for_each(|none| *none -= more_equal);
        let share = libm::ldexp(1.0, -((zeros + 1).min(all_zeros) as i32));
        share * all_covered(lines, keys, steps, &shared)
    };
    (zeros..=all_zeros).map(of_stride).sum::<f64>().clamp(0.0, 1.0)
}

/// Returns the probability that keys cover all of so many positions, by inclusion and exclusion of those that none covers.
/// `shared` has the shares of keys that cover 0, 1, 2, ... of them, if they are in the line.
fn all_covered(lines: u32, keys: u64, steps: usize, shared: &[f64]) -> f64 {
    let (mut sum, mut choices) = (0.0, 1.0);
    for spared in 0..=steps {
        // A key spares these positions if it chooses all of its own among the others.
        let others = |chosen: usize| (steps - spared).saturating_sub(chosen) as f64 / (steps - chosen) as f64;
        let mut spares = 1.0;
        let touched = |(covered, share): (usize, &f64)| {
            let touched = share * (1.0 - spares);
            spares *= others(covered);
            touched
        };
        let touch: f64 = (0..=steps).zip(shared).map(touched).sum();
        // The choices with both signs add up to zero, so that one may be subtracted from each probability.
        sum += choices * libm::expm1(keys as f64 * libm::log1p(-touch / f64::from(lines)));
        choices *= -((steps - spared) as f64) / (spared + 1) as f64;
    }
    sum
}

/// Returns the number of different positions of probes with this stride.
fn steps(stride: usize, probes: u8) -> usize {
    let period = BITS >> (stride | BITS).trailing_zeros();
    usize::from(probes).min(period)
}

/// Returns the shares of keys that have 0, 1, 2, ... positions in common with probes of a stride of 2^zeros.
fn shared_probes(zeros: u32, probes: u8) -> [f64; MAX_PROBES as usize + 1] {
    let (mut shares, stride) = ([0.0; MAX_PROBES as usize + 1], 1 << zeros);
    // Positions in the order of strides: each row is a round.
    let (row, length) = (BITS / stride, steps(stride, probes));
    for other in 0..=BITS / 2 {
        // Walking backwards, and odd multiples that leave the stride as it is, lead to strides with equal shares: the first
        // of them counts for all.
        let apart = BITS.min(BITS << (other | BITS).trailing_zeros() >> zeros.min(8));
        let alike = match (2 * other).cmp(&apart) {
            Ordering::Less if other > 0 => 2 * (BITS / apart),
            Ordering::Greater => continue,
            _ => BITS / apart,
        };
        // Where the number of probes in common changes from one start to the next, and by how much.
        let (mut changes, mut marks) = ([0_i8; BITS], [0_u64; BITS / 64]);
        let mut change = |start: usize, by| {
            if let (Some(change), Some(mark)) = (changes.get_mut(start), marks.get_mut(start / 64)) {
                *change += by;
                *mark |= 1 << (start % 64);
            }
        };
        for of_other in (0..steps(other, probes)).map(|step| step * other) {
            let start = of_other.wrapping_neg() % BITS;
            let (first, from) = (start % stride * row, start / stride);
            change(first + from, 1);
            change(first + (from + length).min(row), -1);
            if from + length > row {
                change(first, 1);
                change(first + from + length - row, -1);
            }
        }
        let (mut shared, mut last) = (0_i8, 0);
        let mut count = |shared: i8, starts: usize| {
            if let Some(share) = shares.get_mut(usize::from(shared.unsigned_abs())) {
                *share += (starts * alike) as f64 * ONE_WALK;
            }
        };
        for (first, mut marks) in (0..).step_by(64).zip(marks) {
            while marks != 0 {
                let start = first + marks.trailing_zeros() as usize;
                count(shared, start - last);
                shared += changes.get(start).copied().unwrap_or_default();
                (last, marks) = (start, marks & (marks - 1));
            }
        }
        count(shared, BITS - last);
    }
    shares
}

/// Returns the share of the keys of a line that have a key's start and stride.
///
/// In a few lines all starts and strides are equally frequent. The hash values of a line are `lines` apart: of many lines
/// each has so few values that those with equal start and stride are counted, the key's own value among them.
fn equal_walks(lines: u32) -> f64 {
    const FEW: u32 = 64;
    /// The stride begins at this bit of the hash value.
    const STRIDE: u32 = 17;
    if lines < FEW {
        return ONE_WALK;
    }
    let values = libm::ldexp(1.0, 32);
    let apart = u64::from(lines) * BITS as u64;
    let strides = |distance: &u64| (distance >> STRIDE) % BITS as u64;
    let share = |distance: u64| {
        let carried = (distance % (1 << STRIDE)) as f64 / f64::from(1 << STRIDE);
        let is_equal = if strides(&distance) == 0 {
            1.0 - carried
        } else {
            carried
        };
        2.0 * (1.0 - distance as f64 / values) * is_equal
    };
    // Above and below, as far as there are values.
    let distances = (1..=(1 << 32) / apart).map(|times| times * apart);
    let others = distances
        .filter(|distance| matches!(strides(distance), 0 | 511))
        .map(share);
    (1.0 + others.sum::<f64>()) * f64::from(lines) / values
}
