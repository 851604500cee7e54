//! Structured keys, hash tables, why functions fail, and how often the tests accuse a good hash.

use std::path::Path;

use serde::Serialize;

use super::details::verdict_class;
use super::table::{Cell, Table};
use crate::judge::calibration::{COMMITTED, CalibrationRow};
use crate::judge::mechanisms::sentences;
use crate::judge::structured::{ratio, worst};
use crate::keys::structured;
use crate::record::files::Records;
use crate::record::{Choice, OccupancyRow, StructuredRow, Window, table};
use crate::report::chart::rows::distinct;
use crate::report::chart::verdict_words;
use plots::number;

/// The sections about structured keys and hash tables.
#[derive(Debug, Serialize)]
pub(super) struct StructureSection<'a> {
    /// SVG element, where there are rows.
    chart: Option<&'a str>,
    functions: Table,
    failures: Table,
    sets: Table,
    occupancy: Vec<Occupancy>,
}

/// The hash tables of a dataset.
#[derive(Debug, Serialize)]
struct Occupancy {
    dataset: String,
    table: Table,
}

pub(super) fn section<'a>(records: &Records, chart: Option<&'a str>) -> StructureSection<'a> {
    let occupancy = distinct(records.occupancy.iter().map(|row| row.dataset.as_str()));
    let occupancy = occupancy.into_iter().map(|dataset| Occupancy {
        dataset: plots::scene::printable(dataset),
        table: tables(records.occupancy.iter().filter(|row| row.dataset == dataset)),
    });
    StructureSection {
        chart,
        functions: functions(records),
        failures: failures(records),
        sets: sets(records),
        occupancy: occupancy.collect(),
    }
}

/// The worst row of each set on which a function failed, the sets in recorded order.
fn failed<'a>(records: &'a Records, function: &str) -> Vec<&'a StructuredRow> {
    distinct(records.structured.iter().map(|row| row.set.as_str()))
        .into_iter()
        .filter_map(|set| {
            worst(
                records
                    .structured
                    .iter()
                    .filter(|row| row.set == set && row.function == function),
            )
        })
        .collect()
}

fn names(records: &Records) -> Vec<&str> {
    distinct(records.structured.iter().map(|row| row.function.as_str()))
}

/// How each function did over all sets, and why.
fn functions(records: &Records) -> Table {
    let sets = distinct(records.structured.iter().map(|row| row.set.as_str())).len();
    let mut table = Table::new([
        "Function",
        "#Sets failed",
        "#Of",
        "Worst set",
        "#Times chance there",
        "Two keys that collide there",
        "Why, as measured",
        "Sets failed",
    ]);
    for function in names(records) {
        let failed = failed(records, function);
        let worst = worst(failed.iter().copied());
        let list: Vec<String> = failed.iter().map(|row| row.set.clone()).collect();
        table.push(vec![
            Cell::text(function),
            Cell::count(failed.len() as u64),
            Cell::count(sets as u64),
            Cell::text(worst.map_or("", |row| &row.set)),
            Cell::or_empty(worst.map(|row| Cell::number(ratio(row)))),
            Cell::classed(&worst.map_or_else(String::new, pair), "wide"),
            Cell::folded(&sentences(function, &records.mechanisms), "why"),
            Cell::folded(&list, ""),
        ]);
    }
    table
}

/// Every set on which a function failed.
fn failures(records: &Records) -> Table {
    let mut table = Table::new([
        "Function",
        "Set",
        "Compared",
        "#Keys",
        "#Collisions",
        "#Expected",
        "#99 % from",
        "#to",
        "#p, adjusted",
        "Verdict",
        "Two keys that collide",
    ]);
    for function in names(records) {
        for row in failed(records, function) {
            table.push(vec![
                Cell::text(function),
                Cell::text(&row.set),
                Cell::text(&compared(row)),
                Cell::count(row.keys),
                Cell::count(row.collisions),
                Cell::number(row.expected),
                Cell::number(row.ci_low),
                Cell::number(row.ci_high),
                Cell::sorted(number::p_value(row.p_adjusted), row.p_adjusted),
                Cell::classed(verdict_words(row.verdict), verdict_class(row.verdict)),
                Cell::classed(&pair(row), "wide"),
            ]);
        }
    }
    table
}

