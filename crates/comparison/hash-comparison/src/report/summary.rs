//! The results of a run, formatted for the terminal.

use terminal::layout::{labelled, table, width, wrapped};
use terminal::number::{counted, significant};

use crate::advice::figures::{Basis, Figure, Figures};
use crate::advice::gains;
use crate::advice::over_sets::{over_sets, suited};
use crate::advice::times;
use crate::advice::{Note, notes};
use crate::name_errors::listed;
use crate::page::wording::Wording;
use crate::questions::Records;
use crate::questions::times::of_empty_keys;
use crate::record::{Advice, DatasetSummary, Effect, FunctionGroup, FunctionSummary, Standing, on};

/// The most columns of figures: more do not fit into a line.
const MAX_FIGURES: usize = 4;

/// The most functions that are shown over all key sets.
const MAX_OVER_SETS: usize = 3;

/// Returns the recommendation for each dataset, the best functions over all of them, and one note: the page has all.
pub fn of(records: &Records) -> String {
    let sets = records.run.datasets.iter();
    let mut text: String = sets.map(|dataset| answer(records, dataset)).collect();
    let words = Wording::new();
    if let Some(sentence) = over_all(records) {
        text += &format!("{}\n", wrapped(sentence));
    }
    let mut all = all_notes(records, &words);
    if !all.is_empty() {
        let more = if all.len() > 1 {
            " More notes are in the report."
        } else {
            ""
        };
        text += &format!("{}\n", wrapped(format!("{}{more}", all.swap_remove(0))));
    }
    text
}

/// Returns the best functions over several key sets.
fn over_all(records: &Records) -> Option<String> {
    let run = &records.run;
    let names: Vec<&str> = run.datasets.iter().map(|set| &*set.name).collect();
    if names.len() < 2 {
        return None;
    }
    let best = over_sets(names.iter().map(|set| suited(on(&records.advice, set))));
    let best = best.into_iter().take(MAX_OVER_SETS).map(|row| {
        let on_some = match row.sets == names.len() {
            true => String::new(),
            false => format!(" (suits on {} of {})", row.sets, names.len()),
        };
        format!("{} {}{on_some}", row.function, significant(row.ratio, 3))
    });
    let best: Vec<String> = best.collect();
    if best.is_empty() {
        return None;
    }
    Some(format!(
        "Over all key sets, times over the fastest: {}.",
        best.join(", ")
    ))
}

/// Returns what else there is to know, the weightiest first: what the answer assumes, why times may be wrong, and what holds for one
/// function.
fn all_notes(records: &Records, words: &Wording) -> Vec<String> {
    let run = &records.run;
    let (mut first, mut last, mut unlucky) = (Vec::<String>::new(), Vec::new(), Vec::new());
    for dataset in &run.datasets {
        let advice: Vec<Advice> = on(&records.advice, &dataset.name).cloned().collect();
        for note in notes(records, dataset, &run.request, &advice) {
            let place = match note {
                Note::UnluckySize(_) => {
                    unlucky.push(note);
                    continue;
                }
                Note::LinearProbing { .. } => &mut last,
                _ => &mut first,
            };
            // Notes on a function are those of any key set.
            let about = match (&note, run.datasets.len()) {
                (_, 1) | (Note::Integers { .. } | Note::FewerBits(_) | Note::SecretKey { .. }, _) => {
                    String::new()
                }
                _ => format!("{}: ", dataset.name),
            };
            let name = match note {
                Note::Integers { .. } => "integers",
                _ => "warning_of",
            };
            let sentence = format!("{about}{}", words.say(name, (note,)));
            if !place.contains(&sentence) {
                place.push(sentence);
            }
        }
    }
    first.extend(times::warning(records));
    if !unlucky.is_empty() {
        last.push(words.say("unlucky", (unlucky,)));
    }
    let is_shown = |one: &&FunctionSummary| {
        let mut advice = records.advice.iter().filter(|row| row.function == one.name);
        advice.any(|row| row.is_recommended() || row.mine && row.suits()) && !one.stable
    };
    for (changes, how) in [
        (false, "may change with a release"),
        (true, "change from process to process"),
    ] {
        let shown = run.functions.iter().filter(is_shown);
        let unstable = shown.filter(|one| one.changes == changes).map(|one| &*one.name);
        let unstable: Vec<&str> = unstable.collect();
        if !unstable.is_empty() {
            last.push(format!(
                "In memory only: values of {} {how}.",
                listed(&unstable, "and")
            ));
        }
    }
    last.extend(run.functions.iter().filter_map(|one| of_empty_keys(records, one)));
    first.into_iter().chain(last).collect()
}

