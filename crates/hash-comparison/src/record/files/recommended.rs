//! What `run.json` may recommend: what its own lists and the rows of the run bear out.

use std::collections::HashSet;

use serde::Serialize;

use super::check::Wrong;
use super::{LATENCY, Records, TIMING};
use crate::judge::recommend::{MOST_LISTED, form};
use crate::record::{
    CallForm, Candidate, DatasetSummary, FunctionSummary, Ground, Purpose, Recommendation, Resistance, Run,
    Standing,
};

/// Nine digits are stored of a median and of an interval made of more.
const ROUNDING: f64 = 1e-7;

/// Checks every recommendation against the run.
pub(super) fn check(records: &Records) -> Result<(), Wrong> {
    let run = &records.run;
    let Some(first) = run.recommendations.first() else {
        return Ok(());
    };
    if run.recommendations.len() != run.datasets.len() {
        return Err(format!(
            "field recommendations: {} of them is not allowed, only none or {}, one for each of datasets",
            run.recommendations.len(),
            run.datasets.len()
        ));
    }
    for (index, (told, dataset)) in run.recommendations.iter().zip(&run.datasets).enumerate() {
        let field = |name: &str| format!("recommendations[{index}].{name}");
        same("dataset", &told.dataset, &dataset.name).map_err(|wrong| wrong.at(field))?;
        request(told, first).map_err(|wrong| wrong.at(field))?;
        Lists::of(told, run)
            .and_then(|lists| lists.check(told, dataset, run))
            .map_err(|wrong| wrong.at(field))?;
        for (place, one) in told.short_list.iter().enumerate() {
            let field = |name: &str| field(&format!("short_list[{place}].{name}"));
            candidate(one, told, records).map_err(|wrong| wrong.at(field))?;
        }
    }
    Ok(())
}

/// What is wrong with a field of a recommendation.
struct Mistake {
    field: String,
    /// The value, and what is allowed.
    reason: String,
}

impl Mistake {
    fn new(field: impl Into<String>, reason: String) -> Self {
        Self {
            field: field.into(),
            reason,
        }
    }

    fn at(self, field: impl Fn(&str) -> String) -> Wrong {
        format!("field {}: {}", field(&self.field), self.reason)
    }
}

/// Checks that `value` is `allowed`.
fn same<T: PartialEq + Serialize>(field: impl Into<String>, value: T, allowed: T) -> Result<(), Mistake> {
    if value == allowed {
        return Ok(());
    }
    let reason = format!("{} is not allowed, only {}", json(value), json(allowed));
    Err(Mistake::new(field, reason))
}

/// As the file spells it.
fn json(value: impl Serialize) -> String {
    serde_json::to_string(&value).unwrap_or_default()
}

/// What was asked is the same for every dataset, and agrees with itself.
fn request(told: &Recommendation, first: &Recommendation) -> Result<(), Mistake> {
    same("purpose", told.purpose, first.purpose)?;
    same("untrusted", told.untrusted, first.untrusted)?;
    if told.purpose.needs_stable_values() {
        same("stable", told.stable, true)?;
    }
    same("stable", told.stable, first.stable)?;
    same("form", told.form, form(told.purpose))?;
    same("mine.function", mine(told), mine(first))
}

fn mine(told: &Recommendation) -> Option<&str> {
    told.mine.as_ref().map(|mine| mine.function.as_str())
}

/// Where each function stands.
struct Lists<'a> {
    suited: Vec<&'a str>,
    excluded: HashSet<&'a str>,
}

