//! Translates a value, from text or with its type, into the bytes that a column may store for it.
//!
//! A filter knows bytes alone: a value in another form than the stored one would be denied although it is there. Where writers
//! differ, every form is queried; a value whose stored form is not certain is refused.
//!
//! Source: the Parquet format, `LogicalTypes.md`.

use alloc::borrow::ToOwned as _;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use filter_policy::parquet::{PhysicalValue, SplitBlockFilter};

use crate::column::{ColumnType, LogicalType, PhysicalType};

/// The plain encodings that a value may have in a column, by their hash values. Without any, its bits are unknown, and every
/// filter may match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Value {
    /// Most values have this one alone, without an allocation.
    first: Option<u64>,
    others: Vec<u64>,
}

type Forms = Vec<Vec<u8>>;

/// The form in which a value is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum ValueForm {
    /// As people write a value of the column's type: `7`, `-2.50`, `2026-11-27T12:34:56Z`, text.
    #[default]
    Written,
    /// The whole number that is stored, such as the days of a date.
    Number,
    /// Text, for columns of text and of bytes.
    Text,
    /// The hexadecimal digits of the stored bytes.
    Hexadecimal,
}

impl ValueForm {
    pub(crate) const fn described(self) -> &'static str {
        match self {
            Self::Written => "none: the file does not say what the bytes of the column are",
            Self::Number => "a number",
            Self::Text => "text",
            Self::Hexadecimal => "hexadecimal digits",
        }
    }
}

/// A value with its type, as programs have it. A column may store it in another one.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Typed<'a> {
    /// Text, which in a column of neither text nor bytes is a value as people write it.
    Text(&'a str),
    /// The stored bytes, those of a UUID in either order.
    Bytes(&'a [u8]),
    /// A whole number, divided by ten this many times. In a column of dates or times it is the stored number.
    Number(i128, i64),
    /// A number in floating point, and the number of decimal digits that its type can store for certain: 15 for `f64`.
    Float(f64, u32),
    /// A UUID.
    Uuid([u8; 16]),
    /// The days since 1970 in the Gregorian calendar.
    Date(i128),
    /// The time since midnight in units of this many decimal places of a second, and true if it is in UTC.
    Time(i128, u32, bool),
    /// The time since 1970, with the fields of a time of day.
    Timestamp(i128, u32, bool),
}

impl Typed<'_> {
    /// Returns the value in words, cut to a short text.
    fn described(self) -> String {
        match self {
            Self::Text(text) => text.chars().take(DESCRIBED).collect(),
            Self::Bytes(bytes) => hex::encode(bytes.get(..DESCRIBED / 2).unwrap_or(bytes)),
            other => format!("{other:?}"),
        }
    }
}

/// The most characters of a value in a message.
const DESCRIBED: usize = 100;

/// The reason why a value cannot be looked up in a column.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ValueError {
    /// The column is a Boolean one.
    #[error("column of the value must not be Boolean: Parquet files have no filters for those")]
    Boolean,
    /// A value of the column cannot be given in this form.
    #[error(
        "form of the value must be bytes, text (for a column of text) or a number (for one of numbers), got {}",
        given.described()
    )]
    Form {
        /// The given form.
        given: ValueForm,
    },
    /// The value is none of the column's type.
    #[error("value must be {expected}, got {given:?}")]
    Value {
        /// The values that are allowed, in words.
        expected: String,
        /// The beginning of the given value, of bytes their hexadecimal digits.
        given: String,
    },
}

/// A decimal number in a byte array is queried in every length up to this one, which is that of 76 digits: the format only
/// recommends the fewest bytes.
const DECIMAL_BYTES: usize = 32;
/// The longest array of fixed length in which a number is looked up; more bytes could exhaust memory.
const FIXED_BYTES: usize = 1024;
/// 1582-10-15, in days from 1970-01-01. Hive and Spark 2 store earlier dates by the Julian calendar.
const GREGORIAN: i128 = -141_427;
/// 1900-01-01, in days from 1970-01-01. Hive and Spark 2 shift earlier times by calendar and local mean time.
const CERTAIN_TIMES: i128 = -25_567;
/// The seconds of a day.
const DAY: i128 = 86_400;

