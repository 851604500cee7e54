//! The answers for a dataset, for every choice of the reader. The page first shows the run's own choice.

use std::collections::BTreeMap;

use minijinja::context;
use minijinja::value::{Serde, Value};

use crate::advice::recommend::{at_sizes, form, incumbents, recommend, words};
use crate::keys::Manifest;
use crate::page::cells::shortened;
use crate::questions::collisions::even_chance;
use crate::questions::on_dataset::DatasetRows;
use crate::questions::{CollisionRow, Records};
use crate::record::{
    DatasetKind, DatasetSummary, FunctionGroup, FunctionSummary, Purpose, Recommendation, Request, Run,
    Standing,
};
use records::number::{grouped, significant};

/// The uses that the buttons offer, with their labels.
const USES: [(Purpose, &str); 5] = [
    (Purpose::FilterOrTable, "filter or table"),
    (Purpose::Filter, "filter"),
    (Purpose::Table, "hash table"),
    (Purpose::Shard, "shards"),
    (Purpose::Checksum, "checksum"),
];

/// The text of the card of the function in use while nobody has named it.
pub(super) const NOBODY: &str =
    "Select the function in use today to see whether it is good enough, and what a change would gain.";

/// The recommendations for every request that a reader can choose.
pub(super) struct Choices {
    /// The requests, each with a recommendation for every dataset that has one.
    all: Vec<(Request, Vec<Recommendation>)>,
    /// The request of the run itself.
    pub(super) initial: Request,
}

impl Choices {
    /// Judges the records for every request.
    pub(super) fn of(records: &Records) -> Self {
        let recommendation = records.run.recommendations.first();
        let initial = recommendation.map_or_else(Request::default, |recommendation| Request {
            purpose: recommendation.purpose,
            untrusted: recommendation.untrusted,
            stable: recommendation.stable,
            mine: recommendation.mine.as_ref().map(|mine| mine.function.clone()),
            negligible: recommendation.negligible,
        });
        let requests = USES.into_iter().flat_map(|(purpose, _)| {
            let all = [(false, false), (false, true), (true, false), (true, true)].into_iter();
            // Some uses need values that never change, so the reader has no choice there.
            let all = all.filter(move |(_, stable)| *stable || !purpose.needs_stable_values());
            all.map(move |(untrusted, stable)| (purpose, untrusted, stable))
        });
        let requests = requests.map(|(purpose, untrusted, stable)| Request {
            purpose,
            untrusted,
            stable,
            ..initial.clone()
        });
        let all = requests.map(|request| {
            let recommended = recommend(records, &request);
            (request, recommended)
        });
        Self {
            all: all.collect(),
            initial,
        }
    }

    /// Returns the initial state of the buttons.
    pub(super) fn request(&self) -> Value {
        let initial = &self.initial;
        context! { use => initial.purpose.to_string(), strangers => initial.untrusted, stored => initial.stable }
    }

    pub(super) fn uses() -> Value {
        let uses = USES.into_iter();
        uses.map(|(purpose, words)| {
            context! { value => purpose.to_string(), words, stable => purpose.needs_stable_values() }
        })
        .collect()
    }

    pub(super) fn answers(&self, records: &Records, dataset: &DatasetSummary) -> Value {
        let answers = self.all.iter().enumerate();
        let answers = answers.filter_map(|(index, (request, recommendations))| {
            let recommendation = recommendations.iter().find(|one| one.dataset == dataset.name)?;
            let is_asked_for = self.initial == *request;
            let choice = (request, letter(index));
            Some(answer(records, dataset, choice, recommendation, is_asked_for))
        });
        answers.collect()
    }

