//! The section on what to take: the whole short list, and why the others are left out.

use minijinja::context;
use minijinja::value::Value;

use super::table::{Cell, Table};
use crate::judge::recommend::words;
use crate::record::{Advice, Interval, Recommendation, Run, Standing};
use plots::scene::printable;

/// What the section shows; `None` in runs that recommend nothing.
pub(super) fn section(run: &Run) -> Option<Value> {
    let first = run.recommendations.first()?;
    Some(context! {
        criteria => words::criteria(first.purpose),
        datasets => run.recommendations.iter().map(of_dataset).collect::<Value>(),
    })
}

fn of_dataset(told: &Recommendation) -> Value {
    context! {
        name => printable(&told.dataset),
        asked => words::asked(told),
        list => table(told.suited()),
        mine => told.mine.as_ref().map(|mine| printable(&mine.words)),
        notes => told.attackers.iter().chain(&told.notes).map(|note| printable(note)).collect::<Value>(),
        excluded => table(told.functions.iter().filter(|one| one.standing > Standing::Suited)),
    }
}

fn table<'a>(functions: impl Iterator<Item = &'a Advice>) -> Option<Table> {
    let time = |one: &Advice, ns: fn(Interval) -> f64| Some(ns(one.time?));
    Table::of(functions)
        .column("Function", |one| &one.function)
        .column("#Rank", |one| (one.rank > 0).then_some(one.rank))
        .column("#ns per key", |one| time(one, |time| time.ns))
        .column("Reason", |one| &one.reason)
        .column("In figures", |one| Cell::classed(&one.why.join("; "), "wide"))
        .if_any()
}
