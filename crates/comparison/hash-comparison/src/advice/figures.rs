//! The figures that stand beside the advice, the same places for every function: what was counted, and what follows from it for
//! the reader's number of keys and for others.

use std::collections::BTreeMap;

use serde::Serialize;

use super::meaning::Meaning;
use super::parts::{self, Part};
use super::times::Interval;
use crate::questions::filters::{WiderHash, wider_hash};
use crate::questions::{Place, QUESTIONS, Records};
use crate::record::{
    CallForm, CostRow, DatasetSummary, Effect, FunctionSummary, PlaceKind, Purpose, about, on,
};

/// The places and forms of calls whose times are shown.
const TIMES: [(Place, CallForm); 4] = [
    (Place::Sequence, CallForm::Independent),
    (Place::Sequence, CallForm::Chained),
    (Place::Memory, CallForm::Independent),
    (Place::Memory, CallForm::Chained),
];
/// The most columns that are seen first.
const MAX_BRIEF: usize = 3;
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
    /// Unknown: the function departs from chance in this place, so no law gives the figure.
    Unknown,
}

/// A figure of a function in one place.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Figure {
    /// The place, with what is measured, or follows, and what chance gives with these keys; the cost is that where the
    /// function was counted.
    #[serde(flatten)]
    pub row: CostRow,
    /// The basis of what is measured, which has no meaning if that is unknown.
    pub basis: Basis,
    /// The effect of the cost.
    pub effect: Effect,
}

/// The figures of a function, by column.
#[derive(Debug, Clone, Serialize)]
pub struct OfFunction {
    /// A figure for each column, where there is one.
    pub cells: Vec<Option<Figure>>,
    /// The verdict by part.
    pub parts: Vec<Part>,
    /// Times of the dataset in sequence, then of keys that are scattered over memory: of calls that overlap, and of calls that wait.
    pub times: [Option<Interval>; 4],
}

/// The figures of all functions on a dataset for some purposes.
#[derive(Debug, Clone, Serialize)]
pub struct Figures {
    /// A figure of each column, that of a widest function that is as good as chance if there is one. It names the usual place.
    pub heads: Vec<Figure>,
    /// What chance costs in the place of each of them.
    pub meanings: Vec<Option<Meaning>>,
    /// The rate that a filter with a 64-bit hash has in the place of each of them, if it is a filter.
    pub wider: Vec<Option<WiderHash>>,
    /// The first column of another number of keys than the dataset's.
    pub first_other: usize,
    /// The columns of other numbers of keys, those of one place together.
    pub others: Vec<Vec<usize>>,
    /// The figures by function.
    pub functions: BTreeMap<String, OfFunction>,
}

/// A column: the places that are chosen in one way, of each function the usual or the costliest, and the number of keys if it is
/// not that with which the function was counted.
type Column = ((PlaceKind, bool), Option<u64>);

impl Figures {
    /// Takes the rows of `costs.csv` for some purposes, and adds what follows for other numbers of keys.
    pub fn of(records: &Records, dataset: &DatasetSummary, purposes: &[Purpose]) -> Self {
        let is_shown =
            |row: &&CostRow| row.is_shown() && row.purpose.is_none_or(|part| purposes.contains(&part));
        let shown: Vec<&CostRow> = on(&records.costs, &dataset.name).filter(is_shown).collect();
        let (columns, first_other) = columns(&shown, dataset);
        let others: Vec<usize> = (first_other..columns.len()).collect();
        let others = others.chunk_by(|&a, &b| columns[a].0 == columns[b].0);
        let others = others.map(<[usize]>::to_vec).collect();
        let cell = |function: &FunctionSummary, (kind, keys): &Column| {
            let mut rows = about(shown.iter().copied(), &dataset.name, &function.name);
            let row = rows.find(|row| (row.kind(), row.costliest) == *kind)?;
            figure(records, function, row, keys.unwrap_or(row.keys))
        };
        let functions = &records.run.functions;
        let widest = |column| {
            let cells = functions.iter().filter_map(|function| cell(function, column));
            cells.max_by_key(|cell| (cell.effect == Effect::WithinChance, cell.row.size))
        };
        let heads: Vec<Figure> = columns.iter().filter_map(widest).collect();
        let wider = heads
            .iter()
            .map(|head| wider_hash(&head.row, head.row.keys))
            .collect();
        let of_function = |function: &FunctionSummary| {
            let time = |place| Interval::of(records, &dataset.name, &function.name, place);
            let figures = OfFunction {
                cells: columns.iter().map(|column| cell(function, column)).collect(),
                parts: parts::of(records, &dataset.name, &function.name, purposes),
                times: TIMES.map(time),
            };
            (function.name.clone(), figures)
        };
        Self {
            meanings: heads.iter().map(Meaning::of).collect(),
            heads,
            wider,
            first_other,
            others,
            functions: functions.iter().map(of_function).collect(),
        }
    }

