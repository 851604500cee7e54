//! Charts and page, drawn from stored records alone, without clock or measurement: the same records give the same bytes.
//!
//! A question has its own charts; those of several questions are here.

mod bits;
mod findings;

use plots::scene::Scene;
use records::folder::CHARTS;
use terminal::failure::Failure;

use crate::questions::on_dataset::DatasetRows;
use crate::questions::{ChartKind, Of, QUESTIONS, Records, Section};
use crate::record::Purpose;

/// The first chart of a dataset, by purpose: what several questions say.
pub(crate) static FINDINGS: [(Purpose, ChartKind); 4] = findings::KINDS;

/// The sections with charts of several questions.
pub(crate) const SECTIONS: &[Section] = &[Section {
    title: "Hash bits",
    id: None,
    text: "Tables choose buckets by the low bits, the high bits or a remainder; a bit that is nearly constant wastes half of the \
           buckets.",
    folded: false,
    charts: &[ChartKind::new("bits", Of::Dataset(bits::scene))],
    tables: Of::Dataset(|_| Vec::new()),
}];

/// Returns every kind of chart.
pub(crate) fn kinds() -> impl Iterator<Item = &'static ChartKind> {
    let of_questions = QUESTIONS.iter().flat_map(|question| question.sections);
    let sections = SECTIONS.iter().chain(of_questions);
    let first = FINDINGS.iter().map(|(_, kind)| kind);
    first.chain(sections.flat_map(|section| section.charts))
}

/// A chart ready to be written.
#[derive(Debug, Clone)]
pub struct Chart {
    pub(crate) kind: &'static ChartKind,
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
    let slugs = slugs(all.iter().map(|data| data.summary.name.as_str()));
    let datasets = (0..all.len()).map(Some).chain([None]);
    let charts = datasets.flat_map(|dataset| kinds().map(move |kind| (dataset, kind)));
    let chart = |(dataset, kind): (Option<usize>, &'static ChartKind)| {
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

/// Returns the file of a chart, named below the folder of a run.
pub(super) fn file(chart: &Chart, schema: u32) -> Result<(String, String), Failure> {
    let name = format!("{CHARTS}/{}.svg", chart.stem);
    if !chart.scene.is_drawable() {
        let reason = format!("{name}: the figures of this run make it too large to draw");
        return Err(Failure::internal(reason));
    }
    let element = plots::svg(&chart.scene);
    let version = env!("CARGO_PKG_VERSION");
    // Omits the command of the run: the same records must give the same chart wherever they were made.
    let document = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <!-- Written by hash-comparison {version} (`hash-comparison render`) from records of schema {schema}; do not edit. -->\n{element}"
    );
    Ok((name, document))
}

/// Length limit of a slug in bytes; with chart and extension, far below the 255 that file systems allow.
const LONGEST: usize = 80;

/// Returns a different text of ASCII lower-case letters, digits and inner hyphens for each name, which may be that of
/// any file. The result depends only on the names and their order.
fn slugs<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for name in names {
        let base = slug(name);
        let mut candidate = base.clone();
        let mut number = 2;
        while out.contains(&candidate) {
            candidate = format!("{base}-{number}");
            number += 1;
        }
        out.push(candidate);
    }
    out
}

fn slug(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let mut slug = words.join("-").to_ascii_lowercase();
    slug.truncate(LONGEST);
    match slug.trim_end_matches('-') {
        "" => "keys".to_owned(),
        slug => slug.to_owned(),
    }
}
