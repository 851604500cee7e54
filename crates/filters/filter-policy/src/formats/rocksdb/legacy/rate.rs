//! The rate of RocksDB's Bloom filter of format version 4 or earlier, from the arithmetic of its probes.
//!
//! A key probes its line at `start + i * stride` modulo 512, where start and stride are different bits of its hash value.
//! Rotations of a line, and odd multiples of it, change no rate, so that absent keys are of ten classes, by the zeros at
//! the end of their strides. For each class, the share of stored keys that have a number of probes in common with the
//! absent key is counted over all starts and strides. Each key of the line covers as many of the absent key's probes, and
//! any choice of them is taken to be as likely as another.

use crate::simd::MAX_PROBES;

/// The number of bits in a line.
const BITS: usize = 512;

/// The share of the keys with one start and one stride.
const ONE_WALK: f64 = 1.0 / (BITS * BITS) as f64;

/// Returns the rate, keys with equal hash values included.
pub(super) fn rate(lines: u32, keys: u64, probes: u8) -> f64 {
    if keys == 0 {
        return 0.0;
    }
    let more_equal = equal_walks(lines) - ONE_WALK;
    let all_zeros = BITS.ilog2();
    let of_stride = |zeros: u32| {
        let steps = steps(1 << zeros, probes);
        let mut shared = shared_probes(1 << zeros, probes);
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
    (0..=all_zeros).map(of_stride).sum::<f64>().clamp(0.0, 1.0)
}

/// Returns the probability that keys cover all of so many positions, by inclusion and exclusion of those that none covers.
/// `shared` has the shares of keys that cover 0, 1, 2, ... of them, if they are in the line.
fn all_covered(lines: u32, keys: u64, steps: usize, shared: &[f64]) -> f64 {
    let (mut sum, mut choices) = (0.0, 1.0);
    for spared in 0..=steps {
        // A key spares these positions if it chooses all of its own among the others.
        let others = |chosen: usize| (steps - spared).saturating_sub(chosen) as f64 / (steps - chosen) as f64;
        let spares = |covered: usize| (0..covered).map(others).product::<f64>();
        let touch: f64 = (0..=steps)
            .zip(shared)
            .map(|(covered, share)| share * (1.0 - spares(covered)))
            .sum();
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

/// Returns the shares of keys that have 0, 1, 2, ... positions in common with probes of a stride.
fn shared_probes(stride: usize, probes: u8) -> [f64; MAX_PROBES as usize + 1] {
    let mut shares = [0.0; MAX_PROBES as usize + 1];
    shares[0] = 1.0;
    for other in 0..BITS {
        // For each start of the other key.
        let mut shared = [0_usize; BITS];
        for of_other in (0..steps(other, probes)).map(|step| step * other) {
            for position in (0..steps(stride, probes)).map(|step| step * stride) {
                let start = position.wrapping_sub(of_other) % BITS;
                if let Some(shared) = shared.get_mut(start)
                    && let Some([fewer, more]) = shares.get_mut(*shared..*shared + 2)
                {
                    *shared += 1;
                    *fewer -= ONE_WALK;
                    *more += ONE_WALK;
                }
            }
        }
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
    let is_equal = |distance: u64| {
        let carried = (distance % (1 << STRIDE)) as f64 / f64::from(1 << STRIDE);
        match (distance >> STRIDE) % BITS as u64 {
            0 => 1.0 - carried,
            511 => carried,
            _ => 0.0,
        }
    };
    // Above and below, as far as there are values.
    let distances = (1..=(1 << 32) / apart).map(|times| times * apart);
    let others = distances.map(|distance| 2.0 * (1.0 - distance as f64 / values) * is_equal(distance));
    (1.0 + others.sum::<f64>()) * f64::from(lines) / values
}
