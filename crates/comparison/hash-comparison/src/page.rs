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
use crate::questions::{ChartKind, QUESTIONS, Records, Section};
use crate::record::{Advice, DatasetKind, Purpose, Request, on};
use drawing::Chart;
use plots::scene::{Scene, printable};
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
    let is_first = |chart: &Chart| {
        drawing::FINDINGS
            .iter()
            .any(|(_, kind)| kind.stem == chart.kind.stem)
    };
    let drawn = charts.iter().filter(|chart| !is_first(chart)).map(|chart| {
        let svg = plots::inline_svg(&chart.scene);
        ((chart.kind.stem, chart.dataset), context! { svg })
    });
    let mut drawn: Drawn = drawn.collect();
    let first_part = run.request.purpose.parts()[0];
    for index in 0..all.len() {
        if let Some(svg) = findings(charts, index, first_part) {
            drawn.insert((FINDINGS, Some(index)), context! { svg });
        }
    }
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

/// The kind of the chart that [`findings`] makes.
const FINDINGS: &str = "findings of all purposes";

/// Makes one chart of the findings on a dataset for all purposes, of which it shows one: `None` without any.
fn findings(charts: &[Chart], dataset: usize, shown: Purpose) -> Option<String> {
    let of_purpose = |(purpose, kind): &(Purpose, ChartKind)| {
        let mut charts = charts.iter().filter(|chart| chart.dataset == Some(dataset));
        let chart = charts.find(|chart| chart.kind.stem == kind.stem)?;
        let label = chart.scene.label.replace(&format!(" ({purpose})"), "");
        Some((
            purpose.to_string(),
            Scene {
                label,
                ..chart.scene.clone()
            },
        ))
    };
    let mut all: Vec<(String, Scene)> = drawing::FINDINGS.iter().filter_map(of_purpose).collect();
    all.sort_by_key(|(purpose, _)| *purpose != shown.to_string());
    let all: Vec<(String, &Scene)> = all
        .iter()
        .map(|(purpose, scene)| (purpose.clone(), scene))
        .collect();
    (!all.is_empty()).then(|| plots::inline_alternatives(&all))
}

/// Returns everything about one dataset, whose index names its charts.
fn of_dataset(data: &DatasetRows<'_>, requests: &[Request], (index, drawn): (usize, &Drawn)) -> Value {
    let records = data.records;
    let [answers, gains] = answer::answers(data, requests);
    let figures = answer::figures(data);
    let request = &records.run.request;
    let beside = on(&records.advice, &data.summary.name).filter(|one| one.mine || one.is_recommended());
    let beside: Vec<&str> = beside.map(|one| one.function.as_str()).collect();
    context! {
        keys => Value::from(Serde(data.summary)),
        kind => Manifest::of(data.summary).map(|entry| &entry.keys_are),
        samples => Value::from(Serde(answer::samples(data))),
        answers,
        gains,
        unlucky => answer::unlucky(data),
        usual => figures.usual(&answer::PARTS),
        brief => figures.brief(request.purpose.parts(), &beside),
        figures => Value::from(Serde(figures)),
        weaknesses => Value::from(Serde(answer::weaknesses(data))),
        reading => answer::reading(data),
        findings => drawn.get(&(FINDINGS, Some(index))),
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
    environment.add_global("marks", plots::inline_marks());
    environment.add_global("script", include_str!("page/script.js"));
    environment.add_global("font_regular", BASE64.encode(plots::font::REGULAR));
    environment.add_global("font_bold", BASE64.encode(plots::font::BOLD));
    let template = [wording::MACROS, include_str!("page/tables.html"), template].concat();
    // The extension of the name turns on HTML escaping.
    environment.add_template_owned("page.html", template)?;
    environment
        .get_template("page.html")?
        .render(page)
        .map(|page| unquoted(&page))
}

/// Leaves out the quotation marks around values of attributes that HTML needs not, outside of style sheet and script; texts have
/// none in plain.
fn unquoted(page: &str) -> String {
    let (head, body) = page.split_at(page.find("</style>").unwrap_or_default());
    let (body, script) = body.split_at(body.find("<script>").unwrap_or(body.len()));
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"#._-".contains(&byte);
    let mut parts = body.split("=\"");
    let mut out = head.to_owned() + parts.next().unwrap_or_default();
    for part in parts {
        let (value, rest) = part.split_once('"').unwrap_or((part, ""));
        let is_short = !value.is_empty() && value.bytes().all(is_plain) && rest.starts_with([' ', '>']);
        out += &match is_short {
            true => format!("={value}{rest}"),
            false => format!("=\"{part}"),
        };
    }
    out + script
}

/// Returns the index of the dataset that the page opens with: the user's own keys, else the accounts, else the first.
fn first_shown(all: &[DatasetRows<'_>]) -> usize {
    let own = all.iter().position(|data| data.summary.kind == DatasetKind::File);
    let accounts = || all.iter().position(|data| data.summary.name == "app-accounts");
    own.or_else(accounts).unwrap_or(0)
}
