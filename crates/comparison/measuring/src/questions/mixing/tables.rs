//! The tables of mixing: avalanche, and independence of output bits.

use super::{KEY_BYTES, MixingRow};
use crate::questions::Records;
use crate::questions::on_dataset::distinct;
use crate::questions::tables::{Cell, Table};
use crate::record::{BitTest, Verdict, of};

/// Returns a table of each test.
pub(super) fn all(records: &Records) -> Vec<Table> {
    let tests = [
        ("Avalanche", BitTest::Avalanche),
        ("Independence of output bits", BitTest::Independence),
    ];
    let functions = distinct(records.mixing.iter().map(|row| row.function.as_str()));
    let table = |(caption, test): (&str, BitTest)| {
        let row = |function| {
            let rows: Vec<&MixingRow> = of(&records.mixing, function)
                .filter(|row| row.test == test)
                .collect();
            let facts = records.run.bit_facts.iter().filter(|one| one.is(function, test));
            let why: Vec<String> = facts.map(|fact| fact.reason.clone()).collect();
            let outcome = match why.is_empty() {
                true => Verdict::WithinChance,
                false => Verdict::WorseThanChance,
            };
            let share = |bytes| {
                let row = rows.iter().find(|row| row.key_bytes == bytes);
                row.map(|row| Cell::Percent(row.off_cells as f64 / row.cells as f64))
                    .into()
            };
            let least = rows.iter().map(|row| row.p_adjusted).reduce(f64::min);
            let outcome = (!rows.is_empty()).then_some(Cell::Verdict(outcome));
            let cells = [outcome.into()].into_iter().chain(KEY_BYTES.map(share));
            let cells = cells.chain([least.map(Cell::P).into(), Cell::Lines(why)]);
            (function, cells.collect())
        };
        let shares = KEY_BYTES.map(|bytes| format!("Deviating cells, {bytes} bytes"));
        let heads = ["Outcome".to_owned()].into_iter().chain(shares);
        let heads = heads.chain(["Least p, adjusted", "Why"].map(str::to_owned));
        Table::named(caption, "Function", heads, functions.iter().copied().map(row))
    };
    tests.map(table).into()
}
