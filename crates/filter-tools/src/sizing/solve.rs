//! From what is given to the keys and the setting of a filter, by its own sizes: nothing here knows a formula.

use filter_policy::BitsPerKey;
use filter_policy::sizing::{self, Format};
use membership_filters::GrowthRule;

use super::filter::{Shape, words};
use super::{Answer, Checked, Filter, Question, textbook};

/// The reason why a kind of filter cannot meet the request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {reason}", filter.name())]
pub struct NoAnswer {
    /// The kind of filter.
    pub filter: Filter,
    /// The reason in words.
    pub reason: String,
}

/// Most whole bits per key that are tried: beyond, no format has more probes, and hardly any a lower rate.
const MAX_BITS: u32 = 100;

/// The smallest filter of the kind that does what is asked, or with a given memory the best.
///
/// # Errors
///
/// [`NoAnswer`] when the format's limits forbid it.
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

/// Bits per key, or the rate to ask for, that make a filter for so many keys what is wanted.
fn setting(filter: Filter, question: &Question, keys: u64) -> Result<f64, String> {
    let configured = |bits: Result<BitsPerKey, _>| bits.map(BitsPerKey::get).map_err(words);
    // Where the keys follow from the memory, it is not what fixes the setting.
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

/// The fewest whole bits per key at which the format takes so many probes.
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

/// The rate to ask for, so that the formula gives so many probes.
fn rate_for_probes(filter: Filter, probes: u32) -> Result<f64, String> {
    let rate = libm::exp2(-f64::from(probes));
    match (filter, GrowthRule::default()) {
        (Filter::Cuckoo, _) => Err("filters of this kind have fingerprints and no probes".to_owned()),
        // Its first link is made for a part of the rate.
        (Filter::Growing, GrowthRule::Tightening { ratio, .. }) if rate < 1.0 - ratio => {
            Ok(rate / (1.0 - ratio))
        }
        (Filter::Growing, GrowthRule::Tightening { .. }) => {
            Err(format!("probe count must be above {probes}"))
        }
        _ => Ok(rate),
    }
}

/// The lowest rate whose filter takes at most so many bytes.
fn lowest_rate(filter: Filter, keys: u64, bytes: u64) -> Result<f64, String> {
    let fits = |rate: f64| fits(filter, keys, rate, bytes);
    // Positive numbers are in the order of their bits.
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

/// The most keys for which LevelDB's format reaches a rate in so many bytes, and the bits per key that do it.
///
/// Its rate is counted, which takes long, and does not rise steadily with the keys. Ideal probes bound it from below, so the
/// numbers of bits that might hold most are counted first. What equal hash values add is known, and what probes add hardly
/// depends on the keys, so one count tells about where the next is worth its time.
fn most_keys_of_leveldb(wanted: f64, bytes: u64) -> Result<(u64, u32), String> {
    /// Counts for a number of bits, at most.
    const COUNTS: u32 = 9;
    /// The keys are found within this part of the bound.
    const PARTS: u64 = 256;
    /// With fewer keys, probes add at least this share of what they add at the bound.
    const SWING: f64 = 0.5;
    let shared = |keys: u64| Filter::LevelDb.whole_hash_shared(keys).unwrap_or_default();
    // The keys at which equal hash values are all that is left of the wanted rate.
    let keys_left = |by_probes: f64| {
        let left = ((wanted - by_probes) / (1.0 - by_probes)).max(0.0);
        (-libm::ldexp(libm::log1p(-left), 32)) as u64
    };
    let bound = |bits: u32| {
        let bits_per_key = BitsPerKey::whole(bits);
        let most = Format::LevelDb
            .max_keys(bytes, bits_per_key)
            .min(Question::MAX_KEYS);
        let will_do = |keys: u64| {
            let shared = shared(keys);
            let bits = bits_per_key.filter_bits(keys).map_err(words)?;
            let probes = u32::from(bits_per_key.probe_count());
            let by_probes = sizing::rate(bits, keys, probes).map_err(words)?;
            Ok(shared + by_probes * (1.0 - shared) <= wanted)
        };
        Ok((largest(0, most, will_do)?, bits))
    };
    let mut bounds = (1..=MAX_BITS).map(bound).collect::<Result<Vec<_>, String>>()?;
    bounds.sort_by_key(|&(keys, bits)| (std::cmp::Reverse(keys), bits));
    let mut best = (0, 0);
    for (bound, bits) in bounds {
        if bound <= best.0 {
            break;
        }
        let (mut low, mut high, mut tried) = (best.0, bound, bound);
        for _ in 0..COUNTS {
            let bits_per_key = BitsPerKey::whole(bits);
            let rate = Format::LevelDb.rate(tried, bits_per_key).map_err(words)?;
            let by_probes = (rate - shared(tried)) / (1.0 - shared(tried));
            if rate <= wanted {
                low = tried;
            } else {
                high = tried;
            }
            let part = (bound / PARTS).max(1);
            let is_hopeless = best.0 > 0 && tried == bound && keys_left(SWING * by_probes) <= best.0;
            if low == bound || high - low <= part || is_hopeless {
                break;
            }
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
    Ok(best)
}

/// The most keys for which the format reaches a rate in so many bytes, and the fewest whole bits per key that do it.
fn most_keys_at(format: Format, wanted: f64, bytes: u64) -> Result<(u64, f64), String> {
    let (mut best, mut best_bits) = (0, 0.0);
    if format == Format::LevelDb {
        let (keys, bits) = most_keys_of_leveldb(wanted, bytes)?;
        (best, best_bits) = (keys, f64::from(bits));
    }
    for bits in (1..=MAX_BITS).filter(|_| format != Format::LevelDb) {
        let bits_per_key = BitsPerKey::whole(bits);
        let rate = |keys: u64| format.rate(keys, bits_per_key).map_err(words);
        let most = format.max_keys(bytes, bits_per_key).min(Question::MAX_KEYS);
        if most <= best {
            break;
        }
        // What takes no more than the best of all filters needs no long sums.
        let least = libm::exp2(-8.0 * bytes as f64 / most as f64);
        if least <= wanted && rate(most)? <= wanted {
            // With more bits per key fewer fit.
            return Ok((most, f64::from(bits)));
        }
        // Hash values, and the lengths of RocksDB's filters, reach only so far: fewer keys may do, where so many bits do.
        if least_rate(format, bits) > wanted {
            continue;
        }
        if rate(best + 1)? > wanted {
            continue;
        }
        let reaches = |keys| Ok(rate(keys)? <= wanted);
        (best, best_bits) = (largest(best + 1, most, reaches)?, f64::from(bits));
    }
    if best > 0 {
        return Ok((best, best_bits));
    }
    Err(format!(
        "rate must be higher for filters of at most {bytes} bytes and {MAX_BITS} bits per key"
    ))
}

/// No large filter of so many bits per key has a lower rate: of those with probes the best Bloom filter, otherwise what the
/// information allows.
fn least_rate(format: Format, bits: u32) -> f64 {
    let bits = f64::from(bits);
    if format == Format::Ribbon {
        libm::exp2(-bits)
    } else {
        libm::exp(-bits * std::f64::consts::LN_2 * std::f64::consts::LN_2)
    }
}

/// The most keys whose filter takes at most so many bytes.
fn most_keys(filter: Filter, question: &Question, bytes: u64) -> Result<u64, String> {
    let fits = |keys: u64| match (filter.engine(), question.bits_per_key) {
        (None, Some(bits)) => bits * keys as f64 <= 8.0 * bytes as f64,
        _ => setting(filter, question, keys).is_ok_and(|setting| fits(filter, keys, setting, bytes)),
    };
    let most = largest(0, Question::MAX_KEYS, |keys| Ok(fits(keys)))?;
    if most == 0 {
        // Mostly the reason is that of one key.
        setting(filter, question, 1)?;
        return Err(format!(
            "memory must have room for at least 1 key, got {bytes} bytes"
        ));
    }
    Ok(most)
}

/// The largest number up to `high` that will do; all below it do, and `low` does.
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

/// Whether a filter fits; one that cannot be built fits if the formula says so, since then it is too small to be one.
fn fits(filter: Filter, keys: u64, setting: f64, bytes: u64) -> bool {
    // The rate of LevelDB's would take long, and is not asked for.
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
