//! Advice: on synthetic records what the committed run, whose page has the advice for every choice, does not meet.

use hash_comparison::advice::figures::{Basis, Figure, Figures};
use hash_comparison::advice::gains;
use hash_comparison::advice::times::warning;
use hash_comparison::advice::{self, Note, notes, of_dataset, parts};
use hash_comparison::functions::{self, Function};
use hash_comparison::keys::{Dataset, Recipe};
use hash_comparison::questions::filters::FEWEST_KEYS;
use hash_comparison::questions::{Place, Records, TimingRow};
use hash_comparison::record::{
    Advice, CallForm, Choice, CostRow, Effect, Lack, Purpose, Request, Resistance, Run, Standing, Unit,
};

use super::fixtures::committed;
use super::questions::judged;

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
        datasets: vec![dataset.summary],
        ..Run::default()
    };
    let mut timing = Vec::new();
    for Made(name, bits, overlapped, waiting) in functions {
        let mut summary = functions::find("XXH3").unwrap().facts.clone();
        (*name).clone_into(&mut summary.name);
        (summary.output_bits, summary.bits) = (*bits, (*bits).min(32));
        if *name == "keyed" {
            summary.resistance = Resistance::Keyed;
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
        purpose: Some(purpose),
        unit: Unit::FalsePositives,
        choice: None,
        size: 20,
        keys: KEYS,
        sizes: 16,
        measured: 0.01 * (1.0 + cost),
        chance: 0.01,
        cost,
        p_adjusted: if measurable { 0.0 } else { 1.0 },
        measurable,
        decides: true,
        shown: false,
        costliest: false,
    }
}

fn request_for(purpose: Purpose) -> Request {
    Request {
        purpose,
        ..Request::default()
    }
}

fn advised(records: &Records, request: &Request) -> Vec<Advice> {
    of_dataset(records, &records.run.datasets[0], request)
}

fn notes_on(records: &Records, request: &Request) -> Vec<Note> {
    notes(
        records,
        &records.run.datasets[0],
        request,
        &advised(records, request),
    )
}

/// Returns standing, rank and name of every function.
fn stand(advised: &[Advice]) -> Vec<(Standing, u64, &str)> {
    let all = advised.iter();
    all.map(|one| (one.standing, one.rank, one.function.as_str()))
        .collect()
}

use Standing::{Avoid, Lacking, Pick, RunnerUp, Suited, Unknown};

#[test]
fn a_defect_counts_by_what_it_costs_there() {
    let of = |row: CostRow, request: &Request| {
        let mut records = standard();
        records.costs = vec![row];
        let mut advised = advised(&records, request).into_iter();
        let fast = advised.find(|one| one.function == "fast").unwrap();
        (fast.standing, fast.effect.unwrap_or(Effect::WithinChance))
    };
    let filter = request_for(Purpose::Filter);
    // Measurable but cheap: neither excluded nor lowered. Costly but not measurable: chance.
    for (row, expected) in [
        (
            cost("fast", Purpose::Filter, 0.049, true),
            (Pick, Effect::Negligible),
        ),
        (
            cost("fast", Purpose::Filter, 3.0, false),
            (Pick, Effect::WithinChance),
        ),
        (cost("fast", Purpose::Filter, 0.05, true), (Avoid, Effect::Costly)),
        (
            CostRow {
                p_adjusted: 0.001,
                ..cost("fast", Purpose::Filter, -0.02, false)
            },
            (Pick, Effect::BetterThanChance),
        ),
    ] {
        assert_eq!(of(row, &filter), expected);
    }
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
            of(cost("fast", Purpose::Filter, 2.0, true), &request_for(purpose)).0,
            expected,
            "{purpose}"
        );
    }
}

