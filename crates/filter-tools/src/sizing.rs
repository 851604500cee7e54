//! The calculator: keys and a rate, keys and bits per key, or a memory, answered by every kind of filter.

use std::iter;

use filter_formats::policies::{self, NamedPolicy};
use filter_formats::sizing::{Format as Sizes, Textbook, largest, lowest_rate};
use filter_policy::BitsPerKey;
use filter_sets::{Format, Size, Sizing};
use membership_filters::{Parameters, ProbeCountRule};
use serde::Serialize;

/// The largest number of keys. Beyond it, integers are not exact in the formulas.
pub(crate) const MAX_KEYS: u64 = 1 << 53;
/// The largest number of bits per key at which a filter of the most keys is looked for.
const MAX_BITS: f64 = 100.0;
/// The largest bitmap of the fixed design in Redis, in bits: the published program counts them in an `int`.
const FIXED_MOST_BITS: u64 = i32::MAX as u64;
/// The largest string of Redis, in bits.
const STRING_MOST_BITS: u64 = 1 << 32;

/// What a filter must be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Question {
    /// The smallest filter of these keys with at most this rate.
    Rate { keys: u64, rate: f64 },
    /// The filter of these keys with this many bits per key.
    Bits { keys: u64, bits_per_key: f64 },
    /// The filter of these keys with the lowest rate in this many bytes.
    Memory { keys: u64, bytes: u64 },
    /// The filter of the most keys with at most this rate in this many bytes.
    Keys { rate: f64, bytes: u64 },
}

/// A kind of filter.
#[derive(Debug, Clone)]
pub(crate) enum Kind {
    Stored(Format),
    /// None that is stored here, under this name: returns its size for keys and a rate.
    Other(&'static str, fn(u64, f64) -> Result<Sizing, String>),
}

/// The filter that answers a question.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Answer {
    /// The kind of filter.
    pub(crate) filter: &'static str,
    /// The number of distinct keys.
    pub(crate) keys: u64,
    /// The size of the stored filter in bytes, exact except for the textbook's.
    pub(crate) bytes: u64,
    /// The bits per key to configure, if the filter is configured by them.
    pub(crate) configured_bits_per_key: Option<f64>,
    /// The least bits per key that give a larger filter, where this one falls far below those that were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next_bits_per_key: Option<f64>,
    /// The stored bits per key, including all overhead.
    pub(crate) stored_bits_per_key: f64,
    /// The probe count k, if there are probes.
    pub(crate) probes: Option<u32>,
    /// The expected false-positive rate; none for a format without a formula.
    pub(crate) rate: Option<f64>,
    /// The share of absent keys that have the whole hash of some key, for a format whose hash is so narrow that this
    /// matters: no number of bits per key excludes those keys. The share is part of the rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) whole_hash_shared: Option<f64>,
}

/// Returns all kinds, the textbook first: no format, independent probes and unrounded sizes.
pub(crate) fn all() -> Vec<Kind> {
    let fixed = |keys, rate| redis(keys, rate, FIXED_MOST_BITS, Parameters::optimal_bits);
    let growing = |keys, rate| redis(keys, rate, STRING_MOST_BITS, Parameters::bits);
    let others = [
        Kind::Other("redis-fixed", fixed),
        Kind::Other("redis-growing", growing),
    ];
    let stored = Format::all().map(Kind::Stored);
    iter::once(Kind::Other("textbook", textbook))
        .chain(stored)
        .chain(others)
        .collect()
}

fn textbook(keys: u64, rate: f64) -> Result<Sizing, String> {
    let bits = libm::ceil(Textbook::bits(keys, rate).map_err(words)?).max(1.0) as u64;
    let probes = Textbook::best_whole_probe_count(bits as f64 / keys as f64).map_err(words)?;
    independent(keys, bits, bits.div_ceil(8), probes)
}

fn redis(keys: u64, rate: f64, most: u64, bits: fn(&Parameters) -> u64) -> Result<Sizing, String> {
    let rule = ProbeCountRule::FromBitsPerInsertion;
    let parameters = Parameters::with_rule(keys, rate, rule).map_err(words)?;
    let bits = bits(&parameters);
    if bits > most {
        return Err(format!("the bitmap must have at most {most} bits, got {bits}"));
    }
    independent(keys, bits, bits.div_ceil(8), parameters.probe_count().into())
}

fn independent(keys: u64, bits: u64, bytes: u64, probes: u32) -> Result<Sizing, String> {
    let textbook = Textbook::with_probe_count(probes);
    Ok(Sizing {
        bytes,
        bits_per_key: None,
        next_bits_per_key: None,
        probe_count: Some(probes),
        rate: Some(textbook.rate(bits, keys).map_err(words)?),
    })
}

