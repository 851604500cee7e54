//! The calculator: keys and a rate, keys and bits per key, or a memory, answered by every kind of filter.

use filter_formats::sizing::{Format, Textbook};
use filter_policy::BitsPerKey;
use membership_filters::{CounterWidth, CountingBloomFilter, CuckooParameters, GrowingParameters};
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

/// A kind of filter, sized by the code that writes it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kind {
    /// The name on the command line and in records.
    pub(crate) name: &'static str,
    size: Size,
}

/// How the size of a filter is configured.
#[derive(Debug, Clone, Copy)]
enum Size {
    /// By bits per key: the format of a storage engine.
    ByBits(Format),
    /// By the false-positive rate.
    ByRate(fn(u64, f64) -> Result<Shape, String>),
}

/// The size of a filter.
#[derive(Debug, Clone, Copy)]
struct Shape {
    bytes: u64,
    probes: Option<u32>,
    rate: f64,
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
    /// The stored bits per key, including all overhead.
    pub(crate) stored_bits_per_key: f64,
    /// The probe count k, if there are probes.
    pub(crate) probes: Option<u32>,
    /// The expected false-positive rate.
    pub(crate) rate: f64,
    /// The share of absent keys that have the whole hash of some key, for a format whose hash is so narrow that this
    /// matters: no number of bits per key excludes those keys. The share is part of the rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) whole_hash_shared: Option<f64>,
}

/// All kinds, the textbook first: no format, independent probes and unrounded sizes.
pub(crate) const ALL: [Kind; 13] = [
    by_rate("textbook", textbook),
    by_bits("leveldb", Format::LEVEL_DB),
    by_bits("bloom64", Format::BLOOM64),
    by_bits("fast-local-bloom", Format::FAST_LOCAL_BLOOM),
    by_bits("ribbon", Format::RIBBON),
    by_bits("binary-fuse", Format::BINARY_FUSE),
    by_bits("split-block", Format::SPLIT_BLOCK),
    by_rate("guava", |keys, rate| {
        let parameters = Parameters::new(keys, rate).map_err(words)?;
        plain(&parameters, keys, parameters.bits(), parameters.stream_len())
    }),
    by_rate("redis-fixed", |keys, rate| {
        redis(keys, rate, FIXED_MOST_BITS, Parameters::optimal_bits)
    }),
    by_rate("redis-growing", |keys, rate| {
        redis(keys, rate, STRING_MOST_BITS, Parameters::bits)
    }),
    by_rate("counting", |keys, rate| {
        let parameters = Parameters::new(keys, rate).map_err(words)?;
        let bytes = CountingBloomFilter::stored_len_of(&parameters, CounterWidth::FOUR).map_err(words)?;
        plain(&parameters, keys, parameters.bits(), bytes)
    }),
    by_rate("cuckoo", |keys, rate| {
        let parameters = CuckooParameters::new(keys, rate).map_err(words)?;
        Ok(Shape {
            bytes: parameters.stored_len(),
            probes: None,
            rate: parameters.false_positive_rate_at(keys),
        })
    }),
    // Before it grows.
    by_rate("growing", |keys, rate| {
        let growing = GrowingParameters::new(keys, rate).map_err(words)?;
        let link = growing.first_link();
        plain(link, keys, link.bits(), growing.stored_len())
    }),
];

const fn by_bits(name: &'static str, format: Format) -> Kind {
    let size = Size::ByBits(format);
    Kind { name, size }
}

const fn by_rate(name: &'static str, shape: fn(u64, f64) -> Result<Shape, String>) -> Kind {
    let size = Size::ByRate(shape);
    Kind { name, size }
}

fn textbook(keys: u64, rate: f64) -> Result<Shape, String> {
    let bits = libm::ceil(Textbook::bits(keys, rate).map_err(words)?).max(1.0) as u64;
    let probes = Textbook::best_whole_probe_count(bits as f64 / keys as f64).map_err(words)?;
    independent(keys, bits, bits.div_ceil(8), probes)
}

fn redis(keys: u64, rate: f64, most: u64, bits: fn(&Parameters) -> u64) -> Result<Shape, String> {
    let rule = ProbeCountRule::FromBitsPerInsertion;
    let parameters = Parameters::with_rule(keys, rate, rule).map_err(words)?;
    let bits = bits(&parameters);
    if bits > most {
        return Err(format!("the bitmap must have at most {most} bits, got {bits}"));
    }
    plain(&parameters, keys, bits, bits.div_ceil(8))
}

fn plain(parameters: &Parameters, keys: u64, bits: u64, bytes: u64) -> Result<Shape, String> {
    independent(keys, bits, bytes, parameters.probe_count().into())
}

fn independent(keys: u64, bits: u64, bytes: u64, probes: u32) -> Result<Shape, String> {
    let rate = Textbook::with_probe_count(probes)
        .rate(bits, keys)
        .map_err(words)?;
    let probes = Some(probes);
    Ok(Shape { bytes, probes, rate })
}

impl Kind {
    /// Returns the kind with this name, ignoring ASCII case.
    pub(crate) fn named(name: &str) -> Option<Self> {
        ALL.into_iter().find(|kind| kind.name.eq_ignore_ascii_case(name))
    }

    /// Returns the storage engine's format if the filter is configured by bits per key.
    pub(crate) fn format(self) -> Option<Format> {
        match self.size {
            Size::ByBits(format) => Some(format),
            Size::ByRate(_) => None,
        }
    }

