//! The report in headless Chromium: a script in a copy of the page uses it as a reader would.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::process::Command;

use hash_comparison::advice::recommend;
use hash_comparison::questions::Records;
use hash_comparison::record::{Purpose, Request};
use serde::Deserialize;

use super::drawn;
use crate::PROGRAM;
use crate::fixtures::{committed, few};

/// The results that the script in a page sends.
#[derive(Debug, Deserialize)]
struct Findings {
    /// Descriptions of failed checks.
    complaints: Vec<String>,
    /// Number of checks of each kind.
    checks: BTreeMap<String, u32>,
}

/// Returns the page of these records for somebody who uses DJB in a filter.
fn page_of(mut records: Records) -> String {
    let request = Request {
        purpose: Purpose::Filter,
        mine: Some("DJB".to_owned()),
        ..Request::default()
    };
    recommend(&mut records, &request);
    drawn(&records).0
}

/// Returns the page with test scripts before and after its own script.
fn instrumented(page: &str) -> String {
    let (head, rest) = page.split_once("<head>").unwrap();
    let (body, end) = rest.rsplit_once("</body>").unwrap();
    let (watch, test) = (
        include_str!("browser/watch.js"),
        include_str!("browser/selftest.js"),
    );
    format!("{head}<head><script>{watch}</script>{body}<script>{test}</script></body>{end}")
}

/// Returns the page with its print styles on screen.
fn printed(page: &str) -> String {
    assert!(page.contains("@media print {") && page.contains("@media screen"));
    page.replace("@media screen", "@media speech")
        .replace("@media print {", "@media all {")
}

/// Returns the page in its dark colours.
fn dark(page: &str) -> String {
    const SCHEME: &str = "(prefers-color-scheme: dark)";
    assert_eq!(page.matches(SCHEME).count(), 2);
    page.replace(SCHEME, "(min-width: 1px)")
}

