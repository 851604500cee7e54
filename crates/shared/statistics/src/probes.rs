//! Linear probing in a table of open addressing: the probes of randomly hashed keys.

use super::special::incomplete_gamma;

/// The distribution of the probes of randomly hashed keys: the slots that are looked at for a key, up to the first free one for an
/// absent key.
///
/// The runs between free slots are independent variables of Borel's distribution, given the sum of their lengths (Pittel,
/// "Linear probing: the probable largest search time grows logarithmically with the number of records", 1987).
///
/// ```
/// use statistics::probes::ProbeLaw;
///
/// // At 90 % load, about 50.5 and 5.5 probes in a large table (Knuth, The Art of Computer Programming 3, section 6.4).
/// let law = ProbeLaw::new(943_718, 1 << 20);
/// assert!((law.miss() - 50.5).abs() < 0.1 && (law.hit() - 5.5).abs() < 0.01);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ProbeLaw {
    miss: f64,
    hit: f64,
    slots: f64,
    /// The number of runs, those without a key included.
    runs: f64,
    /// By the length of a run, its probability, and by how much it raises the sum that [`miss_p`](Self::miss_p) tests.
    of_length: Vec<(f64, f64)>,
    variance: f64,
    third: f64,
}

impl ProbeLaw {
    /// Builds the law for so many keys, at least one and fewer than the slots.
    ///
    /// # Panics
    ///
    /// If there are no keys, or no free slot.
    pub fn new(keys: u64, slots: u64) -> Self {
        assert!(
            (1..slots).contains(&keys),
            "the keys must be between 1 and {}, got {keys}",
            slots - 1
        );
        let (keys, slots) = (keys as f64, slots as f64);
        let (load, runs) = (keys / slots, slots - keys);
        // Borel's probability of a run with its free slot, from one slot on.
        let (mut lengths, mut probability, mut length) = (Vec::new(), libm::exp(-load), 0.0);
        while length <= keys && (length < 64.0 || probability * libm::pow(length, 6.0) > 1e-9) {
            lengths.push((length, probability));
            length += 1.0;
            probability *= load * libm::exp((length - 1.0) * libm::log1p(1.0 / length) - load);
        }
        let all: f64 = lengths.iter().map(|(_, p)| p).sum();
        let mean =
            |of: &dyn Fn(f64) -> f64| lengths.iter().map(|(length, p)| p * of(*length)).sum::<f64>() / all;
        // The absent keys that end in a run take these probes more than one each.
        let probes = |length: f64| length * (length + 1.0) / 2.0;
        let [mean_length, mean_probes] = [mean(&|length| length), mean(&probes)];
        let slope = mean(&|length| (length - mean_length) * (probes(length) - mean_probes))
            / mean(&|length| (length - mean_length) * (length - mean_length));
        // A longer run leaves less to the others, since the sum of all lengths is given.
        let above = |length: f64| probes(length) - mean_probes - slope * (length - mean_length);
        Self {
            miss: f64::midpoint(1.0, ramanujan(keys, slots, |k| k + 1.0)),
            hit: f64::midpoint(1.0, ramanujan(keys - 1.0, slots, |_| 1.0)),
            slots,
            runs,
            variance: runs * mean(&|length| libm::pow(above(length), 2.0)),
            third: runs * mean(&|length| libm::pow(above(length), 3.0)),
            of_length: lengths
                .iter()
                .map(|(length, p)| (p / all, above(*length)))
                .collect(),
        }
    }

    /// Returns the expected number of probes for an absent key.
    pub fn miss(&self) -> f64 {
        self.miss
    }

    /// Returns the expected number of probes for a present key.
    pub fn hit(&self) -> f64 {
        self.hit
    }

    /// Returns the p-value of so many probes for an absent key of each slot, summed over the slots: the upper tail.
    ///
    /// Its main part is a gamma distribution (Pearson's type III) with the exact mean, and with variance and skewness up to terms that
    /// vanish in large tables. Far above, one long run is the likeliest cause, so the probability of such a run is added.
    pub fn miss_p(&self, probes: u64) -> f64 {
        let above = probes as f64 - self.slots * self.miss;
        let shape = 4.0 * libm::pow(self.variance, 3.0) / libm::pow(self.third, 2.0);
        let scale = self.third / (2.0 * self.variance);
        let (_, tail) = incomplete_gamma(shape, (shape + above / scale).max(0.0));
        let long = self.of_length.iter().rev().take_while(|(_, most)| *most >= above);
        (tail + self.runs * long.map(|(p, _)| p).sum::<f64>()).min(1.0)
    }
}

