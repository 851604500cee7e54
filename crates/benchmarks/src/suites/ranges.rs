//! Filters that answer ranges: false positives, times, and the requests that they save in SlateDB.
//!
//! Queries find nothing, but for the last task of the requests. Contenders have rows for the kinds that they answer.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::hint::black_box;

use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};
use slatedb::FilterQuery;
use statistics::significant;
use terminal::failure::Failure;
use terminal::number::{grouped, significant as digits};

use super::rates::Failed;
use crate::keys::ordered::{KINDS, SETS, Set};
use crate::peers::ranges::{CONTENDERS, Filter, answers, builds};
use crate::record::{Batch, Case, Row};
use crate::suite::{Baseline, Label, Suite, Tables};
use crate::turns::{Loop, Run, take_turns};

mod charts;

/// False positives. The hash of grafite is random in each run, so that its rates are with the times.
#[rustfmt::skip]
pub const RATES: Suite = Suite {
    rows: "range_rates",
    contenders: || CONTENDERS.to_vec(),
    tasks: &[("rate", "rate", "false positives")],
    parameters: &["set", "keys", "query", "bits_per_key", "bytes"],
    properties: &["bytes"],
    baseline: Baseline::Contender(&["range"]),
    summary: Tables {
        title: "false positives of ours, %",
        heading: |row| {
            let is_shown = row.case.contender == "range" && row.case.get("bits_per_key") == "10";
            if is_shown { format!("{} keys, 10 bits each", grouped(row.case.count("keys"))) } else { String::new() }
        },
        line: |_, row| row.case.get("set").to_owned(),
        column: |_, row| row.case.get("query").to_owned(),
        cell: |row, _| digits(100.0 * row.value, 2),
        charts: |rows| vec![("false-positives", charts::false_positives(rows))],
        ..Tables::PLAIN
    },
};

/// Times of building and of queries, at 10 bits per key. All but grafite are called through SlateDB's traits.
#[rustfmt::skip]
pub const TIMES: Suite = Suite {
    rows: "range_times",
    tasks: &[("build", "ns a key built", "ns"), ("query", "ns a query", "ns")],
    // `rate`: the share of these queries that may match.
    parameters: &["set", "keys", "query", "rate"],
    properties: &["rate"],
    summary: Tables {
        title: "ns, our range filter",
        heading: |row| match &*row.case.contender {
            "range" => format!("{} keys", grouped(row.case.count("keys"))),
            _ => String::new(),
        },
        column: |_, row| [row.case.get("query"), "build"][usize::from(row.case.task == "build")].to_owned(),
        cell: |row, _| digits(row.value, 3),
        after: means,
        charts: Tables::PLAIN.charts,
        ..RATES.summary
    },
    ..RATES
};

/// Requests of SlateDB, whose tables have users' rows `user:<id>:<ulid>`, an eighth of all ids. The empty hour is one of a
/// user who has rows at other times, and the absent key one of any user.
#[rustfmt::skip]
pub const REQUESTS: Suite = Suite {
    rows: "range_requests",
    contenders: || vec![
        ("none", "no filter"),
        ("slatedb-10", "SlateDB's Bloom, 10 bits"), ("slatedb-prefixes-10", "the same, with prefixes"),
        ("range-10", "ours, 10 bits"), ("range-16", "ours, 16 bits"),
        ("slatedb-10+range-10", "Bloom 10 and ours 10"),
    ],
    tasks: &[
        ("range", "scan, absent user", "requests"),
        ("prefix", "by its prefix", "requests"),
        ("hour", "scan, empty hour", "requests"),
        ("get", "Get, absent key", "requests"),
        ("present", "scan, present user", "requests"),
    ],
    // `cache`: what stays in memory, filters and indexes or nothing. `rows` of a table.
    parameters: &["version", "cache", "tables", "rows"],
    properties: &[],
    baseline: Baseline::Contender(&["none"]),
    summary: Tables {
        title: "requests per call",
        heading: |row| format!("cached: {}", row.case.get("cache")),
        cell: |row, _| digits(row.value, 3),
        charts: |rows| vec![("requests", charts::requests(rows))],
        ..Tables::PLAIN
    },
};

/// Bits per key of the rates, and of the times.
const BITS: [u32; 5] = [8, 10, 12, 14, 16];
const BITS_OF_TIMES: u32 = 10;
/// Queries of a kind that are timed together.
const QUERIES: usize = 20_000;

