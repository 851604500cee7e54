//! The report in headless Chromium: a script in a copy of the page uses it as a reader would.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use hash_comparison::advice::recommend;
use hash_comparison::questions::Records;
use hash_comparison::record::{Purpose, Request};
use serde::Deserialize;

use super::fixture::Plan;
use super::rendered;

/// The results that the script in a page sends.
#[derive(Debug, Deserialize)]
struct Findings {
    /// Descriptions of failed checks.
    complaints: Vec<String>,
    /// Number of checks of each kind.
    checks: BTreeMap<String, u32>,
}

/// Builds records for a report with every section.
fn everything() -> Records {
    let mut records = Plan::standard().records();
    // Charts fold one function away, which a reader can still select.
    let mut functions = records.run.functions.iter_mut();
    functions.find(|one| one.name == "CRC-32").unwrap().folded = true;
    let request = Request {
        purpose: Purpose::Filter,
        mine: Some("DJB".to_owned()),
        ..Request::default()
    };
    recommend(&mut records, &request);
    records
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

/// Opens each page in a frame of the given width, all in one browser, runs the given kind of checks (all for ""), and
/// returns the findings. Findings that belong to no page are in the last element.
fn findings(pages: &[(String, u32, &str)]) -> Vec<Findings> {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let frames = pages.iter().enumerate().map(|(index, (page, width, kind))| {
        fs::write(folder.join(format!("{index}.html")), instrumented(page)).unwrap();
        format!("<iframe name=\"{kind}\" src=\"{index}.html\" width=\"{width}\" height=\"800\"></iframe>\n")
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
    found
}

/// Width of an A4 sheet without margins, in CSS pixels.
const PAPER: u32 = 703;

#[test]
#[ignore = "needs chromium; `cargo xtask test` runs it"]
fn readers_can_use_the_report_wide_narrow_and_on_paper() {
    let (folder, _) = rendered(&everything(), "browser");
    let page = fs::read_to_string(folder.join("index.html")).unwrap();
    let found = findings(&[
        (page.clone(), 1280, ""),
        (page.clone(), 390, ""),
        (dark(&page), 1280, "view"),
        (dark(&page), 390, "view"),
        (printed(&page), PAPER, ""),
    ]);
    let chosen = ["view", "order", "frames", "yours"];
    let screen = [
        "view", "order", "frames", "yours", "panels", "sorting", "filters", "layout", "reach", "height",
        "requests",
    ];
    let kinds = [&screen[..], &screen, &chosen, &chosen, &["paper", "order"]];
    for (found, kinds) in found.iter().zip(kinds) {
        assert!(found.complaints.is_empty(), "{}", found.complaints.join("\n"));
        for kind in kinds {
            assert!(found.checks.contains_key(*kind), "{kind}: {:?}", found.checks);
        }
    }
}

#[test]
#[ignore = "needs chromium; `cargo xtask test` runs it"]
fn what_is_wrong_is_seen() {
    const FETCH: &str = "fetch(\"https://example.org/\").catch(() => {}); const all = ";
    // Two datasets are enough for all kinds of sections, and take less time.
    let mut records = everything();
    records.run.datasets.truncate(2);
    let (folder, _) = rendered(&records, "browser-wrong");
    let page = fs::read_to_string(folder.join("index.html")).unwrap();
    // Replacements that break the page, and the prefix of the complaint that each must cause.
    let breakages: [(&[(&str, &str)], &'static str); 7] = [
        (&[("return sign * (u - v);", "return 0;")], "sorting: "),
        (
            &[("row.classList.toggle(\"filtered\", !isShown);", "")],
            "filters: ",
        ),
        (&[("max-width: 1280px;", "min-width: 2000px;")], "layout: "),
        (&[("${places[at] - ", "${places[at] + ")], "order: "),
        (
            &[("cells[index]?.cloneNode(true)", "cells[0]?.cloneNode(true)")],
            "yours: ",
        ),
        (&[("dialog.showModal();", "")], "panels: "),
        (&[("const all = ", FETCH)], "blocked: "),
    ];
    let wrong = |(replaced, complaint): &(&[(&str, &str)], &'static str)| {
        let mut wrong = page.clone();
        for (from, to) in *replaced {
            assert!(page.contains(from), "{from}");
            wrong = wrong.replace(from, to);
        }
        // Some complaints come from checks of another kind; requests are watched during every check.
        let kind = match complaint.trim_end_matches(": ") {
            "blocked" => "requests",
            "order" | "yours" => "view",
            kind => kind,
        };
        (wrong, 1280, kind)
    };
    let found = findings(&breakages.iter().map(wrong).collect::<Vec<_>>());
    for ((replaced, complaint), found) in breakages.iter().zip(&found) {
        let is_seen = found.complaints.iter().any(|found| found.starts_with(complaint));
        assert!(is_seen, "{replaced:?}: {:?}", found.complaints);
    }
}