fn compared(row: &StructuredRow) -> String {
    match row.window {
        Window::Whole => format!("all {} bits", row.bits),
        Window::Low => format!("{} low bits", row.bits),
        Window::High => format!("{} high bits", row.bits),
    }
}

/// Characters of a key that a table shows; the files have more.
const SHOWN: usize = 72;

fn pair(row: &StructuredRow) -> String {
    let cut = |key: &str| match key.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", &key[..at]),
        None => key.to_owned(),
    };
    format!("“{}” and “{}”", cut(&row.first), cut(&row.second))
}

/// What the sets are.
fn sets(records: &Records) -> Table {
    let mut table = Table::new(["Set", "#Keys", "Recipe"]);
    for set in distinct(records.structured.iter().map(|row| row.set.as_str())) {
        let keys = records
            .structured
            .iter()
            .find(|row| row.set == set)
            .map(|row| row.keys);
        let known = structured::ALL.iter().find(|known| known.name == set);
        table.push(vec![
            Cell::text(set),
            Cell::or_empty(keys.map(Cell::count)),
            Cell::classed(known.map_or("", |known| known.recipe), "wide"),
        ]);
    }
    table
}

fn tables<'a>(rows: impl Iterator<Item = &'a OccupancyRow>) -> Table {
    let mut table = Table::new([
        "Function",
        "Bucket by",
        "#Buckets",
        "#Keys",
        "#Compared until found",
        "#By chance until found",
        "#p of that",
        "#Compared until not found",
        "#Fullest bucket",
        "#By chance fullest",
        "#p of the fullest",
        "#Empty",
        "#By chance empty",
        "#p of empty",
        "Verdict",
    ]);
    let p = |value: f64| Cell::sorted(number::p_value(value), value);
    // The band is narrow: three digits would show both its ends alike.
    let digits = |value: f64| number::significant(value, 5);
    for row in rows {
        let choice = match row.choice {
            Choice::LowBits => "low bits",
            Choice::HighBits => "high bits",
            Choice::Fibonacci => "product, high bits",
            Choice::Prime => "remainder, prime",
        };
        table.push(vec![
            Cell::text(&row.function),
            Cell::text(choice),
            Cell::count(row.buckets),
            Cell::count(row.keys),
            Cell::sorted(digits(row.hit), row.hit),
            chance(digits(row.hit_low), digits(row.hit_high), row.hit_expected),
            p(row.hit_p),
            Cell::number(row.miss),
            Cell::count(row.longest),
            Cell::sorted(format!("at most {}", row.longest_high), row.longest_expected),
            p(row.longest_p),
            Cell::percent(row.empty),
            chance(
                number::percent(row.empty_low),
                number::percent(row.empty_high),
                row.empty_expected,
            ),
            p(row.empty_p),
            Cell::classed(verdict_words(row.verdict), verdict_class(row.verdict)),
        ]);
    }
    table
}

/// Where random functions lie, in the order of what is expected of them.
fn chance(low: String, high: String, expected: f64) -> Cell {
    Cell::sorted(format!("{low} to {high}"), expected)
}

/// A share that the law of counts allows. Windows that hardly a value stays out of have one with dozens of zeros.
fn attainable(share: f64) -> Cell {
    if share < 1e-6 {
        Cell::sorted("below 0.0001 %".to_owned(), share)
    } else {
        Cell::percent(share)
    }
}

/// The calibration that is committed with the program.
pub(super) fn calibration() -> Result<Table, String> {
    let rows: Vec<CalibrationRow> = table::parse(Path::new("calibration.csv"), COMMITTED.as_bytes())
        .map_err(|error| error.to_string())?;
    let mut table = Table::new([
        "Test",
        "Question",
        "#Stated, at most",
        "#By the law of the counts",
        "#Times asked",
        "#False alarms",
        "#Share",
        "#From",
        "#to",
        "Holds",
    ]);
    for row in rows {
        table.push(vec![
            Cell::text(if row.test == "run" {
                "a whole run"
            } else {
                &row.test
            }),
            Cell::text(&row.question),
            Cell::percent(row.level),
            attainable(row.attainable),
            Cell::count(row.trials),
            Cell::count(row.alarms),
            Cell::percent(row.share),
            Cell::percent(row.ci_low),
            Cell::percent(row.ci_high),
            Cell::text(if row.holds { "yes" } else { "NO" }),
        ]);
    }
    Ok(table)
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
