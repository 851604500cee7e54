//! Advice from synthetic records.

// tidy: long file: one request, a test for each rule of the advice.

use crate::advice::recommend::*;
use crate::questions::{Place, TimingRow, WindowEnd, WindowRow};
use crate::record::{Basis, Finding, KeyShape, Verdict};

mod committed;

const KEYS: u64 = 50_000;

/// A function of a synthetic run: name, bits, time of calls that overlap and of calls that wait.
struct Made(&'static str, u32, f64, f64);

const FAST: Made = Made("fast", 64, 2.0, 9.0);
const LEVEL: Made = Made("level", 64, 2.1, 4.0);
const SLOW: Made = Made("slow", 32, 4.0, 4.1);
const KEYED: Made = Made("keyed", 64, 9.0, 15.0);

/// Returns records of functions that are all as good as chance.
fn records(functions: &[Made], keys: u64) -> Records {
    let mut run: crate::record::Run = serde_json::from_value(serde_json::json!({
        "format": crate::record::FORMAT,
        "schema": crate::record::SCHEMA,
        "generator": "hash-comparison",
        "command": "compare",
        "date": "2026-01-02T03:04:05Z",
        "seed": 1,
        "quick": true,
        "files": [],
        "checksums": {},
        "bit_facts": [],
        "recommendations": [],
        "environment": serde_json::to_value(records::environment::collect()).unwrap(),
        "datasets": [{
            "name": "set", "kind": "file", "source": "set.txt", "keys": keys, "bytes": keys * 8, "min_len": 8,
            "max_len": 8, "mean_len": 8.0, "sha256": "", "duplicates_dropped": 0, "detectable_ratio": 2.0,
            "looks_like": null,
        }],
        "functions": [],
        "findings": [],
    }))
    .unwrap();
    let (mut timing, mut latency) = (Vec::new(), Vec::new());
    for Made(name, bits, overlapped, waiting) in functions {
        let mut summary = crate::functions::find("XXH3").unwrap().summary();
        (*name).clone_into(&mut summary.name);
        (summary.output_bits, summary.bits) = (*bits, (*bits).min(32));
        if *name == "keyed" {
            summary.resistance = Resistance::Keyed;
            summary.resistance_reason = "Made for a secret key.".to_owned();
        }
        run.functions.push(summary);
        run.findings.push(Finding {
            dataset: "set".to_owned(),
            function: (*name).to_owned(),
            verdict: Verdict::WithinChance,
            failed: Vec::new(),
            reasons: Vec::new(),
            worst_bits: 32,
            rank: 0,
            example: None,
        });
        let time = |ns: f64| TimingRow {
            dataset: "set".to_owned(),
            function: (*name).to_owned(),
            keys,
            bytes: keys * 8,
            median_ns_per_key: ns,
            mad_ns_per_key: 0.01,
            samples: 31,
        };
        timing.push(time(*overlapped));
        latency.push(time(*waiting));
    }
    Records {
        timing,
        latency,
        ..Records::of(run)
    }
}

fn standard() -> Records {
    records(&[SLOW, FAST, KEYED, LEVEL], KEYS)
}

/// Returns a cost of `function` on the set of those records.
fn cost(function: &str, purpose: Purpose, cost: f64, measurable: bool) -> CostRow {
    CostRow {
        dataset: "set".to_owned(),
        function: function.to_owned(),
        purpose,
        place: "20 bits per key".to_owned(),
        measured: 0.01 * (1.0 + cost),
        chance: 0.01,
        cost,
        p_adjusted: if measurable { 0.0 } else { 1.0 },
        measurable,
    }
}

fn asking(purpose: Purpose) -> Request {
    Request {
        purpose,
        ..Request::default()
    }
}

fn told(records: &Records, request: &Request) -> Recommendation {
    recommend(records, request).remove(0)
}

/// Returns standing, rank and name of every function.
fn stand(told: &Recommendation) -> Vec<(Standing, u64, &str)> {
    let all = told.functions.iter();
    all.map(|one| (one.standing, one.rank, one.function.as_str()))
        .collect()
}

use Standing::{Avoid, Lacking, Pick, RunnerUp, Suited, Unknown};

#[test]
fn times_within_noise_share_a_rank() {
    let told = told(&standard(), &asking(Purpose::Filter));
    assert_eq!(told.form, CallForm::Independent);
    assert_eq!(
        stand(&told),
        [
            (Pick, 1, "fast"),
            (RunnerUp, 1, "level"),
            (Suited, 3, "slow"),
            (Suited, 4, "keyed")
        ]
    );
    let reasons: Vec<&str> = told.functions.iter().map(|one| one.reason.as_str()).collect();
    assert_eq!(
        reasons,
        [
            "fastest that suits",
            "as fast as the pick, within noise",
            "takes 2.0 times as long",
            "takes 4.5 times as long"
        ]
    );
    assert_eq!(told.functions[2].saves, 0.5);
}

#[test]
fn a_defect_counts_by_what_it_costs_there() {
    let of = |row: CostRow, request: &Request| {
        let mut records = standard();
        records.costs = vec![row];
        let told = told(&records, request);
        (told.advice("fast").unwrap().standing, told)
    };
    let filter = asking(Purpose::Filter);
    // Measurable but cheap: neither excluded nor lowered. Costly but not measurable: chance.
    let (standing, cheap) = of(cost("fast", Purpose::Filter, 0.049, true), &filter);
    assert_eq!(standing, Pick);
    assert_eq!(
        cheap.functions[0].why,
        [
            "1.05 % false positives at 20 bits per key (ideal hash: 1.00 %), 4.9 % more: worse than chance, but negligible here"
        ]
    );
    assert_eq!(of(cost("fast", Purpose::Filter, 3.0, false), &filter).0, Pick);
    let (standing, dear) = of(cost("fast", Purpose::Filter, 0.05, true), &filter);
    assert_eq!(
        (standing, dear.functions[3].reason.as_str()),
        (Avoid, "5.0 % more false positives")
    );
    // The threshold can be changed.
    let lenient = Request {
        negligible: 0.1,
        ..filter
    };
    assert_eq!(of(cost("fast", Purpose::Filter, 0.05, true), &lenient).0, Pick);
    // Costs for other purposes do not count; without a purpose, filters and tables both count.
    for (purpose, expected) in [
        (Purpose::Filter, Avoid),
        (Purpose::FilterOrTable, Avoid),
        (Purpose::Table, Suited),
        (Purpose::Shard, Pick),
        (Purpose::Checksum, Pick),
    ] {
        assert_eq!(
            of(cost("fast", Purpose::Filter, 2.0, true), &asking(purpose)).0,
            expected,
            "{purpose}"
        );
    }
}

#[test]
fn the_costliest_are_told_last_and_every_function_once() {
    let mut records = standard();
    records.costs = vec![
        cost("slow", Purpose::Table, 0.5, true),
        cost("fast", Purpose::Filter, 0.2, true),
        cost("fast", Purpose::Table, 9.0, true),
    ];
    records.run.functions[2].stable = false;
    let request = Request {
        stable: true,
        ..Request::default()
    };
    let told = told(&records, &request);
    assert_eq!(
        stand(&told),
        [
            (Pick, 1, "level"),
            (Avoid, 0, "slow"),
            (Avoid, 0, "fast"),
            (Lacking, 0, "keyed")
        ]
    );
    assert_eq!(told.functions[2].reason, "10 times as many comparisons");
    assert_eq!(told.functions[3].reason, "values may change");
    decide(&mut records, &request);
    let ranks: Vec<(u64, &str)> = records
        .run
        .findings
        .iter()
        .map(|finding| (finding.rank, finding.function.as_str()))
        .collect();
    assert_eq!(ranks, [(2, "slow"), (3, "fast"), (4, "keyed"), (1, "level")]);
}

#[test]
fn attackers_are_met_by_keys_alone() {
    let untrusted = Request {
        untrusted: true,
        ..asking(Purpose::Table)
    };
    let mut records_ = standard();
    let of_table = told(&records_, &untrusted);
    assert_eq!(
        of_table
            .suited()
            .map(|one| one.function.as_str())
            .collect::<Vec<_>>(),
        ["keyed"]
    );
    assert_eq!(of_table.standing(Lacking).count(), 3);
    let lacking = of_table.advice("fast").unwrap();
    assert_eq!(lacking.reason, "an attacker can make keys collide");
    assert!(lacking.why[0].contains("under every seed"));
    assert!(of_table.notes[0].contains("fixed, public key"));
    assert_eq!(
        of_table.attackers.as_deref(),
        Some(
            "Since strangers may choose these keys, use a function that takes a secret key, and draw the key at random; the \
             fastest such function here is keyed (15.0 ns per key)."
        )
    );
    // Stated without a request if the keys look like input from strangers.
    let trusting = asking(Purpose::Table);
    assert_eq!(told(&records_, &trusting).attackers, None);
    records_.run.datasets[0].looks_like = Some(KeyShape::Urls);
    let urls = told(&records_, &trusting);
    assert!(
        urls.attackers
            .unwrap()
            .starts_with("These keys look like URLs; if strangers choose them, use")
    );
    assert_eq!(urls.functions[0].function, "level");

    let none = told(&records(&[FAST, SLOW], KEYS), &untrusted);
    assert!(none.pick().is_none() && none.attackers.unwrap().contains("none was measured"));

    // No function here is a MAC: a secret key stops attackers, but the bits are too few.
    let seal = told(
        &records_,
        &Request {
            purpose: Purpose::Checksum,
            ..untrusted
        },
    );
    assert!(seal.pick().is_none() && seal.notes.len() == 1);
    let keyed = seal.advice("keyed").unwrap();
    assert_eq!(keyed.reason, "too few bits");
    assert!(keyed.why[0].ends_with("Its 64 bits are too few against forgery: use a MAC of 128 bits or more"));
    assert!(seal.attackers.unwrap().contains("use a MAC"));
}

#[test]
fn checksums_need_bits() {
    let checksum = asking(Purpose::Checksum);
    let slow = told(&standard(), &checksum).advice("slow").unwrap().clone();
    assert_eq!(slow.standing, Lacking);
    assert_eq!(
        slow.why,
        [
            "32 bits are too few: 0.29 pairs with equal checksums are expected among 50,000 keys, 29 among 500,000; 47 bits are enough"
        ]
    );
    // Among a hundred keys 32 bits are plenty.
    let few = told(&records(&[SLOW, FAST], 100), &checksum);
    assert_eq!(stand(&few), [(Pick, 1, "fast"), (RunnerUp, 2, "slow")]);
}

#[test]
fn the_function_in_use_is_held_against_the_pick() {
    let mine = |records: &Records, name: &str, untrusted| {
        let request = Request {
            untrusted,
            mine: Some(name.to_owned()),
            ..asking(Purpose::Filter)
        };
        told(records, &request).mine
    };
    let mut records_ = standard();
    let words = |records: &Records, name| {
        let mine = mine(records, name, false).unwrap();
        (mine.good_enough, mine.words)
    };
    let yes = |text: &str| (Some(true), text.to_owned());
    assert_eq!(
        words(&records_, "fast"),
        yes("fast is good enough: it is the pick. Keep it.")
    );
    assert_eq!(
        words(&records_, "level"),
        yes(
            "level is good enough: false positives are within chance. Keep it. A change to fast: no measurable difference in \
             the cache (2.10 to 2.00 ns per key)."
        )
    );
    let is_memory = |place, form| (place, form) == (Place::Memory, CallForm::Independent);
    let memory = crate::property::committed();
    let mut places = memory.places.iter();
    let memory = places.find(|row| is_memory(row.place, row.form)).unwrap();
    for (function, ns) in [("slow", 40.0), ("fast", 30.0)] {
        let mut row = memory.clone();
        (row.dataset, row.function) = ("set".to_owned(), function.to_owned());
        (row.median_ns_per_key, row.mad_ns_per_key) = (ns, 0.1);
        records_.places.push(row);
    }
    let slow_words = "slow is good enough: false positives are within chance. A change to fast: 2.0 times as fast in the cache \
                      (4.00 to 2.00 ns per key), 1.3 times as fast out of it (40.0 to 30.0 ns).";
    assert_eq!(words(&records_, "slow"), yes(slow_words));
    // Every function can be asked about, as if it were in use.
    let all = incumbents(&records_, &records_.run.datasets[0], &asking(Purpose::Filter));
    let slow = all.iter().find(|one| one.function == "slow").unwrap();
    assert_eq!((all.len(), slow.words.as_str()), (4, slow_words));

    let lacking = mine(&records_, "fast", true).unwrap();
    assert_eq!(lacking.good_enough, Some(false));
    assert!(
        lacking.words.starts_with("fast is not good enough: "),
        "{lacking:?}"
    );
    assert!(
        lacking
            .words
            .contains(" A change to keyed: 4.5 times slower in the cache (2.00 to 9.00 ns per key)"),
        "{lacking:?}"
    );
    let mut bad = standard();
    bad.costs = vec![cost("fast", Purpose::Filter, 1.0, true)];
    assert_eq!(
        words(&bad, "fast"),
        (
            Some(false),
            "fast is not good enough: 2.00 % false positives at 20 bits per key (ideal hash: 1.00 %). A change to level: no \
             measurable difference in the cache (2.00 to 2.10 ns per key)."
                .to_owned()
        )
    );
    let alone = mine(&records(&[FAST], KEYS), "fast", true).unwrap().words;
    assert!(alone.ends_with("Nothing here replaces it."), "{alone}");
    assert_eq!(mine(&records_, "nosuch", false), None);
}

#[test]
fn on_few_keys_nothing_is_said() {
    for keys in [0, 1, FEWEST_KEYS - 1] {
        for purpose in [Purpose::Filter, Purpose::Table, Purpose::Shard, Purpose::Checksum] {
            let request = Request {
                mine: Some("fast".to_owned()),
                ..asking(purpose)
            };
            let told = told(&records(&[FAST, LEVEL], keys), &request);
            assert!(told.too_few_keys && told.pick().is_none());
            assert_eq!(told.standing(Unknown).count(), 2);
            assert!(told.notes[0].starts_with("These are too few keys"));
            assert_eq!(told.mine.unwrap().good_enough, None);
        }
    }
    // Facts that need no measurement are still reported.
    let untrusted = Request {
        untrusted: true,
        ..Request::default()
    };
    assert_eq!(
        stand(&told(&records(&[FAST], 1), &untrusted)),
        [(Lacking, 0, "fast")]
    );
}

#[test]
fn functions_without_times_come_last_and_share_a_rank() {
    let mut records = standard();
    records.timing.retain(|row| row.function == "slow");
    let told = told(&records, &asking(Purpose::Filter));
    assert_eq!(
        stand(&told),
        [
            (Pick, 1, "slow"),
            (RunnerUp, 2, "fast"),
            (Suited, 2, "keyed"),
            (Suited, 2, "level")
        ]
    );
    assert!(told.functions[1].time.is_none() && told.functions[1].reason == "suits, but was not timed");
}

#[test]
fn costs_at_other_sizes_follow_from_what_was_measured() {
    let mut records = standard();
    records.windows = vec![WindowRow {
        dataset: "set".to_owned(),
        function: "slow".to_owned(),
        end: WindowEnd::Full,
        bits: 32,
        keys: KEYS,
        collisions: 100,
        expected: 0.29,
        p_value: 0.0,
        ci_low: 90.0,
        ci_high: 110.0,
        p_adjusted: 0.0,
    }];
    let request = Request {
        mine: Some("slow".to_owned()),
        ..asking(Purpose::Filter)
    };
    let told = told(&records, &request);
    let at = |function: &str, keys: u64| {
        let mut rows = told.at_sizes.iter();
        rows.find(|row| (row.function.as_str(), row.keys) == (function, keys))
            .unwrap()
    };
    // Pick, runner-up and yours at four sizes.
    assert_eq!(told.at_sizes.len(), 12);
    assert!(told.at_sizes.is_sorted_by_key(|row| row.keys));
    assert_eq!(at("fast", 100_000_000).total_ms, Some(200.0));
    let collisions =
        |function: &str, keys| (at(function, keys).collisions, at(function, keys).collisions_basis);
    assert_eq!(collisions("slow", KEYS), (Some(100.0), Basis::Measured));
    // No law gives the collisions of more or fewer keys, and chance does not apply.
    assert_eq!(collisions("slow", 1_000_000), (Some(100.0), Basis::AtLeast));
    assert_eq!(collisions("slow", 10_000).0, None);
    let (few, basis) = collisions("fast", 1_000_000);
    assert!(few.unwrap() < 1e-7 && basis == Basis::Expected, "{few:?} {basis}");
    // LevelDB's filter of a million keys: 1.30 %.
    let million = at("fast", 1_000_000);
    let rate = million.rate.unwrap();
    assert!(
        (0.0126..0.0134).contains(&rate) && million.rate_basis == Basis::Expected,
        "{rate}"
    );
    let range = (million.lowest_rate.unwrap(), million.highest_rate.unwrap());
    assert!(range.0 < 0.0128 && range.1 > 0.0138, "{range:?}");
    // The slow function was not measured in any filter.
    assert_eq!(at("slow", 1_000_000).rate, None);
}

#[test]
fn an_unlucky_size_of_the_filter_is_told() {
    // 187,500 bytes are a multiple of 15; ten keys fewer are not.
    let told = sizes::unlucky(150_000).unwrap();
    assert!(
        told.starts_with("LevelDB's filter of exactly 150,000 keys at 10 bits per key has an unlucky size: even with an ideal hash 2.07 % of")
            && told.contains(" and 1.30 % at the size "),
        "{told}"
    );
    for keys in [149_990, 150_001, 1_000_000] {
        assert_eq!(sizes::unlucky(keys), None);
    }
}

#[test]
fn the_rates_of_fixed_numbers_of_keys_are_those_of_the_format() {
    // The calculator counts one number of keys, so its rates must lie in the range.
    let bits_per_key = filter_policy::BitsPerKey::whole(AtSize::BITS_PER_KEY);
    for (keys, low, mean, high) in
        sizes::IDEAL_RATES.map(|(keys, rate)| (keys, rate.low, rate.mean, rate.high))
    {
        assert!(low < mean && mean < high);
        if keys < 10_000_000 {
            let counted: Vec<f64> = (0..4)
                .map(|fewer| {
                    filter_formats::sizing::Format::LEVEL_DB
                        .rate(keys - fewer, bits_per_key)
                        .unwrap()
                })
                .collect();
            assert!(
                counted
                    .iter()
                    .all(|rate| (0.98 * low..1.02 * high).contains(rate)),
                "{keys}: {counted:?}"
            );
        }
    }
}
