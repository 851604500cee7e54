//! Bits per key from numbers and text.

use alloc::string::ToString as _;

use super::*;

#[test]
fn only_numbers_in_range_are_bits_per_key() {
    let outside = [
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        -1.0,
        -f64::MIN_POSITIVE,
        4_294_967_295.5,
        1e300,
    ];
    for given in outside {
        let out_of_range = |made| matches!(made, Err(Error::BitsPerKeyOutOfRange { .. }));
        assert!(out_of_range(BitsPerKey::fractional(given)), "{given}");
        assert!(out_of_range(given.to_string().parse()), "{given}");
    }
    let negative_zero = BitsPerKey::fractional(-0.0).unwrap();
    assert!(negative_zero.get().is_sign_positive());
    assert_eq!(negative_zero.times(1_000_000), 0);
}

#[test]
fn numbers_of_any_type_and_text() {
    let ten = BitsPerKey::whole(10);
    assert_eq!(ten, 10.into());
    for made in [
        10.0.try_into(),
        10_i32.try_into(),
        10_i64.try_into(),
        10_u64.try_into(),
        10_usize.try_into(),
        "10".parse(),
        "10.0".parse(),
    ] {
        assert_eq!(made, Ok(ten));
    }
    for given in [i64::MIN, -1, 1 << 32, i64::MAX] {
        assert!(BitsPerKey::try_from(given).is_err(), "{given}");
    }
    for text in ["", " 10", "ten", "0x10", "10 bits"] {
        assert_eq!(
            text.parse::<BitsPerKey>(),
            Err(Error::BitsPerKeyNotANumber),
            "{text:?}"
        );
    }
    for bits in [0.0, 0.1, 9.6, 10.0, 4_294_967_295.0] {
        let bits = BitsPerKey::fractional(bits).unwrap();
        assert_eq!(bits.to_string().parse(), Ok(bits));
    }
    assert_eq!(alloc::format!("{:.1}", ten), "10.0");
}
