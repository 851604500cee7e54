//! The kinds of keys, which decide what bytes a line stands for.

use clap::ValueEnum;

/// The kind of key, which decides what bytes a line stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeyKind {
    /// The bytes of the line
    Line,
    /// A decimal number of 64 bits with a sign, as Spark, Guava (longFunnel) and Parquet (INT64) hash it: eight bytes,
    /// the lowest first
    Long,
    /// A decimal number of 32 bits with a sign, as Guava (integerFunnel) and Parquet (INT32) hash it: four bytes, the lowest
    /// first. Spark hashes such numbers as long
    Int,
    /// The bytes of the line, which must be UTF-8
    String,
    /// The bytes that the line gives as hexadecimal digits
    Binary,
    /// The UTF-16 of the line, two bytes a unit, the lower first, as Guava (unencodedCharsFunnel) hashes text
    #[value(name = "utf-16")]
    #[serde(rename = "utf-16")]
    Utf16,
}

impl KeyKind {
    /// Returns the name on the command line and in manifests.
    pub fn name(self) -> String {
        let value = self.to_possible_value();
        value.map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// Returns the kind that a manifest names.
    pub fn named(name: &str) -> Option<Self> {
        Self::from_str(name, false).ok()
    }

    /// Returns the bytes of the key that a line stands for; `bytes` is where they go if they are not in the line.
    pub(crate) fn key<'a>(self, line: &'a [u8], bytes: &'a mut Vec<u8>) -> Result<&'a [u8], String> {
        // Shows what is wrong, and what is around it.
        let wrong = |rule: &str, at: usize| {
            let start = at.saturating_sub(20);
            let end = line.len().min(start + 40);
            let [before, after] =
                [start > 0, end < line.len()].map(|is_cut| ["", "..."][usize::from(is_cut)]);
            let shown = line[start..end].escape_ascii();
            Err(format!("must be {rule}, got \"{before}{shown}{after}\""))
        };
        let first = |is_wrong: fn(&u8) -> bool| line.iter().position(is_wrong).unwrap_or(line.len());
        match self {
            Self::Line => return Ok(line),
            Self::String | Self::Utf16 => {
                // The marks of other encodings would make other keys.
                let rule = "UTF-8 without a byte order mark";
                let text = match str::from_utf8(line) {
                    Err(error) => return wrong(rule, error.valid_up_to()),
                    Ok(text) if text.starts_with('\u{feff}') => return wrong(rule, 0),
                    Ok(text) => text,
                };
                if self == Self::String {
                    return Ok(line);
                }
                bytes.clear();
                bytes.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
            }
            Self::Long | Self::Int => {
                let (length, rule) = match self {
                    Self::Int => (4, "a number between -2147483648 and 2147483647"),
                    _ => (8, "a number between -9223372036854775808 and 9223372036854775807"),
                };
                let text = str::from_utf8(line).ok();
                let number = text.and_then(|text| text.parse::<i64>().ok());
                let fits = |number: &i64| length == 8 || i32::try_from(*number).is_ok();
                let Some(number) = number.filter(fits) else {
                    return wrong(rule, first(|byte| !byte.is_ascii_digit() && *byte != b'-'));
                };
                bytes.clear();
                bytes.extend_from_slice(&number.to_le_bytes()[..length]);
            }
            Self::Binary => {
                bytes.resize(line.len() / 2, 0);
                if hex::decode_to_slice(line, bytes).is_err() {
                    let at = first(|byte| !byte.is_ascii_hexdigit());
                    return wrong("pairs of hexadecimal digits", at);
                }
            }
        }
        Ok(bytes)
    }
}