    /// Returns the column of the usual place of each of these purposes.
    pub fn usual(&self, purposes: &[Purpose]) -> Vec<usize> {
        let usual = |purpose: &Purpose| {
            let is_usual =
                |head: &Figure| (head.row.purpose, head.basis) == (Some(*purpose), Basis::Measured);
            self.heads.iter().position(is_usual)
        };
        purposes.iter().filter_map(usual).collect()
    }

    /// Returns the columns that are seen first beside some functions: the usual places, then those in which one of the functions
    /// is not good enough, the costliest first.
    pub fn brief(&self, purposes: &[Purpose], functions: &[&str]) -> Vec<usize> {
        let mut brief = self.usual(purposes);
        let cost = |column: usize| {
            let all = functions.iter().filter_map(|name| self.functions.get(*name));
            let cells = all.filter_map(|of| of.cells[column].as_ref());
            let costly = cells.filter(|cell| (cell.effect, cell.basis) == (Effect::Costly, Basis::Measured));
            costly.map(|cell| cell.row.cost).max_by(f64::total_cmp)
        };
        let is_of = |row: &CostRow| row.purpose.is_some_and(|purpose| purposes.contains(&purpose));
        let costly = (0..self.first_other).filter(|&column| is_of(&self.heads[column].row));
        let costly = costly.filter_map(|column| Some((column, cost(column)?)));
        let mut costly: Vec<(usize, f64)> = costly.filter(|(column, _)| !brief.contains(column)).collect();
        costly.sort_by(|a, b| b.1.total_cmp(&a.1));
        brief.extend(costly.into_iter().map(|(column, _)| column));
        brief.truncate(MAX_BRIEF);
        brief
    }
}

/// Returns the columns, and the first of another number of keys: the dataset's own number comes first, before what was counted
/// with fewer keys, and what is shown for every purpose. Other numbers of keys have the first way of choosing places alone.
fn columns(shown: &[&CostRow], dataset: &DatasetSummary) -> (Vec<Column>, usize) {
    let (mut own, mut for_all, mut others) = (Vec::<Column>::new(), Vec::new(), Vec::new());
    for row in shown {
        let kind = (row.kind(), row.costliest);
        if own.contains(&(kind, None)) || for_all.contains(&(kind, None)) {
            continue;
        }
        if row.purpose.is_none() {
            for_all.push((kind, None));
            continue;
        }
        let is_first = own.iter().all(|((other, _), _)| other.0 != row.purpose);
        own.extend((row.shown && row.keys != dataset.keys).then_some((kind, Some(dataset.keys))));
        own.push((kind, None));
        let sizes = SIZES.into_iter().filter(|_| is_first);
        let sizes = sizes.filter(|keys| ![row.keys, dataset.keys].contains(keys));
        others.extend(sizes.map(|keys| (kind, Some(keys))));
    }
    own.sort_by_key(|((_, costliest), _)| *costliest);
    own.extend(for_all);
    let first_other = own.len();
    own.extend(others);
    (own, first_other)
}

/// Returns the figure of a place with some number of similar keys. What was not counted follows from a law of chance, which holds
/// where the count in this place was as chance.
fn figure(records: &Records, function: &FunctionSummary, row: &CostRow, keys: u64) -> Option<Figure> {
    let effect = row.effect(records.run.request.negligible);
    let (measured, chance, basis, sizes) = if keys == row.keys {
        (row.measured, row.chance, Basis::Measured, row.sizes)
    } else {
        let mut questions = QUESTIONS.iter();
        let [chance, own] = questions.find_map(|question| (question.at)(row, function, keys))?;
        let basis = match effect {
            Effect::WithinChance => Basis::Expected,
            _ => Basis::Unknown,
        };
        (own, chance, basis, 1)
    };
    Some(Figure {
        row: CostRow {
            keys,
            sizes,
            measured,
            chance,
            ..row.clone()
        },
        basis,
        effect,
    })
}
