//! What filters of each kind take, for round numbers of keys and for those of the run.

use std::collections::BTreeSet;

use filter_tools::sizing::{Filter, Question, answer};
use filter_tools::table::readable;

use super::table::{Cell, Table};
use crate::record::files::Records;
use crate::record::{DatasetSummary, IDEAL, about};
use plots::number::{grouped, percent, significant};

/// Numbers of keys besides those of the run.
const KEYS: [u64; 3] = [10_000, 1_000_000, 100_000_000];
/// False-positive rates, and the heads of their columns.
const RATES: [(f64, [&str; 2]); 3] = [
    (0.01, ["#1 %: bits per key", "#memory"]),
    (0.001, ["#0.1 %: bits per key", "#memory"]),
    (0.0001, ["#0.01 %: bits per key", "#memory"]),
];

/// A row for each kind of filter and number of keys.
pub(super) fn table(records: &Records) -> Table {
    let sets = &records.run.datasets;
    let of_run = sets.iter().map(|set| set.keys).filter(|&keys| keys > 0);
    let counts: BTreeSet<u64> = of_run.chain(KEYS).collect();
    let rows = counts
        .iter()
        .flat_map(|&keys| Filter::ALL.map(|filter| (filter, keys)));
    let rows = rows.map(|(filter, keys)| {
        let mut about = vec![filter.describe().to_owned()];
        let cells = RATES.map(|(rate, _)| sized(filter, keys, rate, &mut about));
        if filter == Filter::LevelDb {
            let measured = sets.iter().filter(|set| set.keys == keys);
            about.extend(measured.filter_map(|set| in_this_run(records, set)));
        }
        (filter, keys, cells, about)
    });
    let mut table = Table::of(rows)
        .column("Filter", |(filter, ..)| filter.name())
        .column("#Keys", |&(_, keys, ..)| keys);
    for (index, (_, heads)) in RATES.iter().enumerate() {
        for (at, head) in heads.iter().enumerate() {
            table = table.column(head, |(_, _, cells, _)| cells[index][at].clone());
        }
    }
    table
        .column("What it is", |(.., about)| Cell::folded(about, "wide"))
        .done()
}

/// Bits per key and memory of the smallest filter; empty cells where there is none, with the reason told in `about`.
fn sized(filter: Filter, keys: u64, rate: f64, about: &mut Vec<String>) -> [Cell; 2] {
    let question = Question {
        keys: Some(keys),
        rate: Some(rate),
        ..Question::default()
    };
    let answered = match question.checked() {
        Ok(question) => answer(filter, &question).map_err(|none| none.reason),
        Err(bad) => Err(bad.to_string()),
    };
    match answered {
        Ok(answer) => {
            let stored = significant(answer.bits_per_key, 3);
            let text = match answer.configured {
                Some(set) if significant(set, 3) != stored => format!("{stored} (set {set})"),
                _ => stored,
            };
            let memory = Cell::sorted(readable(answer.bytes), answer.bytes as f64);
            [Cell::sorted(text, answer.bits_per_key), memory]
        }
        Err(reason) => {
            about.push(format!("not at {}: {reason}", percent(rate)));
            ["", ""].map(Cell::text)
        }
    }
}

/// The rates of an ideal hash in the filters that this run built from the set.
fn in_this_run(records: &Records, set: &DatasetSummary) -> Option<String> {
    let rows: Vec<_> = about(&records.false_positives, &set.name, IDEAL).collect();
    let rates = rows
        .iter()
        .map(|row| format!("{} at {} bits per key", percent(row.rate), row.bits_per_key));
    let rates: Vec<String> = rates.collect();
    let keys = grouped(rows.first()?.keys);
    let name = plots::scene::printable(&set.name);
    Some(format!(
        "measured with {keys} keys of {name}: {}",
        rates.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_the_formats() {
        let texts = |filter, keys, rate| {
            let mut about = Vec::new();
            let cells = serde_json::to_value(sized(filter, keys, rate, &mut about)).unwrap();
            let text = |at: usize| cells[at]["text"].as_str().unwrap().to_owned();
            (text(0), text(1), about)
        };
        let (bits, memory, about) = texts(Filter::Guava, 10_000_000, 0.0001);
        assert_eq!(
            (bits.as_str(), memory.as_str(), about.len()),
            ("19.2", "22.85 MiB", 0)
        );
        assert_eq!(texts(Filter::LevelDb, 1_000_000, 0.01).0, "11.0");
        assert!(texts(Filter::Ribbon, 1_000_000, 0.01).0.contains("(set 10)"));
        // Thirty-two bits of hash let more through than that, whatever the size.
        let (bits, _, about) = texts(Filter::LevelDb, 100_000_000, 0.01);
        assert_eq!(bits, "");
        assert!(about[0].starts_with("not at 1.00 %: "), "{about:?}");
    }
}