impl Value {
    /// Parses a value of a column of this type.
    ///
    /// # Errors
    ///
    /// [`ValueError`] if the text is no value of the column, or if its stored form is not certain.
    pub fn parse(text: &str, column: ColumnType, form: ValueForm) -> Result<Self, ValueError> {
        let (expected, forms) = match form {
            _ if column.physical == PhysicalType::Boolean => Err(ValueError::Boolean),
            ValueForm::Written => written(Typed::Text(text), column),
            ValueForm::Number => number(text, column),
            ValueForm::Text => plain(text, column),
            ValueForm::Hexadecimal => Ok(bytes(hex::decode(text).ok(), column, "in hexadecimal digits")),
        }?;
        or_refused(forms, expected, Typed::Text(text))
    }

    /// Returns a value of a column of this type from one with its own type.
    ///
    /// # Errors
    ///
    /// [`ValueError`] if no value of the column is equal to it, or if its stored form is not certain.
    pub fn of(value: Typed<'_>, column: ColumnType) -> Result<Self, ValueError> {
        use PhysicalType::{ByteArray, FixedLenByteArray};

        let ColumnType { physical, logical } = column;
        let (expected, forms) = match (value, physical, logical) {
            (Typed::Bytes(stored), FixedLenByteArray(16), Some(LogicalType::Uuid)) => {
                in_both_orders(bytes(Some(stored.to_vec()), column, "of a UUID"))
            }
            (Typed::Bytes(stored), ..) => return Self::from_bytes(stored, column),
            (_, FixedLenByteArray(16), None) if !matches!(value, Typed::Text(text) if text.len() == 16) => {
                let rule =
                    "the 16 stored bytes (of a UUID there are two orders, and the column does not say which)";
                (rule.to_owned(), None)
            }
            // Text of this length, or twice as many hexadecimal digits.
            (Typed::Text(text), ByteArray | FixedLenByteArray(_), None) => match plain(text, column)? {
                (_, None) => written(value, column)?,
                parsed => parsed,
            },
            (_, ByteArray, None) => ("text or bytes".to_owned(), None),
            (_, PhysicalType::Int96, None) if !matches!(value, Typed::Text(_)) => {
                let rule =
                    "the 12 stored bytes (INT96 is an old form of times, in a zone that no file states)";
                (rule.to_owned(), None)
            }
            _ => written(value, column)?,
        };
        or_refused(forms, expected, value)
    }

    /// Returns the value that a column of this type stores as these bytes, its plain encoding without a length.
    ///
    /// # Errors
    ///
    /// [`ValueError`] if values of the column have another length, or are Booleans.
    pub fn from_bytes(stored: &[u8], column: ColumnType) -> Result<Self, ValueError> {
        if column.physical == PhysicalType::Boolean {
            return Err(ValueError::Boolean);
        }
        let (expected, forms) = bytes(Some(stored.to_vec()), column, "as the column stores them");
        or_refused(forms, expected, Typed::Bytes(stored))
    }

    pub(crate) fn may_match(&self, filter: &SplitBlockFilter<'_>) -> bool {
        let mut hashes = self.first.iter().chain(&self.others);
        self.first.is_none() || hashes.any(|hash| filter.may_match_raw_hash(*hash))
    }
}

/// The form that a value must have, in words, and its encodings if it has that form.
type Parsed = (String, Option<Forms>);

fn or_refused(forms: Option<Forms>, expected: String, given: Typed<'_>) -> Result<Value, ValueError> {
    let Some(forms) = forms else {
        let given = given.described();
        return Err(ValueError::Value { expected, given });
    };
    let mut hashes = forms.iter().map(|form| PhysicalValue::ByteArray(form).hash());
    Ok(Value {
        first: hashes.next(),
        others: hashes.collect(),
    })
}

