//! What values records may have: whatever a file holds, reading it ends in an error or in charts of a sane size.

mod baseline;

use std::collections::HashSet;
use std::fmt::{Debug, Display};
use std::ops::RangeInclusive;

use super::table::Row;
use super::{
    COLLISIONS, CURVES, DISTRIBUTION, FALSE_POSITIVES, LATENCY, PLACES, RUN, Records, SPREAD, TIMING,
};
use crate::measure::collisions::widths;
use crate::measure::false_positives::BITS_PER_KEY;
use crate::record::{BitTest, CallForm, DistributionKind, EMPTY, IDEAL, Place, Run, SCHEMA_WITH_SPREAD};

/// Most datasets in a run.
pub const MOST_DATASETS: usize = 64;
/// Most functions in a run.
pub const MOST_FUNCTIONS: usize = 64;

/// Most keys or probes: a key set has at most 2^32 bytes of keys and as many empty lines.
pub(super) const COUNTS: RangeInclusive<u64> = 0..=1 << 33;
/// Most bytes.
pub(super) const BYTES: RangeInclusive<u64> = 0..=1 << 40;
/// Means and bounds of counts.
pub(super) const MEANS: RangeInclusive<f64> = 0.0..=(1_u64 << 33) as f64;
/// Shares, rates and p-values.
pub(super) const SHARES: RangeInclusive<f64> = 0.0..=1.0;
/// Nanoseconds for a key, up to eleven days.
pub(super) const NANOSECONDS: RangeInclusive<f64> = 0.0..=1e15;
/// Bits of a value that are compared.
pub(super) const COMPARED_BITS: RangeInclusive<u64> = 1..=32;

const FORMS: [CallForm; 2] = [CallForm::Independent, CallForm::Chained];

/// A value that is not allowed: the field, the value, and what is allowed.
pub(crate) type Wrong = String;

/// Checks that `value` is in `allowed`; not-a-number is in no range.
pub(super) fn within<T>(field: impl Display, value: T, allowed: RangeInclusive<T>) -> Result<(), Wrong>
where
    T: PartialOrd + Debug,
{
    if allowed.contains(&value) {
        return Ok(());
    }
    let (low, high) = allowed.into_inner();
    Err(format!(
        "field {field}: {value:?} is not allowed, only {low:?} to {high:?}"
    ))
}

/// Checks what `run.json` says, beyond its form.
pub(super) fn run(run: &Run) -> Result<(), Wrong> {
    if let Some(seconds) = run.environment.timing_seconds {
        within("environment.timing_seconds", seconds, 0.0..=1e9)?;
    }
    if let Some(seconds) = run.environment.seconds_waited_while_timing {
        within("environment.seconds_waited_while_timing", seconds, 0.0..=1e9)?;
    }
    names(
        "datasets",
        run.datasets.iter().map(|dataset| dataset.name.as_str()),
        MOST_DATASETS,
    )?;
    for (index, dataset) in run.datasets.iter().enumerate() {
        let field = |name| format!("datasets[{index}].{name}");
        within(field("keys"), dataset.keys, COUNTS)?;
        within(field("bytes"), dataset.bytes, BYTES)?;
        within(field("max_len"), dataset.max_len, BYTES)?;
        within(field("min_len"), dataset.min_len, 0..=dataset.max_len)?;
        within(field("mean_len"), dataset.mean_len, 0.0..=*BYTES.end() as f64)?;
        within(field("duplicates_dropped"), dataset.duplicates_dropped, COUNTS)?;
        within(field("detectable_ratio"), dataset.detectable_ratio, 0.0..=1e15)?;
    }
    names(
        "functions",
        run.functions.iter().map(|function| function.name.as_str()),
        MOST_FUNCTIONS,
    )?;
    for (index, function) in run.functions.iter().enumerate() {
        let field = |name| format!("functions[{index}].{name}");
        if [EMPTY, IDEAL].contains(&function.name.as_str()) {
            return Err(format!(
                "field {}: {:?} is no function's name",
                field("name"),
                function.name
            ));
        }
        within(field("bits"), u64::from(function.bits), COMPARED_BITS)?;
        within(field("output_bits"), function.output_bits, function.bits..=64)?;
    }
    if let Some(baseline) = &run.baseline {
        baseline::check(run, baseline)?;
    }
    let mut seen = HashSet::new();
    for (index, finding) in run.findings.iter().enumerate() {
        let field = |name| format!("findings[{index}].{name}");
        dataset(&field("dataset"), &finding.dataset, run)?;
        function(&field("function"), &finding.function, run)?;
        within(field("worst_bits"), u64::from(finding.worst_bits), COMPARED_BITS)?;
        if !seen.insert((&finding.dataset, &finding.function)) {
            return Err(format!(
                "findings[{index}]: a second finding on {} and {}; one is allowed",
                finding.dataset, finding.function
            ));
        }
    }
    for (index, fact) in run.bit_facts.iter().enumerate() {
        let field = |name| format!("bit_facts[{index}].{name}");
        function(&field("function"), &fact.function, run)?;
        match &fact.dataset {
            Some(name) => dataset(&field("dataset"), name, run)?,
            None if fact.test == BitTest::Windows => {
                return Err(format!(
                    "field {}: null is not allowed, windows are of a dataset",
                    field("dataset")
                ));
            }
            None => {}
        }
    }
    Ok(())
}

