//! False-positive rates of every policy and filter, compared with an ideal filter's, by bits per key and by the number
//! of keys.
//!
//! The rates show two costs. *A 32-bit hash*: an absent key shares its value with one of n stored keys with
//! probability n / 2^32, whatever the bits per key. *One hash for all probes*: LevelDB's scheme derives every probe
//! from the same 32 bits, rotated by 17.
//!
//! No time is measured. Keys come from SplitMix64 with a fixed seed, so the records are the same on every machine and
//! with any number of threads.

use std::fmt::Display;

use filter_policy::{BitsPerKey, formats, sizing};
use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};
use statistics::significant;
use terminal::failure::Failure;
use terminal::number::grouped;

use crate::keys::{Keys, numbers};
use crate::record::Batch;
use crate::suite::{Baseline, Label, Suite, Tables};
use crate::turns::Run;

/// The series of an ideal hash.
pub const IDEAL: &str = "ideal hash";

/// Bits per key at all sizes.
const FEW_BITS: [u32; 3] = [10, 15, 20];

/// The series that are no policies.
const OTHERS: [Label; 5] = [
    (IDEAL, "ideal hash of 32 bits"),
    ("Guava, MITZ_64", "Guava, MITZ_64"),
    ("Guava, MITZ_32", "Guava, MITZ_32"),
    ("cuckoo", "cuckoo"),
    ("redisbloom", "RedisBloom"),
];

/// Returns the names of all policies, then the others.
pub(super) fn policies_and(others: &[Label]) -> Vec<Label> {
    let policies = formats::ALL.iter().map(|policy| (policy.name(), policy.name()));
    policies.chain(others.iter().copied()).collect()
}

/// The suite. A contender is a policy, a filter, or an ideal hash in LevelDB's scheme.
#[rustfmt::skip]
pub const SUITE: Suite = Suite {
    rows: "rates",
    contenders: || policies_and(&OTHERS),
    tasks: &[("rate", "rate", "false positives")],
    // `bits_per_key`: filters that are sized by a rate get the lowest rate that b bits allow, e^(-b (ln 2)^2).
    // `filters`: filters built, each from its own keys.
    // `ideal`: the exact rate of an ideal Bloom filter with the same bits, probes and keys: an ideal hash and independent
    // probes. Ribbon, binary fuse and cuckoo filters, which are not one probed array, are compared with the best ideal
    // Bloom filter of `bits_per_key`.
    // `expected`: the rate by the filter's own formula; for Guava's, RedisBloom's and the legacy filter the ideal rate.
    // `bytes`: mean bytes of a stored filter.
    parameters: &["bits_per_key", "keys", "filters", "ideal", "expected", "bytes"],
    properties: &["filters", "ideal", "expected", "bytes"],
    baseline: Baseline::Column("ideal"),
    summary: Tables {
        title: "over an ideal filter",
        heading: |row| {
            let [bits, keys] = ["bits_per_key", "keys"].map(|column| row.case.count(column));
            let is_shown = FEW_BITS.map(u64::from).contains(&bits) && SHOWN.contains(&keys);
            if is_shown { format!("{bits} bits per key, by keys of a filter") } else { String::new() }
        },
        line: |suite, row| short(suite.contender(row)).to_owned(),
        column: |_, row| grouped(row.case.count("keys")),
        cell: |row, _| format!("{:.2}", row.over_baseline()),
        after: |_| "\nFalse positives over those of an ideal filter. Rates are in rates.csv.\n".to_owned(),
        ..Tables::PLAIN
    },
};

/// The keys of filters that the tables show.
const SHOWN: [u64; 6] = [100, 1_000, 10_000, 100_000, 1_000_000, 20_000_000];

/// Returns a policy's name without the engine's.
pub fn short(policy: &str) -> &str {
    let mut engines = ["rocksdb.internal.", "leveldb."].into_iter();
    engines
        .find_map(|engine| policy.strip_prefix(engine))
        .unwrap_or(policy)
}

/// There is no memory for a filter, or it does not do what it must.
pub type Failed = Box<dyn std::error::Error + Send + Sync>;

/// Builds a filter of keys.
pub type Build = dyn Fn(&[&[u8]]) -> Result<Filter, Failed>;

/// Counts the keys that match.
pub type Matching = dyn Fn(&[&[u8]]) -> u64;

/// Filters of one kind.
pub struct Series {
    /// Name in the records.
    pub name: &'static str,
    /// Plans filters of so many bits per key for so many keys.
    pub plan: Box<dyn Fn(u32, u64) -> Result<Plan, Failed> + Sync>,
}

/// Filters of one size.
pub struct Plan {
    /// The rate by the filter's own formula, if it is not the ideal one.
    pub expected: Option<f64>,
    /// Builds a filter of keys.
    pub build: Box<Build>,
}

/// A filter that was built.
pub struct Filter {
    /// Bytes of the stored filter.
    pub bytes: u64,
    /// The bits and probes of an array that is probed; `None` for other filters.
    pub probed: Option<(u64, u32)>,
    /// Counts the keys that match.
    pub matching: Box<Matching>,
}

impl Filter {
    /// Returns the rate of an ideal Bloom filter, the column `ideal`.
    fn ideal_rate(&self, bits_per_key: u32, keys: u64) -> Result<f64, Failed> {
        Ok(match self.probed {
            Some((bits, probes)) => sizing::exact_rate(bits, keys, probes)?,
            None => formats::BLOOM64.expected_rate(keys, BitsPerKey::whole(bits_per_key))?,
        })
    }
}

