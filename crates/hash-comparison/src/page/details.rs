//! The tables of a dataset, and the facts on keys, machine and build.

use crate::page::answer::advice_head;
use crate::page::table::{Cell, Table};
use crate::questions::on_dataset::DatasetRows;
use crate::questions::{Place, TimingRow};
use crate::record::{CallForm, Choice, Run};
use crate::vocabulary;

/// Fewer false positives than this say little about a rate: their 95 % interval is wider than a third either way.
const FEW: u64 = 30;

/// Builds the table of results: the published layout (function, time, collisions, total) and further columns.
pub(super) fn results(data: &DatasetRows<'_>) -> Table {
    let keys = data.summary.keys;
    let rows = data.best_first().into_iter().map(|finding| {
        let name = finding.function.as_str();
        (finding, data.full_width(name), data.throughput(name))
    });
    let memory = |name: &str, form| {
        let row = data
            .about(&data.records.places, name)
            .find(|row| (row.place, row.form) == (Place::Memory, form));
        row.map(|row| row.median_ns_per_key)
    };
    let compared = |name: &str, choice| {
        let row = data
            .about(&data.records.occupancy, name)
            .find(|row| row.choice == choice);
        row.map(|row| row.hit)
    };
    let output_bits = |name: &str| {
        let mut functions = data.records.run.functions.iter();
        functions.find(|one| one.name == name).map(|one| one.output_bits)
    };
    let mut table = Table::of(rows)
        .column("Function", |(finding, ..)| &finding.function)
        .column("#All keys, ns", |(.., time)| time.map(|row| total_ns(row, keys)))
        .column("#Collisions", |(_, row, _)| row.map(|row| row.collisions))
        .column("#Keys", |_| keys)
        .column("#Expected", |(_, row, _)| row.map(|row| row.expected))
        .column("#Bits compared", |(_, row, _)| {
            row.map(|row| match output_bits(&row.function) {
                Some(all) if all > row.bits => {
                    Cell::sorted(format!("low {} of {all}", row.bits), f64::from(row.bits))
                }
                _ => row.bits.into(),
            })
        })
        .column("#ns per key", |(.., time)| time.map(|row| row.median_ns_per_key))
        .column("#± MAD", |(.., time)| time.map(|row| row.mad_ns_per_key))
        .column("#Chained, ns per key", |(finding, ..)| {
            data.chained(&finding.function).map(|row| row.median_ns_per_key)
        })
        .column("#Out of the cache, ns per key", |(finding, ..)| {
            memory(&finding.function, CallForm::Independent)
        })
        .column("#Out of the cache, chained", |(finding, ..)| {
            memory(&finding.function, CallForm::Chained)
        });
    for bits in [10, 15, 20] {
        table = table.column(&format!("#False positives, {bits} bits"), |(finding, ..)| {
            let row = data.false_positives(&finding.function, bits)?;
            Some(Cell::percent(row.rate).when(row.false_positives < FEW, "number few"))
        });
    }
    table
        .column("#Comparisons per look-up, low bits", |(finding, ..)| {
            compared(&finding.function, Choice::LowBits)
        })
        .column("#Comparisons per look-up, remainder", |(finding, ..)| {
            compared(&finding.function, Choice::Remainder)
        })
        .column("Tests", |(finding, ..)| finding.verdict)
        .column(&advice_head(data), |(finding, ..)| {
            data.advice(&finding.function).map(vocabulary::advice)
        })
        .done()
}

/// Returns the median per key times the number of keys: the published table has totals, but timing samples large sets.
fn total_ns(row: &TimingRow, keys: u64) -> u64 {
    libm::round(row.median_ns_per_key * keys as f64) as u64
}

/// Builds the table of recorded false-positive rates; `None` without rows.
pub(super) fn false_positives(data: &DatasetRows<'_>) -> Option<Table> {
    Table::of(data.rows(&data.records.false_positives))
        .column("Function", |row| &row.function)
        .column("#Bits per key", |row| row.bits_per_key)
        .column("#Keys", |row| row.keys)
        .column("#Absent keys probed", |row| row.probes)
        .column("#False positives", |row| row.false_positives)
        .column("#Rate", |row| Cell::percent(row.rate))
        .column("#95 % from", |row| Cell::percent(row.ci_low))
        .column("#to", |row| Cell::percent(row.ci_high))
        .column("#Raw bytes", |row| row.raw_bytes)
        .column("#Filter bytes", |row| row.filter_bytes)
        .column("#Saved", |row| Cell::percent(row.saved))
        .if_any()
}

pub(super) fn key_sets(run: &Run) -> Table {
    Table::of(&run.datasets)
        .column("Dataset", |set| &set.name)
        .column("Kind", |set| set.kind.to_string())
        .column("#Keys", |set| set.keys)
        .column("#Bytes", |set| set.bytes)
        .column("#Shortest", |set| set.min_len)
        .column("#Longest", |set| set.max_len)
        .column("#Mean length", |set| set.mean_len)
        .column("#Duplicates dropped", |set| set.duplicates_dropped)
        .column("Source", |set| Cell::classed(&set.source, "wide"))
        .column("SHA-256 of the newline-terminated keys", |set| {
            Cell::classed(&set.sha256, "digest")
        })
        .done()
}
