//! Structured keys, hash tables, and the false-alarm rate of the tests.

use std::path::Path;

use minijinja::context;
use minijinja::value::Value;

use crate::advice::calibration::{COMMITTED, CalibrationRow};
use crate::keys::structured;
use crate::page::table::{Cell, Table, shortened};
use crate::questions::mechanisms::sentences;
use crate::questions::on_dataset::distinct;
use crate::questions::structured::{ratio, worst};
use crate::questions::{OccupancyRow, Records, StructuredRow, Window};
use crate::record::{Choice, of};
use records::{number, table};

/// Builds the section on structured keys with its chart; `None` in runs without these rows.
pub(super) fn section(records: &Records, chart: Option<Value>) -> Option<Value> {
    records.structured.first()?;
    Some(context! {
        chart,
        functions => functions(records),
        failures => failures(records),
        sets => sets(records),
    })
}

/// Returns the worst row of each set on which a function failed, with the sets in recorded order.
fn failed<'a>(records: &'a Records, function: &str) -> Vec<&'a StructuredRow> {
    let rows = || of(&records.structured, function);
    let sets = set_names(records).into_iter();
    sets.filter_map(|set| worst(rows().filter(|row| row.set == set)))
        .collect()
}

fn set_names(records: &Records) -> Vec<&str> {
    distinct(records.structured.iter().map(|row| row.set.as_str()))
}

fn names(records: &Records) -> Vec<&str> {
    distinct(records.structured.iter().map(|row| row.function.as_str()))
}

/// Builds the table of each function's results over all sets, with the reasons.
fn functions(records: &Records) -> Table {
    let sets = set_names(records).len() as u64;
    let rows = names(records).into_iter().map(|name| {
        let failed = failed(records, name);
        let worst = worst(failed.iter().copied());
        (name, failed, worst)
    });
    Table::of(rows)
        .column("Function", |&(name, ..)| name)
        .column("#Sets failed", |(_, failed, _)| failed.len() as u64)
        .column("#Of", |_| sets)
        .column("Worst set", |(.., worst)| worst.map(|row| &row.set))
        .column("#Ratio to chance there", |(.., worst)| worst.map(ratio))
        .column("Two keys that collide there", |(.., worst)| {
            Cell::classed(&worst.map_or_else(String::new, pair), "wide")
        })
        .column("Why (measured)", |(name, ..)| {
            Cell::folded(&sentences(name, &records.mechanisms), "why")
        })
        .column("Which sets", |(_, failed, _)| {
            let sets: Vec<String> = failed.iter().map(|row| row.set.clone()).collect();
            Cell::folded(&sets, "")
        })
        .done()
}

/// Builds the table of every set on which a function failed.
fn failures(records: &Records) -> Table {
    let names = names(records).into_iter();
    Table::of(names.flat_map(|name| failed(records, name)))
        .column("Function", |row| &row.function)
        .column("Set", |row| &row.set)
        .column("Compared", |row| compared(row))
        .column("#Keys", |row| row.keys)
        .column("#Collisions", |row| row.collisions)
        .column("#Expected", |row| row.expected)
        .column("#99 % from", |row| row.ci_low)
        .column("#to", |row| row.ci_high)
        .column("#p, adjusted", |row| Cell::p(row.p_adjusted))
        .column("Verdict", |row| row.verdict)
        .column("Two keys that collide", |row| Cell::classed(&pair(row), "wide"))
        .done()
}

fn compared(row: &StructuredRow) -> String {
    match row.window {
        Window::Whole => format!("all {} bits", row.bits),
        Window::Low => format!("{} low bits", row.bits),
        Window::High => format!("{} high bits", row.bits),
    }
}

fn pair(row: &StructuredRow) -> String {
    let [first, second] = [&row.first, &row.second].map(|key| shortened(key, 72));
    format!("“{first}” and “{second}”")
}

