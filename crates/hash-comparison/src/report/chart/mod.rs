//! Charts, drawn from stored records alone: nothing here measures, and every statistic is a column of the records.
//!
//! A chart is one file, which lays it out as a [`scene::Scene`], and one line of [`KINDS`].

mod avalanche;
mod bits;
mod collisions;
mod curves;
mod distribution;
mod false_positives;
mod file_name;
mod findings;
mod mark;
mod pin;
mod places;
pub(crate) mod rows;
pub(crate) mod structured;
#[cfg(test)]
mod tests;
mod time;
mod time_quality;
pub(crate) mod windows;

pub(crate) use findings::drawn_and_folded;
pub(crate) use mark::words as verdict_words;

use plots::scene::Scene;
use rows::DatasetRows;

use crate::record::files::Records;

/// A kind of chart; there is one for each dataset that has the rows for it, or one for the whole run.
pub(crate) struct Kind {
    /// Start of the file name.
    pub(crate) stem: &'static str,
    /// Heading in the report.
    pub(crate) title: &'static str,
    /// How to read it.
    pub(crate) reading: &'static str,
    /// Whether times are in it, so that it differs from machine to machine.
    pub(crate) timed: bool,
    draw: Of,
}

/// What a kind of chart is drawn of.
enum Of {
    /// Of each dataset, where it has the rows.
    Dataset(fn(&DatasetRows<'_>) -> Option<Scene>),
    /// Of the functions alone, once a run.
    Run(fn(&Records) -> Option<Scene>),
}

/// Every kind of chart, in the order of the report; the first is that of the first screen.
#[rustfmt::skip]
pub(crate) const KINDS: &[Kind] = &[
    Kind { stem: FINDINGS, title: "Findings", reading: "", timed: true, draw: Of::Dataset(findings::scene) },
    Kind { stem: "collisions", title: "Collisions against expectation", reading: COLLISIONS, timed: false, draw: Of::Dataset(collisions::scene) },
    Kind { stem: "time", title: "Time", reading: TIME, timed: true, draw: Of::Dataset(time::scene) },
    Kind { stem: "quality-against-time", title: "Time against quality", reading: TIME_QUALITY, timed: true, draw: Of::Dataset(time_quality::scene) },
    Kind { stem: "curves", title: "Time by length", reading: CURVES, timed: true, draw: Of::Dataset(curves::scene) },
    Kind { stem: "places", title: "Keys in the cache and out of it", reading: PLACES, timed: true, draw: Of::Dataset(places::scene) },
    Kind { stem: "distribution", title: "Distribution over buckets", reading: DISTRIBUTION, timed: false, draw: Of::Dataset(distribution::scene) },
    Kind { stem: "bits", title: "Output bits", reading: BITS, timed: false, draw: Of::Dataset(bits::scene) },
    Kind { stem: "false-positives", title: "False-positive rate against theory", reading: RATES, timed: false, draw: Of::Dataset(false_positives::scene) },
    Kind { stem: "windows", title: "Windows of the output", reading: WINDOWS, timed: false, draw: Of::Dataset(windows::scene) },
    Kind { stem: "avalanche", title: "Avalanche", reading: AVALANCHE, timed: false, draw: Of::Run(avalanche::scene) },
    Kind { stem: STRUCTURED_KEYS, title: "Structured keys", reading: "", timed: false, draw: Of::Run(structured::scene) },
];

/// File name of the chart of structured keys, which the report shows among their tables.
pub(crate) const STRUCTURED_KEYS: &str = "structured-keys";

/// Start of the file name of the first screen's chart.
pub(crate) const FINDINGS: &str = "findings";

const COLLISIONS: &str = "A mark inside its grey bar is what a random function of that width shows, at an error of \
    1 % over all tests of the run. Narrow widths let small key sets tell functions apart. A hollow mark means that no \
    collision was seen; it stands at the upper end of the interval.";
const TIME: &str = "Whole batches of keys, timed in interleaved rounds. Calls that do not depend on each other overlap \
    in the processor; a table lookup waits for its hash, which the chained times show.";
const TIME_QUALITY: &str = "Left is faster, lower is better; but points whose interval reaches 1× cannot be told apart in \
    quality: their height is noise. Functions without any collision stand in the row below the axis. \
    Where there are more than forty functions, other forms of published ones are left out.";
const CURVES: &str = "Random keys, all of one length, in the cache: what a call costs and what each byte adds, without the \
    wrong guesses that varying lengths cause. Calls that overlap stand beside calls that wait for each other. The lines \
    with names are the best for the key set at the head of the chart, and the function in use today, or else MurMurHash2, \
    the filter's own; the grey ones are all others. The shaded lengths are those of that key set.";
const PLACES: &str = "The same keys, back to back in the cache, and scattered over a buffer that caches do not hold, in \
    shuffled order, as keys of a program are that lie all over its heap. Where each call waits for the last, the misses cost \
    the same whatever the function, so functions hardly differ. Where calls overlap, a function of few instructions lets \
    the processor fetch several keys at once, and functions differ more than in the cache.";
const DISTRIBUTION: &str = "Tables take the low bits of a hash or its remainder by a prime. Many cells are tested, so \
    a lone faint one is to be expected by chance.";
const BITS: &str = "A bit that is mostly 0 or 1 halves the table that uses it.";
const RATES: &str = "The textbook rate assumes k independent probes. The filter takes its probes from one hash by double \
    hashing, and the dashed line is what that costs with an ideal hash, the mean of several with keys of their own. A \
    single filter may by luck lie below or above it. The marks carry no verdict here.";

const WINDOWS: &str = "Tables take some bits of a hash: the low ones, or the high ones. Here each width is tested as if the \
    function had no other bits. Many windows are tested, and those of a function lie inside each other: a lone faint one is \
    to be expected by chance. For information: verdicts ignore it.";
const AVALANCHE: &str = "One bit of a random key is turned over: each output bit should turn over half of the time. A \
    corner in the shade “never flips” means that a key bit never reaches those output bits; where there are only that shade \
    and “always flips”, each key bit always flips the same ones, and the function is linear. Blank columns are bits that a \
    function does not have. Keys of your own may never meet the weakness, so verdicts ignore it.";

/// A chart ready to be painted.
#[derive(Debug, Clone)]
pub(crate) struct Chart {
    /// Which of [`KINDS`].
    pub(crate) kind: usize,
    /// Which of the run's datasets; `None` where it is of none.
    pub(crate) dataset: Option<usize>,
    /// File name without extension.
    pub(crate) stem: String,
    /// The shapes.
    pub(crate) scene: Scene,
}

/// Every chart of the run, by dataset and kind, those of the whole run last.
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
