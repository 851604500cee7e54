//! Comparison of the function in use today with the pick.

use super::{Judged, words};
use crate::record::{Incumbent, Standing};
use plots::number::{percent, significant};

/// Compares `mine` with `pick`, including the time that a change would save or cost.
pub(super) fn beside(mine: &Judged<'_>, pick: Option<&Judged<'_>>) -> Incumbent {
    let name = &mine.function.name;
    let words = match (mine.standing, pick) {
        (Standing::Pick, _) => format!("{name} is the pick: keep it."),
        (Standing::Unknown, _) => format!("{name} cannot be told from others on so few keys."),
        (Standing::Avoid | Standing::Lacking, pick) => {
            let why = match (&mine.lacks, mine.defect()) {
                (Some((_, why)), _) => words::phrase(why),
                (None, Some(row)) => words::cost(row, 0.0),
                (None, None) => String::new(),
            };
            let change = pick.map_or_else(
                || "Nothing here replaces it.".to_owned(),
                |pick| change(mine, pick),
            );
            format!("{name} will not do: {why}. {change}")
        }
        (_, Some(pick)) if !mine.is_slower_than(pick) => format!(
            "{name} is level with {} ({} and {} ns per key, no measurable difference): keep it.",
            pick.function.name,
            ns(mine),
            ns(pick)
        ),
        (_, Some(pick)) => change(mine, pick),
        (_, None) => format!("Nothing here replaces {name}."),
    };
    Incumbent {
        function: name.clone(),
        words,
    }
}

/// Describes the effect on time of a change to the pick.
fn change(mine: &Judged<'_>, pick: &Judged<'_>) -> String {
    let (name, other) = (&mine.function.name, &pick.function.name);
    if mine.speed.is_none() || pick.speed.is_none() {
        return format!("Take {other}.");
    }
    let saves = mine.saves(pick);
    let figures = format!("{} against {} ns per key", ns(mine), ns(pick));
    if saves > 0.0 {
        format!(
            "A change from {name} to {other} saves {} of the time ({figures}).",
            percent(saves)
        )
    } else if saves < 0.0 {
        format!(
            "A change from {name} to {other} costs {} more time ({figures}).",
            percent(-saves)
        )
    } else {
        format!("A change from {name} to {other} makes no measurable difference in time ({figures}).")
    }
}

fn ns(one: &Judged<'_>) -> String {
    one.speed
        .map_or_else(|| "–".to_owned(), |speed| significant(speed.median(), 3))
}