/// Returns the recommendation for one dataset: the pick in the first line, then pick, runner-up and the function in use side by
/// side with the figures that decide, and the function to avoid most.
fn answer(records: &Records, dataset: &DatasetSummary) -> String {
    let words = Wording::new();
    let request = &records.run.request;
    let advice: Vec<Advice> = on(&records.advice, &dataset.name).cloned().collect();
    let of = |standing| advice.iter().filter(move |one| one.standing == standing);
    let pick = of(Standing::Pick).next();
    let taken = match pick {
        Some(pick) => format!("take {}", pick.function),
        None => "nothing is recommended".to_owned(),
    };
    let dropped = match dataset.duplicates_dropped {
        0 => String::new(),
        dropped => format!(", {} dropped", counted(dropped, "duplicate")),
    };
    let form = request.purpose.form();
    let changed = request.mine.as_ref().zip(pick);
    let gain = changed.and_then(|(mine, pick)| {
        let gain = gains::of(records, &[&dataset.name], form, [mine, &pick.function])?;
        Some(format!(", {}", words.say("gain_shortly", (gain,))))
    });
    // The request is that of all key sets.
    let is_first = records.run.datasets.first().map(|first| &first.name) == Some(&dataset.name);
    let requested = is_first.then(|| format!(", for {}", words.say("requested", (request,))));
    let heading = wrapped(format!(
        "{} ({}{dropped}): {taken}{}{}",
        dataset.name,
        counted(dataset.keys, "key"),
        gain.unwrap_or_default(),
        requested.unwrap_or_default(),
    ));
    let beside = advice.iter().filter(|one| is_beside(records, one));
    let figures = Figures::of(records, dataset, request.purpose.parts());
    let beside: Vec<&Advice> = beside.collect();
    let table = side_by_side(&words, &beside, &figures, dataset.keys);

    let parts = |one: &Advice| {
        figures
            .functions
            .get(&one.function)
            .map_or(&[][..], |of| &of.parts)
    };
    let mut rows: Vec<[String; 2]> = Vec::new();
    for one in beside.iter().filter(|one| one.mine) {
        let enough = ["enough", "of_filters"].map(|name| words.say(name, (one, parts(one))));
        rows.push(["verdict".to_owned(), enough.join(" ").trim().to_owned()]);
    }
    // The costliest comes last. What is good enough for some parts is not to be avoided.
    let is_bad = |one: &&Advice| words.say("bad_part", (parts(one),)).is_empty();
    let avoided: Vec<&Advice> = of(Standing::Avoid).filter(is_bad).collect();
    if let Some((worst, others)) = avoided.split_last() {
        let others = match others.len() {
            0 => String::new(),
            count => format!(", {count} more"),
        };
        let reason = words.say("shortly", (worst,));
        rows.push([
            "avoid".to_owned(),
            format!("{} ({reason}){others}", worst.function),
        ]);
    }
    let rows = if rows.is_empty() {
        String::new()
    } else {
        labelled(rows) + "\n"
    };
    format!("{heading}\n{table}{rows}")
}

