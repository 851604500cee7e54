//! The table of record files, and the rows about collisions, distribution, shards, filters and times.

use std::path::Path;

use super::about::rows_about;
use super::{
    AvalancheRow, Choice, CostRow, Finding, MechanismRow, MixingRow, OccupancyRow, Run, StructuredRow,
    WindowRow, stored,
};
use csv::StringRecord;
use records::error::Error;
use records::table;

/// A CSV file of rows.
#[derive(Debug)]
pub struct RecordFile {
    /// Name of the file.
    pub name: &'static str,
    /// Set if the file holds times, which differ from run to run. Other files depend only on data and seed.
    pub timed: bool,
    /// Set if other seeds give other rows on the same keys: the seed draws shuffles, samples and random keys.
    pub seeded: bool,
    /// Columns that together identify a row.
    pub key: &'static [&'static str],
    /// Columns that depend on all rows of the file, through the number of tests.
    pub shared: &'static [&'static str],
    /// Returns the bytes of the file.
    pub bytes: fn(&Records) -> Vec<u8>,
    /// Reads the rows of these bytes into the records; the path is for error messages.
    pub parse: fn(&mut Records, &Path, &[u8]) -> Result<(), Error>,
}

impl RecordFile {
    /// Returns the header and the rows as the file spells them.
    pub fn spelled(&self, records: &Records) -> (StringRecord, Vec<StringRecord>) {
        let bytes = (self.bytes)(records);
        let mut reader = csv::Reader::from_reader(&bytes[..]);
        let header = reader.headers().cloned().unwrap_or_default();
        (header, reader.records().flatten().collect())
    }
}

/// Defines [`Records`] and [`FILES`] from one line per file: its name, its row type, whether it holds times, whether it
/// depends on the seed, the columns that identify a row, and the columns that depend on all rows.
macro_rules! files {
    ($($name:ident: $row:ty, timed: $timed:literal, seeded: $seeded:literal, key: [$($key:ident)*], shared: [$($shared:ident)*];)*) => {
        /// Everything that one run recorded.
        #[derive(Debug, Clone, PartialEq)]
        pub struct Records {
            /// `run.json`.
            pub run: Run,
            $(
                #[doc = concat!("Rows of `", stringify!($name), ".csv`.")]
                pub $name: Vec<$row>,
            )*
        }

        impl Records {
            /// Creates records without rows.
            pub fn of(run: Run) -> Self {
                Self { run, $($name: Vec::new(),)* }
            }
        }

        /// The files of a run in addition to `run.json`.
        pub const FILES: &[RecordFile] = &[$(RecordFile {
            name: concat!(stringify!($name), ".csv"),
            timed: $timed,
            seeded: $seeded,
            key: &[$(stringify!($key)),*],
            shared: &[$(stringify!($shared)),*],
            bytes: |records| table::to_bytes(&records.$name),
            parse: |records, path, bytes| {
                records.$name = table::parse(path, bytes)?;
                Ok(())
            },
        }),*];

        $(const _: fn(&$row) = |row| {
            let _ = ($(&row.$key,)* $(&row.$shared,)*);
        };)*
    };
}

#[rustfmt::skip]
files! {
    collisions: CollisionRow, timed: false, seeded: false, key: [dataset function bits], shared: [band_low band_high p_adjusted verdict];
    timing: TimingRow, timed: true, seeded: true, key: [dataset function], shared: [];
    latency: TimingRow, timed: true, seeded: true, key: [dataset function], shared: [];
    spread: SpreadRow, timed: true, seeded: true, key: [dataset function form], shared: [];
    curves: CurveRow, timed: true, seeded: true, key: [function length form], shared: [];
    places: PlaceRow, timed: true, seeded: true, key: [dataset function place form], shared: [];
    distribution: DistributionRow, timed: false, seeded: false, key: [dataset function kind parameter], shared: [];
    false_positives: FalsePositiveRow, timed: false, seeded: true, key: [dataset function bits_per_key], shared: [];
    sizes: SizeRow, timed: false, seeded: true, key: [dataset function keys], shared: [];
    near_sizes: NearSizesRow, timed: false, seeded: true, key: [dataset function bits_per_key keys], shared: [];
    windows: WindowRow, timed: false, seeded: false, key: [dataset function end bits], shared: [p_adjusted];
    avalanche: AvalancheRow, timed: false, seeded: true, key: [function key_bytes input_bit output_bit], shared: [];
    mixing: MixingRow, timed: false, seeded: true, key: [function test key_bytes], shared: [p_adjusted];
    structured: StructuredRow, timed: false, seeded: true, key: [set function window bits], shared: [p_adjusted verdict first second];
    occupancy: OccupancyRow, timed: false, seeded: false, key: [dataset function choice],
        shared: [hit_low hit_high longest_high empty_low empty_high p_adjusted verdict];
    shards: ShardRow, timed: false, seeded: false, key: [dataset function choice buckets], shared: [];
    costs: CostRow, timed: false, seeded: true, key: [dataset function purpose],
        shared: [place measured chance cost p_adjusted measurable];
    mechanisms: MechanismRow, timed: false, seeded: false, key: [function mechanism],
        shared: [parameter hits chance p_adjusted holds first second];
}

