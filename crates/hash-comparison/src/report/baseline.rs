//! The section on an earlier run.

use serde::Serialize;

use super::table::{Cell, Table};
use crate::judge::baseline::words;
use crate::record::Baseline;
use plots::scene::printable;

/// What the section shows.
#[derive(Serialize)]
pub(super) struct AgainstBaseline {
    folder: String,
    date: String,
    command: String,
    sentences: Vec<String>,
    /// Those kept one by one.
    differences: Option<Table>,
    times: Option<Table>,
}

pub(super) fn section(baseline: &Baseline) -> AgainstBaseline {
    AgainstBaseline {
        folder: printable(&baseline.folder),
        date: printable(&baseline.date),
        command: printable(&baseline.command),
        sentences: words::sentences(baseline)
            .iter()
            .map(|line| printable(line))
            .collect(),
        differences: (!baseline.differences.is_empty()).then(|| differences(baseline)),
        times: times(baseline),
    }
}

fn differences(baseline: &Baseline) -> Table {
    let mut table = Table::new(["File", "Dataset", "Function", "Row", "Column", "Before", "Now"]);
    for one in &baseline.differences {
        let texts = [
            &one.file,
            &one.dataset,
            &one.function,
            &one.question,
            &one.column,
            &one.before,
            &one.now,
        ];
        table.push(texts.map(|text| Cell::text(text)).to_vec());
    }
    table
}

fn times(baseline: &Baseline) -> Option<Table> {
    let times = baseline.times.as_ref().filter(|times| !times.rows.is_empty())?;
    let mut table = Table::new([
        "Function",
        "Dataset",
        "Calls",
        "#Before, ns per key",
        "#± MAD",
        "#Now, ns per key",
        "#± MAD",
        "#Ratio, the machine's drift taken out",
        "#Told from",
        "Changed",
    ]);
    for row in &times.rows {
        table.push(vec![
            Cell::text(&row.function),
            Cell::text(&row.dataset),
            Cell::text(row.form.word()),
            Cell::number(row.before_ns),
            Cell::number(row.before_mad_ns),
            Cell::number(row.now_ns),
            Cell::number(row.now_mad_ns),
            Cell::sorted(format!("{:.3}", row.ratio), row.ratio),
            Cell::sorted(format!("{:.3}", row.threshold), row.threshold),
            Cell::text(match (row.changed, row.ratio > 1.0) {
                (false, _) => "no difference beyond noise",
                (true, true) => "slower",
                (true, false) => "faster",
            }),
        ]);
    }
    Some(table)
}
