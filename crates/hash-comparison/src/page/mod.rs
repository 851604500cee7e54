//! The report: one self-contained page, built from stored records alone.
//!
//! `page.html` holds the text and the order; `style.css` and the scripts define look and behaviour. This module and its
//! children turn records into texts and rows, which the templates arrange. Templates escape everything except charts,
//! fonts, these files, and cells that the program formatted.

mod answer;
mod cells;
pub(crate) mod chart;
mod collisions;
mod costs;
mod details;
mod failures;
pub mod joined;
mod published;
pub(crate) mod readme;
pub mod render;

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use minijinja::value::{Serde, Value};
use minijinja::{Environment, UndefinedBehavior, context, escape_formatter};

use crate::advice::recommend::words as recommended;
use crate::advice::times::warnings;
use crate::questions::filters::FEWEST_KEYS;
use crate::questions::on_dataset::DatasetRows;
use crate::questions::{QUESTIONS, Records};
use crate::record::{CallForm, DatasetKind, IDEAL};
use answer::Choices;
use chart::Chart;
use plots::scene::printable;
use records::number::percent_tick;

/// Builds the whole page. `drawn` are the SVG elements of `charts`, in the same order.
pub(crate) fn page(records: &Records, charts: &[Chart], drawn: &[String]) -> Result<String, String> {
    let run = &records.run;
    let all = DatasetRows::all(records);
    let shown = first_shown(&all);
    let choices = Choices::of(records);
    let figure = |stem: &str, dataset: Option<usize>| {
        let is_it = |(chart, _): &(&Chart, &String)| chart.dataset == dataset && chart.kind.stem == stem;
        charts
            .iter()
            .zip(drawn)
            .find(is_it)
            .map(|(_, svg)| context! { svg })
    };
    let datasets = all.iter().enumerate().map(|(index, data)| {
        let name = &data.summary.name;
        let charts = chart::kinds().map(|kind| (kind.stem, figure(kind.stem, Some(index))));
        let charts: BTreeMap<&str, Option<Value>> = charts.collect();
        // A question about time needs no place of its own on the page: its charts follow those before it.
        let of_questions = QUESTIONS.iter().flat_map(|question| question.charts);
        let timed = of_questions.filter(|kind| kind.timed);
        let timed = timed.filter_map(|kind| figure(kind.stem, Some(index)));
        let warned = [CallForm::Independent, CallForm::Chained].map(|form| {
            (
                form.to_string(),
                warnings(records, [(name.as_str(), form)]).join(" "),
            )
        });
        context! {
            name,
            selected => index == shown,
            keys => Value::from(Serde(data.summary)),
            kind => answer::kind(data.summary),
            samples => answer::samples(data),
            warnings => Value::from(BTreeMap::from(warned)),
            answers => choices.answers(records, data.summary),
            figures => choices.figures(records, data.summary),
            all_sizes => answer::all_sizes(data),
            asked => recommended::asked(data.recommendation),
            reading => answer::reading(data),
            charts => Value::from(charts),
            timed => timed.collect::<Value>(),
            failures => failures::worse_than_chance(data),
            high_bits => failures::high_bits(data),
            has_few_keys => data.summary.keys < FEWEST_KEYS,
            policies => costs::policies(data),
            functions => run.functions.iter().map(|one| details::of(data, &one.name)).collect::<Value>(),
            ideal => details::of(data, IDEAL),
            false_positives => data.rows(&records.false_positives).map(Serde).collect::<Value>(),
            tables => data.rows(&records.occupancy).map(Serde).collect::<Value>(),
            shards => data.rows(&records.shards).map(Serde).collect::<Value>(),
            windows => collisions::windows(data),
        }
    });
    let names = run.functions.iter().enumerate();
    let ids: BTreeMap<String, String> = names
        .map(|(index, one)| (one.name.clone(), format!("f{index}")))
        .collect();
    let values = context! {
        generator => &run.generator,
        command => &run.command,
        schema => run.schema,
        datasets => datasets.collect::<Value>(),
        uses => Choices::uses(),
        request => choices.request(),
        selectable => answer::selectable(run),
        nobody => answer::NOBODY,
        ids => Value::from(Serde(ids)),
        mine => all.iter().find_map(DatasetRows::mine),
        negligible => percent_tick(choices.initial.negligible),
        functions => Value::from(Serde(&run.functions)),
        structure => collisions::section(records, figure("structured-keys", None)),
        mixing => Value::from(Serde(&records.mixing)),
        bit_facts => Value::from(Serde(&run.bit_facts)),
        avalanche_chart => figure("avalanche", None),
        comparisons => all.iter().filter_map(published::of_set).collect::<Value>(),
        filters => published::of_filters(&all),
        calibration => collisions::calibration()?,
        machine => Value::from(Serde(&run.environment)),
        date => &run.date,
        seed => run.seed,
        quick => run.quick,
    };
    fill(include_str!("page.html"), values)
}

/// Fills in a template, preceded by the macros for tables and for the head of a page. Everything is escaped unless the template says otherwise.
fn fill(template: &str, page: Value) -> Result<String, String> {
    let filled = || -> Result<String, minijinja::Error> {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        // Names of functions and files, and keys, may hold any character.
        environment.set_formatter(|out, state, value| match value.as_str() {
            Some(text) if !value.is_safe() => escape_formatter(out, state, &printable(text).into()),
            _ => escape_formatter(out, state, value),
        });
        cells::register(&mut environment);
        environment.add_global("css", include_str!("style.css"));
        environment.add_global("script", include_str!("script.js"));
        environment.add_global("font_regular", BASE64.encode(plots::font::REGULAR));
        environment.add_global("font_bold", BASE64.encode(plots::font::BOLD));
        let syntax = environment
            .syntax()
            .to_builder()
            .trim_blocks(true)
            .lstrip_blocks(true)
            .keep_trailing_newline(true)
            .build()?;
        environment.set_syntax(syntax);
        let template = format!("{}{template}", include_str!("tables.html"));
        // The extension of the name turns on HTML escaping.
        environment.add_template_owned("page.html", template)?;
        environment.get_template("page.html")?.render(page)
    };
    filled().map_err(|error| format!("{error:#}"))
}

/// Returns the index of the dataset that the page opens with: the user's own keys, else the accounts, else the first.
fn first_shown(all: &[DatasetRows<'_>]) -> usize {
    let own = all.iter().position(|data| data.summary.kind == DatasetKind::File);
    let accounts = || all.iter().position(|data| data.summary.name == "app-accounts");
    own.or_else(accounts).unwrap_or(0)
}
