//! False positives: each function inside the real filter policies, LevelDB's for 32 bits of a hash and Parquet's for 64.

mod exact;
mod measure;
mod tables;
mod verdict;

use super::on_dataset::DatasetRows;
use super::tables::Cell;
use super::{Measure, Of, Question, Section};
use crate::record::rows;
use terminal::progress::go_on;

pub use self::exact::{UnluckySize, WiderHash, unlucky_size, wider_hash};
pub use self::measure::*;
pub use self::verdict::FEWEST_KEYS;
pub use self::verdict::{AgainstIdeal, against_ideal, spread, spread_of_blocks};

rows! {
    /// A row of `false_positives.csv`.
    ///
    /// A function's row counts one filter, or two if a set is split into halves that swap roles. A filter holds at most
    /// [`MAX_FILTER_KEYS`] keys. The row `IDEAL` sums
    /// the filters of several hashes with different keys, so that the reference is not a matter of luck: four hashes
    /// over a generated set, otherwise enough for 1,000,000 probes, fewer if keys are very long.
    pub struct FalsePositiveRow: [dataset] {
        /// Bits per key of the filter.
        pub bits_per_key: u32,
        /// Keys in a filter.
        pub keys: u64,
        /// Probes with absent keys, over all filters of the row.
        pub probes: u64,
        /// Probes that matched.
        pub false_positives: u64,
        /// `false_positives / probes`.
        pub rate: f64,
        /// Lower end of the 95 % interval of the rate.
        pub ci_low: f64,
        /// Upper end of that interval.
        pub ci_high: f64,
        /// `(1 - (1 - 1/m)^(kn))^k` with the filter's own m and k.
        pub theory: f64,
        /// Bytes of the keys in a filter; in the first, if there are two.
        pub raw_bytes: u64,
        /// Bytes of a filter, the trailing probe count included.
        pub filter_bytes: u64,
        /// `1 - filter_bytes / raw_bytes`.
        pub saved: f64,
    }

    /// A row of `near_sizes.csv`: false positives of LevelDB filters of `keys` keys and of the next smaller numbers of
    /// keys, because the rate of this format jumps with the exact length of the filter. Or a row of `split_blocks.csv`: those of
    /// Parquet's filters, of functions of 64 bits, with `keys` keys alone.
    pub struct NearSizesRow: [dataset] {
        /// Bits per key of the filters.
        pub bits_per_key: u32,
        /// Keys in the largest filter.
        pub keys: u64,
        /// Number of numbers of keys: `keys`, `keys - 1` and so on.
        pub sizes: u64,
        /// Number of probes with absent keys, over all filters of the row.
        pub probes: u64,
        /// Number of absent keys that matched.
        pub false_positives: u64,
        /// `false_positives / probes`.
        pub rate: f64,
        /// The rate of the number of keys with the fewest false positives.
        pub lowest_rate: f64,
        /// The rate of the number of keys with the most false positives.
        pub highest_rate: f64,
        /// Keys compared per key found in a hash table of `keys` keys, in buckets by the low bits, at least half as many as
        /// keys; none for the largest filters.
        pub compared: Option<f64>,
    }
}

impl<'a> DatasetRows<'a> {
    /// Returns the false positives of `function` at `bits_per_key`.
    pub fn false_positives(&self, function: &str, bits_per_key: u32) -> Option<&'a FalsePositiveRow> {
        self.about(&self.records.false_positives, function)
            .find(|row| row.bits_per_key == bits_per_key)
    }

    /// Returns the mean over the largest filters of `function` at `bits_per_key`.
    pub fn largest_filters(&self, function: &str, bits_per_key: u32) -> Option<&'a NearSizesRow> {
        let rows = self.about(&self.records.near_sizes, function);
        let rows = rows.filter(|row| row.bits_per_key == bits_per_key);
        rows.max_by_key(|row| row.keys)
    }
}

pub(super) const QUESTION: Question = Question {
    measure: Measure::Prepared(|dataset| {
        let probes = Probes::new(dataset);
        Box::new(move |hashed, progress, records| {
            go_on(progress)?;
            let (near_sizes, rates) = match hashed {
                Some(hashed) => {
                    let (facts, values) = (&hashed.function.facts, probes.values(hashed));
                    if facts.output_bits == u64::BITS {
                        let rows = probes.of_split_blocks(&facts.name, &values, progress)?;
                        records.split_blocks.extend(rows);
                    }
                    probes.of_function(&facts.name, &values, progress)?
                }
                None => {
                    records.split_blocks.extend(probes.split_blocks_ideal(progress)?);
                    (probes.sizes_ideal(progress)?, probes.measure_ideal(progress)?)
                }
            };
            records.near_sizes.extend(near_sizes);
            records.false_positives.extend(rates);
            Ok(())
        })
    }),
    defects: |records, dataset, function| {
        let low = against_ideal(&records.near_sizes, dataset, &function.name, spread);
        let whole = against_ideal(&records.split_blocks, dataset, &function.name, spread_of_blocks);
        let mut defects = verdict::defects(low, function.bits, "filters");
        defects.extend(verdict::defects(whole, function.output_bits, "Parquet's filters"));
        defects
    },
    costs: verdict::costs,
    at: exact::at,
    columns: |data, function| {
        let rate = |head, bits| {
            let row = data.largest_filters(function, bits);
            (head, row.map(|row| Cell::Percent(row.rate)).into())
        };
        vec![
            rate("False positives, 10 bits", 10),
            rate("False positives, 15 bits", 15),
            rate("False positives, 20 bits", 20),
        ]
    },
    sections: &[Section {
        title: "false positives",
        id: None,
        text: "Counted in LevelDB's filter, which takes 32 bits of a hash, of at most 1,000,000 keys, drawn from a larger set; the row \
               “ideal” adds up several keyed 64-bit hashes. Functions of 64 bits are counted in Parquet's filter, too: the upper \
               half chooses a block of 32 bytes, and the lower half bits in it. The rate of LevelDB's filter jumps with its exact number of \
               bits, and grows with millions of keys, because start and step of all probes come from one 32-bit hash. The tests and the advice therefore take means over up \
               to 16 numbers of keys, those just below the one that is named. Filters with a hash function of their own do \
               not depend on the choice above; their rates and bits are calculated.",
        folded: true,
        charts: &[],
        tables: Of::Dataset(tables::all),
    }],
    ..Question::NONE
};
