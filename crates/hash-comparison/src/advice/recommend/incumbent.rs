//! The function in use today: good enough or not, why, and what a change to the pick would gain.

use crate::advice::recommend::{Judged, words};
use crate::questions::{Place, Records};
use crate::record::{CallForm, Incumbent, Interval, Request, Standing};
use records::number::significant;

/// Compares `mine` with `pick` on a dataset, by times of calls of this form.
pub(super) fn beside(
    (records, dataset, form): (&Records, &str, CallForm),
    mine: &Judged<'_>,
    pick: Option<&Judged<'_>>,
    request: &Request,
) -> Incumbent {
    let name = &mine.function.name;
    let both = |one: &Judged<'_>| {
        let name = &one.function.name;
        [
            one.speed,
            Interval::of(records, dataset, name, (Place::Memory, form)),
        ]
    };
    let change_to = |pick: &Judged<'_>| {
        let other = &pick.function.name;
        match gain(both(mine), both(pick)) {
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
            let change = pick.map_or_else(|| "Nothing here replaces it.".to_owned(), change_to);
            (Some(false), format!("{name} is not good enough: {why}. {change}"))
        }
        (_, pick) => {
            let why = words::good_enough(mine, request);
            let change = match pick {
                None => "Nothing here replaces it.".to_owned(),
                Some(pick) if mine.is_slower_than(pick) => change_to(pick),
                Some(pick) => format!("Keep it. {}", change_to(pick)),
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

/// Describes what a change gains, as in `2.1 times as fast in the cache (9.6 to 4.6 ns per key), no measurable difference
/// out of it (199 to 197 ns)`, from the times in the cache and out of it. Returns `None` without times in the cache.
fn gain(old: [Option<Interval>; 2], new: [Option<Interval>; 2]) -> Option<String> {
    let at = |index: usize, place: &str, unit: &str| {
        let (old, new) = (old[index]?, new[index]?);
        let ratio = |slow: Interval, fast: Interval| significant(slow.ns / fast.ns, 2);
        let times = if old.is_slower_than(&new) {
            format!("{} times as fast", ratio(old, new))
        } else if new.is_slower_than(&old) {
            format!("{} times slower", ratio(new, old))
        } else {
            "no measurable difference".to_owned()
        };
        let [from, to] = [old, new].map(|time| significant(time.ns, 3));
        Some(format!("{times} {place} ({from} to {to} ns{unit})"))
    };
    let cache = at(0, "in the cache", " per key")?;
    let memory = at(1, "out of it", "");
    Some([cache].into_iter().chain(memory).collect::<Vec<_>>().join(", "))
}
