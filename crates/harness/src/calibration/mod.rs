//! Evidence that the judgement is right: how often a function that nothing is wrong with is accused.
//!
//! SipHash-2-4 under a key of its own for each seed stands for a random function. It goes through the tests of
//! collisions, distribution, false positives, hash tables and structured keys, on the embedded datasets and the structured key sets in full size, and the alarms are counted.

mod alarms;

use std::cell::Cell;
use std::fs;
use std::hash::Hasher as _;
use std::path::Path;

use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use siphasher::sip::SipHasher24;

use self::alarms::Alarms;
use crate::compare::CompareError;
use crate::dataset::structured::{self, StructuredSet};
use crate::dataset::{self, Dataset};
use crate::findings::{self, Evidence, more_than};
use crate::functions::{self, Function};
use crate::keys::KeySet;
use crate::measure::false_positives::Probes;
use crate::measure::{Hashed, collisions, distribution, occupancy, structured as structured_keys};
use crate::progress::{Cancelled, Progress, go_on};
use crate::record::{DistributionKind, FailedTest, FalsePositiveRow, Verdict, Window, significant};
use crate::records::{RecordsError, malformed, write_rows};
use crate::stats::collisions::CollisionLaw;

/// Level of every test, alone and over its file.
pub const LEVEL: f64 = 0.01;
/// Seeds of a full calibration.
pub const SEEDS: u64 = 200;
/// The committed calibration.
pub const COMMITTED: &str = include_str!("../../../../reports/reference/calibration/calibration.csv");

/// What was counted of one question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CalibrationRow {
    /// The test, as a file of records is called; `run` for all of its rows together, as a verdict takes them.
    pub test: String,
    /// The question within it.
    pub question: String,
    /// The stated share of alarms, at most.
    #[serde(with = "significant")]
    pub level: f64,
    /// The share that the law of the counts allows: they are whole numbers, and few of them have tails of just that level.
    #[serde(with = "significant")]
    pub attainable: f64,
    /// How often it was asked: seeds times the key sets that it is about.
    pub trials: u64,
    /// How often the keyed hash was called different from a random function.
    pub alarms: u64,
    /// `alarms / trials`.
    #[serde(with = "significant")]
    pub share: f64,
    /// Lower end of the interval for that share, of 99 % over all rows of the file together.
    #[serde(with = "significant")]
    pub ci_low: f64,
    /// Upper end of that interval.
    #[serde(with = "significant")]
    pub ci_high: f64,
    /// Whether the interval begins at or below the stated level: no more false alarms than stated were seen.
    pub holds: bool,
}

/// First line of the file.
#[rustfmt::skip]
const HEADER: &[&str] = &[
    "test", "question", "level", "attainable", "trials", "alarms", "share", "ci_low", "ci_high", "holds",
];

/// What the keyed hash is tried on.
#[derive(Debug)]
pub struct Plan {
    /// Seeds, from 1 on.
    pub seeds: u64,
    /// Datasets for the tests of real keys.
    pub datasets: Vec<Dataset>,
    /// Structured key sets.
    pub sets: Vec<&'static StructuredSet>,
}

impl Plan {
    /// Everything that a comparison without arguments measures.
    ///
    /// # Errors
    ///
    /// When an embedded dataset cannot be had.
    pub fn full(seeds: u64) -> Result<Self, CompareError> {
        let datasets = dataset::embedded_names()
            .map(|name| dataset::load_embedded(name, crate::compare::DEFAULT_SEED))
            .collect::<Result<_, _>>()?;
        let sets = structured::ALL.iter().collect();
        Ok(Self {
            seeds,
            datasets,
            sets,
        })
    }
}

thread_local! {
    /// Both halves of the key under which [`keyed`] hashes on this thread.
    static KEY: Cell<(u64, u64)> = const { Cell::new((0, 0)) };
}

/// SipHash-2-4 under the key of the thread.
fn keyed(key: &[u8]) -> u64 {
    let (first, second) = KEY.get();
    let mut hasher = SipHasher24::new_with_keys(first, second);
    hasher.write(key);
    hasher.finish()
}

