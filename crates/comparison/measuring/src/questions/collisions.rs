//! Collisions: distinct keys minus distinct values, in some low or high bits of the values and in all of them.
//!
//! All rows are of one type and counted in one way. A file of them is a family of tests: each p-value is corrected for the
//! number of rows in its file.

pub mod structured;
mod tables;
pub mod width;

use core::cmp::Ordering;
use core::ops::RangeInclusive;
use std::collections::HashMap;

use super::judging::{IDEAL_BITS, INTERVAL_LEVEL, rounded, verdict};
use super::on_dataset::DatasetRows;
use super::tables::Cell;
use super::{ChartKind, Defect, Hashed, Measure, Of, Question, Section};
use crate::keys::{Dataset, printed};
use crate::record::{
    BitFact, BitTest, Choice, CostRow, DatasetKind, End, FailedTest, Purpose, Unit, Verdict, about, rows,
};
use statistics::collisions::CollisionLaw;
use statistics::correction::bonferroni;
use terminal::number::grouped;

rows! {
    /// A row of `collisions.csv`, of `windows.csv`, and of `structured.csv`, whose datasets are the structured key sets.
    pub struct CollisionRow: [dataset] {
        /// The bits that are compared.
        pub end: End,
        /// Number of compared bits.
        pub bits: u32,
        /// Distinct keys.
        pub keys: u64,
        /// Distinct keys minus distinct values of these bits.
        pub collisions: u64,
        /// Expected collisions of a random function.
        pub expected: f64,
        /// Two-sided p-value of this test alone.
        pub p_value: f64,
        /// Lower end of the 99 % interval for the mean number of collisions.
        pub ci_low: f64,
        /// Upper end of that interval.
        pub ci_high: f64,
        /// `p_value` corrected for the number of rows in the file (Bonferroni).
        pub p_adjusted: f64,
        /// The verdict of this row.
        pub verdict: Verdict,
        /// A key that shares the compared bits with a later one, escaped for print; empty without collisions, and in
        /// `windows.csv`.
        pub first: String,
        /// That later key, the first in the order of the dataset.
        pub second: String,
    }
}

impl<'a> DatasetRows<'a> {
    /// Returns the collisions of `function` at the widest width compared.
    pub fn full_width(&self, function: &str) -> Option<&'a CollisionRow> {
        self.about(&self.records.collisions, function)
            .max_by_key(|row| row.bits)
    }
}