/// Returns true for a function that is shown side by side with others: it is recommended, in use, or brought by the user.
fn is_beside(records: &Records, one: &Advice) -> bool {
    let mut own = records.run.functions.iter();
    let is_own = own.any(|other| other.group == FunctionGroup::Own && other.name == one.function);
    one.mine || one.is_recommended() || is_own
}

/// Returns the table of these functions, with the figures that were counted; empty without functions.
fn side_by_side(words: &Wording, functions: &[&Advice], figures: &Figures, keys: u64) -> String {
    if functions.is_empty() {
        return String::new();
    }
    // The part in which a function costs most decides on it.
    let decides = |index: usize| {
        functions.iter().any(|one| {
            let all = figures.functions.get(&one.function).into_iter();
            let worse = all.flat_map(|of| of.cells.iter().enumerate());
            let worse = worse.filter_map(|(index, cell)| Some((index, cell.as_ref()?)));
            let worse =
                worse.filter(|(_, cell)| cell.effect > Effect::WithinChance && cell.row.purpose.is_some());
            let worst = worse.max_by(|(_, a), (_, b)| a.row.cost.total_cmp(&b.row.cost));
            worst.is_some_and(|(at, _)| at == index)
        })
    };
    let columns = figures.heads.iter().enumerate().filter(|(index, head)| {
        // Another choice of places is shown only where it decides.
        let is_same =
            |other: &Figure| (other.row.purpose, other.basis) == (head.row.purpose, Basis::Measured);
        let is_first = !figures.heads[..*index].iter().any(is_same);
        head.basis == Basis::Measured && (is_first || decides(*index))
    });
    let mut columns: Vec<(usize, &Figure)> = columns.take(MAX_FIGURES).collect();
    loop {
        let shown = with_columns(words, functions, figures, keys, &columns);
        if shown
            .lines()
            .all(|line| line.chars().count() <= usize::from(width()))
        {
            return shown;
        }
        // In a narrow terminal, the figures that decide are left.
        let Some(last) = columns.iter().rposition(|(index, _)| !decides(*index)) else {
            return shown;
        };
        columns.remove(last);
    }
}

/// Returns the table of these functions with these columns of figures.
fn with_columns(
    words: &Wording,
    functions: &[&Advice],
    figures: &Figures,
    keys: u64,
    columns: &[(usize, &Figure)],
) -> String {
    let cell = |one: &Advice, column: usize| figures.functions.get(&one.function)?.cells[column].as_ref();
    let heading = |head: &Figure| words.say("heading", (head, keys));
    let heads = columns.iter().map(|(_, head)| heading(head));
    let heads = ["", "", "ns per key\n(other runs)"]
        .map(str::to_owned)
        .into_iter()
        .chain(heads);
    let row = |one: &&Advice| {
        let role = match one.standing {
            Standing::Pick if one.mine => "pick, yours",
            Standing::RunnerUp if one.mine => "runner-up, yours",
            Standing::Pick => "pick",
            Standing::RunnerUp => "runner-up",
            _ => "yours",
        };
        let shown = |(index, head): &(usize, &Figure)| {
            let figure = cell(one, *index)?;
            Some(words.say("beside", (figure, head)))
        };
        let time = words.say("time_of", (one,));
        let cells = columns.iter().map(|column| shown(column).unwrap_or_default());
        let cells = [role.to_owned(), one.function.clone(), time]
            .into_iter()
            .chain(cells);
        cells.collect::<Vec<String>>()
    };
    let chance = columns
        .iter()
        .map(|(_, head)| words.say("amount", (head.row.chance, head.row.unit)));
    let chance = ["", "by chance", ""].map(str::to_owned).into_iter().chain(chance);
    let rows = functions.iter().map(row).chain([chance.collect()]);
    let rows: Vec<Vec<String>> = rows.collect();
    let numbers: Vec<usize> = (2..3 + columns.len()).collect();
    table(heads.collect::<Vec<String>>(), &numbers, rows) + "\n"
}
