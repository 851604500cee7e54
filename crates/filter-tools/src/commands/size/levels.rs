//! The division of memory among the levels of a store.

use std::io;

use filter_formats::budget::{Level, Share, plan};
use filter_formats::sizing::Format;
use filter_policy::BitsPerKey;
use records::failure::Failure;
use records::number::{counted, grouped, readable, significant};
use records::terminal::{table, wrapped};
use serde::Serialize;

use super::numbers::count;
use super::{Arguments, share};
use crate::commands::print_json;
use crate::sizing::{Filter, Question};

/// Bits per key of the comparison if neither they nor the memory are given.
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
    if !all.is_some_and(|all| (1..=Question::MAX_KEYS).contains(&all)) {
        return Err(format!(
            "keys and filters must be at least 1, and at most {} keys in all, got {text:?}",
            grouped(Question::MAX_KEYS)
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

/// Equal bits per key for all levels, for comparison.
#[derive(Debug, Serialize)]
struct Everywhere {
    bits_per_key: f64,
    bytes: u64,
    needless_reads: f64,
}

#[derive(Debug, Serialize)]
struct Report {
    filter: &'static str,
    most_bytes: u64,
    bytes: u64,
    needless_reads: f64,
    levels: Vec<Row>,
    /// Absent if not even one bit per key fits everywhere.
    everywhere: Option<Everywhere>,
}

/// Computes and prints the division for each kind of filter that is configured by bits per key.
pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut filters = arguments.filter.clone();
    if filters.is_empty() {
        filters = vec![Filter::BloomFilter64, Filter::Ribbon];
    }
    if arguments.memory.is_some() && arguments.bits_per_key.is_some() {
        return Err(Failure::input(
            "the memory follows from the bits per key: give one of both",
        ));
    }
    let mut reports = Vec::new();
    for filter in filters {
        let format = filter.engine().ok_or_else(|| {
            Failure::input(format!(
                "{}: levels are divided by bits per key, and this filter is configured by its rate",
                filter.name()
            ))
        })?;
        reports.push(report(arguments, filter, format).map_err(Failure::input)?);
    }
    let mut out = io::stdout().lock();
    if arguments.json {
        return print_json(&mut out, &reports);
    }
    reports.iter().try_for_each(|report| write(&mut out, report))?;
    Ok(())
}

fn report(arguments: &Arguments, filter: Filter, format: Format) -> Result<Report, String> {
    let levels = &arguments.levels;
    let words = |error: filter_policy::Error| error.to_string();
    let bytes_at = |bits: f64| -> Result<u64, String> {
        let bits = BitsPerKey::fractional(bits).map_err(words)?;
        levels.iter().try_fold(0_u64, |sum, level| {
            let bytes = format.filter_bytes(level.keys, bits).map_err(words)?;
            Ok(sum.saturating_add(bytes.saturating_mul(level.filters)))
        })
    };
    let (most_bytes, equal) = match arguments.memory {
        Some(bytes) => {
            let bits = (10..=1_000).rev().map(|tenths| f64::from(tenths) / 10.0);
            let mut fitting = bits.filter(|&bits| bytes_at(bits).is_ok_and(|taken| taken <= bytes));
            (bytes, fitting.next())
        }
        None => {
            let bits = arguments.bits_per_key.unwrap_or(ASSUMED_BITS);
            (bytes_at(bits)?, Some(bits))
        }
    };
    let everywhere = equal.map(|bits_per_key| -> Result<Everywhere, String> {
        let bits = BitsPerKey::fractional(bits_per_key).map_err(words)?;
        let needless_reads = levels.iter().try_fold(0.0, |sum, level| {
            let rate = format.rate(level.keys, bits).map_err(words)?;
            Ok::<f64, String>(sum + level.reads * rate)
        })?;
        Ok(Everywhere {
            bits_per_key,
            bytes: bytes_at(bits_per_key)?,
            needless_reads,
        })
    });
    let plan = plan(format, levels, most_bytes).map_err(words)?;
    Ok(Report {
        filter: filter.name(),
        most_bytes,
        bytes: plan.bytes(),
        needless_reads: plan.needless(),
        levels: plan.shares.iter().map(Row::from).collect(),
        everywhere: everywhere.transpose()?,
    })
}

fn write(out: &mut impl io::Write, report: &Report) -> io::Result<()> {
    let most = counted(report.most_bytes, "byte");
    writeln!(
        out,
        "{}, at most {most} ({})\n",
        report.filter,
        readable(report.most_bytes)
    )?;
    let rows = report.levels.iter().map(|row| {
        [
            grouped(row.keys),
            grouped(row.filters),
            format!("{}", row.reads),
            row.bits_per_key
                .map_or_else(|| "no filter".to_owned(), |bits| format!("{bits:.1}")),
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
    if let Some(everywhere) = &report.everywhere {
        said.push_str(&format!(
            "; with {:.1} bits per key everywhere {} in {}",
            everywhere.bits_per_key,
            significant(everywhere.needless_reads, 4),
            counted(everywhere.bytes, "byte")
        ));
    }
    writeln!(out, "{}\n", wrapped(said))
}
