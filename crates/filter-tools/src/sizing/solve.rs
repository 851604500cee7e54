//! Finds the keys and the setting of a filter for a question, by trying the sizes of its format. Knows no formulas of
//! sizes.

use filter_formats::sizing::{Format, Textbook};
use filter_policy::{BitsPerKey, leveldb};
use membership_filters::GrowthRule;

use super::filter::{Shape, words};
use super::{Answer, Checked, Filter, Question, textbook};

/// The reason why a kind of filter cannot meet the request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, serde::Serialize)]
#[error("{}: {reason}", filter.name())]
pub struct NoAnswer {
    /// The kind of filter.
    pub filter: Filter,
    /// A description of the reason.
    pub reason: String,
}

/// The largest number of bits per key that is tried. Beyond it, no format has more probes, and hardly any a lower rate.
const MAX_BITS: u32 = 100;

/// Returns the smallest filter of a kind that meets the question, or the best one for a given memory.
///
/// # Errors
///
/// [`NoAnswer`] if the limits of the format forbid it.
pub fn answer(filter: Filter, question: &Checked) -> Result<Answer, NoAnswer> {
    let question = question.question();
    let answer = if filter == Filter::Textbook {
        textbook::answer(question)
    } else {
        of_format(filter, question)
    };
    answer.map_err(|reason| NoAnswer { filter, reason })
}

fn of_format(filter: Filter, question: &Question) -> Result<Answer, String> {
    let (keys, setting) = match (question.keys, question.memory, filter.engine(), question.rate) {
        (Some(keys), ..) => (keys, setting(filter, question, keys)?),
        (None, Some(bytes), Some(format), Some(rate)) => most_keys_at(format, rate, bytes)?,
        (None, Some(bytes), ..) => {
            let keys = most_keys(filter, question, bytes)?;
            (keys, setting(filter, question, keys)?)
        }
        (None, None, ..) => return Err("keys or memory must be given".to_owned()),
    };
    let Shape { bytes, probes, rate } = filter.shape(keys, setting)?;
    Ok(Answer {
        filter,
        keys,
        bytes,
        configured: filter.engine().map(|_| setting),
        bits_per_key: 8.0 * bytes as f64 / keys as f64,
        probes,
        rate,
    })
}

/// Returns the bits per key, or the rate, with which a filter for this many keys meets the question.
fn setting(filter: Filter, question: &Question, keys: u64) -> Result<f64, String> {
    let configured = |bits: Result<BitsPerKey, _>| bits.map(BitsPerKey::get).map_err(words);
    // If the keys follow from the memory, the memory does not determine the setting.
    let memory = question.memory.filter(|_| question.keys.is_some());
    match (
        filter.engine(),
        question.rate,
        question.bits_per_key,
        memory,
        question.probes,
    ) {
        (Some(format), Some(rate), ..) => configured(format.bits_per_key_for_rate(keys, rate)),
        (None, Some(rate), ..) => Ok(rate),
        (Some(_), None, Some(bits), ..) => Ok(bits),
        (None, None, Some(bits), ..) => {
            let bytes = (question.memory).unwrap_or_else(|| (bits * keys as f64 / 8.0) as u64);
            lowest_rate(filter, keys, bytes)
        }
        (Some(format), None, None, Some(bytes), _) => configured(format.bits_per_key_for_bytes(keys, bytes)),
        (None, None, None, Some(bytes), _) => lowest_rate(filter, keys, bytes),
        (Some(format), None, None, None, Some(probes)) => bits_for_probes(format, keys, probes),
        (None, None, None, None, Some(probes)) => rate_for_probes(filter, probes),
        _ => Err("rate, bits per key, memory or probes must be given".to_owned()),
    }
}

/// Returns the smallest integer of bits per key at which the format has this probe count.
fn bits_for_probes(format: Format, keys: u64, probes: u32) -> Result<f64, String> {
    let of = |bits| format.probe_count(keys, BitsPerKey::whole(bits));
    let mut most = 0;
    for bits in 1..=MAX_BITS {
        let Some(taken) = of(bits).map_err(words)? else {
            return Err("filters of this kind have no probes".to_owned());
        };
        if u32::from(taken) == probes {
            return Ok(f64::from(bits));
        }
        most = most.max(taken);
    }
    Err(format!(
        "probe count must be one that a whole number of bits per key gives, at most {most}, got {probes}"
    ))
}

/// Returns the rate for which the formula gives this probe count.
fn rate_for_probes(filter: Filter, probes: u32) -> Result<f64, String> {
    let rate = libm::exp2(-f64::from(probes));
    match (filter, GrowthRule::default()) {
        (Filter::Cuckoo, _) => Err("filters of this kind have fingerprints and no probes".to_owned()),
        // The first link of a growing filter gets only a part of the rate.
        (Filter::Growing, GrowthRule::Tightening { ratio, .. }) if rate < 1.0 - ratio => {
            Ok(rate / (1.0 - ratio))
        }
        (Filter::Growing, GrowthRule::Tightening { .. }) => {
            Err(format!("probe count must be above {probes}"))
        }
        _ => Ok(rate),
    }
}

