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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::questions::{Place, TimingRow};
    use crate::record::on;

    #[test]
    fn both_places_are_told_and_noise_is_no_gain() {
        let mut records = crate::property::committed();
        let dataset = records.run.datasets[0].name.clone();
        records.spread.clear();
        let time = |(function, median_ns_per_key): (&str, f64)| TimingRow {
            function: function.to_owned(),
            median_ns_per_key,
            mad_ns_per_key: 0.1,
            ..records.timing[0].clone()
        };
        let memory = on(&records.places, &dataset)
            .find(|row| row.place == Place::Memory)
            .unwrap();
        let far = |(function, ns): (&str, f64)| {
            let mut row = memory.clone();
            (row.function, row.form) = (function.to_owned(), CallForm::Independent);
            (row.median_ns_per_key, row.mad_ns_per_key) = (ns, 1.0);
            row
        };
        let times = [("old", 12.0), ("new", 4.0), ("untimed", f64::INFINITY)].map(time);
        records.places = [("old", 99.0), ("new", 100.0)].map(far).into();
        records.timing = times.into();
        let told = |records: &Records, from, to| words(records, &dataset, from, to, CallForm::Independent);
        let cache = "3.0 times as fast in the cache (12.0 to 4.00 ns per key)";
        assert_eq!(
            told(&records, "old", "new").unwrap(),
            format!("{cache}, no measurable difference out of it (99.0 to 100 ns)")
        );
        let back = told(&records, "new", "old").unwrap();
        assert!(
            back.starts_with("3.0 times slower in the cache (4.00 to 12.0"),
            "{back}"
        );
        assert_eq!(told(&records, "untimed", "new"), None);
        assert_eq!(words(&records, &dataset, "old", "new", CallForm::Chained), None);
        records.places.clear();
        assert_eq!(told(&records, "old", "new").unwrap(), cache);
    }
}
