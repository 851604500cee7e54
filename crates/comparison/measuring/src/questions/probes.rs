//! Keys in a table of open addressing with linear probing: the slots that are looked at for an absent and for a present key.
//!
//! Other than in chained buckets, keys of neighbouring slots are in each other's way: a function that gives keys slots in a row
//! makes one run of them, which every absent key of these slots passes.

use super::judging::verdict;
use super::on_dataset::DatasetRows;
use super::tables::{Cell, Column, Table};
use super::{Hashed, Measure, Of, Question, Records, Section};
use crate::keys::Dataset;
use crate::record::{Choice, CostRow, Verdict, about, rows};
use statistics::correction::bonferroni;
use statistics::probes::ProbeLaw;

rows! {
    /// A row of `probes.csv`: a table of a power of two slots at one load, which is `keys / slots`, under linear probing.
    pub struct ProbeRow: [dataset] {
        /// The way in which the first slot of a key is chosen.
        pub choice: Choice,
        /// Number of slots.
        pub slots: u64,
        /// Keys in the table, the first ones of the dataset.
        pub keys: u64,
        /// Mean number of probes for an absent key, over all slots.
        pub miss: f64,
        /// Its expectation with a random function.
        pub miss_expected: f64,
        /// Mean number of probes for a present key.
        pub hit: f64,
        /// Its expectation with a random function.
        pub hit_expected: f64,
        /// The larger of the two ratios of probes to their expectation, less 1, at most [`CostRow::MAX`].
        pub cost: f64,
        /// The p-value of the probes for absent keys: of the upper tail, in this row alone.
        pub p_value: f64,
        /// `p_value` corrected for the number of rows in the file (Bonferroni).
        pub p_adjusted: f64,
        /// The verdict on the probes for absent keys.
        pub verdict: Verdict,
    }
}

pub(super) const QUESTION: Question = Question {
    measure: Measure::Values(|dataset, hashed, records| records.probes.extend(measure(dataset, hashed))),
    judge: |records| {
        let tests = records.probes.len();
        for row in &mut records.probes {
            row.p_adjusted = bonferroni(row.p_value, tests);
            let (above, expected) = (row.miss - 1.0, row.miss_expected - 1.0);
            row.verdict = verdict(above, expected, above, row.p_adjusted);
        }
    },
    columns: |data, function| {
        let fullest = |head, choice| {
            let rows = data.about(&data.records.probes, function);
            let row = rows.filter(|row| row.choice == choice).last();
            (head, row.map(|row| Cell::digits(row.miss)).into())
        };
        vec![
            fullest("Linear probing at 90 %, absent key, low bits", Choice::LowBits),
            fullest("Linear probing at 90 %, absent key, high bits", Choice::HighBits),
        ]
    },
    sections: &[Section {
        title: "linear probing",
        id: None,
        text: "Tables of open addressing: a key whose slot is taken goes to the next free one. They have a power of two slots, and the \
               first keys fill them to 50, 60, 70, 80 and 90 %. Counted are the slots that are looked at for an absent key, and at \
               90 % for a present one. The comparisons elsewhere on this page are those of chained buckets: a function that puts keys \
               into slots in a row looks good there, and makes long runs here. The verdict is that on all loads; the advice does not \
               use it.",
        folded: true,
        charts: &[],
        tables: Of::Dataset(table),
    }],
    ..Question::NONE
};

/// The ways of choosing the first slot of a key.
const CHOICES: [Choice; 2] = [Choice::LowBits, Choice::HighBits];
/// The loads, in tenths of the slots.
const TENTHS: std::ops::RangeInclusive<usize> = 5..=9;
/// The binary logarithms of the numbers of slots. Smaller tables say little; larger ones would take time and add no information.
const LOGARITHMS: std::ops::RangeInclusive<u32> = 8..=20;

/// Returns the number of slots: the largest that the keys can fill to the highest load.
fn slots(keys: usize) -> Option<usize> {
    let all = LOGARITHMS.rev().map(|bits| 1_usize << bits);
    all.into_iter().find(|slots| slots * TENTHS.end() / 10 <= keys)
}

