//! The mark and the words of each verdict.

use plots::key::Sign;
use plots::mark::Mark;
use plots::scene::Color;

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

/// The verdict on a function, whose tests leave out tables that choose buckets by the high bits.
pub(crate) fn of_function(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::InBand => "as chance",
        other => words(other),
    }
}

/// The verdict's colour.
pub(super) fn color(verdict: Verdict) -> Color {
    Mark::from(verdict).color()
}

/// What the marks of these verdicts mean.
pub(super) fn key(used: impl Iterator<Item = Verdict> + Clone) -> Vec<(Sign, &'static str)> {
    let all = VERDICTS.into_iter();
    all.filter(|verdict| used.clone().any(|used| used == *verdict))
        .map(|verdict| (Sign::Filled(verdict.into()), of_function(verdict)))
        .collect()
}
