//! Queries and inserts of filters in Redis, over one connection, compared with `redis-benchmark`.

use records::terminal::table;

use crate::chart::Chart;
use crate::record::Row;
use crate::suite::{Baseline, Format, Suite, Task, condition};
use crate::summary::Tables;

/// The suite.
#[rustfmt::skip]
pub const SUITE: Suite = Suite {
    format: Format::new("redis-bench", 3, "redis"),
    contenders: &[
        // One client and a command per bit.
        ("redis-benchmark", "redis-benchmark"),
        // `bloom-redis` with default options, over a blocking and over an asynchronous connection.
        ("blocking", "bloom-redis, blocking"),
        ("tokio", "bloom-redis, tokio"),
        // Blocking; a missing filter counts as empty, as in the published programs. `getbit` is in earlier records.
        ("published", "as published, BITFIELD"),
        ("getbit", "as published, GETBIT, SETBIT"),
        ("script", "as published, script"),
        ("single", "a call for each key"),
        // A filter in the client's memory.
        ("local", "in local memory"),
        // The whole filter, compared with itself.
        ("download", "download"),
    ],
    tasks: &[
        // Half of the keys were inserted.
        Task::timed("contains", "contains"),
        Task::timed("insert", "insert"),
        Task::timed("download", "download"),
    ],
    // Name and version of the server; bits of the filter; bits and keys of a round trip.
    parameters: &[condition("version"), condition("bits"), condition("probes"), condition("batch")],
    baseline: Baseline::Contender(&["redis-benchmark", "download"]),
    summary: Tables {
        title: "ns/key (speed)",
        heading: |row| {
            if row.case.task == "download" {
                return String::new();
            }
            let [bits, probes] = ["bits", "probes"].map(|column| row.case.get(column));
            format!("{}, {bits} bits, {probes} for each key; speed over redis-benchmark's", SUITE.task(row))
        },
        line: |row| SUITE.contender(row).to_owned(),
        column: |row| format!("{} a trip", row.case.get("batch")),
        cell: |row, _| format!("{:.0} ({:.3})", row.value, 1.0 / row.over_baseline()),
        after: downloads,
        ..Tables::PLAIN
    },
    chart: Some(Chart {
        title: "Filters in Redis over one connection: time of a key over that of redis-benchmark's GETBIT and SETBIT",
        // Local memory and a small filter, which is read as a whole, are tens of times as fast.
        shown: |row, rows| row.case.contender != "local" && row.case.count("bits") == largest(rows),
        ..Chart::RATIOS
    }),
};

/// Formats a table of the downloads and the number of keys after which each pays.
fn downloads(rows: &[Row]) -> String {
    let mut downloads: Vec<&Row> = rows.iter().filter(|row| row.case.task == "download").collect();
    downloads.sort_by_key(|row| row.case.count("bits"));
    let lines = downloads.into_iter().map(|row| {
        let keys: Vec<String> = break_even(rows, row).map(|keys| format!("{keys:.0}")).collect();
        [
            row.case.get("bits").to_owned(),
            format!("{:.3}", row.value / 1e6),
            keys.join(", "),
        ]
    });
    let batches: Vec<&str> = asked(rows, "blocking").map(|row| row.case.get("batch")).collect();
    format!(
        "\ndownloading the filter and asking it here, against {} keys a round trip\n{}\n",
        batches.join(", "),
        table(["bits", "download, ms", "pays after keys"], &[0, 1, 2], lines)
    )
}

/// Returns the bits of the largest filter that was queried.
fn largest(rows: &[Row]) -> u64 {
    let asked = rows.iter().filter(|row| row.case.task == "contains");
    asked.map(|row| row.case.count("bits")).max().unwrap_or(0)
}

/// Returns a client's queries of the largest filter.
fn asked<'a>(rows: &'a [Row], client: &'static str) -> impl Iterator<Item = &'a Row> {
    let largest = largest(rows);
    rows.iter()
        .filter(move |row| row.is(client, "contains") && row.case.count("bits") == largest)
}

/// Computes when a download pays: for each number of keys per round trip that it replaces, the number of keys.
///
/// A download pays after d / (r - l) keys, where d is the time of the download, and r and l are the times per key on
/// the server with a blocking client and in local memory.
fn break_even(rows: &[Row], download: &Row) -> impl Iterator<Item = f64> {
    let local = asked(rows, "local").next().map_or(f64::INFINITY, |row| row.value);
    let remote = asked(rows, "blocking").filter(move |remote| remote.value > local);
    remote.map(move |remote| download.value / (remote.value - local))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_download_pays_when_its_time_is_saved() {
        let batch = |client, task, count: u64, ns| {
            let keys = if task == "download" { 1 } else { 100 };
            SUITE
                .case(client, task, &[&"redis", &9_585_088, &7, &keys])
                .batch(1, count, ns)
        };
        let batches = [
            batch("redis-benchmark", "contains", 1_000, 2_400_000),
            batch("blocking", "contains", 1_000, 1_500_000),
            batch("local", "contains", 1_000, 500_000),
            batch("download", "download", 1_000, 4_000_000_000),
        ];
        let rows = SUITE.rows(&batches).unwrap();
        // A download takes 4 ms, a key 1.5 us on the server and 0.5 us in memory.
        let even: Vec<f64> = break_even(&rows, &rows[3]).collect();
        assert_eq!(even, [4_000.0]);
        assert_eq!(break_even(&rows[..2], &rows[3]).count(), 0);
    }
}
