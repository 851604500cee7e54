//! The page that joins several runs.

use std::fs;
use std::path::Path;

use hash_comparison::advice::joined::{RelativeTime, join};
use hash_comparison::questions::Records;

use super::Workbench;

#[test]
fn runs_are_joined_by_their_times_and_run_json_alone() {
    let bench = Workbench::with_run();
    for file in ["run.json", "timing.csv"] {
        bench.write(&format!("kept/{file}"), bench.read(&format!("out/{file}")));
    }
    for _ in 0..2 {
        let outcome = bench.run("join out kept");
        assert_eq!(outcome.code, 0, "{}", outcome.stderr);
        assert!(outcome.stdout.starts_with("quality: all "), "{}", outcome.stdout);
        assert!(
            outcome.stdout.ends_with("page: joined.html\n"),
            "{}",
            outcome.stdout
        );
    }
    let page = bench.read("joined.html");
    assert!(page.contains("<title>Hash functions in 2 runs on ") && page.contains(">XXH3<td"));
    // Only times of one processor are shown.
    assert!(page.contains("ns per key, run 2"));
}

#[test]
fn nothing_is_written_over_and_no_folder_is_taken_for_a_run() {
    let bench = Workbench::with_run();
    bench.write("notes.html", "somebody's\n");
    bench.refuses(
        "join {}",
        "out out --out notes.html => was not written by this command
        out out --out out/index.html => was not written by this command
        out out --out out => was not written by this command
        out nowhere => give folders of runs
        out => 2 values",
    );
}

#[test]
fn machines_agree_on_quality_and_differ_in_times_beyond_their_intervals() {
    let machines = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../reports/machines");
    let mut runs = Vec::new();
    for entry in fs::read_dir(machines).unwrap() {
        let folder = entry.unwrap().path();
        if folder.is_dir() {
            runs.push((
                folder.display().to_string(),
                Records::read_times(&folder).unwrap(),
            ));
        }
    }
    runs.sort_by(|a, b| a.0.cmp(&b.0));
    let joined = join(&runs);
    assert!(runs.len() >= 2 && joined.cpu.is_none());
    let (compared, differing) = (joined.compared, &joined.differing);
    assert!(
        compared >= 10 && differing.is_empty(),
        "{compared}: {differing:?}"
    );
    for one in &joined.times {
        assert_eq!(one.ratios.len(), runs.len());
    }
    assert!(joined.times.iter().any(|one| one.differs) && joined.times.iter().any(|one| !one.differs));
    let is_faster = |one: &&RelativeTime| one.ratios.iter().all(|ratio| *ratio < 1.0);
    let faster = joined.times.iter().filter(is_faster);
    assert!(faster.clone().any(|one| one.function == "XXH3") && faster.count() < joined.times.len());
}

#[test]
fn a_slower_function_differs_and_a_slower_machine_does_not() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../reports/reference");
    let before = Records::read_times(&folder).unwrap();
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
