//! A quick comparison: its records are complete.

use hash_comparison::questions::collisions::NARROW_BITS;
use hash_comparison::questions::filters::BITS_PER_KEY;
use hash_comparison::questions::{FILES, Records};
use hash_comparison::record::{EMPTY, IDEAL};

use super::Workbench;

#[test]
fn records_are_complete() {
    let bench = Workbench::new();
    let keys = |start: &str, count: u32| {
        (0..count)
            .map(|number| format!("{start}{number}\n"))
            .collect::<String>()
    };
    // Enough keys for a filter over part of them, and few.
    bench.write("keys.txt", keys("key ", 2_002));
    bench.write("more.txt", keys("", 100));
    // Functions of every width.
    let arguments = "compare --quick --keys keys.txt --keys more.txt --out out --function PJW --function APHash \
                     --function FNVHash --function XXH3";
    let arguments: Vec<&str> = arguments.split(' ').collect();
    assert_eq!(bench.run(&arguments).code, 0);
    let records = Records::read(&bench.path("out")).unwrap();
    assert_eq!(records.run.datasets.len(), 2);
    for file in FILES {
        assert!(
            !file.spelled(&records).1.is_empty(),
            "{} has no rows: measure them in its question",
            file.name
        );
    }
    for dataset in &records.run.datasets {
        complete(&records, &dataset.name);
    }
}

/// Checks that every function has its rows on this dataset.
fn complete(records: &Records, dataset: &str) {
    let names = || {
        records
            .run
            .functions
            .iter()
            .map(|function| function.name.as_str())
    };
    for rows in [&records.timing, &records.latency] {
        for function in names().chain([EMPTY]) {
            let found = rows
                .iter()
                .filter(|row| row.dataset == dataset && row.function == function);
            assert_eq!(found.count(), 1, "times of {function} on {dataset}");
        }
    }
    for function in &records.run.functions {
        let found = records
            .collisions
            .iter()
            .filter(|row| row.dataset == dataset && row.function == function.name);
        let bits: Vec<u32> = found.map(|row| row.bits).collect();
        assert_eq!(
            bits,
            [&[function.bits], &NARROW_BITS[..]].concat(),
            "{} on {dataset}",
            function.name
        );
        let mut buckets = records.distribution.iter();
        assert!(
            buckets.any(|row| row.dataset == dataset && row.function == function.name),
            "buckets of {} on {dataset}",
            function.name
        );
    }
    for function in names().chain([IDEAL]) {
        let rows = records.false_positives.iter();
        let found = rows.filter(|row| row.dataset == dataset && row.function == function);
        let bits: Vec<u32> = found.map(|row| row.bits_per_key).collect();
        assert_eq!(bits, BITS_PER_KEY, "filters of {function} on {dataset}");
    }
}