rows_about! {
    AvalancheRow: |_| None;
    CollisionRow: |row| Some(&row.dataset);
    CostRow: |row| Some(&row.dataset);
    DistributionRow: |row| Some(&row.dataset);
    FalsePositiveRow: |row| Some(&row.dataset);
    Finding: |row| Some(&row.dataset);
    MixingRow: |_| None;
    NearSizesRow: |row| Some(&row.dataset);
    OccupancyRow: |row| Some(&row.dataset);
    PlaceRow: |row| Some(&row.dataset);
    ShardRow: |row| Some(&row.dataset);
    SizeRow: |row| Some(&row.dataset);
    SpreadRow: |row| Some(&row.dataset);
    StructuredRow: |_| None;
    TimingRow: |row| Some(&row.dataset);
    WindowRow: |row| Some(&row.dataset);
}

stored! {
    /// The result of a function compared with chance, best first.
    pub enum Verdict {
        /// Fewer collisions than a random function gives: the structure of these keys suits the function.
        FewerThanChance,
        /// No difference from a random function that this test could see.
        #[serde(alias = "in-band")]
        WithinChance,
        /// Worse than a random function, beyond what the number of tests explains.
        #[serde(alias = "measurably-worse")]
        WorseThanChance,
        /// So much worse that at least four bits of the output width are lost on these keys.
        #[serde(alias = "unusable")]
        FarWorseThanChance,
    }

    /// A row of `sizes.csv`: a LevelDB filter of 10 bits per key and a hash table of some of the keys.
    pub struct SizeRow {
        /// Name of the dataset.
        pub dataset: String,
        /// Name of the function; `ideal` sums several ideal hashes.
        pub function: String,
        /// Keys in the table, and in the largest of the filters.
        pub keys: u64,
        /// Number of probes with absent keys, summed over filters of this and the next smaller numbers of keys.
        pub probes: u64,
        /// Number of absent keys that matched in any of these filters.
        pub false_positives: u64,
        /// `false_positives / probes`.
        pub rate: f64,
        /// Keys compared per key found, in buckets by the low bits, at least half as many buckets as keys.
        pub compared: f64,
    }

    /// A row of `near_sizes.csv`: false positives of LevelDB filters of `keys` keys and of the next smaller numbers of
    /// keys, because the rate of this format jumps with the exact length of the filter.
    pub struct NearSizesRow {
        /// Name of the dataset.
        pub dataset: String,
        /// Name of the function; `ideal` sums several ideal hashes.
        pub function: String,
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
    }

    /// A row of `collisions.csv`.
    pub struct CollisionRow {
        /// Name of the dataset.
        pub dataset: String,
        /// Name of the function.
        pub function: String,
        /// Width that was compared, in low bits of the value.
        pub bits: u32,
        /// Distinct keys.
        pub keys: u64,
        /// Distinct keys minus distinct values.
        pub collisions: u64,
        /// Expected collisions of a random function of this width.
        pub expected: f64,
        /// Two-sided p-value of this test alone.
        pub p_value: f64,
        /// Lower end of the 99 % interval for the mean number of collisions.
        pub ci_low: f64,
        /// Upper end of that interval.
        pub ci_high: f64,
        /// Fewest collisions that a random function would show, at 1 % over all tests of the file.
        pub band_low: f64,
        /// Most collisions that a random function would show, at 1 % over all tests of the file.
        pub band_high: f64,
        /// `p_value` corrected for the number of tests in the file (Bonferroni).
        pub p_adjusted: f64,
        /// The verdict of this row.
        pub verdict: Verdict,
    }

    /// A row of `timing.csv` (independent calls) and of `latency.csv` (each call waits for the previous one).
    pub struct TimingRow {
        /// Name of the dataset.
        pub dataset: String,
        /// Name of the function; `empty` is the cost of the loop.
        pub function: String,
        /// Keys in one batch.
        pub keys: u64,
        /// Bytes in one batch.
        pub bytes: u64,
        /// Median over the rounds, the cost of the loop included.
        pub median_ns_per_key: f64,
        /// Median absolute deviation from that median.
        pub mad_ns_per_key: f64,
        /// Number of rounds.
        pub samples: u64,
    }

    /// The form of timed calls, independent or waiting for each other.
    pub enum CallForm {
        /// Calls overlap in the processor: throughput.
        Independent,
        /// Each call waits for the result of the previous one: latency.
        Chained,
    }
}

