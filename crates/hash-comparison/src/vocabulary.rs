//! The words for test results and for advice, in one place.
//!
//! A test result compares a count with chance. Advice says whether to take a function. No word serves both.

use crate::record::{Advice, Standing, Verdict};

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

/// Returns the words for the advice on a function.
pub(crate) fn advice(advice: &Advice) -> String {
    match advice.standing {
        Standing::Pick => "pick".to_owned(),
        Standing::RunnerUp => "runner-up".to_owned(),
        Standing::Suited => format!("suited, rank {}", advice.rank),
        Standing::Avoid => "avoid".to_owned(),
        Standing::Lacking => "does not meet the request".to_owned(),
        Standing::Unknown => "too few keys".to_owned(),
    }
}
