//! The words of the first screen, and marks without words.

use hash_comparison::record::files::Records;
use hash_comparison::record::{DatasetKind, FailedTest, FunctionGroup, IDEAL, Verdict};

use super::fixture::Plan;
use super::{checked, rendered};

/// Some functions on one set of the user's own, on which none of them does worse than chance.
fn in_band(keys: u64) -> Records {
    let plan = Plan {
        datasets: vec![("mine", keys, DatasetKind::File)],
        functions: vec![
            ("SDBMHash", 32),
            ("JSHash", 31),
            ("PJW", 28),
            ("BKDRHash", 31),
            ("APHash", 31),
            ("BPHash", 31),
            ("FNV-1a", 32),
            ("XXH3", 32),
        ],
    };
    let mut records = plan.records();
    for row in &mut records.collisions {
        row.collisions = 0;
        row.verdict = Verdict::InBand;
    }
    for finding in &mut records.run.findings {
        finding.verdict = Verdict::InBand;
        finding.example = None;
        finding.failed.clear();
        finding.reasons.clear();
    }
    let rates: Vec<_> = (records.false_positives.iter())
        .filter(|row| row.function == IDEAL)
        .cloned()
        .collect();
    for row in &mut records.false_positives {
        let ideal = rates.iter().find(|ideal| ideal.bits_per_key == row.bits_per_key);
        let function = std::mem::take(&mut row.function);
        *row = ideal.unwrap().clone();
        row.function = function;
    }
    for row in &mut records.distribution {
        row.p_value = 0.5;
    }
    records
}

fn fail(records: &mut Records, function: &str, verdict: Verdict, test: FailedTest, reason: &str) {
    let mut findings = records.run.findings.iter_mut();
    let finding = findings.find(|finding| finding.function == function).unwrap();
    finding.verdict = verdict;
    finding.failed = vec![test];
    finding.reasons = vec![reason.to_owned()];
}

/// The paragraph of the first screen that begins so.
fn sentence(page: &str, head: &str) -> String {
    let head = format!("<p><strong>{head}:</strong> ");
    let line = page.lines().find_map(|line| line.strip_prefix(&head)).unwrap();
    line.strip_suffix("</p>").unwrap().to_owned()
}

fn footer(page: &str) -> &str {
    let mut lines = page.lines();
    lines
        .find_map(|line| line.strip_prefix("<p class=\"footer\">"))
        .unwrap()
}

#[test]
fn too_few_keys_recommend_nobody() {
    for keys in [1, 3, 47] {
        let page = checked(&in_band(keys), &format!("few-{keys}"));
        assert_eq!(
            sentence(&page, "Pick"),
            "for a filter or table over these keys: nothing can be recommended. Too few keys to tell functions apart: choose \
             by a larger sample of such keys, at least 52, better tens of thousands."
        );
        assert!(sentence(&page, "Avoid").starts_with("nothing can be said: on so few keys"));
    }
    let page = checked(&in_band(52), "enough");
    assert!(sentence(&page, "Pick").contains("SDBMHash"));
    assert!(sentence(&page, "Avoid").starts_with("nothing here"));
}

#[test]
fn the_footer_counts_collisions_instead_of_dividing_by_next_to_nothing() {
    let footer_of = |keys: u64, band_high: f64| {
        let mut records = in_band(keys);
        for row in &mut records.collisions {
            row.band_high = band_high;
        }
        footer(&checked(&records, "footer")).to_owned()
    };
    assert!(footer_of(1, 0.0).starts_with("At full width this test can tell no function"));
    assert!(footer_of(3, 0.0).starts_with("At 32 bits this test would have noticed a single collision. It"));
    assert!(footer_of(500, 1.0).starts_with(
        "At 32 bits this test would have noticed 2 collisions, where chance gives next to none, and no fewer. It"
    ));
    assert!(footer_of(1_000_000, 163.0).starts_with(
        "At 32 bits this test would have noticed 164 collisions, 1.41 times the 116 of chance, and no fewer. It"
    ));
}

#[test]
fn tiny_chances_are_told_in_words() {
    for (keys, words) in [
        (
            3,
            "gives two of these 3 keys the same value in fewer than one case of a million, but puts 116 of a million",
        ),
        (
            102,
            "gives two of these 102 keys the same value in about one case of 830,000, but puts 116 of a million",
        ),
        (
            45_402,
            "even a perfect function of 32 bits puts 0.24 of these 45,402 keys on a value already taken, on average",
        ),
    ] {
        let page = checked(&in_band(keys), &format!("chance-{keys}"));
        assert!(
            sentence(&page, "Width").contains(words),
            "{}",
            sentence(&page, "Width")
        );
    }
}

