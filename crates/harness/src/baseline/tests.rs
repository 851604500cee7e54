//! Noise drawn from a seeded generator: how often it is taken for a change, and how often a change is found.

use std::path::Path;

use rand::{Rng as _, SeedableRng as _};
use rand_xoshiro::SplitMix64;

use super::*;
use crate::compare::{self, Options};
use crate::progress::Silent;
use crate::record::{CallForm, EMPTY, SpreadRow, TimingRow};
use crate::stats::robust;

/// The records of a small run whose times are then made up.
fn measured() -> Records {
    let folder = tempfile::tempdir().unwrap();
    let keys = folder.path().join("keys.txt");
    std::fs::write(&keys, "one\ntwo\nthree\nfour\n").unwrap();
    let options = Options::new(&[], &[], vec![keys], 1, true).unwrap();
    compare::run(&options, &Silent).unwrap()
}

struct Noise(SplitMix64);

impl Noise {
    /// From 0 to 1, without either.
    fn uniform(&mut self) -> f64 {
        ((self.0.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    /// Of mean 0 and deviation 1, by Box and Muller.
    fn gauss(&mut self) -> f64 {
        let radius = libm::sqrt(-2.0 * libm::log(self.uniform()));
        radius * libm::cos(std::f64::consts::TAU * self.uniform())
    }

    fn chance(&mut self, share: f64) -> bool {
        self.uniform() < share
    }
}

/// How a machine spoils times.
#[derive(Clone, Copy)]
struct Machine {
    /// Share of the readings during which another program had the processor.
    interrupted: f64,
    /// Deviation of a function's luck in a whole run.
    luck: f64,
}

/// As seen between runs of one build.
const QUIET: Machine = Machine {
    interrupted: 0.02,
    luck: 0.01,
};
const BUSY: Machine = Machine {
    interrupted: 0.3,
    luck: 0.015,
};

/// A run as the machine would give it: eleven readings each, of which another program may spoil some upwards; the whole
/// machine may be slower; and one function in twelve has two speeds, 6 % apart, one a run. The largest stray of all
/// functions comes out as large as it was between real runs of one build.
fn draw(records: &mut Records, noise: &mut Noise, machine: Machine, slowed: Option<(&str, f64)>) {
    let slower = libm::exp(0.05 * noise.gauss());
    records.spread.clear();
    let tables = [
        (CallForm::Independent, &mut records.timing),
        (CallForm::Chained, &mut records.latency),
    ];
    for (form, rows) in tables {
        for (index, row) in rows.iter_mut().enumerate() {
            let mut level = (2.0 + index as f64 / 2.0) * slower * libm::exp(machine.luck * noise.gauss());
            if index % 12 == 1 && noise.chance(0.3) {
                level *= 1.06;
            }
            if let Some((_, times)) = slowed.filter(|(function, _)| *function == row.function) {
                level *= times;
            }
            let mut readings: Vec<f64> = (0..11)
                .map(|_| {
                    let reading = level * (1.0 + 0.01 * noise.gauss().abs());
                    if noise.chance(machine.interrupted) {
                        reading * (1.0 + 5.0 * noise.uniform())
                    } else {
                        reading
                    }
                })
                .collect();
            let median = robust::median(&mut readings).unwrap();
            *row = TimingRow {
                median_ns_per_key: median,
                mad_ns_per_key: robust::median_absolute_deviation(&readings, median).unwrap(),
                samples: 11,
                ..row.clone()
            };
            let quantile = |share| robust::quantile(&readings, share).unwrap();
            records.spread.push(SpreadRow {
                dataset: row.dataset.clone(),
                function: row.function.clone(),
                form,
                samples: 11,
                min_ns: quantile(0.0),
                q1_ns: quantile(0.25),
                median_ns: median,
                q3_ns: quantile(0.75),
                max_ns: quantile(1.0),
            });
        }
    }
}

fn changed(before: &Records, now: &Records) -> Vec<String> {
    let datasets: Vec<String> = now
        .run
        .datasets
        .iter()
        .map(|dataset| dataset.name.clone())
        .collect();
    let rows = times::compare(before, now, &datasets).rows;
    rows.into_iter()
        .filter(|row| row.changed)
        .map(|row| row.function)
        .collect()
}

#[test]
fn noise_alone_is_no_change_and_a_change_is_found() {
    let mut before = measured();
    let mut now = before.clone();
    let mut noise = Noise(SplitMix64::seed_from_u64(11));
    for (machine, most_alarms, least_found) in [(QUIET, 5, 475), (BUSY, 25, 300)] {
        let (mut alarms, mut found) = (0, 0);
        for _ in 0..500 {
            draw(&mut before, &mut noise, machine, None);
            draw(&mut now, &mut noise, machine, None);
            alarms += u32::from(!changed(&before, &now).is_empty());
            draw(&mut now, &mut noise, machine, Some(("XXH3", 1.15)));
            found += u32::from(changed(&before, &now).contains(&"XXH3".to_owned()));
        }
        assert!(alarms <= most_alarms, "{alarms} false alarms in 500 pairs");
        assert!(found >= least_found, "found {found} of 500 slowed by 15 %");
    }
}

#[test]
fn a_machine_that_is_slower_is_told_and_taken_out() {
    let before = measured();
    let mut now = before.clone();
    let half_as_fast = |rows: &mut Vec<TimingRow>| {
        for row in rows {
            row.median_ns_per_key *= 2.0;
        }
    };
    half_as_fast(&mut now.timing);
    half_as_fast(&mut now.latency);
    for row in &mut now.spread {
        for time in [&mut row.min_ns, &mut row.q1_ns, &mut row.median_ns] {
            *time *= 2.0;
        }
    }
    let times = hold_against(&before, Path::new("b"), &now).times.unwrap();
    assert!(
        times
            .rows
            .iter()
            .all(|row| !row.changed && (row.ratio - 1.0).abs() < 1e-9)
    );
    assert!(times.drifts.iter().all(|drift| (drift.ratio - 2.0).abs() < 1e-9));
    assert!(times.rows.iter().all(|row| row.function != EMPTY));
}

#[test]
fn few_functions_cannot_tell_a_slow_machine_from_slow_functions() {
    let keep = |records: &mut Records| {
        let few = |name: &str| ["XXH3", EMPTY].contains(&name);
        records.timing.retain(|row| few(&row.function));
        records.latency.retain(|row| few(&row.function));
        records.spread.retain(|row| few(&row.function));
        records.run.functions.retain(|function| few(&function.name));
    };
    let mut before = measured();
    keep(&mut before);
    let mut now = before.clone();
    let slow = |now: &mut Records, times: f64| {
        now.spread.clear();
        for row in now.timing.iter_mut().chain(&mut now.latency) {
            row.median_ns_per_key *= times;
        }
    };
    before.spread.clear();
    slow(&mut now, 1.2);
    assert!(changed(&before, &now).is_empty());
    slow(&mut now, 1.1);
    assert_eq!(changed(&before, &now), ["XXH3", "XXH3"]);
}

#[test]
fn runs_of_two_machines_are_compared_without_times() {
    let before = measured();
    let mut now = before.clone();
    now.run.environment.cpu = "another".to_owned();
    let baseline = hold_against(&before, Path::new("b"), &now);
    assert!(baseline.times.is_none());
    assert!(
        baseline.notes.iter().any(|note| note.contains("processor")),
        "{:?}",
        baseline.notes
    );
    assert_eq!(baseline.different_fields, 0);
    assert!(baseline.compared_rows > 500);
}

#[test]
fn every_field_that_differs_is_named() {
    let before = measured();
    let mut now = before.clone();
    now.collisions[0].collisions += 1;
    now.false_positives[1].false_positives += 1;
    let baseline = hold_against(&before, Path::new("b"), &now);
    assert_eq!(baseline.different_fields, 2);
    let first = &baseline.differences[0];
    assert_eq!(
        (
            first.file.as_str(),
            first.column.as_str(),
            first.question.as_str()
        ),
        ("collisions.csv", "collisions", "32 bits")
    );
    let was = before.collisions[0].collisions;
    assert_eq!(
        (&first.before, &first.now),
        (&was.to_string(), &(was + 1).to_string())
    );
    assert_eq!(baseline.differences[1].file, "false_positives.csv");

    for row in &mut now.collisions {
        row.band_high += 1.0;
    }
    assert!(hold_against(&before, Path::new("b"), &now).different_fields > 50);
    // With other functions in the run there are other tests, and other bands.
    let gone = now.run.functions.pop().unwrap().name;
    now.collisions.retain(|row| row.function != gone);
    let baseline = hold_against(&before, Path::new("b"), &now);
    assert_eq!(baseline.different_fields, 2);
    assert!(
        baseline
            .notes
            .contains(&format!("only in the earlier run: {gone}"))
    );
}

#[test]
fn other_keys_and_seeds_are_not_compared() {
    let before = measured();
    let mut now = before.clone();
    now.run.datasets[0].sha256 = String::new();
    let baseline = hold_against(&before, Path::new("b"), &now);
    assert_eq!(baseline.compared_rows, 0);
    assert!(baseline.times.is_some_and(|times| times.rows.is_empty()));
    let mut now = before.clone();
    now.run.seed = 2;
    now.collisions[0].collisions += 1;
    assert_eq!(hold_against(&before, Path::new("b"), &now).different_fields, 0);
}