fn sets(records: &Records) -> Table {
    let keys = |set: &str| records.structured.iter().find(|row| row.set == set);
    let known = |set: &str| structured::ALL.iter().find(|known| known.name == set);
    Table::of(set_names(records))
        .column("Set", |set| *set)
        .column("#Keys", |set| keys(set).map(|row| row.keys))
        .column("Recipe", |set| {
            Cell::classed(known(set).map_or("", |known| known.recipe), "wide")
        })
        .done()
}

/// Builds the table of a dataset's hash tables; `None` without rows.
pub(super) fn tables<'a>(rows: impl Iterator<Item = &'a OccupancyRow>) -> Option<Table> {
    let choice = |choice| match choice {
        Choice::LowBits => "low bits",
        Choice::HighBits => "high bits",
        Choice::Fibonacci => "product, high bits",
        Choice::Remainder => "remainder, prime",
    };
    // The band is narrow: with three digits, both ends would look the same.
    let digits = |value: f64| number::significant(value, 5);
    Table::of(rows)
        .column("Function", |row| &row.function)
        .column("Bucket by", |row| choice(row.choice))
        .column("#Buckets", |row| row.buckets)
        .column("#Keys", |row| row.keys)
        .column("#Comparisons, present key", |row| {
            Cell::sorted(digits(row.hit), row.hit)
        })
        .column("#By chance, present key", |row| {
            chance(digits(row.hit_low), digits(row.hit_high), row.hit_expected)
        })
        .column("#p, present key", |row| Cell::p(row.hit_p))
        .column("#Comparisons, absent key", |row| row.miss)
        .column("#Fullest bucket", |row| row.longest)
        .column("#By chance, fullest bucket", |row| {
            Cell::sorted(format!("at most {}", row.longest_high), row.longest_expected)
        })
        .column("#p, fullest bucket", |row| Cell::p(row.longest_p))
        .column("#Empty buckets", |row| Cell::percent(row.empty))
        .column("#By chance, empty", |row| {
            let [low, high] = [row.empty_low, row.empty_high].map(number::percent);
            chance(low, high, row.empty_expected)
        })
        .column("#p, empty", |row| Cell::p(row.empty_p))
        .column("Verdict", |row| row.verdict)
        .if_any()
}

/// Shows the range of random functions; the cell sorts by the expected value.
fn chance(low: String, high: String, expected: f64) -> Cell {
    Cell::sorted(format!("{low} to {high}"), expected)
}

/// Formats the attainable level of a test on counts. Windows that are almost full attain a level with dozens of zeros.
fn attainable(share: f64) -> Cell {
    if share < 1e-6 {
        Cell::sorted("below 0.0001 %".to_owned(), share)
    } else {
        Cell::percent(share)
    }
}

/// Builds the table of the calibration that is committed with the program.
pub(super) fn calibration() -> Result<Table, String> {
    let rows: Vec<CalibrationRow> = table::parse(Path::new("calibration.csv"), COMMITTED.as_bytes())
        .map_err(|error| error.to_string())?;
    let test = |test| if test == "run" { "a whole run" } else { test };
    let table = Table::of(&rows)
        .column("Test", |row| test(&row.test))
        .column("Question", |row| &row.question)
        .column("#Stated level", |row| Cell::percent(row.level))
        .column("#Attainable level", |row| attainable(row.attainable))
        .column("#Trials", |row| row.trials)
        .column("#False alarms", |row| row.alarms)
        .column("#Share", |row| Cell::percent(row.share))
        .column("#From", |row| Cell::percent(row.ci_low))
        .column("#to", |row| Cell::percent(row.ci_high))
        .column("Holds", |row| if row.holds { "yes" } else { "NO" });
    Ok(table.done())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_of_the_calibration_is_a_row_of_zeros() {
        let table = serde_json::to_value(calibration().unwrap()).unwrap();
        let rows = table["rows"].as_array().unwrap();
        let texts = rows.iter().flat_map(|row| row.as_array().unwrap());
        let longest = texts
            .map(|cell| cell["text"].as_str().unwrap())
            .max_by_key(|text| text.len());
        assert_eq!(longest, Some("independence, furthest cell"));
    }
}
