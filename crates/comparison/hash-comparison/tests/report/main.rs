//! Charts and report, checked by their files.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod browser;
mod fixture;

use std::path::PathBuf;

use fixture::Plan;
use hash_comparison::advice::recommend;
use hash_comparison::page;
use hash_comparison::questions::{Place, Records, TimingRow};
use hash_comparison::record::{CallForm, EMPTY, Purpose, Request};
use records::folder::CHARTS;

/// Returns the records with recommendations, the last step of a run.
fn judged(records: &Records) -> Records {
    let mut records = records.clone();
    if records.advice.is_empty() {
        recommend(&mut records, &Request::default());
    }
    records
}

/// Renders into a folder of its own below `target`, so that the result can be inspected.
fn rendered(records: &Records, name: &str) -> (PathBuf, Vec<String>) {
    let records = &judged(records);
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    if dir.exists() {
        std::fs::remove_dir_all(&dir).unwrap();
    }
    std::fs::create_dir_all(dir.join(CHARTS)).unwrap();
    let write = |(name, text): (String, String)| {
        std::fs::write(dir.join(&name), text).unwrap();
        name
    };
    let names = page::files(records).unwrap().into_iter().map(write).collect();
    (dir, names)
}

/// Renders the records, checks everything that must hold for every rendering, and returns the page.
fn checked(records: &Records, name: &str) -> String {
    let (dir, names) = rendered(records, name);
    let mut distinct: Vec<_> = names.iter().map(|name| name.to_lowercase()).collect();
    distinct.dedup();
    assert_eq!(
        distinct.len(),
        names.len(),
        "names must differ where case does not count, too"
    );
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-./".contains(c);
    for name in &names {
        assert!(
            name.chars().all(is_plain) && !name.contains("..") && name.len() < 128,
            "{name}"
        );
        let file = dir.join(name);
        assert!(file.is_file(), "{name}");
        if name.ends_with(".svg") {
            let text = std::fs::read_to_string(&file).unwrap();
            let document = roxmltree::Document::parse(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
            let root = document.root_element();
            assert_eq!(root.attribute("role"), Some("img"));
            assert!(!root.attribute("aria-label").unwrap().is_empty());
            let is_text =
                |node: &roxmltree::Node<'_, '_>| node.has_tag_name(("http://www.w3.org/2000/svg", "text"));
            assert!(root.descendants().any(|node| is_text(&node)));
            for text in root.descendants().filter(is_text) {
                // Fitted into its room where the font is missing, unless the font never had it.
                let (said, is_fitted) = (text.text().unwrap(), text.has_attribute("textLength"));
                assert!(is_fitted || !said.is_ascii(), "{said}");
                assert!(!is_fitted || !said.contains('キ'), "{said}");
            }
        }
    }
    std::fs::read_to_string(dir.join("index.html")).unwrap()
}

/// Asserts that the page loads nothing.
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
fn charts_without_times_do_not_depend_on_times() {
    let records = judged(&Plan::of_one_set().records());
    let (first, names) = rendered(&records, "times-first");
    let mut other = records.clone();
    for row in &mut other.timing {
        row.median_ns_per_key = 100.0 / row.median_ns_per_key;
    }
    other.run.environment.cpu = "Another CPU".to_owned();
    other.run.date = "2027-01-01T00:00:00Z".to_owned();
    let (second, _) = rendered(&other, "times-second");
    for name in names.iter().filter(|name| name.ends_with(".svg")) {
        let is_untimed = ["bits-", "structured-keys.", "avalanche."]
            .iter()
            .any(|kind| name.starts_with(&format!("charts/{kind}")));
        let equal = std::fs::read(first.join(name)).unwrap() == std::fs::read(second.join(name)).unwrap();
        // The other charts show no row of these times.
        assert_eq!(equal, is_untimed, "{name}");
    }
}

#[test]
fn the_answer_is_the_recommendation() {
    let mut records = Plan::standard().records();
    let request = Request {
        purpose: Purpose::Table,
        mine: Some("DEKHash".to_owned()),
        ..Request::default()
    };
    recommend(&mut records, &request);
    let (dir, names) = rendered(&records, "marked");
    let page = std::fs::read_to_string(dir.join("index.html")).unwrap();
    assert_self_contained(&page);
    for set in &records.run.datasets {
        let advice: Vec<_> = records
            .advice
            .iter()
            .filter(|one| one.dataset == set.name)
            .collect();
        let (_, article) = page.split_once(&format!("data-name=\"{}\"", set.name)).unwrap();
        let shown = "<div class=\"choice\" data-choice=\"table false false\"";
        let (_, answer) = article.split_once(shown).unwrap();
        let (answer, ranking) = answer.split_once("<details class=\"ranking\">").unwrap();
        assert!(
            answer.contains(&format!("take <strong>{}</strong>", advice[0].function)),
            "{}",
            set.name
        );
        assert!(
            answer.contains(">DEKHash</a></th><th scope=\"col\">By chance"),
            "{answer}"
        );
        let places = advice
            .iter()
            .map(|one| ranking.find(&format!(">{}</a><td", one.function)).unwrap());
        assert!(places.is_sorted(), "{}", set.name);
    }
    let without = rendered(&Plan::standard().records(), "nobody-marked").0;
    for name in names.iter().filter(|name| name.ends_with(".svg")) {
        let [marked, unmarked] = [&dir, &without].map(|dir| std::fs::read_to_string(dir.join(name)).unwrap());
        let framed = "DEKHash, the function in use, is framed";
        assert!(
            marked.contains(framed) && !unmarked.contains("is framed"),
            "{name}"
        );
    }
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
    let functions = [("<b>F</b>&amp;", "XXH3"), ("PJW", "PJW"), ("G", "DEKHash")];
    let mut records = Plan::of_files(&names, &functions).records();
    records.run.command = format!("cargo xtask compare --keys '{hostile}-->'");
    (records.collisions[0].first, records.collisions[0].second) =
        (hostile.to_owned(), "--></style>".to_owned());
    let page = checked(&records, "hostile");
    assert_self_contained(&page);
    assert!(!page.contains("<script>alert") && !page.contains("onload=alert(1)>") && !page.contains("<b>F"));
    assert!(!page.contains('\u{1}') && !page.contains('\u{202e}'));
    assert!(page.contains("{{ 7 * 7 }}"), "a name is no template");
    // A user's file is never compared with the published set of the same name.
    assert!(!page.contains("id=\"published\""));
}

#[test]
fn the_users_own_keys_come_first() {
    let mut plan = Plan::standard();
    plan.datasets.push(("mine", "video-ids"));
    let page = checked(&plan.records(), "own");
    let chosen: Vec<&str> = page
        .lines()
        .filter(|line| line.contains("name=\"dataset\"") && line.contains(" checked>"))
        .collect();
    assert_eq!(chosen.len(), 1);
    assert!(chosen[0].contains("value=\"mine\""), "{}", chosen[0]);
}

#[test]
fn charts_fold_only_functions_not_selected_by_name() {
    let names: Vec<String> = (0..60).map(|index| format!("F{index}")).collect();
    let functions: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "XXH3")).collect();
    let mut records = Plan::of_files(&["many"], &functions).records();
    for function in &mut records.run.functions[30..] {
        function.folded = true;
    }
    let request = Request {
        mine: Some("F59".to_owned()),
        ..Request::default()
    };
    recommend(&mut records, &request);
    let (dir, _) = rendered(&records, "folded");
    let chart = std::fs::read_to_string(dir.join("charts/findings-many.svg")).unwrap();
    let document = roxmltree::Document::parse(&chart).unwrap();
    let texts: Vec<&str> = document
        .descendants()
        .filter_map(|node| node.text())
        .map(str::trim)
        .collect();
    let is_drawn = |name: &&String| texts.contains(&name.as_str());
    let drawn: Vec<&String> = names.iter().filter(is_drawn).collect();
    let requested: Vec<&String> = names[..30].iter().chain([&names[59]]).collect();
    assert_eq!(drawn, requested);
    assert!(texts.iter().any(|text| text.starts_with("29 more")), "{texts:?}");
}