#[test]
fn keys_of_one_length_are_described_once() {
    for (keys, min, max, words) in [
        (500, 36, 36, "mine: 500 keys, 36 bytes each"),
        (1, 1, 1, "mine: 1 key, 1 byte"),
        (500, 1, 1, "mine: 500 keys, 1 byte each"),
        (500, 2, 28, "mine: 500 keys, 2 to 28 bytes, mean 9.0"),
    ] {
        let mut records = in_band(keys);
        let summary = &mut records.run.datasets[0];
        (summary.min_len, summary.max_len, summary.duplicates_dropped) = (min, max, 0);
        let page = checked(&records, "lengths");
        assert!(page.contains(&format!("<strong>{words}</strong>")), "{words}");
    }
}

#[test]
fn missing_bits_are_told_beside_those_of_the_function() {
    let mut plan = Plan::standard();
    plan.datasets.truncate(1);
    let page = checked(&plan.records(), "bits-missing");
    let avoid = sentence(&page, "Avoid");
    // 3,901 collisions of 28 bits are published; 1,860 are to be expected, and 116 at 32 bits.
    assert!(
        avoid.contains("ELFHash and PJW: 3,901 of 1,000,000 keys fall on a value already taken, 2.1 times what 28 random bits give and 34 times what 32 give"),
        "{avoid}"
    );
}

#[test]
fn the_worst_is_named_first_where_nothing_collides() {
    use FailedTest::{Distribution, FalsePositives};
    let mut records = in_band(102);
    let uneven = "9 output bits are uneven";
    // In this order they are recorded.
    fail(
        &mut records,
        "JSHash",
        Verdict::MeasurablyWorse,
        FalsePositives,
        "false positives 20.6 %",
    );
    fail(
        &mut records,
        "BKDRHash",
        Verdict::MeasurablyWorse,
        Distribution,
        uneven,
    );
    fail(
        &mut records,
        "APHash",
        Verdict::MeasurablyWorse,
        FalsePositives,
        "false positives 39.2 %",
    );
    fail(
        &mut records,
        "BPHash",
        Verdict::Unusable,
        FalsePositives,
        "false positives 61.8 %",
    );
    fail(
        &mut records,
        "FNV-1a",
        Verdict::MeasurablyWorse,
        Distribution,
        "2 output bits are uneven",
    );
    for (function, rate) in [("JSHash", 0.206), ("APHash", 0.392), ("BPHash", 0.618)] {
        for row in records
            .false_positives
            .iter_mut()
            .filter(|row| row.function == function)
        {
            (row.rate, row.ci_low, row.ci_high) = (rate, rate - 0.07, rate + 0.07);
        }
    }
    for (function, p_value) in [("BKDRHash", 1e-9), ("FNV-1a", 1e-20)] {
        let mut rows = records.distribution.iter_mut();
        rows.find(|row| row.function == function).unwrap().p_value = p_value;
    }
    let page = checked(&records, "worst-first");
    assert_eq!(
        sentence(&page, "Avoid"),
        "BPHash: false positives 61.8 %; APHash: false positives 39.2 %; JSHash: false positives 20.6 %; uneven output \
         bits or buckets only: FNV-1a and BKDRHash."
    );

    // One alone has room for its reason.
    let mut records = in_band(102);
    fail(
        &mut records,
        "BKDRHash",
        Verdict::MeasurablyWorse,
        Distribution,
        uneven,
    );
    let page = checked(&records, "uneven");
    assert_eq!(
        sentence(&page, "Avoid"),
        "BKDRHash: no harm seen but 9 output bits are uneven."
    );
}

#[test]
fn what_is_not_told_in_full_is_told_with_its_reason() {
    let mut records = in_band(102);
    let all: Vec<String> = records
        .run
        .functions
        .iter()
        .map(|function| function.name.clone())
        .collect();
    for (index, name) in all.iter().take(6).enumerate() {
        let reason = format!("false positives {index} %");
        fail(
            &mut records,
            name,
            Verdict::MeasurablyWorse,
            FailedTest::FalsePositives,
            &reason,
        );
    }
    let page = checked(&records, "reasons");
    let avoid = sentence(&page, "Avoid");
    assert!(
        avoid.ends_with("; also measurably worse by false positives: PJW, JSHash and SDBMHash."),
        "{avoid}"
    );
}

