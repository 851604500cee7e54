//! Charts, drawn from stored records alone: nothing here measures, and every statistic is a column of the records.
//!
//! A chart is one file, which lays it out as a [`scene::Scene`], and one line of [`KINDS`].

mod bars;
mod bits;
mod collisions;
mod distribution;
mod false_positives;
mod file_name;
mod findings;
mod font;
mod grid;
mod labels;
mod mark;
mod membership;
mod memory;
pub(crate) mod number;
mod paint;
mod panel;
mod point_reads;
mod policy;
mod redis;
pub(crate) mod rows;
mod scale;
pub(crate) mod scene;
mod sizes;
mod time;
mod time_quality;
mod which;

pub(crate) use font::{BOLD, REGULAR};
pub(crate) use mark::words as verdict_words;
pub(crate) use membership::scene as membership;
pub(crate) use memory::scene as memory;
pub(crate) use paint::{png, svg};
pub(crate) use point_reads::scene as point_reads;
pub(crate) use policy::scene as policy;
pub(crate) use redis::scene as redis;
pub(crate) use scene::Scene as Sheet;
pub(crate) use sizes::scene as sizes;
pub(crate) use which::scene as which;

use rows::DatasetRows;
use scene::Scene;

use crate::records::Records;

/// A kind of chart; there is one for each dataset that has the rows for it.
pub(crate) struct Kind {
    /// Start of the file name.
    pub(crate) stem: &'static str,
    /// Heading in the report.
    pub(crate) title: &'static str,
    /// How to read it.
    pub(crate) reading: &'static str,
    /// Whether times are in it, so that it differs from machine to machine.
    pub(crate) timed: bool,
    draw: fn(&DatasetRows<'_>) -> Option<Scene>,
}

/// Every kind of chart, in the order of the report; the first is that of the first screen.
#[rustfmt::skip]
pub(crate) const KINDS: &[Kind] = &[
    Kind { stem: FINDINGS, title: "Findings", reading: "", timed: true, draw: findings::scene },
    Kind { stem: "collisions", title: "Collisions against expectation", reading: COLLISIONS, timed: false, draw: collisions::scene },
    Kind { stem: "time", title: "Time", reading: TIME, timed: true, draw: time::scene },
    Kind { stem: "quality-against-time", title: "Time against quality", reading: TIME_QUALITY, timed: true, draw: time_quality::scene },
    Kind { stem: "distribution", title: "Distribution over buckets", reading: DISTRIBUTION, timed: false, draw: distribution::scene },
    Kind { stem: "bits", title: "Output bits", reading: BITS, timed: false, draw: bits::scene },
    Kind { stem: "false-positives", title: "False-positive rate against theory", reading: RATES, timed: false, draw: false_positives::scene },
];

/// Start of the file name of the first screen's chart.
pub(crate) const FINDINGS: &str = "findings";

const COLLISIONS: &str = "A mark inside its grey bar is what a random function of that width shows, at an error of \
    1 % over all tests of the run. Narrow widths let small key sets tell functions apart. A hollow mark means that no \
    collision was seen; it stands at the upper end of the interval.";
const TIME: &str = "Whole batches of keys, timed in interleaved rounds. Calls that do not depend on each other overlap \
    in the processor; a table lookup waits for its hash, which the chained times show.";
const TIME_QUALITY: &str = "Left is faster, lower is better; but points whose interval reaches 1× cannot be told apart in \
    quality: their height is noise. Functions without any collision stand in the row below the axis.";
const DISTRIBUTION: &str = "Tables take the low bits of a hash or its remainder by a prime. Many cells are tested, so \
    a lone pale one is to be expected by chance.";
const BITS: &str = "A bit that is mostly 0 or 1 halves the table that uses it.";
const RATES: &str = "The textbook rate assumes k independent probes. The filter takes its probes from one hash by double \
    hashing, and the dashed line is what that costs with an ideal hash, the mean of several with keys of their own. A \
    single filter may by luck lie below or above it. The marks carry no verdict here.";

/// A chart ready to be painted.
#[derive(Debug, Clone)]
pub(crate) struct Chart {
    /// Which of [`KINDS`].
    pub(crate) kind: usize,
    /// Which of the run's datasets.
    pub(crate) dataset: usize,
    /// File name without extension.
    pub(crate) stem: String,
    /// The shapes.
    pub(crate) scene: Scene,
}

/// Every chart of the run, by dataset and kind.
pub(crate) fn all(records: &Records) -> Vec<Chart> {
    let slugs = file_name::slugs(records.run.datasets.iter().map(|dataset| dataset.name.as_str()));
    let mut charts = Vec::new();
    for (dataset, (data, slug)) in DatasetRows::all(records).iter().zip(&slugs).enumerate() {
        for (kind, entry) in KINDS.iter().enumerate() {
            if let Some(scene) = (entry.draw)(data) {
                charts.push(Chart {
                    kind,
                    dataset,
                    stem: format!("{}-{slug}", entry.stem),
                    scene,
                });
            }
        }
    }
    charts
}

#[cfg(test)]
mod tests {
    use super::KINDS;

    #[test]
    fn no_dataset_name_can_make_two_charts_share_a_file() {
        for a in KINDS {
            assert!(
                KINDS.iter().all(|b| !b.stem.starts_with(&format!("{}-", a.stem))),
                "{}",
                a.stem
            );
        }
    }
}
