//! The page and its charts: files, names, texts and colours.

mod browser;
mod scheme;

use std::collections::{BTreeMap, BTreeSet};

use filter_policy::formats;
use hash_comparison::advice::recommend;
use hash_comparison::functions;
use hash_comparison::page;
use hash_comparison::page::drawing::{self, Chart};
use hash_comparison::questions::{Place, Records, TimingRow};
use hash_comparison::record::{CallForm, EMPTY, Purpose, Request, Verdict};
use plots::rows::NAMES_END;
use plots::scene::{Anchor, Font, MARGIN, Scene, Shape};
use roxmltree::{Document, Node};

use super::fixtures::{committed, few, renamed};

/// Draws records, checks what is true of every drawing, and returns the page and the charts by their names.
fn drawn(records: &Records) -> (String, BTreeMap<String, String>) {
    let drawn = page::files(records).unwrap();
    let different: BTreeSet<String> = drawn.iter().map(|(name, _)| name.to_lowercase()).collect();
    assert_eq!(
        different.len(),
        drawn.len(),
        "names must differ in more than case"
    );
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-./".contains(c);
    for (name, _) in &drawn {
        let is_safe = name.chars().all(is_plain) && !name.contains("..") && name.len() < 128;
        assert!(is_safe, "{name}");
    }
    let mut files: BTreeMap<String, String> = drawn.into_iter().collect();
    let page = files.remove("index.html").unwrap();
    loads_nothing(&page);
    for (name, text) in &files {
        let document = Document::parse(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let root = document.root_element();
        assert_eq!(root.attribute("role"), Some("img"));
        assert!(!root.attribute("aria-label").unwrap().is_empty());
        let is_text = |node: &Node<'_, '_>| node.has_tag_name(("http://www.w3.org/2000/svg", "text"));
        assert!(root.descendants().any(|node| is_text(&node)), "{name}");
        for text in root.descendants().filter(is_text) {
            // Fitted into its room where the font is missing, unless the font never had it.
            let (said, is_fitted) = (text.text().unwrap(), text.has_attribute("textLength"));
            assert!(is_fitted || !said.is_ascii(), "{said}");
            assert!(!is_fitted || !said.contains('キ'), "{said}");
        }
    }
    (page, files)
}

/// Checks that the page loads nothing.
fn loads_nothing(page: &str) {
    for tag in [
        "<link", "<img", "<iframe", "<object", "<embed", "<base", "@import", " src=", "fetch(", "XMLHttp",
    ] {
        assert!(!page.contains(tag), "{tag}");
    }
    for (attribute, allowed) in [("href=", "#"), ("url(", "data:font/ttf;base64,")] {
        for (at, _) in page.match_indices(attribute) {
            let value = page[at + attribute.len()..].trim_start_matches('"');
            assert!(value.starts_with(allowed), "{attribute}{:.40}", value);
        }
    }
    assert_eq!(page.matches("<script").count(), 1);
}

/// Returns the texts of a chart.
fn texts(chart: &Chart) -> Vec<&str> {
    fn text(shape: &Shape) -> Option<&str> {
        match shape {
            Shape::Text(_, _, text, _) => Some(text),
            _ => None,
        }
    }
    chart.scene.shapes.iter().filter_map(text).collect()
}

#[test]
fn no_dataset_name_can_make_two_charts_share_a_file() {
    let records = committed();
    let charts = drawing::all(&records);
    let kind = |chart: &Chart| {
        let mut sets = records.run.datasets.iter();
        let kind = sets.find_map(|set| chart.stem.strip_suffix(&format!("-{}", set.name)));
        kind.unwrap_or(&chart.stem).to_owned()
    };
    let kinds: BTreeSet<String> = charts.iter().map(kind).collect();
    for kind in &kinds {
        let start = format!("{kind}-");
        assert!(kinds.iter().all(|other| !other.starts_with(&start)), "{kind}");
    }
}

#[test]
fn every_function_has_room_for_its_name_beside_a_mark() {
    let room = NAMES_END - MARGIN - 22.0;
    for function in functions::all() {
        let width = Font::NAME.width(&function.facts.name);
        assert!(width <= room, "{}", function.ident);
    }
}

/// Returns the texts that leave the sheet or overlap another.
fn crowded(scene: &Scene) -> Vec<&str> {
    let mut areas: Vec<[f64; 4]> = Vec::new();
    let mut found = Vec::new();
    for shape in &scene.shapes {
        let Shape::Text(at, anchor, text, font) = shape else {
            continue;
        };
        let left = at.0 - anchor.before(font.width(text));
        let area = [left, at.1 - 0.7 * font.size, left + font.width(text), at.1];
        let meets = |other: &[f64; 4]| {
            area[0] < other[2] && other[0] < area[2] && area[1] < other[3] && other[1] < area[3]
        };
        let is_inside = area[0] >= 0.0 && area[1] >= 0.0 && area[2] <= scene.width && area[3] <= scene.height;
        if !is_inside || areas.iter().any(meets) {
            found.push(text.as_str());
        }
        areas.push(area);
    }
    found
}

#[test]
fn texts_are_on_the_sheet_and_apart() {
    let mut records = committed();
    let check = |records: &Records| {
        for chart in drawing::all(records) {
            assert_eq!(crowded(&chart.scene), [""; 0], "{}", chart.stem);
        }
    };
    check(&records);
    // Some times leave their axes.
    for (index, row) in records.timing.iter_mut().enumerate() {
        row.median_ns_per_key *= [1.0, 4.0, 40.0][index % 3];
    }
    check(&records);
    let mut scene = Scene::new(100.0, 50.0, "a text on another");
    for text in ["one", "two"] {
        scene.text((10.0, 20.0), Anchor::Start, Font::VALUE, text);
    }
    assert_eq!(crowded(&scene), ["two"]);
}

#[test]
fn charts_without_times_do_not_depend_on_times() {
    let mut records = few(["video-ids"]);
    let before = drawing::all(&records);
    for row in &mut records.timing {
        row.median_ns_per_key = 100.0 / row.median_ns_per_key;
    }
    records.run.environment.cpu = "Another CPU".to_owned();
    records.run.date = "2027-01-01T00:00:00Z".to_owned();
    for (before, after) in before.iter().zip(drawing::all(&records)) {
        let is_untimed = ["bits-", "structured-keys", "avalanche"].iter();
        let is_untimed = { is_untimed }.any(|kind| after.stem.starts_with(kind));
        // The other charts show no row of these times.
        assert_eq!(before.scene == after.scene, is_untimed, "{}", after.stem);
    }
}

#[test]
fn the_answer_is_the_recommendation() {
    let mut records = few(["video-ids", "app-accounts"]);
    let request = Request {
        purpose: Purpose::Table,
        mine: Some("DJB".to_owned()),
        ..Request::default()
    };
    let unmarked = drawing::all(&records);
    recommend(&mut records, &request);
    let (page, charts) = drawn(&records);
    for set in &records.run.datasets {
        let (_, article) = page.split_once(&format!("data-name={} ", set.name)).unwrap();
        let shown = "<div class=choice data-choice=\"table false false\"";
        let (_, answer) = article.split_once(shown).unwrap();
        let (answer, ranking) = answer.split_once("<details class=ranking>").unwrap();
        let mut advice = records
            .advice
            .iter()
            .filter(|one| one.dataset == set.name)
            .peekable();
        let pick = format!("take <strong>{}</strong>", advice.peek().unwrap().function);
        for expected in [&*pick, ">DJB</a></th><th scope=col>By chance"] {
            assert!(answer.contains(expected), "{expected}: {answer}");
        }
        let places = advice.map(|one| ranking.find(&format!(">{}</a><td", one.function)).unwrap());
        assert!(places.is_sorted(), "{}", set.name);
    }
    for chart in unmarked {
        let marked = &charts[&format!("charts/{}.svg", chart.stem)];
        let is_framed = [marked, &plots::svg(&chart.scene)]
            .map(|svg| svg.contains("DJB, the function in use, is framed"));
        assert_eq!(is_framed, [true, false], "{}", chart.stem);
    }
}

#[test]
fn the_page_has_the_filters_with_a_hash_function_of_their_own() {
    let (page, _) = drawn(&few(["video-ids"]));
    let table = page
        .split("filters with their own hash function</caption>")
        .nth(1);
    let (table, _) = table.unwrap().split_once("</table>").unwrap();
    for policy in formats::ALL {
        let has_own = policy.kind() != formats::LEVEL_DB.kind();
        let name = policy.name();
        assert_eq!(table.contains(&format!("<th>{name}<")), has_own, "{name}");
    }
    // One set of keys needs no switch.
    assert!(!page.contains("name=dataset") && page.contains("name=use"));
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
    let functions = [("<b>F</b>&amp;", "XXH3"), ("PJW", "PJW"), ("G", "DJB")];
    let mut records = renamed(&names.map(|name| (name, "video-ids")), &functions);
    records.run.command = format!("cargo xtask compare --keys '{hostile}-->'");
    (records.collisions[0].first, records.collisions[0].second) =
        (hostile.to_owned(), "--></style>".to_owned());
    let (page, _) = drawn(&records);
    for markup in ["<script>alert", "onload=alert(1)>", "<b>F", "\u{1}", "\u{202e}"] {
        assert!(!page.contains(markup), "{markup}");
    }
    assert!(page.contains("{{ 7 * 7 }}"), "a name is no template");
    // A user's file is never compared with the published set of the same name.
    assert!(!page.contains("id=published"));
}

#[test]
fn the_users_own_keys_come_first() {
    let functions = [("XXH3", "XXH3"), ("PJW", "PJW")];
    let (page, _) = drawn(&renamed(
        &[("app-accounts", "app-accounts"), ("mine", "video-ids")],
        &functions,
    ));
    let is_chosen = |line: &&str| line.contains("name=dataset") && line.contains(" checked>");
    let chosen: Vec<&str> = page.lines().filter(is_chosen).collect();
    assert!(
        chosen.len() == 1 && chosen[0].contains("value=mine "),
        "{chosen:?}"
    );
}

#[test]
fn charts_fold_only_functions_not_selected_by_name() {
    let names: Vec<String> = (0..60).map(|index| format!("F{index}")).collect();
    let functions: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "XXH3")).collect();
    let mut records = renamed(&[("many", "video-ids")], &functions);
    for function in &mut records.run.functions[30..] {
        function.folded = true;
    }
    let request = Request {
        mine: Some("F59".to_owned()),
        ..Request::default()
    };
    recommend(&mut records, &request);
    let charts = drawing::all(&records);
    let chart = charts.iter().find(|chart| chart.stem == "findings-many").unwrap();
    let texts = texts(chart);
    let drawn = names.iter().filter(|name| texts.contains(&name.as_str()));
    assert!(drawn.eq(names[..30].iter().chain([&names[59]])), "{texts:?}");
    assert!(texts.iter().any(|text| text.starts_with("29 more")), "{texts:?}");
}

