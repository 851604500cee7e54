//! The results of a run, formatted for the terminal.

use minijinja::value::{Serde, Value};
use records::number::counted;
use records::terminal::{labelled, table, wrapped};

use crate::advice::figures::{Basis, Figure, Figures};
use crate::advice::recommend::{Note, notes};
use crate::page::words::Words;
use crate::questions::Records;
use crate::record::{Advice, DatasetSummary, Standing, on};

/// The most functions to avoid that are named.
const MAX_AVOIDED: usize = 3;

/// Returns the recommendation for one dataset: the pick in the first line, then pick, runner-up and the function in use side by
/// side, then what else there is to know.
pub fn answer(records: &Records, dataset: &DatasetSummary) -> String {
    let words = Words::new();
    let request = &records.run.request;
    let advice: Vec<&Advice> = on(&records.advice, &dataset.name).collect();
    let of = |standing| advice.iter().copied().filter(move |one| one.standing == standing);
    let pick = of(Standing::Pick).next();
    let taken = match pick {
        Some(pick) => format!("take {}", pick.function),
        None => "nothing is recommended".to_owned(),
    };
    let dropped = match dataset.duplicates_dropped {
        0 => String::new(),
        dropped => format!(", {} dropped", counted(dropped, "duplicate")),
    };
    let heading = wrapped(format!(
        "{} ({}{dropped}): {taken}, for {}",
        dataset.name,
        counted(dataset.keys, "key"),
        words.say("asked", &[Value::from(Serde(request))]),
    ));
    let beside = advice.iter().copied();
    let beside = beside.filter(|one| one.mine || one.standing <= Standing::RunnerUp);
    let figures = Figures::of(records, dataset, request.purpose);
    let beside: Vec<&Advice> = beside.collect();
    let table = side_by_side(&words, &beside, &figures);

    let mut rows: Vec<[String; 2]> = Vec::new();
    let mut row = |label: &str, text: String| rows.push([label.to_owned(), text]);
    for one in beside.iter().filter(|one| one.mine) {
        row("yours", words.say("enough", &[Value::from(Serde(one))]));
    }
    let unstable = beside.iter().filter(|one| one.suits() && !one.stable);
    let unstable: Vec<&str> = unstable.map(|one| one.function.as_str()).collect();
    if !unstable.is_empty() {
        row(
            "in memory",
            format!("{}: values may change with a release", unstable.join(", ")),
        );
    }
    let ties = words.say("ties", &[Value::from(Serde(&advice))]);
    if !ties.is_empty() {
        row("tied", format!("{ties}: no measurable difference in time"));
    }
    let avoided = of(Standing::Avoid).map(|one| {
        let reason = words.say("reason_of", &[Value::from(Serde(one))]);
        format!("{} ({reason})", one.function)
    });
    let mut avoided: Vec<String> = avoided.collect();
    // Costliest first, which the longest list still shows.
    avoided.reverse();
    if let Some(more) = avoided.len().checked_sub(MAX_AVOIDED).filter(|more| *more > 0) {
        avoided.truncate(MAX_AVOIDED);
        avoided.push(format!("{more} more (in the report)"));
    }
    if !avoided.is_empty() {
        row("avoid", avoided.join(", "));
    }
    let notes: Vec<Note> = notes(dataset, request, pick.is_some());
    for note in notes {
        row("note", words.say("note_of", &[Value::from(Serde(note))]));
    }
    format!("{heading}\n{table}{}\n", labelled(rows))
}

/// Returns the table of these functions, with the figures that were counted; empty without functions.
fn side_by_side(words: &Words, functions: &[&Advice], figures: &Figures) -> String {
    if functions.is_empty() {
        return String::new();
    }
    let columns = figures.heads.iter().enumerate();
    let counted = columns.filter(|(_, head)| head.basis == Basis::Measured);
    let (columns, heads): (Vec<usize>, Vec<&Figure>) = counted.unzip();
    let heads = heads
        .into_iter()
        .map(|head| words.say("heading", &[Value::from(Serde(head))]));
    let heads = ["", "", "ns per key"].map(str::to_owned).into_iter().chain(heads);
    let row = |one: &&Advice| {
        let role = match one.standing {
            Standing::Pick if one.mine => "pick, yours",
            Standing::RunnerUp if one.mine => "runner-up, yours",
            Standing::Pick => "pick",
            Standing::RunnerUp => "runner-up",
            _ => "yours",
        };
        let cell = |column: &usize| {
            let figure = figures.functions.get(&one.function)?.cells[*column].as_ref()?;
            Some(words.say("beside", &[Value::from(Serde(figure))]))
        };
        let time = words.say("time_of", &[Value::from(Serde(one))]);
        let cells = columns.iter().map(|column| cell(column).unwrap_or_default());
        let cells = [role.to_owned(), one.function.clone(), time]
            .into_iter()
            .chain(cells);
        cells.collect::<Vec<String>>()
    };
    let rows: Vec<Vec<String>> = functions.iter().map(row).collect();
    let numbers: Vec<usize> = (2..3 + columns.len()).collect();
    table(heads.collect::<Vec<String>>(), &numbers, rows) + "\n"
}

/// Returns a sentence that says which times the recommendations use, and why.
pub fn time(records: &Records) -> String {
    let purpose = Value::from(Serde(records.run.request.purpose));
    let calls = Words::new().say("calls", &[purpose]);
    wrapped(format!("The times are of calls as this use makes them: {calls}."))
}

#[cfg(test)]
mod tests;