/// Sends the keyed hash through every test, once for each seed of `plan`, on all processors.
///
/// The keys are those that ChaCha8 draws from the seeds 2^32 + 1, 2^32 + 2, ..., far from the seeds of the ideal hashes
/// that false positives are compared with. The result does not depend on the number of threads.
///
/// # Errors
///
/// When `progress` asks to stop.
pub fn measure(plan: &Plan, progress: &dyn Progress) -> Result<Vec<CalibrationRow>, Cancelled> {
    progress.begin("calibration", plan.seeds + 1);
    let function = Function {
        hash: keyed,
        output_bits: 64,
        ..*functions::all().first().expect("functions are registered")
    };
    let datasets: Vec<Asked<'_>> = plan
        .datasets
        .iter()
        .map(|dataset| {
            go_on(progress)?;
            let probes = Probes::new(dataset);
            let ideal = probes.measure_ideal(progress)?;
            Ok(Asked {
                dataset,
                probes,
                ideal,
            })
        })
        .collect::<Result<_, Cancelled>>()?;
    let sets: Vec<(&StructuredSet, KeySet)> = plan
        .sets
        .iter()
        .map(|&set| (set, set.keys(crate::compare::DEFAULT_SEED)))
        .collect();
    progress.step();
    let alarms = (1..=plan.seeds)
        .into_par_iter()
        .map(|seed| {
            go_on(progress)?;
            let mut generator = ChaCha8Rng::seed_from_u64((1 << 32) + seed);
            KEY.set((generator.next_u64(), generator.next_u64()));
            let mut alarms = Alarms::default();
            real_keys(&function, &plan.datasets, &datasets, &mut alarms, progress)?;
            structured_sets(&sets, &mut alarms);
            progress.step();
            Ok(alarms)
        })
        .try_reduce(Alarms::default, |one, other| Ok::<_, Cancelled>(one.plus(other)))?;
    Ok(alarms.rows())
}

/// A dataset and what every function is compared with on it.
struct Asked<'a> {
    dataset: &'a Dataset,
    probes: Probes<'a>,
    ideal: Vec<FalsePositiveRow>,
}

