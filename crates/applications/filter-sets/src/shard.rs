//! The description of one shard.

use serde::{Deserialize, Serialize};

use crate::error::{Error, ensure};

/// The name of the file in a set's folder.
pub const MANIFEST: &str = "manifest.json";

/// The largest number of shards. A set of so many takes little more time to build than one of a few hundred, and a
/// shard can have gigabytes.
pub const MAX_SHARDS: u32 = 1 << 12;

/// The description of a shard.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shard {
    /// The name of the file in the set's folder.
    pub file: String,
    /// The length of the stored filter. The file has [`Header::LEN`](crate::Header::LEN) bytes before it.
    pub bytes: u64,
    /// The number of different keys; for a merged filter, an upper bound.
    pub keys: u64,
    /// The SHA-256 of the stored filter, in lower-case hexadecimal digits.
    pub sha256: String,
    /// The expected false-positive rate; none if the format has no formula.
    pub rate: Option<f64>,
}

impl Shard {
    /// Checks that the description is consistent.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let Self {
            file, sha256, rate, ..
        } = self;
        ensure(is_plain_name(file), || {
            format!("the file must be a plain name, got {file:?}")
        })?;
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        ensure(sha256.len() == 64 && sha256.bytes().all(is_digit), || {
            "sha256 must be 64 hexadecimal digits in lower case".to_owned()
        })?;
        ensure(rate.is_none_or(|rate| (0.0..=1.0).contains(&rate)), || {
            "the rate must be between 0 and 1".to_owned()
        })
    }
}

/// Returns true if the name stays in the folder on every system.
fn is_plain_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    !name.starts_with('.')
        && (1..=128).contains(&name.len())
        && name.bytes().all(is_plain)
        && name != MANIFEST
}
