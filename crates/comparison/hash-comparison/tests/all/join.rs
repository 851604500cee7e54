//! Runs of several machines or dates, joined.

use std::fs;
use std::path::PathBuf;

use hash_comparison::advice::joined::{RelativeTime, join};
use hash_comparison::questions::Records;

use super::fixtures::reports;

#[test]
fn machines_agree_on_quality_and_differ_in_times_beyond_their_intervals() {
    let folders = fs::read_dir(reports().join("machines")).unwrap();
    let mut folders: Vec<_> = folders.map(|entry| entry.unwrap().path()).collect();
    folders.retain(|path| path.is_dir());
    folders.sort();
    let run = |path: &PathBuf| (format!("{path:?}"), Records::read_times(path).unwrap());
    let runs: Vec<_> = folders.iter().map(run).collect();
    let joined = join(&runs);
    assert!(runs.len() >= 2 && joined.cpu.is_none());
    assert!(
        joined.compared >= 10 && joined.differing.is_empty(),
        "{:?}",
        joined.differing
    );
    assert!(joined.times.iter().all(|one| one.ratios.len() == runs.len()));
    assert!(joined.times.iter().any(|one| one.differs) && joined.times.iter().any(|one| !one.differs));
    let is_faster = |one: &&RelativeTime| one.ratios.iter().all(|ratio| *ratio < 1.0);
    let faster = joined.times.iter().filter(is_faster);
    assert!(faster.clone().any(|one| one.function == "XXH3") && faster.count() < joined.times.len());
}

#[test]
fn a_slower_function_differs_and_a_slower_machine_does_not() {
    let before = Records::read_times(&reports().join("reference")).unwrap();
    let slowed = |factor: fn(&str) -> f64| {
        let mut after = before.clone();
        for row in &mut after.timing {
            let factor = factor(&row.function);
            row.median_ns_per_key *= factor;
            row.fastest_ns_per_key = row.fastest_ns_per_key.map(|ns| ns * factor);
        }
        let runs = [("before".to_owned(), before.clone()), ("after".to_owned(), after)];
        let differing = join(&runs).times.into_iter().filter(|one| one.differs);
        let mut names: Vec<String> = differing.map(|one| one.function).collect();
        names.sort();
        names.dedup();
        names
    };
    assert!(slowed(|_| 1.0).is_empty());
    assert!(slowed(|_| 3.0).is_empty());
    assert_eq!(slowed(|name| if name == "XXH3" { 2.0 } else { 1.0 }), ["XXH3"]);
}
