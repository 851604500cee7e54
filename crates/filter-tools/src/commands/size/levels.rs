//! The division of memory among the levels of a store.

use std::io;

use filter_formats::budget::{Level, Share, plan};
use filter_policy::BitsPerKey;
use records::failure::Failure;
use records::number::{counted, grouped, readable, significant};
use records::terminal::{table, wrapped};
use serde::Serialize;

use super::{Arguments, count, kind, share};
use crate::commands::print_json;
use crate::sizing::{Kind, MAX_KEYS};

/// Bits per key of all levels if neither they nor the memory are given.
const ASSUMED_BITS: f64 = 10.0;
/// The most reads of a level.
const MOST_READS: f64 = 1e9;

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

/// A level in the JSON form.
#[derive(Debug, Serialize)]
struct Row {
    keys: u64,
    filters: u64,
    reads: f64,
    /// Absent if the level gets no filter.
    bits_per_key: Option<f64>,
    bytes: u64,
    rate: f64,
    needless_reads: f64,
}

impl From<&Share> for Row {
    fn from(share: &Share) -> Self {
        Self {
            keys: share.level.keys,
            filters: share.level.filters,
            reads: share.level.reads,
            bits_per_key: share.bits_per_key.map(BitsPerKey::get),
            bytes: share.bytes,
            rate: share.rate,
            needless_reads: share.needless(),
        }
    }
}

#[derive(Debug, Serialize)]
struct Report {
    filter: &'static str,
    most_bytes: u64,
    bytes: u64,
    needless_reads: f64,
    levels: Vec<Row>,
    /// The needless reads of equal bits per key everywhere, if they are the measure of the memory.
    needless_reads_of_equal_bits: Option<f64>,
}

/// Computes and prints the division for each kind of filter that is configured by bits per key.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let usual = || {
        ["bloom64", "ribbon"]
            .into_iter()
            .map(kind)
            .collect::<Result<_, _>>()
    };
    let kinds: Vec<Kind> = match &arguments.filter[..] {
        [] => usual().map_err(Failure::input)?,
        some => some.to_vec(),
    };
    let reports = kinds.into_iter().map(|kind| report(arguments, kind));
    let reports: Vec<Report> = reports.collect::<Result<_, _>>().map_err(Failure::input)?;
    let mut out = io::stdout().lock();
    if arguments.json {
        return print_json(&mut out, &reports);
    }
    reports.iter().try_for_each(|report| write(&mut out, report))?;
    Ok(())
}

fn report(arguments: &Arguments, kind: Kind) -> Result<Report, String> {
    let words = |error: filter_policy::Error| format!("{}: {error}", kind.name);
    let format = kind.format().ok_or_else(|| {
        let name = kind.name;
        format!("{name}: levels are divided by bits per key, and this filter is configured by its rate")
    })?;
    let (most_bytes, equal) = match arguments.memory {
        Some(bytes) => (bytes, None),
        None => {
            let bits = arguments.bits_per_key.unwrap_or(ASSUMED_BITS);
            let bits = BitsPerKey::fractional(bits).map_err(words)?;
            let (mut bytes, mut needless) = (0_u64, 0.0);
            for level in &arguments.levels {
                let one = format.filter_bytes(level.keys, bits).map_err(words)?;
                bytes = bytes.saturating_add(one.saturating_mul(level.filters));
                needless += level.reads * format.rate(level.keys, bits).map_err(words)?;
            }
            (bytes, Some(needless))
        }
    };
    let plan = plan(format, &arguments.levels, most_bytes).map_err(words)?;
    Ok(Report {
        filter: kind.name,
        most_bytes,
        bytes: plan.bytes(),
        needless_reads: plan.needless(),
        levels: plan.shares.iter().map(Row::from).collect(),
        needless_reads_of_equal_bits: equal,
    })
}

fn write(out: &mut impl io::Write, report: &Report) -> io::Result<()> {
    let most = counted(report.most_bytes, "byte");
    let readable = readable(report.most_bytes);
    writeln!(out, "{}, at most {most} ({readable})\n", report.filter)?;
    let rows = report.levels.iter().map(|row| {
        [
            grouped(row.keys),
            grouped(row.filters),
            row.reads.to_string(),
            row.bits_per_key
                .map_or_else(|| "no filter".to_owned(), |bits| format!("{bits:.2}")),
            grouped(row.bytes),
            share(row.rate),
            format!("{:.3e}", row.needless_reads),
        ]
    });
    let header = [
        "keys", "filters", "reads", "bits/key", "bytes", "rate", "needless",
    ];
    writeln!(out, "{}\n", table(header, &[0, 1, 2, 3, 4, 5, 6], rows))?;
    let mut said = format!(
        "needless reads for each read: {} in {}",
        significant(report.needless_reads, 4),
        counted(report.bytes, "byte")
    );
    if let Some(needless) = report.needless_reads_of_equal_bits {
        said.push_str(&format!(
            "; with equal bits per key everywhere {}",
            significant(needless, 4)
        ));
    }
    writeln!(out, "{}\n", wrapped(said))
}
