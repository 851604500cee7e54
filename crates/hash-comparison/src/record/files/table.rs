//! The CSV files: what a row may say, and how rows are read and written.
// tidy: long file: one table of row types, and what reads it.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::hash::Hash;
use std::io::{BufReader, BufWriter, Write as _};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::check::{BYTES, COMPARED_BITS, COUNTS, MEANS, NANOSECONDS, SHARES, Wrong, within};
use super::{RUN, RecordsError, io, malformed};
use crate::record::{
    CallForm, CollisionRow, CurveRow, DistributionKind, DistributionRow, EMPTY, FalsePositiveRow, IDEAL,
    Place, PlaceRow, Run, SpreadRow, TimingRow,
};

/// A row type of one of the CSV files.
pub(crate) trait Row: Serialize + DeserializeOwned {
    /// The first line of the file.
    const HEADER: &'static [&'static str];
    /// What may stand in the place of a function.
    const BESIDE: Option<&'static str>;
    /// Most different questions in a file: charts have a column for each.
    const MOST_QUESTIONS: usize;

    /// Whether rows are about a dataset too; otherwise the name of theirs is empty.
    const OF_DATASET: bool = true;

    /// Dataset and function that the row is about.
    fn about(&self) -> (&str, &str);

    /// What tells the rows about one dataset and function apart.
    type Question: Copy + Eq + Hash;

    /// The question that this row answers.
    fn question(&self) -> Self::Question;

    /// A question in words.
    fn words(question: Self::Question) -> String;

    /// Checks every number.
    fn check(&self) -> Result<(), Wrong>;
}

macro_rules! row {
    (
        $row:ty, [$($field:ident),*], beside: $beside:expr, questions: $most:expr,
        question: $asked:ty, $question:expr, words: $words:expr, check: $check:expr
    ) => {
        impl Row for $row {
            const HEADER: &'static [&'static str] = &[$(stringify!($field)),*];
            const BESIDE: Option<&'static str> = $beside;
            const MOST_QUESTIONS: usize = $most;

            fn about(&self) -> (&str, &str) {
                (&self.dataset, &self.function)
            }

            type Question = $asked;

            fn question(&self) -> $asked {
                let question: fn(&Self) -> $asked = $question;
                question(self)
            }

            fn words(question: $asked) -> String {
                let words: fn($asked) -> String = $words;
                words(question)
            }

            fn check(&self) -> Result<(), Wrong> {
                let check: fn(&Self) -> Result<(), Wrong> = $check;
                check(self)
            }
        }
    };
}

