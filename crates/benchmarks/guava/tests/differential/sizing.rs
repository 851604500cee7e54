//! Bits and probe counts of random and extreme parameters.

use bench_kit::source::Source;
use membership_filters::{ErrorKind, Parameters, ProbeCountRule};

use crate::oracle::Guava;
use crate::{cases, source};

/// The most words that a Java array can hold.
const MAX_WORDS: i64 = i32::MAX as i64;

/// Draws a rate from 1e-300 to the largest double below 1.
fn fpp(random: &mut Source) -> f64 {
    match random.index(5) {
        0 => *random.pick(&[
            1e-300,
            1e-77,
            1e-76,
            0.01,
            0.03,
            0.5,
            0.999_999,
            1.0 - f64::EPSILON / 2.0,
        ]),
        1 => random.power(-997.0, 0.0),
        2 => random.power(-30.0, 0.0),
        3 => 1.0 - random.power(-50.0, -1.0),
        _ => random.share(),
    }
    .clamp(1e-300, 1.0 - f64::EPSILON / 2.0)
}

fn insertions(random: &mut Source) -> i64 {
    match random.index(4) {
        0 => random.index(10) as i64,
        1 => random.index(100_000) as i64,
        2 => random.power(0.0, 36.0) as i64,
        _ => random.power(0.0, 62.0) as i64,
    }
}

#[test]
fn sizes_are_guavas() {
    let mut random = source("sizes_are_guavas");
    let mut guava = Guava::start();
    let (mut made, mut refused, mut too_large) = (0, 0, 0);
    for _ in 0..cases(6_000) {
        let (insertions, fpp) = (insertions(&mut random), fpp(&mut random));
        let case = format!("{insertions} at {fpp:e}");
        // Guava's `create` passes on at least one insertion.
        let (bits, probes) = guava.sizing(insertions.max(1), fpp);
        let words = bits / 64 + i64::from(bits % 64 != 0);
        let possible = bits > 0 && words <= MAX_WORDS && (1..=255).contains(&probes);
        let ours = Parameters::with_rule(insertions as u64, fpp, ProbeCountRule::FromBitsPerInsertion);
        match ours {
            Ok(ours) => {
                assert!(possible, "{case}: {bits} bits and {probes} probes");
                assert_eq!(
                    (ours.optimal_bits(), ours.bits(), i32::from(ours.probe_count())),
                    (bits as u64, words as u64 * 64, probes),
                    "{case}"
                );
                made += 1;
            }
            Err(error) => {
                assert!(!possible, "{case}: {error}");
                // A number of this size shows every bit of the logarithm.
                if error.kind() == ErrorKind::TooLarge {
                    assert!(
                        error.to_string().contains(&format!("got {bits} for ")),
                        "{case}: {error}"
                    );
                    too_large += 1;
                }
                refused += 1;
            }
        }
        // Guava is asked only if it need not allocate much.
        if words <= 1 << 16 || words > MAX_WORDS {
            assert_eq!(guava.create(0, 1, 0, insertions, fpp).is_ok(), possible, "{case}");
        }
    }
    assert!(
        made > refused / 4 && refused > made / 10 && too_large > made / 10,
        "{made} made, {refused} refused, {too_large} of them too large"
    );
}

#[test]
fn parameters_that_guava_refuses_are_refused() {
    let mut guava = Guava::start();
    for (insertions, fpp) in [
        (-1, 0.01),
        (i64::MIN, 0.01),
        (1, 0.0),
        (1, -0.0),
        (1, 1.0),
        (1, -0.5),
        (1, 1.5),
        (1, f64::NAN),
        (1, f64::INFINITY),
        (i64::MAX, 0.5),
        (1_000, f64::MIN_POSITIVE),
        (1_000, f64::from_bits(1)),
    ] {
        let thrown = guava.create(0, 1, 0, insertions, fpp).unwrap_err();
        assert!(thrown.starts_with("IllegalArgumentException"), "{thrown}");
        let ours = Parameters::new(insertions as u64, fpp);
        assert!(ours.is_err(), "{insertions} at {fpp:e}: Guava threw {thrown}");
    }
}
