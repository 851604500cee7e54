//! The results of a run, formatted for the terminal.

use records::number::{counted, significant};
use records::terminal::{labelled, wrapped};

use crate::advice::recommend::words as recommended;
use crate::questions::Records;
use crate::record::{Advice, DatasetSummary, Recommendation, Standing};

/// The most functions to avoid that are named.
const SHOWN: usize = 3;

/// Returns the recommendation for one dataset: the pick in the first line, then the reasons and alternatives.
pub fn answer(records: &Records, told: &Recommendation) -> String {
    let set = records.run.datasets.iter().find(|set| set.name == told.dataset);
    let dropped = |set: &DatasetSummary| match set.duplicates_dropped {
        0 => String::new(),
        dropped => format!(", {} dropped", counted(dropped, "duplicate")),
    };
    let keys = set.map_or_else(String::new, |set| {
        format!(" ({}{})", counted(set.keys, "key"), dropped(set))
    });
    let ns = |one: &Advice| {
        one.time.map_or_else(String::new, |time| {
            format!(", {} ns per key", significant(time.ns, 2))
        })
    };
    let in_memory = |one: &Advice| match one.stable {
        true => "",
        false => " (in memory only: its values may change with a release)",
    };
    let pick = match told.pick() {
        Some(pick) => format!("take {}{}{}", pick.function, ns(pick), in_memory(pick)),
        None => "nothing is recommended".to_owned(),
    };
    let heading = wrapped(format!(
        "{}{keys}: {pick}, for {}",
        told.dataset,
        recommended::asked(told)
    ));
    let mut rows: Vec<[String; 2]> = Vec::new();
    for one in told.standing(Standing::RunnerUp) {
        rows.push([
            "runner-up".to_owned(),
            format!("{}{}: {}{}", one.function, ns(one), one.reason, in_memory(one)),
        ]);
    }
    if let Some(mine) = &told.mine {
        rows.push(["yours".to_owned(), mine.words.clone()]);
    }
    let avoid = told.standing(Standing::Avoid);
    let mut avoid: Vec<String> = avoid
        .map(|one| format!("{} ({})", one.function, one.reason))
        .collect();
    // Costliest first, which the longest list still shows.
    avoid.reverse();
    if let Some(more) = avoid.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        avoid.truncate(SHOWN);
        avoid.push(format!("{more} more (in the report)"));
    }
    if !avoid.is_empty() {
        rows.push(["avoid".to_owned(), avoid.join(", ")]);
    }
    if !told.too_few_keys
        && let Some(collisions) = recommended::collisions(records, told)
    {
        rows.push(["collisions".to_owned(), collisions]);
    }
    let notes = told.attackers.iter().chain(&told.notes);
    rows.extend(notes.map(|note| ["note".to_owned(), note.clone()]));
    format!("{heading}\n{}\n", labelled(rows))
}

/// Returns a sentence that says which times the recommendations use, and why.
pub fn time(told: &Recommendation) -> String {
    wrapped(format!(
        "The times are of calls as this use makes them: {}.",
        told.form_reason
    ))
}

#[cfg(test)]
mod tests;
