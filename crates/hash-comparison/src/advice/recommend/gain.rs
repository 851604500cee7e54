//! The time that a change from one function to another gains, with keys in the cache and out of it.

use crate::advice::times::Speed;
use crate::questions::Records;
use crate::record::CallForm;
use records::number::significant;

/// Describes the gain in words, as in `2.1 times as fast in the cache (9.6 to 4.6 ns per key), no measurable difference
/// out of it (199 to 197 ns)`. Returns `None` if one of the functions was not timed.
pub(crate) fn words(
    records: &Records,
    dataset: &str,
    from: &str,
    to: &str,
    form: CallForm,
) -> Option<String> {
    let both = |speed: &dyn Fn(&str) -> Option<Speed>| Some((speed(from)?, speed(to)?));
    let (old, new) = both(&|function| Speed::of(records, dataset, function, form))?;
    let cache = format!(
        "{} in the cache ({} per key)",
        times(&old, &new),
        change(&old, &new)
    );
    let memory = both(&|function| Speed::in_memory(records, dataset, function, form));
    let memory = memory.map_or_else(String::new, |(old, new)| {
        format!(", {} out of it ({})", times(&old, &new), change(&old, &new))
    });
    Some(cache + &memory)
}

/// Compares the times of two functions.
fn times(old: &Speed, new: &Speed) -> String {
    let ratio = |slow: &Speed, fast: &Speed| significant(slow.median() / fast.median(), 2);
    if old.is_slower_than(new) {
        format!("{} times as fast", ratio(old, new))
    } else if new.is_slower_than(old) {
        format!("{} times slower", ratio(new, old))
    } else {
        "no measurable difference".to_owned()
    }
}

fn change(old: &Speed, new: &Speed) -> String {
    let [old, new] = [old, new].map(|speed| significant(speed.median(), 3));
    format!("{old} to {new} ns")
}
