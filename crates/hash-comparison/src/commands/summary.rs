//! The results of a run, formatted for the terminal.

use records::number::{counted, grouped, significant};
use records::terminal::{labelled, table as laid_out, width, wrapped};

use super::columns;
use crate::advice::baseline::words;
use crate::advice::recommend::words as recommended;
use crate::questions::{Records, ShardRow, TimingRow};
use crate::record::{
    Advice, Baseline, Choice, DatasetSummary, EMPTY, Purpose, Recommendation, Standing, about,
};
use crate::vocabulary;

/// Columns of the table of advice.
const ADVICE: &str = "function | ns/key | cost | tests | advice";
/// Columns of the table of figures. False positives are of filters with 10 and 15 bits per key.
const FIGURES: &str = "function | total ms | bits | collisions | FP 10 bits | FP 15 bits | compared";
/// Shards in the table, with the heads of their columns.
const SHARDS: [(Choice, u64, &str); 6] = [
    (Choice::LowBits, 256, "low 256"),
    (Choice::HighBits, 12, "high 12"),
    (Choice::HighBits, 256, "high 256"),
    (Choice::Remainder, 3, "mod 3"),
    (Choice::Remainder, 12, "mod 12"),
    (Choice::Remainder, 100, "mod 100"),
];
/// Columns reserved for a label with its gap, and for the text after a truncated list.
const LABEL: usize = 14 + 16;

/// Returns the tables of each dataset: advice, best first, then figures; for shards, the fullest of several numbers.
pub fn table(records: &Records) -> String {
    let mut text = String::new();
    for told in &records.run.recommendations {
        let Some(dataset) = records.run.datasets.iter().find(|set| set.name == told.dataset) else {
            continue;
        };
        let floor = about(records.times(told.form), &dataset.name, EMPTY).next();
        text.push_str(&format!(
            "\n{}: {}, {}{}{}\n{}\n\n{}\n",
            dataset.name,
            counted(dataset.keys, "key"),
            counted(dataset.bytes, "byte"),
            match dataset.duplicates_dropped {
                0 => String::new(),
                dropped => format!(", {} dropped", counted(dropped, "duplicate")),
            },
            floor.map_or_else(String::new, |row| format!(
                "; an empty function takes {:.2} ns",
                row.median_ns_per_key
            )),
            advice(records, told),
            match told.purpose {
                Purpose::Shard => shards(records, told),
                _ => figures(records, dataset, told),
            }
        ));
    }
    if let Some(told) = records.run.recommendations.first() {
        let unit = told.purpose.parts().iter().map(|part| recommended::unit(*part));
        let mut rows = vec![
            [
                "ns/key".to_owned(),
                format!("the time that ranks: {}", told.form_reason),
            ],
            [
                "cost".to_owned(),
                format!(
                    "more {} than chance, where measurable",
                    unit.collect::<Vec<_>>().join(" or ")
                ),
            ],
            match told.purpose {
                Purpose::Shard => [
                    "low, high, mod".to_owned(),
                    "keys in the fullest shard, above an even share, by low bits, high bits or remainder"
                        .to_owned(),
                ],
                _ => [
                    "collisions".to_owned(),
                    "keys minus distinct values, in the low bits of the column before".to_owned(),
                ],
            },
        ];
        rows.extend(
            vocabulary::RESULTS
                .map(|(verdict, meaning)| [vocabulary::result(verdict).to_owned(), meaning.to_owned()]),
        );
        text.push_str(&format!("\n{}\n", labelled(rows)));
    }
    text
}

/// Returns the table of advice, in its order.
fn advice(records: &Records, told: &Recommendation) -> String {
    let parts = told.purpose.parts();
    let rows = told.functions.iter().map(|one| {
        let name = one.function.as_str();
        let costs = about(&records.costs, &told.dataset, name);
        let finding = about(&records.run.findings, &told.dataset, name).next();
        [
            name.to_owned(),
            one.time
                .map_or_else(String::new, |time| format!("{:.2}", time.ns)),
            recommended::cost_cell(costs.filter(|row| parts.contains(&row.purpose))),
            finding.map_or_else(String::new, |finding| {
                vocabulary::result(finding.verdict).to_owned()
            }),
            vocabulary::advice(one),
        ]
    });
    laid_out(columns(ADVICE), &[1, 2], rows)
}

