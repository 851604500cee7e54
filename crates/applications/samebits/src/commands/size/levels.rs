//! The division of memory among the levels of a store.

use std::io;

use filter_policy::BitsPerKey;
use filter_policy::sizing::budget::{Allocation, Level, plan};
use filter_sets::StoredFormat;
use serde_json::json;
use terminal::failure::Failure;
use terminal::layout::{table, wrapped};
use terminal::number::{self, counted, grouped, significant};

use crate::commands::numbers::{count, share};
use crate::commands::{failure, print_json};
use crate::sizing::{MAX_KEYS, name, of_policy};

/// The most reads of a level.
const MOST_READS: f64 = 1e9;

/// The memory that is divided.
#[derive(Clone, Copy)]
pub(super) enum Budget {
    Bytes(u64),
    /// All levels together have the memory of this many bits per key.
    BitsPerKey(f64),
}

/// Parses `KEYS[xFILTERS][:READS]`.
pub(super) fn level(text: &str) -> Result<Level, String> {
    let (size, reads) = text.split_once(':').unwrap_or((text, "1"));
    let (keys, filters) = size.split_once('x').unwrap_or((size, "1"));
    let level = Level {
        keys: count(keys)?,
        filters: count(filters)?,
        reads: reads
            .parse()
            .ok()
            .filter(|reads| (0.0..=MOST_READS).contains(reads))
            .ok_or_else(|| format!("reads must be a number of 0 to 1,000,000,000, got {reads:?}"))?,
    };
    let all = level.keys.checked_mul(level.filters);
    if !all.is_some_and(|all| (1..=MAX_KEYS).contains(&all)) {
        return Err(format!(
            "keys and filters must be at least 1, and at most {} keys in all, got {text:?}",
            grouped(MAX_KEYS)
        ));
    }
    Ok(level)
}

/// Computes and prints the division for each format that is configured by bits per key.
pub(super) fn run(
    levels: &[Level],
    budget: Budget,
    formats: &[StoredFormat],
    json: bool,
) -> Result<(), Failure> {
    let usual = || -> Result<_, _> {
        ["bloom64", "ribbon"]
            .map(StoredFormat::named)
            .into_iter()
            .collect()
    };
    let formats: Vec<StoredFormat> = match formats {
        [] => usual().map_err(failure)?,
        some => some.to_vec(),
    };
    let mut out = io::stdout().lock();
    let mut reports = Vec::new();
    for format in formats {
        let (most, equal, plan) = divided(levels, budget, &format)?;
        if json {
            reports.push(json!({
                "filter": name(&format),
                "most_bytes": most,
                "bytes": plan.memory_bytes(),
                "needless_reads": plan.needless(),
                "levels": plan.shares.iter().map(|share| json!({
                    "keys": share.level.keys,
                    "filters": share.level.filters,
                    "reads": share.level.reads,
                    "bits_per_key": share.bits_per_key.map(BitsPerKey::get),
                    "bytes": share.memory_bytes,
                    "rate": share.rate,
                    "needless_reads": share.needless(),
                })).collect::<Vec<_>>(),
                "needless_reads_of_equal_bits": equal,
            }));
        } else {
            write(&mut out, name(&format), most, equal, &plan)?;
        }
    }
    if json {
        print_json(&mut out, &reports)?;
    }
    Ok(())
}

/// Returns the memory, the needless reads of equal bits per key if these are the measure of it, and the division.
fn divided(
    levels: &[Level],
    budget: Budget,
    format: &StoredFormat,
) -> Result<(u64, Option<f64>, Allocation), Failure> {
    let name = name(format);
    let wrong = |error: filter_policy::Error| Failure::input(format_args!("{name}: {error}"));
    let format = of_policy(format).ok_or_else(|| {
        let reason = "levels are divided by bits per key, and this filter is configured by its rate";
        Failure::input(format_args!("{name}: {reason}"))
    })?;
    let (most, equal) = match budget {
        Budget::Bytes(bytes) => (bytes, None),
        Budget::BitsPerKey(bits) => {
            let bits = BitsPerKey::fractional(bits).map_err(wrong)?;
            let (mut bytes, mut needless) = (0_u64, 0.0);
            for level in levels {
                let one = format.filter_len(level.keys, bits).map_err(wrong)?;
                bytes = bytes.saturating_add(one.saturating_mul(level.filters));
                needless += level.reads * format.expected_rate(level.keys, bits).map_err(wrong)?;
            }
            (bytes, Some(needless))
        }
    };
    Ok((most, equal, plan(format, levels, most).map_err(wrong)?))
}

fn write(
    out: &mut impl io::Write,
    name: &str,
    most: u64,
    equal: Option<f64>,
    plan: &Allocation,
) -> io::Result<()> {
    writeln!(
        out,
        "{name}, at most {} ({})\n",
        counted(most, "byte"),
        number::bytes(most)
    )?;
    let bits = |bits: BitsPerKey| format!("{:.2}", bits.get());
    let rows = plan.shares.iter().map(|one| {
        [
            grouped(one.level.keys),
            grouped(one.level.filters),
            one.level.reads.to_string(),
            one.bits_per_key.map_or_else(|| "no filter".to_owned(), bits),
            grouped(one.memory_bytes),
            share(one.rate),
            format!("{:.3e}", one.needless()),
        ]
    });
    let header = [
        "keys", "filters", "reads", "bits/key", "bytes", "rate", "needless",
    ];
    writeln!(out, "{}\n", table(header, &[0, 1, 2, 3, 4, 5, 6], rows))?;
    let (needless, bytes) = (
        significant(plan.needless(), 4),
        counted(plan.memory_bytes(), "byte"),
    );
    let equal = equal.map(|needless| significant(needless, 4));
    let equal = equal.map_or_else(String::new, |equal| {
        format!("; with equal bits per key everywhere {equal}")
    });
    writeln!(
        out,
        "{}\n",
        wrapped(format!(
            "needless reads for each read: {needless} in {bytes}{equal}"
        ))
    )
}
