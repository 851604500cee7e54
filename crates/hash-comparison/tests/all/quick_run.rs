//! Quick comparisons: the records are complete, and the number of threads changes nothing except times.

use std::fs;
use std::process::{Child, Stdio};

use hash_comparison::questions::collisions::NARROW_BITS;
use hash_comparison::questions::filters::BITS_PER_KEY;
use hash_comparison::questions::{FILES, Records};
use hash_comparison::record::{EMPTY, IDEAL};

use super::Workbench;

/// Starts a quick comparison into `out` on `threads` threads.
fn start(bench: &Workbench, out: &str, threads: &str, more: &[&str]) -> Child {
    let fixed = ["compare", "--quick", "--keys", "keys.txt", "--out", out];
    let mut command = bench.command(&[&fixed[..], more].concat());
    command.env("RAYON_NUM_THREADS", threads).stdout(Stdio::null());
    command.spawn().unwrap()
}

/// Builds a folder with a `keys.txt` of 2002 keys, enough for a filter over part of them.
fn bench() -> Workbench {
    let bench = Workbench::new();
    let keys: String = (0..2_002).map(|number| format!("key {number}\n")).collect();
    bench.write("keys.txt", keys);
    bench
}

#[test]
fn records_are_the_same_on_one_thread() {
    let bench = bench();
    // A set that is large enough to be split, and functions with and without findings.
    let more = "--dataset app-accounts --function XXH3 --function DEKHash --function CRC-32 --function PJW";
    let more: Vec<&str> = more.split(' ').collect();
    for mut run in [
        start(&bench, "several", "3", &more),
        start(&bench, "one", "1", &more),
    ] {
        assert!(run.wait().unwrap().success());
    }
    let records = Records::read(&bench.path("several")).unwrap();
    for file in records.files().filter(|file| !file.timed) {
        let read = |out: &str| fs::read(bench.path(out).join(file.name)).unwrap();
        assert!(read("several") == read("one"), "{}", file.name);
    }
}

#[test]
fn records_are_complete() {
    let bench = bench();
    let keys: String = (0..100).map(|number| format!("{number}\n")).collect();
    bench.write("more.txt", keys);
    // Functions of every width.
    let more = "--keys more.txt --function PJW --function APHash --function FNVHash --function XXH3";
    let more: Vec<&str> = more.split(' ').collect();
    assert!(start(&bench, "out", "2", &more).wait().unwrap().success());
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
