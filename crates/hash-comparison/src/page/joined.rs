//! The page that compares several runs.

use minijinja::context;
use minijinja::value::{Serde, Value};

use crate::advice::joined::{Joined, RelativeTime, Side, Statement};
use crate::page::fill;
use crate::page::table::{Cell, Table};
use crate::record::CallForm;

/// The first line of the page, which protects other files from being overwritten.
pub const FIRST_LINE: &str = "<!-- Written by hash-comparison join; do not edit. -->";

/// Builds the page.
///
/// # Errors
///
/// If the template fails, which only a bug in the template can cause.
pub fn page(joined: &Joined) -> Result<String, String> {
    let (compared, differing) = joined.compared();
    let page = context! {
        first_line => FIRST_LINE,
        css => include_str!("style.css"),
        script => include_str!("script.js"),
        machines => Value::from(Serde(&joined.machines)),
        compared,
        differing => statements(joined, &differing),
        picks => statements(joined, &joined.picks.iter().collect::<Vec<_>>()),
        times => times(joined),
    };
    fill(include_str!("joined.html"), page)
}

/// Returns the name of a run in column heads.
fn letter(index: usize) -> String {
    format!("run {}", index + 1)
}

fn statements(joined: &Joined, all: &[&Statement]) -> Option<Table> {
    let mut table = Table::of(all)
        .column("Statement", |one| &one.what)
        .column("On all machines", |one| if one.holds() { "yes" } else { "no" });
    for (index, _) in joined.machines.iter().enumerate() {
        table = table.column(&letter(index), |one| {
            let value = one.values[index].as_deref();
            // The start of a checksum is enough to see that another checksum differs.
            value.map_or_else(
                || "not measured".to_owned(),
                |value| value.chars().take(32).collect(),
            )
        });
    }
    table.if_any()
}

fn times(joined: &Joined) -> Option<Table> {
    let ratio = |value: f64| Cell::sorted(format!("{value:.2}"), value);
    let calls = |one: &RelativeTime| match one.form {
        CallForm::Independent => "overlap",
        CallForm::Chained => "chained",
    };
    let mut table = Table::of(&joined.times)
        .column("Function", |one| &one.function)
        .column("Dataset", |one| &one.dataset)
        .column("Calls", |one| calls(one));
    for (index, _) in joined.machines.iter().enumerate() {
        table = table.column(&format!("#Ratio, {}", letter(index)), |one| {
            one.ratios.get(index).copied().map(ratio)
        });
    }
    table
        .column("#Spread", |one| ratio(one.spread))
        .column("On all machines", |one| match one.side {
            Side::Faster => "faster than the median",
            Side::Slower => "slower than the median",
            Side::Depends => "depends on the machine",
        })
        .if_any()
}
