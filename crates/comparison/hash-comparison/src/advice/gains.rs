//! Computes the nanoseconds per key that a change from one function to another saves, in sequence and out of the cache.

use serde::Serialize;

use super::times::Interval;
use crate::questions::{Place, Records};
use crate::record::{Advice, CallForm, Standing};

/// The gain of a change from one function to another.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Gain {
    /// The function in use.
    pub from: String,
    /// The function that replaces it.
    pub to: String,
    /// Keys that arrive in sequence.
    pub sequence: Saving,
    /// Keys that are scattered over memory, if they were timed.
    pub memory: Option<Saving>,
}

/// The time that a change saves.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Saving {
    /// The time before the change, nanoseconds per key.
    pub ns: f64,
    /// The time saved, negative if the change costs time; none if there is no measurable difference.
    pub saved: Option<f64>,
}

/// Returns the gain of a change from one function to another over key sets, of each of which the time counts equally. Returns
/// `None` if nothing changes or one of the functions was not timed.
pub fn of(records: &Records, sets: &[&str], form: CallForm, [from, to]: [&str; 2]) -> Option<Gain> {
    let saving = |place| {
        let [before, after] = [from, to].map(|function| mean(records, sets, function, (place, form)));
        let (before, after) = (before?, after?);
        let differs = before.is_slower_than(&after) || after.is_slower_than(&before);
        Some(Saving {
            ns: before.ns,
            saved: differs.then_some(before.ns - after.ns),
        })
    };
    (from != to).then_some(Gain {
        from: from.to_owned(),
        to: to.to_owned(),
        sequence: saving(Place::Sequence)?,
        memory: saving(Place::Memory),
    })
}

/// Returns the gain of a change from each function of the run to this one.
pub fn to(records: &Records, sets: &[&str], form: CallForm, to: &str) -> Vec<Gain> {
    let functions = records.run.functions.iter();
    functions
        .filter_map(|one| of(records, sets, form, [&one.name, to]))
        .collect()
}

/// Returns the suited functions that are as fast as the pick out of the cache, within noise, in the order of advice; empty without a
/// pick.
pub fn equal_in_memory<'a>(records: &Records, advice: &'a [Advice], form: CallForm) -> Vec<&'a str> {
    let Some(pick) = advice.first().filter(|one| one.standing == Standing::Pick) else {
        return Vec::new();
    };
    let is_equal = |one: &&Advice| {
        let functions = [one.function.as_str(), pick.function.as_str()];
        let memory = of(records, &[&one.dataset], form, functions).and_then(|gain| gain.memory);
        memory.is_some_and(|memory| memory.saved.is_none())
    };
    let suited = advice.iter().filter(|one| one.suits());
    suited.filter(is_equal).map(|one| one.function.as_str()).collect()
}

/// Returns the mean time of a function over key sets, with the mean range, if it was timed on all of them.
fn mean(records: &Records, sets: &[&str], function: &str, place: (Place, CallForm)) -> Option<Interval> {
    let times = sets.iter().map(|set| Interval::of(records, set, function, place));
    let times: Vec<Interval> = times.collect::<Option<_>>()?;
    let mean = |of: fn(&Interval) -> f64| times.iter().map(of).sum::<f64>() / times.len() as f64;
    (!times.is_empty()).then(|| Interval {
        ns: mean(|time| time.ns),
        low_ns: mean(|time| time.low_ns),
        high_ns: mean(|time| time.high_ns),
    })
}
