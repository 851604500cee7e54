//! Tests the laws that hold for every format, and for every file.

use std::fs;
use std::process::Command;

use filter_sets::StoredFormat;

use super::{Outcome, Workbench};

/// Filters of no, one and two keys, of the lowest and the usual size, with and without a header: the tests of
/// `filter-sets` try more keys and sizes.
#[test]
fn what_build_writes_of_few_keys_is_queried_and_inspected() {
    let bench = Workbench::new();
    for format in StoredFormat::all() {
        let short = format.short_names()[0];
        let mut paths = Vec::new();
        for (keys, rate) in [(0, "50%"), (1, "50%"), (2, "50%"), (1, "1%")] {
            for header in ["", "--raw"] {
                let path = format!("{short}-{}", paths.len());
                let built = format!("build --format {short} --rate {rate} --out {path} {header}");
                let built = bench.fed(&built, ["", "a\n", "a\nb\n"][keys]);
                assert_eq!((built.code, &*built.stderr), (0, ""), "{path}");
                paths.push((path, keys));
            }
        }
        let all: Vec<_> = paths.iter().map(|(path, _)| &**path).collect();
        let all = format!("{} --format {short}", all.join(" "));
        let answers = bench.fed(&format!("query {all} --type line"), "a\nb\n");
        assert_eq!(answers.code, 0, "{all}: {}", answers.stderr);
        for (number, key) in ["a", "b"].into_iter().enumerate() {
            for (path, _) in paths.iter().filter(|&&(_, keys)| keys > number) {
                let answer = format!("{path}\tmaybe");
                let found = answers.stdout.lines().filter(|line| *line == answer).count();
                assert!(found > number, "{path} denies {key}");
            }
        }
        let inspected = bench.json(&format!("inspect {all} --json"));
        assert_eq!(inspected.as_array().unwrap().len(), paths.len(), "{all}");
    }
}

/// A filter without a set bit denies no key if its header states keys.
#[test]
fn empty_filters_of_keys_deny_none() {
    let bench = Workbench::new();
    for format in StoredFormat::all() {
        let name = format.short_names()[0];
        bench.done(&format!("build --rate 1% --format {name} --out {name}"));
        let query = format!("query {name}");
        assert_eq!(bench.fed(&query, "a\nb\n").stdout, "no\nno\n", "{name}");
        // The number of keys, and the checksum of the header.
        let mut file = fs::read(bench.path(name)).unwrap();
        file[16] = 50;
        let sum = hashzoo::xxh3_64(&file[..248], 0);
        file[248..256].copy_from_slice(&sum.to_le_bytes());
        bench.write(name, file);
        let note = "the filter is empty, but its header states 50 keys: any key may match";
        let Outcome { code, stdout, stderr } = bench.fed(&query, "a\nb\n");
        assert_eq!((code, &*stdout), (0, "maybe\nmaybe\n"), "{name}");
        assert_eq!(stderr, format!("{name}: {note}\n"));
        let shown = bench.done(&format!("inspect {name}"));
        assert!(shown.ends_with(&format!("\n{name}: {note}\n")), "{shown}");
        assert_eq!(bench.json(&format!("inspect {name} --json"))[0]["note"], note);
    }
}

/// The inputs of the fuzz target, among them all that ever reached new code.
#[test]
fn every_committed_input_is_survived() {
    let bench = Workbench::new();
    let archive = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/corpus/inspect.tar.gz");
    fs::create_dir_all(bench.path("tables")).unwrap();
    let mut tar = Command::new("tar");
    tar.args(["--no-overwrite-dir", "-xzf", archive, "-C"])
        .arg(bench.path("tables"));
    assert!(tar.status().unwrap().success());
    let (mut counts, mut tables) = ([0; 2], String::new());
    for (path, bytes) in bench.snapshot().into_iter().filter(|(path, _)| path.is_file()) {
        let is_parquet = bytes.starts_with(b"PAR1") || bytes.ends_with(b"PAR1");
        counts[usize::from(is_parquet)] += 1;
        let renamed = path.with_extension(if is_parquet { "parquet" } else { "sst" });
        fs::rename(path, &renamed).unwrap();
        let name = renamed.strip_prefix(&bench.folder).unwrap().display();
        if is_parquet {
            let command = format!("inspect --json {name} --column id --key 7");
            assert!(bench.run(&command).code <= 2);
        } else {
            tables += &format!(" {name}");
        }
    }
    assert!(counts.iter().all(|count| *count > 100), "{counts:?}");
    let inspected = bench.run(&format!("inspect{tables}"));
    assert!(inspected.code == 1 && inspected.stdout.contains(" of RocksDB's"));
}
