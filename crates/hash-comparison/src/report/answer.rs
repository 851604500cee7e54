//! The answer for a dataset, under every choice that a reader may make: the run's own is shown, the others wait.

use minijinja::context;
use minijinja::value::Value;

use super::table::{Cell, Table};
use crate::judge::recommend::{at_sizes, form, recommend, words};
use crate::judge::times::unsteady;
use crate::record::files::Records;
use crate::record::{
    Advice, AtSize, DatasetSummary, Incumbent, Purpose, Recommendation, Request, Run, Standing,
};
use crate::report::chart::rows::{DatasetRows, distinct};
use filter_tools::table::counted;
use plots::number::{grouped, percent, significant};
use plots::scene::printable;

/// What the buttons offer, and what they say.
const USES: [(Purpose, &str); 5] = [
    (Purpose::FilterOrTable, "filter or table"),
    (Purpose::Filter, "filter"),
    (Purpose::Table, "hash table"),
    (Purpose::Shard, "shards"),
    (Purpose::Checksum, "checksum"),
];

/// What is recommended for each thing that may be asked for.
pub(super) struct Choices {
    /// The requests, and a recommendation for each dataset that has any.
    all: Vec<(Request, Vec<Recommendation>)>,
    /// What the run itself was asked for.
    own: Option<Request>,
}

impl Choices {
    /// Judges the records for every choice; none in runs that recommend nothing.
    pub(super) fn of(records: &Records) -> Self {
        let told = records.run.recommendations.first();
        let own = told.map(|told| Request {
            purpose: told.purpose,
            untrusted: told.untrusted,
            stable: told.stable,
            mine: told.mine.as_ref().map(|mine| mine.function.clone()),
            negligible: told.negligible,
        });
        let requests = own.iter().flat_map(|own| {
            USES.into_iter().flat_map(move |(purpose, _)| {
                [(false, false), (false, true), (true, false), (true, true)].map(|(untrusted, stable)| {
                    Request {
                        purpose,
                        untrusted,
                        stable,
                        ..own.clone()
                    }
                })
            })
        });
        let all = requests.map(|request| {
            let recommended = recommend(records, &request);
            (request, recommended)
        });
        Self {
            all: all.collect(),
            own,
        }
    }

    /// The state of the buttons before anybody presses one.
    pub(super) fn request(&self) -> Option<Value> {
        let own = self.own.as_ref()?;
        Some(context! {
            use => own.purpose.to_string(), strangers => own.untrusted, stored => own.stable,
        })
    }

    /// The buttons of uses.
    pub(super) fn uses() -> Value {
        let uses = USES.into_iter();
        uses.map(|(purpose, words)| context! { value => purpose.to_string(), words })
            .collect()
    }

    /// Every answer for a dataset.
    pub(super) fn answers(&self, dataset: &str) -> Value {
        let told = self.all.iter().filter_map(|(request, told)| {
            let told = told.iter().find(|told| told.dataset == dataset)?;
            Some(answer(request, told, self.own.as_ref() == Some(request)))
        });
        told.collect()
    }

    /// How a function stands for each use, without more being asked.
    pub(super) fn standings<'a>(&'a self, dataset: &str, function: &str) -> Vec<(&'static str, &'a Advice)> {
        let plain = self
            .all
            .iter()
            .filter(|(request, _)| !request.untrusted && !request.stable);
        let advice = plain.zip(USES).filter_map(|((_, told), (_, words))| {
            let told = told.iter().find(|told| told.dataset == dataset)?;
            Some((words, told.advice(function)?))
        });
        advice.collect()
    }
}

fn answer(request: &Request, told: &Recommendation, asked_for: bool) -> Value {
    let card = |standing, title: &str, class: &str| {
        let advice = told.standing(standing).next()?;
        Some(context! {
            title, class,
            function => &advice.function,
            time => advice.time.map(|time| {
                let [ns, low, high] = [time.ns, time.low_ns, time.high_ns].map(|ns| significant(ns, 2));
                format!("{ns} ns per key ({low} to {high})")
            }),
            words => printable(&advice.why.join("; ")),
        })
    };
    let nothing = told.pick().is_none().then(|| {
        context! {
            title => "Pick", class => "pick", function => Value::from(()), time => Value::from(()),
            words => "No function is recommended.",
        }
    });
    let yours = |mine: Option<&Incumbent>| {
        context! {
            title => "Yours", class => if mine.is_some() { "yours" } else { "yours nobody" },
            function => mine.map(|mine| &mine.function), time => Value::from(()),
            words => mine.map_or_else(
                || "Choose what you use today, above, to see what a change would save.".to_owned(),
                |mine| printable(&mine.words),
            ),
        }
    };
    let cards = card(Standing::Pick, "Pick", "pick")
        .into_iter()
        .chain(nothing)
        .chain(card(Standing::RunnerUp, "Runner-up", "runner-up"))
        .chain([yours(told.mine.as_ref())]);
    context! {
        choice => format!("{} {} {}", request.purpose, request.untrusted, request.stable),
        form => told.form.to_string(),
        asked_for,
        asked => words::asked(told),
        time => &told.form_reason,
        attackers => &told.attackers,
        cards => cards.collect::<Value>(),
        notes => told.notes.iter().map(|note| printable(note)).collect::<Value>(),
        sizes => sizes(&told.at_sizes),
        ranking => ranking(told),
    }
}