#[test]
fn a_page_with_one_dataset_needs_no_switch() {
    let page = checked(&Plan::of_one_set().records(), "one");
    assert!(!page.contains("name=\"dataset\"") && page.contains("name=\"use\""));
}

#[test]
fn records_with_gaps_render() {
    let complete = Plan::of_one_set().records();
    let page_without = |name: &str, remove: fn(&mut Records)| {
        let mut records = complete.clone();
        remove(&mut records);
        checked(&records, name)
    };
    let page = page_without("no-quality", |records| {
        records.distribution.clear();
        records.false_positives.clear();
        records.near_sizes.clear();
        records.run.bit_facts.clear();
        records.windows.clear();
        records.avalanche.clear();
        records.mixing.clear();
        records.structured.clear();
        records.occupancy.clear();
    });
    for section in [
        "<h2>Hash bits</h2>",
        ": false positives</h2>",
        ": hash tables</h2>",
        "id=\"avalanche\"",
        "id=\"structured\"",
    ] {
        assert!(!page.contains(section), "{section}");
    }
    // The calibration of the tests comes with the program.
    assert!(page.contains("False-alarm rate of these tests") && page.contains("20 high bits"));

    let page = page_without("no-times", |records| {
        records.timing.clear();
    });
    assert!(!page.contains("times as long as the pick") && page.contains("not measured in this run"));

    page_without("no-floor", |records| {
        let is_kept = |row: &TimingRow| row.function != EMPTY && row.form == CallForm::Independent;
        records
            .timing
            .retain(|row| row.place != Place::Sequence || is_kept(row));
        let rates = &mut records.false_positives;
        rates.retain(|row| row.bits_per_key == 15 && row.function != "XXH3");
    });
    page_without("no-false-positives", |records| {
        for row in &mut records.false_positives {
            (row.false_positives, row.rate, row.ci_low, row.theory) = (0, 0.0, 0.0, 0.0);
        }
    });
    let page = page_without("no-datasets", |records| {
        records.run.datasets.clear();
        records.run.findings.clear();
    });
    assert!(page.contains("<h2>Method</h2>"));
}

#[test]
fn a_slow_function_does_not_stretch_the_axis() {
    let mut records = Plan::of_one_set().records();
    let times = records
        .timing
        .iter_mut()
        .filter(|row| row.place == Place::Sequence);
    for row in times.filter(|row| row.function == "PJW") {
        row.median_ns_per_key = 5_000.0;
    }
    let page = checked(&records, "slow");
    assert!(page.contains(">5,000, 5,000</text>"));
}

#[test]
fn a_set_where_no_function_will_do_says_so() {
    let mut records = Plan::of_one_set().records();
    for row in &mut records.costs {
        (row.measurable, row.cost) = (true, 2.0);
    }
    let page = checked(&records, "all-fail");
    assert!(
        page.contains("no function is recommended")
            && page.contains("<option value=\"SDBMHash\">SDBMHash</option>")
    );
}