impl<'a> Lists<'a> {
    /// Checks names and ranks.
    fn of(told: &'a Recommendation, run: &Run) -> Result<Self, Mistake> {
        let mut seen = HashSet::new();
        let mut name = |field: String, name: &'a str| {
            function(&field, name, run)?;
            if seen.insert(name) {
                return Ok(name);
            }
            let reason = format!("{name:?} is there twice; one place is allowed");
            Err(Mistake::new(field, reason))
        };
        let listed = told
            .short_list
            .iter()
            .map(|one| ("short_list", &one.function, one.rank));
        let more = told.more.iter().map(|one| ("more", &one.function, one.rank));
        let (mut suited, mut last) = (Vec::new(), 1);
        for (place, (list, of, rank)) in listed.chain(more).enumerate() {
            let index = if list == "more" {
                place - told.short_list.len()
            } else {
                place
            };
            suited.push(name(format!("{list}[{index}].function"), of)?);
            // A rank is shared, or the place.
            let begun = place as u64 + 1;
            if rank != last && rank != begun {
                let allowed = if last == begun {
                    format!("{begun}")
                } else {
                    format!("{last} or {begun}")
                };
                let reason = format!("{rank} is not allowed, only {allowed}");
                return Err(Mistake::new(format!("{list}[{index}].rank"), reason));
            }
            last = rank;
        }
        let mut excluded = HashSet::new();
        for (index, exclusion) in told.excluded.iter().enumerate() {
            let of = format!("excluded[{index}].functions");
            if exclusion.functions.is_empty() {
                return Err(Mistake::new(
                    of,
                    "none is not allowed, only one or more".to_owned(),
                ));
            }
            for (place, one) in exclusion.functions.iter().enumerate() {
                excluded.insert(name(format!("{of}[{place}].function"), &one.function)?);
            }
        }
        Ok(Self { suited, excluded })
    }

    /// Checks that all functions have a place, and the reasons and the function in use theirs.
    fn check(&self, told: &Recommendation, dataset: &DatasetSummary, run: &Run) -> Result<(), Mistake> {
        let listed = told.short_list.len();
        if listed > MOST_LISTED || (listed < MOST_LISTED && !told.more.is_empty()) {
            let reason = format!(
                "{listed} functions, and {} in more, are not allowed, only {MOST_LISTED}, or fewer and none in more",
                told.more.len()
            );
            return Err(Mistake::new("short_list", reason));
        }
        if told.too_few_keys && !self.suited.is_empty() {
            let reason = format!(
                "true is not allowed where functions are listed, as for {}",
                dataset.name
            );
            return Err(Mistake::new("too_few_keys", reason));
        }
        let lacking = run.functions.iter().map(|function| function.name.as_str());
        let mut lacking = lacking.filter(|name| !self.suited.contains(name) && !self.excluded.contains(name));
        if let Some(name) = lacking.next().filter(|_| !told.too_few_keys) {
            let reason =
                format!("{name:?} is missing; each of functions must be there, in more or in excluded");
            return Err(Mistake::new("short_list", reason));
        }
        let mut grounds = HashSet::new();
        for (index, exclusion) in told.excluded.iter().enumerate() {
            let (field, ground) = (format!("excluded[{index}].ground"), exclusion.ground);
            if !grounds.insert(ground) {
                let reason = format!("{} is there twice; one list is allowed", json(ground));
                return Err(Mistake::new(field, reason));
            }
            let asked = match ground {
                Ground::Attackers => told.untrusted,
                Ground::Stability => told.stable,
                Ground::Width => told.purpose == Purpose::Checksum,
                Ground::Quality => !told.too_few_keys,
            };
            if !asked {
                let reason = format!("{} is not allowed, it was not asked for", json(ground));
                return Err(Mistake::new(field, reason));
            }
        }
        let Some(mine) = &told.mine else {
            return Ok(());
        };
        function("mine.function", &mine.function, run)?;
        let name = mine.function.as_str();
        let allowed: &[Standing] = if self.excluded.contains(name) {
            &[Standing::Unsuited]
        } else if told.too_few_keys {
            &[Standing::Unknown]
        } else if self.suited.first() == Some(&name) {
            &[Standing::Level]
        } else {
            &[Standing::Level, Standing::Behind]
        };
        if allowed.contains(&mine.standing) {
            return Ok(());
        }
        let allowed: Vec<String> = allowed.iter().map(json).collect();
        let reason = format!(
            "{} is not allowed, only {}",
            json(mine.standing),
            allowed.join(" or ")
        );
        Err(Mistake::new("mine.standing", reason))
    }
}

fn function<'a>(field: &str, name: &str, run: &'a Run) -> Result<&'a FunctionSummary, Mistake> {
    let known = run.functions.iter().find(|function| function.name == name);
    known.ok_or_else(|| Mistake::new(field, format!("no function is called {name:?}")))
}

/// Checks what is said of a function of the short list against its summary and its times.
fn candidate(one: &Candidate, told: &Recommendation, records: &Records) -> Result<(), Mistake> {
    let function = function("function", &one.function, &records.run)?;
    same("stable", one.stable, function.stable)?;
    if told.stable && !function.stable {
        let reason = format!("{:?} is not allowed, its values may change", one.function);
        return Err(Mistake::new("function", reason));
    }
    if told.untrusted && function.resistance != Some(Resistance::Keyed) {
        let reason = format!(
            "{:?} is not allowed, it was not made to withstand attackers",
            one.function
        );
        return Err(Mistake::new("function", reason));
    }
    let (file, rows) = match told.form {
        CallForm::Independent => (TIMING, &records.timing),
        CallForm::Chained => (LATENCY, &records.latency),
    };
    let row = rows
        .iter()
        .find(|row| row.dataset == told.dataset && row.function == one.function);
    let Some((row, time)) = row.zip(one.time) else {
        let reason = format!("{} is not allowed, only what {file} has", json(one.time));
        return Err(Mistake::new("time", reason));
    };
    let (median, deviation) = (row.median_ns_per_key, row.mad_ns_per_key);
    for (field, value, allowed) in [
        ("time.ns", time.ns, median),
        ("time.low_ns", time.low_ns, (median - deviation).max(0.0)),
        ("time.high_ns", time.high_ns, median + deviation),
    ] {
        if (value - allowed).abs() > ROUNDING * (median + deviation) {
            let reason = format!("{value:?} is not allowed, only {allowed:?} as {file} has it");
            return Err(Mistake::new(field, reason));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
