//! Collisions on structured key sets.

use std::collections::{BTreeSet, HashMap};

use rayon::prelude::*;

use super::{Draw, Kind, Measure, Question, Records, rows};
use crate::chance::{INTERVAL_LEVEL, verdict};
use crate::functions::Function;
use crate::keys::structured::{self, StructuredSet};
use crate::keys::{KeySet, Manifest, printed};
use crate::questions::on_dataset::distinct;
use crate::questions::shades::Significance;
use crate::record::{self, DatasetKind, DatasetSummary, Verdict, stored};
use crate::values::prefixes::{self, Prefixes};
use plots::cells::{Cell, Column, Table};
use plots::scene::Scene;
use records::progress::{Cancelled, Progress, go_on};
use statistics::collisions::CollisionLaw;
use statistics::correction::bonferroni;

stored! {
    /// The bits of a value that are compared.
    pub enum Window {
        /// All bits of the function.
        Whole,
        /// The lowest bits.
        Low,
        /// The highest bits.
        High,
    }
}

rows! {
    /// A row of `structured.csv`.
    pub struct StructuredRow: [] {
        /// Name of the key set.
        pub set: String,
        /// Name of the function.
        pub function: String,
        /// The bits that are compared.
        pub window: Window,
        /// Number of compared bits.
        pub bits: u32,
        /// Distinct keys.
        pub keys: u64,
        /// Distinct keys minus distinct values.
        pub collisions: u64,
        /// Expected collisions of a random function.
        pub expected: f64,
        /// Lower end of the 99 % interval for the mean number of collisions.
        pub ci_low: f64,
        /// Upper end of that interval.
        pub ci_high: f64,
        /// Two-sided p-value of this test alone.
        pub p_value: f64,
        /// `p_value` corrected for the number of tests in the file (Bonferroni).
        pub p_adjusted: f64,
        /// The verdict of this row.
        pub verdict: Verdict,
        /// In a row worse than chance, a key that shares its compared bits with another key, escaped for print; else
        /// empty.
        pub first: String,
        /// The other key.
        pub second: String,
    }
}

pub(super) const QUESTION: Question = Question {
    measure: Measure::Functions(measure),
    charts: &[Kind {
        stem: "structured-keys",
        timed: false,
        draw: Draw::Run(scene),
    }],
    ..Question::NONE
};

/// The ends of a value that are compared in addition to the whole: the bits that tables and filters take of wide
/// values, and narrow enough for these sets to tell functions apart.
const ENDS: [(Window, u32); 5] = [
    (Window::Low, 32),
    (Window::Low, 24),
    (Window::Low, 20),
    (Window::High, 24),
    (Window::High, 20),
];

/// Returns the windows compared for a function of `output_bits` bits, the whole value first.
pub fn windows(output_bits: u32) -> impl Iterator<Item = (Window, u32)> {
    std::iter::once((Window::Whole, output_bits))
        .chain(ENDS.into_iter().filter(move |&(_, bits)| bits < output_bits))
}

/// Counts collisions of distinct keys' values in each of [`windows`]; bits above `output_bits` must be zero.
fn counts(values: &[u64], output_bits: u32) -> impl Iterator<Item = (Window, u32, u64)> {
    let (low, high) = (Prefixes::low(values), Prefixes::high(values, output_bits));
    let keys = values.len() as u64;
    windows(output_bits).map(move |(window, bits)| {
        let different = match window {
            Window::Whole => prefixes::distinct(values, bits, &high),
            Window::Low => low.different(bits),
            Window::High => high.different(bits),
        };
        (window, bits, keys - different)
    })
}

/// Returns the first key in the set that shares its compared bits with an earlier key, as (earlier key, key).
fn example(values: &[u64], output_bits: u32, (window, bits): (Window, u32)) -> Option<(usize, usize)> {
    let compared = |value: u64| match window {
        Window::Whole => value,
        Window::High => value >> (output_bits - bits),
        Window::Low => value & (u64::MAX >> (64 - bits)),
    };
    let mut seen: HashMap<u64, usize> = HashMap::new();
    values.iter().enumerate().find_map(|(index, &value)| {
        let before = seen.insert(compared(value), index)?;
        Some((before, index))
    })
}

/// Counts the collisions of each function on each set, by set, function and window, and judges them.
fn measure(functions: &[&Function], progress: &dyn Progress, records: &mut Records) -> Result<(), Cancelled> {
    let seed = records.run.seed;
    let windows = functions
        .iter()
        .map(|function| windows(function.output_bits).count());
    let tests = structured::ALL.len() * windows.sum::<usize>();
    progress.begin("structured keys", structured::ALL.len() as u64);
    let rows: Result<Vec<Vec<StructuredRow>>, Cancelled> = structured::ALL
        .par_iter()
        .map(|set| {
            go_on(progress)?;
            let keys = set.keys(seed);
            let rows: Vec<Vec<StructuredRow>> = functions
                .par_iter()
                .map(|function| {
                    go_on(progress)?;
                    Ok(of(set.name, &keys, function, tests))
                })
                .collect::<Result<_, Cancelled>>()?;
            progress.step();
            Ok(rows.concat())
        })
        .collect();
    records.structured = rows?.concat();
    Ok(())
}

