//! Filters in the formats of `serde`.

use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::backend::Backend;
use crate::envelope;
use crate::kinds::{self, AnyKind};
use crate::stored::invalid;
use crate::{Error, Filter, HashId, Hashing};

#[derive(Serialize, Deserialize)]
#[serde(rename = "Filter", expecting = "a filter")]
#[serde(deny_unknown_fields)]
struct Form {
    kind: String,
    funnel: String,
    #[serde(with = "filter_policy::base64_bytes")]
    bytes: Vec<u8>,
}

impl Form {
    fn read<B: Backend, F: Hashing, A>(&self, funnel: F) -> Result<Filter<B, F, A>, Error> {
        let filter: Filter<B, F, A> = envelope::from_bytes(&self.bytes, funnel, kinds::describe)?;
        check("the kind", kind_of::<B>(&self.bytes), &self.kind)?;
        check(
            "the funnel",
            filter.funnel.hash_id().to_string().as_str(),
            &self.funnel,
        )?;
        Ok(filter)
    }
}

/// Returns the name of the kind of these bytes, whatever their hash, which the funnel names; of a kind that is not listed,
/// that of the alias.
fn kind_of<B: Backend>(bytes: &[u8]) -> &'static str {
    let of_backend = |kind: &&&dyn AnyKind| {
        let is_enveloped = kind.form() == kinds::Form::Envelope && bytes.starts_with(&kind.magic());
        is_enveloped || kind.recognise(bytes, bytes.len() as u64).is_some()
    };
    let listed = kinds::ALL
        .iter()
        .find(of_backend)
        .filter(|_| bytes.starts_with(&B::MAGIC));
    listed.map_or(B::NAME, |kind| kind.name())
}

/// Checks a value; the error has a line of a text.
fn check<T: PartialEq + fmt::Display + ?Sized>(what: &str, allowed: &T, given: &T) -> Result<(), Error> {
    match given == allowed {
        true => Ok(()),
        false => Err(invalid(what, allowed, format_args!("{given:.200}"))),
    }
}

/// Writes the name of the kind, `kind`, that of the funnel's hash, `funnel`, and the stored form, `bytes`: as base64 in formats that
/// people read, such as JSON. Needs the feature `serde`.
impl<B: Backend, F: Hashing, A> Serialize for Filter<B, F, A> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let bytes = self.to_bytes();
        let (kind, funnel) = (kind_of::<B>(&bytes).into(), self.funnel.hash_id().to_string());
        Form { kind, funnel, bytes }.serialize(serializer)
    }
}

/// Reads a filter of this kind and funnel, and checks the bytes as `from_bytes` does. Needs the feature `serde`.
impl<'de, B: Backend, F: Hashing + Default, A> Deserialize<'de> for Filter<B, F, A> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let form = Form::deserialize(deserializer)?;
        // The seed of Spark's hash is no part of the type.
        let seed = envelope::hash_id(&form.bytes).map_or(0, |id| id.seed());
        form.read(F::default().with_seed(seed)).map_err(D::Error::custom)
    }
}

/// Reads a filter of this kind and any funnel. Needs the feature `serde`.
impl<'de, B: Backend, A> Deserialize<'de> for Filter<B, HashId, A> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let form = Form::deserialize(deserializer)?;
        let funnel = envelope::hash_id(&form.bytes).map_err(D::Error::custom)?;
        form.read(funnel).map_err(D::Error::custom)
    }
}
