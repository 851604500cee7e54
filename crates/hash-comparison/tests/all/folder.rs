//! A run leaves no partial output and touches no foreign files. The command-line tests cover the rest.
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use hash_comparison::questions::Records;
use hash_comparison::questions::files::KIND;
use hash_comparison::run::compare::{self, Options};
use records::error::ErrorKind;
use records::folder::Destination;
use records::progress::Silent;

/// The records of a small run, without charts and report.
static RECORDS: LazyLock<Records> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let keys = folder.path().join("keys.txt");
    fs::write(&keys, "one\ntwo\nthree\n").unwrap();
    let options = Options::new(&[], &["xxh3".to_owned()], vec![keys], 1, true).unwrap();
    let mut records = compare::run(&options, &Silent).unwrap();
    records.run.files = records
        .files()
        .map(|file| file.name)
        .chain(["run.json"])
        .map(str::to_owned)
        .collect();
    records
});

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn files_that_are_not_listed_or_not_written_are_a_mistake() {
    let bench = tempfile::tempdir().unwrap();
    let out = bench.path().join("out");
    for (missing, stray) in [(Some("timing.csv"), None), (None, Some("stray.txt"))] {
        let staging = Destination::check(&out, &KIND).unwrap().stage().unwrap();
        RECORDS.write(staging.path()).unwrap();
        if let Some(name) = missing {
            fs::remove_file(staging.path().join(name)).unwrap();
        }
        if let Some(name) = stray {
            fs::write(staging.path().join(name), "").unwrap();
        }
        let error = staging.commit(&RECORDS.run.files).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Internal, "{error}");
        let odd = missing.or(stray).unwrap();
        assert_eq!(
            error.reason(),
            format!("written files and listed files differ: {odd}")
        );
        assert!(names(bench.path()).is_empty());
    }
}

#[test]
fn somebody_who_was_faster_wins() {
    let bench = tempfile::tempdir().unwrap();
    let out = bench.path().join("out");
    fs::create_dir(&out).unwrap();
    let staging = Destination::check(&out, &KIND).unwrap().stage().unwrap();
    RECORDS.write(staging.path()).unwrap();
    fs::write(out.join("timing.csv"), "somebody's\n").unwrap();
    let error = staging.commit(&RECORDS.run.files).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Input, "{error}");
    assert_eq!(names(bench.path()), ["out"]);
    assert_eq!(names(&out), ["timing.csv"]);
}