    /// Returns the filter of this kind that answers the question.
    ///
    /// # Errors
    ///
    /// The reason why no filter of this kind does.
    pub(crate) fn answer(self, question: Question) -> Result<Answer, String> {
        match self.size {
            Size::ByBits(format) => self.answer_by_bits(format, question),
            Size::ByRate(shape) => {
                let (keys, rate) = match question {
                    Question::Rate { keys, rate } => (keys, rate),
                    Question::Bits { keys, bits_per_key } => {
                        let bytes = bits_per_key * keys as f64 / 8.0;
                        (keys, lowest_rate(shape, keys, bytes as u64)?)
                    }
                    Question::Memory { keys, bytes } => (keys, lowest_rate(shape, keys, bytes)?),
                    Question::Keys { rate, bytes } => {
                        let fits = |keys| shape(keys, rate).is_ok_and(|shape| shape.bytes <= bytes);
                        (largest(1, MAX_KEYS, fits).ok_or_else(|| too_little(bytes))?, rate)
                    }
                };
                Ok(self.built(keys, None, shape(keys, rate)?))
            }
        }
    }

    fn answer_by_bits(self, format: Format, question: Question) -> Result<Answer, String> {
        let (keys, bits) = match question {
            Question::Rate { keys, rate } => {
                let bits = format.bits_per_key_for_rate(keys, rate);
                (keys, bits.map_err(words)?)
            }
            Question::Bits { keys, bits_per_key } => {
                (keys, BitsPerKey::fractional(bits_per_key).map_err(words)?)
            }
            Question::Memory { keys, bytes } => {
                let bits = format.bits_per_key_for_bytes(keys, bytes);
                (keys, bits.map_err(words)?)
            }
            Question::Keys { rate, bytes } => most_keys(format, rate, bytes)?,
        };
        let shape = Shape {
            bytes: format.filter_bytes(keys, bits).map_err(words)?,
            probes: format.probe_count(keys, bits).map_err(words)?.map(u32::from),
            rate: format.rate(keys, bits).map_err(words)?,
        };
        Ok(self.built(keys, Some(bits.get()), shape))
    }

    fn built(self, keys: u64, configured_bits_per_key: Option<f64>, shape: Shape) -> Answer {
        let values = libm::ldexp(1.0, 32);
        let shared = || -libm::expm1(keys as f64 * libm::log1p(-1.0 / values));
        Answer {
            filter: self.name,
            keys,
            bytes: shape.bytes,
            configured_bits_per_key,
            stored_bits_per_key: 8.0 * shape.bytes as f64 / keys as f64,
            probes: shape.probes,
            rate: shape.rate,
            whole_hash_shared: (self.format() == Some(Format::LEVEL_DB)).then(shared),
        }
    }
}

/// Returns the most keys that reach a rate in this many bytes, and their bits per key. The bits per key of a rate hardly
/// depend on the keys, so they are those of about as many keys, and more where that is not enough.
fn most_keys(format: Format, wanted: f64, bytes: u64) -> Result<(u64, BitsPerKey), String> {
    let about = 8.0 * bytes as f64 / Textbook::bits_per_key(wanted).map_err(words)?;
    let about = (about as u64).clamp(1, MAX_KEYS);
    let mut bits = format.bits_per_key_for_rate(about, wanted).map_err(words)?;
    while bits.get() <= MAX_BITS {
        let keys = format.max_keys(bytes, bits).min(MAX_KEYS);
        if keys == 0 {
            return Err(too_little(bytes));
        }
        if format.rate(keys, bits).map_err(words)? <= wanted {
            return Ok((keys, bits));
        }
        bits = BitsPerKey::fractional(bits.get() + 1.0).map_err(words)?;
    }
    Err(format!(
        "the rate must be higher for filters of at most {bytes} bytes and {MAX_BITS} bits per key"
    ))
}

/// Returns the lowest rate whose filter takes at most this many bytes, from one half on.
fn lowest_rate(shape: fn(u64, f64) -> Result<Shape, String>, keys: u64, bytes: u64) -> Result<f64, String> {
    /// The parts of a halving of the rate that are told apart.
    const PARTS: f64 = 1e6;
    let rate = |parts: u64| libm::exp2(-(parts as f64) / PARTS);
    let fits = |parts: u64| shape(keys, rate(parts)).is_ok_and(|shape| shape.bytes <= bytes);
    let lowest = largest(PARTS as u64, 1_000 * PARTS as u64, fits).map(rate);
    lowest.ok_or_else(|| match shape(keys, 0.5) {
        Ok(Shape { bytes: least, .. }) => {
            format!("memory must be at least {least} bytes for this many keys, got {bytes}")
        }
        Err(error) => error,
    })
}

fn too_little(bytes: u64) -> String {
    format!("memory must have room for at least 1 key, got {bytes} bytes")
}

/// Returns the largest number from `low` to `high` that fits, if all before one that fits do.
fn largest(mut low: u64, mut high: u64, fits: impl Fn(u64) -> bool) -> Option<u64> {
    if !fits(low) {
        return None;
    }
    while low < high {
        // The upper of two middles, so that the search ends.
        let middle = high - (high - low) / 2;
        if fits(middle) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    Some(low)
}

fn words(error: impl std::fmt::Display) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests;