pub(super) const QUESTION: Question = Question {
    structured: true,
    measure: Measure::Values(|dataset, hashed, records| {
        let (keys, bits) = (dataset.keys.len() as u64, hashed.function.facts.output_bits);
        if dataset.summary.kind == DatasetKind::Structured {
            let rows = measure(dataset, hashed, few(bits));
            records.structured.extend(with_keys(rows, dataset, hashed));
        } else {
            let mut rows = measure(dataset, hashed, low(bits).chain(windows(keys, bits)));
            records.windows.extend(rows.split_off(low(bits).count()));
            records.collisions.extend(with_keys(rows, dataset, hashed));
        }
    }),
    judge: |records| {
        judge(&mut records.collisions);
        judge(&mut records.windows);
        judge(&mut records.structured);
    },
    defects: |records, dataset, function| defects(&records.collisions, &dataset.name, &function.name),
    facts: |records| facts(&records.windows).collect(),
    costs: |records, dataset, function| {
        let cost = |row: &CollisionRow, purpose| CostRow {
            dataset: row.dataset.clone(),
            function: row.function.clone(),
            purpose,
            unit: Unit::Collisions,
            choice: match row.end {
                End::Low => Some(Choice::LowBits),
                End::High => Some(Choice::HighBits),
                End::Full => None,
            },
            size: row.bits.into(),
            keys: row.keys,
            sizes: 1,
            measured: row.collisions as f64,
            chance: row.expected,
            cost: 0.0,
            p_adjusted: row.p_adjusted,
            measurable: false,
            decides: purpose.is_some(),
            shown: true,
            costliest: false,
        };
        let whole = about(&records.windows, &dataset.name, &function.name).filter(|row| row.end == End::Full);
        let compared = about(&records.collisions, &dataset.name, &function.name);
        let compared = compared.max_by_key(|row| row.bits).map(|row| cost(row, None));
        let whole = whole.map(|row| cost(row, Some(Purpose::Checksum)));
        compared.into_iter().chain(whole).collect()
    },
    at: |row, function, keys| {
        let bits = u32::try_from(row.size)
            .ok()
            .filter(|_| row.unit == Unit::Collisions)?;
        let own = bits.min(function.effective_bits());
        Some([bits, own].map(|bits| match bits {
            // The values of a constant function are one.
            0 => keys.saturating_sub(1) as f64,
            _ => CollisionLaw::new(keys, bits).expected(),
        }))
    },
    columns: |data, function| {
        let row = data.full_width(function);
        let mut functions = data.records.run.functions.iter();
        let output_bits = functions.find(|one| one.name == function);
        let shown = |row: &CollisionRow| match output_bits.map_or(0, |one| one.output_bits) {
            bits if bits > row.bits => Cell::As(row.bits.into(), format!("low {} of {bits}", row.bits)),
            bits => Cell::Count(bits.into()),
        };
        vec![
            ("Collisions", row.map(|row| Cell::Count(row.collisions)).into()),
            ("Expected", row.map(|row| Cell::digits(row.expected)).into()),
            ("Bits compared", row.map(shown).into()),
        ]
    },
    sections: &[
        Section {
            title: "windows of the values",
            id: None,
            text: "Collisions in the low or high 8 to 32 bits alone.",
            folded: true,
            charts: &[],
            tables: Of::Dataset(tables::windows),
        },
        Section {
            title: "Structured keys",
            id: Some("structured"),
            text: "Counters, sparse bits, repeated blocks, shared prefixes: these sets show what to expect of a function on \
                   unknown keys. Counted are collisions in the whole hash and in its low and high bits; at most 1 % of runs \
                   accuse an ideal hash. For information only: neither the test results above nor the advice use them.",
            folded: true,
            charts: &[ChartKind::new("structured-keys", Of::Run(structured::scene))],
            tables: Of::Run(tables::structured),
        },
    ],
};

/// The ends of a value that are compared in addition to the whole: the bits that tables and filters take of wide
/// values, and narrow enough for small sets to distinguish functions.
const ENDS: [(End, u32); 5] = [
    (End::Low, 32),
    (End::Low, 24),
    (End::Low, 20),
    (End::High, 24),
    (End::High, 20),
];

/// Returns the windows of structured keys, of a function of `output_bits` bits: all bits, then each of `ENDS`.
pub fn few(output_bits: u32) -> impl Iterator<Item = (End, u32)> {
    let ends = ENDS.into_iter().filter(move |&(_, bits)| bits < output_bits);
    std::iter::once((End::Full, output_bits)).chain(ends)
}

/// Returns the windows of `collisions.csv`: the low 32 bits, or all if there are fewer, and narrower ones, widest first.
pub fn low(output_bits: u32) -> impl Iterator<Item = (End, u32)> {
    few(output_bits).filter(|&(end, bits)| end != End::High && bits <= IDEAL_BITS)
}

/// Widths of the windows at either end.
const WIDTHS: RangeInclusive<u32> = 8..=32;

/// A window is tested only if its worst outcome, all keys on one value, is less likely than this by chance: 1 % over
/// 100,000 tests. In other windows no count is significant.
const LEAST_TELLING: f64 = 1e-7;