/// Opens each page in a frame of the given width, all in one browser, runs the given kinds of checks, and returns the
/// complaints of each page. Those that belong to no page are with the last.
fn complaints(pages: &[(String, u32, &str)]) -> Vec<Vec<String>> {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let frames = pages.iter().enumerate().map(|(index, (page, width, kinds))| {
        fs::write(folder.join(format!("{index}.html")), instrumented(page)).unwrap();
        format!("<iframe name=\"{kinds}\" src=\"{index}.html\" width=\"{width}\" height=\"800\"></iframe>\n")
    });
    let host = include_str!("browser/host.html").replace("FRAMES", &frames.collect::<String>());
    fs::write(folder.join("host.html"), host).unwrap();
    let output = Command::new("chromium")
        .args([
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-default-apps",
            "--disable-domain-reliability",
            "--disable-extensions",
            // The address changes with every choice.
            "--disable-ipc-flooding-protection",
            "--disable-sync",
            "--host-resolver-rules=MAP * ~NOTFOUND",
            "--enable-logging=stderr",
            "--window-size=1400,1000",
            // In milliseconds of the pages' clock, which does not stand still for all that a busy machine does.
            "--virtual-time-budget=600000",
            "--dump-dom",
        ])
        .arg(format!("--user-data-dir={}", folder.join("profile").display()))
        .arg(format!("file://{}", folder.join("host.html").display()))
        .output()
        .unwrap_or_else(|error| panic!("chromium: {error}; `cargo xtask test --install` installs it"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let document = String::from_utf8_lossy(&output.stdout);
    let found = document
        .split_once("<pre id=\"findings\">")
        .and_then(|(_, rest)| rest.split_once("</pre>"))
        .map(|(text, _)| {
            text.replace("&lt;", "<")
                .replace("&gt;", ">")
                .replace("&amp;", "&")
        })
        .filter(|text| !text.is_empty())
        .unwrap_or_else(|| panic!("the pages did not come to their end: {errors}"));
    let mut found: Vec<Findings> = serde_json::from_str(&found).unwrap();
    let last = found.last_mut().unwrap();
    let written = errors.lines().filter(|line| line.contains("CONSOLE"));
    last.complaints.extend(written.map(str::to_owned));
    for (found, (_, _, kinds)) in found.iter().zip(pages) {
        for kind in kinds.split(' ') {
            assert!(found.checks.contains_key(kind), "{kind}: {:?}", found.checks);
        }
    }
    found.into_iter().map(|found| found.complaints).collect()
}

/// Width of an A4 sheet without margins, in CSS pixels.
const PAPER: u32 = 703;

#[test]
#[ignore = "needs chromium; `cargo xtask test` runs it"]
fn a_long_report_fits_wide_narrow_and_on_paper() {
    // The published functions and some others.
    let mut records = committed();
    records.run.functions.retain(|one| !one.folded);
    records.run.functions.truncate(23);
    let names: HashSet<String> = records.run.functions.iter().map(|one| one.name.clone()).collect();
    records.run.findings.retain(|one| names.contains(&one.function));
    let page = page_of(records);
    let found = complaints(&[
        (page.clone(), 1280, "height layout reach requests"),
        (page.clone(), 390, "layout reach"),
        (printed(&page), PAPER, "paper order"),
    ]);
    assert!(found.concat().is_empty(), "{}", found.concat().join("\n"));
}

#[test]
#[ignore = "needs chromium; `cargo xtask test` runs it"]
fn the_answer_and_the_first_chart_are_on_one_screen() {
    let folder = tempfile::tempdir().unwrap();
    let names: String = (0..5_000).map(|name| format!("user.{}\n", name * 7)).collect();
    fs::write(folder.path().join("names.txt"), names).unwrap();
    let mut own = Command::new(PROGRAM);
    own.args([
        "compare",
        "--quick",
        "--keys",
        "names.txt",
        "--mine",
        "DJB2Hash",
        "--out",
        "own",
    ]);
    let output = own.current_dir(&folder).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let own = fs::read_to_string(folder.path().join("own/index.html")).unwrap();
    let committed = drawn(&committed()).0;
    let pages = [&committed, &own].map(|page| [(page.clone(), 1280, "first"), (page.clone(), 390, "first")]);
    let found = complaints(pages.as_flattened());
    assert!(found.concat().is_empty(), "{}", found.concat().join("\n"));
}

/// Kinds of checks of what a reader does. Those of the view check order and frames too.
const USE: &str = "view order frames yours gains panels sorting filters layout reach requests";

#[test]
#[ignore = "needs chromium; `cargo xtask test` runs it"]
fn readers_can_use_the_report_and_what_is_wrong_is_seen() {
    let mut records = few(["video-ids", "app-accounts"]);
    // Charts fold one function away, which a reader can still select.
    let mut functions = records.run.functions.iter_mut();
    functions.find(|one| one.name == "CRC-32").unwrap().folded = true;
    let page = page_of(records);
    let mut wrong = page.clone();
    // Replacements that break the page, and the kind of complaint that each must cause.
    let breakages = [
        ("return sign * (u - v);", "return 0;", "sorting: "),
        ("row.classList.toggle(\"filtered\", !isShown);", "", "filters: "),
        ("max-width: 1280px;", "min-width: 2000px;", "layout: "),
        ("${places[at] - ", "${places[at] + ", "order: "),
        (
            "cells[index]?.cloneNode(true)",
            "cells[0]?.cloneNode(true)",
            "yours: ",
        ),
        ("line.hidden = saved === undefined;", "", "gains: "),
        ("dialog.showModal();", "", "panels: "),
        (
            "const all = ",
            "fetch(\"https://example.org/\").catch(() => {}); const all = ",
            "blocked: ",
        ),
    ];
    for (from, to, _) in breakages {
        assert!(page.contains(from), "{from}");
        wrong = wrong.replace(from, to);
    }
    let mut found = complaints(&[
        (page.clone(), 1280, USE),
        (page.clone(), 390, USE),
        (dark(&page), 1280, "view order frames yours"),
        (wrong, 1280, USE),
    ]);
    let of_wrong = found.pop().unwrap();
    assert!(found.concat().is_empty(), "{}", found.concat().join("\n"));
    for (from, _, complaint) in breakages {
        let is_seen = of_wrong.iter().any(|found| found.starts_with(complaint));
        assert!(is_seen, "{from}: {of_wrong:?}");
    }
}
