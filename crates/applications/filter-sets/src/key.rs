//! Keys in the forms in which callers have them, and the bytes that filters hash.

use std::fmt;

use membership_filters::Encoding;

use crate::error::Error;

/// A key: bytes, text or an integer. References to bytes and text convert to it, and so does `i64`.
///
/// The [encoding](crate::StoredFormat::encoding) of the format says what the keys of a filter are:
///
/// | encoding | bytes | text | integers |
/// |---|---|---|---|
/// | [`BYTES`](Encoding::BYTES) | as they are | its UTF-8 | |
/// | [`INT64`](Encoding::INT64) | eight, the lowest first | | all |
/// | [`INT32`](Encoding::INT32) | four, the lowest first | | of 32 bits |
/// | [`UTF16_UNITS`](Encoding::UTF16_UNITS) | two a unit, the lower first | its UTF-16 | |
/// | another | as they are | | |
///
/// A key in another form cannot be inserted. It may be contained, because a caller who has it in that form has mistaken
/// the filter. A query also takes eight or four bytes that are digits, or a sign and digits, for the
/// text of a number.
///
/// ```
/// use filter_sets::{Builder, Size, StoredFormat};
/// use membership_filters::Encoding;
///
/// let format = StoredFormat::named("bloom64")?.encoding(Encoding::INT64);
/// let mut building = Builder::new(format, Size::Rate(1e-9)).in_memory()?;
/// building.insert(7)?;
/// building.insert(&8_u64.to_le_bytes())?;
/// assert!(building.insert("9").is_err());
/// let filter = building.finish(&|_| true)?;
/// assert_eq!(filter.contains_many([7, 8, 9]), [true, true, false]);
/// assert!(filter.contains("10"), "is never denied");
/// # Ok::<(), filter_sets::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SetKey<'k> {
    /// The bytes of a key in the encoding of the filter.
    Bytes(&'k [u8]),
    /// The bytes of a key that the caller has encoded. A query does not take them for the digits of a number.
    Encoded(&'k [u8]),
    /// A text.
    Text(&'k str),
    /// An integer.
    Integer(i64),
}

impl<'k> From<&'k [u8]> for SetKey<'k> {
    #[inline]
    fn from(bytes: &'k [u8]) -> Self {
        Self::Bytes(bytes)
    }
}

impl<'k, const N: usize> From<&'k [u8; N]> for SetKey<'k> {
    #[inline]
    fn from(bytes: &'k [u8; N]) -> Self {
        Self::Bytes(bytes)
    }
}

impl<'k> From<&'k Vec<u8>> for SetKey<'k> {
    #[inline]
    fn from(bytes: &'k Vec<u8>) -> Self {
        Self::Bytes(bytes)
    }
}

impl<'k> From<&'k str> for SetKey<'k> {
    #[inline]
    fn from(text: &'k str) -> Self {
        Self::Text(text)
    }
}

impl<'k> From<&'k String> for SetKey<'k> {
    #[inline]
    fn from(text: &'k String) -> Self {
        Self::Text(text)
    }
}

impl From<i64> for SetKey<'_> {
    #[inline]
    fn from(integer: i64) -> Self {
        Self::Integer(integer)
    }
}

impl<'k> From<&&'k [u8]> for SetKey<'k> {
    #[inline]
    fn from(bytes: &&'k [u8]) -> Self {
        Self::Bytes(bytes)
    }
}

impl<'k> From<&&'k str> for SetKey<'k> {
    #[inline]
    fn from(text: &&'k str) -> Self {
        Self::Text(text)
    }
}

impl fmt::Display for SetKey<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(bytes) | Self::Encoded(bytes) => write!(f, "the bytes \"{}\"", bytes.escape_ascii()),
            Self::Text(text) => write!(f, "the text {text:?}"),
            Self::Integer(integer) => write!(f, "the integer {integer}"),
        }
    }
}

/// The bytes of a key in the encoding of a filter.
pub(crate) enum KeyBytes<'k> {
    Given(&'k [u8]),
    Int64([u8; 8]),
    Int32([u8; 4]),
    Units(Vec<u8>),
}

impl AsRef<[u8]> for KeyBytes<'_> {
    #[inline]
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::Given(bytes) => bytes,
            Self::Int64(bytes) => bytes,
            Self::Int32(bytes) => bytes,
            Self::Units(bytes) => bytes,
        }
    }
}

impl<'k> SetKey<'k> {
    /// Returns the bytes of a key that is inserted, or an error if keys of this encoding have another form.
    #[inline]
    pub(crate) fn inserted(self, encoding: Encoding) -> Result<KeyBytes<'k>, Error> {
        self.encoded(encoding).ok_or_else(|| {
            let form = match encoding {
                Encoding::BYTES => "bytes or text",
                Encoding::INT64 => "an integer or its 8 bytes",
                Encoding::INT32 => "an integer between -2147483648 and 2147483647 or its 4 bytes",
                Encoding::UTF16_UNITS => "text or the 2 bytes of each of its UTF-16 units",
                _ => "bytes",
            };
            Error::argument(format_args!(
                "the key must be {form}, because the filter's keys are {encoding}, got {self}"
            ))
        })
    }

    /// Returns the bytes of a key that is looked up; none for a key that was never inserted in this form. Digits, also behind a
    /// sign, are taken for the text of a number, even where they are as many as a number has bytes.
    #[inline]
    pub(crate) fn queried(self, encoding: Encoding) -> Option<KeyBytes<'k>> {
        let is_digits = |bytes: &[u8]| match bytes {
            [b'-' | b'+', digits @ ..] | digits => digits.iter().all(u8::is_ascii_digit),
        };
        match (self, encoding) {
            (Self::Bytes(bytes), Encoding::INT64 | Encoding::INT32) if is_digits(bytes) => None,
            _ => self.encoded(encoding),
        }
    }

    #[inline]
    fn encoded(self, encoding: Encoding) -> Option<KeyBytes<'k>> {
        match (self, encoding) {
            (Self::Bytes(bytes) | Self::Encoded(bytes), _) => {
                let fits = match encoding {
                    Encoding::INT64 => bytes.len() == 8,
                    Encoding::INT32 => bytes.len() == 4,
                    Encoding::UTF16_UNITS => bytes.len().is_multiple_of(2),
                    _ => true,
                };
                fits.then_some(KeyBytes::Given(bytes))
            }
            (Self::Text(text), Encoding::BYTES) => Some(KeyBytes::Given(text.as_bytes())),
            (Self::Text(text), Encoding::UTF16_UNITS) => Some(KeyBytes::Units(
                text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            )),
            (Self::Integer(integer), Encoding::INT64) => Some(KeyBytes::Int64(integer.to_le_bytes())),
            (Self::Integer(integer), Encoding::INT32) => {
                let integer = i32::try_from(integer).ok()?;
                Some(KeyBytes::Int32(integer.to_le_bytes()))
            }
            _ => None,
        }
    }
}

/// Returns the encoding of keys of this kind, if the kind states it.
pub(crate) fn encoding_of(kind: &str) -> Option<Encoding> {
    match kind {
        "long" => Some(Encoding::INT64),
        "int" => Some(Encoding::INT32),
        "utf-16" => Some(Encoding::UTF16_UNITS),
        _ => None,
    }
}

/// Returns the kind of keys of this encoding, as headers state it.
pub(crate) const fn kind_of(encoding: Encoding) -> &'static str {
    match encoding {
        Encoding::INT64 => "long",
        Encoding::INT32 => "int",
        Encoding::UTF16_UNITS => "utf-16",
        _ => "line",
    }
}