    /// Returns of each function whether it is good enough, sentence by sentence with the choices that a sentence belongs
    /// to; its figures for each use; and its known weakness. They are for a reader who selects a function.
    pub(super) fn figures(&self, records: &Records, dataset: &DatasetSummary) -> Value {
        // By function and place in the text.
        let mut enough: BTreeMap<String, BTreeMap<usize, Vec<(String, String)>>> = BTreeMap::new();
        for (index, (request, _)) in self.all.iter().enumerate() {
            for one in incumbents(records, dataset, request) {
                let places = enough.entry(one.function).or_default();
                for (place, sentence) in one.words.split_inclusive(". ").enumerate() {
                    let sentences = places.entry(place).or_default();
                    match sentences.iter_mut().find(|(known, _)| known == sentence) {
                        Some((_, choices)) => choices.push(letter(index)),
                        None => sentences.push((sentence.to_owned(), letter(index).to_string())),
                    }
                }
            }
        }
        let functions = records.run.functions.iter().map(|function| {
            let enough = enough.get(&function.name).into_iter().flat_map(BTreeMap::values);
            let enough = enough
                .flatten()
                .map(|(words, choices)| context! { words, choices });
            // A combined use, such as a filter or table, would only repeat the figures of its parts.
            let single = self
                .plain()
                .filter(|(_, (purpose, _))| purpose.parts().len() == 1);
            let uses = single.flat_map(|(recommendations, (purpose, _))| {
                let recommendation = recommendations.iter().find(|one| one.dataset == dataset.name);
                let advice = recommendation.and_then(|one| Some((one, one.advice(&function.name)?)));
                let figures =
                    advice.map_or_else(Vec::new, |(one, advice)| words::figures(records, one, advice));
                let figure = move |words: String| context! { use => purpose.to_string(), words };
                figures.into_iter().map(figure)
            });
            context! {
                name => &function.name,
                enough => enough.collect::<Value>(),
                uses => uses.collect::<Value>(),
                weakness => words::known_weakness(records, dataset, &function.name),
            }
        });
        functions.collect()
    }

