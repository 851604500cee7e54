//! The report: one self-contained page, built from stored records alone.
//!
//! `page.html` holds the text and the order; `style.css` and the scripts define look and behaviour. This module and its
//! children turn records into texts and rows, which the templates arrange. Templates escape everything except charts,
//! fonts, these files, and cells that the program formatted.

pub(crate) mod answer;
mod cells;
pub mod drawing;
mod failures;
pub mod joined;
mod published;
pub(crate) mod wording;

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use minijinja::value::{Serde, Value};
use minijinja::{UndefinedBehavior, context, escape_formatter};

use crate::advice::calibration::{self, CalibrationRow};
use crate::advice::of_dataset as of_request;
use crate::advice::over_sets::{OverSets, over_sets, suited};
use crate::advice::times::warning;
use crate::keys::Manifest;
use crate::questions::filters::FEWEST_KEYS;
use crate::questions::on_dataset::DatasetRows;
use crate::questions::tables::{Cell, Table};
use crate::questions::times::of_empty_keys;
use crate::questions::{QUESTIONS, Records, Section};
use crate::record::{Advice, DatasetKind, Request};
use drawing::Chart;
use plots::scene::printable;
use rayon::prelude::*;
use records::folder::REPORT;
use records::table;
use terminal::failure::Failure;
use terminal::number::percent_tick;