/// Returns the windows of `windows.csv` for a function of `output_bits` bits over `keys` keys: low ones, high ones, then
/// all bits, which occur once.
pub fn windows(keys: u64, output_bits: u32) -> impl Iterator<Item = (End, u32)> {
    let narrow = move |end| {
        let widths = WIDTHS.filter(move |&bits| bits < output_bits);
        widths.map(move |bits| (end, bits))
    };
    let all = narrow(End::Low)
        .chain(narrow(End::High))
        .chain([(End::Full, output_bits)]);
    all.filter(move |&(_, bits)| {
        keys > 1 && CollisionLaw::new(keys, bits).two_sided_p(keys - 1) < LEAST_TELLING
    })
}

/// Counts the collisions of one function on one dataset in each window. Each row is that of a single test until all are
/// judged, and names no keys.
///
/// # Panics
///
/// Panics if `hashed` is not of the keys of `dataset`.
pub fn measure(
    dataset: &Dataset,
    hashed: &Hashed<'_>,
    windows: impl Iterator<Item = (End, u32)>,
) -> Vec<CollisionRow> {
    let keys = hashed.values.len();
    assert_eq!(keys, dataset.keys.len(), "values of other keys");
    let keys = keys as u64;
    let different = Different::of(&hashed.values, hashed.function.facts.output_bits);
    let row = |(end, bits)| {
        let collisions = keys - different.at(end, bits);
        let law = CollisionLaw::new(keys, bits);
        let (ci_low, ci_high) = law.mean_interval(collisions, INTERVAL_LEVEL);
        let p_value = law.two_sided_p(collisions);
        CollisionRow {
            dataset: dataset.summary.name.clone(),
            function: hashed.function.facts.name.clone(),
            end,
            bits,
            keys,
            collisions,
            expected: law.expected(),
            p_value,
            ci_low,
            ci_high,
            p_adjusted: p_value,
            verdict: Verdict::WithinChance,
            first: String::new(),
            second: String::new(),
        }
    };
    windows.map(row).collect()
}

/// Words are compared up to this many bits.
const WORD: u32 = u32::BITS;

/// Numbers of different values of the bits at either end of many values, for all numbers of bits at once.
///
/// One pass over sorted words counts the different prefixes of every length: two neighbours differ in their first b
/// bits if they have fewer than b leading bits in common. With the bit order reversed, the prefixes are the low bits.
/// Words of 32 bits are enough for every measured window; wider values are only compared in full.
#[derive(Debug, Clone)]
pub struct Different {
    /// Counts by number of bits, from 0.
    low: [u64; WORD as usize + 1],
    high: [u64; WORD as usize + 1],
    full: u64,
}

impl Different {
    /// Counts the values, which have `bits` bits, 1 to 64.
    pub fn of(values: &[u64], bits: u32) -> Self {
        let mut words = Words::default();
        let (low, _) = words.prefixes(values.iter().map(|&value| (value as u32).reverse_bits()));
        let (high, repeated) = words.prefixes(values.iter().map(|&value| leading(value, bits)));
        let full = if bits <= WORD {
            high[bits as usize]
        } else {
            // Only values whose leading half is repeated can be equal. A good function has few, and sorting these is
            // cheaper than sorting all 64-bit values.
            let is_repeated = |value: &u64| repeated.binary_search(&leading(*value, bits)).is_ok();
            let mut suspects: Vec<u64> = values.iter().copied().filter(is_repeated).collect();
            suspects.sort_unstable();
            let again = suspects.windows(2).filter(|pair| pair[0] == pair[1]).count();
            (values.len() - again) as u64
        };
        Self { low, high, full }
    }

    /// Returns the number of different values of `bits` bits at an end, at most 32, or of all bits.
    pub fn at(&self, end: End, bits: u32) -> u64 {
        match end {
            End::Low => self.low[bits as usize],
            End::High => self.high[bits as usize],
            End::Full => self.full,
        }
    }
}

/// Words to be sorted, and room for as many.
#[derive(Debug, Default)]
struct Words {
    words: Vec<u32>,
    room: Vec<u32>,
}

