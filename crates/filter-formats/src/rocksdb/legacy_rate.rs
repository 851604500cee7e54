//! The rate of RocksDB's Bloom filter of format version 4 or earlier, from the arithmetic of its probes.
//!
//! A key probes its line at `start + i * stride` modulo 512, where start and stride are different bits of its hash value.
//! Rotations of a line, and odd multiples of it, change no rate, so that absent keys are of ten classes, by the zeros at
//! the end of their strides. For each class, the share of stored keys that have a number of probes in common with the
//! absent key is counted over all starts and strides. Each further key in the line covers as many of the absent key's
//! probes, and any choice of them is taken to be as likely as another.

use filter_kernels::MAX_PROBES;

use crate::sizing::mean_over_lines;

/// The number of bits in a line.
const BITS: usize = 512;

/// The share of the keys with one start and one stride.
const ONE_WALK: f64 = 1.0 / (BITS * BITS) as f64;

/// For each number of probes, a share or a count.
type ByProbes = [f64; MAX_PROBES as usize + 1];

/// Returns the rate, keys with equal hash values included.
pub(super) fn rate(lines: u32, keys: u64, probes: u8) -> f64 {
    if keys == 0 {
        return 0.0;
    }
    let choices = choices();
    let more_equal = equal_walks(lines) - ONE_WALK;
    let of_stride = |zeros: u32| {
        let stride = 1 << zeros;
        let steps = steps(stride, probes);
        let mut shared = shared_probes(stride, probes);
        if let [none, others @ ..] = shared.as_mut_slice()
            && let Some(all) = others.get_mut(steps - 1)
        {
            *all += more_equal;
            *none -= more_equal;
        }
        let next = next_covered(steps, &shared, &choices);
        let mut covered = ByProbes::default();
        covered[0] = 1.0;
        mean_over_lines(
            lines.into(),
            keys,
            |_| 1.0,
            |_| {
                let rate = covered.get(steps).copied().unwrap_or_default();
                let mut then = ByProbes::default();
                for (share, next) in covered.iter().zip(&next) {
                    for (then, next) in then.iter_mut().zip(next) {
                        *then += share * next;
                    }
                }
                covered = then;
                rate
            },
        )
    };
    let all_zeros = BITS.ilog2();
    let share = |zeros: u32| libm::ldexp(1.0, -((zeros + 1).min(all_zeros) as i32));
    (0..=all_zeros).map(|zeros| share(zeros) * of_stride(zeros)).sum()
}

/// Returns the number of different positions of probes with this stride.
fn steps(stride: usize, probes: u8) -> usize {
    let period = BITS >> (stride | BITS).trailing_zeros();
    usize::from(probes).min(period)
}

/// Returns the shares of keys that have 0, 1, 2, ... positions in common with probes of a stride.
fn shared_probes(stride: usize, probes: u8) -> ByProbes {
    let mut shares = ByProbes::default();
    for other in 0..BITS {
        // For each start of the other key.
        let mut shared = [0_usize; BITS];
        for of_other in (0..steps(other, probes)).map(|step| step * other) {
            for position in (0..steps(stride, probes)).map(|step| step * stride) {
                let start = position.wrapping_sub(of_other) % BITS;
                shared.get_mut(start).into_iter().for_each(|shared| *shared += 1);
            }
        }
        for shared in shared {
            shares
                .get_mut(shared)
                .into_iter()
                .for_each(|share| *share += ONE_WALK);
        }
    }
    shares
}

/// Returns, for each number of covered positions out of `steps`, the probabilities of the numbers after a further key.
fn next_covered(
    steps: usize,
    shared: &ByProbes,
    choices: &[ByProbes; MAX_PROBES as usize + 1],
) -> [ByProbes; MAX_PROBES as usize + 1] {
    let choose = |of: usize, some: usize| {
        choices
            .get(of)
            .and_then(|row| row.get(some))
            .copied()
            .unwrap_or_default()
    };
    core::array::from_fn(|covered| {
        core::array::from_fn(|then| {
            let (Some(new), true) = (then.checked_sub(covered), then <= steps) else {
                return 0.0;
            };
            let with = |(shared, share): (usize, &f64)| {
                let again = shared.checked_sub(new)?;
                let ways = choose(steps - covered, new) * choose(covered, again);
                Some(share * ways / choose(steps, shared))
            };
            shared.iter().enumerate().take(steps + 1).filter_map(with).sum()
        })
    })
}

/// Returns Pascal's triangle.
fn choices() -> [ByProbes; MAX_PROBES as usize + 1] {
    let mut row = ByProbes::default();
    row[0] = 1.0;
    core::array::from_fn(|_| {
        let this = row;
        for (next, before) in row.iter_mut().skip(1).zip(this) {
            *next += before;
        }
        this
    })
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
    let others = (apart..1 << 32)
        .step_by(usize::try_from(apart).unwrap_or(usize::MAX))
        .map(|distance| {
            let carried = (distance % (1 << STRIDE)) as f64 / f64::from(1 << STRIDE);
            let is_equal = match (distance >> STRIDE) % BITS as u64 {
                0 => 1.0 - carried,
                511 => carried,
                _ => 0.0,
            };
            // Above and below, as far as there are values.
            2.0 * (1.0 - distance as f64 / values) * is_equal
        });
    (1.0 + others.sum::<f64>()) * f64::from(lines) / values
}