stored! {
    /// A row of `spread.csv`: quartiles of the readings behind a row of `timing.csv` or `latency.csv`, nanoseconds per
    /// key.
    pub struct SpreadRow {
        /// Name of the dataset.
        pub dataset: String,
        /// Name of the function; `empty` is the cost of the loop.
        pub function: String,
        /// The form of the calls.
        pub form: CallForm,
        /// Number of rounds.
        pub samples: u64,
        /// The fastest reading.
        pub min_ns: f64,
        /// The lower quartile.
        pub q1_ns: f64,
        /// The median.
        pub median_ns: f64,
        /// The upper quartile.
        pub q3_ns: f64,
        /// The slowest reading.
        pub max_ns: f64,
    }

    /// A row of `curves.csv`: the time of keys of one length.
    pub struct CurveRow {
        /// Name of the function; `empty` is the cost of the loop.
        pub function: String,
        /// Length of all keys, bytes.
        pub length: u64,
        /// The form of the calls.
        pub form: CallForm,
        /// Median over the rounds, the cost of the loop included.
        pub median_ns_per_key: f64,
        /// Median absolute deviation from that median.
        pub mad_ns_per_key: f64,
        /// Number of rounds.
        pub samples: u64,
    }

    /// The place of keys in memory while they are timed.
    pub enum Place {
        /// Back to back in a buffer that the caches hold.
        Cache,
        /// Far apart in a buffer larger than the caches, visited in shuffled order: usually read from main memory.
        Memory,
    }

    /// A row of `places.csv`: the time of the same keys in two places.
    pub struct PlaceRow {
        /// Name of the dataset.
        pub dataset: String,
        /// Name of the function; `empty` is the cost of the loop.
        pub function: String,
        /// The place of the keys.
        pub place: Place,
        /// The form of the calls.
        pub form: CallForm,
        /// Keys in one batch, a sample of the dataset.
        pub keys: u64,
        /// Size of the buffer that holds the keys, bytes.
        pub footprint_bytes: u64,
        /// Median over the rounds, the cost of the loop included.
        pub median_ns_per_key: f64,
        /// Median absolute deviation from that median.
        pub mad_ns_per_key: f64,
        /// Number of rounds.
        pub samples: u64,
    }

    /// The question that a row of `distribution.csv` answers.
    pub enum DistributionKind {
        /// Chi-square over `parameter` buckets, a power of two: the low bits choose.
        PowerOfTwoBuckets,
        /// Chi-square over `parameter` buckets, a prime: the remainder chooses.
        PrimeBuckets,
        /// Share of keys whose output bit `parameter` (0 is the lowest) is one; the p-value is that of the
        /// chi-square with one degree of freedom against one half.
        BitShare,
    }

    /// A row of `distribution.csv`.
    pub struct DistributionRow {
        /// Name of the dataset.
        pub dataset: String,
        /// Name of the function.
        pub function: String,
        /// The question.
        pub kind: DistributionKind,
        /// Number of buckets, or index of the output bit.
        pub parameter: u64,
        /// Chi-square, or the share of ones.
        pub statistic: f64,
        /// Degrees of freedom behind the p-value.
        pub dof: u64,
        /// Upper-tail p-value: the probability that a random function is at least as uneven.
        pub p_value: f64,
    }

    /// A row of `shards.csv`: the fullest of some buckets.
    pub struct ShardRow {
        /// Name of the dataset.
        pub dataset: String,
        /// Name of the function.
        pub function: String,
        /// The way in which buckets are chosen.
        pub choice: Choice,
        /// Number of buckets.
        pub buckets: u64,
        /// Distinct keys.
        pub keys: u64,
        /// Keys in the fullest bucket.
        pub fullest: u64,
        /// Expected keys in the fullest bucket of a random function.
        pub fullest_expected: f64,
        /// Upper-tail p-value.
        pub p_value: f64,
    }
}

/// Name of the row in `false_positives.csv` that shows the probe scheme with an ideal hash.
pub const IDEAL: &str = "ideal";
/// Name of the row in `timing.csv` and `latency.csv` that shows the cost of the loop itself.
pub const EMPTY: &str = "empty";

stored! {
    /// A row of `false_positives.csv`.
    ///
    /// A function's row counts one filter, or two if a set is split into halves that swap roles. The row [`IDEAL`] sums
    /// the filters of several hashes with different keys, so that the reference is not a matter of luck: four hashes
    /// over a generated set, otherwise enough for 1,000,000 probes, fewer if keys are very long.
    pub struct FalsePositiveRow {
        /// Name of the dataset.
        pub dataset: String,
        /// Name of the function; `ideal` is a keyed 64-bit hash cut to 32 bits, under several keys.
        pub function: String,
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
}
