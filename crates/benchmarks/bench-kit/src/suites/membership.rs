//! Inserts and lookups of Bloom filters for equal numbers of keys and equal rates, compared with Guava's.

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
        ..Tables::PLAIN
    },
};
