//! Bits and times of filters of all kinds at the same false-positive rates.
//!
//! RocksDB takes 32 keys a call, as for `MultiGet`. Debian's library is built for every x86-64 processor, so it has no AVX2.

use filter_policy::{BloomFilter64Policy, policies};
use terminal::failure::Failure;
use terminal::number;
use terminal::number::grouped;

use super::policy::{self, Contender, Forms, Maker, Plan};
use super::rates::{policies_and, short};
use crate::keys::{self, Batched, KeyLengths};
use crate::record::{Batch, Row};
use crate::suite::{Baseline, Label, Suite, Tables};
use crate::turns::Run;

/// The contenders of other projects at equal rates.
const PEERS: [Label; 5] = [
    ("rocksdb", "RocksDB's Bloom"),
    ("rocksdb-ribbon", "RocksDB's Ribbon"),
    ("sbbf-rs", "sbbf-rs, XXH3"),
    ("fastbloom", "fastbloom, XXH3"),
    ("xorf", "xorf, XXH3"),
];

/// Every policy, and filters of other projects, at the same false-positive rates: bits and times.
#[rustfmt::skip]
pub const SUITE: Suite = Suite {
    rows: "policy",
    contenders: || policies_and(&PEERS),
    tasks: &[
        ("size", "size of a filter", "bytes"),
        ("rate", "absent keys that match", "false positives"),
        ("build", "build", "ns"),
        ("absent", "query, absent keys", "ns"),
        ("present", "query, present keys", "ns"),
        ("many", "query, absent keys, many a call", "ns"),
    ],
    parameters: &["version", "key_lengths", "filter_keys", "rate"],
    properties: &["version"],
    baseline: Baseline::Contender(&[BloomFilter64Policy::NAME]),
    // `crates/filters/filter-policy/WHICH.md` has three columns of this table, without present keys.
    summary: Tables {
        heading: |row| {
            // Keys of different lengths and each in its own memory, as applications have them, but for the largest filters.
            let is_large = row.case.count("filter_keys") > 1_000_000;
            let is_shown = is_large == (row.case.get("key_lengths") == "16");
            if is_shown && row.case.task == "size" && row.case.get("rate") == "0.01" { format!("at most {} %", 100.0 * row.case.number("rate")) } else { String::new() }
        },
        line: |suite, row| short(suite.contender(row)).to_owned(),
        column: |_, row| format!("{} keys", grouped(row.case.count("filter_keys"))),
        cell,
        is_markdown: true,
        ..Tables::PLAIN
    },
};

/// Formats the bits of a key and the times.
fn cell(size: &Row, rows: &[Row]) -> String {
    let time = |task| size.at(task, rows).map(|row| number::significant(row.value, 2));
    let times = ["build", "absent", "present", "many"].map(time);
    let times: Vec<String> = times.into_iter().flatten().collect();
    format!("{}: {}", number::fixed(size.value * 8.0, 1), times.join(" / "))
}

/// The rates that the filters must not exceed.
pub const RATES: [f64; 2] = [0.001, 0.01];
/// The keys of a filter.
const SIZES: [usize; 6] = [64, 3000, 12_850, 100_000, 1_000_000, 20_000_000];
/// Absent keys that are queried for a rate: at 0.1 % the statistical error is 3 % of the rate.
const QUERIES: usize = 1_000_000;

/// Returns what builds a contender's filters of so many keys with at most this rate; `None` if it cannot.
pub type MakerOf = dyn Fn(&str, usize, f64) -> Option<Box<dyn Maker>>;

/// Measures every contender.
///
/// # Errors
///
/// If the user requested a stop, or a filter denies stored keys.
pub fn measure(run: &Run<'_>, maker: &MakerOf) -> Result<Vec<Batch>, Failure> {
    let lengths = [KeyLengths::Urls, KeyLengths::Fixed];
    policy::each_size(run, &SIZES, &lengths, |plan| measure_size(run, maker, plan))
}

/// Measures filters of one size.
///
/// # Errors
///
/// Those of [`measure`].
pub fn measure_size(run: &Run<'_>, maker: &MakerOf, plan: Plan) -> Result<Vec<Batch>, Failure> {
    let Plan { size, lengths, .. } = plan;
    // All rates take turns, so that a slow moment of the machine slows all of them alike.
    let contenders = (SUITE.contenders)();
    let mut makers: Vec<Contender<(&str, f64)>> = Vec::new();
    for rate in RATES {
        let maker = |(name, _): &(&'static str, _)| Some(((*name, rate), maker(name, size, rate)?));
        makers.extend(contenders.iter().filter_map(maker));
    }
    let case = |(name, rate): &(&str, f64), version: &str, task: &str| {
        SUITE.case(name, task, &[&version, &lengths.name(), &size, rate])
    };
    let mut batches = Vec::new();
    let stored = keys::stored(size, lengths);
    let stored = stored.slices();
    let others = keys::random(run.extent(QUERIES / 10, QUERIES), 4, lengths);
    let others = others.slices();
    // Each of the filters that the keys fill is queried for its share of the others.
    let filled = stored.len() / size;
    let share = others.len() / filled;
    for (contender, maker) in &makers {
        let case = |task| case(contender, &maker.version(), task);
        let bytes = first(maker.builds(size, batched(&stored[..size])));
        batches.push(case("size").batch(1, size as u64, bytes));
        let filters = stored.chunks_exact(size).zip(others.chunks_exact(share));
        let mut matches = 0;
        for (stored, others) in filters {
            let present = &stored[..size.min(QUERIES / 10)];
            if first(maker.queries(stored, batched(present))) != present.len() as u64 {
                return Err(Failure::Internal(format!("{contender:?} denies stored keys")));
            }
            matches += first(maker.queries(stored, batched(others)));
        }
        batches.push(case("rate").batch(1, (filled * share) as u64, matches));
    }
    // A round of the largest filters takes a minute.
    let rounds = if size > 1_000_000 { 1 } else { plan.rounds };
    let plan = Plan { rounds, ..plan };
    let named = |contender: &(&str, f64), version: &str, task: &str, form: &str| {
        // Policies of this project answer single keys after preparing the filter.
        let is_ours = policies::listed(contender.0).is_some();
        let task = match form {
            "slices" if task == "absent" => "many",
            "slices" if task == "build" => task,
            "one-by-one" if !is_ours => task,
            "prepared" => task,
            _ => return None,
        };
        Some(case(contender, version, task))
    };
    batches.extend(policy::measure(run, &makers, plan, false, named)?);
    Ok(batches)
}

const fn batched<'a>(slices: &'a [&'a [u8]]) -> Batched<'a> {
    Batched { slices, arrays: None }
}

/// Runs the first of equal loops.
fn first(forms: Forms<'_>) -> u64 {
    forms.into_iter().next().map_or(0, |(_, mut run)| run())
}
