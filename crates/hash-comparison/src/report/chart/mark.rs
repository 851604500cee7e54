//! The mark and the words of each verdict.

use plots::mark::Mark;
pub(crate) use plots::mark::{NEUTRAL, RADIUS, neutral, neutral_hollow};
use plots::scene::Scene;
use plotters::style::RGBColor;

use crate::record::Verdict;

/// Most welcome first.
pub(crate) const VERDICTS: [Verdict; 4] = [
    Verdict::FewerThanChance,
    Verdict::InBand,
    Verdict::MeasurablyWorse,
    Verdict::Unusable,
];

impl From<Verdict> for Mark {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::FewerThanChance => Self::Diamond,
            Verdict::InBand => Self::Circle,
            Verdict::MeasurablyWorse => Self::Triangle,
            Verdict::Unusable => Self::Square,
        }
    }
}

/// The verdict in words.
pub(crate) fn words(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::FewerThanChance => "fewer than chance",
        Verdict::InBand => "no difference from chance seen",
        Verdict::MeasurablyWorse => "measurably worse",
        Verdict::Unusable => "unusable",
    }
}

/// The verdict's colour.
pub(crate) fn color(verdict: Verdict) -> RGBColor {
    Mark::from(verdict).color()
}

/// Draws the verdict's mark, filled.
pub(crate) fn filled(scene: &mut Scene, verdict: Verdict, at: (f64, f64), radius: f64) {
    Mark::from(verdict).filled(scene, at, radius);
}

/// Draws the verdict's mark, hollow.
pub(crate) fn hollow(scene: &mut Scene, verdict: Verdict, at: (f64, f64), radius: f64) {
    Mark::from(verdict).hollow(scene, at, radius);
}

/// Writes what the marks in `used` mean, ending at `right`; returns its left end.
pub(crate) fn key(scene: &mut Scene, used: &[Verdict], right: f64, y: f64) -> f64 {
    let meanings: Vec<(Mark, &str)> = VERDICTS
        .into_iter()
        .filter(|verdict| used.contains(verdict))
        .map(|verdict| (verdict.into(), words(verdict)))
        .collect();
    plots::mark::key(scene, &meanings, right, y)
}