impl Kind {
    /// Returns the kind with this name, ignoring ASCII case.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let is_of = |kind: &Self| kind.names().any(|known| known.eq_ignore_ascii_case(name));
        all().into_iter().find(is_of)
    }

    /// Returns the name on the command line and in records.
    pub(crate) fn name(&self) -> &'static str {
        self.names().next().unwrap_or_default()
    }

    fn names(&self) -> impl Iterator<Item = &'static str> {
        let (short, other) = match self {
            Self::Stored(format) => (format.short_names(), None),
            Self::Other(name, _) => (&[][..], Some(*name)),
        };
        short.iter().copied().chain(other)
    }

    /// Returns the sizes of a policy's filters.
    pub(crate) fn of_policy(&self) -> Option<Sizes> {
        let Self::Stored(format) = self else { return None };
        let known = policies::ALL.iter().find(|known| known.name() == format.name());
        known.and_then(NamedPolicy::format)
    }

    /// Returns the filter of this kind that answers the question.
    ///
    /// # Errors
    ///
    /// The reason why no filter of this kind does.
    pub(crate) fn answer(&self, question: Question) -> Result<Answer, String> {
        let (keys, size) = match question {
            Question::Rate { keys, rate } => (keys, Size::Rate(rate)),
            Question::Bits { keys, bits_per_key } => (keys, Size::BitsPerKey(bits_per_key)),
            Question::Memory { keys, bytes } => (keys, Size::Bytes(bytes)),
            Question::Keys { rate, bytes } => match self.of_policy() {
                Some(sizes) => most_keys(sizes, rate, bytes)?,
                None => {
                    let size = Size::Rate(rate);
                    let fits = |keys| self.sizing(keys, size).is_ok_and(|sizing| sizing.bytes <= bytes);
                    (largest(1, MAX_KEYS, fits).ok_or_else(|| too_little(bytes))?, size)
                }
            },
        };
        let sizing = self.sizing(keys, size)?;
        let values = libm::ldexp(1.0, 32);
        let shared = || -libm::expm1(keys as f64 * libm::log1p(-1.0 / values));
        Ok(Answer {
            filter: self.name(),
            keys,
            bytes: sizing.bytes,
            configured_bits_per_key: sizing.bits_per_key,
            next_bits_per_key: sizing
                .next_bits_per_key
                .filter(|_| matches!(size, Size::BitsPerKey(_))),
            stored_bits_per_key: 8.0 * sizing.bytes as f64 / keys as f64,
            probes: sizing.probe_count,
            rate: sizing.rate,
            whole_hash_shared: (self.of_policy() == Some(Sizes::LEVEL_DB)).then(shared),
        })
    }

    fn sizing(&self, keys: u64, size: Size) -> Result<Sizing, String> {
        let (shape, bytes) = match (self, size) {
            (Self::Stored(format), _) => return format.sizing(keys, size).map_err(words),
            (Self::Other(_, shape), Size::Rate(rate)) => return shape(keys, rate),
            (Self::Other(_, shape), Size::BitsPerKey(bits)) => (shape, (bits * keys as f64 / 8.0) as u64),
            (Self::Other(_, shape), Size::Bytes(bytes)) => (shape, bytes),
            (Self::Other(..), Size::Bits(_)) => return Err("give bits per key, not bits".to_owned()),
        };
        let fits = |rate| shape(keys, rate).is_ok_and(|sizing| sizing.bytes <= bytes);
        match (lowest_rate(fits), shape(keys, 0.5)) {
            (Some(rate), _) => shape(keys, rate),
            (None, Ok(Sizing { bytes: least, .. })) => Err(format!(
                "memory must be at least {least} bytes for this many keys, got {bytes}"
            )),
            (None, error) => error,
        }
    }
}

/// Returns the most keys that reach a rate in this many bytes, and their bits per key. The bits per key of a rate hardly
/// depend on the keys, so they are those of about as many keys, and more where that is not enough.
fn most_keys(format: Sizes, wanted: f64, bytes: u64) -> Result<(u64, Size), String> {
    let about = 8.0 * bytes as f64 / Textbook::bits_per_key(wanted).map_err(words)?;
    let about = (about as u64).clamp(1, MAX_KEYS);
    let mut bits = format.bits_per_key_for_rate(about, wanted).map_err(words)?;
    let mut step = 0.01;
    while bits.get() <= MAX_BITS {
        let keys = format.max_keys(bytes, bits).min(MAX_KEYS);
        if keys == 0 {
            return Err(too_little(bytes));
        }
        if format.rate(keys, bits).map_err(words)? <= wanted {
            return Ok((keys, Size::BitsPerKey(bits.get())));
        }
        bits = BitsPerKey::fractional(bits.get() + step).map_err(words)?;
        step *= 2.0;
    }
    Err(format!(
        "the rate must be higher for filters of at most {bytes} bytes and {MAX_BITS} bits per key"
    ))
}

fn too_little(bytes: u64) -> String {
    format!("memory must have room for at least 1 key, got {bytes} bytes")
}

fn words(error: impl std::fmt::Display) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests;