row!(
    CollisionRow,
    [
        dataset, function, bits, keys, collisions, expected, p_value, ci_low, ci_high, band_low, band_high,
        p_adjusted, verdict
    ],
    beside: None,
    questions: 8,
    question: u32, |row| row.bits,
    words: |bits| format!("{bits} bits"),
    check: |row| {
        within("bits", u64::from(row.bits), COMPARED_BITS)?;
        within("keys", row.keys, COUNTS)?;
        within("collisions", row.collisions, 0..=row.keys)?;
        within("expected", row.expected, MEANS)?;
        within("p_value", row.p_value, SHARES)?;
        within("ci_high", row.ci_high, MEANS)?;
        within("ci_low", row.ci_low, 0.0..=row.ci_high)?;
        within("band_high", row.band_high, MEANS)?;
        within("band_low", row.band_low, 0.0..=row.band_high)?;
        within("p_adjusted", row.p_adjusted, SHARES)
    }
);
row!(
    TimingRow,
    [dataset, function, keys, bytes, median_ns_per_key, mad_ns_per_key, samples],
    beside: Some(EMPTY),
    questions: 1,
    question: (), |_| (),
    words: |()| "the time".to_owned(),
    check: |row| {
        within("keys", row.keys, COUNTS)?;
        within("bytes", row.bytes, BYTES)?;
        within("median_ns_per_key", row.median_ns_per_key, NANOSECONDS)?;
        within("mad_ns_per_key", row.mad_ns_per_key, NANOSECONDS)?;
        within("samples", row.samples, COUNTS)
    }
);
row!(
    SpreadRow,
    [dataset, function, form, samples, min_ns, q1_ns, median_ns, q3_ns, max_ns],
    beside: Some(EMPTY),
    questions: 2,
    question: CallForm, |row| row.form,
    words: |form| format!("{} calls", form.word()),
    check: |row| {
        within("samples", row.samples, COUNTS)?;
        within("max_ns", row.max_ns, NANOSECONDS)?;
        within("q3_ns", row.q3_ns, 0.0..=row.max_ns)?;
        within("median_ns", row.median_ns, 0.0..=row.q3_ns)?;
        within("q1_ns", row.q1_ns, 0.0..=row.median_ns)?;
        within("min_ns", row.min_ns, 0.0..=row.q1_ns)
    }
);
row!(
    PlaceRow,
    [
        dataset, function, place, form, keys, footprint_bytes, median_ns_per_key, mad_ns_per_key, samples
    ],
    beside: Some(EMPTY),
    questions: 4,
    question: (Place, CallForm), |row| (row.place, row.form),
    words: |(place, form)| format!("{place:?}, {} calls", form.word()),
    check: |row| {
        within("keys", row.keys, COUNTS)?;
        within("footprint_bytes", row.footprint_bytes, BYTES)?;
        within("median_ns_per_key", row.median_ns_per_key, NANOSECONDS)?;
        within("mad_ns_per_key", row.mad_ns_per_key, NANOSECONDS)?;
        within("samples", row.samples, COUNTS)
    }
);
row!(
    DistributionRow,
    [dataset, function, kind, parameter, statistic, dof, p_value],
    beside: None,
    questions: 64,
    question: (DistributionKind, u64), |row| (row.kind, row.parameter),
    words: |(kind, parameter)| match kind {
        DistributionKind::PowerOfTwoBuckets => format!("{parameter} buckets by low bits"),
        DistributionKind::PrimeBuckets => format!("{parameter} buckets by remainder"),
        DistributionKind::BitShare => format!("bit {parameter}"),
    },
    check: |row| {
        if row.kind == DistributionKind::BitShare {
            within("parameter", row.parameter, 0..=COMPARED_BITS.end() - 1)?;
            within("statistic", row.statistic, SHARES)?;
        } else {
            within("parameter", row.parameter, 2..=1 << 32)?;
            within("statistic", row.statistic, 0.0..=1e21)?;
        }
        within("dof", row.dof, 1..=1 << 32)?;
        within("p_value", row.p_value, SHARES)
    }
);
row!(
    FalsePositiveRow,
    [
        dataset, function, bits_per_key, keys, probes, false_positives, rate, ci_low, ci_high, theory, raw_bytes,
        filter_bytes, saved
    ],
    beside: Some(IDEAL),
    questions: 8,
    question: u32, |row| row.bits_per_key,
    words: |bits| format!("{bits} bits per key"),
    check: |row| {
        within("bits_per_key", row.bits_per_key, 1..=1_000)?;
        within("keys", row.keys, COUNTS)?;
        within("probes", row.probes, COUNTS)?;
        within("false_positives", row.false_positives, 0..=row.probes)?;
        within("rate", row.rate, SHARES)?;
        within("ci_high", row.ci_high, SHARES)?;
        within("ci_low", row.ci_low, 0.0..=row.ci_high)?;
        within("theory", row.theory, SHARES)?;
        within("raw_bytes", row.raw_bytes, BYTES)?;
        within("filter_bytes", row.filter_bytes, BYTES)?;
        within("saved", row.saved, -1e12..=1.0)
    }
);

