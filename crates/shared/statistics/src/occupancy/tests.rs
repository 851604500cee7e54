//! Expectation and variance against exact values.

use super::*;
use crate::test_support::assert_close;

/// Keys, bits, expected collisions and their variance, from the definitions with 200 digits (Python's `decimal`).
const EXACT: [(u64, u32, f64, f64); 21] = [
    (2, 1, 0.5, 0.25),
    (3, 1, 1.25, 0.1875),
    (100, 1, 98.0, 1.5777218104420236e-30),
    (3, 8, 0.0117034912109375, 0.011597037082538009),
    (255, 8, 93.36149684930086, 24.86612118340991),
    (257, 8, 94.62573749734175, 24.942374917039384),
    (1_000, 16, 7.583223064220447, 7.430688142857257),
    (65_537, 16, 24109.795239087136, 6370.738000718976),
    (2, 20, 9.5367431640625e-07, 9.536734069115482e-07),
    (40_000, 20, 753.3116338890216, 715.9555317786526),
    (1_000_000, 20, 355463.8699403109, 99880.7766045198),
    (40_000, 24, 47.644653530360365, 47.49344045018358),
    (1_000_000, 24, 29218.89447782448, 26986.677818424047),
    (45_402, 28, 3.839246927118254, 3.8383812439682936),
    (3, 32, 6.984919309073988e-10, 6.98491930527928e-10),
    (45_402, 32, 0.23996561521598075, 0.2399622331049717),
    (1_000_000, 32, 116.4061709464936, 116.37003936869563),
    (4_294_967_296, 32, 1580030168.518161, 417508937.7288668),
    (4_294_967_296, 24, 4278190080.0, 1.1100159398258497e-104),
    (1_000_000, 52, 0.00011102219143199591, 0.00011102219139912678),
    (4_294_967_296, 64, 0.49999999984477955, 0.49999999968955916),
];

#[test]
fn expectation_and_variance_are_the_exact_ones() {
    for (keys, bits, expected, variance) in EXACT {
        assert_close!(
            expected_collisions(keys, bits),
            expected,
            1e-13,
            "{keys} keys, {bits} bits"
        );
        assert_close!(
            collision_variance(keys, bits),
            variance,
            1e-11,
            "{keys} keys, {bits} bits"
        );
    }
}

#[test]
fn small_sets_are_exact() {
    for bits in 1..=64 {
        assert_eq!(expected_collisions(0, bits), 0.0);
        assert_eq!(expected_collisions(1, bits), 0.0);
        // Two keys collide with probability 1/m.
        let p = libm::ldexp(1.0, -(bits as i32));
        assert_eq!(expected_collisions(2, bits), p);
        assert_close!(collision_variance(2, bits), p * (1.0 - p), 1e-13, "{bits}");
    }
}