/// Seed of the generator of keys.
const SEED: u64 = 1;

/// The extent of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effort {
    /// Keys of a filter, each measured at `FEW_BITS` bits per key.
    pub sizes: &'static [u64],
    /// The sizes that are measured at all of [`Effort::ALL_BITS`].
    pub swept: &'static [u64],
    /// The least number of keys in all filters of a size, which determines the number of filters.
    pub members: u64,
    /// The least number of queries of absent keys for a size, if a thousand or more of them match ...
    pub fewest_probes: u64,
    /// ... and if fewer match.
    pub most_probes: u64,
}

impl Effort {
    /// Bits per key for the swept sizes.
    pub const ALL_BITS: std::ops::RangeInclusive<u32> = 4..=24;

    /// 32 keys, typical of LevelDB's blocks, to 20 million.
    pub const FULL: Self = Self {
        sizes: &[
            32, 100, 320, 1_000, 3_200, 10_000, 32_000, 100_000, 320_000, 1_000_000, 4_000_000, 20_000_000,
        ],
        swept: &[32, 1_000, 1_000_000],
        members: 1_000_000,
        fewest_probes: 1_000_000,
        most_probes: 4_000_000,
    };

    /// A quick check that the suite works.
    pub const QUICK: Self = Self {
        sizes: &[32, 1_000, 100_000, 1_000_000],
        swept: &[32, 1_000],
        members: 200_000,
        fewest_probes: 200_000,
        most_probes: 500_000,
    };

    fn bits(&self, keys: u64) -> impl Iterator<Item = u32> {
        let is_swept = self.swept.contains(&keys);
        Self::ALL_BITS.filter(move |bits| is_swept || FEW_BITS.contains(bits))
    }

    /// Returns the number of absent keys to query, over all filters.
    fn probes(&self, bits_per_key: u32) -> u64 {
        // At 14 bits per key even the best filter matches more than one in a thousand.
        if bits_per_key <= 14 {
            self.fewest_probes
        } else {
            self.most_probes
        }
    }
}

/// Measures the rates of the series by keys, series and bits per key. The batches do not depend on the number of
/// threads.
///
/// # Errors
///
/// If the user requested a stop, there is no memory for a filter, or a filter denies a stored key.
pub fn measure(run: &Run<'_>, series: &[Series], effort: &Effort) -> Result<Vec<Batch>, Failure> {
    let mut batches = Vec::new();
    for &size in effort.sizes {
        run.progress.note(&format!("filters of {size} keys"));
        // All series have the same keys: the outputs of SplitMix64, which differ, in decimal, as in the dataset
        // `random-strings`.
        let filters = effort.members.div_ceil(size);
        let count = filters * (size + effort.most_probes.div_ceil(filters));
        let mut keys = Keys::default();
        let numbers = numbers(SEED).take(count as usize);
        numbers.for_each(|number| keys.push(number.to_string().as_bytes()));
        let keys = keys.slices();
        let measured = series.par_iter().map(|one| {
            run.go_on()?;
            measure_size(one, size, &keys, effort).map_err(Failure::internal)
        });
        batches.extend(measured.collect::<Result<Vec<_>, Failure>>()?);
    }
    Ok(batches.concat())
}

/// Measures the filters of one size at each number of bits per key. Members are the first keys.
fn measure_size(series: &Series, size: u64, keys: &[&[u8]], effort: &Effort) -> Result<Vec<Batch>, Failed> {
    let name = series.name;
    let filters = effort.members.div_ceil(size);
    let each = |probes: u64| probes.div_ceil(filters) as usize;
    let (members, absent) = keys.split_at((filters * size) as usize);
    let mut batches = Vec::new();
    for bits_per_key in effort.bits(size) {
        let plan = (series.plan)(bits_per_key, size)?;
        let (mut probes, mut false_positives, mut bytes) = (0, 0, 0);
        let mut ideal = 0.0;
        let absent = absent.chunks(each(effort.most_probes));
        for (members, absent) in members.chunks(size as usize).zip(absent) {
            let filter = (plan.build)(members)?;
            // The first half only, because a cuckoo filter may refuse the last keys.
            let present = &members[..members.len().div_ceil(2).min(64)];
            if (filter.matching)(present) != present.len() as u64 {
                let what = format!("{name}: a filter of {size} keys at {bits_per_key} bits per key");
                return Err(format!("{what} denies a stored key").into());
            }
            // Of the first filter: all are equal.
            if probes == 0 {
                ideal = filter.ideal_rate(bits_per_key, size)?;
            }
            let queried = &absent[..each(effort.probes(bits_per_key))];
            false_positives += (filter.matching)(queried);
            probes += queried.len() as u64;
            bytes += filter.bytes;
        }
        let figures = [
            ideal,
            plan.expected.unwrap_or(ideal),
            bytes as f64 / filters as f64,
        ];
        let [ideal, expected, bytes] = figures.map(significant::round);
        let parameters: [&dyn Display; 6] = [&bits_per_key, &size, &filters, &ideal, &expected, &bytes];
        let case = SUITE.case(name, "rate", &parameters);
        batches.push(case.batch(1, probes, false_positives));
    }
    Ok(batches)
}