/// The head of a column of standings, which are those for what the run was asked for.
pub(super) fn advice_head(data: &DatasetRows<'_>) -> String {
    let purpose = data.recommendation.map(|told| told.purpose).unwrap_or_default();
    let words = USES
        .iter()
        .find(|(use_, _)| *use_ == purpose)
        .map_or("", |(_, words)| words);
    format!("Advice: {words}")
}

/// A standing in words.
pub(super) fn standing(advice: &Advice) -> String {
    match advice.standing {
        Standing::Pick => "pick".to_owned(),
        Standing::RunnerUp => "runner-up".to_owned(),
        Standing::Suited => format!("suited, rank {}", advice.rank),
        Standing::Avoid => "avoid".to_owned(),
        Standing::Lacking => "lacks what was asked".to_owned(),
        Standing::Unknown => "not known".to_owned(),
    }
}

fn ranking(told: &Recommendation) -> Table {
    Table::of(&told.functions)
        .column("Function", |one| &one.function)
        .column("Advice", |one| standing(one))
        .column("#ns per key", |one| one.time.map(|time| time.ns))
        .column("#A change to the pick saves", |one| {
            (one.saves != 0.0).then(|| Cell::percent(one.saves))
        })
        .column("Because", |one| &one.reason)
        .done()
}

/// What every function costs at several numbers of keys, in both forms of calls: for a reader who names another function.
pub(super) fn all_sizes(data: &DatasetRows<'_>) -> Value {
    let purposes = [Purpose::Table, Purpose::Filter].into_iter();
    let of = |purpose| {
        let rows = at_sizes(data.records, data.summary, purpose);
        Some(context! { form => form(purpose).to_string(), sizes => sizes(&rows)? })
    };
    purposes.filter_map(of).collect()
}

/// Time, collisions and filter rate at several numbers of keys, a row a function; `None` without any.
fn sizes(rows: &[AtSize]) -> Option<Value> {
    let functions = distinct(rows.iter().map(|row| row.function.as_str()));
    functions.first()?;
    let mut keys: Vec<u64> = rows.iter().map(|row| row.keys).collect();
    keys.dedup();
    let told = |row: &AtSize| {
        let time = row
            .total_ms
            .map_or_else(String::new, |ms| format!("{}, ", duration(ms)));
        let collisions = match row.collisions {
            // Next to none, whatever the exponent.
            few if few < 1e-3 => "0".to_owned(),
            some => significant(some, 2),
        };
        format!("{time}{collisions} collide, filter {}", percent(row.rate))
    };
    let row = |name: &str| {
        let at = |keys: &u64| {
            rows.iter()
                .find(|row| row.keys == *keys && row.function == name)
                .map(told)
        };
        context! { name, cells => keys.iter().map(at).collect::<Value>() }
    };
    Some(context! {
        heads => keys.iter().map(|&keys| format!("{} keys", grouped(keys))).collect::<Value>(),
        rows => functions.into_iter().map(row).collect::<Value>(),
    })
}

fn duration(milliseconds: f64) -> String {
    if milliseconds >= 1000.0 {
        format!("{} s", significant(milliseconds / 1000.0, 2))
    } else {
        format!("{} ms", significant(milliseconds, 2))
    }
}

/// What the keys are.
pub(super) fn data_line(summary: &DatasetSummary) -> String {
    let dropped = match summary.duplicates_dropped {
        0 => String::new(),
        1 => "; 1 duplicate line dropped".to_owned(),
        many => format!("; {} duplicate lines dropped", grouped(many)),
    };
    let lengths = match (summary.keys, summary.min_len == summary.max_len) {
        (0, _) => String::new(),
        (1, _) => format!(", {}", counted(summary.min_len, "byte")),
        (_, true) => format!(", {} each", counted(summary.min_len, "byte")),
        (_, false) => format!(
            ", {} to {} bytes, mean {:.1}",
            grouped(summary.min_len),
            grouped(summary.max_len),
            summary.mean_len
        ),
    };
    let name = printable(&summary.name);
    format!("{name}: {}{lengths}{dropped}", counted(summary.keys, "key"))
}

/// Where and when it was measured.
pub(super) fn run_line(run: &Run) -> String {
    // RFC 3339 begins with the date.
    let day = run.date.split('T').next().unwrap_or_default();
    let quick = if run.quick {
        " · quick run: fewer timing samples"
    } else {
        ""
    };
    printable(&format!(
        "{} · {day} · seed {}{quick}",
        run.environment.cpu, run.seed
    ))
}

/// What somebody must know before anything else.
pub(super) fn warnings(data: &DatasetRows<'_>, run: &Run) -> Vec<String> {
    Vec::from_iter(unsteady(data.timing.iter().copied(), &run.environment))
}

/// How to read the first chart, and what its test could have seen.
pub(super) fn reading(data: &DatasetRows<'_>) -> String {
    let widest = data.collisions.iter().max_by_key(|row| row.bits);
    let seen = match widest.filter(|row| row.band_high + 1.0 < row.keys as f64) {
        Some(row) => format!(
            "At {} bits fewer than {} collisions cannot be told from chance ({} expected)",
            row.bits,
            grouped(row.band_high as u64 + 1),
            significant(row.expected, 3)
        ),
        None => "The keys are too few to tell any function from chance at full width".to_owned(),
    };
    format!("Best first. {seen}; functions inside the band are not ranked by quality.")
}
