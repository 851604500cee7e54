//! The tests that are calibrated: of real keys, of structured ones, and of single bits.

use super::LEVEL;
use super::alarms::{Alarms, RUN, attainable};
use hash_comparison::advice;
use hash_comparison::functions::Function;
use hash_comparison::keys::{DEFAULT_SEED, Dataset};
use hash_comparison::questions::filters::{Probes, against_ideal, spread};
use hash_comparison::questions::mixing::{self, Effort};
use hash_comparison::questions::{BucketFigure, Measure, NearSizesRow, QUESTIONS, Records};
use hash_comparison::record::{BitTest, Choice, End, FailedTest, Run};
use hash_comparison::run::hash;
use statistics::collisions::CollisionLaw;
use terminal::progress::Silent;

/// A dataset with its probes and the results of the ideal hash.
pub(super) struct Prepared<'a> {
    dataset: &'a Dataset,
    probes: Probes<'a>,
    ideal: Vec<NearSizesRow>,
}

impl<'a> Prepared<'a> {
    /// Measures the ideal hash on the dataset.
    pub(super) fn new(dataset: &'a Dataset) -> Self {
        let probes = Probes::new(dataset);
        Self {
            ideal: probes.sizes_ideal(&Silent).unwrap(),
            dataset,
            probes,
        }
    }
}

/// Measures the function on all keys, and judges the rows as those of a run of it alone. `run` names it and the datasets.
pub(super) fn judged(
    function: &Function,
    run: &Run,
    prepared: &[Prepared<'_>],
    structured: &[Dataset],
    effort: Effort<'_>,
) -> Records {
    let mut records = Records::of(run.clone());
    let hashed = |dataset: &Dataset, records: &mut Records| {
        let hashed = hash(&dataset.keys, function, &Silent).unwrap();
        for question in QUESTIONS.iter().filter(|question| question.applies_to(dataset)) {
            if let Measure::Values(measure) = question.measure {
                measure(dataset, &hashed, records);
            }
        }
        hashed
    };
    for of in prepared {
        let values = of.probes.values(&hashed(of.dataset, &mut records));
        let (rows, _) = of
            .probes
            .of_function(&function.facts.name, &values, &Silent)
            .unwrap();
        records.near_sizes.extend(rows);
        records.near_sizes.extend(of.ideal.iter().cloned());
    }
    for dataset in structured {
        hashed(dataset, &mut records);
    }
    let mixing = mixing::measure(function, DEFAULT_SEED, effort);
    (records.avalanche, records.mixing) = (mixing.avalanche, mixing.rows);
    for question in QUESTIONS {
        (question.judge)(&mut records);
    }
    records
}

/// Counts the alarms of each test in judged rows about one function, and those of each file.
pub(super) fn count(records: &Records, function: &Function, prepared: &[Prepared<'_>], alarms: &mut Alarms) {
    for (test, rows) in [
        ("collisions", &records.collisions),
        ("structured", &records.structured),
        ("windows", &records.windows),
    ] {
        for row in rows {
            let end = match row.end {
                End::Full => "bits, whole",
                // Both ends count as one question: a window has at most 32 of the 64 bits, so the ends share no bit.
                _ if test == "windows" => "low or high bits",
                End::Low => "low bits",
                End::High => "high bits",
            };
            let question = format!("{} {end}", row.bits);
            let law = CollisionLaw::new(row.keys, row.bits);
            alarms.count(test, &question, attainable(&law), law.two_sided_p(row.collisions));
        }
    }
    for (test, rows) in [
        ("distribution", &records.distribution),
        ("occupancy", &records.occupancy),
    ] {
        for row in rows {
            let question = match row.figure {
                BucketFigure::ChiSquare if row.choice == Choice::LowBits => "buckets by low bits",
                BucketFigure::ChiSquare => "buckets by remainder",
                BucketFigure::Ones => "share of ones in a bit",
                BucketFigure::Compared => "keys compared",
                BucketFigure::Fullest => "fullest bucket",
                BucketFigure::Empty => "empty buckets",
                BucketFigure::Worst => continue,
            };
            alarms.count(test, question, LEVEL, row.p_value);
        }
    }
    for row in &records.probes {
        let question = format!(
            "absent key, {:.0} % load",
            100.0 * row.keys as f64 / row.slots as f64
        );
        alarms.count("probes", &question, LEVEL, row.p_value);
    }
    for dataset in prepared.iter().map(|of| of.dataset) {
        for one in against_ideal(
            &records.near_sizes,
            &dataset.summary,
            &function.facts.name,
            spread,
        ) {
            alarms.count("false_positives", "more than the ideal hash", LEVEL, one.p_value);
        }
    }
    for row in &records.mixing {
        let (all, furthest) = match row.test {
            BitTest::Avalanche => ("avalanche, all cells", "avalanche, furthest cell"),
            _ => ("independence, all cells", "independence, furthest cell"),
        };
        alarms.count("mixing", all, LEVEL, row.p_overall);
        let attainable = mixing::attainable_worst(row.trials, row.cells);
        alarms.count("mixing", furthest, attainable, row.p_worst);
    }
    let (findings, facts) = (advice::findings(records), advice::bit_facts(records));
    let failed = |test| findings.iter().any(|finding| finding.failed.contains(&test));
    let weak = |tests: &[BitTest]| facts.iter().any(|fact| tests.contains(&fact.test));
    for (question, alarm) in [
        ("collisions", failed(FailedTest::Collisions)),
        ("distribution", failed(FailedTest::Distribution)),
        ("false_positives", failed(FailedTest::FalsePositives)),
        ("occupancy", records.occupancy.iter().any(|row| row.is_worse())),
        ("probes", records.probes.iter().any(|row| row.is_worse())),
        ("structured", records.structured.iter().any(|row| row.is_worse())),
        ("windows", weak(&[BitTest::Windows])),
        ("mixing", weak(&[BitTest::Avalanche, BitTest::Independence])),
    ] {
        alarms.count(RUN, question, LEVEL, if alarm { 0.0 } else { 1.0 });
    }
}