/// Takes bytes as they are stored.
fn bytes(bytes: Option<Vec<u8>>, column: ColumnType, what: &str) -> Parsed {
    use PhysicalType::{Boolean, ByteArray, Double, FixedLenByteArray, Float, Int32, Int64, Int96};

    let len = match column.physical {
        Int32 | Float => Some(4),
        Int64 | Double => Some(8),
        Int96 => Some(12),
        FixedLenByteArray(len) => usize::try_from(len).ok(),
        ByteArray | Boolean => None,
    };
    let fits = |bytes: &Vec<u8>| len.is_none_or(|len| bytes.len() == len);
    let count = len.map_or_else(String::new, |len| format!("{len} "));
    let forms = bytes.filter(fits).map(|bytes| vec![bytes]);
    (format!("{count}bytes {what}"), forms)
}

/// Parses text for a column of text, or of bytes of which the file says nothing.
fn plain(text: &str, column: ColumnType) -> Result<Parsed, ValueError> {
    use PhysicalType::{ByteArray, FixedLenByteArray};

    match (column.physical, column.logical) {
        (ByteArray | FixedLenByteArray(_), None | Some(LogicalType::Text)) => {
            Ok(bytes(Some(text.into()), column, "of text"))
        }
        _ => Err(ValueError::Form {
            given: ValueForm::Text,
        }),
    }
}

/// Parses a number that is stored as it is.
fn number(text: &str, ColumnType { physical, logical }: ColumnType) -> Result<Parsed, ValueError> {
    match (physical, logical) {
        (PhysicalType::Int32 | PhysicalType::Int64, _) | (_, Some(LogicalType::Decimal(_))) => {
            let forms = text.parse().ok().and_then(|number| encoded(number, physical));
            Ok(("a whole number that the column can store".to_owned(), forms))
        }
        _ => Err(ValueError::Form {
            given: ValueForm::Number,
        }),
    }
}

/// Translates a value that is given as people write it, or with its type.
fn written(value: Typed<'_>, column: ColumnType) -> Result<Parsed, ValueError> {
    use LogicalType::{Date, Decimal, Float16, Integer, Text, Time, Timestamp, Uuid};
    use PhysicalType::{ByteArray, Double, FixedLenByteArray, Float, Int32, Int64, Int96};

    let ColumnType { physical, logical } = column;
    let encode = |number: Option<i128>| encoded(number?, physical);
    let hexadecimal = || match value {
        Typed::Text(text) => hex::decode(text).ok(),
        _ => None,
    };
    let times = |form: &str, is_utc, digits| {
        let zone = if is_utc { "Z" } else { "" };
        format!("a time {form}{zone} with at most {digits} decimal places, or the stored number")
    };
    let width = if physical == Int32 { 32 } else { 64 };
    Ok(match (logical, physical) {
        (Some(Text), ByteArray | FixedLenByteArray(_)) => match value {
            Typed::Text(text) => plain(text, column)?,
            _ => ("text".to_owned(), None),
        },
        (Some(Decimal(scale)), Int32 | Int64 | ByteArray | FixedLenByteArray(_)) => {
            let rule = format!("a number that the column can store, with at most {scale} decimal places");
            (rule, encode(unscaled(value, scale)))
        }
        (Some(Date), Int32) => {
            // A longer number is rather a date without hyphens.
            let days = whole(value).filter(|days| (-719_528..=2_932_896).contains(days));
            let rule = "a date as in 2026-11-27, not before 1582-10-15 (some writers store those by the Julian calendar), or \
                        the stored number of days, of the years 0 to 9999";
            (rule.to_owned(), encode(date(value).or(days)))
        }
        (Some(Time(digits @ 3, is_utc)), Int32) | (Some(Time(digits @ (6 | 9), is_utc)), Int64) => {
            let time = time(value, digits, is_utc);
            (
                times("as in 12:34:56", is_utc, digits),
                encode(time.or_else(|| whole(value))),
            )
        }
        (Some(Timestamp(digits @ (3 | 6 | 9), is_utc)), Int64) => {
            let rule = times("since 1900 as in 2026-11-27T12:34:56", is_utc, digits);
            (
                rule,
                encode(timestamp(value, digits, is_utc).or_else(|| whole(value))),
            )
        }
        // Files of old writers do not say whether numbers have a sign.
        (None, Int32 | Int64) => integer(value, width, width, false),
        (Some(Integer(bits @ (8 | 16 | 32 | 64), is_signed)), Int32 | Int64) if bits <= width => {
            integer(value, width, bits, is_signed)
        }
        // Some programs round to a double first.
        (None, Float) => floating(value, |double, single| {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "rounded to the type of the column"
            )]
            let rounded = double as f32;
            [rounded, single].map(|near| near.to_le_bytes().to_vec()).to_vec()
        }),
        (None, Double) => floating(value, |double, _| vec![double.to_le_bytes().to_vec()]),
        (Some(Float16), FixedLenByteArray(2)) => floating(value, |double, _| halves(double)),
        (Some(Uuid), FixedLenByteArray(16)) => {
            let stored = match value {
                Typed::Uuid(uuid) => Some(uuid.to_vec()),
                Typed::Text(text) => hex::decode(text.replace('-', "")).ok(),
                _ => None,
            };
            in_both_orders(bytes(stored, column, "of a UUID, in hexadecimal digits"))
        }
        // Digits for 16 bytes may be a UUID, whose order of bytes is not certain.
        (None, FixedLenByteArray(len)) if len != 16 => bytes(hexadecimal(), column, "in hexadecimal digits"),
        (None, Int96) => bytes(hexadecimal(), column, "in hexadecimal digits"),
        _ => {
            return Err(ValueError::Form {
                given: ValueForm::Written,
            });
        }
    })
}

