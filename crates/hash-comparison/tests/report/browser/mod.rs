//! The report in headless Chromium: used as a reader uses it, by a script in a copy of the page.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;

use hash_comparison::judge::recommend::decide;
use hash_comparison::record::files::Records;
use hash_comparison::record::{Purpose, Request};
use serde::Deserialize;

use super::{bits, rendered, structure};

/// What the script in the page sends.
#[derive(Debug, Deserialize)]
struct Findings {
    /// What is not as it should be.
    troubles: Vec<String>,
    /// How often each kind of thing was looked at.
    checks: BTreeMap<String, u32>,
    /// Width of the page.
    width: u32,
}

/// A report with every section.
fn everything() -> Records {
    let bits = bits::with_bits();
    let mut records = Records {
        windows: bits.windows,
        avalanche: bits.avalanche,
        mixing: bits.mixing,
        ..structure::with_structure()
    };
    let request = Request {
        purpose: Purpose::Filter,
        untrusted: false,
        stable: true,
        mine: Some("DJB".to_owned()),
        ..Request::default()
    };
    decide(&mut records, &request);
    records
}

/// The page with the scripts of the test before and behind its own.
fn instrumented(page: &str) -> String {
    between(page, include_str!("selftest.js"))
}

/// The page as it looks on paper, with another script behind its own.
fn printed(page: &str) -> String {
    assert!(page.contains("@media print {") && page.contains("@media screen"));
    let page = page
        .replace("@media screen", "@media speech")
        .replace("@media print {", "@media all {");
    between(&page, include_str!("printed.js"))
}

fn between(page: &str, test: &str) -> String {
    let (head, rest) = page.split_once("<head>").unwrap();
    let (body, end) = rest.rsplit_once("</body>").unwrap();
    let watch = include_str!("watch.js");
    format!("{head}<head><script>{watch}</script>{body}<script>{test}</script></body>{end}")
}

/// Opens the page in a frame of this width and waits for its findings.
fn findings(folder: &Path, page: &str, width: u32) -> Findings {
    let host = include_str!("host.html").replace("WIDTH", &width.to_string());
    fs::write(folder.join("page.html"), page).unwrap();
    fs::write(folder.join("host.html"), host).unwrap();
    let log = folder.join("requests.json");
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
            // Of the page's own clock, which stands still while scripts run.
            "--virtual-time-budget=10000",
            "--dump-dom",
        ])
        .arg(format!("--user-data-dir={}", folder.join("profile").display()))
        .arg(format!("--log-net-log={}", log.display()))
        .arg(format!("file://{}", folder.join("host.html").display()))
        .output()
        .unwrap_or_else(|error| panic!("chromium (package chromium of Debian): {error}"));
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
        .unwrap_or_else(|| panic!("the page did not come to its end: {errors}"));
    let mut found: Findings = serde_json::from_str(&found).unwrap();
    let written = errors.lines().filter(|line| line.contains("CONSOLE"));
    found.troubles.extend(written.map(str::to_owned));
    found.troubles.extend(requests(&fs::read_to_string(log).unwrap()));
    found
}

/// What pages asked the network for, of a log of Chromium's network stack. Chromium itself asks, too, and gets no answer.
fn requests(log: &str) -> Vec<String> {
    let log: serde_json::Value = serde_json::from_str(log).unwrap();
    let by_page = |event: &serde_json::Value| {
        let parameters = &event["params"];
        let initiator = parameters["initiator"].as_str()?;
        (initiator != "not an origin").then(|| format!("network: {}", parameters["url"]))
    };
    let events = log["events"].as_array().unwrap();
    events.iter().filter_map(by_page).collect()
}

