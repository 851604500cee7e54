//! Tests of the measured rates against formulas and known values.

use std::collections::HashSet;

use bench_kit::record::Batch;
use bench_kit::suites::rates::{IDEAL, name};
use records::progress::{Cancelled, Progress, Silent};

use super::keys::Keys;
use super::kinds::{self, Value};
use super::series::Series;
use super::*;

const COARSE: Effort = Effort {
    sizes: &[32, 1_000, 100_000],
    swept: &[],
    members: 100_000,
    fewest_probes: 200_000,
    most_probes: 400_000,
};

/// Small enough for every test.
const TINY: Effort = Effort {
    sizes: &[32, 1_000],
    swept: &[32, 1_000],
    members: 2_000,
    fewest_probes: 20_000,
    most_probes: 20_000,
};

/// Returns five standard deviations of a count with this expectation. Differences between single filters spread the
/// count more than independent trials would.
fn chance(expected: f64) -> f64 {
    5.0 * (1.5 * expected).sqrt() + 1.0
}

#[test]
fn every_filter_does_what_its_formula_says() {
    let filters: Vec<Series> = SERIES
        .into_iter()
        .filter(|series| series.scheme != "leveldb")
        .collect();
    let rows = rates(&filters, &COARSE, 2, &Silent).unwrap();
    assert_eq!(rows.len(), filters.len() * 3 * 3);
    for row in &rows {
        let probes = row.calls as f64;
        let expected = row.case.number("expected") * probes;
        let measured = row.count as f64;
        // Guava's positions are multiples of one stride, and repeat in small filters.
        let counter = if row.case.get("scheme") == "counting" {
            4.0
        } else {
            1.0
        };
        let strides = 2.5 / (8.0 * row.case.number("bytes") / counter) * probes;
        let (low, high) = match row.case.get("scheme") {
            "guava-mitz64" | "guava-mitz32" | "counting" => (0.98, 1.02 * expected + strides),
            // The probes depend on each other, which the formula ignores.
            "legacy-full" => (0.98, f64::INFINITY),
            // The formula is an upper bound.
            "growing" => (0.0, expected),
            _ => (0.98, 1.02 * expected),
        };
        assert!(measured > low * expected - chance(expected), "{row:?}");
        assert!(measured < high + chance(expected), "{row:?}");
    }
}

#[test]
fn the_cost_of_leveldbs_scheme_is_the_known_one() {
    const SIZES: Effort = Effort {
        sizes: &[32, 512],
        ..COARSE
    };
    let leveldb: Vec<Series> = SERIES
        .into_iter()
        .filter(|series| {
            let of_sound_hash =
                [IDEAL, "BloomFilter2", "XXH3", "leveldb.BuiltinBloomFilter2"].contains(&series.name);
            series.scheme == "leveldb" && !series.is_in_a_row && of_sound_hash
        })
        .collect();
    assert_eq!(leveldb.len(), 4);
    // Measured with random values by `examples/rates.rs` of `filter-policy`.
    let known = [
        (32, 10, 1.240),
        (32, 15, 2.813),
        (32, 20, 10.71),
        (512, 10, 1.043),
        (512, 15, 1.177),
        (512, 20, 1.618),
    ];
    for row in rates(&leveldb, &SIZES, 2, &Silent).unwrap() {
        let (_, _, excess) = known
            .into_iter()
            .find(|(keys, bits, _)| {
                (*keys, *bits) == (row.case.count("keys"), row.case.count("bits_per_key"))
            })
            .unwrap();
        let expected = excess * row.case.number("ideal") * row.calls as f64;
        let off = (row.count as f64 - expected).abs();
        assert!(off < 0.03 * expected + chance(expected), "{excess} {row:?}");
    }
}

/// Keys of equal values are one key to the filter: n of 2^32 values are taken.
#[test]
fn what_32_bits_cost_is_the_share_of_values_that_are_taken() {
    let kind = kinds::of(&SERIES[1]).unwrap();
    let mut keys = Keys::new(false, SEED);
    let mut values = |count: usize| -> Vec<Value> {
        keys.by_ref()
            .take(count)
            .map(|key| (kind.value)(key.bytes()))
            .collect()
    };
    let (members, absent) = (values(1_000_000), values(1_000_000));
    let filter = (kind.build)(24, &members).unwrap();
    let taken: HashSet<u64> = members.iter().map(|value| value.h1).collect();
    let equal: Vec<Value> = absent
        .iter()
        .copied()
        .filter(|value| taken.contains(&value.h1))
        .collect();
    let expected = 1e12 / 4_294_967_296.0;
    assert!(
        (equal.len() as f64 - expected).abs() < chance(expected),
        "{}",
        equal.len()
    );
    assert_eq!((filter.matching)(&equal), equal.len() as u64);
    // This alone is over ten times the false positives of an ideal filter.
    let [ideal, _] = (filter.rates)().unwrap();
    assert!(expected > 10.0 * ideal * 1e6, "{ideal}");
}

#[test]
fn poor_functions_are_seen_to_be_poor() {
    let rows = rates(&SERIES, &TINY, 2, &Silent).unwrap();
    let rate = |series: &str, bits: u64| {
        let row = rows
            .iter()
            .find(|row| {
                name(&row.case) == series
                    && (row.case.count("keys"), row.case.count("bits_per_key")) == (1_000, bits)
            })
            .unwrap();
        row.count as f64 / row.calls as f64 / row.case.number("ideal")
    };
    assert!(rate("BPHash", 20) > 50.0);
    assert!(rate("XXH3", 10) < 1.5);
    assert!(rate("ideal hash and probes", 10) < 1.3);
}

#[test]
fn rows_do_not_depend_on_the_number_of_threads() {
    let alone = rates(&SERIES, &TINY, 1, &Silent).unwrap();
    assert_eq!(alone.len(), SERIES.len() * 2 * 21);
    assert_eq!(rates(&SERIES, &TINY, 3, &Silent).unwrap(), alone);
    let order = |row: &Batch| {
        let of = |series: &Series| {
            let is_in_a_row = row.case.get("key_form") == "numbers-in-a-row";
            (series.name, series.scheme, series.is_in_a_row)
                == (&*row.case.contender, row.case.get("scheme"), is_in_a_row)
        };
        (
            SERIES.iter().position(of),
            row.case.count("keys"),
            row.case.count("bits_per_key"),
        )
    };
    assert!(alone.is_sorted_by_key(order));
}

#[test]
fn no_two_series_have_one_name() {
    let rows = rates(&SERIES, &TINY, 2, &Silent).unwrap();
    let names: HashSet<String> = rows.iter().map(|row| name(&row.case)).collect();
    assert_eq!(names.len(), SERIES.len(), "{names:?}");
}

/// Cancels a run at once.
struct Stop;

impl Progress for Stop {
    fn begin(&self, _: &str, _: u64) {}

    fn step(&self) {}

    fn cancelled(&self) -> bool {
        true
    }
}

#[test]
fn a_run_can_be_stopped_and_functions_must_exist() {
    assert_eq!(rates(&SERIES, &TINY, 2, &Stop), Err(Cancelled.to_string()));
    let unknown = Series {
        name: "XXH4",
        scheme: "leveldb",
        is_in_a_row: false,
    };
    let said = rates(&[unknown], &TINY, 1, &Silent).unwrap_err();
    assert!(said.contains("XXH4") && said.contains("XXH3"), "{said}");
}