#[test]
fn a_change_gains_what_is_measurable() {
    let mut records = records(&[FAST, LEVEL, SLOW], KEYS);
    // In the other set everything takes three times as long, and of all functions only one is slower in memory.
    let place = |row: &TimingRow, dataset: &str, place, ns| TimingRow {
        dataset: dataset.to_owned(),
        place,
        median_ns_per_key: ns,
        ..row.clone()
    };
    let rows = records.timing.clone();
    for row in &rows {
        let in_memory = if row.function == "slow" { 300.0 } else { 200.0 };
        let others = [
            (Place::Sequence, 3.0 * row.median_ns_per_key),
            (Place::Memory, in_memory),
        ];
        let others = others.map(|(at, ns)| place(row, "other", at, ns));
        records.timing.extend(
            others
                .into_iter()
                .chain([place(row, "set", Place::Memory, 100.0)]),
        );
    }
    let saved = |sets: &[&str], form, functions| {
        let gain = gains::of(&records, sets, form, functions).unwrap();
        let memory = gain.memory.unwrap();
        [(gain.sequence.ns, gain.sequence.saved), (memory.ns, memory.saved)]
    };
    let (overlap, wait) = (CallForm::Independent, CallForm::Chained);
    assert_eq!(
        saved(&["set"], overlap, ["slow", "fast"]),
        [(4.0, Some(2.0)), (100.0, None)]
    );
    assert_eq!(
        saved(&["set"], overlap, ["level", "fast"]),
        [(2.1, None), (100.0, None)]
    );
    assert_eq!(
        saved(&["set"], wait, ["slow", "fast"]),
        [(4.1, Some(4.1 - 9.0)), (100.0, None)]
    );
    assert_eq!(
        saved(&["other"], overlap, ["slow", "level"]),
        [(12.0, Some(12.0 - 3.0 * 2.1)), (300.0, Some(100.0))]
    );
    assert_eq!(
        saved(&["set", "other"], overlap, ["slow", "fast"]),
        [(8.0, Some(4.0)), (200.0, Some(50.0))]
    );
    assert_eq!(gains::of(&records, &["set"], wait, ["fast", "fast"]), None);
    let mut advice = advised(&records, &request_for(Purpose::Filter));
    assert_eq!(
        gains::equal_in_memory(&records, &advice, overlap),
        ["level", "slow"]
    );
    advice.iter_mut().for_each(|one| one.dataset = "other".to_owned());
    assert_eq!(gains::equal_in_memory(&records, &advice, overlap), ["level"]);
}

#[test]
fn where_nothing_suits_nothing_is_recommended() {
    let untrusted = Request {
        untrusted: true,
        ..request_for(Purpose::Table)
    };
    let records_of_two = records(&[FAST, SLOW], KEYS);
    let none = advised(&records_of_two, &untrusted);
    assert!(none.iter().all(|one| one.lacks == Some(Lack::Resistance)));
    let secret = Note::SecretKey {
        kept: false,
        common: false,
        more: true,
    };
    assert_eq!(
        notes_on(&records_of_two, &untrusted),
        [secret.clone(), Note::NothingSuits]
    );
    assert_eq!(notes_on(&standard(), &untrusted), [secret]);
    // Among a hundred keys 32 bits are plenty for a checksum, and among many they are not.
    let checksum = request_for(Purpose::Checksum);
    let few = advised(&records(&[SLOW, FAST], 100), &checksum);
    assert_eq!(stand(&few), [(Pick, 1, "fast"), (RunnerUp, 2, "slow")]);
    let many = advised(&records(&[SLOW, FAST], KEYS), &checksum);
    assert_eq!(stand(&many), [(Pick, 1, "fast"), (Lacking, 0, "slow")]);
}

#[test]
fn few_keys_give_no_advice() {
    for keys in [0, 1, FEWEST_KEYS - 1] {
        for purpose in [Purpose::Filter, Purpose::Table, Purpose::Shard, Purpose::Checksum] {
            let records = records(&[FAST, LEVEL], keys);
            let advised = advised(&records, &request_for(purpose));
            assert!(advised.iter().all(|one| one.standing == Unknown));
            let few = Note::TooFewKeys { fewest: FEWEST_KEYS };
            assert_eq!(notes_on(&records, &request_for(purpose))[0], few);
        }
    }
    // Facts that need no measurement are still reported.
    let untrusted = Request {
        untrusted: true,
        ..Request::default()
    };
    assert_eq!(
        stand(&advised(&records(&[FAST], 1), &untrusted)),
        [(Lacking, 0, "fast")]
    );
}

#[test]
fn functions_without_times_come_last_and_share_a_rank() {
    let mut records = standard();
    records.timing.retain(|row| row.function == "slow");
    let advised = advised(&records, &request_for(Purpose::Filter));
    assert_eq!(
        stand(&advised),
        [
            (Pick, 1, "slow"),
            (RunnerUp, 2, "fast"),
            (Suited, 2, "keyed"),
            (Suited, 2, "level")
        ]
    );
    assert!(advised[1].ns.is_none() && advised[1].times_pick.is_none());
}

