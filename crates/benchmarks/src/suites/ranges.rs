//! Filters that answer ranges: false positives, times, and the requests that they save in SlateDB.
//!
//! The kinds of query, which all find nothing: `fresh`: from a new key to the thousandth string after it, of the last
//! eight bytes in the bytes that occur; `gap10` and `gap-half`: ten strings or half of all that lie between two neighbours;
//! `prefix`: a new prefix; `correlated`: from a stored key + 1 to + 3 in the last byte; `point`: a new key;
//! `point-prefix`: a stored prefix with a new rest. Contenders have rows for the kinds that they answer.

use std::fmt::Display;
use std::hint::black_box;

use filter_policy::{BitsPerKey, formats};
use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};
use slatedb::FilterQuery;
use statistics::significant;
use terminal::failure::Failure;
use terminal::number::{grouped, significant as digits};

use super::rates::Failed;
use crate::keys::ordered::{SETS, Set};
use crate::peers::ranges::{CONTENDERS, Filter, answers, builds};
use crate::record::{Batch, Case, Row};
use crate::suite::{Baseline, Suite, Tables, Task};
use crate::turns::{Loop, Run, take_turns};

mod charts;

/// The tasks for each kind of query, and the building.
macro_rules! tasks {
    ($unit:literal) => {
        &[
            ("build", "build", $unit),
            ("fresh", "fresh", $unit),
            ("gap10", "gap10", $unit),
            ("gap-half", "gap-half", $unit),
            ("prefix", "prefix", $unit),
            ("point", "point", $unit),
            ("point-prefix", "point-prefix", $unit),
            ("correlated", "correlated", $unit),
        ]
    };
}

/// False positives. The hash of grafite is random in each run, so that its rates are with the times.
pub const RATES: Suite = Suite {
    rows: "range_rates",
    contenders: || CONTENDERS.to_vec(),
    tasks: tasks!("false positives"),
    // `ideal`: the rate of an ideal Bloom filter of these bits per key for points.
    parameters: &["set", "keys", "bits_per_key", "ideal", "bytes"],
    properties: &["bytes"],
    baseline: Baseline::Column("ideal"),
    summary: Tables {
        title: "false positives, %",
        heading: |row| match (&*row.case.contender, row.case.get("bits_per_key")) {
            ("range", "10") => format!(
                "our range filter, 10 bits per key, {} keys",
                grouped(row.case.count("keys"))
            ),
            _ => String::new(),
        },
        line: |_, row| row.case.get("set").to_owned(),
        cell: |row, _| digits(100.0 * row.value, 2),
        charts: |rows| vec![("false-positives", charts::false_positives(rows))],
        ..Tables::PLAIN
    },
};

/// Times of building and of queries, at 10 bits per key.
pub const TIMES: Suite = Suite {
    rows: "range_times",
    tasks: tasks!("ns"),
    // `rate`: the share of these queries that may match.
    parameters: &["set", "keys", "rate"],
    properties: &["rate"],
    baseline: Baseline::Contender(&["range"]),
    summary: Tables {
        title: "ns",
        heading: |row| match &*row.case.contender {
            "range" => format!("our range filter, {} keys", grouped(row.case.count("keys"))),
            _ => String::new(),
        },
        line: |_, row| row.case.get("set").to_owned(),
        cell: |row, _| digits(row.value, 3),
        after: means,
        ..Tables::PLAIN
    },
    ..RATES
};

/// Requests of SlateDB, whose tables have users' rows `user:<id>:<ulid>`.
pub const REQUESTS: Suite = Suite {
    rows: "range_requests",
    contenders: || vec![
        ("none", "no filter"),
        ("slatedb", "SlateDB's Bloom, 10 bits"),
        ("slatedb-prefixes", "the same, with prefixes"),
        ("range-10", "ours, 10 bits"),
        ("range-16", "ours, 16 bits"),
        ("both", "Bloom 10 and ours 10"),
    ],
    tasks: &[
        ("range", "range scan, absent user", "requests"),
        ("prefix", "prefix scan, absent user", "requests"),
        ("hour", "an empty hour of a present user", "requests"),
        ("get", "Get, absent key", "requests"),
        ("present", "range scan, present user", "requests"),
    ],
    // `cache`: what stays in memory, filters and indexes or nothing. `rows` of a table.
    parameters: &["version", "cache", "tables", "rows"],
    properties: &[],
    baseline: Baseline::Contender(&["none"]),
    summary: Tables {
        title: "requests per call",
        heading: |row| format!("cached: {}", row.case.get("cache")),
        ..Tables::PLAIN
    },
};

/// Bits per key of the rates, and of the times.
const BITS: [u32; 5] = [8, 10, 12, 14, 16];
const BITS_OF_TIMES: u32 = 10;
/// Queries of a kind that are timed together.
const QUERIES: usize = 20_000;

/// Returns the kinds of query.
fn kinds() -> impl Iterator<Item = &'static str> {
    let tasks: &[Task] = RATES.tasks;
    tasks[1..].iter().map(|(kind, ..)| *kind)
}

/// Draws `count` queries of each kind that the set has.
fn queries(set: &Set, count: usize) -> Vec<(&'static str, Vec<FilterQuery>)> {
    let kinds = kinds().map(|kind| (kind, set.queries(kind, count)));
    kinds.filter(|(_, queries)| !queries.is_empty()).collect()
}

fn matches(filter: &Filter, queries: &[FilterQuery]) -> u64 {
    queries
        .iter()
        .map(|query| u64::from((filter.may_match)(query)))
        .sum()
}