#[test]
fn records_with_gaps_render() {
    let complete = few(["video-ids"]);
    let page_without = |remove: fn(&mut Records)| {
        let mut records = complete.clone();
        remove(&mut records);
        drawn(&records).0
    };
    let page = page_without(|records| {
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
        "id=avalanche",
        "id=structured",
    ] {
        assert!(!page.contains(section), "{section}");
    }
    // The calibration of the tests comes with the program.
    assert!(page.contains("False-alarm rate of these tests") && page.contains("20 high bits"));

    let page = page_without(|records| records.timing.clear());
    // One is in the list of phrases.
    assert!(
        page.matches("times as long as the pick").count() == 1 && page.contains("not measured in this run")
    );

    page_without(|records| {
        let is_kept = |row: &TimingRow| row.function != EMPTY && row.form == CallForm::Independent;
        let of_place = |row: &TimingRow| row.place != Place::Sequence || is_kept(row);
        records.timing.retain(of_place);
        let rates = &mut records.false_positives;
        rates.retain(|row| row.bits_per_key == 15 && row.function != "XXH3");
        for row in rates {
            (row.false_positives, row.rate, row.ci_low, row.theory) = (0, 0.0, 0.0, 0.0);
        }
    });
    let page = page_without(|records| {
        records.run.datasets.clear();
        records.run.findings.clear();
    });
    assert!(page.contains("<h2>Method</h2>"));
}

#[test]
fn a_slow_function_does_not_stretch_the_axis_and_where_none_will_do_the_page_says_so() {
    let mut records = few(["video-ids"]);
    for row in &mut records.timing {
        if row.place == Place::Sequence && row.function == "PJW" {
            row.median_ns_per_key = 5_000.0;
        }
    }
    for row in &mut records.costs {
        (row.measurable, row.cost) = (true, 2.0);
    }
    let (page, _) = drawn(&records);
    for text in [
        ">5,000, 5,000</text>",
        "no function is recommended",
        "<option value=SDBMHash>SDBMHash</option>",
    ] {
        assert!(page.contains(text), "{text}");
    }
}

#[test]
fn whatever_a_record_holds_is_shown_without_a_panic() {
    let odd = ["", "\\", "\\x", "\\x0é", "\\é", "…", "… (", "é…\\xq", "\u{202e}…"];
    let keys = odd.iter().flat_map(|odd| [1, 40].map(|times| odd.repeat(times)));
    let Records { run, collisions, .. } = committed();
    let mut records = Records {
        collisions,
        ..Records::of(run)
    };
    records.run.datasets.truncate(1);
    records.run.functions.truncate(18);
    let set = records.run.datasets[0].name.clone();
    for (key, function) in keys.zip(&records.run.functions) {
        let is_it = |of: (&str, &str)| of == (&set, &function.name);
        let mut findings = records.run.findings.iter_mut();
        let finding = findings.find(|one| is_it((&one.dataset, &one.function)));
        finding.unwrap().verdict = Verdict::FarWorseThanChance;
        let rows = records.collisions.iter_mut();
        for row in rows.filter(|row| is_it((&row.dataset, &row.function))) {
            (row.collisions, row.first, row.second) = (1, key.clone(), "é".to_owned());
        }
    }
    let (page, _) = drawn(&records);
    let (_, rest) = page.split_once("<section class=failures>").unwrap();
    let (failures, _) = rest.split_once("</section>").unwrap();
    let rows = failures.split("<tr>");
    let shown = rows.filter(|row| row.contains("<mark>") && row.contains('é'));
    assert_eq!(shown.count(), 18, "{failures}");
}
