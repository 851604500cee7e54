//! Building and querying filters, compared with an engine's own policy. The filters of LevelDB, RocksDB and Parquet are
//! separate runs with their own records.

use plots::scale::Scale;
use plots::scene::{Color, MUTED, PALETTE, Scene};
use plots::xy::{self, Axis, Marks, Plot, Point, Series, Sheet};
use records::number;
use records::number::grouped;

use crate::bars::distinct;
use crate::folder::Format;
use crate::rounds::timed;
use crate::suite::{self, Suite};
use crate::summary::across;
use crate::words::words;

words! {
    /// A contender.
    Contender {
        /// Google's LevelDB, in C++ through its virtual functions.
        Leveldb = "LevelDB",
        /// Facebook's RocksDB, in C++ through its virtual functions: FastLocalBloom, one key per call.
        Rocksdb = "RocksDB",
        /// RocksDB with 32 keys per call.
        RocksdbBatch = "RocksDB, 32 a call",
        /// RocksDB's own Ribbon filter.
        RocksdbRibbon = "RocksDB's Ribbon",
        /// arrow-rs's own Parquet filter, in the crate `parquet`.
        ArrowRs = "arrow-rs",
        /// The engine's filters, from `filter-policy`'s portable kernel.
        Scalar = "scalar",
        /// The engine's filters, from the AVX2 kernel.
        Avx2 = "AVX2",
        /// The engine's filters, from the AVX-512 kernel.
        Avx512 = "AVX-512",
        /// The engine's filters, from the NEON kernel.
        Neon = "NEON",
        /// RocksDB's Ribbon filter, from `filter-policy`. It has fewer bytes.
        Ribbon = "Ribbon",
        /// `BloomFilter64.Xxph3` of `filter-policy`.
        Bloom64 = "BloomFilter64",
        /// RocksDB's FastLocalBloom, from `filter-policy`, compared with another engine.
        FastLocal = "FastLocalBloom",
        /// The engine's filters, from the C functions of `filter-policy-leveldb`.
        CLibrary = "C library",
        /// rusty-leveldb's own policy, whose filters are LevelDB's.
        RustyLeveldb = "rusty-leveldb",
        /// `sbbf-rs` with XXH3 of each key. Its filters have other bytes.
        SbbfXxh3 = "sbbf-rs",
        /// `sbbf-rs` with RocksDB's hash of each key.
        SbbfXxph3 = "sbbf-rs, our hash",
        /// `fastbloom` with the engine's hash of each key. Its filters have other bytes.
        FastbloomHashes = "fastbloom, by hash",
        /// `fastbloom` with its default hasher.
        FastbloomDefault = "fastbloom",
    }
}

impl Contender {
    /// Returns true for the engine, with which the others are compared.
    pub fn is_engine(self) -> bool {
        matches!(self, Self::Leveldb | Self::Rocksdb | Self::ArrowRs)
    }

    /// Returns true for this project's contenders, which have several forms.
    fn is_ours(self) -> bool {
        matches!(
            self,
            Self::Scalar
                | Self::Avx2
                | Self::Avx512
                | Self::Neon
                | Self::Ribbon
                | Self::Bloom64
                | Self::FastLocal
        )
    }
}

words! {
    /// The form of the calls.
    Form {
        /// One call per key, which examines the filter anew.
        OneByOne = "one by one",
        /// One call per key on a filter that was prepared once.
        Prepared = "prepared",
        /// One call per key with a precomputed hash value, on a filter that was prepared once.
        Hashed = "hash given",
        /// One call per 32 keys in slices, RocksDB's number of keys per call.
        #[serde(rename = "slices-32")]
        SlicesOf32 = "slices, 32 a call",
        /// One call for many keys in slices.
        Slices = "slices",
        /// One call for many keys packed in memory.
        Packed = "packed",
    }
}

words! {
    /// The operation on the keys of a batch.
    Task {
        /// Builds filters of the keys.
        Build = "build",
        /// Queries a filter for absent keys.
        Absent = "query, absent keys",
        /// Queries a filter for stored keys.
        Present = "query, present keys",
        /// Queries a filter for keys of which half are stored, in random order.
        Both = "query, half of the keys present",
    }
}

words! {
    /// The lengths of the keys.
    KeyLengths {
        /// 16 bytes each.
        #[serde(rename = "16")]
        Fixed = "keys of 16 bytes",
        /// 4 to 40 bytes, all lengths equally often.
        #[serde(rename = "4-40")]
        Mixed = "keys of 4 to 40 bytes",
        /// 17 to 50 bytes, all lengths equally often: letters after a common prefix, each key in its own allocation.
        #[serde(rename = "17-50")]
        Urls = "URLs of 17 to 50 bytes",
    }
}

