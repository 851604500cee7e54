//! The answers for a dataset, for every choice of the reader. The page first shows the run's own choice.

use std::collections::{BTreeMap, BTreeSet};

use minijinja::context;
use minijinja::value::{Serde, Value};

use crate::advice::figures::Figures;
use crate::advice::gains;
use crate::advice::weakness::{self, Weakness};
use crate::advice::{Note, notes, of_dataset};
use crate::questions::collisions::{even_chance, structured};
use crate::questions::on_dataset::DatasetRows;
use crate::questions::{CollisionRow, Records};
use crate::record::{Advice, CallForm, FunctionGroup, FunctionSummary, Purpose, Request, Run, Standing};
use terminal::number::{grouped, significant};

/// The uses that the buttons offer, with their labels.
const USES: [(Purpose, &str); 5] = [
    (Purpose::FilterOrTable, "filter or table"),
    (Purpose::Filter, "filter"),
    (Purpose::Table, "hash table"),
    (Purpose::Shard, "shards"),
    (Purpose::Checksum, "checksum"),
];

/// The parts of all uses.
pub(super) const PARTS: [Purpose; 4] = [Purpose::Filter, Purpose::Table, Purpose::Shard, Purpose::Checksum];

/// Returns the uses that the buttons offer.
pub(super) fn uses() -> Value {
    let uses = USES.into_iter();
    uses.map(|(purpose, words)| {
        let stable = purpose.needs_stable_values();
        context! { value => Serde(purpose), words, stable, form => Serde(purpose.form()), parts => Value::from(Serde(purpose.parts())) }
    })
    .collect()
}

/// Returns every request that a reader can choose, with the threshold of the run.
pub(super) fn requests(run: &Run) -> Vec<Request> {
    let all = USES.into_iter().flat_map(|(purpose, _)| {
        let all = [(false, false), (false, true), (true, false), (true, true)].into_iter();
        all.map(move |(untrusted, stable)| Request {
            purpose,
            untrusted,
            stable,
            ..run.request.clone()
        })
    });
    // Some uses need values that never change, so the reader has no choice there.
    let has_choice = |one: &Request| one.stable || !one.purpose.needs_stable_values();
    all.filter(has_choice).collect()
}

/// Returns the name of a request among those that a reader can choose.
pub(super) fn choice(request: &Request) -> String {
    format!("{} {} {}", request.purpose, request.untrusted, request.stable)
}

/// Returns the advice on a dataset for each request, and the gains of changes to the picks.
pub(super) fn answers(data: &DatasetRows<'_>, requests: &[Request]) -> [Value; 2] {
    let all = requests
        .iter()
        .map(|request| of_dataset(data.records, data.summary, request));
    let all: Vec<Vec<Advice>> = all.collect();
    let best = requests.iter().zip(&all).filter_map(|(request, advice)| {
        let pick = advice.first().filter(|one| one.standing == Standing::Pick)?;
        Some((request, pick.function.as_str()))
    });
    let gains = gains_to(data.records, &[&data.summary.name], best);
    let answer = |(request, advice): (&Request, &Vec<Advice>)| {
        context! {
            choice => choice(request),
            requested => *request == data.records.run.request,
            request => Value::from(Serde(request)),
            form => Serde(request.purpose.form()),
            parts => Value::from(Serde(request.purpose.parts())),
            notes => Value::from(Serde(notes(data.records, data.summary, request, advice))),
            equal => Value::from(Serde(gains::equal_in_memory(data.records, advice, request.purpose.form()))),
            others => others(data, advice),
            functions => Value::from(Serde(advice)),
        }
    };
    [requests.iter().zip(&all).map(answer).collect(), gains]
}

/// Returns the gains of changes from every function to the best for each request, over some key sets: once for each form of call
/// and best function.
pub(super) fn gains_to<'a>(
    records: &Records,
    sets: &[&str],
    best: impl IntoIterator<Item = (&'a Request, &'a str)>,
) -> Value {
    let changes = best.into_iter().map(|(request, to)| (request.purpose.form(), to));
    let changes: BTreeSet<(CallForm, &str)> = changes.collect();
    let gains = changes.into_iter().map(|(form, to)| {
        let gains = gains::to(records, sets, form, to);
        context! { form => Serde(form), to, gains => Value::from(Serde(gains)) }
    });
    gains.collect()
}

