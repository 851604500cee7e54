//! Checks the advice and figures of the committed run against its records.

use super::*;

/// Reads the committed run.
fn committed() -> Records {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../reports/reference");
    Records::read(&folder).unwrap()
}

#[test]
fn the_committed_advice_is_what_its_records_give_and_the_mildest_defect_comes_first() {
    let records = committed();
    let told = &records.run.recommendations;
    // Compared as stored: times have nine digits in files.
    let spelled = |told: &[Recommendation]| serde_json::to_string(told).unwrap();
    assert!(spelled(told) == spelled(&recommend(&records, &Request::default())));
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
            let sizes = crate::record::about(&records.sizes, &dataset.name, &row.function);
            if let Some(counted) = sizes.into_iter().find(|counted| counted.keys == row.keys) {
                assert_eq!(
                    (row.rate, row.rate_basis),
                    (Some(counted.rate), Basis::Measured),
                    "{of}"
                );
            }
            let all = crate::record::about(&records.windows, &dataset.name, &row.function);
            let all = all.into_iter().find(|all| all.end == WindowEnd::Full).unwrap();
            if all.keys == row.keys {
                assert_eq!(row.collisions, Some(all.collisions as f64), "{of}");
            }
            // A lower bound must not exceed the rates counted with fewer keys.
            if row.rate_basis == Basis::AtLeast
                && let Some(least) = row.rate
            {
                let fewer = sizes::measured_rates(&records, dataset, &row.function);
                let most = fewer.filter(|(keys, _)| *keys < row.keys).map(|(_, rate)| rate);
                assert!(least <= most.reduce(f64::max).unwrap(), "{of}: {least}");
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
        fnv.contains("fails 17 of 23 sets of structured keys, 11 of them by their high bits alone"),
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
    assert!(
        words.contains("BPHash lets 58.3 % of absent keys through a filter (the pick: 0.885 %)"),
        "{words}"
    );
    assert!(
        words.contains("BPHash takes 173 comparisons per look-up (the pick: 1.61)"),
        "{words}"
    );
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