/// Checks that the run has a dataset of this name.
pub(super) fn dataset(field: &str, name: &str, run: &Run) -> Result<(), Wrong> {
    if run.datasets.iter().any(|dataset| dataset.name == name) {
        return Ok(());
    }
    Err(format!("field {field}: no dataset is called {name:?}"))
}

/// Checks that the run has a function of this name.
pub(super) fn function(field: &str, name: &str, run: &Run) -> Result<(), Wrong> {
    if run.functions.iter().any(|function| function.name == name) {
        return Ok(());
    }
    Err(format!("field {field}: no function is called {name:?}"))
}

/// Checks that nothing is missing of what a run measures on each dataset: a chart would be drawn without it, unnoticed.
pub(super) fn complete(records: &Records) -> Result<(), Missing> {
    let collisions = Answers::of(COLLISIONS, &records.collisions);
    let timing = Answers::of(TIMING, &records.timing);
    let latency = Answers::of(LATENCY, &records.latency);
    let newer = (records.run.schema >= SCHEMA_WITH_SPREAD).then(|| {
        let spread = Answers::of(SPREAD, &records.spread);
        (spread, Answers::of(PLACES, &records.places))
    });
    let distribution = Answers::of(DISTRIBUTION, &records.distribution);
    let false_positives = Answers::of(FALSE_POSITIVES, &records.false_positives);
    let findings: HashSet<_> = records
        .run
        .findings
        .iter()
        .map(|finding| (finding.dataset.as_str(), finding.function.as_str()))
        .collect();
    let functions_and = |beside| {
        let names = records
            .run
            .functions
            .iter()
            .map(|function| function.name.as_str());
        names.chain([beside])
    };
    for dataset in &records.run.datasets {
        let name = dataset.name.as_str();
        // The tests were made of these keys: with another number their expectations are wrong.
        if let Some(row) =
            (records.collisions.iter()).find(|row| row.dataset == name && row.keys != dataset.keys)
        {
            let wrong = format!(
                "the row {name}, {}, {} bits, field keys: {} is not allowed, only {} as {RUN} says",
                row.function, row.bits, row.keys, dataset.keys
            );
            return Err((COLLISIONS, wrong));
        }
        let sizes = BITS_PER_KEY.into_iter().filter(|_| dataset.keys > 1);
        for times in [&timing, &latency] {
            times.need(name, EMPTY, ())?;
        }
        if let Some((spread, places)) = &newer {
            for (of, form) in functions_and(EMPTY).flat_map(|of| FORMS.map(|form| (of, form))) {
                spread.need(name, of, form)?;
                for place in [Place::Cache, Place::Memory] {
                    places.need(name, of, (place, form))?;
                }
            }
        }
        for size in sizes.clone() {
            false_positives.need(name, IDEAL, size)?;
        }
        for function in &records.run.functions {
            let of = function.name.as_str();
            for width in widths(function.bits) {
                collisions.need(name, of, width)?;
            }
            for times in [&timing, &latency] {
                times.need(name, of, ())?;
            }
            for bit in (0..u64::from(function.bits)).filter(|_| dataset.keys > 0) {
                distribution.need(name, of, (DistributionKind::BitShare, bit))?;
            }
            for size in sizes.clone() {
                false_positives.need(name, of, size)?;
            }
            if !findings.contains(&(name, of)) {
                return Err((RUN, format!("the finding on {name} and {of} is missing")));
            }
        }
    }
    if let Some(bits) = &records.bits {
        super::bits::complete(&records.run, bits)?;
    }
    // Which lengths are timed is the run's choice: those of one function are those of all.
    let curves = Answers::of(CURVES, &records.curves);
    for (length, of) in records
        .curves
        .iter()
        .flat_map(|row| functions_and(EMPTY).map(|of| (row.length, of)))
    {
        for form in FORMS {
            curves.need("", of, (length, form))?;
        }
    }
    // How many buckets are asked depends on the keys: what one function was asked, all were that have the bits.
    for row in records
        .distribution
        .iter()
        .filter(|row| row.kind != DistributionKind::BitShare)
    {
        for function in records
            .run
            .functions
            .iter()
            .filter(|f| row.parameter <= 1 << f.bits)
        {
            distribution.need(&row.dataset, &function.name, (row.kind, row.parameter))?;
        }
    }
    Ok(())
}