/// A function that spreads keys as well as its bits allow fills few of the buckets or shards that the keys need.
#[test]
fn too_few_bits_for_the_number_of_keys_have_a_cost() {
    use Purpose::{Shard, Table};
    for (purpose, keys, bits, suits) in [
        (Table, 20_000, 8, false),
        // Enough for 16,384 buckets by their bits, too few for the remainder by a prime.
        (Table, 20_000, 14, false),
        (Table, 20_000, 16, true),
        // The first million keys alone do not show it.
        (Table, 2_000_000, 20, false),
        (Shard, 20_000, 4, false),
        (Shard, 20_000, 14, true),
    ] {
        let dataset = Dataset::of("set", Recipe::DecimalU64.keys(1, keys));
        let xxh3 = functions::find("XXH3").unwrap().hash;
        let function = Function::custom("narrow", bits, xxh3, &[]);
        let values = dataset.keys.iter().map(|key| xxh3(key) >> (64 - bits));
        let mut records = judged(&dataset, &function, values.collect());
        records.costs = advice::costs(&records);
        let advice = &advised(&records, &request_for(purpose))[0];
        assert_eq!(advice.suits(), suits, "{bits} bits: {advice:?}");
        let figures = Figures::of(&records, &dataset.summary, purpose.parts()).functions;
        let mut cells = figures["narrow"].cells.iter().flatten();
        assert!(cells.all(|cell| cell.row.chance > 0.0 && cell.row.measured >= 0.0));
        if purpose == Table && !suits {
            // Half of the other keys that share the value, and of the other keys in a bucket.
            let others = (keys - 1) as f64 / 2.0;
            let [measured, chance] =
                [f64::from(1 << bits), advice.size.unwrap() as f64].map(|places| 1.0 + others / places);
            let is_near = |value: Option<f64>, expected: f64| (value.unwrap() / expected - 1.0).abs() < 0.01;
            assert!(is_near(advice.measured, measured), "{measured}: {advice:?}");
            assert!(is_near(advice.chance, chance), "{chance}: {advice:?}");
            assert_eq!(
                (advice.keys, advice.unit),
                (Some(keys as u64), Some(Unit::Comparisons))
            );
        }
    }
}

#[test]
fn a_function_may_be_good_enough_for_some_parts_of_a_use() {
    let records = committed();
    let parts = parts::of(
        &records,
        "app-accounts",
        "DJB2Hash",
        Purpose::FilterOrTable.parts(),
    );
    let parts: Vec<_> = parts
        .iter()
        .map(|part| (part.purpose, part.choice, part.effect))
        .collect();
    let good = |purpose, choice| (purpose, choice, Effect::WithinChance);
    assert_eq!(
        parts,
        [
            good(Purpose::Filter, None),
            good(Purpose::Table, Some(Choice::LowBits)),
            (Purpose::Table, Some(Choice::HighBits), Effect::Costly),
            good(Purpose::Table, Some(Choice::Remainder)),
        ]
    );
}

#[test]
fn what_decides_is_shown_and_nothing_is_foretold_of_bad_functions() {
    let mut records = committed();
    records.costs = advice::costs(&records);
    let deciding = records.costs.iter().filter(|row| row.decides && row.measurable);
    assert!(deciding.clone().all(|row| row.is_shown()) && deciding.count() > 50);
    let set = records.run.datasets.iter().find(|set| set.name == "app-accounts");
    let set = set.unwrap();
    for purpose in [Purpose::Filter, Purpose::Table, Purpose::Shard, Purpose::Checksum] {
        let figures = Figures::of(&records, set, purpose.parts());
        for (function, of) in figures.functions {
            for cell in of.cells.iter().flatten().filter(|cell| cell.row.keys > 1_000_000) {
                let same = |other: &&Figure| {
                    (other.row.purpose, other.row.unit) == (cell.row.purpose, cell.row.unit)
                };
                let counted = of.cells.iter().flatten().find(same).unwrap();
                let is_chance = counted.effect == Effect::WithinChance;
                assert!(is_chance || cell.basis == Basis::Unknown, "{function}: {cell:?}");
            }
        }
    }
}

#[test]
fn every_reason_to_distrust_the_times_is_reported() {
    let mut records = committed();
    let mut reason = |chained: f64, waited: f64| {
        for row in &mut records.timing {
            let share = if row.form == CallForm::Chained {
                chained
            } else {
                0.01
            };
            row.mad_ns_per_key = share * row.median_ns_per_key;
        }
        let environment = &mut records.run.environment;
        environment.timing_seconds = Some(25.0);
        environment.seconds_waited_while_timing = Some(waited);
        warning(&records).unwrap_or_default()
    };
    assert_eq!(reason(0.01, 2.0), "");
    assert_eq!(
        reason(0.08, 2.0),
        "Times were unsteady: on app-accounts half of them by ±8.00 % or more. Other programs had the processor for 2.0 of the 25 s \
         of timing. Repeat on a quiet machine."
    );
    assert_eq!(
        reason(0.01, 2.6),
        "Other programs had the processor for 2.6 of the 25 s of timing: all times are probably too high. Repeat on a quiet machine."
    );
}
