//! The records of one dataset, for look-ups by charts and report.

use crate::questions::Records;
use crate::record::{About, Advice, DatasetSummary, Finding, FunctionGroup, FunctionSummary, about, on};

/// The records of one dataset, in recorded order.
#[derive(Debug, Clone)]
pub struct DatasetRows<'a> {
    /// Summary of the dataset.
    pub summary: &'a DatasetSummary,
    /// All records of the run.
    pub records: &'a Records,
    /// One per function.
    pub findings: Vec<&'a Finding>,
}

impl<'a> DatasetRows<'a> {
    /// Returns the datasets of a run, in the order measured.
    pub fn all(records: &'a Records) -> Vec<Self> {
        let of = |summary: &'a DatasetSummary| Self {
            summary,
            records,
            findings: on(&records.run.findings, &summary.name).collect(),
        };
        records.run.datasets.iter().map(of).collect()
    }

    /// Returns the rows about these keys.
    pub fn rows<R: About>(&self, rows: &'a [R]) -> impl Iterator<Item = &'a R> {
        on(rows, &self.summary.name)
    }

    /// Returns the rows about a function on these keys.
    pub fn about<R: About>(&self, rows: &'a [R], function: &str) -> impl Iterator<Item = &'a R> {
        about(rows, &self.summary.name, function)
    }

    /// Returns the findings that charts draw, best first, and the findings that they fold away, in the same order.
    ///
    /// Only functions that the user did not request are folded, and never a published function, the function in use, or
    /// a function recommended for any dataset. So the charts of all datasets draw the same functions.
    pub fn shown_and_folded(&self) -> (Vec<&'a Finding>, Vec<&'a Finding>) {
        let best = self.best_first().into_iter();
        best.partition(|finding| self.is_shown(&finding.function))
    }

    /// Returns true if charts draw this function.
    pub fn is_shown(&self, function: &str) -> bool {
        let is_folded = |one: &FunctionSummary| one.folded && one.name == function;
        !self.records.run.functions.iter().any(is_folded) || self.is_named(function)
    }

    /// Returns true if a function is in use, the user's own, or recommended for any dataset.
    pub fn is_named(&self, function: &str) -> bool {
        let is_own = |one: &FunctionSummary| one.group == FunctionGroup::Own && one.name == function;
        let is_named = |one: &Advice| one.function == function && (one.mine || one.is_recommended());
        self.records.run.functions.iter().any(is_own) || self.records.advice.iter().any(is_named)
    }

    /// Returns the findings, best first.
    pub fn best_first(&self) -> Vec<&'a Finding> {
        let mut findings = self.findings.clone();
        findings.sort_by_key(|finding| finding.rank);
        findings
    }
}

/// Returns the distinct names in order of first appearance.
pub fn distinct<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let mut out: Vec<&str> = Vec::new();
    for name in names {
        if !out.contains(&name) {
            out.push(name);
        }
    }
    out
}

/// Joins names into a list. Names that differ only after a hyphen followed by a letter share their stem.
pub fn stems<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for name in names {
        let is_word = |(at, _): &(usize, &str)| name[at + 1..].starts_with(|c: char| c.is_ascii_alphabetic());
        let end = name
            .match_indices('-')
            .find(is_word)
            .map_or(name.len(), |(at, _)| at);
        let (stem, rest) = name.split_at(end);
        match groups.iter_mut().find(|(other, _)| *other == stem) {
            Some((_, others)) => others.push(rest),
            None => groups.push((stem, vec![rest])),
        }
    }
    let group = |(stem, rest): &(&str, Vec<&str>)| format!("{stem}{}", rest.join(" and "));
    groups.iter().map(group).collect::<Vec<_>>().join(", ")
}
