//! Advice from synthetic records: what the committed run, whose page has the advice for every choice, does not meet.

use crate::advice::recommend::*;
use crate::advice::summarise;
use crate::keys::{Dataset, Recipe};
use crate::questions::{Place, TimingRow};
use crate::record::Run;

const KEYS: u64 = 50_000;

/// A function of a synthetic run: name, bits, time of calls that overlap and of calls that wait.
struct Made(&'static str, u32, f64, f64);

const FAST: Made = Made("fast", 64, 2.0, 9.0);
const LEVEL: Made = Made("level", 64, 2.1, 4.0);
const SLOW: Made = Made("slow", 32, 4.0, 4.1);
const KEYED: Made = Made("keyed", 64, 9.0, 15.0);

/// Returns records of functions that are all as good as chance.
fn records(functions: &[Made], keys: u64) -> Records {
    let dataset = Dataset::of("set", Recipe::DecimalU64.keys(1, keys as usize));
    let mut run = Run {
        datasets: vec![summarise(&dataset)],
        ..Run::default()
    };
    let mut timing = Vec::new();
    for Made(name, bits, overlapped, waiting) in functions {
        let mut summary = crate::functions::find("XXH3").unwrap().summary();
        (*name).clone_into(&mut summary.name);
        (summary.output_bits, summary.bits) = (*bits, (*bits).min(32));
        if *name == "keyed" {
            summary.resistance = Resistance::Keyed;
            summary.resistance_reason = "Made for a secret key.".to_owned();
        }
        run.functions.push(summary);
        let time = |form, ns: f64| TimingRow {
            dataset: "set".to_owned(),
            function: (*name).to_owned(),
            place: Place::Sequence,
            form,
            keys,
            bytes: keys * 8,
            median_ns_per_key: ns,
            mad_ns_per_key: 0.01,
            fastest_ns_per_key: None,
            samples: 31,
        };
        timing.push(time(CallForm::Independent, *overlapped));
        timing.push(time(CallForm::Chained, *waiting));
    }
    Records {
        timing,
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
        words::cost(cheap.functions[0].cost.as_ref().unwrap(), filter.negligible),
        "1.05 % false positives at 20 bits per key (ideal hash: 1.00 %), 4.9 % more: worse than chance, but negligible here"
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
fn where_nothing_suits_nothing_is_recommended() {
    let untrusted = |mine: &str| Request {
        untrusted: true,
        mine: Some(mine.to_owned()),
        ..asking(Purpose::Table)
    };
    let none = told(&records(&[FAST, SLOW], KEYS), &untrusted("fast"));
    assert!(none.pick().is_none() && none.attackers.unwrap().contains("none was measured"));
    let words = none.mine.unwrap().words;
    assert!(words.ends_with("Nothing here replaces it."), "{words}");
    assert_eq!(told(&standard(), &untrusted("nosuch")).mine, None);
    // Among a hundred keys 32 bits are plenty for a checksum, and among many they are not.
    let checksum = asking(Purpose::Checksum);
    let few = told(&records(&[SLOW, FAST], 100), &checksum);
    assert_eq!(stand(&few), [(Pick, 1, "fast"), (RunnerUp, 2, "slow")]);
    let many = told(&records(&[SLOW, FAST], KEYS), &checksum);
    assert_eq!(stand(&many), [(Pick, 1, "fast"), (Lacking, 0, "slow")]);
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
                    filter_formats::Format::LEVEL_DB
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
