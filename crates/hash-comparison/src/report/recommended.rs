//! The section on what to take: the whole short list, and why the others are left out.

use minijinja::context;
use minijinja::value::Value;

use super::table::{Cell, Table};
use crate::judge::recommend::words;
use crate::record::{Candidate, Interval, Recommendation, Run};
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
        list => list(told),
        mine => told.mine.as_ref().map(|mine| printable(&mine.words)),
        notes => told.notes.iter().map(|note| printable(note)).collect::<Value>(),
        excluded => excluded(told),
    }
}

fn list(told: &Recommendation) -> Option<Table> {
    told.short_list.first()?;
    let listed = told
        .short_list
        .iter()
        .map(|one| (&one.function, one.rank, Some(one)));
    let more = told.more.iter().map(|one| (&one.function, one.rank, None));
    let time = |one: Option<&Candidate>, ns: fn(Interval) -> f64| Some(ns(one?.time?));
    Table::of(listed.chain(more))
        .column("Function", |&(name, ..)| name)
        .column("#Rank", |&(_, rank, _)| rank)
        .column("#ns per key", |&(.., one)| time(one, |time| time.ns))
        .column("#from", |&(.., one)| time(one, |time| time.low_ns))
        .column("#to", |&(.., one)| time(one, |time| time.high_ns))
        .column("Why", |(.., one)| {
            one.map(|one| Cell::classed(&one.reasons.join("; "), "wide"))
        })
        .if_any()
}

fn excluded(told: &Recommendation) -> Option<Table> {
    let rows = told.excluded.iter();
    Table::of(rows.flat_map(|group| group.functions.iter().map(move |one| (one, group.ground))))
        .column("Function", |(one, _)| &one.function)
        .column("Left out because", |(_, ground)| words::ground(*ground))
        .column("What was seen, or is known", |(one, _)| {
            Cell::classed(&one.reason, "wide")
        })
        .if_any()
}
