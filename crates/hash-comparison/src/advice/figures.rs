//! The figures that stand beside the advice, the same places for every function: what was counted, and what follows from it for
//! the reader's number of keys and for others.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::questions::{Place, QUESTIONS, Records};
use crate::record::{
    Choice, CostRow, DatasetSummary, Effect, FunctionSummary, Interval, Purpose, Unit, Verdict, about, on,
};

/// Numbers of keys that are shown beside the dataset's own.
const SIZES: [u64; 3] = [10_000, 1_000_000, 100_000_000];

/// The basis of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// Counted with this number of keys.
    Measured,
    /// What a random function of the same width gives.
    Expected,
    /// The function departs from chance on these keys, so no law gives the figure: its excess over chance where it was
    /// counted, on top of chance here.
    Projected,
}

/// A figure of a function in one place.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Figure {
    /// What is counted.
    pub unit: Unit,
    /// The place, as in [`CostRow`].
    pub choice: Option<Choice>,
    /// The size of the place.
    pub size: u64,
    /// Number of keys.
    pub keys: u64,
    /// The figure, in its unit.
    pub value: f64,
    /// The figure of an ideal hash.
    pub chance: f64,
    /// The basis of the value.
    pub basis: Basis,
    /// The excess over chance where the function was counted.
    pub cost: f64,
    /// The effect of that cost.
    pub effect: Effect,
}

/// The figures of a function, by column.
#[derive(Debug, Clone, Serialize)]
pub struct OfFunction {
    /// A figure for each column, where there is one.
    pub cells: Vec<Option<Figure>>,
    /// The time of keys that are scattered over memory.
    pub scattered: Option<Interval>,
}

/// The figures of all functions on a dataset for a purpose.
#[derive(Debug, Clone, Serialize)]
pub struct Figures {
    /// A figure of each column, that of a widest function, which names its place.
    pub heads: Vec<Figure>,
    /// The first column of another number of keys than the dataset's.
    pub first_other: usize,
    /// The figures by function.
    pub functions: BTreeMap<String, OfFunction>,
}

/// A column: a place, which may be of another size for a narrow function, and a number of keys.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Column {
    purpose: Option<Purpose>,
    unit: Unit,
    choice: Option<Choice>,
    /// The size, if it is the same for all functions.
    size: Option<u64>,
    /// Number of keys, if it is not that with which the function was counted.
    keys: Option<u64>,
}

impl Column {
    /// Returns the column of a row as it was counted.
    fn of(row: &CostRow) -> Self {
        let is_fixed = matches!(row.unit, Unit::FalsePositives | Unit::FullestShard);
        Self {
            purpose: row.purpose,
            unit: row.unit,
            // What is shown for every purpose is the widest window of a function.
            choice: row.choice.filter(|_| row.purpose.is_some()),
            size: is_fixed.then_some(row.size),
            keys: None,
        }
    }
}

impl Figures {
    /// Takes the rows of `costs.csv` for a purpose, and adds what follows for other numbers of keys.
    pub fn of(records: &Records, dataset: &DatasetSummary, purpose: Purpose) -> Self {
        let parts = purpose.parts();
        let is_shown = |row: &&CostRow| row.shown && row.purpose.is_none_or(|part| parts.contains(&part));
        let shown: Vec<&CostRow> = on(&records.costs, &dataset.name).filter(is_shown).collect();
        let (columns, first_other) = columns(&shown, dataset);
        let cell = |function: &FunctionSummary, column: &Column| {
            let counted = Column {
                keys: None,
                ..*column
            };
            let mut rows = about(shown.iter().copied(), &dataset.name, &function.name);
            let row = rows.find(|row| Column::of(row) == counted)?;
            figure(records, function, row, column.keys.unwrap_or(row.keys))
        };
        let functions = &records.run.functions;
        let widest = |column| {
            let cells = functions.iter().filter_map(|function| cell(function, column));
            cells.max_by_key(|cell| cell.size)
        };
        let heads = columns.iter().filter_map(widest).collect();
        let of_function = |function: &FunctionSummary| {
            let place = (Place::Memory, purpose.form());
            let figures = OfFunction {
                cells: columns.iter().map(|column| cell(function, column)).collect(),
                scattered: Interval::of(records, &dataset.name, &function.name, place),
            };
            (function.name.clone(), figures)
        };
        Self {
            heads,
            first_other,
            functions: functions.iter().map(of_function).collect(),
        }
    }
}

/// Returns the columns, and the first of another number of keys: the dataset's own number comes first, before what was counted
/// with fewer keys, and what is shown for every purpose.
fn columns(shown: &[&CostRow], dataset: &DatasetSummary) -> (Vec<Column>, usize) {
    let (mut own, mut for_all, mut others) = (Vec::new(), Vec::new(), Vec::new());
    for row in shown {
        let column = Column::of(row);
        if own.contains(&column) || for_all.contains(&column) {
            continue;
        }
        if row.purpose.is_none() {
            for_all.push(column);
            continue;
        }
        let at = |keys| Column {
            keys: Some(keys),
            ..column
        };
        own.extend((row.keys != dataset.keys).then(|| at(dataset.keys)));
        own.push(column);
        let sizes = SIZES
            .into_iter()
            .filter(|keys| ![row.keys, dataset.keys].contains(keys));
        others.extend(sizes.map(at));
    }
    own.extend(for_all);
    let first_other = own.len();
    own.extend(others);
    (own, first_other)
}

/// Returns the figure of a place with some number of similar keys: never a better one than chance gives there, unless it was
/// counted.
fn figure(records: &Records, function: &FunctionSummary, row: &CostRow, keys: u64) -> Option<Figure> {
    let (value, chance, basis) = if keys == row.keys {
        (row.measured, row.chance, Basis::Measured)
    } else {
        let mut questions = QUESTIONS.iter();
        let [chance, own] = questions.find_map(|question| (question.at)(row, function, keys))?;
        let mut findings = about(&records.run.findings, &row.dataset, &row.function);
        let is_random = findings.all(|finding| finding.verdict == Verdict::WithinChance);
        match is_random && !row.measurable {
            true => (own, chance, Basis::Expected),
            false => (projected(row, chance, keys).max(own), chance, Basis::Projected),
        }
    };
    Some(Figure {
        unit: row.unit,
        choice: row.choice,
        size: row.size,
        keys,
        value,
        chance,
        basis,
        cost: row.cost,
        effect: row.effect(records.run.request.negligible),
    })
}

/// Returns the figure with so many keys if the excess over chance stays.
fn projected(row: &CostRow, chance: f64, keys: u64) -> f64 {
    let times = |least: f64| ((row.measured - least) / (row.chance - least)).max(1.0);
    match row.unit {
        // Absent keys that share their value with a stored one.
        Unit::FalsePositives => {
            let equal = ((row.measured - row.chance) / (1.0 - row.chance)).max(0.0);
            chance + (1.0 - chance) * equal
        }
        // Every key is compared with itself.
        Unit::Comparisons => 1.0 + times(1.0) * (chance - 1.0),
        Unit::FullestShard => (times(0.0) * chance).min(keys as f64),
        Unit::Collisions => (times(0.0) * chance).min(keys.saturating_sub(1) as f64),
    }
}
