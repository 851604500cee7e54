//! Simulated noise from a seeded generator: rates of false alarms and of detected changes.

use std::path::Path;
use std::sync::LazyLock;

use rand::{Rng as _, SeedableRng as _};
use rand_xoshiro::SplitMix64;

use crate::advice::baseline::*;
use crate::questions::{Place, SpreadRow, TimingRow};
use crate::record::{CallForm, EMPTY, IDEAL};
use crate::run::compare::{self, Options};
use records::number::grouped;
use records::progress::Silent;
use statistics::robust;

mod repeated;
mod rows;

/// Returns the records of a small run. Tests replace its times.
fn measured() -> Records {
    static MEASURED: LazyLock<Records> = LazyLock::new(measure);
    MEASURED.clone()
}

fn measure() -> Records {
    let folder = tempfile::tempdir().unwrap();
    let keys = folder.path().join("keys.txt");
    // Enough keys for every file to have rows.
    let lines: String = (0..2_002).map(|number| format!("{number}\n")).collect();
    std::fs::write(&keys, lines).unwrap();
    let options = Options::new(&[], &[], vec![keys], 1, true).unwrap();
    let mut records = compare::run(&options, &Silent).unwrap();
    // Tests say themselves whether other programs disturb a run.
    records.run.environment.seconds_waited_while_timing = Some(0.0);
    // With so few keys, the times by place would be mostly clock overhead.
    for row in &mut records.places {
        row.keys = 2_048;
    }
    records
}

/// Returns `records` as an older program would have written them, without some files.
fn of_fewer_files(records: &Records) -> Records {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    records.write(path).unwrap();
    let mut older = Records::read(path).unwrap();
    older.spread.clear();
    older.places.clear();
    older.structured.clear();
    for name in UNKNOWN_THEN {
        older.run.checksums.remove(name).unwrap();
    }
    older.write(path).unwrap();
    Records::read(path).unwrap()
}

const UNKNOWN_THEN: [&str; 3] = ["spread.csv", "places.csv", "structured.csv"];

struct Noise(SplitMix64);