timed! {
    dimensions {
        /// The contender.
        contender: Contender,
        /// The form of the calls.
        form: Form,
        /// Version of its library.
        version: String,
        /// The task.
        task: Task,
        /// The lengths of the keys.
        key_lengths: KeyLengths,
        /// Keys of a filter.
        filter_keys: u64,
        /// Filter bits per key.
        bits_per_key: u32,
    }
    compared {
        group(key_lengths, task, filter_keys), contestant(contender, form), shared(bits_per_key),
        baseline(|batch| batch.contender.is_engine())
    }
}

impl Row {
    /// Returns the contender's display text, with the form if the contender has several forms for a task.
    pub fn name(&self) -> String {
        let words = self.contender.words();
        if self.contender.is_ours() || self.form == Form::Hashed {
            format!("{words}, {}", self.form.words())
        } else {
            words.to_owned()
        }
    }
}

/// Filters in LevelDB's format.
pub const LEVELDB: Suite<Batch, Row> = Suite::new(
    Format::new("policy-bench", 2, "policy"),
    suite::rows,
    &[("policy", chart)],
    summary,
);

/// Filters in RocksDB's formats.
pub const ROCKSDB: Suite<Batch, Row> = Suite {
    format: Format::new("rocksdb-policy-bench", 2, "policy"),
    ..LEVELDB
};

/// Filters in Parquet's format.
pub const PARQUET: Suite<Batch, Row> = Suite {
    format: Format::new("parquet-policy-bench", 2, "policy"),
    ..LEVELDB
};

fn summary(rows: &[Row]) -> String {
    let group = |row: &Row| (row.key_lengths, row.task);
    let mut text = String::new();
    for rows in rows.chunk_by(|a, b| group(a) == group(b)) {
        let Some(first) = rows.first() else { continue };
        let table = across(
            rows,
            "keys of a filter",
            Row::name,
            |row| short(row.filter_keys),
            cell,
        );
        let (task, keys) = (first.task.words(), first.key_lengths.words());
        text.push_str(&format!(
            "\n{task}, {keys}, {} bits for each\n{table}\n",
            first.bits_per_key
        ));
    }
    let engine = rows.iter().find(|row| row.contender.is_engine());
    let engine = engine.map_or("engine", |row| row.contender.words());
    text.push_str(&format!(
        "\n{engine}: nanoseconds a key; others: time over {engine}'s. Their 95 % intervals are in policy.csv.\n"
    ));
    text
}

/// Abbreviates a size, so that eight sizes fit in eighty columns.
fn short(size: u64) -> String {
    if size >= 1_000_000 && size.is_multiple_of(1_000_000) {
        format!("{} M", size / 1_000_000)
    } else {
        grouped(size)
    }
}

fn cell(row: &Row) -> String {
    if row.contender.is_engine() {
        format!("{:.1}", row.median_ns)
    } else {
        format!("{:.3}", row.ratio)
    }
}

/// The rows of panels: title, task, and two forms. The first form, which is easier for the caller, has hollow marks.
#[rustfmt::skip]
const KINDS: [(&str, Task, [Form; 2]); 5] = [
    ("Build", Task::Build, [Form::Slices, Form::Packed]),
    ("One key a call, absent", Task::Absent, [Form::OneByOne, Form::Prepared]),
    ("One key a call, present", Task::Present, [Form::OneByOne, Form::Prepared]),
    ("Many keys a call, absent", Task::Absent, [Form::Slices, Form::Packed]),
    ("Many keys a call, present", Task::Present, [Form::Slices, Form::Packed]),
];

/// Room around the outermost marks, as a factor.
const BESIDE: f64 = 1.2;

