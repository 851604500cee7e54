//! The tests named in the table of promises exist.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Collects the names of all tests in a folder's files.
fn tests_in(folder: &Path, names: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            tests_in(&path, names);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).expect("a source");
            let mut is_test = false;
            for line in text.lines().map(str::trim) {
                let function = line.strip_prefix("async ").unwrap_or(line).strip_prefix("fn ");
                match function.and_then(|rest| rest.split_once('(')) {
                    Some((name, _)) if is_test => drop(names.insert(name.to_owned())),
                    _ => {}
                }
                is_test = line == "#[test]" || line == "#[tokio::test]";
            }
        }
    }
}

#[test]
fn every_promise_has_its_tests() {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut tests = BTreeSet::new();
    tests_in(&crate_folder.join("src"), &mut tests);
    tests_in(&crate_folder.join("tests"), &mut tests);
    let table = fs::read_to_string(crate_folder.join("tests/README.md")).expect("the table");
    let mut promises = 0;
    for row in table.lines().filter(|line| line.starts_with("| ")).skip(1) {
        let cells: Vec<&str> = row.split(" | ").collect();
        let [promise, named] = &cells[..] else {
            panic!("{row}")
        };
        let named: Vec<&str> = named.split('`').skip(1).step_by(2).collect();
        // A heading names no tests.
        assert_eq!(named.is_empty(), promise.starts_with("| **"), "{row}");
        for name in &named {
            assert!(tests.contains(*name), "{name} is no test, in: {row}");
        }
        promises += usize::from(!named.is_empty());
    }
    assert!(promises > 30, "{promises}");
}
