//! The committed run's advice and figures, held to its records.

use super::*;

/// The committed run.
fn committed() -> Records {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../reports/reference");
    Records::read(&folder).unwrap()
}

#[test]
fn the_committed_advice_is_what_its_records_give_and_the_mildest_defect_comes_first() {
    let records = committed();
    let told = &records.run.recommendations;
    // As files spell them: times are stored with nine digits.
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
            // What chance explains at one size, it must explain where keys were counted.
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