/// Returns the lowest rate whose filter takes at most this many bytes.
fn lowest_rate(filter: Filter, keys: u64, bytes: u64) -> Result<f64, String> {
    let fits = |rate: f64| fits(filter, keys, rate, bytes);
    // Positive floats have the order of their bit patterns.
    let (mut low, mut high) = (f64::MIN_POSITIVE.to_bits(), (1.0 - f64::EPSILON / 2.0).to_bits());
    while low < high {
        let middle = low + (high - low) / 2;
        if fits(f64::from_bits(middle)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    let rate = f64::from_bits(high);
    match filter.shape(keys, rate) {
        Ok(shape) if shape.bytes <= bytes => Ok(rate),
        Ok(shape) => Err(format!(
            "memory must be at least {} bytes for this many keys, got {bytes}",
            shape.bytes
        )),
        Err(_) => Err(format!(
            "memory must be more than {bytes} bytes for this many keys"
        )),
    }
}

/// Returns the most keys for which LevelDB's format reaches a rate in this many bytes, and the bits per key for them.
///
/// LevelDB's rate takes up to 50 ms to compute, and it is not monotonic in the keys. Ideal probes bound the rate from
/// below, so the bits per key that might hold the most keys are tried first. The part of equal hash values is known, and
/// the part of the probes hardly depends on the keys, so one rate suggests which number to try next.
fn most_keys_of_leveldb(wanted: f64, bytes: u64) -> Result<(u64, u32), String> {
    /// The largest number of computed rates per number of bits.
    const RATES: u32 = 9;
    /// The precision of the result: the bound divided by this number.
    const PARTS: u64 = 256;
    let shared = |keys: u64| Filter::LevelDb.whole_hash_shared(keys).unwrap_or_default();
    let probes = |bits_per_key| u32::from(leveldb::probe_count(bits_per_key));
    // The keys at which equal hash values use up the rest of the wanted rate.
    let keys_left = |by_probes: f64| {
        let left = ((wanted - by_probes) / (1.0 - by_probes)).max(0.0);
        (-libm::ldexp(libm::log1p(-left), 32)) as u64
    };
    let rate = |keys: u64, bits: u32| {
        Format::LEVEL_DB
            .rate(keys, BitsPerKey::whole(bits))
            .map_err(words)
    };
    // The bound, the bits per key, and whether the memory is the bound.
    let bound = |bits: u32| {
        let bits_per_key = BitsPerKey::whole(bits);
        let most = Format::LEVEL_DB
            .max_keys(bytes, bits_per_key)
            .min(Question::MAX_KEYS);
        let will_do = |keys: u64| {
            let shared = shared(keys);
            let bits = leveldb::filter_bits(bits_per_key, keys).map_err(words)?;
            let by_probes = Textbook::with_probe_count(probes(bits_per_key))
                .rate(bits, keys)
                .map_err(words)?;
            Ok(shared + by_probes * (1.0 - shared) <= wanted)
        };
        let bound = largest(0, most, will_do)?;
        Ok((bound, bits, bound == most))
    };
    let mut bounds = (1..=MAX_BITS).map(bound).collect::<Result<Vec<_>, String>>()?;
    // Once k is at its limit, more bits only lower the rate.
    let widest = bounds
        .iter()
        .rfind(|(_, _, is_full)| !is_full)
        .map(|&(_, bits, _)| bits);
    bounds.retain(|&(_, bits, is_full)| {
        let has_most_probes = probes(BitsPerKey::whole(bits)) == probes(BitsPerKey::whole(MAX_BITS));
        is_full || !has_most_probes || widest == Some(bits)
    });
    // Where bounds are the same within the precision, more bits come closer to them.
    let class = |keys: u64| (libm::log(keys as f64) * PARTS as f64) as i64;
    bounds.sort_by_key(|&(keys, bits, _)| std::cmp::Reverse((class(keys), bits)));
    let mut best = (0, 0);
    for (bound, bits, _) in bounds {
        let part = (bound / PARTS).max(1);
        let better = best.0 + part;
        if bound < better || best.0 > 0 && rate(better, bits)? > wanted {
            continue;
        }
        let (mut low, mut high, mut tried) = (if best.0 > 0 { better } else { 0 }, bound, bound);
        for _ in 0..RATES {
            let rate = rate(tried, bits)?;
            if rate <= wanted {
                low = tried;
            } else {
                high = tried;
            }
            if low == bound || high - low <= part {
                break;
            }
            let by_probes = (rate - shared(tried)) / (1.0 - shared(tried));
            let left = keys_left(by_probes);
            tried = if (low..=high).contains(&left) && high - low > 2 * part {
                left.clamp(low + part, high - part)
            } else {
                low + (high - low) / 2
            };
        }
        if low > best.0 {
            best = (low, bits);
        }
    }
    // The fewest bits for these keys.
    let (keys, mut bits) = best;
    let mut too_few = 0;
    while bits - too_few > 1 && keys > 0 {
        let middle = too_few + (bits - too_few) / 2;
        if rate(keys, middle)? <= wanted {
            bits = middle;
        } else {
            too_few = middle;
        }
    }
    Ok((keys, bits))
}

/// Returns the most keys for which the format reaches a rate in this many bytes, and the smallest integer of bits per
/// key for them.
fn most_keys_at(format: Format, wanted: f64, bytes: u64) -> Result<(u64, f64), String> {
    /// The number of keys of a large filter.
    const LARGE: u64 = 1 << 16;
    let (mut best, mut best_bits) = (0, 0.0);
    if format == Format::LEVEL_DB {
        let (keys, bits) = most_keys_of_leveldb(wanted, bytes)?;
        (best, best_bits) = (keys, f64::from(bits));
    }
    for bits in (1..=MAX_BITS).filter(|_| format != Format::LEVEL_DB) {
        let bits_per_key = BitsPerKey::whole(bits);
        let rate = |keys: u64| format.rate(keys, bits_per_key).map_err(words);
        let most = format.max_keys(bytes, bits_per_key).min(Question::MAX_KEYS);
        if most <= best {
            break;
        }
        // A rate that no filter of this size can reach needs no calculation.
        let least = libm::exp2(-8.0 * bytes as f64 / most as f64);
        if least <= wanted && rate(most)? <= wanted {
            // With more bits per key, fewer keys fit.
            return Ok((most, f64::from(bits)));
        }
        // The range of hash values and the length of RocksDB's filters are limited, so fewer keys may reach the rate. Small
        // filters are longer than asked for, and err more or less often than large ones, but those all err alike or more.
        let large = most.min(LARGE.max(best + 1));
        let most = if rate(large)? > wanted { large } else { most };
        let reaches = |keys| Ok(rate(keys)? <= wanted);
        let found = largest(best, most, reaches)?;
        if found > best {
            (best, best_bits) = (found, f64::from(bits));
        }
    }
    if best > 0 {
        return Ok((best, best_bits));
    }
    Err(format!(
        "rate must be higher for filters of at most {bytes} bytes and {MAX_BITS} bits per key"
    ))
}

/// Returns the most keys whose filter takes at most this many bytes.
fn most_keys(filter: Filter, question: &Question, bytes: u64) -> Result<u64, String> {
    let fits = |keys: u64| match (filter.engine(), question.bits_per_key) {
        (None, Some(bits)) => bits * keys as f64 <= 8.0 * bytes as f64,
        _ => setting(filter, question, keys).is_ok_and(|setting| fits(filter, keys, setting, bytes)),
    };
    let most = largest(0, Question::MAX_KEYS, |keys| Ok(fits(keys)))?;
    if most == 0 {
        // The reason for one key is usually the clearest.
        setting(filter, question, 1)?;
        return Err(format!(
            "memory must have room for at least 1 key, got {bytes} bytes"
        ));
    }
    Ok(most)
}

/// Returns the largest number up to `high` that will do, by binary search. `low` must do, and all numbers below the
/// result.
fn largest(
    mut low: u64,
    mut high: u64,
    will_do: impl Fn(u64) -> Result<bool, String>,
) -> Result<u64, String> {
    while low < high {
        // The upper of two middles, so that the search ends.
        let middle = high - (high - low) / 2;
        if will_do(middle)? {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    Ok(low)
}

/// Returns true if a filter fits. A filter that cannot be built because it would be too small also fits.
fn fits(filter: Filter, keys: u64, setting: f64, bytes: u64) -> bool {
    // `shape` would compute LevelDB's rate too, which is slow and not needed.
    let taken = match filter.engine() {
        Some(format) => BitsPerKey::fractional(setting)
            .and_then(|bits| format.filter_bytes(keys, bits))
            .ok(),
        None => filter.shape(keys, setting).ok().map(|shape| shape.bytes),
    };
    taken.map_or_else(
        || {
            let bits = match filter.engine() {
                Some(_) => setting * keys as f64,
                None => -libm::log(setting) * keys as f64 / (std::f64::consts::LN_2 * std::f64::consts::LN_2),
            };
            bits <= 64.0 && bytes >= 8
        },
        |taken| taken <= bytes,
    )
}
