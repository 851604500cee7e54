//! Numbers with nine significant digits, as records hold them.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serializer};

/// `value` rounded to nine significant digits.
pub fn round(value: f64) -> f64 {
    if !value.is_finite() || value == 0.0 {
        return value;
    }
    // The formatter rounds correctly; the text it gives always parses.
    format!("{value:.8e}").parse().unwrap_or(value)
}

/// Writes the rounded number.
pub fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(round(*value))
}

/// Reads a finite number.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let value = f64::deserialize(deserializer)?;
    if value.is_finite() {
        Ok(value)
    } else {
        Err(D::Error::custom(format!("a number must be finite, got {value}")))
    }
}