/// Returns the table of figures, in the order of the advice.
fn figures(records: &Records, dataset: &DatasetSummary, told: &Recommendation) -> String {
    let rows = told.functions.iter().map(|one| {
        let name = one.function.as_str();
        let time = about(&records.timing, &dataset.name, name).next();
        let collisions = about(&records.collisions, &dataset.name, name).max_by_key(|row| row.bits);
        let rate = |bits| {
            let rows = about(&records.near_sizes, &dataset.name, name);
            let row = rows
                .filter(|row| row.bits_per_key == bits)
                .max_by_key(|row| row.keys);
            row.map_or_else(String::new, |row| format!("{:.3} %", row.rate * 100.0))
        };
        let table = about(&records.occupancy, &dataset.name, name).find(|row| row.choice == Choice::LowBits);
        [
            name.to_owned(),
            time.map_or_else(String::new, |row| total(row, dataset.keys)),
            collisions.map_or_else(String::new, |row| row.bits.to_string()),
            collisions.map_or_else(String::new, |row| grouped(row.collisions)),
            rate(10),
            rate(15),
            table.map_or_else(String::new, |row| significant(row.hit, 3)),
        ]
    });
    laid_out(columns(FIGURES), &[1, 2, 3, 4, 5, 6], rows)
}

/// Returns the table of shards, in the order of the advice: the excess of the fullest shard over an even share.
fn shards(records: &Records, told: &Recommendation) -> String {
    let over = |keys: f64, even: f64| match 100.0 * (keys / even - 1.0) {
        percent if percent < 99.95 => format!("+{percent:.1} %"),
        percent => format!("+{percent:.0} %"),
    };
    let cells = |name: &str, of: &dyn Fn(&ShardRow) -> f64, shown: &str| {
        let cell = |&(choice, buckets, _): &(Choice, u64, &str)| {
            let mut rows = about(&records.shards, &told.dataset, name);
            let row = rows.find(|row| (row.choice, row.buckets) == (choice, buckets));
            row.map_or_else(String::new, |row| {
                over(of(row), row.keys as f64 / row.buckets as f64)
            })
        };
        let mut cells = vec![shown.to_owned()];
        cells.extend(SHARDS.iter().map(cell));
        cells
    };
    let first = told.functions.first().map(|one| one.function.as_str());
    let chance = first.map(|name| cells(name, &|row| row.fullest_expected, "chance"));
    let rows = told.functions.iter().map(|one| {
        let name = one.function.as_str();
        cells(name, &|row| row.fullest as f64, name)
    });
    let header = ["function"].into_iter().chain(SHARDS.map(|(.., head)| head));
    laid_out(
        header.collect::<Vec<_>>(),
        &[1, 2, 3, 4, 5, 6],
        chance.into_iter().chain(rows),
    )
}

/// Returns the changes since an earlier run, wrapped like a table.
pub fn baseline(baseline: &Baseline) -> String {
    let heading = format!("Against the run of {} in {}:", baseline.date, baseline.folder);
    let lines = words::sentences(baseline);
    let rows = lines.into_iter().map(|line| ["-".to_owned(), line]);
    format!("{heading}\n{}\n", labelled(rows.collect()))
}

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
    // Costliest first: a list that does not fit is cut at its end.
    avoid.reverse();
    if let Some(avoid) = fitting(avoid) {
        rows.push(["avoid".to_owned(), avoid]);
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

/// Joins as many items as fit on two lines and counts the rest. Returns `None` for an empty list.
fn fitting(all: Vec<String>) -> Option<String> {
    all.first()?;
    let room = 2 * usize::from(width()).saturating_sub(LABEL);
    let mut text = String::new();
    for (index, one) in all.iter().enumerate() {
        let rest = all.len() - index;
        if index > 0 && text.len() + one.len() + 2 > room {
            return Some(format!("{text} and {rest} more (--table, or the report)"));
        }
        if index > 0 {
            text += ", ";
        }
        text += one;
    }
    Some(text)
}

/// Returns milliseconds for the whole set, extrapolated if only a sample was timed.
fn total(row: &TimingRow, keys: u64) -> String {
    let milliseconds = row.median_ns_per_key * keys as f64 / 1e6;
    if milliseconds < 100.0 {
        format!("{milliseconds:.3}")
    } else {
        format!("{milliseconds:.1}")
    }
}

#[cfg(test)]
mod tests;
