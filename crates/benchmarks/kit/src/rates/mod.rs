//! Real filters: the share of absent keys that they let through, by bits per key and by the number of keys, against what
//! an ideal filter would do.
//!
//! Three costs become visible. *32 bits of hash*: among n keys an absent one has the value of a stored one with
//! probability n / 2^32, whatever the bits per key. *One hash for all probes*: LevelDB's scheme takes each next probe from
//! the same 32 bits, rotated by 17. *A poor function*: keys that share a value are one key to the filter.
//!
//! Nothing here is timed and nothing is random: keys come from SplitMix64 under a fixed seed, and the same records come
//! out on every machine, with any number of threads.

mod applications;
mod filters;
mod keys;
mod run;
mod series;
#[cfg(test)]
mod tests;

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

pub use self::keys::KeyForm;
pub use self::run::{Effort, rates};
pub use self::series::{IDEAL, SERIES, Scheme, Series};
use crate::benchmark::{self, Bench, Folder, Format, Record};
use crate::chart;
use hash_comparison::record::folder::OutputError;
use hash_comparison::progress::Cancelled;
use hash_comparison::record::significant;
use hash_comparison::record::files::RecordsError;

/// The records of this measurement; each of the charts has a name of its own.
pub const FORMAT: Format = Format {
    name: "rates-bench",
    schema: 1,
    rows: "rates",
    chart: "",
};

/// File names of the charts, without extensions: the rate over the ideal one against the number of keys, and the rate
/// against the bits per key.
pub const CHARTS: [&str; 2] = ["rates-by-keys", "rates-by-bits"];

/// Confidence of the interval of a rate. It is that of independent questions to one filter. Filters of few keys are
/// averaged over so many that their own luck hardly counts; a filter that is alone has a million keys or more.
pub const INTERVAL_LEVEL: f64 = 0.95;

/// State of the generator that keys come from, and the seed of the ideal hash's key.
pub const SEED: u64 = 1;

/// A row of `rates.csv`: the filters of a series, a size and a number of bits per key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rate {
    /// Name of the policy or the filter, or of the hash function in LevelDB's scheme.
    pub series: String,
    /// How it places its bits.
    pub scheme: Scheme,
    /// Which keys it was given.
    pub key_form: KeyForm,
    /// Bits per key that it was configured with. Filters that are made for a rate get the lowest one that so many bits
    /// allow, e^(-b (ln 2)^2).
    pub bits_per_key: u32,
    /// Keys of a filter.
    pub keys: u64,
    /// Filters that were built, each from keys of its own.
    pub filters: u64,
    /// Absent keys that they were asked for, all together.
    pub probes: u64,
    /// How many of them matched.
    pub false_positives: u64,
    /// Their share.
    #[serde(with = "significant")]
    pub rate: f64,
    /// Lower end of its interval, see [`INTERVAL_LEVEL`].
    #[serde(with = "significant")]
    pub ci_low: f64,
    /// Upper end of that interval.
    #[serde(with = "significant")]
    pub ci_high: f64,
    /// The exact rate of an ideal Bloom filter with the same bits, probes and keys: an ideal hash and independent probes.
    /// Ribbon, cuckoo and growing filters, which are not one array that is probed, are held against the best ideal Bloom
    /// filter of `bits_per_key`.
    #[serde(with = "significant")]
    pub ideal: f64,
    /// What the filter's own formula says: of the policies [`filter_policy::sizing::Format::rate`], of a growing filter the
    /// rate that it was made for and stays under; of Guava's, the counting and the legacy filter the ideal one.
    #[serde(with = "significant")]
    pub expected: f64,
    /// Bytes of a filter as stored; the mean where they differ.
    #[serde(with = "significant")]
    pub bytes: f64,
}

impl Rate {
    /// Bits that are stored for a key.
    pub fn stored_bits_per_key(&self) -> f64 {
        self.bytes * 8.0 / self.keys as f64
    }

    /// Series and keys, in words.
    pub fn name(&self) -> String {
        let name = match (self.series.as_str(), self.scheme) {
            (IDEAL, Scheme::Ideal) => "ideal hash and probes",
            (IDEAL, _) => "ideal hash of 32 bits",
            (series::LEVELDB, _) => "LevelDB's own hash",
            (name, _) => name,
        };
        match self.key_form {
            KeyForm::RandomDecimals => name.to_owned(),
            KeyForm::NumbersInARow => format!("{name}, in a row"),
        }
    }
}

/// Most keys and probes; far from where sums overflow.
const MOST: u64 = 1 << 48;

impl Record for Rate {
    const HEADER: &'static [&'static str] = &[
        "series",
        "scheme",
        "key_form",
        "bits_per_key",
        "keys",
        "filters",
        "probes",
        "false_positives",
        "rate",
        "ci_low",
        "ci_high",
        "ideal",
        "expected",
        "bytes",
    ];

    fn fault(&self) -> Option<&'static str> {
        let counts = [self.keys, self.filters, self.probes];
        let positive = [self.ideal, self.expected, self.bytes];
        if counts.iter().any(|count| !(1..=MOST).contains(count)) {
            Some("keys, filters and probes are 1 to 2^48")
        } else if self.false_positives > self.probes {
            Some("false_positives are more than probes")
        } else if positive
            .iter()
            .any(|number| !number.is_finite() || *number <= 0.0)
        {
            Some("ideal, expected and bytes are positive")
        } else if !(0.0 <= self.ci_low
            && self.ci_low <= self.rate
            && self.rate <= self.ci_high
            && self.ci_high <= 1.0)
        {
            Some("rate is not from ci_low to ci_high, or these are not from 0 to 1")
        } else {
            None
        }
    }
}

/// Why there are no rates.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RatesError {
    /// On request.
    Cancelled,
    /// The system gives no threads.
    Threads {
        /// Its reason.
        reason: String,
    },
    /// A hash function is unknown, or is not what its name says.
    Function {
        /// Which, and what of it.
        reason: String,
    },
    /// A filter could not be built, or is wrong.
    Filter {
        /// Whose.
        series: &'static str,
        /// Keys of it.
        keys: u64,
        /// Bits per key.
        bits_per_key: u32,
        /// What happened.
        reason: String,
    },
}

impl fmt::Display for RatesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cancelled => Cancelled.fmt(f),
            Self::Threads { reason } => write!(f, "threads: {reason}"),
            Self::Function { reason } => f.write_str(reason),
            Self::Filter {
                series,
                keys,
                bits_per_key,
                reason,
            } => write!(
                f,
                "{series}: a filter of {keys} keys at {bits_per_key} bits per key: {reason}"
            ),
        }
    }
}

impl std::error::Error for RatesError {}

impl From<Cancelled> for RatesError {
    fn from(_: Cancelled) -> Self {
        Self::Cancelled
    }
}

/// Reads a `rates.csv`.
///
/// # Errors
///
/// When the file cannot be read or is malformed, with its line.
pub fn read_rows(path: &Path) -> Result<Vec<Rate>, RecordsError> {
    benchmark::read(path)
}

/// Writes the rows and the charts, and moves them to `folder` when complete.
///
/// # Errors
///
/// When the folder is no longer ours to write, and when the system fails.
pub fn write(folder: &Folder, bench: &Bench, rows: &[Rate]) -> Result<(), OutputError> {
    benchmark::write_rows(folder, bench, rows, |rows: &[Rate]| {
        let charts = [chart::rates_by_keys(rows), chart::rates_by_bits(rows)];
        let named = CHARTS.into_iter().zip(charts);
        named.filter_map(|(name, scene)| Some((name, scene?))).collect()
    })
}
