//! Charts and report from the records alone.

use std::fs;

use filter_policy::formats;

use super::{Workbench, sealed};

#[test]
fn the_same_records_give_the_same_bytes_whatever_was_drawn_before() {
    let bench = Workbench::with_run();
    let measured = bench.snapshot();
    let drawn_again = || {
        let outcome = bench.run("render out");
        assert_eq!(outcome.code, 0, "{}", outcome.stderr);
        assert!(outcome.stdout.contains("out/index.html"), "{}", outcome.stdout);
        assert!(bench.snapshot() == measured);
    };
    drawn_again();
    // What was lost is drawn again.
    fs::remove_dir_all(bench.path("out/charts")).unwrap();
    fs::remove_file(bench.path("out/index.html")).unwrap();
    drawn_again();
    // A chart that is drawn no more is removed.
    let run = bench.read("out/run.json");
    let older = run.replacen("\"index.html\"", "\"charts/zz-old.svg\", \"index.html\"", 1);
    bench.write("out/run.json", sealed(&older));
    bench.write("out/charts/zz-old.svg", "<svg/>\n");
    drawn_again();
}

#[test]
fn the_page_has_the_filters_with_a_hash_function_of_their_own() {
    let bench = Workbench::with_run();
    let page = bench.read("out/index.html");
    let table = page
        .split("filters with their own hash function</caption>")
        .nth(1);
    let table = table.and_then(|rest| rest.split("</table>").next()).unwrap();
    for policy in formats::ALL {
        let has_own = policy.kind() != formats::LEVEL_DB.kind();
        let name = policy.name();
        assert_eq!(table.contains(&format!("<th>{name}<")), has_own, "{name}");
    }
}

/// A run of a program that did not count probes yet.
#[test]
fn an_older_run_without_a_file_of_rows_is_drawn_and_joined() {
    let bench = Workbench::new();
    let keys: String = (0..500).map(|number| format!("key {number}\n")).collect();
    bench.write("keys.txt", keys);
    bench.compare("--out out");
    assert!(bench.read("out/index.html").contains(": linear probing"));
    let run = bench.read("out/run.json");
    let without: Vec<&str> = run.lines().filter(|line| !line.contains("probes.csv")).collect();
    assert_eq!(without.len() + 2, run.lines().count());
    bench.write("out/run.json", sealed(&(without.join("\n") + "\n")));
    fs::remove_file(bench.path("out/probes.csv")).unwrap();
    for command in ["render out", "join out out --out joined.html"] {
        let outcome = bench.run(command);
        assert_eq!(outcome.code, 0, "{command}: {}", outcome.stderr);
    }
    assert!(!bench.read("out/index.html").contains(": linear probing"));
    assert!(!bench.path("out/probes.csv").exists());
}
