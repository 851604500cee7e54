//! Checks the advice on the committed run against its records, with an independent copy of the rules.

use std::path::Path;

use hash_comparison::advice::recommend::recommend;
use hash_comparison::questions::{Records, WindowEnd};
use hash_comparison::record::{
    About, CallForm, Choice, IDEAL, Purpose, Recommendation, Request, Resistance, Standing, about,
};

const LEVEL: f64 = 0.01;

/// Returns the highest cost that chance does not explain, computed from the measurements.
fn price(records: &Records, dataset: &str, function: &str, purpose: Purpose) -> f64 {
    fn of<'a, R: About>(rows: &'a [R], dataset: &'a str, function: &'a str) -> impl Iterator<Item = &'a R> {
        about(rows, dataset, function)
    }
    let more = |p_value: f64, tests: usize, measured: f64, chance: f64| {
        let sure = p_value * (tests as f64) < LEVEL && measured > chance;
        if sure { measured / chance - 1.0 } else { 0.0 }
    };
    let prices: Vec<f64> = match purpose {
        Purpose::FilterOrTable => {
            let of = |purpose| price(records, dataset, function, purpose);
            vec![of(Purpose::Filter), of(Purpose::Table)]
        }
        Purpose::Filter => {
            // Clear differences replace the run's test, which detects every one of them.
            let rows = || of(&records.near_sizes, dataset, function);
            let most = rows().map(|row| row.keys).max();
            rows()
                .filter(|row| Some(row.keys) == most)
                .filter_map(|row| {
                    let mut ideal = of(&records.near_sizes, dataset, IDEAL);
                    let same =
                        ideal.find(|ideal| (ideal.bits_per_key, ideal.keys) == (row.bits_per_key, row.keys));
                    Some((row, same?))
                })
                .filter(|(row, ideal)| row.rate > 4.0 * ideal.rate && row.false_positives > 60 * row.sizes)
                .map(|(row, ideal)| row.rate / ideal.rate - 1.0)
                .collect()
        }
        Purpose::Table => of(&records.occupancy, dataset, function)
            .filter(|row| matches!(row.choice, Choice::LowBits | Choice::Remainder))
            .map(|row| more(row.hit_p, 3 * records.occupancy.len(), row.hit, row.hit_expected))
            .collect(),
        Purpose::Shard => of(&records.shards, dataset, function)
            .map(|row| {
                more(
                    row.p_value,
                    records.shards.len(),
                    row.fullest as f64,
                    row.fullest_expected,
                )
            })
            .collect(),
        Purpose::Checksum => of(&records.windows, dataset, function)
            .filter(|row| row.end == WindowEnd::Full)
            .map(|row| {
                more(
                    row.p_value,
                    records.windows.len(),
                    row.collisions as f64,
                    row.expected,
                )
            })
            .collect(),
    };
    prices.into_iter().fold(0.0, f64::max)
}

fn hold(records: &Records, told: &Recommendation) {
    let at = |function: &str| {
        format!(
            "{} of {}, {} (untrusted {}, stable {})",
            function, told.dataset, told.purpose, told.untrusted, told.stable
        )
    };
    let names: Vec<&str> = told.functions.iter().map(|one| one.function.as_str()).collect();
    let mut sorted = names.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(sorted.len(), records.run.functions.len(), "every function once");
    assert_eq!(sorted.len(), names.len());
    let table = matches!(told.purpose, Purpose::Table | Purpose::FilterOrTable);
    assert_eq!(told.form == CallForm::Chained, table);
    let time = |function: &str| {
        let row = about(records.times(told.form), &told.dataset, function)
            .next()
            .unwrap();
        row.median_ns_per_key
    };
    for one in &told.functions {
        let function = records
            .run
            .functions
            .iter()
            .find(|other| other.name == one.function)
            .unwrap();
        assert!(
            (2..=7).contains(&one.reason.split_whitespace().count()),
            "{}: {}",
            at(&one.function),
            one.reason
        );
        let lacks = told.untrusted
            && (function.resistance != Resistance::Keyed || told.purpose == Purpose::Checksum)
            || told.stable && !function.stable;
        let price = price(records, &told.dataset, &one.function, told.purpose);
        match one.standing {
            Standing::Lacking => {
                let short = told.purpose == Purpose::Checksum && function.output_bits < 64;
                assert!(lacks || short, "{}", at(&one.function));
            }
            Standing::Unknown => panic!("{}: there are enough keys", at(&one.function)),
            Standing::Avoid => {
                let row = one.cost.as_ref().unwrap();
                assert!(
                    row.measurable && row.cost >= told.negligible && !lacks,
                    "{}",
                    at(&one.function)
                );
                assert!(told.purpose.parts().contains(&row.purpose));
                // With the same test, both computations give the same price.
                if told.purpose != Purpose::Filter && row.purpose != Purpose::Filter {
                    assert!(
                        (price / row.cost - 1.0).abs() < 1e-6 || row.cost > 1e8,
                        "{}: {price}",
                        at(&one.function)
                    );
                }
            }
            Standing::Pick | Standing::RunnerUp | Standing::Suited => {
                assert!(!lacks);
                assert!(price < told.negligible, "{} costs {price}", at(&one.function));
            }
        }
    }
    let suited: Vec<&str> = told.suited().map(|one| one.function.as_str()).collect();
    assert!(
        suited.is_sorted_by_key(|function| time(function)),
        "{}: the fastest first",
        told.dataset
    );
    assert_eq!(
        told.pick().map(|one| one.function.as_str()),
        suited.first().copied()
    );
    let standings: Vec<Standing> = told.functions.iter().map(|one| one.standing).collect();
    assert!(standings.is_sorted());
}

#[test]
fn no_advice_contradicts_the_records() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../reports/reference");
    let records = Records::read(&folder).unwrap();
    let (mut picks, mut avoided, mut negligible) = (0, 0, 0);
    for purpose in [
        Purpose::FilterOrTable,
        Purpose::Filter,
        Purpose::Table,
        Purpose::Shard,
        Purpose::Checksum,
    ] {
        for (untrusted, stable) in [(false, false), (true, false), (false, true), (true, true)] {
            let request = Request {
                purpose,
                untrusted,
                stable,
                ..Request::default()
            };
            for told in recommend(&records, &request) {
                hold(&records, &told);
                picks += usize::from(told.pick().is_some());
                avoided += told.standing(Standing::Avoid).count();
                let cheap = |cost: &Option<_>| cost.is_some();
                negligible += told.suited().filter(|one| cheap(&one.cost)).count();
            }
        }
    }
    // The rules were exercised: all kinds of advice occurred.
    assert!(
        picks > 50 && avoided > 200 && negligible > 0,
        "{picks} {avoided} {negligible}"
    );
}
