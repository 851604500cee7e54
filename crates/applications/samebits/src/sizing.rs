//! The calculator: keys and a rate, keys and bits per key, or a memory, answered by every kind of filter.

use filter_policy::BitsPerKey;
use filter_policy::policies;
use filter_policy::sizing::{Textbook, largest};
use filter_policy::{AnyFormat, Error, formats};
use filter_sets::{Size, Sizing, StoredFormat};
use serde::Serialize;

/// The largest number of keys. Beyond it, integers are not exact in the formulas.
pub(crate) const MAX_KEYS: u64 = 1 << 53;
/// The largest number of bits per key at which a filter of the most keys is looked for.
const MAX_BITS: f64 = 100.0;

/// A request for a filter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum SizeQuestion {
    /// The filter of these keys.
    Of { keys: u64, size: Size },
    /// The filter of the most keys with at most this rate in this many bytes.
    MostKeys { rate: f64, bytes: u64 },
}

/// The filter that answers a question.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct SizeAnswer {
    /// The short name of the format.
    pub(crate) filter: &'static str,
    /// The number of distinct keys.
    pub(crate) keys: u64,
    #[serde(flatten)]
    pub(crate) sizing: Sizing,
    /// The stored bits per key, including all overhead.
    pub(crate) stored_bits_per_key: f64,
    /// The share of absent keys that have the whole hash of some key, for a format whose hash is so narrow that this
    /// matters: no number of bits per key excludes those keys. The share is part of the rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) whole_hash_shared: Option<f64>,
    /// The capacity for which a filter of the requested rate must be sized so that these keys have it, if it is not
    /// the number of keys.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) capacity_for_rate: Option<u64>,
}

/// Returns the capacity with which a filter of these keys reaches the rate that it was requested for, if it misses it
/// by more than a hundredth.
pub(crate) fn capacity_for_rate(
    format: &StoredFormat,
    keys: u64,
    size: Size,
    sizing: &Sizing,
) -> Option<u64> {
    match size {
        Size::Rate(rate) if sizing.rate > 1.01 * rate => format.capacity_for_rate(keys, rate),
        _ => None,
    }
}

/// Returns the name of a format on the command line and in records.
pub(crate) fn name(format: &StoredFormat) -> &'static str {
    format.short_names().first().copied().unwrap_or_default()
}

/// Returns the sizes of a policy's filters.
pub(crate) fn of_policy(format: &StoredFormat) -> Option<&'static dyn AnyFormat> {
    policies::listed(format.name())
}

/// Returns true if a format is LevelDB's, with any hash function.
fn is_of_leveldb(format: &dyn AnyFormat) -> bool {
    format.kind() == formats::LEVEL_DB.kind()
}

/// Returns the filter of this format that answers the question.
///
/// # Errors
///
/// The reason why no filter of the format does.
pub(crate) fn answer(format: &StoredFormat, question: SizeQuestion) -> Result<SizeAnswer, String> {
    let sizing = |keys, size| format.sizing(keys, size).map_err(text_of);
    let policy = of_policy(format);
    let (keys, size) = match question {
        SizeQuestion::Of { keys, size } => (keys, size),
        SizeQuestion::MostKeys { rate, bytes } => match policy {
            Some(sizes) => most_keys(sizes, rate, bytes)?,
            None => {
                let size = Size::Rate(rate);
                let fits = |keys| sizing(keys, size).is_ok_and(|sizing| sizing.bytes <= bytes);
                (largest(1, MAX_KEYS, fits).ok_or_else(|| too_little(bytes))?, size)
            }
        },
    };
    let sizing = sizing(keys, size)?;
    let values = libm::ldexp(1.0, 32);
    let shared = || -libm::expm1(keys as f64 * libm::log1p(-1.0 / values));
    let capacity_for_rate = capacity_for_rate(format, keys, size, &sizing);
    Ok(SizeAnswer {
        filter: name(format),
        keys,
        sizing,
        stored_bits_per_key: 8.0 * sizing.bytes as f64 / keys as f64,
        whole_hash_shared: policy.is_some_and(is_of_leveldb).then(shared),
        capacity_for_rate,
    })
}

/// Returns the most keys that reach a rate in this many bytes, and their bits per key. The bits per key of a rate
/// hardly depend on the keys, so they are those of about as many keys, and more where that is not enough.
fn most_keys(format: &'static dyn AnyFormat, wanted: f64, bytes: u64) -> Result<(u64, Size), String> {
    let about = 8.0 * bytes as f64 / Textbook::bits_per_key(wanted).map_err(text_of)?;
    let mut about = (about as u64).clamp(1, MAX_KEYS);
    let mut bits = loop {
        match format.bits_per_key_for_rate(about, wanted) {
            // The largest filter has fewer keys.
            Err(Error::FilterTooLarge { most, .. }) if most < about => about = most,
            other => break other.map_err(text_of)?,
        }
    };
    let mut step = 0.01;
    while bits.get() <= MAX_BITS {
        let keys = format.capacity(bytes, bits).min(MAX_KEYS);
        if keys == 0 {
            return Err(too_little(bytes));
        }
        // A few keys fewer avoid a size that is a bad one.
        for keys in [keys, keys - keys / 1_000] {
            if format.expected_rate(keys, bits).map_err(text_of)? <= wanted {
                return Ok((keys, Size::BitsPerKey(bits.get())));
            }
        }
        // Hundredths, not their sum, which has many decimal places.
        bits = BitsPerKey::fractional(libm::round(100.0 * (bits.get() + step)) / 100.0).map_err(text_of)?;
        step *= 2.0;
    }
    Err(format!(
        "the rate must be higher for filters of at most {bytes} bytes and {MAX_BITS} bits per key"
    ))
}

fn too_little(bytes: u64) -> String {
    format!("memory must have room for at least 1 key, got {bytes} bytes")
}

fn text_of(error: impl std::fmt::Display) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests;
