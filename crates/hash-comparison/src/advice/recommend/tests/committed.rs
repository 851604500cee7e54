//! Checks the advice and figures of the committed run against its records.

use crate::advice::recommend::tests::*;

/// Reads the committed run.
fn committed() -> Records {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../reports/reference");
    Records::read(&folder).unwrap()
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
