//! From bytes and counts to bits for each key and rates.

use super::{Measurement, Memory};
use hash_comparison::record::significant;
use statistics::binomial;

/// Level of the intervals of rates.
pub const INTERVAL_LEVEL: f64 = 0.95;

/// A row for each measurement, in their order.
///
/// # Errors
///
/// When a structure was measured twice at the same rate, and when the numbers of keys differ.
pub fn summarize(measurements: &[Measurement]) -> Result<Vec<Memory>, String> {
    for (index, one) in measurements.iter().enumerate() {
        let before = &measurements[..index];
        if let Some(other) = before.iter().find(|other| other.keys != one.keys) {
            return Err(format!(
                "{} was measured with {} keys, {} with {}",
                other.structure.words(),
                other.keys,
                one.structure.words(),
                one.keys
            ));
        }
        let same =
            |other: &Measurement| (other.structure, other.asked_rate) == (one.structure, one.asked_rate);
        if before.iter().any(same) {
            let rate = one
                .asked_rate
                .map_or_else(String::new, |rate| format!(" at a rate of {rate}"));
            return Err(format!("{}{rate} is there twice", one.structure.words()));
        }
    }
    Ok(measurements.iter().map(row).collect())
}

fn row(of: &Measurement) -> Memory {
    let bits = |bytes: u64| bytes as f64 * 8.0 / of.keys as f64;
    let rate = of.false_positives as f64 / of.absent as f64;
    let (rate_low, rate_high) = binomial::share_interval(of.false_positives, of.absent, INTERVAL_LEVEL);
    Memory {
        structure: of.structure,
        asked_rate: of.asked_rate,
        keys: of.keys,
        reported_bits_per_key: of.reported_bytes.map(bits).map(significant::round),
        allocated_bits_per_key: bits(of.allocated_bytes),
        peak_bits_per_key: bits(of.peak_bytes),
        absent: of.absent,
        false_positives: of.false_positives,
        rate,
        rate_low,
        rate_high,
        bound_bits_per_key: (rate > 0.0).then(|| significant::round(-libm::log2(rate))),
    }
}