/// Draws the time relative to the engine's by the number of keys: a row of panels for each task, a column for each key
/// length.
fn chart(rows: &[Row]) -> Option<Scene> {
    let engine = rows.iter().find(|row| row.contender.is_engine())?;
    // The engine itself is the line at 1.
    let of_kind = |row: &&Row, (_, task, forms): &(&str, Task, [Form; 2])| {
        row.task == *task && forms.contains(&row.form) && !row.contender.is_engine()
    };
    let shown = || {
        rows.iter()
            .filter(|row| KINDS.iter().any(|kind| of_kind(row, kind)))
    };
    let kinds: Vec<_> = KINDS
        .iter()
        .filter(|kind| rows.iter().any(|row| of_kind(&row, kind)))
        .collect();
    let sizes = || shown().map(|row| row.filter_keys as f64);
    let x = Axis {
        scale: Scale::log(
            sizes().reduce(f64::min)? / BESIDE,
            sizes().reduce(f64::max)? * BESIDE,
        ),
        tick: number::tick,
    };
    let low = shown().map(|row| row.ratio_low).fold(1.0, f64::min);
    let high = shown().map(|row| row.ratio_high).fold(1.0, f64::max);
    let y = Axis {
        scale: Scale::log(low / BESIDE, high * BESIDE),
        tick: number::tick,
    };
    let columns = distinct(shown().map(|row| row.key_lengths));
    let heads = columns.iter().map(|lengths| {
        let rounds = rows
            .iter()
            .filter(|row| row.key_lengths == *lengths)
            .map(|row| row.rounds)
            .max();
        let note = format!(
            "median of {} rounds; upright: 95 % interval; log scale",
            rounds.unwrap_or(0)
        );
        (lengths.words().to_owned(), note)
    });
    let plot = |index: usize, lengths: KeyLengths| {
        let kind = kinds[index];
        let (title, _, forms) = kind;
        let lines = Contender::ALL
            .iter()
            .flat_map(|contender| forms.map(|form| (*contender, form)));
        let series = lines.filter_map(|of| {
            let in_line = |row: &&Row| {
                of_kind(row, kind) && row.key_lengths == lengths && (row.contender, row.form) == of
            };
            // The rows are sorted by size.
            let points: Vec<&Row> = rows.iter().filter(in_line).collect();
            line(&points, of.1 == forms[0])
        });
        Plot {
            title: (*title).to_owned(),
            x,
            y,
            x_title: if index + 1 == kinds.len() {
                "keys of a filter (log scale)"
            } else {
                ""
            },
            reference: Some((1.0, engine.contender.words().to_owned())),
            series: series.collect(),
            ..Plot::default()
        }
    };
    let sheet = Sheet {
        description: "Time of filter policies over that of an engine's own, by the keys of a filter",
        title: &format!(
            "Filters of {} bits for each key: time over that of {}'s own policy",
            engine.bits_per_key,
            engine.contender.words()
        ),
        width: 1080.0,
        height: 172.0,
        heads: heads.collect(),
        rows: (0..kinds.len())
            .map(|index| xy::Row {
                plots: columns.iter().map(|&lengths| plot(index, lengths)).collect(),
                ..xy::Row::default()
            })
            .collect(),
        ..Sheet::default()
    };
    Some(sheet.scene())
}

/// Draws one contender's line; `None` without a point.
fn line(points: &[&Row], is_hollow: bool) -> Option<Series> {
    let last = points.last()?;
    Some(Series {
        name: format!("{}: {}", last.name(), number::significant(last.ratio, 3)),
        color: color(last.contender),
        marks: if is_hollow { Marks::Hollow } else { Marks::Filled },
        points: points
            .iter()
            .map(|row| Point {
                x: row.filter_keys as f64,
                y: row.ratio,
                interval: Some((row.ratio_low, row.ratio_high)),
            })
            .collect(),
    })
}

/// Returns a contender's colour. Colours repeat; the names tell the lines apart.
fn color(contender: Contender) -> Color {
    let [blue, vermilion, green, purple, orange] = PALETTE;
    match contender {
        Contender::Leveldb | Contender::Rocksdb | Contender::ArrowRs => MUTED,
        Contender::Scalar | Contender::Ribbon => orange,
        Contender::Avx2 | Contender::Bloom64 => blue,
        Contender::Avx512 | Contender::Neon => green,
        Contender::RustyLeveldb | Contender::RocksdbRibbon | Contender::FastLocal => vermilion,
        Contender::RocksdbBatch | Contender::CLibrary => Color(0x33, 0x33, 0x33),
        Contender::SbbfXxh3 => Color(0x88, 0x22, 0x55),
        Contender::SbbfXxph3 => Color(0x99, 0x99, 0x33),
        Contender::FastbloomHashes => purple,
        Contender::FastbloomDefault => Color(0x56, 0xb4, 0xe9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_widest_table_is_not_wrapped() {
        let mut rows = Vec::new();
        for filter_keys in [32, 128, 512, 4096, 16_384, 100_000, 1_000_000, 20_000_000] {
            for contender in [Contender::Leveldb, Contender::Avx512, Contender::FastbloomHashes] {
                rows.push(Row {
                    contender,
                    form: Form::OneByOne,
                    version: String::new(),
                    task: Task::Absent,
                    key_lengths: KeyLengths::Mixed,
                    filter_keys,
                    bits_per_key: 10,
                    rounds: 1,
                    calls: 1,
                    seen_per_call: 0.0,
                    median_ns: 123.456,
                    mad_ns: 0.0,
                    ratio: 0.25,
                    ratio_low: 0.25,
                    ratio_high: 0.25,
                });
            }
        }
        let text = summary(&rows);
        // A line for each contender, two of title, two of header and rule, and two at the end.
        assert_eq!(text.lines().count(), 3 + 6, "{text}");
        assert!(text.contains(" 16,384  100,000    1 M   20 M\n"), "{text}");
    }
}
