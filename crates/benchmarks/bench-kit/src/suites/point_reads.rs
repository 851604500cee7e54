//! The effect of filter policies on the point reads of storage engines.

use crate::suite::{Baseline, Suite};
use crate::summary::Tables;

/// The suite.
#[rustfmt::skip]
pub const SUITE: Suite = Suite {
    rows: "point_reads",
    contenders: || vec![
        ("none", "no filter"),
        // Filters as large as others, to which everything may match. They stand for "no filters" in an engine whose
        // tables would have another shape without filters.
        ("always-yes", "filters that say yes"),
        ("engine", "the engine's own"),
        ("ours-leveldb-hash", "ours, LevelDB's hash"),
        ("ours-bloomfilter2", "ours, BloomFilter2"),
        ("ours-fast-local", "ours, FastLocalBloom"),
        ("ours-split-blocks", "ours, split blocks"),
        // Denies every key without reading a filter: the lower bound for absent keys.
        ("always-no", "free and perfect"),
    ],
    tasks: &[
        ("absent", "absent keys, ns/Get", "ns"),
        ("present", "present keys, ns/Get", "ns"),
        ("absent-blocks", "blocks/Get", "blocks"),
        ("present-blocks", "blocks/Get", "blocks"),
    ],
    // `cache`: the contents of the block cache. With `nothing`, each block is read from the file, which is in the page
    // cache; `one-block` is for engines that need at least one.
    parameters: &["engine", "version", "cache", "entries"],
    properties: &[],
    baseline: Baseline::Contender(&["none", "always-yes"]),
    summary: Tables {
        title: "(over no filter)",
        heading: |row| {
            let [engine, version, cache] = ["engine", "version", "cache"].map(|column| row.case.get(column));
            format!("{engine} {version}, cached: {cache}")
        },
        ..Tables::PLAIN
    },
};
