//! Bytes in the formats of `serde`: as base64 in formats that people read, such as JSON, and as they are in others. Needs the
//! feature `serde`.
//!
//! ```
//! # #[cfg(feature = "serde")] {
//! #[derive(serde::Serialize, serde::Deserialize)]
//! struct Block {
//!     #[serde(with = "filter_policy::base64_bytes")]
//!     filter: Vec<u8>,
//! }
//!
//! let text = serde_json::to_string(&Block { filter: b"bits".to_vec() })?;
//! assert_eq!(text, r#"{"filter":"Yml0cw=="}"#);
//! assert_eq!(serde_json::from_str::<Block>(&text)?.filter, b"bits");
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use alloc::vec::Vec;
use core::fmt;

use base64::display::Base64Display;
use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde::de::{Error, Visitor};
use serde::{Deserializer, Serializer};

/// Writes bytes.
pub fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    match serializer.is_human_readable() {
        true => serializer.collect_str(&Base64Display::new(bytes, &BASE64_STANDARD)),
        false => serializer.serialize_bytes(bytes),
    }
}

/// Reads bytes.
///
/// # Errors
///
/// The errors of the format, and an error for a text that is no base64.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    match deserializer.is_human_readable() {
        true => deserializer.deserialize_string(Bytes),
        false => deserializer.deserialize_byte_buf(Bytes),
    }
}

/// Takes text and bytes from every format, because `serde` buffers all as if people read them.
struct Bytes;

impl Visitor<'_> for Bytes {
    type Value = Vec<u8>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("bytes, or their base64")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Vec<u8>, E> {
        let error = |error| E::custom(format_args!("the bytes must be base64, got a text with: {error}"));
        BASE64_STANDARD.decode(text).map_err(error)
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
        Ok(bytes.to_vec())
    }
}
