//! Charts and report from the records alone.

use std::fs;

use filter_formats::EngineFormat;

use super::{Workbench, sealed};

#[test]
fn the_same_records_give_the_same_bytes() {
    let bench = Workbench::with_run();
    let measured = bench.snapshot();
    for _ in 0..2 {
        let outcome = bench.run("render out");
        assert_eq!(outcome.code, 0, "{}", outcome.stderr);
        assert!(outcome.stdout.contains("out/index.html"), "{}", outcome.stdout);
        assert!(bench.snapshot() == measured);
    }
}

#[test]
fn the_page_has_the_filters_with_a_hash_function_of_their_own() {
    let bench = Workbench::with_run();
    let page = bench.read("out/index.html");
    let table = page
        .split("filters with their own hash function</caption>")
        .nth(1);
    let table = table.and_then(|rest| rest.split("</table>").next()).unwrap();
    for policy in filter_formats::policies::ALL {
        let has_own = policy.format() != EngineFormat::LEVEL_DB;
        let name = policy.name();
        assert_eq!(table.contains(&format!("<th>{name}<")), has_own, "{name}");
    }
}

#[test]
fn what_was_lost_is_drawn_again() {
    let bench = Workbench::with_run();
    bench.write("out/notes.txt", "somebody's\n");
    let measured = bench.snapshot();
    fs::remove_dir_all(bench.path("out/charts")).unwrap();
    fs::remove_file(bench.path("out/index.html")).unwrap();
    assert_eq!(bench.run("render out").code, 0);
    assert!(bench.snapshot() == measured);
}

#[test]
fn a_chart_that_is_drawn_no_more_is_removed() {
    let bench = Workbench::with_run();
    let measured = bench.snapshot();
    let run = bench.read("out/run.json");
    let older = run.replacen("\"index.html\"", "\"charts/zz-old.svg\", \"index.html\"", 1);
    bench.write("out/run.json", sealed(&older));
    bench.write("out/charts/zz-old.svg", "<svg/>\n");
    assert_eq!(bench.run("render out").code, 0);
    assert!(bench.snapshot() == measured);
}
