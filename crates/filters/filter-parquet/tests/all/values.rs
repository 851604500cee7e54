//! Values of columns, of which the tests of the program `filters` look up all kinds.

use filter_parquet::{ColumnType, LogicalType, PhysicalType, Value, ValueError, ValueForm};
use proptest::prelude::*;

const fn of(physical: PhysicalType, logical: Option<LogicalType>) -> ColumnType {
    ColumnType { physical, logical }
}

#[test]
fn errors_name_the_value_and_what_is_allowed() {
    use ValueForm::{Hexadecimal, Number, Text, Written};

    let bytes = of(PhysicalType::ByteArray, None);
    let uuid = of(PhysicalType::FixedLenByteArray(16), Some(LogicalType::Uuid));
    let int = of(PhysicalType::Int32, None);
    let boolean = of(PhysicalType::Boolean, None);
    for (text, column, form, message) in [
        ("7", boolean, Written, "column of the value must not be Boolean"),
        (
            "7",
            boolean,
            Hexadecimal,
            "column of the value must not be Boolean",
        ),
        (
            "7",
            bytes,
            Written,
            "got none: the file does not say what the bytes of the column are",
        ),
        ("7", bytes, Number, "form of the value must be bytes, text"),
        ("7", int, Text, "got text"),
        (
            "07",
            uuid,
            Hexadecimal,
            "value must be 16 bytes in hexadecimal digits, got \"07\"",
        ),
        (
            "0707070",
            int,
            Hexadecimal,
            "value must be 4 bytes in hexadecimal digits, got \"0707070\"",
        ),
        (
            "2147483648",
            int,
            Number,
            "value must be a whole number that the column can store, got \"2147483648\"",
        ),
    ] {
        let error = Value::parse(text, column, form).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
    let error = Value::from_bytes(&[7], int).unwrap_err();
    assert_eq!(
        error.to_string(),
        "value must be 4 bytes as the column stores them, got \"07\""
    );
    assert_eq!(Value::from_bytes(&[7], boolean), Err(ValueError::Boolean));
    assert_eq!(
        Value::from_bytes(&[7, 0, 0, 0], int),
        Value::parse("7", int, Written)
    );
}

proptest! {
    /// No text makes a parser of any type panic, and bytes are the same value in both ways.
    #[test]
    fn any_text_is_a_value_or_refused(
        text in prop_oneof!["[0-9.:TZ+-]{0,30}", ".{0,30}", "-?[0-9]{1,40}([.][0-9]{1,40})?"],
        len in -1..40_i32,
        scale in -2..2000_i64,
        digits in 0..12_u32,
        bits in 0..70_i64,
        flag in any::<bool>(),
    ) {
        use LogicalType::{Date, Decimal, Float16, Integer, Other, Text, Time, Timestamp, Uuid};
        use PhysicalType::{Boolean, ByteArray, Double, FixedLenByteArray, Float, Int32, Int64, Int96};

        let logical = [Text, Decimal(scale), Date, Time(digits, flag), Timestamp(digits, flag), Integer(bits, flag), Uuid,
            Float16, Other];
        for physical in [Boolean, Int32, Int64, Int96, Float, Double, ByteArray, FixedLenByteArray(len)] {
            for logical in logical.map(Some).into_iter().chain([None]) {
                let column = of(physical, logical);
                for form in [ValueForm::Written, ValueForm::Number, ValueForm::Text, ValueForm::Hexadecimal] {
                    let _ = Value::parse(&text, column, form);
                }
                let digits: String = text.bytes().map(|byte| format!("{byte:02x}")).collect();
                let parsed = Value::parse(&digits, column, ValueForm::Hexadecimal);
                prop_assert_eq!(parsed.ok(), Value::from_bytes(text.as_bytes(), column).ok());
            }
        }
    }
}
