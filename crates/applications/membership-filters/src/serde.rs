//! Filters and their parameters in the formats of `serde`.

use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::f64::consts::LN_2;
use core::fmt;

use serde::de::Error as _;
use serde::ser::SerializeStruct as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::backend::Backend;
use crate::envelope;
use crate::guava::{ProbeCountRule, Strategy};
use crate::kinds::{self, AnyKind};
use crate::stored::invalid;
use crate::{CuckooParameters, Error, Filter, Generations, HashId, Hashing, Parameters};
use crate::{guava, redisbloom, spark};

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
        let filter: Filter<B, F, A> = envelope::from_bytes(&self.bytes, funnel)?;
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

/// Writes parameters as a struct of the values that they are made of, and reads them by the constructor, which checks these.
macro_rules! parameters {
    ($(
        $name:literal [$($part:ident)?] $parameters:ty: |$given:ident| {
            $($(#[$attribute:meta])* $field:ident: $value:ty = $get:expr,)+
        } => $new:expr;
    )+) => {$(
        /// Needs the feature `serde`.
        impl<$($part: Serialize)?> Serialize for $parameters {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let $given = self;
                let mut fields = serializer.serialize_struct($name, [$(stringify!($field)),+].len())?;
                $(fields.serialize_field(stringify!($field), &$get)?;)+
                fields.end()
            }
        }

        /// The values are those that the constructor takes. Needs the feature `serde`.
        impl<'de $(, $part: Deserialize<'de>)?> Deserialize<'de> for $parameters {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                #[derive(Deserialize)]
                #[serde(rename = $name, expecting = $name, deny_unknown_fields)]
                struct Fields<$($part)?> {
                    $($(#[$attribute])* $field: $value,)+
                }
                let Fields { $($field),+ } = Fields::deserialize(deserializer)?;
                $new.map_err(D::Error::custom)
            }
        }
    )+};
}

parameters! {
    "Parameters" [] Parameters: |given| {
        blocks: u32 = given.blocks(),
    } => Self::with_blocks(blocks);

    "Parameters" [] guava::Parameters: |given| {
        capacity: u64 = given.capacity(),
        rate: f64 = given.rate(),
        strategy: u8 = given.chosen_strategy().ordinal(),
        probe_count: u32 = given.probe_count(),
    } => of_guava(capacity, rate, strategy, probe_count);

    "Parameters" [] spark::Parameters: |given| {
        version: u32 = given.version.number(),
        seed: i32 = given.version.seed(),
        bits: u64 = given.bits(),
        probe_count: u32 = given.probe_count(),
    } => of_spark(version, seed, bits, probe_count);

    "Parameters" [] redisbloom::Parameters: |given| {
        capacity: u64 = given.capacity,
        rate: f64 = given.rate,
        // Null if the chain does not scale. Without the attribute it could be missing.
        #[serde(deserialize_with = "Option::deserialize")]
        expansion: Option<u32> = (given.is_scaling || given.expansion == 0).then_some(given.expansion),
    } => {
        let given = Self::new(capacity, rate);
        let given = expansion.map_or(given.non_scaling(), |factor| given.expansion(factor));
        given.first_link().map(|_| given)
    };

    "CuckooParameters" [] CuckooParameters: |given| {
        buckets: u64 = given.buckets(),
        fingerprint_bits: u8 = given.fingerprint_bits(),
        seed: u64 = given.seed,
    } => Self::with_buckets(buckets, fingerprint_bits).map(|given| given.seed(seed));

    "Generations" [P] Generations<P>: |given| {
        count: u32 = given.count,
        each: P = given.each,
    } => Generations::new(count, 1, 0.5).map(|_| Self { count, each });
}

/// Derives the shape by either rule of Guava's: the probe count tells which one.
fn of_guava(capacity: u64, rate: f64, strategy: u8, probe_count: u32) -> Result<guava::Parameters, Error> {
    let known = Strategy::from_ordinal(strategy);
    let strategy = known.ok_or_else(|| invalid("the strategy", "0 or 1", strategy))?;
    let by = |rule| guava::Parameters::with_rule(capacity, rate, rule);
    let older = by(ProbeCountRule::FromBitsPerKey).ok();
    let older = older.filter(|older| older.probe_count() == probe_count);
    let shape = older.map_or_else(|| by(ProbeCountRule::FromRate), Ok)?;
    check("the probe count", &shape.probe_count(), &probe_count)?;
    Ok(shape.strategy(strategy))
}

/// Finds a capacity and bits, before they are rounded up to whole words, of which Spark derives the shape.
#[expect(
    clippy::cast_possible_truncation,
    reason = "casts round down and stop at the limits"
)]
fn of_spark(version: u32, seed: i32, bits: u64, probe_count: u32) -> Result<spark::Parameters, Error> {
    let version = match (version, seed) {
        (1, 0) => spark::Version::V1,
        (2, seed) => spark::Version::V2 { seed },
        _ => return Err(invalid("the version", "1 with the seed 0, or 2", version)),
    };
    let shapes = (bits.saturating_sub(63)..=bits).flat_map(|bits| {
        let capacity = (bits as f64 * LN_2 / f64::from(probe_count)) as u64;
        [capacity, capacity.saturating_add(1)].map(|capacity| spark::Parameters::with_bits(capacity, bits))
    });
    let fits = |shape: &spark::Parameters| (shape.bits(), shape.probe_count()) == (bits, probe_count);
    let (allowed, given) = (
        "those of a filter of Spark's",
        format_args!("{bits} and {probe_count}"),
    );
    let shape = shapes.flatten().find(fits);
    let shape = shape.ok_or_else(|| invalid("bits and probe count", allowed, given))?;
    Ok(shape.version(version))
}
