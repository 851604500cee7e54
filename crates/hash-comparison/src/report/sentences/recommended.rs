//! What to take for what the user has said.

use crate::judge::recommend::words;
use crate::record::{Purpose, Recommendation};
use crate::report::chart::rows::DatasetRows;
use plots::scene::printable;

/// The short list and what comes of the function in use; `None` where nothing more was asked than what any run tells, and
/// in older runs.
pub(super) fn write(data: &DatasetRows<'_>) -> Option<String> {
    let told = data.recommendation.filter(|told| more_was_asked(told))?;
    let mut text = words::sentence(told);
    if let Some(mine) = &told.mine {
        text += " Yours, framed below: ";
        text += &mine.words;
    }
    Some(printable(&text))
}

fn more_was_asked(told: &Recommendation) -> bool {
    told.purpose != Purpose::FilterOrTable || told.untrusted || told.stable || told.mine.is_some()
}
