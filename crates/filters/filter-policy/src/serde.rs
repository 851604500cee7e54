//! Filters with the names of their policies, and bits per key, in the formats of `serde`.

use alloc::borrow::ToOwned as _;
use alloc::string::String;
use alloc::vec::Vec;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::error::quoted;
use crate::policies::{self, AnyPolicy};
use crate::{BitsPerKey, FilterPolicy, MATCHES_EVERYTHING, OwnedFilter};

#[derive(Serialize, Deserialize)]
#[serde(rename = "OwnedFilter", expecting = "a filter")]
#[serde(deny_unknown_fields)]
struct Form {
    policy: String,
    #[serde(with = "crate::base64_bytes")]
    bytes: Vec<u8>,
}

/// Writes the name of the policy, `policy`, and the filter, `bytes`: as base64 in formats that people read, such as JSON. Needs
/// the feature `serde`.
///
/// A filter that is [stored under another name](OwnedFilter::stored_as), so that every key may match, is written as
/// [`MATCHES_EVERYTHING`].
impl<P: FilterPolicy, B: AsRef<[u8]>> Serialize for OwnedFilter<P, B> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (policy, own) = (self.policy(), self.bytes());
        let as_written = OwnedFilter::new(policy, own).prepared.same();
        // The policy would deny keys of such a filter.
        let is_foreign = self.prepared.same() == Some(true) && as_written != Some(true);
        let bytes = if is_foreign { &MATCHES_EVERYTHING } else { own };
        let (policy, bytes) = (policy.name().to_owned(), bytes.to_vec());
        Form { policy, bytes }.serialize(serializer)
    }
}

/// Reads the filter with the policy that [`reader`](policies::reader) returns for the name, in a box or an `Arc`. A name that this crate does
/// not know is an error. Any bytes are a filter: no checksum finds damage. Needs the feature `serde`.
///
/// A filter of an engine's own policy is read as a name and bytes, for [`stored_as`](OwnedFilter::stored_as).
impl<'de, P: FilterPolicy + From<AnyPolicy>, B: AsRef<[u8]> + From<Vec<u8>>> Deserialize<'de>
    for OwnedFilter<P, B>
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let form = Form::deserialize(deserializer)?;
        let policy = P::from(policies::reader(&form.policy).map_err(D::Error::custom)?);
        let (allowed, given) = (policy.name(), quoted(&form.policy));
        if allowed != form.policy {
            return Err(D::Error::custom(format_args!(
                "policy name must be {allowed:?}, got {given}"
            )));
        }
        Ok(Self::new(policy, form.bytes.into()))
    }
}

/// Writes the number. Needs the feature `serde`.
impl Serialize for BitsPerKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.get())
    }
}

/// Reads a number, whole or not. Needs the feature `serde`.
impl<'de> Deserialize<'de> for BitsPerKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::fractional(f64::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}