#[test]
fn what_to_avoid_opens_with_what_the_chart_draws() {
    let names: Vec<String> = (0..30).map(|i| format!("F{i}")).collect();
    let plan = Plan {
        datasets: vec![("many", 100_000, DatasetKind::File)],
        functions: names.iter().map(|name| (name.as_str(), 32)).collect(),
    };
    let mut records = plan.records();
    for finding in &mut records.run.findings {
        (finding.verdict, finding.example, finding.worst_bits) = (Verdict::InBand, None, 32);
    }
    for row in &mut records.collisions {
        (row.collisions, row.verdict) = (0, Verdict::InBand);
    }
    // The worst are other forms of published functions, which the chart has no room for.
    for (name, collisions) in [("F27", 7_000), ("F28", 8_000), ("F29", 9_000)] {
        fail(&mut records, name, Verdict::Unusable, FailedTest::Collisions, "");
        for row in records.collisions.iter_mut().filter(|row| row.function == name) {
            (row.collisions, row.verdict) = (collisions, Verdict::Unusable);
        }
    }
    for function in &mut records.run.functions[28..] {
        function.group = FunctionGroup::Variant;
    }
    let avoid = sentence(&checked(&records, "avoid-drawn"), "Avoid");
    let places = ["F27: 7,000 of", "; F29: 9,000 of", "; F28: 8,000 of"].map(|words| avoid.find(words));
    assert!(
        places[0] == Some(0) && places[1] > places[0] && places[2] > places[1],
        "{avoid}"
    );
}

#[test]
fn functions_whose_times_overlap_are_equally_fast() {
    let mut records = in_band(500);
    for row in records.timing.iter_mut().filter(|row| row.function == "XXH3") {
        (row.median_ns_per_key, row.mad_ns_per_key) = (1.63, 0.02);
    }
    let page = checked(&records, "equal");
    let pick = sentence(&page, "Pick");
    assert!(
        pick.starts_with(
            "for a filter or table over these keys SDBMHash or XXH3, without a measurable difference in quality or time, at \
             1.6 ns per key (1.57 to 1.65); then JSHash"
        ),
        "{pick}"
    );
}

#[test]
fn unsteady_times_are_told() {
    let steady = checked(&in_band(500), "steady");
    assert!(!steady.contains("quiet machine"));

    let mut records = in_band(500);
    for row in &mut records.timing {
        row.mad_ns_per_key = 0.27 * row.median_ns_per_key;
    }
    let page = checked(&records, "unsteady");
    assert!(
        sentence(&page, "Pick").ends_with(
            " The times were unsteady, half of them by ±27.0 % or more: repeat on a quiet machine."
        ),
    );

    let mut records = in_band(500);
    records.run.environment.involuntary_switches_while_timing = Some(1_234);
    let page = checked(&records, "disturbed");
    assert!(sentence(&page, "Pick").ends_with(
        " The times are probably too high, since other programs took the processor 1,234 times meanwhile: repeat on a \
         quiet machine."
    ));
}

#[test]
fn long_example_keys_are_cut_once_and_whole_in_the_table() {
    let mut records = in_band(500);
    let (one, other) = (
        "https://www.example27.com/news/2024/index.html",
        "https://www.example43.com/shop/2024/start.html",
    );
    fail(
        &mut records,
        "PJW",
        Verdict::MeasurablyWorse,
        FailedTest::Collisions,
        "3 of 500 keys collide",
    );
    let mut findings = records.run.findings.iter_mut();
    findings
        .find(|finding| finding.function == "PJW")
        .unwrap()
        .example = Some([one, other].map(str::to_owned));
    for row in records.collisions.iter_mut().filter(|row| row.function == "PJW") {
        (row.collisions, row.verdict) = (3, Verdict::MeasurablyWorse);
    }
    let page = checked(&records, "long-keys");
    let avoid = sentence(&page, "Avoid");
    assert!(
        avoid.contains("(“https:&#x2f;&#x2f;www.ex…024&#x2f;index.html” and “https:&#x2f;&#x2f;www.ex…024&#x2f;start.html”)"),
        "{avoid}"
    );
    let escaped = |key: &str| key.replace('/', "&#x2f;");
    assert!(page.contains(&format!(
        "<li>one value: “{}” and “{}”</li>",
        escaped(one),
        escaped(other)
    )));
}

#[test]
fn marks_of_false_positives_carry_no_verdict() {
    let (dir, _) = rendered(&Plan::standard().records(), "neutral");
    let chart = std::fs::read_to_string(dir.join("charts/false-positives-random-strings.svg")).unwrap();
    for color in ["#0072B2", "#009E73", "#E69F00", "#D55E00"] {
        assert!(!chart.contains(color), "{color}");
    }
    let findings = std::fs::read_to_string(dir.join("charts/findings-random-strings.svg")).unwrap();
    assert!(chart.contains("#5A636E") && findings.contains("#0072B2"));
}
