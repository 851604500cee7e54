//! Charts, drawn from stored records alone: this module measures nothing, and every statistic is a recorded column.
//!
//! A question has its own charts; those of several questions are here.

mod bits;
mod file_name;
mod findings;

use plots::scene::Scene;

use crate::questions::on_dataset::DatasetRows;
use crate::questions::{Kind, Of, QUESTIONS, Records, Section};
use crate::record::Purpose;

/// The first chart of a dataset, by purpose: what several questions say.
pub(crate) static FINDINGS: [(Purpose, Kind); 4] = findings::KINDS;

/// The sections with charts of several questions.
pub(crate) const SECTIONS: &[Section] = &[Section {
    title: "Hash bits",
    id: None,
    text: "Tables choose buckets by the low bits, the high bits or a remainder; a bit that is nearly constant wastes half of the \
           buckets.",
    folded: false,
    charts: &[Kind::new("bits", Of::Dataset(bits::scene))],
    tables: Of::Dataset(|_| Vec::new()),
}];

/// Returns every kind of chart.
pub(crate) fn kinds() -> impl Iterator<Item = &'static Kind> {
    let of_questions = QUESTIONS.iter().flat_map(|question| question.sections);
    let sections = SECTIONS.iter().chain(of_questions);
    let first = FINDINGS.iter().map(|(_, kind)| kind);
    first.chain(sections.flat_map(|section| section.charts))
}

/// A chart ready to be written.
#[derive(Debug, Clone)]
pub struct Chart {
    pub(crate) kind: &'static Kind,
    /// Index of the run's dataset; `None` for a chart of the whole run.
    pub(crate) dataset: Option<usize>,
    /// File name without extension.
    pub stem: String,
    /// The shapes, from which `plots` makes the file.
    pub scene: Scene,
}

/// Lays out every chart, ordered by dataset and kind; charts of the whole run come last.
pub fn all(records: &Records) -> Vec<Chart> {
    let all = DatasetRows::all(records);
    let slugs = file_name::slugs(all.iter().map(|data| data.summary.name.as_str()));
    let datasets = (0..all.len()).map(Some).chain([None]);
    let charts = datasets.flat_map(|dataset| kinds().map(move |kind| (dataset, kind)));
    let chart = |(dataset, kind): (Option<usize>, &'static Kind)| {
        let mut scene = kind.draw.shown(records, dataset.map(|index| &all[index]))??;
        if let Some(mine) = &records.run.request.mine {
            scene.frame(mine, "the function in use, is framed");
        }
        let stem = dataset.map_or(kind.stem.to_owned(), |index| {
            format!("{}-{}", kind.stem, slugs[index])
        });
        Some(Chart {
            kind,
            dataset,
            stem,
            scene,
        })
    };
    charts.filter_map(chart).collect()
}