impl Words {
    /// Counts the different prefixes of the words by their number of bits, and lists the words that occur more than
    /// once, each once and in order.
    fn prefixes(&mut self, words: impl Iterator<Item = u32>) -> ([u64; WORD as usize + 1], Vec<u32>) {
        self.words.clear();
        self.words.extend(words);
        self.sort();
        let mut repeated = Vec::new();
        // Counts neighbours by their number of common leading bits, which is all bits for a repeated word.
        let mut in_common = [0_u64; WORD as usize + 1];
        for pair in self.words.windows(2) {
            in_common[(pair[0] ^ pair[1]).leading_zeros() as usize] += 1;
            if pair[0] == pair[1] && repeated.last() != Some(&pair[0]) {
                repeated.push(pair[0]);
            }
        }
        let mut different = [u64::from(!self.words.is_empty()); WORD as usize + 1];
        for bits in 1..different.len() {
            different[bits] = different[bits - 1] + in_common[bits - 1];
        }
        (different, repeated)
    }

    /// Sorts many words by their bytes: first into parts of one highest byte, which caches hold, then each part by the other
    /// bytes, the lowest first.
    fn sort(&mut self) {
        const FEW: usize = 1 << 15;
        let Self { words, room } = self;
        if words.len() < FEW {
            return words.sort_unstable();
        }
        room.resize(words.len(), 0);
        let mut start = 0;
        for end in by_byte(3, words, room) {
            let (words, room) = (&mut words[start..end], &mut room[start..end]);
            by_byte(0, room, words);
            by_byte(1, words, room);
            by_byte(2, room, words);
            start = end;
        }
    }
}

/// Copies words in the order of one of their bytes, and those of one value in the order in which they are. Returns the end of
/// each value's words.
fn by_byte(byte: usize, from: &[u32], to: &mut [u32]) -> [usize; 256] {
    let value = |word: u32| usize::from(word.to_le_bytes()[byte]);
    let mut places = [0; 256];
    from.iter().for_each(|&word| places[value(word)] += 1);
    let mut before = 0;
    for place in &mut places {
        before += std::mem::replace(place, before);
    }
    for &word in from {
        let place = &mut places[value(word)];
        to[*place] = word;
        *place += 1;
    }
    places
}

/// Returns the first 32 of the `bits` bits of `value`, padded with zeros if there are fewer.
fn leading(value: u64, bits: u32) -> u32 {
    (value << (u64::BITS - bits) >> WORD) as u32
}

/// Names two keys that collide in each row with a collision.
fn with_keys(mut rows: Vec<CollisionRow>, dataset: &Dataset, hashed: &Hashed<'_>) -> Vec<CollisionRow> {
    for row in rows.iter_mut().filter(|row| row.collisions > 0) {
        let part = |value: u64| match row.end {
            End::Full => value,
            End::High => value >> (hashed.function.facts.output_bits - row.bits),
            End::Low => value & (u64::MAX >> (64 - row.bits)),
        };
        let mut seen: HashMap<u64, usize> = HashMap::new();
        let pair = hashed.values.iter().enumerate().find_map(|(index, &value)| {
            let before = seen.insert(part(value), index)?;
            Some([before, index])
        });
        if let Some(pair) = pair {
            [row.first, row.second] = pair.map(|index| printed(dataset.keys.get(index)));
        }
    }
    rows
}

/// Judges the rows of a file.
pub fn judge(rows: &mut [CollisionRow]) {
    let tests = rows.len();
    for row in rows {
        row.p_adjusted = bonferroni(row.p_value, tests);
        row.verdict = verdict(row.collisions as f64, row.expected, row.ci_low, row.p_adjusted);
    }
}

impl CollisionRow {
    /// Returns true if there are more collisions than chance explains.
    pub fn is_worse(&self) -> bool {
        self.verdict > Verdict::WithinChance
    }

    /// Describes the compared bits.
    pub(crate) fn place(&self) -> String {
        match self.end {
            End::Low => format!("the low {} bits", self.bits),
            End::High => format!("the high {} bits", self.bits),
            End::Full => format!("all {} bits", self.bits),
        }
    }