/// Counts the collisions of one function on the keys of the set called `set`, judged among `tests` tests. Only rows worse
/// than chance get an example, since finding it takes as long as counting.
pub fn of(set: &str, keys: &KeySet, function: &Function, tests: usize) -> Vec<StructuredRow> {
    let values: Vec<u64> = keys.iter().map(function.hash).collect();
    let row = |(window, bits, collisions)| {
        let law = CollisionLaw::new(keys.len() as u64, bits);
        let (ci_low, ci_high) = law.mean_interval(collisions, INTERVAL_LEVEL);
        let (expected, p_value) = (law.expected(), law.two_sided_p(collisions));
        let p_adjusted = bonferroni(p_value, tests);
        let verdict = verdict(collisions as f64, expected, ci_low, p_adjusted);
        let example = (verdict > Verdict::WithinChance)
            .then(|| example(&values, function.output_bits, (window, bits)))
            .flatten();
        let [first, second] = example.map_or_else(Default::default, |(first, second)| {
            [first, second].map(|index| printed(keys.get(index)))
        });
        StructuredRow {
            set: set.to_owned(),
            function: function.name.to_owned(),
            window,
            bits,
            keys: keys.len() as u64,
            collisions,
            expected,
            ci_low,
            ci_high,
            p_value,
            p_adjusted,
            verdict,
            first,
            second,
        }
    };
    counts(&values, function.output_bits).map(row).collect()
}

/// Returns the row furthest above chance among rows about one function and set, if any is above.
pub(crate) fn worst<'a>(rows: impl Iterator<Item = &'a StructuredRow>) -> Option<&'a StructuredRow> {
    rows.filter(|row| row.verdict > Verdict::WithinChance)
        .max_by(|a, b| ratio(a).total_cmp(&ratio(b)))
}

/// The sets on which a function collides more than by chance.
pub(crate) struct SetsFailed {
    pub(crate) failed: usize,
    /// The failed sets that fail only in their high bits.
    pub(crate) high_only: usize,
    pub(crate) tried: usize,
}

/// Returns the results of `function` on structured keys, or `None` if it was tried on none.
pub(crate) fn sets_failed(records: &Records, function: &str) -> Option<SetsFailed> {
    let rows = || record::of(&records.structured, function);
    let sets = |counts: &dyn Fn(&StructuredRow) -> bool| {
        let names = rows().filter(|row| counts(row)).map(|row| row.set.as_str());
        names.collect::<BTreeSet<&str>>().len()
    };
    let fails = |row: &StructuredRow| row.verdict > Verdict::WithinChance;
    let (failed, tried) = (sets(&fails), sets(&|_| true));
    let elsewhere = sets(&|row| fails(row) && row.window != Window::High);
    (tried > 0).then_some(SetsFailed {
        failed,
        high_only: failed - elsewhere,
        tried,
    })
}

/// Returns the structured set most like the keys of a dataset, if there is one.
pub(crate) fn nearest(dataset: &DatasetSummary) -> Option<&'static StructuredSet> {
    let entries = &Manifest::embedded().datasets;
    if dataset.kind == DatasetKind::File {
        return None;
    }
    let entry = entries.iter().find(|entry| entry.name == dataset.name)?;
    let name = entry.nearest_structured.as_deref()?;
    structured::ALL.iter().find(|set| set.name == name)
}

/// Returns the ratio of collisions to chance, which is huge if chance gives none.
pub(crate) fn ratio(row: &StructuredRow) -> f64 {
    row.collisions as f64 / row.expected.max(1e-300)
}

/// Draws the chart from `structured.csv` alone; `None` in runs without these rows.
fn scene(records: &Records) -> Option<Scene> {
    let all = &records.structured;
    let sets = distinct(all.iter().map(|row| row.set.as_str()));
    let functions = distinct(all.iter().map(|row| row.function.as_str()));
    all.first()?;
    let column = |set: &&str| Column {
        group: "",
        head: set.replacen('-', "\n", 1),
        width: 48.0,
    };
    let cell = |at: (usize, usize)| {
        let (function, set) = (functions[at.0], sets[at.1]);
        let mut of_cell = record::of(all, function).filter(|row| row.set == set).peekable();
        of_cell.peek()?;
        let worst = worst(of_cell);
        let shade = Significance::of(worst.map_or(1.0, |row| row.p_value));
        Some(Cell {
            at,
            fill: shade.fill(),
            ink: shade.ink(),
            text: worst.map_or_else(String::new, |row| short(ratio(row))),
        })
    };
    let places = (0..functions.len()).flat_map(|row| (0..sets.len()).map(move |column| (row, column)));
    let table = Table {
        description: "Structured keys: ratio of each function's collisions to chance, per key set".to_owned(),
        title: "Structured keys".to_owned(),
        key: &Significance::KEY,
        names: &functions,
        columns: sets.iter().map(column).collect(),
        notes: &[
            "Columns: key sets. Cells: ratio of collisions to chance at the worst width, where significant after \
                  correction for all tests; shaded by p at that width.",
        ],
        cells: places.filter_map(cell).collect(),
    };
    Some(table.scene())
}

/// Formats a ratio above 1 in at most four characters.
fn short(ratio: f64) -> String {
    match ratio {
        _ if ratio < 9.95 => format!("{ratio:.1}"),
        _ if ratio < 9_999.5 => format!("{ratio:.0}"),
        _ => format!("{ratio:.0e}"),
    }
}
