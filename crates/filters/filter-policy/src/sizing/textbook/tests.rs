//! Tests the formulas against each other and against exact values.

use super::*;

fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * b.abs()
}

#[test]
fn rates_agree_with_arithmetic_of_60_digits() {
    // Python: getcontext().prec = 60; (1 - (1 - 1/Decimal(m))**(k*n))**k
    let exact = [
        (800_000, 80_000, 6, 8.436_232_356_956_587e-3),
        (1_200_000, 80_000, 10, 7.439_941_614_435_543e-4),
        (1_600_000, 80_000, 13, 6.792_399_119_952_439e-5),
        (64, 1, 6, 5.372_527_884_563_968e-7),
        (64, 32, 1, 3.958_588_540_383_072e-1),
        (1 << 40, 1 << 36, 11, 4.587_107_308_162_234e-4),
        (1 << 40, 1 << 40, 1, 6.321_205_588_287_25e-1),
        (1 << 40, 1 << 20, 30, 4.959_682_376_429_389e-137),
        (1 << 40, 1, 1, 9.094_947_017_729_282e-13),
        (320, 32, 6, 8.494_189_173_860_94e-3),
        (8, 1, 1, 0.125),
        (2, 5, 3, 9.999_084_500_595_643e-1),
    ];
    for (bits, keys, probes, expected) in exact {
        let given = Textbook::with_probe_count(probes).rate(bits, keys).unwrap();
        assert!(
            close(given, expected, 1e-12),
            "m {bits}, n {keys}, k {probes}: {given:e}, not {expected:e}"
        );
    }
    let of_large = Textbook::with_probe_count(11).rate_at(16.0).unwrap();
    assert!(close(of_large, 4.587_107_308_162_234e-4, 1e-9), "{of_large:e}");
    let rate = |bits, keys, probes| Textbook::with_probe_count(probes).rate(bits, keys);
    assert_eq!(rate(1, 1, 1), Ok(1.0));
    assert_eq!(rate(1, 0, 1), Ok(0.0));
    assert_eq!(rate(64, 5, 0), Ok(1.0));
    assert_eq!(rate(u64::MAX, u64::MAX, u32::MAX), Ok(1.0));
}

#[test]
#[expect(clippy::cast_possible_truncation, reason = "below 2^32")]
fn a_rate_comes_back_from_its_bits() {
    for wanted in [0.9, 0.5, 0.1, 0.03, 0.01, 1e-4, 1e-9, 1e-30] {
        let per_key = Textbook::bits_per_key(wanted).unwrap();
        assert!(close(Textbook::BEST.rate_at(per_key).unwrap(), wanted, 1e-11));
        let bits = 1e6 * Textbook::bits_per_key(wanted).unwrap();
        let back = Textbook::BEST.rate(bits.ceil() as u64, 1_000_000).unwrap();
        assert!(back <= wanted && close(back, wanted, 1e-3), "{wanted}: {back}");
    }
}

#[test]
fn neighbours_of_the_best_number_are_the_best_of_all() {
    let rate_at = |bits, probes| Textbook::with_probe_count(probes).rate_at(bits).unwrap();
    for tenths in 1..=1_000 {
        let bits_per_key = f64::from(tenths) / 10.0;
        let best = Textbook::best_probe_count(bits_per_key).unwrap();
        let rates = (1..=80).filter(|&probes| (f64::from(probes) - best).abs() <= 1.0);
        let lowest = rates
            .map(|probes| rate_at(bits_per_key, probes))
            .fold(1.0, f64::min);
        assert!(
            (1..=80).all(|probes| lowest <= rate_at(bits_per_key, probes)),
            "{bits_per_key} bits per key"
        );
        assert!(lowest >= Textbook::BEST.rate_at(bits_per_key).unwrap() * (1.0 - 1e-12));
    }
}

#[test]
fn arguments_without_meaning_are_errors() {
    for bad_rate in [0.0, 1.0, -0.1, 1.5, f64::NAN, f64::INFINITY] {
        assert!(Textbook::bits_per_key(bad_rate).is_err());
    }
    for bad_bits in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(Textbook::BEST.rate_at(bad_bits).is_err());
        assert!(Textbook::best_probe_count(bad_bits).is_err());
    }
    assert!(Textbook::BEST.rate(0, 1).is_err());
}
