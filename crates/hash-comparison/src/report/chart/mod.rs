//! Charts, drawn from stored records alone: this module measures nothing, and every statistic is a recorded column.
//!
//! Each chart has a source file that lays it out as a [`Scene`], and an entry in [`KINDS`].

mod avalanche;
mod bits;
mod curves;
mod file_name;
mod findings;
mod mark;
mod pin;
mod places;
pub(crate) mod rows;
mod structured;
#[cfg(test)]
mod tests;

use plots::scene::Scene;
use rows::DatasetRows;

use crate::record::files::Records;

/// A kind of chart, drawn for each dataset that has the rows for it, or once for the whole run.
pub(crate) struct Kind {
    /// Start of the file name.
    pub(crate) stem: &'static str,
    /// Set if the chart shows times and therefore differs between machines.
    pub(crate) timed: bool,
    draw: Of,
}

/// The scope of a kind of chart.
enum Of {
    /// Drawn for each dataset that has the rows.
    Dataset(fn(&DatasetRows<'_>) -> Option<Scene>),
    /// Drawn once per run, from rows that belong to no dataset.
    Run(fn(&Records) -> Option<Scene>),
}

/// Every kind of chart.
#[rustfmt::skip]
pub(crate) const KINDS: &[Kind] = &[
    Kind { stem: "findings", timed: true, draw: Of::Dataset(findings::scene) },
    Kind { stem: "narrow-findings", timed: true, draw: Of::Dataset(findings::narrow) },
    Kind { stem: "bits", timed: false, draw: Of::Dataset(bits::scene) },
    Kind { stem: "curves", timed: true, draw: Of::Dataset(curves::scene) },
    Kind { stem: "places", timed: true, draw: Of::Dataset(places::scene) },
    Kind { stem: "avalanche", timed: false, draw: Of::Run(avalanche::scene) },
    Kind { stem: "structured-keys", timed: false, draw: Of::Run(structured::scene) },
];

/// A chart ready to be painted.
#[derive(Debug, Clone)]
pub(crate) struct Chart {
    /// Index into [`KINDS`].
    pub(crate) kind: usize,
    /// Index of the run's dataset; `None` for a chart of the whole run.
    pub(crate) dataset: Option<usize>,
    /// File name without extension.
    pub(crate) stem: String,
    pub(crate) scene: Scene,
}

/// Lays out every chart, ordered by dataset and kind; charts of the whole run come last.
pub(crate) fn all(records: &Records) -> Vec<Chart> {
    let slugs = file_name::slugs(records.run.datasets.iter().map(|dataset| dataset.name.as_str()));
    let names = || {
        records
            .run
            .functions
            .iter()
            .map(|function| function.name.as_str())
    };
    let mut charts = Vec::new();
    let mut add = |kind, dataset, stem, scene: Option<Scene>, mine: Option<&str>| {
        let Some(mut scene) = scene else { return };
        if let Some(mine) = mine {
            pin::mark(&mut scene, mine, names());
        }
        charts.push(Chart {
            kind,
            dataset,
            stem,
            scene,
        });
    };
    for (dataset, (data, slug)) in DatasetRows::all(records).iter().zip(&slugs).enumerate() {
        for (kind, entry) in KINDS.iter().enumerate() {
            if let Of::Dataset(draw) = entry.draw {
                add(
                    kind,
                    Some(dataset),
                    format!("{}-{slug}", entry.stem),
                    draw(data),
                    data.mine(),
                );
            }
        }
    }
    let mut told = records.run.recommendations.iter();
    let mine = told.find_map(|one| Some(one.mine.as_ref()?.function.as_str()));
    for (kind, entry) in KINDS.iter().enumerate() {
        if let Of::Run(draw) = entry.draw {
            add(kind, None, entry.stem.to_owned(), draw(records), mine);
        }
    }
    charts
}