/// All tests on real keys.
fn real_keys(
    function: &Function,
    datasets: &[Dataset],
    asked: &[Asked<'_>],
    alarms: &mut Alarms,
    progress: &dyn Progress,
) -> Result<(), Cancelled> {
    let (mut raw, mut spread, mut false_positives) = (Vec::new(), Vec::new(), Vec::new());
    let mut tables = Vec::new();
    for Asked {
        dataset,
        probes,
        ideal,
    } in asked
    {
        let hashed = Hashed::new(&dataset.keys, function);
        let counts = collisions::measure(dataset, &hashed);
        for &(bits, count) in &counts.counts {
            alarms.collisions(
                "collisions",
                &format!("{bits} low bits"),
                counts.keys,
                bits,
                count,
            );
        }
        raw.push(counts);
        for row in distribution::measure(dataset, &hashed) {
            let question = match row.kind {
                DistributionKind::PowerOfTwoBuckets => "buckets by low bits",
                DistributionKind::PrimeBuckets => "buckets by remainder",
                DistributionKind::BitShare => "share of ones in a bit",
            };
            alarms.single("distribution", question, row.p_value);
            spread.push(row);
        }
        let folds = if dataset.recipe.is_some() { 1.0 } else { 2.0 };
        let rows = probes.measure(&hashed, progress)?;
        for (row, ideal) in rows.iter().zip(ideal) {
            alarms.single(
                "false_positives",
                "more than the ideal hash",
                more_than(row, ideal, folds),
            );
        }
        false_positives.extend(rows);
        false_positives.extend(ideal.iter().cloned());
        tables.extend(occupancy::measure(dataset, function));
    }
    let findings = findings::judge(Evidence {
        datasets,
        raw: &raw,
        collisions: &collisions::judge(&raw),
        distribution: &spread,
        false_positives: &false_positives,
    });
    for (question, test) in [
        ("collisions", FailedTest::Collisions),
        ("distribution", FailedTest::Distribution),
        ("false_positives", FailedTest::FalsePositives),
    ] {
        alarms.run(
            question,
            findings.iter().any(|finding| finding.failed.contains(&test)),
        );
    }
    let tables = occupancy::judge(tables);
    for row in &tables {
        alarms.single("occupancy", "keys compared", row.hit_p);
        alarms.single("occupancy", "fullest bucket", row.longest_p);
        alarms.single("occupancy", "empty buckets", row.empty_p);
    }
    alarms.run(
        "occupancy",
        tables.iter().any(|row| row.verdict > Verdict::InBand),
    );
    Ok(())
}

/// The structured sets, as a file about this function alone.
fn structured_sets(sets: &[(&StructuredSet, KeySet)], alarms: &mut Alarms) {
    let tests = sets.len() * structured_keys::windows(64).count();
    let mut accused = false;
    for (set, keys) in sets {
        let values: Vec<u64> = keys.iter().map(keyed).collect();
        for row in structured_keys::judge(set, keys, "keyed", 64, &values, tests) {
            let end = match row.window {
                Window::Whole => "bits, whole",
                Window::Low => "low bits",
                Window::High => "high bits",
            };
            let question = format!("{} {end}", row.bits);
            alarms.collisions("structured", &question, row.keys, row.bits, row.collisions);
            accused |= row.verdict > Verdict::InBand;
        }
    }
    alarms.run("structured", accused);
}

/// How often a random function's count has a p-value below [`LEVEL`].
fn attainable(law: &CollisionLaw) -> f64 {
    let (low, high) = law.band(1);
    let below = low.checked_sub(1).map_or(0.0, |count| law.two_sided_p(count));
    (below + law.two_sided_p(high + 1)) / 2.0
}

/// Writes the rows as a CSV file.
///
/// # Errors
///
/// When the file cannot be written, or is there and no calibration.
pub fn write(path: &Path, rows: &[CalibrationRow]) -> Result<(), RecordsError> {
    check_destination(path)?;
    write_rows(path, HEADER, rows)
}

/// Checks that nothing is at `path`, or an earlier calibration.
///
/// # Errors
///
/// When something else is there.
pub fn check_destination(path: &Path) -> Result<(), RecordsError> {
    let ours = match fs::read(path) {
        Ok(bytes) => bytes.starts_with(HEADER.join(",").as_bytes()),
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
    };
    if ours {
        return Ok(());
    }
    Err(RecordsError::Foreign {
        path: path.to_owned(),
        reason: "is there and is no calibration; choose another file".to_owned(),
    })
}

/// The rows of a calibration in its CSV form.
///
/// # Errors
///
/// When the text is not what [`write()`] writes; `path` is for the message.
pub fn parse(path: &Path, text: &str) -> Result<Vec<CalibrationRow>, RecordsError> {
    csv::Reader::from_reader(text.as_bytes())
        .into_deserialize()
        .collect::<Result<_, _>>()
        .map_err(|error| malformed(path, error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Silent;

    /// A bounded version of what is committed.
    #[test]
    fn a_keyed_hash_is_not_accused_more_often_than_stated() {
        let ids = dataset::load_embedded("video-ids", 1).unwrap();
        let small = |name: &&StructuredSet| ["sparse-16", "zeroes", "short"].contains(&name.name);
        let plan = Plan {
            seeds: 20,
            datasets: vec![ids],
            sets: structured::ALL.iter().filter(small).collect(),
        };
        let rows = measure(&plan, &Silent).unwrap();
        assert_eq!(rows.len(), 21, "{rows:#?}");
        for row in &rows {
            assert!(row.holds, "{row:?}");
            assert!(row.attainable <= row.level * 1.000_001, "{row:?}");
        }
    }

    #[test]
    fn the_committed_calibration_is_whole_and_holds() {
        let rows = parse(Path::new("calibration.csv"), COMMITTED).unwrap();
        assert_eq!(rows.len(), 21);
        for row in &rows {
            assert!(row.holds && row.trials >= SEEDS && row.level == LEVEL, "{row:?}");
        }
        let runs = rows.iter().filter(|row| row.test == alarms::RUN);
        assert_eq!(runs.clone().count(), 5);
        assert!(runs.clone().all(|row| row.trials == SEEDS));
    }

    #[test]
    fn other_files_are_not_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("calibration.csv");
        write(&path, &[]).unwrap();
        write(&path, &[]).unwrap();
        fs::write(&path, "mine").unwrap();
        assert!(
            write(&path, &[])
                .unwrap_err()
                .to_string()
                .contains("no calibration")
        );
        assert!(parse(&path, "test\nx\n").is_err());
    }
}
