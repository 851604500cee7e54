//! Inserts and lookups of Bloom filters for equal numbers of keys and equal rates, compared with Guava's.

use crate::record::Row;
use crate::suite::Parameter::{Condition, Property};
use crate::suite::{Baseline, Suite, Task};
use crate::summary::Tables;

/// The suite.
#[rustfmt::skip]
pub const SUITE: Suite = Suite {
    rows: "membership",
    contenders: || vec![
        ("guava", "Guava"),
        ("ours", "membership-filters"),
        ("ours-batch", "membership-filters, many at once"),
        ("blocked", "blocked filter"),
        ("blocked-batch", "blocked filter, many at once"),
        ("redisbloom", "RedisBloomFilter"),
        ("redisbloom-batch", "RedisBloomFilter, many at once"),
        ("bloom-c", "RedisBloom's bloom.c, transcribed"),
        ("fastbloom-default", "fastbloom"),
        // The hasher that fastbloom's documentation recommends for speed.
        ("fastbloom-foldhash", "fastbloom, foldhash"),
    ],
    tasks: &[
        Task::timed("put", "put"),
        Task::timed("absent", "absent keys"),
        Task::timed("present", "present keys"),
        Task::counted("false-positives", "rate", "false positives"),
    ],
    parameters: &[
        Property("version"),
        // Hash, seed, options of the virtual machine.
        Property("setup"),
        // Requested bits; the name of the size.
        Condition("bits"),
        Condition("insertions"),
        // `keys`: as many as the filter is sized for; `random-words`: half of the bits set at random, and the keys.
        Condition("contents"),
        // Guava's number, except for the blocked filter, which takes more for the same rate.
        Property("bit_size"),
        Property("probes"),
    ],
    baseline: Baseline::Contender(&["guava"]),
    summary: Tables {
        title: "nanoseconds a key (over Guava's)",
        heading: |row| format!("{} bits for {} keys", row.case.get("bits"), row.case.get("insertions")),
        line: |row| SUITE.contender(row).to_owned(),
        column: |row| SUITE.task(row).to_owned(),
        after: over_bloom_c,
        ..Tables::PLAIN
    },
};

/// Returns a line for each time of RedisBloom's filter, with that of its own code over it.
fn over_bloom_c(rows: &[Row]) -> String {
    let times = rows.iter().filter(|row| row.unit == "ns");
    let own = times.clone().filter(|row| row.case.contender == "bloom-c");
    let lines = own.flat_map(|own| {
        let is_same =
            |row: &&Row| row.case.task == own.case.task && row.case.get("bits") == own.case.get("bits");
        let ours = times
            .clone()
            .filter(|row| row.case.contender.starts_with("redisbloom"))
            .filter(is_same);
        ours.map(|row| {
            let (name, task, bits) = (SUITE.contender(row), SUITE.task(row), row.case.get("bits"));
            format!(
                "bloom.c takes {:.1} times as long as {name}: {task}, {bits} bits\n",
                own.over_baseline() / row.over_baseline()
            )
        })
    });
    lines.fold("\n".to_owned(), |text, line| text + &line)
}