/// Measures the rates. The batches do not depend on the number of threads.
///
/// # Errors
///
/// If the user requested a stop, or a filter cannot be built or denies a stored key.
pub fn rates(run: &Run<'_>) -> Result<Vec<Batch>, Failure> {
    let mut batches = Vec::new();
    for &size in run.extent(&[1_000][..], &[1_000, 20_000, 1_000_000]) {
        run.progress.note(&format!("sets of {size} keys"));
        let of_set = |name: &&'static str| {
            run.go_on()?;
            let set = Set::new(name, size);
            let batches = set.map(|set| rates_of(&set, run.extent(1_000, 40_000)));
            batches.unwrap_or(Ok(Vec::new())).map_err(Failure::internal)
        };
        batches.extend(SETS.par_iter().map(of_set).collect::<Result<Vec<_>, Failure>>()?);
    }
    Ok(batches.concat())
}

/// Measures the filters of a set with so many queries of each kind, and of as many stored keys.
fn rates_of(set: &Set, count: usize) -> Result<Vec<Batch>, Failed> {
    let (keys, queries) = (set.keys.len(), queries(set, count));
    let mut batches = Vec::new();
    for bits in BITS {
        let ideal = formats::BLOOM64.expected_rate(keys as u64, BitsPerKey::whole(bits))?;
        for (contender, _) in CONTENDERS.iter().filter(|(name, _)| *name != "grafite") {
            let Some(build) = builds(contender, set, bits) else {
                continue;
            };
            let filter = build()?;
            check(set, contender, &filter, count)?;
            for (kind, queries) in queries.iter().filter(|(kind, _)| answers(contender, kind)) {
                let ideal = significant::round(ideal);
                let parameters: [&dyn Display; 5] = [&set.name, &keys, &bits, &ideal, &filter.bytes];
                let case = RATES.case(contender, kind, &parameters);
                batches.push(case.batch(1, queries.len() as u64, matches(&filter, queries)));
            }
        }
    }
    Ok(batches)
}

/// Checks that a filter does not deny what up to `count` stored keys answer.
fn check(set: &Set, contender: &str, filter: &Filter, count: usize) -> Result<(), Failed> {
    match set.present(count).find(|query| !(filter.may_match)(query)) {
        Some(denied) => Err(format!("{contender} denies what is stored in {}: {denied:?}", set.name).into()),
        None => Ok(()),
    }
}

/// Measures the times.
///
/// # Errors
///
/// If the user requested a stop, or a filter cannot be built or denies a stored key.
pub fn times(run: &Run<'_>) -> Result<Vec<Batch>, Failure> {
    let mut batches = Vec::new();
    for &size in run.extent(&[1_000][..], &[20_000, 1_000_000]) {
        for set in SETS.iter().filter_map(|name| Set::new(name, size)) {
            run.progress.note(&format!("{} of {size} keys", set.name));
            batches.extend(times_of(run, &set)?);
        }
    }
    Ok(batches)
}

fn times_of(run: &Run<'_>, set: &Set) -> Result<Vec<Batch>, Failure> {
    let keys = set.keys.len();
    let rounds = run.extent(2, if keys > 100_000 { 5 } else { 15 });
    let mut batches = Vec::new();
    let mut take = |calls: usize, mut turns: Vec<(Case, Loop<'_>)>| {
        take_turns(run, rounds, false, &mut turns, |round, case, ns| {
            batches.push(case.batch(round, calls as u64, ns));
        })
    };
    let case = |name, task, rate: &dyn Display| TIMES.case(name, task, &[&set.name, &keys, rate]);
    let builds = CONTENDERS
        .iter()
        .filter_map(|(name, _)| Some((*name, builds(name, set, BITS_OF_TIMES)?)));
    let builds: Vec<_> = builds.collect();
    let turns = builds.iter().map(|(name, build)| -> (_, Loop<'_>) {
        let run = || build().map_or(0, |filter| black_box(filter).bytes as u64);
        (case(name, "build", &""), Box::new(run))
    });
    take(keys, turns.collect())?;
    let filters = builds.iter().map(|(name, build)| Ok((*name, build()?)));
    let filters = filters
        .collect::<Result<Vec<_>, Failed>>()
        .map_err(Failure::internal)?;
    for (name, filter) in &filters {
        check(set, name, filter, QUERIES).map_err(Failure::internal)?;
    }
    for (kind, queries) in &queries(set, QUERIES) {
        let answering = filters.iter().filter(|(name, _)| answers(name, kind));
        let turns = answering.map(|(name, filter)| -> (_, Loop<'_>) {
            let rate = matches(filter, queries) as f64 / queries.len() as f64;
            let run = || matches(black_box(filter), queries);
            (case(name, kind, &significant::round(rate)), Box::new(run))
        });
        take(queries.len(), turns.collect())?;
    }
    Ok(batches)
}

/// Formats the means over sets and kinds of query.
fn means(rows: &[Row]) -> String {
    let mean = |rows: &mut dyn Iterator<Item = &Row>| {
        let (sum, count) = rows.fold((0.0, 0.0), |(sum, count), row| (sum + row.value, count + 1.0));
        digits(sum / count, 3)
    };
    let mut text = "\nMeans over sets and kinds of query:\n".to_owned();
    for keys in [1_000, 20_000, 1_000_000] {
        for (name, label) in CONTENDERS {
            let mine = || {
                rows.iter()
                    .filter(|row| row.case.contender == name && row.case.count("keys") == keys)
            };
            if mine().next().is_some() {
                let build = mean(&mut mine().filter(|row| row.case.task == "build"));
                let query = mean(&mut mine().filter(|row| row.case.task != "build"));
                text += &format!(
                    "{} keys, {label}: {build} ns a key built, {query} ns a query\n",
                    grouped(keys)
                );
            }
        }
    }
    text
}
