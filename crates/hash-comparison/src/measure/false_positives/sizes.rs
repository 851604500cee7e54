//! Filters and tables over some of the keys: the cost of a function as a set grows.

use super::{Plan, Probes, matches};
use crate::record::{IDEAL, SizeRow};

/// Measured numbers of keys, if a filter over the whole dataset holds more.
pub const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
/// Bits per key of the filters.
pub const BITS_PER_KEY: u32 = 10;
/// The most absent keys that probe a filter.
const MAX_ASKED: usize = 100_000;
/// The number of ideal hashes whose counts are summed.
const IDEALS: u64 = 8;

impl Probes<'_> {
    /// Returns the rows of the ideal hash, one for each of [`SIZES`].
    pub fn sizes_ideal(&self) -> Vec<SizeRow> {
        let most = SIZES[SIZES.len() - 1].max(MAX_ASKED);
        let hashes: Vec<_> = (0..IDEALS).map(|index| self.ideal(index, most)).collect();
        self.sizes(IDEAL, &hashes)
    }

    /// Returns the rows of one function with these [`values`](Self::values). Counts of several hashes are summed.
    pub(in crate::measure) fn sizes(&self, function: &str, hashes: &[[Vec<u32>; 2]]) -> Vec<SizeRow> {
        let total = match &self.plan {
            Plan::Nothing => return Vec::new(),
            Plan::Continued { .. } => self.dataset.keys.len(),
            Plan::TwoFold { halves: [first, _] } => first.len(),
        };
        let row = |size: usize| {
            let (mut probes, mut false_positives, mut compared) = (0, 0, 0.0);
            for [built, asked] in hashes {
                let asked = &asked[..asked.len().min(MAX_ASKED)];
                false_positives += matches(BITS_PER_KEY, &built[..size], asked);
                compared += comparisons(&built[..size]) / hashes.len() as f64;
                probes += asked.len() as u64;
            }
            SizeRow {
                dataset: self.dataset.name.clone(),
                function: function.to_owned(),
                keys: size as u64,
                probes,
                false_positives,
                rate: false_positives as f64 / probes as f64,
                compared,
            }
        };
        let sizes = SIZES.into_iter().filter(|&size| size < total);
        sizes.map(row).collect()
    }
}

/// Returns the mean number of keys compared per key found, in a table that chooses buckets by the low bits. The number
/// of buckets is the largest power of two not above the number of keys.
fn comparisons(values: &[u32]) -> f64 {
    let buckets = 1 << values.len().ilog2();
    let mut counts = vec![0_u64; buckets];
    let mut compared = 0;
    for &value in values {
        let count = &mut counts[value as usize & (buckets - 1)];
        *count += 1;
        compared += *count;
    }
    compared as f64 / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functions;
    use crate::keys::load_embedded;
    use crate::measure::Hashed;

    #[test]
    fn small_tables_are_counted_by_hand() {
        // Four buckets: three keys in the first, one in the second: (1 + 2 + 3 + 1) / 4.
        assert_eq!(comparisons(&[0, 4, 8, 1]), 1.75);
        assert_eq!(comparisons(&[7]), 1.0);
    }

    #[test]
    fn sizes_below_the_dataset_are_measured_and_bad_functions_stand_out() {
        let dataset = load_embedded("app-accounts", 1).unwrap();
        let probes = Probes::new(&dataset);
        let poor = Hashed::new(&dataset.keys, functions::find("BPHash").unwrap());
        let [ideal, poor] = [
            probes.sizes_ideal(),
            probes.sizes("BPHash", &[probes.values(&poor)]),
        ];
        let sizes = |rows: &[SizeRow]| rows.iter().map(|row| row.keys).collect::<Vec<_>>();
        assert_eq!(
            (sizes(&ideal), sizes(&poor)),
            (vec![1_000, 10_000], vec![1_000, 10_000])
        );
        for (ideal, poor) in ideal.iter().zip(&poor) {
            assert!((0.005..0.015).contains(&ideal.rate), "{ideal:?}");
            assert!((1.5..2.0).contains(&ideal.compared), "{ideal:?}");
            assert!(
                poor.rate > 5.0 * ideal.rate && poor.compared > ideal.compared,
                "{poor:?}"
            );
        }
    }
}
