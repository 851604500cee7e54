//! False-positive rates of every policy and filter, compared with an ideal filter's, by bits per key and by the number
//! of keys. No time is measured.

use filter_formats::{BloomFilter64Policy, policies};
use plots::scale::Scale;
use plots::scene::{INK, Scene};
use plots::xy::{Axis, Marks, Plot, Point, Row as PlotRow, Series, Sheet};
use records::number;
use records::number::grouped;

use crate::lines::{self, Style, distinct, lines};
use crate::record::{Case, Row};
use crate::suite::{Baseline, Format, Label, Suite, Task, condition, label, property};
use crate::summary::Tables;

/// The series of an ideal hash.
pub const IDEAL: &str = "ideal hash";

/// Bits per key at all sizes.
pub const FEW_BITS: [u32; 3] = [10, 15, 20];

/// The series that are no policies.
const OTHERS: [Label; 12] = [
    (IDEAL, "ideal hash of 32 bits"),
    ("XXH3", "XXH3"),
    ("DJB2Hash", "DJB2Hash"),
    ("SDBMHash", "SDBMHash"),
    ("FNVHash", "FNVHash"),
    ("PJW", "PJW"),
    ("BPHash", "BPHash"),
    ("Guava, MITZ_64", "Guava, MITZ_64"),
    ("Guava, MITZ_32", "Guava, MITZ_32"),
    ("counting", "counting"),
    ("cuckoo", "cuckoo"),
    ("growing", "growing"),
];

/// The list of policies, then the others.
const CONTENDERS: [Label; policies::ALL.len() + OTHERS.len()] = {
    let mut all = [("", ""); policies::ALL.len() + OTHERS.len()];
    let mut at = 0;
    while at < all.len() {
        all[at] = if at < policies::ALL.len() {
            (policies::ALL[at].name(), policies::ALL[at].name())
        } else {
            OTHERS[at - policies::ALL.len()]
        };
        at += 1;
    }
    all
};

/// The suite. A contender is a policy, a filter, or a hash function in LevelDB's scheme.
#[rustfmt::skip]
pub const SUITE: Suite = Suite {
    format: Format::new("rates-bench", 2, "rates"),
    contenders: &CONTENDERS,
    // The absent keys that match.
    tasks: &[Task::counted("rate", "rate", "false positives")],
    parameters: &[
        // The mapping of a hash value to a filter's bits: `leveldb`, which adds a 32-bit hash rotated by 17 for each
        // probe, or `own`.
        property("scheme"),
        property("key_form"),
        // Filters that are sized by a rate get the lowest rate that b bits allow, e^(-b (ln 2)^2).
        condition("bits_per_key"),
        condition("keys"),
        // Filters built, each from its own keys.
        property("filters"),
        // The exact rate of an ideal Bloom filter with the same bits, probes and keys: an ideal hash and independent
        // probes. Ribbon, binary fuse, cuckoo and growing filters, which are not one probed array, are compared with the
        // best ideal Bloom filter of `bits_per_key`.
        property("ideal"),
        // The rate by the filter's own formula: for a growing filter its requested rate, an upper bound; for Guava's,
        // the counting and the legacy filter the ideal rate.
        property("expected"),
        // Mean bytes of a stored filter.
        property("bytes"),
    ],
    baseline: Baseline::Column("ideal"),
    summary: Tables {
        title: "over an ideal filter",
        heading: |row| {
            let bits = row.case.count("bits_per_key");
            let is_shown = FEW_BITS.iter().any(|few| u64::from(*few) == bits) && SHOWN.contains(&row.case.count("keys"));
            if is_shown { format!("{bits} bits per key, by keys of a filter") } else { String::new() }
        },
        line: |row| name(&row.case),
        column: |row| grouped(row.case.count("keys")),
        cell: |row, _| format!("{:.2}", row.over_baseline()),
        after: |_| "\nFalse positives over those of an ideal filter. Rates are in rates.csv.\n".to_owned(),
        ..Tables::PLAIN
    },
    charts: &[("rates-by-keys", by_keys), ("rates-by-bits", by_bits)],
};

/// The keys of filters that the tables show.
const SHOWN: [u64; 6] = [100, 1_000, 10_000, 100_000, 1_000_000, 20_000_000];

/// Returns a policy's name without the engine's.
pub fn short(policy: &str) -> &str {
    let mut engines = ["rocksdb.internal.", "leveldb."].into_iter();
    engines
        .find_map(|engine| policy.strip_prefix(engine))
        .unwrap_or(policy)
}

/// Returns the display text of a series and its keys.
pub fn name(case: &Case) -> String {
    let name = short(label(SUITE.contenders, &case.contender));
    match case.get("key_form") {
        "numbers-in-a-row" => format!("{name}, in a row"),
        _ => name.to_owned(),
    }
}

fn stored_bits_per_key(row: &Row) -> f64 {
    row.case.number("bytes") * 8.0 / row.case.number("keys")
}

fn has_few_bits(row: &Row) -> bool {
    FEW_BITS
        .iter()
        .any(|bits| u64::from(*bits) == row.case.count("bits_per_key"))
}

struct Drawing<'a> {
    title: &'a str,
    note: &'a str,
    /// The title and the rows of each panel.
    columns: Vec<(String, Vec<&'a Row>)>,
    x_title: &'a str,
    x: Axis,
    y_tick: fn(f64) -> String,
    place: fn(&Row) -> (f64, f64),
    /// The value at a line's end.
    value: fn(&Row) -> String,
    /// Ends of the y axis for functions and for filters. A poor function leaves its panel at the top.
    y_ends: [(f64, f64); 2],
    /// Set if the ideal filter is the line at 1 instead of a separate line.
    is_over_ideal: bool,
}

