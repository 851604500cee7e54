//! Repeated runs of one build, with which the least changes are calibrated.
//!
//! `repeated-runs.csv` holds the times of eight runs of one release build on an AMD EPYC (Zen 4) with two processors,
//! one after the other on 2026-11-22: whole and `--quick` runs with the seeds 1 and 7, nothing else changed.

use std::collections::BTreeMap;

use crate::advice::baseline::tests::*;
use crate::questions::PlaceRow;

const RUNS: &str = include_str!("repeated-runs.csv");

#[derive(Debug, serde::Deserialize)]
struct Reading {
    run: String,
    seed: u64,
    quick: bool,
    dataset: String,
    function: String,
    form: CallForm,
    min_ns: f64,
    q1_ns: f64,
    median_ns: f64,
    cache_ns: f64,
}

fn runs() -> Vec<Records> {
    let mut runs: BTreeMap<String, Records> = BTreeMap::new();
    for reading in csv::Reader::from_reader(RUNS.as_bytes()).deserialize() {
        let one: Reading = reading.unwrap();
        let records = runs
            .entry(one.run.clone())
            .or_insert_with(|| Records::of(Run::default()));
        (records.run.seed, records.run.quick) = (one.seed, one.quick);
        let (dataset, function, form) = (one.dataset, one.function, one.form);
        let row = TimingRow {
            dataset: dataset.clone(),
            function: function.clone(),
            keys: 1,
            bytes: 1,
            median_ns_per_key: one.median_ns,
            mad_ns_per_key: 0.0,
            samples: 11,
        };
        match form {
            CallForm::Independent => records.timing.push(row),
            CallForm::Chained => records.latency.push(row),
        }
        records.places.push(PlaceRow {
            dataset: dataset.clone(),
            function: function.clone(),
            place: Place::Cache,
            form,
            keys: 1 << 20,
            footprint_bytes: 0,
            median_ns_per_key: one.cache_ns,
            mad_ns_per_key: 0.0,
            samples: 7,
        });
        records.spread.push(SpreadRow {
            dataset,
            function,
            form,
            samples: 11,
            min_ns: one.min_ns,
            q1_ns: one.q1_ns,
            median_ns: one.median_ns,
            q3_ns: one.median_ns,
            max_ns: one.median_ns,
        });
    }
    runs.into_values().collect()
}

/// The datasets whose keys are the same under both seeds.
fn datasets(before: &Records, now: &Records) -> Vec<String> {
    let all = ["app-accounts", "random-strings", "video-ids"].map(str::to_owned);
    let same = if before.run.seed == now.run.seed { 3 } else { 1 };
    all[..same].to_vec()
}

#[test]
fn no_two_runs_of_one_build_differ() {
    let runs = runs();
    assert_eq!(runs.len(), 8);
    let (mut compared, mut greatest) = (0, 1.0_f64);
    for (index, before) in runs.iter().enumerate() {
        for now in &runs[index + 1..] {
            let rows = times::compare(before, now, &datasets(before, now)).rows;
            compared += rows.len();
            for row in rows {
                assert!(!row.changed, "{row:?}");
                greatest = greatest.max(row.ratio.max(1.0 / row.ratio));
            }
        }
    }
    assert_eq!(compared, 2_700);
    // The limit is not far above what runs differ by.
    assert!(
        (1.05..times::LEAST_CHANGE_IN_PLACES).contains(&greatest),
        "{greatest}"
    );
}

#[test]
fn a_function_of_half_the_speed_is_told_in_any_pair() {
    let runs = runs();
    for (index, before) in runs.iter().enumerate() {
        for now in &runs[index + 1..] {
            let mut now = now.clone();
            let slow = |function: &str| if function == "FxHash" { 2.0 } else { 1.0 };
            for row in now.timing.iter_mut().chain(&mut now.latency) {
                row.median_ns_per_key *= slow(&row.function);
            }
            for row in &mut now.spread {
                row.min_ns *= slow(&row.function);
                row.q1_ns *= slow(&row.function);
            }
            for row in &mut now.places {
                row.median_ns_per_key *= slow(&row.function);
            }
            let sets = datasets(before, &now);
            let rows = times::compare(before, &now, &sets).rows;
            let told = rows.iter().filter(|row| row.changed);
            let told: Vec<&str> = told.map(|row| row.function.as_str()).collect();
            assert_eq!(told, vec!["FxHash"; 2 * sets.len()]);
        }
    }
}
