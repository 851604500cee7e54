//! Charts and report as a reader of the files sees them.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod bits;
mod browser;
mod fixture;
mod recommended;
mod structure;
mod words;

use std::path::PathBuf;

use fixture::{ANCHORS, PUBLISHED, Plan};
use hash_comparison::judge::recommend::decide;
use hash_comparison::record::files::Records;
use hash_comparison::record::{DatasetKind, EMPTY, FailedTest, FunctionGroup, Request, Verdict};
use hash_comparison::report::render;

/// The records with what a run judges last.
fn judged(records: &Records) -> Records {
    let mut records = records.clone();
    if records.run.recommendations.is_empty() {
        decide(&mut records, &Request::default());
    }
    records
}

/// Renders into a folder of its own below `target`, where one can look at the result.
fn rendered(records: &Records, name: &str) -> (PathBuf, Vec<String>) {
    let records = &judged(records);
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    if dir.exists() {
        std::fs::remove_dir_all(&dir).unwrap();
    }
    std::fs::create_dir_all(&dir).unwrap();
    let names = render::render(records, &dir).unwrap();
    (dir, names)
}

/// Everything that must hold of every rendering; returns the page.
fn checked(records: &Records, name: &str) -> String {
    let (dir, names) = rendered(records, name);
    assert_eq!(names, render::file_names(&judged(records)));
    assert!(names.is_sorted());
    let mut distinct: Vec<_> = names.iter().map(|name| name.to_lowercase()).collect();
    distinct.dedup();
    assert_eq!(
        distinct.len(),
        names.len(),
        "names must differ where case does not count, too"
    );
    for name in &names {
        let file = dir.join(name);
        assert!(file.is_file(), "{name}");
        let svg = name.strip_suffix(".svg");
        if let Some(stem) = svg {
            let text = std::fs::read_to_string(&file).unwrap();
            let document = roxmltree::Document::parse(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
            let root = document.root_element();
            assert_eq!(root.attribute("role"), Some("img"));
            assert!(!root.attribute("aria-label").unwrap().is_empty());
            let size = |attribute| root.attribute(attribute).unwrap().parse::<u32>().unwrap();
            // Twice the pixel density.
            let png = png_size(&dir.join(format!("{stem}.png")));
            assert_eq!(png, (2 * size("width"), 2 * size("height")), "{name}");
            assert!(
                root.descendants()
                    .any(|node| node.has_tag_name(("http://www.w3.org/2000/svg", "text")))
            );
        }
    }
    std::fs::read_to_string(dir.join("index.html")).unwrap()
}

/// Decodes the file.
fn png_size(path: &std::path::Path) -> (u32, u32) {
    let file = std::io::BufReader::new(std::fs::File::open(path).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let frame = reader.next_frame(&mut pixels).unwrap();
    assert!(
        pixels.iter().any(|value| *value != pixels[0]),
        "{}: one colour",
        path.display()
    );
    (frame.width, frame.height)
}

/// What the page is allowed to load: nothing.
fn assert_self_contained(page: &str) {
    for tag in [
        "<link", "<img", "<iframe", "<object", "<embed", "<base", "@import", " src=", "fetch(", "XMLHttp",
    ] {
        assert!(!page.contains(tag), "{tag}");
    }
    for (attribute, allowed) in [("href=\"", "#"), ("url(", "data:font/ttf;base64,")] {
        for (at, _) in page.match_indices(attribute) {
            assert!(
                page[at + attribute.len()..].starts_with(allowed),
                "{}",
                &page[at..at + 60]
            );
        }
    }
    assert_eq!(page.matches("<script").count(), 1);
}

#[test]
fn the_same_records_give_the_same_bytes() {
    let records = Plan::standard().records();
    let (first, names) = rendered(&records, "same-first");
    let (second, again) = rendered(&records, "same-second");
    assert_eq!(names, again);
    for name in &names {
        assert_eq!(
            std::fs::read(first.join(name)).unwrap(),
            std::fs::read(second.join(name)).unwrap(),
            "{name}"
        );
    }
}

#[test]
fn charts_without_times_do_not_depend_on_times() {
    let records = Plan::standard().records();
    let (first, names) = rendered(&records, "times-first");
    let mut other = records;
    for row in other.timing.iter_mut().chain(&mut other.latency) {
        row.median_ns_per_key = 100.0 / row.median_ns_per_key;
    }
    other.run.environment.cpu = "Another CPU".to_owned();
    other.run.date = "2027-01-01T00:00:00Z".to_owned();
    let (second, _) = rendered(&other, "times-second");
    for name in &names {
        let equal = std::fs::read(first.join(name)).unwrap() == std::fs::read(second.join(name)).unwrap();
        let kinds = [
            "charts/collisions-",
            "charts/distribution-",
            "charts/bits-",
            "charts/false-positives-",
        ];
        assert_eq!(equal, kinds.iter().any(|kind| name.starts_with(kind)), "{name}");
    }
}

#[test]
fn the_structure_of_the_report_is_known() {
    let page = checked(&Plan::standard().records(), "standard");
    assert_self_contained(&page);
    let starts = [
        "<h1",
        "<h2",
        "<h3",
        "<section",
        "<th scope=\"col\"",
        "<button type=\"button\" role=\"tab\"",
        "<a ",
    ];
    let structure: Vec<&str> = page
        .lines()
        .filter(|line| starts.iter().any(|start| line.starts_with(start)))
        .collect();
    insta::assert_snapshot!(structure.join("\n"));
}

#[test]
fn the_first_screen_says_what_the_records_say() {
    let page = checked(&Plan::standard().records(), "sentences");
    let first: Vec<&str> = page
        .lines()
        .skip_while(|line| !line.contains("id=\"dataset-3\""))
        .filter(|line| line.starts_with("<p>") || line.starts_with("<p class"))
        .take(5)
        .collect();
    insta::assert_snapshot!(first.join("\n"));
    assert!(
        page.contains("17 of 17 do."),
        "all published counts are in the fixture"
    );
}

#[test]
fn a_function_for_memory_only_is_told_to_be_one() {
    let plan = Plan {
        datasets: vec![("mine", 1_000, DatasetKind::File)],
        functions: vec![("foldhash", 32), ("XXH3", 32)],
    };
    let page = checked(&plan.records(), "unstable");
    assert!(page.contains(
        "for a filter or table over these keys foldhash (in memory only) at 1.6 ns per key (1.57 to 1.63); \
         then XXH3 at 2.1."
    ));
}

#[test]
fn names_that_are_markup_stay_text() {
    let hostile = "\"><script>alert('x')</script><svg onload=alert(1)>{{ 7 * 7 }}";
    let long = "very long name ".repeat(17);
    let names = [
        hostile,
        "a\u{1}b\u{202e}c",
        &long,
        "../../etc/passwd",
        "キー",
        "keys",
        "APP-ACCOUNTS",
        "app-accounts",
        "a\"b'c&d<e>",
        " ",
    ];
    let functions = [("<b>F</b>&amp;", 32), ("PJW", 28), ("G", 20)];
    let plan = Plan {
        datasets: names
            .iter()
            .map(|name| (*name, 1_000, DatasetKind::File))
            .collect(),
        functions: functions.to_vec(),
    };
    let mut records = plan.records();
    records.run.command = format!("cargo xtask compare --keys '{hostile}-->'");
    records.run.findings[0].example = Some([hostile.to_owned(), "--></style>".to_owned()]);
    let page = checked(&records, "hostile");
    assert_self_contained(&page);
    assert!(!page.contains("<script>alert") && !page.contains("onload=alert(1)>") && !page.contains("<b>F"));
    assert!(!page.contains('\u{1}') && !page.contains('\u{202e}'));
    assert!(page.contains("{{ 7 * 7 }}"), "a name is no template");
    // A file of the user's is never compared with the published set whose name it bears.
    assert!(!page.contains("id=\"published\""));
}

#[test]
fn the_users_own_keys_come_first() {
    let mut plan = Plan::standard();
    plan.datasets.push(("mine", 5_000, DatasetKind::File));
    let page = checked(&plan.records(), "own");
    let chosen: Vec<&str> = page
        .lines()
        .filter(|line| line.contains("aria-selected=\"true\">"))
        .collect();
    assert_eq!(chosen.len(), 1);
    assert!(chosen[0].contains(">mine<"), "{}", chosen[0]);
}

#[test]
fn other_forms_of_published_functions_give_way_first() {
    let names: Vec<String> = (0..40).map(|i| format!("F{i}")).collect();
    let plan = Plan {
        datasets: vec![("many", 100_000, DatasetKind::File)],
        functions: names.iter().map(|name| (name.as_str(), 32)).collect(),
    };
    let mut records = plan.records();
    for function in &mut records.run.functions[10..20] {
        function.group = FunctionGroup::Variant;
    }
    let (dir, _) = rendered(&records, "variants");
    let chart = std::fs::read_to_string(dir.join("charts/findings-many.svg")).unwrap();
    let document = roxmltree::Document::parse(&chart).unwrap();
    let texts: Vec<&str> = document
        .descendants()
        .filter_map(|node| node.text())
        .map(str::trim)
        .collect();
    let drawn: Vec<&String> = names
        .iter()
        .filter(|name| texts.contains(&name.as_str()))
        .collect();
    assert_eq!(drawn.len(), 20, "{drawn:?}");
    assert!(
        names[10..20].iter().all(|name| !drawn.contains(&name)),
        "{drawn:?}"
    );
}

#[test]
fn forty_functions_fit() {
    let names: Vec<String> = (0..40).map(|i| format!("Function number {i}")).collect();
    let functions = names.iter().map(|name| (name.as_str(), 32)).collect();
    let plan = Plan {
        datasets: vec![("many", 100_000, DatasetKind::File)],
        functions,
    };
    let page = checked(&plan.records(), "forty");
    assert!(page.contains("20 more, not drawn, best first: "));

    // Forty marks in one place of time against quality: every name has room.
    let mut records = plan.records();
    for row in &mut records.collisions {
        (row.collisions, row.verdict) = (0, Verdict::InBand);
    }
    for row in &mut records.timing {
        row.median_ns_per_key = 2.0;
    }
    let (dir, _) = rendered(&records, "forty-at-one-place");
    let chart = std::fs::read_to_string(dir.join("charts/quality-against-time-many.svg")).unwrap();
    let document = roxmltree::Document::parse(&chart).unwrap();
    let number =
        |node: roxmltree::Node<'_, '_>, name: &str| node.attribute(name).unwrap().parse::<f64>().unwrap();
    let height = number(document.root_element(), "height");
    let names: Vec<f64> = document
        .descendants()
        .filter(|node| {
            node.text()
                .is_some_and(|text| text.trim().starts_with("Function number"))
        })
        .filter(|node| node.has_tag_name(("http://www.w3.org/2000/svg", "text")))
        .map(|node| number(node, "y"))
        .collect();
    assert_eq!(names.len(), 40);
    // Coordinates are half pixels.
    let lowest = names.iter().copied().fold(0.0, f64::max) / 2.0;
    assert!(lowest < height - 40.0, "{height} {lowest}");
    assert!(!page.contains("role=\"tab\" id"), "one dataset needs no switch");
}

#[test]
fn records_with_gaps_render() {
    let mut plan = Plan::standard();
    plan.datasets.truncate(1);
    let complete = plan.records();
    let mut records = complete.clone();
    records.distribution.clear();
    records.false_positives.clear();
    let page = checked(&records, "no-distribution");
    assert!(!page.contains("id=\"bits\"") && !page.contains("id=\"false-positives\""));

    let mut records = complete.clone();
    records.timing.clear();
    records.latency.clear();
    let page = checked(&records, "no-times");
    assert!(!page.contains("ns per key (") && page.contains("not measured in this run"));

    let mut records = complete.clone();
    records.timing.retain(|row| row.function != EMPTY);
    records.latency.clear();
    records
        .false_positives
        .retain(|row| row.bits_per_key == 15 && !ANCHORS.contains(&row.function.as_str()));
    checked(&records, "no-floor");

    let mut records = complete.clone();
    for row in &mut records.false_positives {
        (row.false_positives, row.rate, row.ci_low, row.theory) = (0, 0.0, 0.0, 0.0);
    }
    checked(&records, "no-false-positives");

    let mut records = complete;
    records.run.datasets.clear();
    records.run.findings.clear();
    let page = checked(&records, "no-datasets");
    assert!(page.contains("<h2>Method</h2>"));
}

#[test]
fn a_slow_function_does_not_stretch_the_axis() {
    let mut records = Plan::standard().records();
    records.run.datasets.truncate(1);
    for row in records
        .timing
        .iter_mut()
        .chain(&mut records.latency)
        .filter(|row| row.function == "PJW")
    {
        row.median_ns_per_key = 5_000.0;
    }
    let page = checked(&records, "slow");
    assert!(page.contains("5,000 and 5,000"));
}

#[test]
fn tiny_key_sets_render() {
    let functions: Vec<_> = PUBLISHED.to_vec();
    for keys in [0, 1, 2, 3] {
        let plan = Plan {
            datasets: vec![("tiny", keys, DatasetKind::File)],
            functions: functions.clone(),
        };
        let mut records = plan.records();
        for row in &mut records.collisions {
            row.collisions = 0;
            row.verdict = Verdict::InBand;
        }
        for finding in &mut records.run.findings {
            (finding.verdict, finding.example) = (Verdict::InBand, None);
        }
        records.run.datasets[0].detectable_ratio = if keys < 2 { f64::INFINITY } else { 1e9 };
        let page = checked(&records, &format!("tiny-{keys}"));
        assert_eq!(page.contains("no pair of keys"), keys < 2, "{keys} keys");
        for pair in page.lines().collect::<Vec<_>>().windows(2) {
            // The grid behind these words is painted over.
            let is_over = pair[0].starts_with("<rect ") || pair[0].starts_with("<path fill=");
            assert!(is_over || !pair[1].contains("no pair of keys"), "{}", pair[0]);
        }
        let (before_script, _) = page.split_once("<script>").unwrap();
        for line in before_script.lines().filter(|line| !line.contains("base64")) {
            assert!(
                !line.contains("NaN") && !line.contains("inf "),
                "{keys} keys: {line}"
            );
        }
    }
}

#[test]
fn a_set_where_every_function_fails_says_so() {
    let mut records = Plan::standard().records();
    for finding in &mut records.run.findings {
        (finding.verdict, finding.failed) = (Verdict::Unusable, vec![FailedTest::Collisions]);
    }
    let page = checked(&records, "all-fail");
    assert!(page.contains("none of the functions measured"));
}