/// Draws the rate relative to the ideal rate against the number of keys.
fn by_keys(rows: &[Row]) -> Option<Scene> {
    let columns = FEW_BITS.map(|bits| {
        let is_of = |row: &&Row| row.case.count("bits_per_key") == u64::from(bits);
        (
            format!("{bits} bits per key"),
            rows.iter().filter(is_of).collect(),
        )
    });
    let (fewest, most) = lines::ends(rows.iter().map(|row| row.case.number("keys")))?;
    let drawing = Drawing {
        title: "Real filters: false positives over an ideal filter's, by the number of keys",
        note: "measured with absent keys; 1: an ideal hash and independent probes in the same bits; of Ribbon, fuse, \
               cuckoo and growing filters: the best ideal filter of these bits per key",
        columns: columns.into(),
        x_title: "keys of a filter (log scale)",
        x: Axis::new(Scale::log(fewest, most), number::tick),
        y_tick: |value| format!("{}×", number::tick(value)),
        place: |row| (row.case.number("keys"), row.over_baseline()),
        value: |row| format!("{}×", number::significant(row.over_baseline(), 3)),
        // Functions rarely have a ratio below 1: only if a simple hash spreads very regular keys evenly.
        y_ends: [(0.3, 200.0), (0.1, 200.0)],
        is_over_ideal: true,
    };
    Some(drawing.scene())
}

/// The most stored bits per key in the chart.
const MAX_BITS: f64 = 26.0;

/// Draws the rate against the stored bits per key; `None` if every size was measured only at [`FEW_BITS`].
fn by_bits(rows: &[Row]) -> Option<Scene> {
    let swept = rows.iter().filter(|row| !has_few_bits(row));
    let mut sizes = distinct(swept.map(|row| row.case.count("keys")));
    sizes.sort_unstable();
    let columns = sizes.iter().take(3).map(|&keys| {
        let is_of = |row: &&Row| row.case.count("keys") == keys;
        (
            format!("{} keys", grouped(keys)),
            rows.iter().filter(is_of).collect(),
        )
    });
    let drawing = Drawing {
        title: "Real filters: false positives by the bits stored for a key",
        note: "measured with absent keys, log scale; the whole stored filter counts",
        columns: columns.collect(),
        x_title: "bits stored for a key",
        x: Axis::new(Scale::linear(MAX_BITS), number::tick),
        y_tick: number::percent_tick,
        place: |row| (stored_bits_per_key(row), row.value),
        value: |row| percent(row.value),
        y_ends: [(1e-6, 1.0); 2],
        is_over_ideal: false,
    };
    (!sizes.is_empty()).then(|| drawing.scene())
}

/// Formats a share with two digits; more digits of the lowest rates are noise.
fn percent(share: f64) -> String {
    format!("{} %", number::significant(share * 100.0, 2))
}

impl Drawing<'_> {
    /// Draws functions in LevelDB's scheme above, policies and filters below.
    fn scene(&self) -> Scene {
        type Group = (&'static str, fn(&Row) -> bool);
        let groups: [Group; 2] = [
            ("Hash functions in LevelDB's scheme", |row| {
                row.case.get("scheme") == "leveldb"
            }),
            ("Policies and filters, each with its own hash", |row| {
                row.case.get("scheme") != "leveldb" || row.case.contender == "BloomFilter2"
            }),
        ];
        let rows = groups
            .into_iter()
            .zip(self.y_ends)
            .map(|((title, holds), (low, high))| PlotRow {
                title,
                plots: (self.columns.iter())
                    .map(|(title, rows)| Plot {
                        title: title.clone(),
                        x: self.x,
                        y: Axis::new(Scale::log(low, high), self.y_tick),
                        x_title: self.x_title,
                        reference: self.is_over_ideal.then(|| (1.0, String::new())),
                        series: self.series(rows, holds),
                        ..Plot::default()
                    })
                    .collect(),
            });
        let sheet = Sheet {
            description: self.title,
            title: self.title,
            note: self.note,
            width: 1080.0,
            height: 290.0,
            names: 236.0,
            shared: true,
            rows: rows.collect(),
            ..Sheet::default()
        };
        sheet.scene()
    }

    /// Returns the lines of a panel.
    fn series(&self, rows: &[&Row], holds: fn(&Row) -> bool) -> Vec<Series> {
        // All panels have the same lines in the same colours.
        let all = self
            .columns
            .iter()
            .flat_map(|(_, rows)| rows)
            .filter(|row| holds(row));
        let names = distinct(
            all.filter(|row| row.case.contender != IDEAL)
                .map(|row| name(&row.case)),
        );
        let style = |row: &Row| {
            let name = name(&row.case);
            let (color, marks) = if row.case.contender == IDEAL {
                (INK, Marks::Hollow)
            } else {
                lines::color(names.iter().position(|known| *known == name)?, Marks::Dots)
            };
            Some(Style { name, color, marks })
        };
        let point = |row: &Row| {
            let (x, y) = (self.place)(row);
            (y > 0.0 && x <= self.x.scale.high).then_some(Point::new(x, y))
        };
        let ideal = |row: &Row| {
            // An ideal filter of the best number of probes.
            let is_line = !self.is_over_ideal && row.case.contender == BloomFilter64Policy::NAME;
            is_line.then(|| Style {
                name: "ideal filter".to_owned(),
                color: INK,
                marks: Marks::None,
            })
        };
        let at_ideal = |row: &Row| Some(Point::new(stored_bits_per_key(row), row.case.number("ideal")));
        let mut series = lines(rows.iter().copied(), ideal, at_ideal, |row| {
            percent(row.case.number("ideal"))
        });
        let shown = rows.iter().copied().filter(|row| holds(row));
        series.extend(lines(shown, style, point, self.value));
        series
    }
}
