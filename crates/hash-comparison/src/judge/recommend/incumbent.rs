//! The function in use today beside the first of the list.

use super::evidence::Evidence;
use super::{Suited, Unsuited, words};
use crate::judge::times::Speed;
use crate::record::{CollisionRow, Incumbent, Standing};
use plots::number::{grouped, percent, significant};

/// `None` where no function of that name was measured.
pub(super) fn of(
    mine: &str,
    suited: &[Suited<'_>],
    unsuited: &[Unsuited<'_>],
    too_few_keys: bool,
) -> Option<Incumbent> {
    let is_mine = |evidence: &Evidence<'_>| evidence.function.name == mine;
    let good = suited.iter().find(|one| is_mine(&one.evidence));
    let bad = unsuited.iter().find(|one| is_mine(&one.evidence));
    if good.is_none() && bad.is_none() {
        return None;
    }
    let first = suited.first();
    let (standing, words) = match (good, bad) {
        (_, Some(one)) => (
            Standing::Unsuited,
            match first.filter(|_| !too_few_keys) {
                Some(first) => format!(
                    "{mine} will not do: {}. {}",
                    words::phrase(&one.reason),
                    exchange(mine, one.speed, &one.evidence, first)
                ),
                None => format!(
                    "{mine} will not do: {}. {}",
                    words::phrase(&one.reason),
                    if too_few_keys {
                        "On so few keys none is recommended in its place."
                    } else {
                        "There is none to put in its place."
                    }
                ),
            },
        ),
        _ if too_few_keys => (
            Standing::Unknown,
            format!("{mine} cannot be told from others on so few keys."),
        ),
        (Some(one), _) => beside(mine, one, first?),
        (None, None) => return None,
    };
    Some(Incumbent {
        function: mine.to_owned(),
        standing,
        words,
    })
}

fn beside(mine: &str, one: &Suited<'_>, first: &Suited<'_>) -> (Standing, String) {
    let leader = &first.evidence.function.name;
    if leader == mine {
        return (
            Standing::Level,
            format!("{mine} is the first of the list: keep it."),
        );
    }
    let ns =
        |speed: Option<Speed>| speed.map_or_else(|| "–".to_owned(), |speed| significant(speed.median(), 3));
    // Ranks go by the first of each, so that a later one need not be slower than the first of all.
    let slower = match (one.speed, first.speed) {
        (Some(mine), Some(best)) => mine.is_slower_than(&best),
        (mine, best) => mine.is_some() != best.is_some(),
    };
    if !slower && one.blemish.is_some() == first.blemish.is_some() {
        let words = format!(
            "{mine} is level with {leader} ({} and {} ns per key, no measurable difference): keep it.",
            ns(one.speed),
            ns(first.speed)
        );
        return (Standing::Level, words);
    }
    let quality = match (&one.blemish, &first.blemish) {
        (Some(blemish), None) => format!("It failed a test that does not count here: {blemish}."),
        _ => "There is no measurable difference in quality.".to_owned(),
    };
    let words = format!("{} {quality}", exchange_time(mine, one.speed, first));
    (Standing::Behind, words)
}

/// What a change to the first of the list does.
fn exchange(mine: &str, speed: Option<Speed>, evidence: &Evidence<'_>, first: &Suited<'_>) -> String {
    let collisions = match (evidence.full_width(), first.evidence.full_width()) {
        (Some(row), Some(other)) => format!(" {}", collisions(row, other)),
        _ => String::new(),
    };
    format!("{}{collisions}", exchange_time(mine, speed, first))
}

fn exchange_time(mine: &str, speed: Option<Speed>, first: &Suited<'_>) -> String {
    let leader = &first.evidence.function.name;
    let (Some(speed), Some(other)) = (speed, first.speed) else {
        return format!("{leader} is the first of the list.");
    };
    let (ns, best) = (speed.median(), other.median());
    let figures = format!("{} against {}", significant(ns, 3), significant(best, 3));
    let apart = significant((ns - best).abs(), 2);
    if speed.is_slower_than(&other) {
        format!(
            "{mine} costs {apart} ns per key more than {leader} ({figures}): a change saves {} of the time.",
            percent((ns - best) / ns)
        )
    } else if other.is_slower_than(&speed) {
        format!("A change to {leader} costs {apart} ns per key more ({figures}, yours first).")
    } else {
        format!("In time there is no measurable difference from {leader} ({figures} ns per key).")
    }
}

/// Collisions of the user's function and of the first, at the width of each.
fn collisions(row: &CollisionRow, other: &CollisionRow) -> String {
    let (count, best) = (row.collisions, other.collisions);
    let told = |row: &CollisionRow| format!("{} at {} bits", grouped(row.collisions), row.bits);
    match (count, best) {
        (0, 0) => "Neither has a collision.".to_owned(),
        // A few more or fewer are chance, and a ratio of them would look like a finding.
        _ if row.verdict == other.verdict => format!(
            "In collisions there is no measurable difference: {} against {}.",
            told(row),
            told(other)
        ),
        (_, 0) => format!(
            "It has {} collisions at {} bits, the first has none.",
            grouped(count),
            row.bits
        ),
        _ if row.verdict > other.verdict => format!(
            "It has {} times the collisions: {} against {}.",
            significant(count as f64 / best as f64, 2),
            told(row),
            told(other)
        ),
        _ => format!("Collisions: {} against {}.", told(row), told(other)),
    }
}
