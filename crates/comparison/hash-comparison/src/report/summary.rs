//! The results of a run, formatted for the terminal.

use terminal::layout::{labelled, table, width, wrapped};
use terminal::number::{counted, significant};

use crate::advice::figures::{Basis, Figure, Figures};
use crate::advice::gains;
use crate::advice::over_sets::{over_sets, suited};
use crate::advice::times;
use crate::advice::{Note, notes};
use crate::name_errors::listed;
use crate::page::answer::label;
use crate::page::wording::Wording;
use crate::questions::Records;
use crate::questions::times::of_empty_keys;
use crate::record::{Advice, DatasetSummary, Effect, FunctionGroup, FunctionSummary, Purpose, Standing, on};

/// The most functions that are named of those that are equally fast.
const MAX_TIED: usize = 2;
/// The most columns of figures: more do not fit into a line.
const MAX_FIGURES: usize = 4;

/// The most functions that are shown over all key sets.
const MAX_OVER_SETS: usize = 3;

/// Returns the recommendation for each dataset, the best functions over all of them, and why times may be wrong.
pub fn of(records: &Records) -> String {
    let run = &records.run;
    let purpose = run.request.purpose;
    let sets = run.datasets.iter();
    let mut text: String = sets
        .clone()
        .map(|dataset| answer(records, dataset) + "\n")
        .collect();
    let words = Wording::new();
    let calls = words.say("calls", (purpose,));
    let shows_times = records.advice.iter().any(|one| is_beside(records, one));
    if shows_times {
        let buckets = match purpose.parts().contains(&Purpose::Table) {
            true => " Comparisons are those of chained buckets.",
            false => "",
        };
        let legend = format!(
            "In brackets: where the times of other runs lie on this machine while it is quiet. Times: {calls}.{buckets}"
        );
        text += &format!("{}\n", wrapped(legend));
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
            let sentence = format!("In memory only: values of {} {how}.", listed(&unstable, "and"));
            text += &format!("{}\n", wrapped(sentence));
        }
    }
    for call in run.functions.iter().filter_map(|one| of_empty_keys(records, one)) {
        text += &format!("{}\n", wrapped(call));
    }
    let unlucky = sets.clone().filter_map(|set| {
        let all = notes(records, set, &run.request, &[]).into_iter();
        all.into_iter().find(|note| matches!(note, Note::UnluckySize(_)))
    });
    let unlucky: Vec<Note> = unlucky.collect();
    if !unlucky.is_empty() {
        text += &format!("{}\n", wrapped(words.say("unlucky", (unlucky,))));
    }
    if run.datasets.len() > 1 {
        let suited = sets.clone().map(|set| suited(on(&records.advice, &set.name)));
        let best = over_sets(suited);
        let names: Vec<&str> = sets.clone().map(|set| &*set.name).collect();
        let gain = run.request.mine.as_ref().zip(best.first());
        let gain = gain.and_then(|(mine, best)| {
            let changed = [mine.as_str(), &best.function];
            let gain = gains::of(records, &names, purpose.form(), changed)?;
            Some(format!("{}. Times", words.say("gain_of", (gain,))))
        });
        let best = best.into_iter().take(MAX_OVER_SETS).map(|row| {
            let on_some = match row.sets == run.datasets.len() {
                true => String::new(),
                false => format!(" (suits on {} of {})", row.sets, run.datasets.len()),
            };
            format!("{} {}{on_some}", row.function, significant(row.ratio, 3))
        });
        let best: Vec<String> = best.collect();
        let sentence = format!(
            "Over all key sets, {} over the fastest: {}.",
            gain.as_deref().unwrap_or("times"),
            best.join(", ")
        );
        text += &format!("{}\n", wrapped(sentence));
    }
    if let Some(warning) = times::warning(records) {
        text += &format!("{}\n", wrapped(warning));
    }
    text
}

/// Returns the recommendation for one dataset: the pick in the first line, then pick, runner-up and the function in use side by
/// side, then what else there is to know.
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
        Some(format!(". {}", words.say("gain_of", (gain,))))
    });
    let gain = gain.unwrap_or_default();
    let heading = wrapped(format!(
        "{} ({}{dropped}): {taken}, for {}{gain}",
        dataset.name,
        counted(dataset.keys, "key"),
        words.say("requested", (request,)),
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
    let mut row = |label: &str, text: String| rows.push([label.to_owned(), text]);
    for one in beside.iter().filter(|one| one.mine) {
        let enough = ["enough", "of_filters"].map(|name| words.say(name, (one, parts(one))));
        row("good enough?", enough.join(" ").trim().to_owned());
        let label = label(&one.function);
        if label != one.function {
            row("yours", label);
        }
    }
    let equal = gains::equal_in_memory(records, &advice, form);
    let equal = pick.map(|pick| words.say("equal_of", (equal, &pick.function, MAX_TIED)));
    let ties = [words.say("ties", (&advice, MAX_TIED)), equal.unwrap_or_default()].join(" ");
    if ties != " " {
        row("fastest", ties.trim().to_owned());
    }
    // The costliest comes first.
    let (mut avoided, mut in_part) = (Vec::<&Advice>::new(), Vec::<(String, Vec<&str>)>::new());
    for one in of(Standing::Avoid) {
        let bad = words.say("bad_part", (parts(one),));
        match in_part.iter_mut().find(|(part, _)| *part == bad) {
            _ if bad.is_empty() => avoided.push(one),
            Some((_, functions)) => functions.push(&one.function),
            None => in_part.push((bad, vec![&one.function])),
        }
    }
    if let Some(worst) = avoided.last() {
        let reason = words.say("shortly", (worst,));
        let others = avoided.iter().rev().skip(1);
        let others: String = others.map(|one| format!(", {}", one.function)).collect();
        row("avoid", format!("{} ({reason}){others}", worst.function));
    }
    let in_part = in_part
        .iter()
        .map(|(bad, functions)| format!("{}: not {bad}", functions.join(", ")));
    let in_part: Vec<String> = in_part.collect();
    if !in_part.is_empty() {
        row("suit in part", in_part.join("; "));
    }
    let notes: Vec<Note> = notes(records, dataset, request, &advice);
    // Unlucky sizes of all key sets have one sentence, at the end.
    for note in notes
        .into_iter()
        .filter(|note| !matches!(note, Note::UnluckySize(_)))
    {
        row("note", words.say("note_of", (note,)));
    }
    format!("{heading}\n{table}{}\n", labelled(rows))
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
    let heads = ["", "", "ns per key"].map(str::to_owned).into_iter().chain(heads);
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