    /// Iterates over the recommendations for each use without further requirements.
    fn plain(&self) -> impl Iterator<Item = (&Vec<Recommendation>, (Purpose, &'static str))> {
        let plain = self.all.iter().filter(|(request, _)| {
            !request.untrusted && request.stable == request.purpose.needs_stable_values()
        });
        plain.map(|(_, recommendations)| recommendations).zip(USES)
    }
}

/// Returns the letter of a choice, by which the sentences on functions name the choices that they are true of.
fn letter(index: usize) -> char {
    char::from(b'a' + index as u8)
}

fn answer(
    records: &Records,
    dataset: &DatasetSummary,
    (request, letter): (&Request, char),
    recommendation: &Recommendation,
    asked_for: bool,
) -> Value {
    let card = |function: Option<&str>, time: Option<String>, words: &str| {
        let weakness = function.and_then(|name| words::known_weakness(records, dataset, name));
        context! { function, time, words, weakness }
    };
    let recommended = |standing| {
        let advice = recommendation.standing(standing).next()?;
        let mut figures = words::figures(records, recommendation, advice);
        if !advice.stable {
            figures.insert(
                0,
                "in memory only: its values may change with a release".to_owned(),
            );
        }
        let time = advice.time.map(|time| {
            let [ns, low, high] = [time.ns, time.low_ns, time.high_ns].map(|ns| significant(ns, 2));
            format!("{ns} ns per key ({low} to {high})")
        });
        Some(card(Some(&advice.function), time, &figures.join("; ")))
    };
    let mine = recommendation.mine.as_ref();
    context! {
        choice => format!("{} {} {}", request.purpose, request.untrusted, request.stable),
        told => Value::from(Serde(recommendation)),
        letter,
        asked_for,
        asked => words::asked(recommendation),
        pick => recommended(Standing::Pick).unwrap_or_else(|| card(None, None, "No function is recommended.")),
        runner_up => recommended(Standing::RunnerUp),
        mine => card(mine.map(|mine| &*mine.function), None, mine.map_or(NOBODY, |mine| &mine.words)),
        at_ten_thousand => words::at_ten_thousand(records, recommendation),
        others => others(records, dataset, recommendation),
    }
}

/// Returns names and labels of the functions by family, common functions first; labels tell similar names apart.
pub(super) fn selectable(run: &Run) -> Vec<(String, String)> {
    let mut all: Vec<&FunctionSummary> = run.functions.iter().collect();
    all.sort_by_key(|one| {
        let name = one.name.to_lowercase();
        let stem = name.split(['-', ' ']).next().unwrap_or_default().to_owned();
        let seldom = one.folded || one.group == FunctionGroup::Published;
        (stem, seldom, name)
    });
    let label = |one: &FunctionSummary| {
        let hint = HINTS.iter().find(|(name, _)| *name == one.name);
        hint.map_or_else(|| one.name.clone(), |(name, hint)| format!("{name} ({hint})"))
    };
    all.into_iter()
        .map(|one| (one.name.clone(), label(one)))
        .collect()
}

/// Explanations of names that look alike.
const HINTS: [(&str, &str); 12] = [
    ("CalcNrHash", "MySQL's calc_hashnr"),
    ("DJB", "33 h + byte, case ignored"),
    ("DJB2Hash", "33 h xor byte"),
    ("djb2", "33 h + byte"),
    ("FNVHash", "FNV-1, 32 bits"),
    ("MurmurHash3", "x86, 32 bits"),
    ("SimMurMurHash", "LevelDB's hash"),
    ("SipHash", "published form: 1-2, low 32 bits"),
    ("SipHashNoCase", "published form, case ignored"),
    ("SipHash-1-3", "Rust, Python"),
    ("SipHash-2-4", "as designed"),
    ("XXPH3", "preview of XXH3"),
];

/// Returns functions for keys that this run did not measure, and the number of structured key sets they passed; `None`
/// without structured keys, or if the user's own keys were measured.
fn others(records: &Records, dataset: &DatasetSummary, recommendation: &Recommendation) -> Option<Value> {
    let (functions, sets) = words::without_weakness(records, recommendation)?;
    let first = functions.iter().take(3).copied();
    let is_file = dataset.kind == DatasetKind::File;
    (!is_file && !functions.is_empty())
        .then(|| context! { sets, functions => first.collect::<Vec<_>>().join(", ") })
}

/// Returns the shortest recorded pair of colliding keys as an example of the keys, if there is one.
pub(super) fn samples(data: &DatasetRows<'_>) -> Option<String> {
    let full = data
        .findings
        .iter()
        .filter_map(|one| data.full_width(&one.function));
    let pairs = full
        .filter(|row| row.collisions > 0)
        .map(|row| [&row.first, &row.second]);
    let pair = pairs.min_by_key(|pair| pair.iter().map(|key| key.len()).sum::<usize>())?;
    let [one, other] = pair.map(|key| shortened(key, 40));
    Some(format!(", such as “{one}” and “{other}”"))
}

/// Describes the kind of the keys.
pub(super) fn kind(summary: &DatasetSummary) -> Option<&'static str> {
    let mut entries = Manifest::embedded().datasets.iter();
    let entry = entries.find(|entry| summary.kind != DatasetKind::File && entry.name == summary.name)?;
    Some(&entry.keys_are)
}

/// Returns the costs of all functions by number of keys, in both call forms, for a reader who selects another one.
pub(super) fn all_sizes(data: &DatasetRows<'_>) -> Value {
    let forms = [Purpose::Table, Purpose::Filter].into_iter().map(|purpose| {
        let rows = at_sizes(data.records, data.summary, purpose);
        context! { form => form(purpose).to_string(), rows => Value::from(Serde(rows)) }
    });
    forms.collect()
}

/// Returns what explains collisions: the width of most functions; the smallest number of collisions that its test can
/// detect, if any; those expected; the keys with an even chance of one; a narrower width; and whether hashes are cut.
pub(super) fn reading(data: &DatasetRows<'_>) -> Value {
    let widest = data.rows(&data.records.collisions).max_by_key(|row| row.bits);
    let most = |row: &CollisionRow| row.band(data.records.collisions.len())[1] as u64;
    let told = widest.filter(|row| most(row) + 1 < row.keys);
    let bits = widest.map_or(0, |row| row.bits);
    let findings = data.findings.iter();
    let mut widths = findings.filter_map(|one| Some(data.full_width(&one.function)?.bits));
    let mut functions = data.records.run.functions.iter();
    context! {
        bits,
        least => told.map(|row| grouped(most(row) + 1)),
        expected => widest.map(|row| significant(row.expected, 3)),
        even => grouped(even_chance(bits)),
        narrower => widths.find(|width| *width < bits),
        is_cut => functions.any(|one| one.output_bits > bits),
    }
}
