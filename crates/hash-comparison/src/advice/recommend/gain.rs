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
        let run = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../reports/reference");
        let mut records = Records::read(&run).unwrap();
        let dataset = records.run.datasets[0].name.clone();
        records.spread.clear();
        let time = |function: &str, ns| TimingRow {
            function: function.to_owned(),
            median_ns_per_key: ns,
            mad_ns_per_key: 0.1,
            ..records.timing[0].clone()
        };
        let memory = on(&records.places, &dataset).find(|row| row.place == Place::Memory);
        let memory = memory.unwrap().clone();
        let far = |function: &str, ns| {
            let mut row = memory.clone();
            (row.function, row.form) = (function.to_owned(), CallForm::Independent);
            (row.median_ns_per_key, row.mad_ns_per_key) = (ns, 1.0);
            row
        };
        records.timing = vec![
            time("old", 12.0),
            time("new", 4.0),
            time("untimed", f64::INFINITY),
        ];
        records.places = vec![far("old", 99.0), far("new", 100.0)];
        let told = |from, to| words(&records, &dataset, from, to, CallForm::Independent);
        assert_eq!(
            told("old", "new").unwrap(),
            "3.0 times as fast in the cache (12.0 to 4.00 ns per key), no measurable difference out of it (99.0 to 100 ns)"
        );
        assert!(
            told("new", "old")
                .unwrap()
                .starts_with("3.0 times slower in the cache (4.00 to 12.0")
        );
        assert_eq!(told("untimed", "new"), None);
        assert_eq!(words(&records, &dataset, "old", "new", CallForm::Chained), None);
        let mut near = records.clone();
        near.places.clear();
        assert!(
            words(&near, &dataset, "old", "new", CallForm::Independent)
                .unwrap()
                .ends_with("ns per key)")
        );
    }
}
