//! A Bloom filter in LevelDB's layout with a 64-bit hash and probes that are as good as independent.

mod policy;
mod view;

pub use policy::BloomFilter64Policy;
pub use view::BloomFilter64View;

use crate::params::MAX_PROBES;

/// Added to k in the last byte of a filter. What lies above 30 there, LevelDB's reader takes for another encoding and
/// answers "may match".
const MARKER: u8 = 0x80;

/// What the hash value is multiplied by for each further probe: a multiplier that was found to spread well for generators
/// of 64 bits without an addend (Steele and Vigna, "Computationally easy, spectrally good multipliers for congruential
/// pseudorandom number generators", 2022).
const MULTIPLIER: u64 = 0xf135_7aea_2e62_a9c5;

/// Up to how many thousandths of bits per key a probe count is the best one, from 1 probe on: where
/// `(1 - e^(-k/b))^k` is the same for k and k + 1.
const MILLIBITS_UP_TO: [u32; 29] = [
    2078, 3556, 5013, 6464, 7912, 9358, 10_803, 12_248, 13_692, 15_136, 16_580, 18_023, 19_467, 20_910,
    22_353, 23_796, 25_240, 26_683, 28_126, 29_569, 31_012, 32_455, 33_898, 35_340, 36_783, 38_226, 39_669,
    41_112, 42_555,
];

/// The best probe count for so many keys in so many bits, 1 to 30.
fn probes_for(bits: u64, keys: u64) -> u8 {
    let fits = |&&millibits: &&u32| u128::from(bits) * 1000 > u128::from(keys) * u128::from(millibits);
    let below = MILLIBITS_UP_TO.iter().take_while(fits).count();
    u8::try_from(below).map_or(MAX_PROBES, |below| below + 1)
}

/// The bit positions of a hash value in so many bits: of a sequence of numbers in 64 bits, each the one before times a
/// constant, the place in the filter that each has in its range.
#[inline]
fn positions(hash: u64, bits: u64, probes: u8) -> impl Iterator<Item = u64> {
    (0..probes).scan(hash, move |walk, _| {
        let [_, position] = halves(u128::from(*walk) * u128::from(bits));
        *walk = walk.wrapping_mul(MULTIPLIER);
        Some(position)
    })
}

/// The low and the high half.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the upper half is taken apart")]
const fn halves(product: u128) -> [u64; 2] {
    [product as u64, (product >> 64) as u64]
}

/// Sets the bits of these hash values.
fn insert(bit_array: &mut [u8], probes: u8, hashes: &[u64]) {
    let bits = bit_array.len() as u64 * 8;
    for &hash in hashes {
        for position in positions(hash, bits, probes) {
            // Never absent: positions are below the number of bits.
            if let Some(byte) = usize::try_from(position / 8)
                .ok()
                .and_then(|at| bit_array.get_mut(at))
            {
                *byte |= 1 << (position % 8);
            }
        }
    }
}

/// Whether all bits of a hash value are set.
#[inline]
fn may_match(bit_array: &[u8], probes: u8, hash: u64) -> bool {
    let bits = bit_array.len() as u64 * 8;
    positions(hash, bits, probes).all(|position| {
        usize::try_from(position / 8)
            .ok()
            .and_then(|at| bit_array.get(at))
            .is_some_and(|byte| byte & (1 << (position % 8)) != 0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_probe_count_is_the_best_one() {
        let rate = |b: f64, k: u8| -> f64 {
            let k = f64::from(k);
            k * libm::log(-libm::expm1(-k / b))
        };
        for millibits in 1_000..50_000_u32 {
            let b = f64::from(millibits) / 1000.0;
            let best = probes_for(u64::from(millibits), 1000);
            for other in 1..=MAX_PROBES {
                assert!(
                    rate(b, best) <= rate(b, other) + 1e-3,
                    "{b} bits per key: {best}, {other}"
                );
            }
        }
        for (steps, k) in MILLIBITS_UP_TO.iter().zip(1_u8..) {
            let b = f64::from(*steps) / 1000.0;
            assert!(rate(b, k) < rate(b, k + 1), "{b}");
            assert!(rate(b + 0.001, k) > rate(b + 0.001, k + 1), "{b}");
        }
        let known = [
            (64, 0, 30),
            (64, 1, 30),
            (64, 64, 1),
            (100, 10, 7),
            (150, 10, 10),
            (200, 10, 14),
        ];
        for (bits, keys, probes) in known {
            assert_eq!(probes_for(bits, keys), probes, "{bits} bits, {keys} keys");
        }
        assert_eq!(probes_for(u64::MAX, u64::MAX), 1);
        assert_eq!(probes_for(u64::MAX, 1), 30);
    }

    #[test]
    fn positions_follow_the_definition() {
        for bits in [8, 64, 72, 320, 1 << 32, (1 << 32) + 8, u64::MAX - 7] {
            for hash in [0, 1, u64::MAX, 0x0123_4567_89ab_cdef] {
                let mut walk = u128::from(hash);
                for position in positions(hash, bits, 30) {
                    assert_eq!(u128::from(position), (walk * u128::from(bits)) >> 64);
                    assert!(position < bits);
                    walk = walk * u128::from(MULTIPLIER) % (1 << 64);
                }
            }
        }
    }
}
