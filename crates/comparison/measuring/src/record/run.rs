//! `run.json`: the run, its machine, its datasets, and its findings.

use std::collections::BTreeMap;

use super::{BitFact, Environment, FunctionSummary, Request, Verdict, rows, stored};

stored! {
    /// `run.json`: everything that the CSV files do not hold.
    #[derive(Default)]
    pub struct Run {
        /// The kind of file.
        pub format: String,
        /// Version of the format.
        pub schema: u32,
        /// Name and version of the program.
        pub generator: String,
        /// The command line that repeats this run.
        pub command: String,
        /// Start of the run, UTC, RFC 3339.
        pub date: String,
        /// Seed of every random choice.
        pub seed: u64,
        /// Set if fewer timing samples were taken.
        pub quick: bool,
        /// Every file of the run, relative to its folder, sorted, `run.json` itself included.
        pub files: Vec<String>,
        /// SHA-256 of the files that hold records, by name, lower-case hex. The checksum of `run.json` is that of the
        /// file with 64 zeros in its place.
        pub checksums: BTreeMap<String, String>,
        /// The machine and the build.
        pub environment: Environment,
        /// The datasets, in the order measured.
        pub datasets: Vec<DatasetSummary>,
        /// The functions, in the order measured.
        pub functions: Vec<FunctionSummary>,
        /// One finding for each dataset and function.
        pub findings: Vec<Finding>,
        /// Failed tests of single bits, which the verdicts do not include.
        pub bit_facts: Vec<BitFact>,
        /// The request that the advice in `advice.csv` answers.
        pub request: Request,
    }

    /// A dataset and its metadata.
    pub struct DatasetSummary {
        /// Name in the rows.
        pub name: String,
        /// `embedded`, `generated` or `file`.
        pub kind: DatasetKind,
        /// Recipe, package or path.
        pub source: String,
        /// Says that the file begins with a byte order mark, which is part of its first key.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub encoding: Option<String>,
        /// Distinct keys.
        pub keys: u64,
        /// Bytes of all distinct keys.
        pub bytes: u64,
        /// Length of the shortest key, bytes.
        pub min_len: u64,
        /// Length of the longest key, bytes.
        pub max_len: u64,
        /// Mean length, bytes.
        pub mean_len: f64,
        /// SHA-256 of the distinct keys in order, each followed by a line feed.
        pub sha256: String,
        /// Number of duplicate lines dropped.
        pub duplicates_dropped: u64,
    }

    /// The source of a dataset's keys.
    pub enum DatasetKind {
        /// A file inside the program.
        Embedded,
        /// Drawn by a recipe from the seed.
        Generated,
        /// The user's own file.
        File,
        /// One of the structured key sets, which are measured in every run and are not among its datasets.
        Structured,
    }

    /// A kind of test that a function can fail, most telling first.
    pub enum FailedTest {
        /// More collisions than chance gives.
        Collisions,
        /// More false positives than an ideal hash has in the same filter.
        FalsePositives,
        /// Buckets or output bits are filled unevenly.
        Distribution,
    }
}

rows! {
    /// The result of all measurements of one function on one dataset.
    pub struct Finding: [dataset] {
        /// The worst verdict of collisions, distribution and false positives.
        pub verdict: Verdict,
        /// The kinds of test that failed, most telling first.
        pub failed: Vec<FailedTest>,
        /// Each failed test in words, most telling first; empty if no test failed.
        pub reasons: Vec<String>,
        /// The width at which collisions were furthest above chance.
        pub worst_bits: u32,
        /// The function's place in the advice on this dataset, best first. Places are unique, for an order of display.
        pub rank: u64,
    }
}