/// Returns the note on a filter of these keys that has an unlucky size, if it has.
pub(super) fn unlucky(data: &DatasetRows<'_>) -> Value {
    let request = Request {
        purpose: Purpose::Filter,
        ..Request::default()
    };
    let all = notes(data.records, data.summary, &request, &[]).into_iter();
    let unlucky = all.filter(|note| matches!(note, Note::UnluckySize(_)));
    Value::from(Serde(unlucky.collect::<Vec<_>>()))
}

/// Returns the functions that fail no set of structured keys, best first, and the number of sets: the advice for keys that
/// this run did not measure. `None` without structured keys.
fn others(data: &DatasetRows<'_>, advice: &[Advice]) -> Option<Value> {
    let suited = advice.iter().filter(|one| one.suits()).map(|one| &one.function);
    let tried = suited.map(|name| (name, structured::sets_failed(data.records, name)));
    let tried: Vec<_> = tried.filter(|(_, sets)| sets.tried > 0).collect();
    let sets = tried.first()?.1.tried;
    let good = tried.iter().filter(|(_, sets)| sets.failed == 0);
    let functions: Vec<Value> = good.map(|(name, _)| name.as_str().into()).take(3).collect();
    (!functions.is_empty()).then(|| context! { sets, functions })
}

/// Returns the figures of all functions for all uses.
pub(super) fn figures(data: &DatasetRows<'_>) -> Figures {
    Figures::of(data.records, data.summary, &PARTS)
}

/// Returns the known weakness of each function, if it has one.
pub(super) fn weaknesses(data: &DatasetRows<'_>) -> BTreeMap<String, Option<Weakness>> {
    let names = data.records.run.functions.iter().map(|one| one.name.clone());
    let of = |name: String| (weakness::of(data.records, data.summary, &name), name);
    names.map(of).map(|(weakness, name)| (name, weakness)).collect()
}

/// Returns names and labels of the functions by family, common functions first; labels distinguish similar names.
pub(super) fn selectable(run: &Run) -> Vec<(String, String)> {
    let mut all: Vec<&FunctionSummary> = run.functions.iter().collect();
    all.sort_by_key(|one| {
        let name = one.name.to_lowercase();
        let stem = name.split(['-', ' ']).next().unwrap_or_default().to_owned();
        let seldom = one.folded || one.group == FunctionGroup::Published;
        (stem, seldom, name)
    });
    all.into_iter()
        .map(|one| (one.name.clone(), label(&one.name)))
        .collect()
}

/// Returns a name, with an explanation if others look like it.
pub(crate) fn label(name: &str) -> String {
    let hint = HINTS.iter().find(|(hinted, _)| *hinted == name);
    hint.map_or_else(|| name.to_owned(), |(_, hint)| format!("{name} ({hint})"))
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

/// Returns the shortest recorded pair of colliding keys as an example of the keys, if there is one.
pub(super) fn samples<'a>(data: &DatasetRows<'a>) -> Option<[&'a str; 2]> {
    let full = data
        .findings
        .iter()
        .filter_map(|one| data.full_width(&one.function));
    let pairs = full
        .filter(|row| row.collisions > 0)
        .map(|row| [row.first.as_str(), row.second.as_str()]);
    pairs.min_by_key(|pair| pair.iter().map(|key| key.len()).sum::<usize>())
}

/// Returns what explains collisions: the width of most functions; the smallest number of collisions that its test can
/// detect, if any; those expected; the keys with an even chance of one; a narrower width; and whether hashes are cut.
pub(super) fn reading(data: &DatasetRows<'_>) -> Value {
    let widest = data.rows(&data.records.collisions).max_by_key(|row| row.bits);
    let most = |row: &CollisionRow| row.band(data.records.collisions.len())[1] as u64;
    let usable = widest.filter(|row| most(row) + 1 < row.keys);
    let bits = widest.map_or(0, |row| row.bits);
    let findings = data.findings.iter();
    let mut widths = findings.filter_map(|one| Some(data.full_width(&one.function)?.bits));
    let mut functions = data.records.run.functions.iter();
    context! {
        bits,
        least => usable.map(|row| grouped(most(row) + 1)),
        expected => widest.map(|row| significant(row.expected, 3)),
        even => grouped(even_chance(bits)),
        narrower => widths.find(|width| *width < bits),
        is_cut => functions.any(|one| one.output_bits > bits),
    }
}