/// Returns a sum of Ramanujan's kind: of the `k`-th factor times `keys` to the falling power `k`, over `slots` to the power `k`.
fn ramanujan(keys: f64, slots: f64, factor: impl Fn(f64) -> f64) -> f64 {
    let (mut sum, mut term, mut k) = (0.0, 1.0, 0.0);
    while term > 0.0 && factor(k) * term > 1e-17 * sum {
        sum += factor(k) * term;
        term *= (keys - k) / slots;
        k += 1.0;
    }
    sum
}

#[cfg(test)]
mod tests {
    use rand::{Rng as _, SeedableRng as _};
    use rand_xoshiro::SplitMix64;

    use super::*;
    use crate::test_support::assert_close;

    /// Returns the sums over slots and over keys of the probes of keys with these slots, one key after the other.
    fn probed(slots: usize, keys: impl Iterator<Item = usize>) -> (u64, u64) {
        let (mut taken, mut hits) = (vec![false; slots], 0);
        let free = |taken: &[bool], slot: usize| (slot..).find(|at| !taken[at % slots]).unwrap();
        for slot in keys {
            let at = free(&taken, slot);
            taken[at % slots] = true;
            hits += (at - slot + 1) as u64;
        }
        let misses = (0..slots)
            .map(|slot| (free(&taken, slot) - slot + 1) as u64)
            .sum();
        (misses, hits)
    }

    /// All ways in which a few keys can be hashed.
    #[test]
    fn small_tables_have_the_exact_means() {
        for (keys, slots) in [(1_u32, 2_usize), (1, 4), (2, 3), (3, 4), (3, 5), (4, 6), (5, 6)] {
            let law = ProbeLaw::new(keys.into(), slots as u64);
            let ways = slots.pow(keys);
            let (mut misses, mut hits) = (0, 0);
            for way in 0..ways {
                let digit = |key| way / slots.pow(key) % slots;
                let (miss, hit) = probed(slots, (0..keys).map(digit));
                (misses, hits) = (misses + miss, hits + hit);
            }
            let ways = ways as f64;
            assert_close!(
                law.miss(),
                misses as f64 / ways / slots as f64,
                1e-12,
                "{keys} of {slots}"
            );
            assert_close!(
                law.hit(),
                hits as f64 / ways / f64::from(keys),
                1e-12,
                "{keys} of {slots}"
            );
        }
    }

    /// Simulated random functions: the means agree, and no more than about 1 % of the p-values are below 0.01.
    #[test]
    fn random_keys_follow_the_law() {
        let mut generator = SplitMix64::seed_from_u64(1);
        let rounds = 2000;
        for (tenths, slots) in [(5, 256_u64), (9, 256), (5, 4096), (7, 4096), (9, 4096)] {
            let keys = slots * tenths / 10;
            let law = ProbeLaw::new(keys, slots);
            let (mut misses, mut hits, mut below) = (0, 0, 0);
            for _ in 0..rounds {
                let slot = |_| (generator.next_u64() % slots) as usize;
                let (miss, hit) = probed(slots as usize, (0..keys).map(slot));
                (misses, hits) = (misses + miss, hits + hit);
                below += u32::from(law.miss_p(miss) < 0.01);
            }
            let mean = |sum: u64, of: u64| sum as f64 / (rounds * of) as f64;
            assert_close!(mean(misses, slots), law.miss(), 0.02, "{tenths}, {slots}");
            assert_close!(mean(hits, keys), law.hit(), 0.02, "{tenths}, {slots}");
            // 20 of 2,000, and three standard deviations more.
            assert!(below <= 34, "{tenths}, {slots}: {below}");
        }
    }

    #[test]
    fn p_values_fall_to_nothing() {
        let law = ProbeLaw::new(58_982, 1 << 16);
        let expected = (law.miss() * 65_536.0) as u64;
        let p =
            [0, expected, 2 * expected, 4 * expected, 58_982 * 58_983 / 2].map(|probes| law.miss_p(probes));
        assert!(p.windows(2).all(|pair| pair[0] >= pair[1]), "{p:?}");
        assert!(p[0] == 1.0 && p[1] > 0.3 && p[2] < 1e-5 && p[4] < 1e-100, "{p:?}");
    }
}
