//! The rate against the bits stored per key.

use super::{Answer, Filter, Question, answer};

/// The bits per key of the first and the last point of a curve.
pub const CURVE: std::ops::RangeInclusive<u32> = 4..=24;

/// Returns the answers for a kind of filter and this many keys at each integer of bits per key in [`CURVE`]. Points
/// that the format does not reach are omitted.
///
/// Formats that are configured by bits per key get that number, the others the memory that it amounts to.
pub fn curve(filter: Filter, keys: u64) -> Vec<Answer> {
    let mut points: Vec<Answer> = Vec::new();
    for bits in CURVE {
        let question = Question {
            keys: Some(keys),
            bits_per_key: Some(f64::from(bits)),
            ..Question::default()
        };
        let Some(point) = question
            .checked()
            .ok()
            .and_then(|question| answer(filter, &question).ok())
        else {
            continue;
        };
        // Small filters have one size over a range of bits per key.
        if points
            .last()
            .is_none_or(|last| last.bits_per_key < point.bits_per_key)
        {
            points.push(point);
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_bits_err_less_often() {
        // LevelDB's rate may rise with more bits: at 1,000,000 keys from 0.056 % with 18 to 0.099 % with 19.
        let steady = |filter: &Filter| *filter != Filter::LevelDb;
        for filter in Filter::ALL.into_iter().filter(steady) {
            for keys in [32, 1_000_000] {
                let points = curve(filter, keys);
                assert!(
                    points.len() >= 5 || keys == 32,
                    "{filter:?} {keys}: {}",
                    points.len()
                );
                for pair in points.windows(2) {
                    // A change of the probe count may cost a little.
                    assert!(pair[1].rate < pair[0].rate * 1.05, "{filter:?} {keys} {pair:?}");
                    assert!(pair[1].bits_per_key > pair[0].bits_per_key);
                }
            }
        }
    }
}
