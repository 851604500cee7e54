//! The function in use today: good enough or not, why, and what a change to the pick would gain.

use crate::advice::recommend::{Judged, gain, words};
use crate::questions::Records;
use crate::record::{CallForm, Incumbent, Request, Standing};

/// Compares `mine` with `pick` on a dataset, by times of calls of this form.
pub(super) fn beside(
    (records, dataset, form): (&Records, &str, CallForm),
    mine: &Judged<'_>,
    pick: Option<&Judged<'_>>,
    request: &Request,
) -> Incumbent {
    let name = &mine.function.name;
    let gain = |pick: &Judged<'_>| {
        let other = &pick.function.name;
        match gain::words(records, dataset, name, other, form) {
            Some(gain) => format!("A change to {other}: {gain}."),
            None => format!("Take {other}."),
        }
    };
    // A request for values that never change has ruled such a function out.
    let memory_only = if mine.function.stable {
        ""
    } else {
        " in memory only, since its values may change with a release"
    };
    let (good_enough, words) = match (mine.standing, pick) {
        (Standing::Unknown, _) => {
            let words = format!("Nothing can be said of {name}: too few keys to tell functions apart.");
            (None, words)
        }
        (Standing::Pick, _) => (
            Some(true),
            format!("{name} is good enough{memory_only}: it is the pick. Keep it."),
        ),
        (Standing::Avoid | Standing::Lacking, pick) => {
            let why = match (&mine.lacks, mine.defect()) {
                (Some((_, why)), _) => words::phrase(why),
                (None, Some(row)) => words::cost(row, 0.0),
                (None, None) => String::new(),
            };
            let change = pick.map_or_else(|| "Nothing here replaces it.".to_owned(), gain);
            (Some(false), format!("{name} is not good enough: {why}. {change}"))
        }
        (_, pick) => {
            let why = words::good_enough(mine, request);
            let change = match pick {
                None => "Nothing here replaces it.".to_owned(),
                Some(pick) if mine.is_slower_than(pick) => gain(pick),
                Some(pick) => format!("Keep it. {}", gain(pick)),
            };
            (
                Some(true),
                format!("{name} is good enough{memory_only}: {why}. {change}"),
            )
        }
    };
    Incumbent {
        function: name.clone(),
        good_enough,
        words,
    }
}
