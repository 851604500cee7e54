//! False-positive rates of every policy and filter, compared with an ideal filter's, by bits per key and by the number
//! of keys. No time is measured.

use filter_policy::formats;
use terminal::number::grouped;

use crate::suite::{Baseline, Label, Suite};
use crate::summary::Tables;

/// The series of an ideal hash.
pub const IDEAL: &str = "ideal hash";

/// Bits per key at all sizes.
pub const FEW_BITS: [u32; 3] = [10, 15, 20];

/// The series that are no policies.
const OTHERS: [Label; 5] = [
    (IDEAL, "ideal hash of 32 bits"),
    ("Guava, MITZ_64", "Guava, MITZ_64"),
    ("Guava, MITZ_32", "Guava, MITZ_32"),
    ("cuckoo", "cuckoo"),
    ("redisbloom", "RedisBloom"),
];

/// Returns the names of all policies, then the others.
pub(super) fn policies_and(others: &[Label]) -> Vec<Label> {
    let policies = formats::ALL.iter().map(|policy| (policy.name(), policy.name()));
    policies.chain(others.iter().copied()).collect()
}

/// The suite. A contender is a policy, a filter, or an ideal hash in LevelDB's scheme.
#[rustfmt::skip]
pub const SUITE: Suite = Suite {
    rows: "rates",
    contenders: || policies_and(&OTHERS),
    tasks: &[("rate", "rate", "false positives")],
    // `bits_per_key`: filters that are sized by a rate get the lowest rate that b bits allow, e^(-b (ln 2)^2).
    // `filters`: filters built, each from its own keys.
    // `ideal`: the exact rate of an ideal Bloom filter with the same bits, probes and keys: an ideal hash and independent
    // probes. Ribbon, binary fuse and cuckoo filters, which are not one probed array, are compared with the best ideal
    // Bloom filter of `bits_per_key`.
    // `expected`: the rate by the filter's own formula; for Guava's, RedisBloom's and the legacy filter the ideal rate.
    // `bytes`: mean bytes of a stored filter.
    parameters: &["bits_per_key", "keys", "filters", "ideal", "expected", "bytes"],
    properties: &["filters", "ideal", "expected", "bytes"],
    baseline: Baseline::Column("ideal"),
    summary: Tables {
        title: "over an ideal filter",
        heading: |row| {
            let [bits, keys] = ["bits_per_key", "keys"].map(|column| row.case.count(column));
            let is_shown = FEW_BITS.map(u64::from).contains(&bits) && SHOWN.contains(&keys);
            if is_shown { format!("{bits} bits per key, by keys of a filter") } else { String::new() }
        },
        line: |suite, row| short(suite.contender(row)).to_owned(),
        column: |_, row| grouped(row.case.count("keys")),
        cell: |row, _| format!("{:.2}", row.over_baseline()),
        after: |_| "\nFalse positives over those of an ideal filter. Rates are in rates.csv.\n".to_owned(),
        ..Tables::PLAIN
    },
};

/// The keys of filters that the tables show.
const SHOWN: [u64; 6] = [100, 1_000, 10_000, 100_000, 1_000_000, 20_000_000];

/// Returns a policy's name without the engine's.
pub fn short(policy: &str) -> &str {
    let mut engines = ["rocksdb.internal.", "leveldb."].into_iter();
    engines
        .find_map(|engine| policy.strip_prefix(engine))
        .unwrap_or(policy)
}
