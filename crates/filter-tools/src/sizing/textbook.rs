//! The textbook's filter: independent probes, and no rounding except of the probe count and the last byte.

use filter_formats::sizing::Textbook;

use super::filter::words;
use super::{Answer, Filter, Question};

/// Calculates the bits per key first, then the keys that fit.
pub(super) fn answer(question: &Question) -> Result<Answer, String> {
    let bits_per_key = match (question.rate, question.bits_per_key, question.probes) {
        (Some(rate), _, Some(probes)) => Textbook::with_probe_count(probes)
            .bits_per_key(rate)
            .map_err(words)?,
        (Some(rate), ..) => Textbook::BEST.bits_per_key(rate).map_err(words)?,
        (None, Some(bits), _) => bits,
        (None, None, probes) => match (question.keys, question.memory, probes) {
            (Some(keys), Some(bytes), _) => 8.0 * bytes as f64 / keys as f64,
            (_, _, Some(probes)) => f64::from(probes) / std::f64::consts::LN_2,
            _ => return Err("rate, bits per key, memory or probes must be given".to_owned()),
        },
    };
    let keys = match (question.keys, question.memory) {
        (Some(keys), _) => keys,
        (None, Some(bytes)) => whole(8.0 * bytes as f64 / bits_per_key),
        (None, None) => return Err("keys or memory must be given".to_owned()),
    };
    if keys == 0 {
        return Err("memory must have room for at least 1 key".to_owned());
    }
    let probes = match question.probes {
        Some(probes) => probes,
        None => Textbook::best_whole_probe_count(bits_per_key).map_err(words)?,
    };
    let most = question.memory.map_or(f64::INFINITY, |bytes| 8.0 * bytes as f64);
    let bits = libm::ceil(bits_per_key * keys as f64).clamp(1.0, most);
    Ok(Answer {
        filter: Filter::Textbook,
        keys,
        bytes: whole(libm::ceil(bits / 8.0)),
        configured: None,
        bits_per_key,
        probes: Some(probes),
        rate: Textbook::with_probe_count(probes)
            .rate(whole(bits), keys)
            .map_err(words)?,
    })
}

/// Drops the fraction.
fn whole(number: f64) -> u64 {
    number as u64
}