/// Fills a table for each way of choosing slots, and counts at each load. Each row is that of a single test until all are judged.
fn measure(dataset: &Dataset, hashed: &Hashed<'_>) -> Vec<ProbeRow> {
    let Some(slots) = slots(hashed.values.len()) else {
        return Vec::new();
    };
    let bits = hashed.function.facts.output_bits;
    let mut rows = Vec::new();
    for choice in CHOICES {
        let slot = |value: u64| match choice {
            Choice::LowBits => value as usize & (slots - 1),
            _ => ((u128::from(value) * slots as u128) >> bits) as usize,
        };
        let (mut counts, mut filled) = (vec![0_u32; slots], 0);
        for keys in TENTHS.map(|tenths| slots * tenths / 10) {
            hashed.values[filled..keys]
                .iter()
                .for_each(|value| counts[slot(*value)] += 1);
            filled = keys;
            let (misses, hits) = probes(&counts);
            let law = ProbeLaw::new(keys as u64, slots as u64);
            let (miss, hit) = (misses as f64 / slots as f64, hits as f64 / keys as f64);
            let ratio = (miss / law.miss()).max(hit / law.hit());
            let p_value = law.miss_p(misses);
            rows.push(ProbeRow {
                dataset: dataset.summary.name.clone(),
                function: hashed.function.facts.name.clone(),
                choice,
                slots: slots as u64,
                keys: keys as u64,
                miss,
                miss_expected: law.miss(),
                hit,
                hit_expected: law.hit(),
                cost: (ratio - 1.0).min(CostRow::MAX),
                p_value,
                p_adjusted: p_value,
                verdict: Verdict::WithinChance,
            });
        }
    }
    rows
}

/// Returns the probes for an absent key of each slot, and those for all keys, given the number of keys of each slot; at least one slot
/// must be free. In which order the keys came does not matter to either sum.
///
/// # Panics
///
/// If there are no fewer keys than slots.
pub fn probes(counts: &[u32]) -> (u64, u64) {
    // Keys that go on to the next slot: round the table once to know those of the last slot, and then up to a free slot.
    let next = |waiting: u64, count: u32| (waiting + u64::from(count)).saturating_sub(1);
    let round = counts.iter().copied().fold(0, next);
    let mut waiting = round;
    let free = counts.iter().position(|&count| {
        let is_free = waiting + u64::from(count) == 0;
        waiting = next(waiting, count);
        is_free
    });
    let free = free.expect("a free slot");
    let (mut misses, mut hits, mut run, mut waiting) = (0, 0, 0, 0);
    for &count in counts[free..].iter().chain(&counts[..free]) {
        let is_free = waiting + u64::from(count) == 0;
        run = if is_free { 0 } else { run + 1 };
        // A run of so many slots has one more absent key that passes all of it, and each passes the free slot or its own.
        misses += run + 1;
        waiting = next(waiting, count);
        hits += u64::from(count) + waiting;
    }
    (misses, hits)
}

impl ProbeRow {
    /// Returns true if there are more probes than chance explains.
    pub fn is_worse(&self) -> bool {
        self.verdict > Verdict::WithinChance
    }
}

/// Returns the costliest table of each choice of slots that is measurably worse than chance.
pub fn costliest<'a>(
    records: &'a Records,
    dataset: &str,
    function: &str,
) -> impl Iterator<Item = &'a ProbeRow> {
    let worse = |choice| {
        let rows = about(&records.probes, dataset, function);
        let worse = rows.filter(move |row| row.choice == choice && row.is_worse());
        worse.max_by(|a, b| a.cost.total_cmp(&b.cost))
    };
    CHOICES.into_iter().filter_map(worse)
}

/// The rows of one table at all loads.
type Loads = Vec<ProbeRow>;

const COLUMNS: &[Column<Loads>] = &[
    ("Function", |rows| Cell::Name(rows[0].function.clone())),
    ("Slot by", |rows| Cell::text(rows[0].choice.describe())),
    ("Slots", |rows| Cell::Count(rows[0].slots)),
    ("Absent, 50 %", |rows| at(rows, 0)),
    ("60 %", |rows| at(rows, 1)),
    ("70 %", |rows| at(rows, 2)),
    ("80 %", |rows| at(rows, 3)),
    ("90 %", |rows| at(rows, 4)),
    ("Present, 90 %", |rows| {
        rows.last().map(|row| Cell::digits(row.hit)).into()
    }),
    ("Verdict", |rows| {
        rows.iter().map(|row| row.verdict).max().map(Cell::Verdict).into()
    }),
];

fn at(rows: &[ProbeRow], load: usize) -> Cell {
    rows.get(load).map(|row| Cell::digits(row.miss)).into()
}

/// Returns the probes by function and choice, after those of chance.
fn table(data: &DatasetRows<'_>) -> Vec<Table> {
    let rows: Vec<ProbeRow> = data.rows(&data.records.probes).cloned().collect();
    let is_same = |a: &ProbeRow, b: &ProbeRow| (&a.function, a.choice) == (&b.function, b.choice);
    let tables: Vec<Loads> = rows.chunk_by(is_same).map(<[_]>::to_vec).collect();
    let mut table = Table::of("linear probing", COLUMNS, &tables);
    if let Some(first) = tables.first() {
        let mut chance = vec![
            Cell::Name("by chance".to_owned()),
            Cell::Empty,
            Cell::Count(first[0].slots),
        ];
        chance.extend(first.iter().map(|row| Cell::digits(row.miss_expected)));
        chance.extend(first.last().map(|row| Cell::digits(row.hit_expected)));
        chance.push(Cell::Empty);
        table.rows.insert(0, chance);
    }
    vec![table]
}
