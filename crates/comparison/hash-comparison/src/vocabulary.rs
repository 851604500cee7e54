//! The words and marks for test results, in one place.
//!
//! A test result compares a count with chance. Advice says whether to take a function, in `page/words.html`. No word serves
//! both.

use plots::mark::Mark;

use crate::record::Verdict;

/// The test results, best first.
pub(crate) const RESULTS: [Verdict; 4] = [
    Verdict::FewerThanChance,
    Verdict::WithinChance,
    Verdict::WorseThanChance,
    Verdict::FarWorseThanChance,
];

/// Returns the words for a test result.
pub(crate) fn result(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::FewerThanChance => "fewer than chance",
        Verdict::WithinChance => "within chance",
        Verdict::WorseThanChance => "worse than chance",
        Verdict::FarWorseThanChance => "far beyond chance",
    }
}

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
