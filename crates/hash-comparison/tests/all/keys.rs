//! The user's own keys: any bytes, any line ends, any number.

use hash_comparison::questions::{FILES, Records};
use hash_comparison::record::{DatasetSummary, EMPTY};

use super::Workbench;

/// Measures these key files in one run and returns the records.
fn measured(files: &[&[u8]]) -> Records {
    let bench = Workbench::new();
    let mut arguments = vec!["--out", "out"];
    let names: Vec<String> = (0..files.len()).map(|number| format!("{number}.txt")).collect();
    for (name, bytes) in names.iter().zip(files) {
        bench.write(name, bytes);
        arguments.extend(["--keys", name]);
    }
    bench.compare(&arguments);
    Records::read(&bench.path("out")).unwrap()
}

#[test]
fn line_ends_belong_to_no_key() {
    let run = measured(&[
        b"one\ntwo\nthree\n",
        b"one\r\ntwo\r\nthree\r\n",
        b"one\ntwo\nthree",
    ])
    .run;
    let [_, lf, crlf, open] = &run.datasets[..] else {
        panic!("{:?}", run.datasets);
    };
    assert_eq!((lf.keys, lf.bytes, lf.min_len, lf.max_len), (3, 11, 3, 5));
    assert_eq!(lf.name, "0");
    for other in [crlf, open] {
        let renamed = DatasetSummary {
            name: lf.name.clone(),
            source: lf.source.clone(),
            ..other.clone()
        };
        assert_eq!(*lf, renamed);
    }
}

#[test]
fn duplicates_are_counted_and_dropped() {
    let bench = Workbench::new();
    bench.write("keys.txt", "one\ntwo\none\r\n\n\none");
    let outcome = bench.compare(&["--out", "out"]);
    let records = Records::read(&bench.path("out")).unwrap();
    let dataset = &records.run.datasets[0];
    assert_eq!(
        (dataset.keys, dataset.duplicates_dropped, dataset.min_len),
        (3, 3, 0)
    );
    assert!(
        outcome.stdout.contains("3 duplicates dropped"),
        "{}",
        outcome.stdout
    );
}

#[test]
fn few_keys_odd_keys_and_long_keys() {
    let long = [vec![b'x'; 300_000], b"\ny\n".to_vec()].concat();
    let cases: [(&[u8], u64); 7] = [
        (b"\n", 1),
        (b"one", 1),
        (b"one\ntwo", 2),
        (b"one\ntwo\nthree", 3),
        (b"\xff\xfe\n\0\n\xc3(\n", 3),
        (b"'; --\n<script>\n\"a\",b\n", 3),
        (&long, 2),
    ];
    let records = measured(&cases.map(|(bytes, _)| bytes));
    let datasets = &records.run.datasets[1..];
    assert_eq!(datasets.len(), cases.len());
    for (dataset, (_, keys)) in datasets.iter().zip(cases) {
        assert_eq!(dataset.keys, keys);
        for rows in [&records.timing, &records.latency] {
            let rows = rows.iter().filter(|row| row.dataset == dataset.name);
            let names: Vec<&str> = rows.clone().map(|row| row.function.as_str()).collect();
            assert_eq!(names, [EMPTY, "XXH3", "CRC-32"]);
            assert!(
                rows.clone()
                    .all(|row| row.keys == keys && row.bytes == dataset.bytes)
            );
            assert!(
                rows.clone()
                    .all(|row| row.median_ns_per_key > 0.0 && row.samples >= 3)
            );
        }
        let mut collisions = records.collisions.iter();
        assert!(collisions.all(|row| row.dataset != dataset.name || row.keys == keys));
        let findings = records.run.findings.iter();
        assert_eq!(
            findings.filter(|finding| finding.dataset == dataset.name).count(),
            2
        );
    }
}

#[test]
fn long_keys_take_seconds_not_minutes() {
    let bench = Workbench::new();
    let lines = [
        vec![b'x'; 300_000],
        b"\n".to_vec(),
        vec![b'y'; 2_000_000],
        b"\nz\n".to_vec(),
    ]
    .concat();
    bench.write("keys.txt", lines);
    // The slowest functions hash less than a gigabyte per second.
    bench.compare(&["--function", "PJW", "--function", "BPHash", "--out", "out"]);
    let environment = Records::read(&bench.path("out")).unwrap().run.environment;
    // Takes a second on a quiet machine; without a bound on the bytes of a reading, it would take hours.
    let seconds = environment.timing_seconds.unwrap();
    assert!(seconds < 300.0, "{seconds} s of timing");
}

#[test]
fn several_files_stand_side_by_side() {
    let bench = Workbench::new();
    bench.write("keys.txt", "one\n");
    bench.write("more keys.csv", "two\nthree\n");
    bench.compare(&["--keys", "more keys.csv", "--out", "out"]);
    let run = Records::read(&bench.path("out")).unwrap().run;
    let names: Vec<&str> = run.datasets.iter().map(|dataset| dataset.name.as_str()).collect();
    assert_eq!(names, ["keys", "more keys"]);
    assert_eq!(
        run.command,
        "hash-comparison compare --keys keys.txt --keys 'more keys.csv' --function XXH3 --function CRC-32 --seed 1 --quick --out out"
    );
}

#[test]
fn what_does_not_depend_on_the_machine_is_the_same_twice() {
    let bench = Workbench::new();
    let keys: String = (0..2_000).map(|number| format!("key {number}\n")).collect();
    bench.write("keys.txt", keys);
    bench.compare(&["--out", "first"]);
    bench.write("keys.txt", bench.read("keys.txt").replace('\n', "\r\n"));
    bench.compare(&["--out", "second", "--seed", "1"]);
    for name in FILES.iter().filter(|file| !file.timed).map(|file| file.name) {
        assert_eq!(
            bench.read(&format!("first/{name}")),
            bench.read(&format!("second/{name}")),
            "{name}"
        );
    }
}
