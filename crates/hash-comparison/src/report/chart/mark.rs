//! The mark and the text of each verdict.

use plots::key::Sign;
use plots::mark::Mark;
use plots::scene::Color;

use crate::record::Verdict;

/// All verdicts, the best first.
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

/// Describes a verdict in words.
pub(crate) fn words(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::FewerThanChance => "fewer than chance",
        Verdict::InBand => "no difference from chance seen",
        Verdict::MeasurablyWorse => "measurably worse",
        Verdict::Unusable => "unusable",
    }
}

/// Describes the verdict on a function, whose tests exclude tables that choose buckets by the high bits.
pub(crate) fn of_function(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::InBand => "consistent with chance",
        other => words(other),
    }
}

pub(super) fn color(verdict: Verdict) -> Color {
    Mark::from(verdict).color()
}

/// Builds the key of the verdicts in use.
pub(super) fn key(used: impl Iterator<Item = Verdict> + Clone) -> Vec<(Sign, &'static str)> {
    let all = VERDICTS.into_iter();
    all.filter(|verdict| used.clone().any(|used| used == *verdict))
        .map(|verdict| (Sign::Filled(verdict.into()), of_function(verdict)))
        .collect()
}