/// The file that lacks something, and what it lacks.
pub(super) type Missing = (&'static str, String);

/// What the rows of a file answer.
pub(super) struct Answers<'a, R: Row> {
    file: &'static str,
    questions: HashSet<(&'a str, &'a str, R::Question)>,
}

impl<'a, R: Row> Answers<'a, R> {
    pub(super) fn of(file: &'static str, rows: &'a [R]) -> Self {
        let about = |row: &'a R| {
            let (dataset, function) = row.about();
            (dataset, function, row.question())
        };
        Self {
            file,
            questions: rows.iter().map(about).collect(),
        }
    }

    pub(super) fn need(&self, dataset: &str, function: &str, question: R::Question) -> Result<(), Missing> {
        if self.questions.contains(&(dataset, function, question)) {
            return Ok(());
        }
        let question = R::words(question);
        Err((
            self.file,
            if dataset.is_empty() {
                format!("the row {function}, {question} is missing")
            } else {
                format!("the row {dataset}, {function}, {question} is missing")
            },
        ))
    }
}

/// Checks that there are at most `most` names, each once.
fn names<'a>(field: &str, names: impl Iterator<Item = &'a str>, most: usize) -> Result<(), Wrong> {
    let mut seen = HashSet::new();
    for (index, name) in names.enumerate() {
        if index == most {
            return Err(format!(
                "field {field}: more than {most}, which is the most allowed"
            ));
        }
        if !seen.insert(name) {
            return Err(format!("field {field}[{index}].name: {name:?} is there twice"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functions;

    #[test]
    fn all_functions_fit_in_a_run() {
        assert!(functions::all().len() <= MOST_FUNCTIONS);
    }

    #[test]
    fn messages_tell_field_value_and_range() {
        assert_eq!(within("rate", 0.5, SHARES), Ok(()));
        assert_eq!(
            within("rate", 1.7e308, SHARES).unwrap_err(),
            "field rate: 1.7e308 is not allowed, only 0.0 to 1.0"
        );
        assert_eq!(
            within("bits", 0, COMPARED_BITS).unwrap_err(),
            "field bits: 0 is not allowed, only 1 to 32"
        );
        for odd in [f64::NAN, f64::INFINITY, -f64::MIN_POSITIVE] {
            assert!(within("rate", odd, SHARES).is_err(), "{odd}");
        }
    }
}
