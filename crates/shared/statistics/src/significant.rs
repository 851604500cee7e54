//! The number format of records: nine significant digits.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serializer};

/// Rounds `value` to nine significant digits.
pub fn round(value: f64) -> f64 {
    if !value.is_finite() || value == 0.0 {
        return value;
    }
    // The formatter rounds correctly, and its output always parses.
    format!("{value:.8e}").parse().unwrap_or(value)
}

/// Serializes a number rounded to nine significant digits.
pub fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(round(*value))
}

/// Deserializes a number; NaN and infinities are errors.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let value = f64::deserialize(deserializer)?;
    if value.is_finite() {
        Ok(value)
    } else {
        Err(D::Error::custom(format!("a number must be finite, got {value}")))
    }
}
