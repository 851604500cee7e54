//! Values of columns, of which the tests of the program `samebits` look up all kinds.

use filter_parquet::{ColumnType, LogicalType, PhysicalType, Typed, Value, ValueError, ValueForm};
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

#[test]
fn values_with_types_are_those_that_people_write() {
    use LogicalType::{Date, Decimal, Float16, Time, Timestamp, Uuid};
    use PhysicalType::{ByteArray, Double, FixedLenByteArray, Float, Int32, Int64, Int96};

    let uuid = of(FixedLenByteArray(16), Some(Uuid));
    let decimal = of(Int64, Some(Decimal(4)));
    let [date, time] = [Date, Time(3, true)].map(|logical| of(Int32, Some(logical)));
    let [utc, local] = [true, false].map(|is_utc| of(Int64, Some(Timestamp(9, is_utc))));
    for (value, column, text) in [
        (Typed::Number(-7, 0), of(Int32, None), "-7"),
        (Typed::Number(700, 2), of(Int64, None), "7"),
        (Typed::Number(15, 1), decimal, "1.5"),
        (Typed::Number(7, 0), decimal, "7"),
        (Typed::Float(1234.5, 15), decimal, "1234.5"),
        (Typed::Float(-0.0, 15), of(Double, None), "0.0"),
        (Typed::Number(1, 1), of(Float, None), "0.1"),
        (
            Typed::Number(3, 0),
            of(FixedLenByteArray(2), Some(Float16)),
            "3.0",
        ),
        (Typed::Uuid([7; 16]), uuid, "07070707-0707-0707-0707-070707070707"),
        (Typed::Date(-141_427), date, "1582-10-15"),
        (Typed::Timestamp(86_400_000, 3, false), date, "1970-01-02"),
        (Typed::Time(1_500, 3, false), time, "00:00:01.5Z"),
        (
            Typed::Timestamp(-1_000_001, 6, true),
            utc,
            "1969-12-31T23:59:58.999999Z",
        ),
        (Typed::Timestamp(7, 0, false), local, "1970-01-01 00:00:07"),
    ] {
        let written = Value::parse(text, column, ValueForm::Written).unwrap();
        assert_eq!(Value::of(value, column), Ok(written), "{value:?}");
        assert_eq!(Value::of(Typed::Text(text), column), Value::of(value, column));
    }
    for (value, column) in [
        (Typed::Number(10_i128.pow(31), 0), uuid),
        (Typed::Number(i128::MAX, 0), decimal),
        (Typed::Float(130_128_727_134.5, 15), decimal),
        (Typed::Float(f64::INFINITY, 15), decimal),
        (Typed::Number(1, i64::MIN), decimal),
        (Typed::Number(1, -400), of(Double, None)),
        (Typed::Float(7.0, 15), of(Int32, None)),
        (Typed::Timestamp(7, 9, false), utc),
        (Typed::Timestamp(i128::MIN, u32::MAX, true), utc),
        (Typed::Time(7, 3, true), of(Int32, Some(Time(3, false)))),
        (Typed::Time(7, 6, true), time),
        (Typed::Date(i128::MAX), date),
        (Typed::Date(-141_428), date),
        (Typed::Text("1582-10-14"), date),
        (Typed::Date(7), local),
        (Typed::Uuid([7; 16]), of(FixedLenByteArray(16), None)),
        (
            Typed::Text("07070707-0707-0707-0707-070707070707"),
            of(FixedLenByteArray(16), None),
        ),
        (
            Typed::Text("07070707070707070707070707070707"),
            of(FixedLenByteArray(16), None),
        ),
        (Typed::Uuid([7; 16]), of(ByteArray, None)),
        (Typed::Timestamp(7, 9, true), of(Int96, None)),
        (Typed::Text(&"7".repeat(1000)), of(Int64, None)),
    ] {
        let error = Value::of(value, column).unwrap_err().to_string();
        assert!(
            error.starts_with("value must be ") && error.len() < 300,
            "{error}"
        );
    }
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
