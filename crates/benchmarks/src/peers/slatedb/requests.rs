//! Requests of SlateDB to the object store for scans and Gets, on tables of many users' rows.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::ops::Bound::{Excluded, Included};
use std::sync::Arc;

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::SeedableRng as _;
use slatedb::instrumented_object_store_stats::REQUEST_COUNT;
use slatedb::{Db, Error, FilterPolicy};
use slatedb_common::metrics::{DefaultMetricsRecorder, Metric, MetricValue};
use terminal::failure::Failure;
use tokio::runtime::Runtime;

use super::{Kept, written};
use crate::keys::ordered::{MONTH, below, row_of, ulid};
use crate::peers::ranges::policy;
use crate::record::Batch;
use crate::suites::ranges::REQUESTS;
use crate::turns::Run;

/// Tables of a database, users that they may have, and milliseconds of an hour.
const TABLES: usize = 16;
const USERS: u64 = 100_000;
const HOUR: u64 = 3_600_000;

/// Returns the policies of a contender, such as `slatedb-10+range-10`.
fn policies(contender: &str) -> Vec<Arc<dyn FilterPolicy>> {
    let policy = |named: &str| {
        let (name, bits) = named.rsplit_once('-')?;
        policy(name, "user", bits.parse().ok()?)
    };
    contender.split('+').filter_map(policy).collect()
}

/// The keys of all tables.
type Keys = BTreeSet<Vec<u8>>;

/// Start and end of what is asked for; the key of a Get and its successor.
type Question = [Vec<u8>; 2];

fn found(keys: &Keys, [start, end]: &Question) -> usize {
    keys.range::<[u8], _>((Included(&start[..]), Excluded(&end[..])))
        .count()
}

/// Draws a question of a task.
fn question(task: &str, keys: &Keys, random: &mut SplitMix64) -> Question {
    loop {
        let id = 1 + below(random, USERS);
        let user = [':', ';'].map(|end| format!("user:{id}{end}").into_bytes());
        let is_present = found(keys, &user) > 0;
        let (asked, is_meant) = match task {
            "get" => {
                let key = row_of(id, random);
                ([key.clone(), [&key[..], b"\0"].concat()], true)
            }
            "hour" => {
                let time = MONTH.0 + below(random, MONTH.1);
                let at = |time| format!("user:{id}:{}", &ulid(time, 0)[..10]).into_bytes();
                ([at(time), at(time + HOUR)], is_present)
            }
            "present" => (user, is_present),
            _ => (user, !is_present),
        };
        if is_meant && (found(keys, &asked) > 0) == (task == "present") {
            return asked;
        }
    }
}

/// Asks, and returns the number of rows.
async fn ask(db: &Db, task: &str, [start, end]: &Question) -> Result<usize, Error> {
    let mut rows = match task {
        "get" => return Ok(usize::from(db.get(start).await?.is_some())),
        "prefix" => db.scan_prefix(start, ..).await?,
        _ => db.scan(&start[..]..&end[..]).await?,
    };
    let mut found = 0;
    while rows.next().await?.is_some() {
        found += 1;
    }
    Ok(found)
}

/// Returns the requests that read, so far.
fn requests(recorder: &DefaultMetricsRecorder) -> u64 {
    let metrics = recorder.snapshot();
    let reads = ("op".to_owned(), "get".to_owned());
    let counts = metrics.by_name(REQUEST_COUNT).into_iter();
    let counts = counts.filter(|metric| metric.labels.contains(&reads));
    let count = |metric: &Metric| match metric.value {
        MetricValue::Counter(count) => count,
        _ => 0,
    };
    counts.map(count).sum()
}

/// Measures the requests of each policy, with its filters in memory and with nothing there.
///
/// # Errors
///
/// If the user requested a stop, or the engine fails or finds a wrong number of rows.
pub fn measure(run: &Run<'_>) -> Result<Vec<Batch>, Failure> {
    let (rows, count) = run.extent((250, 50), (20_000, 1_000));
    let runtime = Runtime::new().map_err(Failure::internal)?;
    let mut random = SplitMix64::seed_from_u64(5);
    let mut tables = vec![Keys::new(); TABLES];
    for table in &mut tables {
        while table.len() < rows {
            let id = 1 + below(&mut random, USERS);
            table.extend((0..1 + below(&mut random, 50)).map(|_| row_of(id, &mut random)));
        }
    }
    let keys = tables.iter().flatten().cloned().collect();
    let questions = REQUESTS.tasks.iter().map(|(task, ..)| {
        let questions = (0..count).map(|_| question(task, &keys, &mut random));
        (*task, questions.collect::<Vec<_>>())
    });
    let questions: Vec<_> = questions.collect();
    let mut batches = Vec::new();
    for cache in ["filters", "nothing"] {
        for (contender, text) in (REQUESTS.contenders)() {
            run.progress.note(&format!("{text}, cached: {cache}"));
            let recorder = Arc::new(DefaultMetricsRecorder::new());
            let opened = runtime.block_on(async {
                let tables = tables.iter().map(|table| table.iter().map(Vec::as_slice));
                let builder = written(policies(contender), tables).await?;
                let builder = builder.with_metrics_recorder(recorder.clone());
                match cache {
                    "filters" => builder.with_db_cache(Arc::new(Kept::new(false)), 1),
                    _ => builder,
                }
                .build()
                .await
            });
            let db = opened.map_err(Failure::internal)?;
            // The first time, filters and indexes are read.
            for is_counted in [false, true] {
                for (task, questions) in &questions {
                    run.go_on()?;
                    let before = requests(&recorder);
                    for question in questions {
                        let rows = runtime.block_on(ask(&db, task, question));
                        let rows = (rows.map_err(Failure::internal)?, found(&keys, question));
                        if rows.0 != rows.1 {
                            let wrong = format!("{contender}, {task}: rows found and stored: {rows:?}");
                            return Err(Failure::Internal(wrong));
                        }
                    }
                    if is_counted {
                        let parameters: [&dyn Display; 4] =
                            [&crate::version("slatedb"), &cache, &TABLES, &rows];
                        let case = REQUESTS.case(contender, task, &parameters);
                        batches.push(case.batch(1, count, requests(&recorder) - before));
                    }
                }
            }
            runtime.block_on(db.close()).map_err(Failure::internal)?;
        }
    }
    Ok(batches)
}

#[cfg(test)]
mod tests {
    use terminal::progress::Silent;

    use super::*;

    #[test]
    fn filters_save_requests() {
        let run = Run {
            is_quick: true,
            progress: &Silent,
        };
        let rows = REQUESTS.rows(&measure(&run).unwrap()).unwrap();
        let saved = |task| {
            let of_task = rows.iter().filter(|row| row.case.task == task);
            let saved = of_task.filter(|row| row.case.get("cache") == "filters" && row.over_baseline() < 0.1);
            Vec::from_iter(saved.map(|row| &*row.case.contender))
        };
        for task in ["range", "hour"] {
            assert_eq!(
                saved(task),
                ["range-10", "range-16", "slatedb-10+range-10"],
                "{task}"
            );
        }
        assert_eq!(saved("prefix")[0], "slatedb-prefixes-10");
        assert_eq!(
            ["prefix", "get", "present"].map(|task| saved(task).len()),
            [4, 5, 0]
        );
    }
}