/// A kind and its queries.
type Queries = (&'static str, Vec<FilterQuery>);

/// Draws `count` queries of each kind that the set has.
fn queries(set: &Set, count: usize) -> Vec<Queries> {
    let kinds = KINDS.iter().map(|kind| (*kind, set.queries(kind, count)));
    kinds.filter(|(_, queries)| !queries.is_empty()).collect()
}

fn matches(filter: &Filter, queries: &[FilterQuery]) -> u64 {
    let matching = queries.iter().filter(|query| (filter.may_match)(query));
    matching.count() as u64
}

/// Measures each set of these sizes.
fn each_set(
    run: &Run<'_>,
    sizes: &[usize],
    measure: impl Fn(&Set) -> Result<Vec<Batch>, Failure>,
) -> Result<Vec<Batch>, Failure> {
    let sets = sizes
        .iter()
        .flat_map(|size| SETS.iter().filter_map(|name| Set::new(name, *size)));
    let measured = sets.map(|set| {
        run.go_on()?;
        run.progress
            .note(&format!("{} of {} keys", set.name, set.keys.len()));
        measure(&set)
    });
    Ok(measured.collect::<Result<Vec<_>, _>>()?.concat())
}

/// Measures the rates. The batches do not depend on the number of threads.
///
/// # Errors
///
/// If the user requested a stop, or a filter cannot be built or denies a stored key.
pub fn rates(run: &Run<'_>) -> Result<Vec<Batch>, Failure> {
    let sizes: &[usize] = run.extent(&[1_000], &[1_000, 20_000, 1_000_000]);
    let count = run.extent(1_000, 40_000);
    each_set(run, sizes, |set| {
        let queries = queries(set, count);
        let measured = BITS.par_iter().map(|bits| rates_of(set, *bits, &queries, count));
        let batches = measured.collect::<Result<Vec<_>, _>>();
        Ok(batches.map_err(Failure::internal)?.concat())
    })
}

/// Measures the filters of a set, and asks them for so many stored keys.
fn rates_of(set: &Set, bits: u32, queries: &[Queries], count: usize) -> Result<Vec<Batch>, Failed> {
    let mut batches = Vec::new();
    for (contender, _) in CONTENDERS.iter().filter(|(name, _)| *name != "grafite") {
        let Some(build) = builds(contender, set, bits) else {
            continue;
        };
        let filter = build()?;
        check(set, contender, &filter, count)?;
        for (kind, queries) in queries.iter().filter(|(kind, _)| answers(contender, kind)) {
            let parameters: [&dyn Display; 5] = [&set.name, &set.keys.len(), kind, &bits, &filter.bytes];
            let case = RATES.case(contender, "rate", &parameters);
            batches.push(case.batch(1, queries.len() as u64, matches(&filter, queries)));
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
    let sizes: &[usize] = run.extent(&[1_000], &[20_000, 1_000_000]);
    each_set(run, sizes, |set| times_of(run, set))
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
    let case =
        |name, task, kind: &str, rate: &dyn Display| TIMES.case(name, task, &[&set.name, &keys, &kind, rate]);
    let build = |(name, _): &Label| Some((*name, builds(name, set, BITS_OF_TIMES)?));
    let builds: Vec<_> = CONTENDERS.iter().filter_map(build).collect();
    let turns = builds.iter().map(|(name, build)| -> (_, Loop<'_>) {
        // The size of grafite's filters differs.
        let run = || u64::from(black_box(build()).is_ok());
        (case(name, "build", "", &""), Box::new(run))
    });
    take(keys, turns.collect())?;
    let filters = builds.iter().map(|(name, build)| Ok((*name, build()?)));
    let filters: Result<Vec<_>, Failed> = filters.collect();
    let filters = filters.map_err(Failure::internal)?;
    for (name, filter) in &filters {
        check(set, name, filter, QUERIES).map_err(Failure::internal)?;
    }
    for (kind, queries) in &queries(set, QUERIES) {
        let answering = filters.iter().filter(|(name, _)| answers(name, kind));
        let turns = answering.map(|(name, filter)| -> (_, Loop<'_>) {
            let rate = matches(filter, queries) as f64 / queries.len() as f64;
            let run = || matches(black_box(filter), queries);
            let case = case(name, "query", kind, &significant::round(rate));
            (case, Box::new(run))
        });
        take(queries.len(), turns.collect())?;
    }
    Ok(batches)
}

/// Formats the means over sets and kinds of query.
fn means(rows: &[Row]) -> String {
    let mut sums = BTreeMap::<_, (f64, f64)>::new();
    for row in rows {
        let label = CONTENDERS
            .iter()
            .position(|(name, _)| *name == row.case.contender);
        let sum = sums.entry((row.case.count("keys"), label, &row.case.task));
        let (sum, count) = sum.or_default();
        (*sum, *count) = (*sum + row.value, *count + 1.0);
    }
    let mut text = "\nMeans over sets and kinds of query:\n".to_owned();
    for ((keys, label, task), (sum, count)) in sums {
        let name = label.map_or("", |label| CONTENDERS[label].1);
        text += &format!(
            "{} keys, {name}, {task}: {} ns\n",
            grouped(keys),
            digits(sum / count, 3)
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use plots::scene::Shape;
    use terminal::progress::Silent;

    use super::*;

    #[test]
    fn rates_are_the_same_again_and_their_chart_is_whole() {
        let run = Run {
            is_quick: true,
            progress: &Silent,
        };
        let batches = rates(&run).unwrap();
        assert!(batches == rates(&run).unwrap());
        let rows = RATES.rows(&batches).unwrap();
        // Rates of zero, too, are on the lines.
        let lines = charts::false_positives(&rows)
            .shapes
            .into_iter()
            .filter(|shape| match shape {
                Shape::Text(_, _, text, _) => {
                    assert!(!text.contains('…'), "{text}");
                    false
                }
                Shape::Line(points, ..) => points.len() == BITS.len(),
                _ => false,
            });
        assert_eq!(lines.count(), 5 * SETS.len() - 2);
    }
}
