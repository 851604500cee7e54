//! The section on an earlier run.

use minijinja::context;
use minijinja::value::Value;

use crate::advice::baseline::words;
use crate::page::table::{Cell, Table};
use crate::record::Baseline;

/// Builds the section; its table lists only the differences that the record keeps.
pub(super) fn section(baseline: &Baseline) -> Value {
    context! {
        folder => &baseline.folder,
        date => &baseline.date,
        command => &baseline.command,
        sentences => words::sentences(baseline),
        differences => differences(baseline),
        times => times(baseline),
    }
}

fn differences(baseline: &Baseline) -> Option<Table> {
    Table::of(&baseline.differences)
        .column("File", |one| &one.file)
        .column("Dataset", |one| &one.dataset)
        .column("Function", |one| &one.function)
        .column("Row", |one| &one.question)
        .column("Column", |one| &one.column)
        .column("Before", |one| &one.before)
        .column("Now", |one| &one.now)
        .if_any()
}

fn times(baseline: &Baseline) -> Option<Table> {
    let ratio = |ratio: f64| Cell::sorted(format!("{ratio:.3}"), ratio);
    Table::of(&baseline.times.as_ref()?.rows)
        .column("Function", |row| &row.function)
        .column("Dataset", |row| &row.dataset)
        .column("Calls", |row| row.form.to_string())
        .column("#Before, ns per key", |row| row.before_ns)
        .column("#± MAD", |row| row.before_mad_ns)
        .column("#Now, ns per key", |row| row.now_ns)
        .column("#± MAD", |row| row.now_mad_ns)
        .column("#Ratio, corrected for the machine", |row| ratio(row.ratio))
        .column("#Threshold", |row| ratio(row.threshold))
        .column("Changed", |row| match (row.changed, row.ratio > 1.0) {
            (false, _) => "no difference beyond noise",
            (true, true) => "slower",
            (true, false) => "faster",
        })
        .if_any()
}