/// Parses a whole number of a type of so many bits, which a column stores in `width` bits.
fn integer(value: Typed<'_>, width: i64, bits: i64, is_signed: bool) -> Parsed {
    let half = 1_i128 << (bits - 1);
    // The bits of a number without a sign are stored, and may be given.
    let low = if is_signed || bits == width { -half } else { 0 };
    let high = if is_signed { half - 1 } else { 2 * half - 1 };
    let number = whole(value).filter(|number| (low..=high).contains(number));
    let len = if width == 32 { 4 } else { 8 };
    let forms = number.map(|number| vec![number.to_le_bytes().into_iter().take(len).collect()]);
    (format!("a whole number between {low} and {high}"), forms)
}

/// Returns the encodings of a whole number that a column can store, such as the unscaled number of a decimal.
fn encoded(number: i128, physical: PhysicalType) -> Option<Forms> {
    let lens = match physical {
        PhysicalType::Int32 => return Some(vec![i32::try_from(number).ok()?.to_le_bytes().to_vec()]),
        PhysicalType::Int64 => return Some(vec![i64::try_from(number).ok()?.to_le_bytes().to_vec()]),
        PhysicalType::ByteArray => 0..=DECIMAL_BYTES,
        PhysicalType::FixedLenByteArray(len) => {
            let len = usize::try_from(len).ok().filter(|&len| len < FIXED_BYTES)?;
            len..=len
        }
        _ => return None,
    };
    let forms: Forms = lens.filter_map(|len| big_endian(number, len)).collect();
    (!forms.is_empty()).then_some(forms)
}

/// Returns a number in two's complement, the highest byte first, if it fits into this many bytes.
fn big_endian(number: i128, len: usize) -> Option<Vec<u8>> {
    let bytes = number.to_be_bytes();
    let sign = if number < 0 { 0xff } else { 0 };
    let (cut, kept) = bytes.split_at(bytes.len().saturating_sub(len));
    let has_sign = kept.first().map_or(number == 0, |first| (first ^ sign) < 0x80);
    let fits = has_sign && cut.iter().all(|&byte| byte == sign);
    fits.then(|| [&vec![sign; len - kept.len()], kept].concat())
}

/// Returns the whole number that a value is.
fn whole(value: Typed<'_>) -> Option<i128> {
    match value {
        Typed::Text(text) => text.parse().ok(),
        Typed::Number(number, scale) => scaled(number, -i128::from(scale)),
        _ => None,
    }
}

/// Returns a number times a power of ten, if that is a whole number.
fn scaled(number: i128, exponent: i128) -> Option<i128> {
    let power = u32::try_from(exponent.unsigned_abs())
        .ok()
        .and_then(|exponent| 10_i128.checked_pow(exponent));
    match power {
        _ if number == 0 => Some(0),
        Some(power) if exponent < 0 => (number % power == 0).then_some(number / power),
        power => number.checked_mul(power?),
    }
}