/// The times of fixed lengths are of no dataset.
impl Row for CurveRow {
    const HEADER: &'static [&'static str] = &[
        "function",
        "length",
        "form",
        "median_ns_per_key",
        "mad_ns_per_key",
        "samples",
    ];
    const BESIDE: Option<&'static str> = Some(EMPTY);
    const OF_DATASET: bool = false;
    const MOST_QUESTIONS: usize = 512;

    fn about(&self) -> (&str, &str) {
        ("", &self.function)
    }

    type Question = (u64, CallForm);

    fn question(&self) -> Self::Question {
        (self.length, self.form)
    }

    fn words((length, form): Self::Question) -> String {
        format!("{length} bytes, {} calls", form.word())
    }

    fn check(&self) -> Result<(), Wrong> {
        within("length", self.length, 0..=1 << 32)?;
        within("median_ns_per_key", self.median_ns_per_key, NANOSECONDS)?;
        within("mad_ns_per_key", self.mad_ns_per_key, NANOSECONDS)?;
        within("samples", self.samples, COUNTS)
    }
}

/// Reads a CSV file whose rows are about what `run` names.
pub(super) fn read_csv<T: Row>(path: &Path, run: &Run) -> Result<Vec<T>, RecordsError> {
    let file = File::open(path).map_err(io(path))?;
    let mut reader = csv::Reader::from_reader(BufReader::new(file));
    let damaged = |error: csv::Error| match error.into_kind() {
        csv::ErrorKind::Io(source) => io(path)(source),
        kind => malformed(path, csv_reason(&kind, T::HEADER)),
    };
    let header = reader.headers().map_err(damaged)?.clone();
    if header.iter().ne(T::HEADER.iter().copied()) {
        return Err(malformed(
            path,
            format!("line 1: the header is not {}", T::HEADER.join(",")),
        ));
    }
    let mut rows = Vec::new();
    let mut record = csv::StringRecord::new();
    let mut lines: HashMap<(String, String, T::Question), u64> = HashMap::new();
    let mut questions: HashSet<T::Question> = HashSet::new();
    while reader.read_record(&mut record).map_err(damaged)? {
        let line = record.position().map_or(0, csv::Position::line);
        let wrong = |reason: String| malformed(path, format!("line {line}, {reason}"));
        let row: T = record.deserialize(Some(&header)).map_err(damaged)?;
        row.check().map_err(wrong)?;
        let (dataset, function) = row.about();
        if T::OF_DATASET && !run.datasets.iter().any(|summary| summary.name == dataset) {
            return Err(wrong(format!(
                "field dataset: {RUN} knows no dataset {dataset:?}"
            )));
        }
        if T::BESIDE != Some(function) && !run.functions.iter().any(|f| f.name == function) {
            return Err(wrong(format!(
                "field function: {RUN} knows no function {function:?}"
            )));
        }
        let question = row.question();
        if questions.insert(question) && questions.len() > T::MOST_QUESTIONS {
            let (question, most) = (T::words(question), T::MOST_QUESTIONS);
            return Err(wrong(format!(
                "{question}: more columns than the {most} that charts have room for"
            )));
        }
        let about = (dataset.to_owned(), function.to_owned(), question);
        if let Some(first) = lines.insert(about, line) {
            let question = T::words(question);
            let dataset = if T::OF_DATASET {
                format!("{dataset}, ")
            } else {
                String::new()
            };
            return Err(wrong(format!(
                "{dataset}{function}, {question}: line {first} has said that already; one row is allowed"
            )));
        }
        rows.push(row);
    }
    Ok(rows)
}

/// Line and field of a mistake, as a person counts and calls them.
pub(crate) fn csv_reason(kind: &csv::ErrorKind, header: &[&str]) -> String {
    let line = |position: &Option<csv::Position>| position.as_ref().map_or(0, csv::Position::line);
    match kind {
        csv::ErrorKind::Deserialize { pos, err } => {
            let name = err.field().and_then(|field| header.get(field as usize));
            let field = name.map_or(String::new(), |name| format!(", field {name}"));
            format!("line {}{field}: {}", line(pos), err.kind())
        }
        csv::ErrorKind::UnequalLengths {
            pos,
            expected_len,
            len,
        } => {
            format!("line {}: {len} fields, not {expected_len}", line(pos))
        }
        csv::ErrorKind::Utf8 { pos, err } => format!("line {}: {err}", line(pos)),
        other => format!("{other:?}"),
    }
}

