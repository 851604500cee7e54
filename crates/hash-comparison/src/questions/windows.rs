//! Collisions in the low and the high bits of the values, and in all of them.
//!
//! Tables use some low or some high bits of a hash, never all of them.

use core::ops::RangeInclusive;

use super::{Cost, Measure, Question, rows};
use crate::chance::INTERVAL_LEVEL;
use crate::record::{BitFact, BitTest, Purpose, about, stored};
use crate::values::Hashed;
use crate::values::prefixes::{self, Prefixes};
use crate::words;
use records::number::grouped;
use statistics::collisions::CollisionLaw;
use statistics::correction::{FAMILY_LEVEL, bonferroni};

stored! {
    /// The bits of a value that a window takes.
    pub enum WindowEnd {
        /// The lowest bits.
        Low,
        /// The highest bits of the function's own output.
        High,
        /// All bits of the function.
        Full,
    }
}

rows! {
    /// A row of `windows.csv`: collisions of a key set in some bits of the values.
    pub struct WindowRow: [dataset, function] {
        /// The position of the window.
        pub end: WindowEnd,
        /// Number of bits in the window.
        pub bits: u32,
        /// Distinct keys.
        pub keys: u64,
        /// Distinct keys minus distinct values of the window.
        pub collisions: u64,
        /// Expected collisions of a random function.
        pub expected: f64,
        /// Two-sided p-value of this window alone.
        pub p_value: f64,
        /// Lower end of the 99 % interval for the mean number of collisions.
        pub ci_low: f64,
        /// Upper end of that interval.
        pub ci_high: f64,
        /// `p_value` corrected for the number of rows in the file (Bonferroni).
        pub p_adjusted: f64,
    }
}

pub(super) const QUESTION: Question = Question {
    measure: Measure::Values(|dataset, hashed, records| {
        records.windows.extend(measure(&dataset.name, hashed));
    }),
    judge: |records| judge(&mut records.windows),
    facts: |records| facts(&records.windows).collect(),
    costs: |records, dataset, function| {
        let rows = about(&records.windows, &dataset.name, &function.name);
        let full = rows.filter(|row| row.end == WindowEnd::Full);
        let cost = |row: &WindowRow| Cost {
            purpose: Purpose::Checksum,
            place: place(row),
            measured: row.collisions as f64,
            chance: row.expected,
            p_adjusted: row.p_adjusted,
        };
        full.map(cost).collect()
    },
    ..Question::NONE
};

/// Widths of the windows at either end.
pub const WIDTHS: RangeInclusive<u32> = 8..=32;

/// A window is tested only if its worst outcome, all keys on one value, is less likely than this by chance: 1 % over
/// 100,000 tests. In other windows no count could tell anything.
const LEAST_TELLING: f64 = 1e-7;

/// Returns the windows that are tested for a function of `output_bits` bits over `keys` keys, in the order of the rows:
/// low ones, high ones, then all bits. The window of all bits occurs once, as [`WindowEnd::Full`].
pub fn asked(keys: u64, output_bits: u32) -> Vec<(WindowEnd, u32)> {
    let telling = |bits: u32| keys > 1 && CollisionLaw::new(keys, bits).two_sided_p(keys - 1) < LEAST_TELLING;
    let narrow = |end| {
        WIDTHS
            .filter(move |&bits| bits < output_bits)
            .map(move |bits| (end, bits))
    };
    narrow(WindowEnd::Low)
        .chain(narrow(WindowEnd::High))
        .chain([(WindowEnd::Full, output_bits)])
        .filter(|&(_, bits)| telling(bits))
        .collect()
}

/// Returns the rows of one function, whose values of all keys of the dataset are `hashed`. `p_adjusted` is that of a
/// single test until all rows are judged.
pub fn measure(dataset: &str, hashed: &Hashed<'_>) -> Vec<WindowRow> {
    let (function, values) = (hashed.function, hashed.values64());
    let keys = values.len() as u64;
    let windows = asked(keys, function.output_bits);
    if windows.is_empty() {
        return Vec::new();
    }
    let (low, high) = (hashed.low(), Prefixes::high(values, function.output_bits));
    windows
        .into_iter()
        .map(|(end, bits)| {
            let different = match end {
                WindowEnd::Low => low.different(bits),
                WindowEnd::High => high.different(bits),
                WindowEnd::Full => prefixes::distinct(values, bits, &high),
            };
            let collisions = keys - different;
            let law = CollisionLaw::new(keys, bits);
            let p_value = law.two_sided_p(collisions);
            let (ci_low, ci_high) = law.mean_interval(collisions, INTERVAL_LEVEL);
            WindowRow {
                dataset: dataset.to_owned(),
                function: function.name.to_owned(),
                end,
                bits,
                keys,
                collisions,
                expected: law.expected(),
                p_value,
                ci_low,
                ci_high,
                p_adjusted: p_value,
            }
        })
        .collect()
}

/// Corrects the p-values for the number of rows, over all functions and datasets.
pub fn judge(rows: &mut [WindowRow]) {
    let tests = rows.len();
    for row in rows {
        row.p_adjusted = bonferroni(row.p_value, tests);
    }
}

/// Returns true if a window has more collisions than chance explains.
pub fn failed(row: &WindowRow) -> bool {
    row.p_adjusted < FAMILY_LEVEL && row.collisions as f64 > row.expected
}

/// Describes the place of a window.
pub(crate) fn place(row: &WindowRow) -> String {
    match row.end {
        WindowEnd::Low => format!("the low {} bits", row.bits),
        WindowEnd::High => format!("the high {} bits", row.bits),
        WindowEnd::Full => format!("all {} bits", row.bits),
    }
}

/// Returns one fact for each dataset and function with a failed window.
fn facts(rows: &[WindowRow]) -> impl Iterator<Item = BitFact> {
    rows.chunk_by(|a, b| a.dataset == b.dataset && a.function == b.function)
        .filter_map(|rows| {
            Some(BitFact {
                dataset: Some(rows[0].dataset.clone()),
                function: rows[0].function.clone(),
                test: BitTest::Windows,
                reason: reason(rows)?,
            })
        })
}

/// Returns the number of windows with too many collisions and the worst of them, or `None` if no window failed.
fn reason(rows: &[WindowRow]) -> Option<String> {
    let failed = || rows.iter().filter(|row| failed(row));
    let ratio = |row: &WindowRow| row.collisions as f64 / row.expected;
    // `max_by` takes the last of equal rows: the widest.
    let worst = failed().max_by(|a, b| ratio(a).total_cmp(&ratio(b)))?;
    let place = place(worst);
    Some(format!(
        "{} of {} windows of the output collide more than by chance; furthest off are {place}: {} of {} keys collide; chance: {}",
        failed().count(),
        rows.len(),
        grouped(worst.collisions),
        grouped(worst.keys),
        words::figure(worst.expected),
    ))
}
