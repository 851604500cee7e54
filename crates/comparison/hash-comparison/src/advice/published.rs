//! The published comparison as data: collisions and times of 17 functions on three key sets, and the sizes and
//! rates of the Bloom filter policy on two.
//!
//! The figures come from the articles that this project reproduces (`hardcore-os/HashLib`, 2021). Of the three key
//! sets only the third is known exactly; for the other two the recipes of this project draw keys of the same kind, so
//! counts agree only within the spread over seeds that `published/counts.csv` has beside them.

use std::path::Path;
use std::sync::LazyLock;

use crate::record::stored;
use records::table::{self, Row};

stored! {
    /// A key set of the published comparison, under the name of the embedded dataset that stands for it.
    pub enum PublishedSet {
        /// 1,000,000 random strings.
        RandomStrings,
        /// 40,000 video ids.
        VideoIds,
        /// 45,402 app accounts.
        AppAccounts,
    }

    /// A function on a key set. The spread over seeds of this project's recipe, counted once by an independent C program,
    /// is there unless the published keys are known.
    pub struct CountRow {
        /// The keys.
        pub set: PublishedSet,
        /// The function, as published.
        pub function: String,
        /// Total time over the set, nanoseconds, clock calls included, on an unknown machine.
        pub total_ns: u64,
        /// Keys minus distinct 32-bit values.
        pub collisions: u64,
        /// Mean count over the seeds.
        pub mean: Option<f64>,
        /// Standard deviation of one count.
        pub sd: Option<f64>,
        /// Smallest count.
        pub min: Option<u64>,
        /// Largest count.
        pub max: Option<u64>,
    }

    /// A filter over a key set.
    ///
    /// The known rates were measured apart from any run. Their excess over the textbook's is the weakness of LevelDB's
    /// probing that facebook/rocksdb#4120 describes.
    pub struct FilterRow {
        /// Bits per key given to the policy.
        pub bits_per_key: u32,
        /// The keys.
        pub set: PublishedSet,
        /// Number of keys. The filters use twice as many video ids as the hash table, another draw from the same source.
        pub keys: u64,
        /// Bytes of the keys.
        pub raw_bytes: u64,
        /// Bytes of the filter.
        pub filter_bytes: u64,
        /// `1 - filter_bytes / raw_bytes`.
        pub saved: f64,
        /// Matches among absent keys, divided by 10,000. About 70,000 absent keys would fit all rows.
        pub matches_per_10_000: Option<f64>,
        /// Rate of the policy's double hashing with any good hash: 5 seeds, 1,000,000 absent keys each.
        pub policy: Option<f64>,
        /// `(1 - (1 - 1/m)^(kn))^k`.
        pub textbook: Option<f64>,
    }
}

impl PublishedSet {
    /// Returns the number of keys.
    pub const fn keys(self) -> u64 {
        [1_000_000, 40_000, 45_402][self as usize]
    }

    /// Returns the number of seeds behind a spread, counted from 1, or 0 for the set that is known exactly.
    pub const fn seeds(self) -> u64 {
        [200, 1_000, 0][self as usize]
    }

    /// Returns true if the published keys are known byte for byte, so that counts must be equal.
    pub const fn is_exact(self) -> bool {
        matches!(self, Self::AppAccounts)
    }

    /// Returns the set that the embedded dataset of this name stands for.
    pub fn of_dataset(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|set| set.to_string() == name)
    }
}

impl CountRow {
    /// Returns the rows of a set, in the published order.
    pub fn of(set: PublishedSet) -> impl Iterator<Item = &'static Self> {
        static ROWS: LazyLock<Vec<CountRow>> = LazyLock::new(|| rows(include_str!("published/counts.csv")));
        ROWS.iter().filter(move |row| row.set == set)
    }

    /// Returns the number of standard deviations by which `count` exceeds the mean.
    pub fn z(&self, count: u64) -> Option<f64> {
        Some((count as f64 - self.mean?) / self.sd?)
    }

    /// Returns true if some seed gives no more and some no less than `count`.
    pub fn spans(&self, count: u64) -> bool {
        self.min.is_some_and(|min| min <= count) && self.max.is_some_and(|max| count <= max)
    }
}

impl FilterRow {
    /// Returns all rows, in the published order.
    pub fn all() -> &'static [Self] {
        static ROWS: LazyLock<Vec<FilterRow>> = LazyLock::new(|| rows(include_str!("published/filters.csv")));
        &ROWS
    }

    /// Returns the filter size by the policy's format: the bits rounded up to bytes, and one byte for the probe count.
    pub const fn formula_bytes(&self) -> u64 {
        (self.keys * self.bits_per_key as u64).div_ceil(8) + 1
    }
}

fn rows<R: Row>(text: &str) -> Vec<R> {
    table::parse(Path::new("published"), text.as_bytes())
        .expect("the files inside the program are well formed")
}