/// Writes a file of these rows.
pub(super) fn write_csv<T: Row>(path: &Path, rows: &[T]) -> Result<(), RecordsError> {
    write_rows(path, T::HEADER, rows)
}

/// Writes a CSV file with this header.
pub(crate) fn write_rows<T: Serialize>(path: &Path, header: &[&str], rows: &[T]) -> Result<(), RecordsError> {
    let file = BufWriter::new(File::create(path).map_err(io(path))?);
    // The header is written by hand: the writer would leave it out of a file without rows.
    let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(file);
    let failed = |error: csv::Error| match error.into_kind() {
        csv::ErrorKind::Io(source) => io(path)(source),
        kind => malformed(path, csv_reason(&kind, header)),
    };
    writer.write_record(header).map_err(failed)?;
    for row in rows {
        writer.serialize(row).map_err(failed)?;
    }
    let mut inner = writer.into_inner().map_err(|e| io(path)(e.into_error()))?;
    inner.flush().map_err(io(path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Verdict;

    /// The header that the writer would make from the fields.
    fn derived(row: impl Row) -> Vec<String> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.serialize(row).unwrap();
        let bytes = writer.into_inner().unwrap();
        csv::Reader::from_reader(&bytes[..])
            .headers()
            .unwrap()
            .iter()
            .map(str::to_owned)
            .collect()
    }

    #[test]
    fn headers_are_the_fields() {
        let name = String::new;
        let collisions = CollisionRow {
            dataset: name(),
            function: name(),
            bits: 32,
            keys: 1,
            collisions: 0,
            expected: 0.0,
            p_value: 1.0,
            ci_low: 0.0,
            ci_high: 1.0,
            band_low: 0.0,
            band_high: 1.0,
            p_adjusted: 1.0,
            verdict: Verdict::InBand,
        };
        assert_eq!(derived(collisions), CollisionRow::HEADER);
        let timing = TimingRow {
            dataset: name(),
            function: name(),
            keys: 1,
            bytes: 1,
            median_ns_per_key: 1.0,
            mad_ns_per_key: 0.0,
            samples: 1,
        };
        assert_eq!(derived(timing), TimingRow::HEADER);
        let spread = SpreadRow {
            dataset: name(),
            function: name(),
            form: CallForm::Chained,
            samples: 1,
            min_ns: 1.0,
            q1_ns: 1.0,
            median_ns: 1.0,
            q3_ns: 1.0,
            max_ns: 1.0,
        };
        assert_eq!(derived(spread), SpreadRow::HEADER);
        let curve = CurveRow {
            function: name(),
            length: 8,
            form: CallForm::Independent,
            median_ns_per_key: 1.0,
            mad_ns_per_key: 0.0,
            samples: 1,
        };
        assert_eq!(derived(curve), CurveRow::HEADER);
        let place = PlaceRow {
            dataset: name(),
            function: name(),
            place: Place::Cache,
            form: CallForm::Independent,
            keys: 1,
            footprint_bytes: 1,
            median_ns_per_key: 1.0,
            mad_ns_per_key: 0.0,
            samples: 1,
        };
        assert_eq!(derived(place), PlaceRow::HEADER);
        let distribution = DistributionRow {
            dataset: name(),
            function: name(),
            kind: DistributionKind::BitShare,
            parameter: 0,
            statistic: 0.5,
            dof: 1,
            p_value: 1.0,
        };
        assert_eq!(derived(distribution), DistributionRow::HEADER);
        let false_positives = FalsePositiveRow {
            dataset: name(),
            function: name(),
            bits_per_key: 10,
            keys: 1,
            probes: 1,
            false_positives: 0,
            rate: 0.0,
            ci_low: 0.0,
            ci_high: 1.0,
            theory: 0.0,
            raw_bytes: 1,
            filter_bytes: 9,
            saved: -8.0,
        };
        assert_eq!(derived(false_positives), FalsePositiveRow::HEADER);
    }
}
