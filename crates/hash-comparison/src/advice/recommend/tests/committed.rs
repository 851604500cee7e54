//! Checks the advice and figures of the committed run against its records.

use crate::advice::recommend::tests::*;

/// Reads the committed run.
fn committed() -> Records {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../reports/reference");
    Records::read(&folder).unwrap()
}

#[test]
fn the_committed_advice_is_what_its_records_give_and_the_mildest_defect_comes_first() {
    let records = committed();
    let told = &records.run.recommendations;
    let order = |told: &[Recommendation]| -> Vec<Vec<(Standing, u64, String)>> {
        let of = |one: &Advice| (one.standing, one.rank, one.function.clone());
        told.iter()
            .map(|told| told.functions.iter().map(of).collect())
            .collect()
    };
    assert_eq!(order(told), order(&recommend(&records, &Request::default())));
    for told in told {
        let avoid: Vec<f64> = told
            .standing(Avoid)
            .map(|one| one.cost.as_ref().unwrap().cost)
            .collect();
        assert!(
            avoid.len() > 5 && avoid.is_sorted(),
            "{}: {avoid:?}",
            told.dataset
        );
    }
}

#[test]
fn no_figure_for_the_committed_keys_contradicts_a_count() {
    let records = committed();
    let mut bases = [0; 4];
    for dataset in &records.run.datasets {
        for row in at_sizes(&records, dataset, Purpose::Filter) {
            let of = format!("{} at {} of {}", row.function, row.keys, dataset.name);
            let near = crate::record::about(&records.near_sizes, &dataset.name, &row.function);
            let mut near = near.filter(|near| near.bits_per_key == AtSize::BITS_PER_KEY);
            if let Some(counted) = near.find(|counted| counted.keys == row.keys) {
                let range = (Some(counted.lowest_rate), Some(counted.highest_rate));
                assert_eq!(
                    (row.rate, row.rate_basis),
                    (Some(counted.rate), Basis::Measured),
                    "{of}"
                );
                assert_eq!((row.lowest_rate, row.highest_rate), range, "{of}");
            }
            let all = crate::record::about(&records.windows, &dataset.name, &row.function);
            let all = all.into_iter().find(|all| all.end == WindowEnd::Full).unwrap();
            if all.keys == row.keys {
                assert_eq!(row.collisions, Some(all.collisions as f64), "{of}");
            }
            // A lower bound is not below what an ideal hash has there, so that it does not read as better.
            if let (Basis::AtLeast, Some(least)) = (row.rate_basis, row.rate) {
                let ideal = sizes::ideal_rate(&records, dataset, row.keys);
                assert!(least >= 0.9999 * ideal.mean, "{of}: {least}");
            }
            // A figure by chance is allowed only if chance also explains the counted keys.
            let chance = all.collisions as f64 <= 10.0 * all.expected.max(0.5);
            if let (Some(_), Basis::Expected) = (row.collisions, row.collisions_basis) {
                assert!(chance, "{of}: {} counted", all.collisions);
            }
            bases[match (row.collisions, row.collisions_basis) {
                (None, _) => 0,
                (_, Basis::Measured) => 1,
                (_, Basis::Expected) => 2,
                (_, Basis::AtLeast) => 3,
            }] += 1;
        }
    }
    assert!(bases.iter().all(|count| *count > 20), "{bases:?}");
}

#[test]
fn what_is_known_against_a_function_names_the_set_nearest_to_the_keys() {
    let records = committed();
    let set = |name: &str| records.run.datasets.iter().find(|set| set.name == name).unwrap();
    let known = |dataset, function: &str| words::known_weakness(&records, set(dataset), function).unwrap();
    let fnv = known("video-ids", "FNV-1a 64");
    assert!(
        fnv.contains(" of 23 sets of structured keys, ") && fnv.contains("by their high bits alone"),
        "{fnv}"
    );
    assert!(
        fnv.contains("numbers-text")
            && fnv.contains("the low bits pass, so use it for such keys only with the low bits"),
        "{fnv}"
    );
    let fast = known("video-ids", "foldhash-fast");
    assert!(
        fast.ends_with("numbers-text (the numbers 0 to 49,999 in decimal): passed."),
        "{fast}"
    );
    assert!(!known("app-accounts", "FNV-1a 64").contains("nearest"));
    assert_eq!(
        words::known_weakness(&records, set("video-ids"), "rapidhash"),
        None
    );
}

#[test]
fn ten_thousand_keys_have_an_answer_that_names_the_worst() {
    let records = committed();
    let told = recommend(&records, &asking(Purpose::FilterOrTable));
    let words = words::at_ten_thousand(&records, &told[2]).unwrap();
    for worst in ["BPHash lets ", "BPHash takes "] {
        assert!(words.contains(worst), "{words}");
    }
    // Shards have no such figures, only times.
    let shards = recommend(&records, &asking(Purpose::Shard));
    let words = words::at_ten_thousand(&records, &shards[2]).unwrap();
    assert!(
        words.starts_with("At 10,000 keys: hashing all keys takes "),
        "{words}"
    );
}

#[test]
fn a_key_for_values_that_are_kept_is_not_drawn_anew() {
    let records = committed();
    let notes = |stable| {
        let request = Request {
            untrusted: true,
            stable,
            ..asking(Purpose::Table)
        };
        recommend(&records, &request)[0].notes.join(" ")
    };
    assert!(notes(false).contains("drawn anew for every process"));
    assert!(!notes(true).contains("drawn anew") && notes(true).contains("for as long as the values: "));
}
