//! The user's own keys: any bytes, any line ends, any number.

mod sources;

use std::fs::File;

use hash_comparison::questions::{Place, Records};
use hash_comparison::{KeyForm, KeyKind};

use super::{Outcome, Workbench};

/// Measures these key files in one run and returns the records and the page.
fn measured(files: &[&[u8]]) -> (Records, String) {
    let bench = Workbench::new();
    let mut arguments = "--out out".to_owned();
    for (number, bytes) in files.iter().enumerate() {
        bench.write(&format!("{number}.txt"), bytes);
        arguments += &format!(" --keys {number}.txt");
    }
    bench.compare(&arguments);
    let records = Records::read(&bench.path("out")).unwrap();
    (records, bench.read("out/index.html"))
}

#[test]
fn duplicates_are_dropped_and_files_stand_side_by_side() {
    let bench = Workbench::new();
    bench.write("keys.txt", "one\ntwo\none\r\n\n\none");
    bench.write("more keys.csv", "two\nthree\n");
    let outcome = bench.compare("--keys 'more keys.csv' --out out");
    let run = Records::read(&bench.path("out")).unwrap().run;
    let names: Vec<&str> = run.datasets.iter().map(|dataset| dataset.name.as_str()).collect();
    assert_eq!(names, ["keys", "more keys"]);
    assert_eq!(
        run.command,
        "hash-comparison compare --quick --keys keys.txt --function XXH3 --function CRC-32 --keys 'more keys.csv' --out out"
    );
    let keys = &run.datasets[0];
    assert_eq!((keys.keys, keys.duplicates_dropped, keys.min_len), (3, 3, 0));
    let Outcome { stdout, stderr, .. } = outcome;
    assert!(stdout.contains("3 duplicates dropped"), "{stdout}");
    let note = "keys.txt: 1 carriage return before a line feed belongs to no key";
    assert!(stderr.contains(note), "{stderr}");
}

#[test]
fn few_keys_odd_keys_and_long_keys() {
    let long = [vec![b'x'; 300_000], b"\ny\n".to_vec()].concat();
    let cases: [(&[u8], u64); 7] = [
        (b"\n", 1),
        (b"one", 1),
        (b"one\ntwo", 2),
        (b"one\ntwo\nthree", 3),
        (b"\x01\n\xff\xfe\n\xc3(\n", 3),
        (b"'; --\n<script>\n\"a\",b\n", 3),
        (&long, 2),
    ];
    let (records, page) = measured(&cases.map(|(bytes, _)| bytes));
    assert!(page.contains(">too few keys</text>"));
    let (shown, _) = page.split_once("<script>").unwrap();
    for line in shown.lines().filter(|line| !line.contains("base64")) {
        assert!(!line.contains("NaN") && !line.contains("inf "), "{line}");
    }
    let datasets = &records.run.datasets[1..];
    assert_eq!(datasets.len(), cases.len());
    for (dataset, (_, keys)) in datasets.iter().zip(cases) {
        assert_eq!(dataset.keys, keys);
        let rows = records.timing.iter().filter(|row| row.dataset == dataset.name);
        for row in rows.filter(|row| row.place == Place::Sequence) {
            assert_eq!((row.keys, row.bytes), (keys, dataset.bytes));
            assert!(row.median_ns_per_key > 0.0 && row.samples >= 3);
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
fn one_form_holds_for_all_sources_and_is_recorded() {
    let bench = Workbench::new();
    // printf 'name,id\na,1\nb,2\nc,2\n' | gzip
    let gzip = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xcb\x4b\xcc\x4d\xd5\xc9\x4c\xe1\x4a\xd4\x31\xe4\x4a\xd2\x31\xe2\x4a\x06\x62\x00\x47\x54\xcd\x9c\x14\x00\x00\x00";
    bench.write("users.csv.gz", gzip);
    bench.write("more.tsv", "id\tname\n-7\tx\n");
    let mut command = bench.command(
        "compare --quick --keys users.csv.gz --keys - --column id --type long --function CRC-32 --out out",
    );
    let stdin = File::open(bench.path("more.tsv")).unwrap();
    let outcome = Outcome::of(command.stdin(stdin).output().unwrap());
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let word = "users.csv.gz: compressed by gzip, read as its contents";
    assert!(outcome.stderr.contains(word), "{}", outcome.stderr);
    assert_eq!(bench.run("render out").code, 0);
    let run = Records::read(&bench.path("out")).unwrap().run;
    let form = KeyForm {
        kind: Some(KeyKind::Long),
        column: Some("id".to_owned()),
        ..KeyForm::default()
    };
    assert_eq!(run.request.key_form, form);
    let sets = run
        .datasets
        .iter()
        .map(|set| (set.name.as_str(), set.source.as_str(), set.keys, set.bytes));
    let expected = [
        ("users", "users.csv.gz", 2, 16),
        ("stdin", "standard input", 1, 8),
    ];
    assert!(sets.eq(expected), "{:?}", run.datasets);

    bench.write("rows.parquet", "PAR1\x15\x04");
    bench.write("mixed", "a\tb,1\nc,2\n");
    bench.write("zero", "a\0b\n");
    bench.write("semicolons", "id;name\n1;x\n");
    bench.refuses(
        "compare --keys {} --out other",
        "users.csv.gz --keys users.txt => users.csv.gz and users.txt would both be the dataset users
        - --keys Stdin.txt => would both be the dataset Stdin
        - --keys - => is given twice
        - => standard input: no keys
        more.tsv --column nosuch => more.tsv: no column is called \"nosuch\"; there are id, name
        more.tsv --column 3 => more.tsv, line 1: must have at least 3 columns, got 2
        semicolons --column id => semicolons: no column is called \"id\" | one column, which --delimiter semicolon would split
        more.tsv --column 0 => --column must be a name or at least 1
        more.tsv --column 2 --null => cannot be used with
        more.tsv --type long => more.tsv, line 1: must be a number
        mixed --column 1 => mixed: its first row has commas and tabs: give --delimiter
        zero => zero, line 1: must be text without zero bytes: --null | --type binary
        rows.parquet => rows.parquet: | Parquet | duckdb",
    );
    bench.refuses(
        "compare {} --out other",
        "--dataset app-accounts --type long => required | --keys <FILE>
        --null => required | --keys <FILE>
        --column id => required | --keys <FILE>
        --delimiter tab => required | --column
        --column id --delimiter tab => required | --keys <FILE>",
    );
}