/// Returns the whole number that a number in decimal is without its point, at a scale.
fn unscaled(value: Typed<'_>, scale: i64) -> Option<i128> {
    match value {
        Typed::Text(text) => unscaled_text(text, scale),
        Typed::Number(number, from) => scaled(number, i128::from(scale) - i128::from(from)),
        // With more digits, other decimal numbers have the same nearest one in floating point.
        Typed::Float(number, digits) => {
            let unscaled = unscaled_text(&format!("{number}"), scale);
            unscaled.filter(|unscaled| {
                10_u128
                    .checked_pow(digits)
                    .is_none_or(|end| unscaled.unsigned_abs() < end)
            })
        }
        _ => None,
    }
}

/// Returns the whole number that a decimal number is without its point, at a scale.
fn unscaled_text(text: &str, scale: i64) -> Option<i128> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let fraction = fraction.trim_end_matches('0');
    let scale = usize::try_from(scale).ok().filter(|&scale| scale < 1024)?;
    let zeros = scale.checked_sub(fraction.len())?;
    let are_digits = fraction.bytes().all(|byte| byte.is_ascii_digit());
    let number = format!("{whole}{fraction}{}", "0".repeat(zeros)).parse().ok();
    number.filter(|_| are_digits && text.bytes().any(|byte| byte.is_ascii_digit()))
}

/// Translates a number in floating point: both zeros, and no encoding of a NaN, whose bits are unknown.
fn floating(value: Typed<'_>, encode: impl Fn(f64, f32) -> Forms) -> Parsed {
    let parsed = |text: &str| Some((text.parse::<f64>().ok()?, text.parse::<f32>().ok()?));
    let nearest = match value {
        Typed::Text(text) => parsed(text),
        Typed::Number(number, scale) => {
            parsed(&format!("{number}e{}", -i128::from(scale))).filter(|(double, _)| double.is_finite())
        }
        #[expect(clippy::cast_possible_truncation, reason = "rounded")]
        Typed::Float(number, _) => Some((number, number as f32)),
        _ => None,
    };
    let forms = nearest.map(|(double, single)| match double {
        0.0 => [encode(0.0, 0.0), encode(-0.0, -0.0)].concat(),
        _ if double.is_nan() => Vec::new(),
        _ => encode(double, single),
    });
    ("a number".to_owned(), forms)
}

/// Returns the halves that are nearest to a number: two if it lies in the middle, where programs that round to a single first
/// come to either.
fn halves(value: f64) -> Forms {
    const INFINITY: u16 = 0x7c00;
    // Infinity follows the largest number as if it were the next one.
    let number = |bits: u16| match bits >> 10 {
        0 => libm::ldexp(bits.into(), -24),
        exponent => libm::ldexp((1024 + (bits & 0x3ff)).into(), i32::from(exponent) - 25),
    };
    let magnitude = value.abs().min(number(INFINITY));
    let below = (0..15).rev().fold(0, |bits: u16, place| {
        let next = bits | 1 << place;
        if next <= INFINITY && number(next) <= magnitude {
            next
        } else {
            bits
        }
    });
    let distance = |bits: u16| (number(bits) - magnitude).abs();
    let neighbours = [below, (below + 1).min(INFINITY)];
    let least = distance(below).min(distance(neighbours[1]));
    let nearest = neighbours
        .into_iter()
        .filter(|&bits| distance(bits) <= 1.001 * least);
    let sign = u16::from(value.is_sign_negative()) << 15;
    nearest.map(|bits| (sign | bits).to_le_bytes().to_vec()).collect()
}

/// Adds the order of a UUID's bytes in Windows, which versions of Parquet.Net wrote, to that of the format.
fn in_both_orders((expected, forms): Parsed) -> Parsed {
    let both = |bytes: Vec<u8>| {
        let mut other = bytes.clone();
        for part in [0..4, 4..6, 6..8] {
            other.get_mut(part).into_iter().for_each(<[u8]>::reverse);
        }
        [bytes, other]
    };
    (
        expected,
        forms.map(|forms| forms.into_iter().flat_map(both).collect()),
    )
}

