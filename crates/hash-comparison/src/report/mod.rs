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
use minijinja::value::Value;
use minijinja::{Environment, UndefinedBehavior, context};

use crate::judge::recommend::words;
use crate::record::files::Records;
use crate::record::{DatasetKind, MixingTest};
use crate::report::chart::rows::DatasetRows;
use chart::Chart;
use plots::scene::printable;

/// The whole page. `drawn` are the SVG elements of `charts`, in the same order.
///
/// # Errors
///
/// When the template fails, which only a mistake in it can cause.
pub(crate) fn page(records: &Records, charts: &[Chart], drawn: &[String]) -> Result<String, String> {
    let run = &records.run;
    let all = DatasetRows::all(records);
    let shown = first_shown(&all);
    let drawn = || charts.iter().zip(drawn.iter().map(String::as_str));
    let datasets = all.iter().enumerate().map(|(index, data)| {
        let findings =
            |chart: &Chart| chart.dataset == Some(index) && chart::KINDS[chart.kind].stem == chart::FINDINGS;
        context! {
            name => printable(&data.summary.name),
            selected => index == shown,
            sentences => sentences::write(data, run),
            chart => drawn().find(|(chart, _)| findings(chart)).map(|(_, svg)| svg),
            results => details::results(data),
            distribution => details::distribution(data),
            false_positives => details::false_positives(data),
            windows => bits::windows(data, run),
        }
    });
    let section = |(index, kind): (usize, &chart::Kind)| {
        let figures = drawn()
            .filter(|(chart, _)| chart.kind == index)
            .map(|(chart, svg)| {
                let name = chart
                    .dataset
                    .map(|dataset| printable(&run.datasets[dataset].name));
                let dataset = name.unwrap_or_else(|| "Random keys".to_owned());
                context! { dataset, stem => &chart.stem, svg }
            });
        let figures = Vec::from_iter(figures);
        let elsewhere = [chart::FINDINGS, chart::STRUCTURED_KEYS].contains(&kind.stem);
        (!figures.is_empty() && !elsewhere).then(|| {
            let figures = Value::from_iter(figures);
            context! { id => kind.stem, title => kind.title, reading => kind.reading, figures }
        })
    };
    let structure = (!records.structured.is_empty()).then(|| {
        let chart = drawn().find(|(chart, _)| chart.stem == chart::STRUCTURED_KEYS);
        structure::section(records, chart.map(|(_, svg)| svg))
    });
    fill(context! {
        generator => printable(&run.generator),
        command => printable(&run.command),
        schema => run.schema,
        css => include_str!("style.css"),
        script => include_str!("script.js"),
        font_regular => BASE64.encode(plots::font::REGULAR),
        font_bold => BASE64.encode(plots::font::BOLD),
        datasets => datasets.collect::<Value>(),
        charts => chart::KINDS.iter().enumerate().filter_map(section).collect::<Value>(),
        recommendation => recommended::section(run),
        criteria => words::PURPOSES.map(words::criteria).into_iter().collect::<Value>(),
        mine => all.iter().find_map(DatasetRows::mine).map(printable),
        baseline => run.baseline.as_ref().map(baseline::section),
        comparisons => all.iter().filter_map(comparison::of_set).collect::<Value>(),
        filters => comparison::of_filters(&all),
        avalanche => bits::of_mixing(records, MixingTest::Avalanche),
        independence => bits::of_mixing(records, MixingTest::Independence),
        structure,
        calibration => structure::calibration()?,
        sizes => sizes::table(records),
        key_sets => details::key_sets(run),
        environment => details::environment(run).into_iter().collect::<Value>(),
        functions => details::functions(run),
    })
    .map_err(|e| format!("{e:#}"))
}

/// The template, filled in; it escapes everything that it is not told to leave.
fn fill(page: Value) -> Result<String, minijinja::Error> {
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
    environment.get_template("page.html")?.render(page)
}

/// The dataset that the first screen opens with: the user's own keys, else the accounts, else the first.
fn first_shown(all: &[DatasetRows<'_>]) -> usize {
    let own = all.iter().position(|data| data.summary.kind == DatasetKind::File);
    let accounts = || all.iter().position(|data| data.summary.name == "app-accounts");
    own.or_else(accounts).unwrap_or(0)
}
