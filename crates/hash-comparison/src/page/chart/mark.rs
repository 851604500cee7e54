//! The mark and the text of each verdict.

use plots::key::Sign;
use plots::mark::Mark;

use crate::record::Verdict;
use crate::vocabulary::{RESULTS, result};

impl From<Verdict> for Mark {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::FewerThanChance => Self::Diamond,
            Verdict::WithinChance => Self::Circle,
            Verdict::WorseThanChance => Self::Triangle,
            Verdict::FarWorseThanChance => Self::Square,
        }
    }
}

/// Builds the key of the verdicts in use.
pub(super) fn key(used: impl Iterator<Item = Verdict> + Clone) -> Vec<(Sign, &'static str)> {
    let all = RESULTS.into_iter();
    all.filter(|verdict| used.clone().any(|used| used == *verdict))
        .map(|verdict| (Sign::Filled(verdict.into()), result(verdict)))
        .collect()
}
