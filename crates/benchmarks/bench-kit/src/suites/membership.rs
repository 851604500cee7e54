//! Inserts and lookups of Bloom filters for equal numbers of keys and equal rates, compared with Guava's.

use crate::suite::{Baseline, Suite};
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
        ("redisbloom", "RedisBloom's filter"),
        ("redisbloom-batch", "RedisBloom's filter, many at once"),
        ("bloom-c", "RedisBloom's bloom.c, transcribed"),
        ("fastbloom-default", "fastbloom"),
        // The hasher that fastbloom's documentation recommends for speed.
        ("fastbloom-foldhash", "fastbloom, foldhash"),
    ],
    tasks: &[
        ("put", "put", "ns"),
        ("absent", "absent keys", "ns"),
        ("present", "present keys", "ns"),
        ("false-positives", "rate", "false positives"),
    ],
    // `setup`: hash, seed, options of the virtual machine. `bits`: as requested; the name of the size.
    // `contents`: `keys`, as many as the filter is sized for; `random-words`, half of the bits set at random, and the keys.
    // `bit_size`: Guava's number, except for the blocked filter, which takes more for the same rate, and RedisBloom's, which
    // rounds otherwise.
    parameters: &["version", "setup", "bits", "insertions", "contents", "bit_size", "probes"],
    properties: &["version", "setup", "bit_size", "probes"],
    baseline: Baseline::Contender(&["guava"]),
    summary: Tables {
        title: "nanoseconds a key (over Guava's)",
        heading: |row| format!("{} bits for {} keys", row.case.get("bits"), row.case.get("insertions")),
        ..Tables::PLAIN
    },
};
