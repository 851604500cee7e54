//! Queries and inserts of filters in Redis, over one connection, compared with `redis-benchmark`.

use crate::suite::{Baseline, Suite, Tables};

/// The suite.
#[rustfmt::skip]
pub const SUITE: Suite = Suite {
    rows: "redis",
    contenders: || vec![
        // One client and a command per bit.
        ("redis-benchmark", "redis-benchmark"),
        // `bloom-redis` with default options, over a blocking and over an asynchronous connection.
        ("blocking", "bloom-redis, blocking"),
        ("tokio", "bloom-redis, tokio"),
    ],
    // Half of the keys that are queried were inserted.
    tasks: &[("contains", "contains", "ns"), ("insert", "insert", "ns")],
    // Name and version of the server; bits of the filter; bits and keys of a round trip.
    parameters: &["version", "bits", "probes", "batch"],
    properties: &[],
    baseline: Baseline::Contender(&["redis-benchmark"]),
    summary: Tables {
        title: "ns/key (speed)",
        heading: |row| {
            let [bits, probes] = ["bits", "probes"].map(|column| row.case.get(column));
            format!("{}, {bits} bits, {probes} for each key; speed over redis-benchmark's", SUITE.task(row))
        },
        column: |_, row| format!("{} a trip", row.case.get("batch")),
        cell: |row, _| format!("{:.0} ({:.3})", row.value, 1.0 / row.over_baseline()),
        ..Tables::PLAIN
    },
};
