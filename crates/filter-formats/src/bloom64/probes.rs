//! The best probe count for the size of a filter.

use filter_kernels::MAX_PROBES;

/// The largest number of millibits per key at which each probe count, from 1 on, is the best one: the point `b` where
/// `(1 - e^(-k/b))^k` is the same for k and k + 1.
const MILLIBITS_UP_TO: [u32; 29] = [
    2078, 3556, 5013, 6464, 7912, 9358, 10_803, 12_248, 13_692, 15_136, 16_580, 18_023, 19_467, 20_910,
    22_353, 23_796, 25_240, 26_683, 28_126, 29_569, 31_012, 32_455, 33_898, 35_340, 36_783, 38_226, 39_669,
    41_112, 42_555,
];

/// Returns the best probe count, from 1 to 30, for this many keys in this many bits.
pub(crate) fn probes_for(bits: u64, keys: u64) -> u8 {
    let fits = |&&millibits: &&u32| u128::from(bits) * 1000 > u128::from(keys) * u128::from(millibits);
    let below = MILLIBITS_UP_TO.iter().take_while(fits).count();
    u8::try_from(below).map_or(MAX_PROBES, |below| below + 1)
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
}