/// The SVG elements of charts, by the name of their kind and the index of their dataset.
type Drawn = BTreeMap<(&'static str, Option<usize>), Value>;

/// Returns the files of charts and page with their contents, named below the folder of a run.
///
/// # Errors
///
/// Returns an error if the figures make a chart too large to draw.
pub fn files(records: &Records) -> Result<Vec<(String, String)>, Failure> {
    let charts = drawing::all(records);
    let schema = records.run.schema;
    let drawn = charts.par_iter().map(|chart| drawing::file(chart, schema));
    let mut files = drawn.collect::<Result<Vec<_>, _>>()?;
    files.push((REPORT.to_owned(), page(records, &charts)?));
    Ok(files)
}

/// Builds the whole page with these charts.
fn page(records: &Records, charts: &[Chart]) -> Result<String, Failure> {
    let run = &records.run;
    let all = DatasetRows::all(records);
    let shown = first_shown(&all);
    let requests = answer::requests(run);
    let drawn = charts.iter().map(|chart| {
        let svg = plots::inline_svg(&chart.scene);
        ((chart.kind.stem, chart.dataset), context! { svg })
    });
    let drawn: Drawn = drawn.collect();
    let datasets = all.iter().enumerate().map(|(index, data)| {
        context! {
            name => &data.summary.name,
            selected => index == shown,
            ..of_dataset(data, &requests, (index, &drawn))
        }
    });
    let over = requests.iter().map(|request| {
        let advice = all.iter().map(|data| of_request(records, data.summary, request));
        let advice: Vec<Vec<Advice>> = advice.collect();
        (request, over_sets(advice.iter().map(suited)))
    });
    let over: Vec<(&Request, Vec<OverSets>)> = over.collect();
    let best = over
        .iter()
        .filter_map(|(request, rows)| Some((*request, rows.first()?.function.as_str())));
    let sets: Vec<&str> = run.datasets.iter().map(|set| set.name.as_str()).collect();
    let gains = answer::gains_to(records, &sets, best);
    let together = over.iter().map(|(request, rows)| {
        context! { choice => answer::choice(request), form => Serde(request.purpose.form()), rows => Value::from(Serde(rows)) }
    });
    let names = run.functions.iter().enumerate();
    let ids: BTreeMap<String, String> = names
        .map(|(index, one)| (one.name.clone(), format!("f{index}")))
        .collect();
    let costs_of_calls = run
        .functions
        .iter()
        .map(|one| (&*one.name, of_empty_keys(records, one)));
    let calibration: Vec<CalibrationRow> =
        table::parse("calibration.csv".as_ref(), calibration::COMMITTED.as_bytes())?;
    let values = context! {
        generator => &run.generator,
        command => &run.command,
        schema => run.schema,
        datasets => datasets.collect::<Value>(),
        sections => sections(records, None, &drawn),
        together => together.collect::<Value>(),
        gains,
        uses => answer::uses(),
        request => Value::from(Serde(&run.request)),
        requested_choice => answer::choice(&run.request),
        selectable => answer::selectable(run),
        ids => Value::from(Serde(ids)),
        mine => &run.request.mine,
        negligible => percent_tick(run.request.negligible),
        functions => Value::from(Serde(&run.functions)),
        costs_of_calls => Value::from(costs_of_calls.collect::<BTreeMap<_, _>>()),
        comparisons => all.iter().filter_map(published::of_set).collect::<Value>(),
        filters => published::of_filters(&all),
        calibration => Value::from(Serde(calibration)),
        machine => Value::from(Serde(&run.environment)),
        date => &run.date,
        seed => run.seed,
        quick => run.quick,
        warning => warning(records),
    };
    fill(include_str!("page/page.html"), values)
        .map_err(|error| Failure::internal(format!("report: {error:#}")))
}

/// Returns everything about one dataset, whose index names its charts.
fn of_dataset(data: &DatasetRows<'_>, requests: &[Request], (index, drawn): (usize, &Drawn)) -> Value {
    let records = data.records;
    let findings = drawing::FINDINGS.iter().map(|(purpose, kind)| {
        let chart = drawn.get(&(kind.stem, Some(index)));
        context! { purpose => Serde(purpose), chart }
    });
    let [answers, gains] = answer::answers(data, requests);
    context! {
        keys => Value::from(Serde(data.summary)),
        kind => Manifest::of(data.summary).map(|entry| &entry.keys_are),
        samples => Value::from(Serde(answer::samples(data))),
        answers,
        gains,
        unlucky => answer::unlucky(data),
        figures => Value::from(Serde(answer::figures(data))),
        weaknesses => Value::from(Serde(answer::weaknesses(data))),
        reading => answer::reading(data),
        findings => findings.collect::<Value>(),
        sections => sections(records, Some((index, data)), drawn),
        failures => failures::worse_than_chance(data),
        has_few_keys => data.summary.keys < FEWEST_KEYS,
        full => cells::drawn(&full(data)),
    }
}

/// Returns the sections of a dataset, given with its index, or without one of the run, that have a chart or a row.
fn sections(records: &Records, dataset: Option<(usize, &DatasetRows<'_>)>, drawn: &Drawn) -> Value {
    let (index, data) = dataset.unzip();
    let section = |section: &Section| {
        let tables = section.tables.shown(records, data)?;
        let charts = section
            .charts
            .iter()
            .filter_map(|kind| drawn.get(&(kind.stem, index)).cloned());
        let charts: Vec<Value> = charts.collect();
        let tables = tables.iter().filter(|table| !table.rows.is_empty());
        let tables: Vec<Value> = tables.map(cells::drawn).collect();
        let Section { title, id, text, .. } = *section;
        let is_there = !charts.is_empty() || !tables.is_empty();
        is_there.then(|| context! { title, id, text, folded => section.folded, charts, tables })
    };
    let of_questions = QUESTIONS.iter().flat_map(|question| question.sections);
    drawing::SECTIONS
        .iter()
        .chain(of_questions)
        .filter_map(section)
        .collect()
}

/// Returns the table of all functions on a dataset, best first, to which every question adds its columns.
fn full(data: &DatasetRows<'_>) -> Table {
    let columns = |name| {
        QUESTIONS
            .iter()
            .flat_map(move |question| (question.columns)(data, name))
    };
    let rows = data.best_first().into_iter().map(|finding| {
        let name = finding.function.as_str();
        let cells = columns(name).map(|(_, cell)| cell);
        (name, cells.chain([Cell::Verdict(finding.verdict)]).collect())
    });
    let heads = columns("").map(|(head, _)| head).chain(["Tests"]);
    Table::named("full table", "Function", heads, rows)
}

/// Fills in a template, preceded by the macros for tables. Everything is escaped unless the template says otherwise.
fn fill(template: &str, page: Value) -> Result<String, minijinja::Error> {
    let mut environment = cells::environment()?;
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    // Names of functions and files, and keys, may contain any character.
    environment.set_formatter(|out, state, value| match value.as_str() {
        Some(text) if !value.is_safe() => escape_formatter(out, state, &printable(text).into()),
        _ => escape_formatter(out, state, value),
    });
    let css = [include_str!("page/style.css"), plots::INLINE_STYLE].concat();
    environment.add_global("css", css);
    environment.add_global("script", include_str!("page/script.js"));
    environment.add_global("font_regular", BASE64.encode(plots::font::REGULAR));
    environment.add_global("font_bold", BASE64.encode(plots::font::BOLD));
    let template = [wording::MACROS, include_str!("page/tables.html"), template].concat();
    // The extension of the name turns on HTML escaping.
    environment.add_template_owned("page.html", template)?;
    environment.get_template("page.html")?.render(page)
}

/// Returns the index of the dataset that the page opens with: the user's own keys, else the accounts, else the first.
fn first_shown(all: &[DatasetRows<'_>]) -> usize {
    let own = all.iter().position(|data| data.summary.kind == DatasetKind::File);
    let accounts = || all.iter().position(|data| data.summary.name == "app-accounts");
    own.or_else(accounts).unwrap_or(0)
}