/// Returns three numbers of at least two digits, which separators divide.
fn three(text: &str, separator: char) -> Option<[i128; 3]> {
    let number = |part: &str| {
        let are_digits = (2..8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
        part.parse().ok().filter(|_| are_digits)
    };
    let numbers: Option<Vec<i128>> = text.split(separator).map(number).collect();
    numbers?.try_into().ok()
}

/// Returns the days from 1970-01-01 to a date in the Gregorian calendar.
fn days([year, month, day]: [i128; 3]) -> i128 {
    // Years begin in March, so that their last day is the leap day.
    let (year, month) = (year - i128::from(month <= 2), (month + 9) % 12);
    let left_out = year.div_euclid(100) - year.div_euclid(400);
    365 * year + year.div_euclid(4) - left_out + (153 * month + 2) / 5 + day - 719_469
}

/// Parses a date; returns the days from 1970-01-01 to it in the Gregorian calendar.
fn written_date(text: &str) -> Option<i128> {
    let [year, month, day] = three(text, '-').filter(|_| text.find('-') >= Some(4))?;
    let date = days([year, month, day]);
    let is_there = day >= 1 && date < days([year, month + 1, 1]);
    ((1..=12).contains(&month) && is_there).then_some(date)
}

/// Returns the days from 1970-01-01 to a date, if its calendar is certain.
fn date(value: Typed<'_>) -> Option<i128> {
    let date = match value {
        Typed::Text(text) => written_date(text)?,
        Typed::Date(days) => days,
        // Midnight.
        Typed::Timestamp(time, digits, false) => scaled(time, -i128::from(digits))
            .filter(|seconds| seconds % DAY == 0)?
            .div_euclid(DAY),
        _ => return None,
    };
    (date >= GREGORIAN).then_some(date)
}

/// Returns the time since midnight in units of this many decimal places of a second.
fn time(value: Typed<'_>, digits: u32, is_utc: bool) -> Option<i128> {
    match value {
        // A time of day is the same with and without a zone.
        Typed::Text(text) => time_of_day(text.strip_suffix('Z').filter(|_| is_utc).unwrap_or(text), digits),
        Typed::Time(time, from, in_utc) if is_utc || !in_utc => {
            scaled(time, i128::from(digits) - i128::from(from))
        }
        _ => None,
    }
}

/// Parses a time of day.
fn time_of_day(text: &str, digits: u32) -> Option<i128> {
    let (clock, fraction) = text.split_once('.').unwrap_or((text, ""));
    let [hours @ 0..24, minutes @ 0..60, seconds @ 0..60] = three(clock, ':')? else {
        return None;
    };
    let seconds = (hours * 60 + minutes) * 60 + seconds;
    unscaled_text(&format!("{seconds}.{fraction}"), digits.into())
}

/// Returns the time since 1970 in units of this many decimal places of a second.
fn timestamp(value: Typed<'_>, digits: u32, is_utc: bool) -> Option<i128> {
    let (time, in_utc) = match value {
        Typed::Text(text) => written_timestamp(text, digits)?,
        Typed::Timestamp(time, from, in_utc) => {
            (scaled(time, i128::from(digits) - i128::from(from))?, in_utc)
        }
        _ => return None,
    };
    let is_certain = time >= CERTAIN_TIMES * DAY * 10_i128.pow(digits);
    (in_utc == is_utc && is_certain).then_some(time)
}

/// Parses a time since 1970; returns true if it has a zone.
fn written_timestamp(text: &str, digits: u32) -> Option<(i128, bool)> {
    let (day, time) = text.split_once(['T', ' '])?;
    let (clock, zone) = time.split_at(time.find(['Z', '+', '-']).unwrap_or(time.len()));
    let seconds_east = match zone.split_at_checked(1) {
        None | Some(("Z", "")) => 0,
        Some((sign @ ("+" | "-"), hours)) if hours.len() <= 5 => {
            let seconds = time_of_day(format!("{hours}:00:00").get(..8)?, 0)?;
            if sign == "-" { -seconds } else { seconds }
        }
        _ => return None,
    };
    let seconds = written_date(day)? * DAY - seconds_east;
    let time = seconds * 10_i128.pow(digits) + time_of_day(clock, digits)?;
    Some((time, !zone.is_empty()))
}
