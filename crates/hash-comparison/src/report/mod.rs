//! The report: one self-contained page, filled in from stored records alone.
//!
//! `page.html` holds the words and the order, `style.css` and the scripts look and behaviour ; this module and its children turn records
//! into the texts and tables that the page names. Templates escape everything but the charts, the fonts and those files.

mod baseline;
mod bits;
pub(crate) mod chart;
mod comparison;
mod details;
mod recommended;
pub mod render;
mod sentences;
mod sizes;
mod structure;
mod table;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use minijinja::value::Serde;
use minijinja::{Environment, UndefinedBehavior};
use serde::Serialize;

use crate::record::files::Records;
use crate::record::{DatasetKind, MixingTest};
use crate::report::chart::rows::DatasetRows;
use baseline::AgainstBaseline;
use chart::Chart;
use comparison::{FilterComparison, SetComparison};
use plots::scene::printable;
use sentences::Sentences;
use structure::StructureSection;
use table::Table;

/// What the template sees.
#[derive(Serialize)]
struct Page<'a> {
    generator: String,
    command: String,
    schema: u32,
    seed: u64,
    date: String,
    quick: bool,
    css: &'static str,
    script: &'static str,
    font_regular: String,
    font_bold: String,
    datasets: Vec<Dataset<'a>>,
    charts: Vec<ChartSection<'a>>,
    recommendation: Option<recommended::Section>,
    /// What counts for each purpose.
    criteria: Vec<&'static str>,
    /// Name of the function in use today, marked in every table.
    mine: Option<String>,
    baseline: Option<AgainstBaseline>,
    comparisons: Vec<SetComparison>,
    filters: Option<FilterComparison>,
    avalanche: Option<Table>,
    independence: Option<Table>,
    structure: Option<StructureSection<'a>>,
    calibration: Table,
    sizes: Table,
    key_sets: Table,
    environment: Vec<(&'static str, String)>,
    functions: Table,
}

/// One dataset: its part of the first screen and its tables.
#[derive(Serialize)]
struct Dataset<'a> {
    name: String,
    selected: bool,
    sentences: Sentences,
    /// SVG element, where there are findings.
    chart: Option<&'a str>,
    results: Table,
    distribution: Option<Table>,
    false_positives: Option<Table>,
    windows: Option<Table>,
}

/// The charts of one kind.
#[derive(Serialize)]
struct ChartSection<'a> {
    id: &'static str,
    title: &'static str,
    reading: &'static str,
    figures: Vec<Figure<'a>>,
}

/// One chart.
#[derive(Serialize)]
struct Figure<'a> {
    dataset: String,
    stem: &'a str,
    svg: &'a str,
}

/// The whole page. `drawn` are the SVG elements of `charts`, in the same order.
///
/// # Errors
///
/// When the template fails, which only a mistake in it can cause.
pub(crate) fn page(records: &Records, charts: &[Chart], drawn: &[String]) -> Result<String, String> {
    let run = &records.run;
    let all = DatasetRows::all(records);
    let shown = first_shown(&all);
    let chart_of = |dataset: usize| {
        let mut pairs = charts.iter().zip(drawn);
        let found =
            pairs.find(|(c, _)| c.dataset == Some(dataset) && chart::KINDS[c.kind].stem == chart::FINDINGS);
        found.map(|(_, svg)| svg.as_str())
    };
    let datasets = all.iter().enumerate().map(|(index, data)| Dataset {
        name: printable(&data.summary.name),
        selected: index == shown,
        sentences: sentences::write(data, run),
        chart: chart_of(index),
        results: details::results(data),
        distribution: details::distribution(data),
        false_positives: details::false_positives(data),
        windows: bits::windows(data, run),
    });
    let sections = chart::KINDS
        .iter()
        .enumerate()
        .filter(|(_, kind)| ![chart::FINDINGS, chart::STRUCTURED_KEYS].contains(&kind.stem));
    let sections = sections.map(|(index, kind)| ChartSection {
        id: kind.stem,
        title: kind.title,
        reading: kind.reading,
        figures: charts
            .iter()
            .zip(drawn)
            .filter(|(chart, _)| chart.kind == index)
            .map(|(chart, svg)| Figure {
                dataset: chart.dataset.map_or_else(
                    || "Random keys".to_owned(),
                    |dataset| printable(&run.datasets[dataset].name),
                ),
                stem: &chart.stem,
                svg,
            })
            .collect(),
    });
    let page = Page {
        generator: printable(&run.generator),
        command: printable(&run.command),
        schema: run.schema,
        seed: run.seed,
        date: printable(&run.date),
        quick: run.quick,
        css: include_str!("style.css"),
        script: include_str!("script.js"),
        font_regular: BASE64.encode(plots::font::REGULAR),
        font_bold: BASE64.encode(plots::font::BOLD),
        datasets: datasets.collect(),
        charts: sections.filter(|section| !section.figures.is_empty()).collect(),
        recommendation: recommended::section(run),
        criteria: recommended::criteria(),
        mine: all.iter().find_map(DatasetRows::mine).map(printable),
        baseline: run.baseline.as_ref().map(baseline::section),
        comparisons: all.iter().filter_map(comparison::of_set).collect(),
        filters: comparison::of_filters(&all),
        avalanche: bits::of_mixing(records, MixingTest::Avalanche),
        independence: bits::of_mixing(records, MixingTest::Independence),
        structure: (!records.structured.is_empty()).then(|| {
            let mut pairs = charts.iter().zip(drawn);
            let chart = pairs.find(|(chart, _)| chart.stem == chart::STRUCTURED_KEYS);
            structure::section(records, chart.map(|(_, svg)| svg.as_str()))
        }),
        calibration: structure::calibration()?,
        sizes: sizes::table(records),
        key_sets: details::key_sets(run),
        environment: details::environment(run),
        functions: details::functions(run),
    };
    fill(&page).map_err(|e| format!("{e:#}"))
}

fn fill(page: &Page<'_>) -> Result<String, minijinja::Error> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    let syntax = environment
        .syntax()
        .to_builder()
        .trim_blocks(true)
        .lstrip_blocks(true)
        .keep_trailing_newline(true)
        .build()?;
    environment.set_syntax(syntax);
    // The extension turns HTML escaping on.
    environment.add_template("page.html", include_str!("page.html"))?;
    environment.get_template("page.html")?.render(Serde(page))
}

/// The dataset that the first screen opens with: the user's own keys, else the accounts, else the first.
fn first_shown(all: &[DatasetRows<'_>]) -> usize {
    let own = all.iter().position(|data| data.summary.kind == DatasetKind::File);
    let accounts = || all.iter().position(|data| data.summary.name == "app-accounts");
    own.or_else(accounts).unwrap_or(0)
}