#[test]
#[ignore = "needs chromium; `cargo xtask test` runs it"]
fn readers_can_use_the_report_wide_and_narrow() {
    let (folder, _) = rendered(&everything(), "browser");
    let page = fs::read_to_string(folder.join("index.html")).unwrap();
    let page = instrumented(&page);
    for width in [1280, 390] {
        let profile = tempfile::tempdir().unwrap();
        let found = findings(profile.path(), &page, width);
        assert!(
            found.troubles.is_empty(),
            "at {width} pixels:\n{}",
            found.troubles.join("\n")
        );
        assert_eq!(found.width, width);
        for (kind, least) in [
            ("navigation", 40),
            ("tabs", 14),
            ("sorting", 1000),
            ("filters", 500),
            ("printing", 2),
            ("charts", 1000),
            ("layout", 100),
            ("reach", 30),
            ("requests", 1),
        ] {
            let checked = found.checks.get(kind).copied().unwrap_or(0);
            assert!(checked >= least, "{kind}: only {checked} checks");
        }
    }
}

/// A sheet of A4 between its margins, in pixels of style sheets.
const PAPER: u32 = 703;

#[test]
#[ignore = "needs chromium; `cargo xtask test` runs it"]
fn on_paper_nothing_is_cut_and_nothing_waits_to_be_selected() {
    let (folder, _) = rendered(&everything(), "browser-paper");
    let page = fs::read_to_string(folder.join("index.html")).unwrap();
    let profile = tempfile::tempdir().unwrap();
    let found = findings(profile.path(), &printed(&page), PAPER);
    assert!(found.troubles.is_empty(), "{}", found.troubles.join("\n"));
    assert!(found.checks["paper"] > 200, "{:?}", found.checks);
    for (rule, trouble) in [
        ("th button { display: contents; }", "paper: the head"),
        (".tools, .screen { display: none; }", "is of no use"),
        ("table { font-size: 7.5px; }", "ends at"),
    ] {
        assert!(page.contains(rule), "{rule}");
        let profile = tempfile::tempdir().unwrap();
        let found = findings(profile.path(), &printed(&page.replace(rule, "")), PAPER);
        assert!(
            found.troubles.iter().any(|found| found.contains(trouble)),
            "{rule}: {:?}",
            found.troubles
        );
    }
}

#[test]
#[ignore = "needs chromium; `cargo xtask test` runs it"]
fn what_is_wrong_is_seen() {
    const FETCH: &str = "fetch(\"https://example.org/\").catch(() => {}); const tabs = [";
    // Two datasets: all kinds of sections on a page that is tried in less time.
    let mut records = everything();
    records.run.datasets.truncate(2);
    let (folder, _) = rendered(&records, "browser-wrong");
    let page = fs::read_to_string(folder.join("index.html")).unwrap();
    // What is replaced by what, and what must then be complained of.
    let wrongs: [(&[(&str, &str)], &str); 8] = [
        (
            &[("return sign * (Number(u) - Number(v));", "return 0;")],
            "sorting: ",
        ),
        (
            &[("row.classList.toggle(\"filtered\", !isShown);", "")],
            "filters: ",
        ),
        (&[("max-width: 1280px;", "min-width: 2000px;")], "layout: "),
        (&[("font-size=\"22\"", "font-size=\"80\"")], "charts: "),
        (&[("else box.removeAttribute(\"tabindex\");", "")], "reach: "),
        (
            &[("const tabs = [", "console.error(\"wrong\"); const tabs = [")],
            "console.error: ",
        ),
        (&[("const tabs = [", FETCH)], "blocked: "),
        (&[("const tabs = [", FETCH), ("http-equiv", "name")], "network: "),
    ];
    let seen = |(replaced, trouble): (&[(&str, &str)], &str)| {
        let mut wrong = page.clone();
        for (from, to) in replaced {
            assert!(page.contains(from), "{from}");
            wrong = wrong.replace(from, to);
        }
        let profile = tempfile::tempdir().unwrap();
        let found = findings(profile.path(), &instrumented(&wrong), 1280);
        assert!(
            found.troubles.iter().any(|found| found.starts_with(trouble)),
            "{replaced:?}: {:?}",
            found.troubles
        );
    };
    // A browser waits more than it works.
    thread::scope(|scope| {
        for wrong in wrongs {
            scope.spawn(move || seen(wrong));
        }
    });
}