impl Noise {
    /// Returns a number between 0 and 1, both excluded.
    fn uniform(&mut self) -> f64 {
        ((self.0.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    /// Returns a number from the standard normal distribution, by Box and Muller.
    fn gauss(&mut self) -> f64 {
        let radius = libm::sqrt(-2.0 * libm::log(self.uniform()));
        radius * libm::cos(std::f64::consts::TAU * self.uniform())
    }

    fn chance(&mut self, share: f64) -> bool {
        self.uniform() < share
    }
}

/// Timing noise of a machine.
#[derive(Clone, Copy)]
struct Machine {
    /// The share of readings during which another program held the processor.
    interrupted: f64,
    /// Standard deviation of a function's offset in a whole run.
    luck: f64,
}

/// Noise as seen between runs of one build.
const QUIET: Machine = Machine {
    interrupted: 0.02,
    luck: 0.01,
};
const BUSY: Machine = Machine {
    interrupted: 0.3,
    luck: 0.015,
};

/// Simulates a run: eleven readings each, some raised by other programs; a common slowdown of the machine; and one
/// function in twelve with two speeds, 6 % apart, one per run. The largest deviation of all functions matches that
/// between real runs of one build. In the cache the keys lie elsewhere, and other functions have two speeds: between
/// real runs, functions that deviated by more than 5 % in one place did not in the other.
fn draw(records: &mut Records, noise: &mut Noise, machine: Machine, slowed: Option<(&str, f64)>) {
    let slower = libm::exp(0.05 * noise.gauss());
    let level = |noise: &mut Noise, index: usize, two_speeds: usize, function: &str| {
        let mut level = (2.0 + index as f64 / 2.0) * slower * libm::exp(machine.luck * noise.gauss());
        if index % 12 == two_speeds && noise.chance(0.3) {
            level *= 1.06;
        }
        match slowed {
            Some((of, times)) if of == function => level * times,
            _ => level,
        }
    };
    let readings = |noise: &mut Noise, level: f64, count: usize| -> Vec<f64> {
        let mut reading = || {
            let reading = level * (1.0 + 0.01 * noise.gauss().abs());
            if noise.chance(machine.interrupted) {
                reading * (1.0 + 5.0 * noise.uniform())
            } else {
                reading
            }
        };
        (0..count).map(|_| reading()).collect()
    };
    records.spread.clear();
    let tables = [
        (CallForm::Independent, &mut records.timing),
        (CallForm::Chained, &mut records.latency),
    ];
    for (form, rows) in tables {
        for (index, row) in rows.iter_mut().enumerate() {
            let level_here = level(noise, index, 1, &row.function);
            let mut samples = readings(noise, level_here, 11);
            let median = robust::median(&mut samples).unwrap();
            *row = TimingRow {
                median_ns_per_key: median,
                mad_ns_per_key: robust::median_absolute_deviation(&samples, median).unwrap(),
                samples: 11,
                ..row.clone()
            };
            let quantile = |share| robust::quantile(&samples, share).unwrap();
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
            let mut places = records.places.iter_mut();
            let cached = places.find(|place| {
                place.place == Place::Cache && place.form == form && place.function == row.function
            });
            if let Some(place) = cached {
                let level_there = level(noise, index, 7, &row.function);
                place.median_ns_per_key = robust::median(&mut readings(noise, level_there, 7)).unwrap();
            }
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
    for (machine, most_alarms, slowdowns) in [
        (QUIET, 5, [(1.10, 430), (1.15, 490)]),
        (BUSY, 40, [(1.10, 300), (1.15, 450)]),
    ] {
        let (mut alarms, mut found) = (0, [0; 2]);
        for _ in 0..500 {
            draw(&mut before, &mut noise, machine, None);
            draw(&mut now, &mut noise, machine, None);
            alarms += u32::from(!changed(&before, &now).is_empty());
            for (found, (times, _)) in found.iter_mut().zip(slowdowns) {
                draw(&mut now, &mut noise, machine, Some(("XXH3", times)));
                *found += u32::from(changed(&before, &now).contains(&"XXH3".to_owned()));
            }
        }
        assert!(alarms <= most_alarms, "{alarms} false alarms in 500 pairs");
        for (found, (times, least)) in found.into_iter().zip(slowdowns) {
            assert!(found >= least, "found {found} of 500 at {times} times the time");
        }
    }
}

#[test]
fn without_the_other_place_more_is_asked() {
    let mut before = measured();
    let mut now = before.clone();
    let mut noise = Noise(SplitMix64::seed_from_u64(12));
    let short: fn(&mut Records) = |records| {
        for row in &mut records.places {
            row.keys = 1;
        }
    };
    let none: fn(&mut Records) = |records| records.places.clear();
    for spoil in [short, none] {
        spoil(&mut now);
        let (mut alarms, mut found) = (0, 0);
        for _ in 0..500 {
            draw(&mut before, &mut noise, QUIET, None);
            draw(&mut now, &mut noise, QUIET, None);
            alarms += u32::from(!changed(&before, &now).is_empty());
            draw(&mut now, &mut noise, QUIET, Some(("XXH3", 1.15)));
            found += u32::from(changed(&before, &now).contains(&"XXH3".to_owned()));
        }
        assert!(alarms <= 5, "{alarms} false alarms in 500 pairs");
        assert!(found >= 475, "found {found} of 500 slowed by 15 %");
        let datasets = ["keys".to_owned()];
        let rows = times::compare(&before, &now, &datasets).rows;
        assert!(
            rows.iter()
                .all(|row| row.threshold > 0.9999 * crate::advice::times::LEAST_CHANGE)
        );
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
    for row in &mut now.places {
        row.median_ns_per_key *= 2.0;
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
        now.places.clear();
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
fn of_a_disturbed_run_only_a_factor_of_two_is_told() {
    let before = measured();
    let mut now = before.clone();
    let mut noise = Noise(SplitMix64::seed_from_u64(13));
    let mut base = before;
    draw(&mut base, &mut noise, QUIET, None);
    for (times, is_told) in [(1.5, false), (2.5, true)] {
        draw(&mut now, &mut noise, QUIET, Some(("XXH3", times)));
        now.run.environment.seconds_waited_while_timing = Some(0.0);
        assert_eq!(changed(&base, &now), ["XXH3", "XXH3"], "{times}");
        now.run.environment.seconds_waited_while_timing = Some(1_000.0);
        assert_eq!(!changed(&base, &now).is_empty(), is_told, "{times}");
    }
    let baseline = hold_against(&base, Path::new("b"), &now);
    assert!(
        baseline
            .notes
            .iter()
            .any(|note| note.contains("disturbed the timing of this run")),
        "{:?}",
        baseline.notes
    );
}