    /// Returns the ratio of collisions to chance, or `None` if chance gives none.
    pub fn ratio(&self) -> Option<f64> {
        self.over_expected(self.collisions as f64)
    }

    /// Compares by that ratio.
    fn by_ratio(&self, other: &Self) -> Ordering {
        let ratio = |row: &Self| row.ratio().unwrap_or(1.0);
        ratio(self).total_cmp(&ratio(other))
    }

    /// Returns the ratio of `count` to the collisions by chance, or `None` if chance gives none.
    pub fn over_expected(&self, count: f64) -> Option<f64> {
        let ratio = count / self.expected;
        (self.expected > 0.0 && ratio.is_finite()).then_some(ratio)
    }

    /// Returns the fewest and the most collisions that a random function would show, at 1 % over all `tests` of the file.
    pub fn band(&self, tests: usize) -> [f64; 2] {
        let (least, most) = CollisionLaw::new(self.keys, self.bits).band(tests);
        [least as f64, most as f64]
    }
}

/// Returns the row furthest above chance among those that are worse, the last of equal ones.
pub fn furthest<'a>(rows: impl IntoIterator<Item = &'a CollisionRow>) -> Option<&'a CollisionRow> {
    let worse = rows.into_iter().filter(|row| row.is_worse());
    worse.max_by(|a, b| a.by_ratio(b))
}

/// Returns the number of keys among which a random function of `bits` bits has a collision with a probability of one
/// half, by the birthday bound n (n - 1) = 2^(bits + 1) ln 2.
pub fn even_chance(bits: u32) -> u64 {
    libm::ceil(0.5 + libm::sqrt(0.25 + libm::ldexp(core::f64::consts::LN_2, bits as i32 + 1))) as u64
}

/// Returns the widths that failed, largest ratio first.
fn defects(rows: &[CollisionRow], dataset: &str, function: &str) -> Vec<Defect> {
    let mut rows: Vec<&CollisionRow> = about(rows, dataset, function).collect();
    let own_bits = rows.iter().map(|row| row.bits).max();
    rows.retain(|row| row.is_worse());
    rows.sort_by(|a, b| b.by_ratio(a));
    let defect = |row: &CollisionRow| Defect {
        test: FailedTest::Collisions,
        verdict: row.verdict,
        reason: format!(
            "{} of {} keys collide at {} bits; chance: {}{}",
            grouped(row.collisions),
            grouped(row.keys),
            row.bits,
            rounded(row.expected),
            beside_all_bits(row, own_bits),
        ),
    };
    rows.into_iter().map(defect).collect()
}

/// Returns the chance of all compared bits beside a narrower function's own width: chance at that width hides the missing
/// bits.
fn beside_all_bits(row: &CollisionRow, own_bits: Option<u32>) -> String {
    let expected = CollisionLaw::new(row.keys, IDEAL_BITS).expected();
    if own_bits != Some(row.bits) || row.bits >= IDEAL_BITS || expected <= 0.0 {
        return String::new();
    }
    format!(", of all {IDEAL_BITS} bits {}", rounded(expected))
}

/// Returns one fact for each dataset and function with a failed window: the number of these, and the worst.
fn facts(rows: &[CollisionRow]) -> impl Iterator<Item = BitFact> {
    let of_both = rows.chunk_by(|a, b| (&a.dataset, &a.function) == (&b.dataset, &b.function));
    of_both.filter_map(|rows| {
        let worst = furthest(rows)?;
        Some(BitFact {
            dataset: Some(worst.dataset.clone()),
            function: worst.function.clone(),
            test: BitTest::Windows,
            reason: format!(
                "{} of {} windows of the output collide more than by chance; furthest off are {}: {} of {} keys collide; \
                 chance: {}",
                rows.iter().filter(|row| row.is_worse()).count(),
                rows.len(),
                worst.place(),
                grouped(worst.collisions),
                grouped(worst.keys),
                rounded(worst.expected),
            ),
        })
    })
}
