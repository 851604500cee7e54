//! False positives of every policy and filter, compared with those of an ideal filter, by bits per key and by the number
//! of keys. Nothing is timed: the program writes the rows themselves.

use hash_comparison::record::table::Row;
use plots::thousands::grouped;
use serde::{Deserialize, Serialize};

use crate::charts;
use crate::folder::{Chart, Format};
use crate::suite::Suite;
use crate::summary::across;
use crate::words::words;

/// The name of the series of an ideal hash.
pub const IDEAL: &str = "ideal hash";

/// The name of the series of LevelDB's own policy.
pub const LEVELDB: &str = "leveldb.BuiltinBloomFilter2";

/// Bits per key at all sizes.
pub const FEW_BITS: [u32; 3] = [10, 15, 20];

words! {
    /// How a filter's bits follow from a hash value.
    Scheme {
        /// LevelDB's: 32 bits of hash, each probe the hash rotated by 17 bits further on.
        Leveldb = "LevelDB's",
        /// None that is stored: 64 bits of an ideal hash, and independent probes.
        Ideal = "ideal",
        /// That of `BloomFilter64.Xxph3`.
        Bloom64 = "BloomFilter64",
        /// RocksDB's lines of 64 bytes.
        FastLocalBloom = "FastLocalBloom",
        /// RocksDB's up to format version 4.
        LegacyFull = "legacy full filter",
        /// RocksDB's Ribbon.
        Ribbon = "Ribbon",
        /// Guava's `MURMUR128_MITZ_64`.
        GuavaMitz64 = "Guava, MITZ_64",
        /// Guava's `MURMUR128_MITZ_32`.
        GuavaMitz32 = "Guava, MITZ_32",
        /// Guava's, with counters of four bits.
        Counting = "counting",
        /// Fingerprints in buckets.
        Cuckoo = "cuckoo",
        /// A chain of Guava's filters, the first made for a tenth of the keys.
        Growing = "growing",
    }
}

words! {
    /// How keys come about.
    KeyForm {
        /// The outputs of SplitMix64 in decimal, 1 to 20 digits and mostly 19 or 20: the keys of the dataset
        /// `random-strings`. The generator gives each number once in its period of 2^64.
        RandomDecimals = "random decimals",
        /// Numbers that count up from 0, sixteen digits each.
        NumbersInARow = "numbers in a row",
    }
}

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
    #[serde(with = "statistics::significant")]
    pub rate: f64,
    /// Lower end of its interval, see [`INTERVAL_LEVEL`](crate::INTERVAL_LEVEL).
    #[serde(with = "statistics::significant")]
    pub ci_low: f64,
    /// Upper end of that interval.
    #[serde(with = "statistics::significant")]
    pub ci_high: f64,
    /// The exact rate of an ideal Bloom filter with the same bits, probes and keys: an ideal hash and independent probes.
    /// Ribbon, cuckoo and growing filters, which are not one array that is probed, are held against the best ideal Bloom
    /// filter of `bits_per_key`.
    #[serde(with = "statistics::significant")]
    pub ideal: f64,
    /// What the filter's own formula says: of the policies [`filter_policy::sizing::Format::rate`], of a growing filter the
    /// rate that it was made for and stays under; of Guava's, the counting and the legacy filter the ideal one.
    #[serde(with = "statistics::significant")]
    pub expected: f64,
    /// Bytes of a filter as stored; the mean where they differ.
    #[serde(with = "statistics::significant")]
    pub bytes: f64,
}

impl Row for Rate {}

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
            (LEVELDB, _) => "LevelDB's own hash",
            (name, _) => name,
        };
        match self.key_form {
            KeyForm::RandomDecimals => name.to_owned(),
            KeyForm::NumbersInARow => format!("{name}, in a row"),
        }
    }
}

/// The suite.
pub struct Rates;

impl Suite for Rates {
    type Batch = Rate;
    type Row = Rate;
    const FORMAT: Format = Format {
        name: "rates-bench",
        schema: 1,
        rows: "rates",
    };
    const KEEPS_BATCHES: bool = false;

    fn rows(rows: &[Rate]) -> Result<Vec<Rate>, String> {
        Ok(rows.to_vec())
    }

    fn charts(rows: &[Rate]) -> Vec<Chart> {
        let mut charts = charts::one("rates-by-keys", charts::rates::by_keys(rows));
        charts.extend(charts::one("rates-by-bits", charts::rates::by_bits(rows)));
        charts
    }

    /// A table for each of the bits per key that all sizes have: rates over the ideal one by size.
    fn summary(rows: &[Rate]) -> String {
        let mut sizes: Vec<u64> = rows.iter().map(|row| row.keys).collect();
        sizes.sort_unstable();
        sizes.dedup();
        // As many as fit beside the names, the largest among them.
        let step = sizes.len().div_ceil(6).max(1);
        let shown: Vec<u64> = sizes.iter().rev().step_by(step).copied().collect();
        let mut text = String::new();
        for bits in FEW_BITS {
            let of_table = rows.iter().filter(|row| row.bits_per_key == bits && shown.contains(&row.keys));
            let table = across(
                &of_table.collect::<Vec<_>>(),
                &format!("{bits} bits per key"),
                |row| row.name(),
                |row| grouped(row.keys),
                |row| format!("{:.2}", row.rate / row.ideal),
            );
            text.push_str(&format!("\n{table}\n"));
        }
        text.push_str(
            "\nFalse positives over those of an ideal filter, by the keys of a filter. Rates are in rates.csv.\n",
        );
        text
    }
}
