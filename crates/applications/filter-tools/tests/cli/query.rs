//! `query` for several paths, and for databases. Tests of one path are those of `build` and of tables.

use std::fs;

use crate::stored::golden::{bytes as golden, path as golden_path};
use crate::stored::manifests::{FIRST, added, log};
use filter_sets::StoredFormat;

use super::{Outcome, Workbench};

/// Copies a database that an engine wrote, and adds files with its keys and with others.
pub(super) fn database(name: &str) -> Workbench {
    let bench = Workbench::new();
    for entry in fs::read_dir(golden_path(&format!("databases/{name}"))).unwrap() {
        let path = entry.unwrap().path();
        let file = path.file_name().unwrap().to_str().unwrap();
        bench.write(&format!("db/{file}"), fs::read(&path).unwrap());
    }
    bench.write("stored", keys(0..90));
    bench.write("absent", keys(1_000..1_100));
    bench
}

pub(super) fn keys(numbers: std::ops::Range<u32>) -> String {
    numbers.map(|number| format!("key{number:08}\n")).collect()
}

/// Counts the lines with this answer.
pub(super) fn count(answers: &str, answer: &str) -> usize {
    answers.lines().filter(|line| *line == answer).count()
}

/// The tables of RocksDB's are those of two column families.
#[test]
fn databases_of_the_engines() {
    for name in ["leveldb", "rocksdb"] {
        let bench = database(name);
        assert_eq!(
            bench.done("query db --keys stored"),
            "maybe\n".repeat(90),
            "{name}"
        );
        let absent = bench.done("query db --keys absent");
        assert!(count(&absent, "no") > 80, "{name}: {absent}");
        assert_eq!(count(&absent, "no") + count(&absent, "maybe"), 100);
        // Logs whose keys are in tables, and what is no log.
        bench.write("db/000001.log", "keys");
        bench.write("db/000009x.log", "keys");
        assert_eq!(bench.done("query db --keys absent"), absent, "{name}");
    }
}

/// An absent key is not denied if it may be in a place that was not read, and a stored key never is.
#[test]
fn keys_that_may_be_stored_elsewhere_have_no_table() {
    let engines = |file: &str| golden(&format!("databases/leveldb/{file}"));
    let (manifest, mut damaged) = (engines("MANIFEST-000010"), engines("000008.ldb"));
    let cut = manifest[..manifest.len() - 1].to_vec();
    let more = log(&[(20..33).flat_map(added).collect::<Vec<u8>>()]);
    let more = [manifest, more].concat();
    // Before the offsets of the filters.
    let filters = damaged.windows(5).position(|bytes| bytes == [39, 0, 0, 0, 11]);
    damaged[filters.unwrap() - 5] ^= 1;
    let other = golden("leveldb/ldb/db_nofilter_bs4096.ldb");
    // Each case has the reported reason, the exit code, the number of keys in tables that are read, and the changed file
    // with its bytes, or none if it is removed.
    let table = |reason, code, bytes| (reason, code, 60, "000008.ldb", bytes);
    let of_manifest = |reason, held, bytes| (reason, 0, held, "MANIFEST-000010", Some(bytes));
    let cases = [
        ("000012.log is not empty", 0, 90, "000012.log", Some(vec![b'x'])),
        ("000099.log is not empty", 0, 90, "000099.log", Some(vec![b'x'])),
        ("the log that its manifest", 0, 90, "000012.log", None),
        ("000008.sst: not a file", 0, 90, "000008.sst/x", Some(Vec::new())),
        table("000008.ldb or 000008.sst: is not there", 0, None),
        table("000008.ldb: table must have filters", 0, Some(other)),
        table("000008.ldb: last 8 bytes", 0, Some(vec![0; 99])),
        table("000008.ldb: checksum of the filter block", 1, Some(damaged)),
        table("000008.ldb: table must be at least", 1, Some(vec![0; 10])),
        of_manifest("MANIFEST-000010: manifest must end", 60, cut),
        of_manifest("MANIFEST-000010: manifest must name", 0, Vec::new()),
        of_manifest("000029.ldb or 000029.sst: is not there", 90, more),
    ];
    for (reason, code, held, file, bytes) in cases {
        let bench = database("leveldb");
        match bytes {
            Some(bytes) => bench.write(&format!("db/{file}"), bytes),
            None => fs::remove_file(bench.path(&format!("db/{file}"))).unwrap(),
        }
        for (source, least, most) in [("stored", held, held + 3), ("absent", 0, 20)] {
            let outcome = bench.run(&format!("query db --keys {source}"));
            assert_eq!(outcome.code, code, "{reason}: {}", outcome.stderr);
            for text in [&format!("db: {reason}"), "\"no table\" means"] {
                assert!(outcome.stderr.contains(text), "{reason}: {}", outcome.stderr);
            }
            assert!(outcome.stderr.lines().count() <= 12, "{}", outcome.stderr);
            let [maybe, none] = ["maybe", "no table"].map(|answer| count(&outcome.stdout, answer));
            assert!((least..=most).contains(&maybe), "{reason}: {maybe}");
            assert_eq!(maybe + none, outcome.stdout.lines().count(), "{reason}");
        }
    }
}

/// A manifest that ends between records is whole, so tables that it does not list show what it lacks.
#[test]
fn tables_that_the_manifest_lacks_deny_no_stored_key() {
    let manifest = golden("databases/rocksdb/MANIFEST-000005");
    // Each record has its length in bytes 4 and 5 of its header.
    let mut ends = vec![0];
    while let Some(header) = manifest.get(ends[ends.len() - 1]..).filter(|rest| rest.len() > 7) {
        let len = usize::from(u16::from_le_bytes([header[4], header[5]]));
        ends.push(ends[ends.len() - 1] + 7 + len);
    }
    assert_eq!(ends.pop(), Some(manifest.len()));
    let lacking = ends.iter().filter(|end| {
        let bench = database("rocksdb");
        bench.write("db/MANIFEST-000005", &manifest[..**end]);
        let outcome = bench.run("query db --keys stored");
        let [no, none] = ["no", "no table"].map(|answer| count(&outcome.stdout, answer));
        assert_eq!((outcome.code, no), (0, 0), "{end}: {}", outcome.stderr);
        let text = "000022.sst: the manifest does not list this table";
        none > 0 && outcome.stderr.contains(text)
    });
    assert!(lacking.count() >= 7);
}

#[test]
fn logs_with_prepared_transactions_deny_no_stored_key() {
    let bench = database("rocksdb");
    bench.write("db/000009.log", "x");
    let absent = bench.done("query db --keys absent");
    let oldest = |number: u8| log(&[vec![10, number]]);
    for (number, is_kept) in [(10, false), (9, true)] {
        bench.write(
            "db/MANIFEST-000005",
            [golden("databases/rocksdb/MANIFEST-000005"), oldest(number)].concat(),
        );
        let outcome = bench.run("query db --keys absent");
        let expected = if is_kept {
            absent.replace("no\n", "no table\n")
        } else {
            absent.clone()
        };
        assert_eq!(outcome.stdout, expected, "{number}: {}", outcome.stderr);
        assert_eq!(
            outcome.stderr.contains("000009.log is not empty"),
            is_kept,
            "{}",
            outcome.stderr
        );
    }
}

/// RocksDB's options may name the folder of the logs, as it was on another machine or with special characters. Logs there
/// count like those beside the tables, and either folder has one that the manifest needs.
#[test]
fn logs_in_another_folder_deny_no_stored_key() {
    let bench = database("rocksdb");
    let absent = bench.done("query db --keys absent");
    let answered = |options: &str| {
        bench.write("db/OPTIONS-000024", format!("[DBOptions]\n  {options}\n"));
        let outcome = bench.run("query db --keys absent");
        let is_known = outcome.stdout == absent;
        assert!(
            is_known || outcome.stdout == absent.replace("no\n", "no table\n"),
            "{options}"
        );
        (is_known, outcome.stderr)
    };
    let own = format!("wal_dir={}/.", bench.path("db").display());
    for options in ["", "wal_dir=", "wal_dir=/another", &own] {
        assert_eq!(answered(options), (true, String::new()), "{options}");
    }
    let (is_known, reason) = answered("wal_dir=another");
    assert!(
        !is_known && reason.contains("OPTIONS-000024: its logs are in the folder \"another\"\n"),
        "{reason}"
    );
    let folder = "logs #1: \\";
    fs::create_dir(bench.path(folder)).unwrap();
    let escaped = folder
        .replace('\\', "\\\\")
        .replace('#', "\\#")
        .replace(':', "\\:");
    let named = format!("wal_dir={}/{escaped} # a comment", bench.path("").display());
    let (is_known, reason) = answered(&named);
    assert!(
        !is_known && reason.contains("the log that its manifest names is not there"),
        "{reason}"
    );
    bench.write(&format!("{folder}/000021.log"), "");
    assert_eq!(answered(&named), (true, String::new()));
    bench.write(&format!("{folder}/000021.log"), "x");
    let (is_known, reason) = answered(&named);
    assert!(
        !is_known && reason.contains("/000021.log is not empty"),
        "{reason}"
    );
    fs::remove_file(bench.path("db/000021.log")).unwrap();
    let (is_known, reason) = answered("wal_dir=/another");
    assert!(
        !is_known && reason.contains("the folder \"/another\", which is not there"),
        "{reason}"
    );
}

/// The manifest names the comparator: where it is another than that of bytes, the data shows the order, or each filter
/// is queried.
#[test]
fn databases_in_other_orders_deny_no_stored_key() {
    let bench = Workbench::new();
    bench.write("db/CURRENT", "MANIFEST-000002\n");
    bench.write("db/000003.log", "");
    bench.write("db/000005.ldb", golden("reports/leveldb_reverse.ldb"));
    let stored: String = (0..3_000).map(|i| format!("key-{i}\n")).collect();
    bench.write("stored", &stored);
    let denied = [b"\x01\x07reverse".to_vec(), Vec::new()].map(|comparator| {
        let edits = [FIRST.to_vec(), comparator, added(5)];
        bench.write("db/MANIFEST-000002", log(&edits));
        count(&bench.done("query db --keys stored"), "no")
    });
    // A manifest that states another comparator than the database had denies keys.
    assert!(denied[0] == 0 && denied[1] > 0, "{denied:?}");
}

#[test]
fn databases_that_are_not_read() {
    let bench = database("leveldb");
    for (name, current) in [("path", "../MANIFEST-000010\n"), ("missing", "MANIFEST-000011\n")] {
        bench.write(&format!("{name}/CURRENT"), current);
    }
    bench.write("long/CURRENT", "MANIFEST-".to_owned() + &"0".repeat(99));
    fs::create_dir_all(bench.path("folder/CURRENT")).unwrap();
    bench.refuses(
        "query missing => missing/MANIFEST-000011: No such file
        query long => long/CURRENT: must be at most 64 bytes
        query folder => folder/CURRENT: not a file
        query db --format leveldb => db: the tables of a database state their format: leave --format out",
    );
    let mut manifest = fs::read(bench.path("db/MANIFEST-000010")).unwrap();
    manifest[9] ^= 1;
    bench.write("db/MANIFEST-000010", manifest);
    bench.refuses_fed(
        1,
        "",
        "query path => path/CURRENT: contents must be a line with `MANIFEST-` and a number
        query db => db/MANIFEST-000010: record fragment must match its checksum",
    );
}

#[test]
fn several_paths_answer_for_each_key() {
    let bench = database("leveldb");
    bench.write("odd", "key00000001\nkey00000003\n");
    bench.write("even", "key00000000\nkey00000002\n");
    bench.write("numbers", "7\n");
    bench.done("build --keys odd --rate 0.001% --capacity 100 --out odd.filter");
    bench.done("build --keys even --rate 0.001% --capacity 100 --shards 2 --out even.set");
    bench.done("build --keys numbers --rate 0.001% --capacity 100 --type long --out long.filter");
    bench.write("t.ldb", golden("leveldb/ldb/tablebuilder_one_bpk10.ldb"));
    // For each key all paths in their order, also if they are given twice.
    let answered = bench.fed(
        "query odd.filter even.set t.ldb db odd.filter",
        "key00000002\nonly\nkey00000003",
    );
    let expected = "odd.filter no|even.set maybe|t.ldb no|db maybe|odd.filter no|\
                    odd.filter no|even.set no|t.ldb maybe|db no|odd.filter no|\
                    odd.filter maybe|even.set no|t.ldb no|db maybe|odd.filter maybe|";
    let expected = expected.replace(' ', "\t").replace('|', "\n");
    assert_eq!(
        (answered.code, answered.stdout, answered.stderr),
        (0, expected, String::new())
    );
    // With the kind that the first path states, or that is given for all.
    let queried = bench.fed("query t.ldb long.filter --type long", "7");
    assert_eq!(queried.stdout, "t.ldb\tno\nlong.filter\tmaybe\n");
    bench.refuses(
        "query odd.filter even.set long.filter => error: long.filter: the type of its keys must be \"line\" as in odd.filter, got \"long\"
        query long.filter db => error: db: the type of its keys must be \"long\" as in long.filter, got \"line\"
        query odd.filter long.filter --type line => long.filter: the type must be \"long\" as in the file, got \"line\"
        query odd.filter missing => missing: No such file",
    );
}

/// A name cannot forge an answer of another file.
#[cfg(unix)]
#[test]
fn names_with_control_characters_are_escaped() {
    let bench = Workbench::new();
    bench.write("a\tno\nb\u{1b}[31m", "");
    bench.write("keys", "a\n");
    bench.done("build --keys keys --rate 1% --replace --out 'a\tno\nb\u{1b}[31m'");
    fs::copy(bench.path("a\tno\nb\u{1b}[31m"), bench.path("plain")).unwrap();
    let answered = bench.done("query 'a\tno\nb\u{1b}[31m' plain --keys keys");
    assert_eq!(answered, "a\\u{9}no\\u{a}b\\u{1b}[31m\tmaybe\nplain\tmaybe\n");
}

/// A filter without a set bit denies no key if its header states keys, in any format, and neither does such a shard.
#[test]
fn empty_filters_of_keys_deny_none() {
    let bench = Workbench::new();
    bench.write("none", "");
    bench.write("keys", keys(0..50));
    for format in StoredFormat::all() {
        let name = format.short_names()[0];
        bench.done(&format!(
            "build --keys none --rate 1% --format {name} --out {name}"
        ));
        let query = format!("query {name} --keys keys");
        assert_eq!(bench.done(&query), "no\n".repeat(50), "{name}");
        // The number of keys, and the checksum of the header.
        let mut file = fs::read(bench.path(name)).unwrap();
        file[16] = 50;
        let sum = hashzoo::xxh3_64(&file[..248], 0);
        file[248..256].copy_from_slice(&sum.to_le_bytes());
        bench.write(name, file);
        let note = "the filter is empty, but its header states 50 keys: any key may match";
        let Outcome { code, stdout, stderr } = bench.run(&query);
        assert_eq!((code, stdout), (0, "maybe\n".repeat(50)), "{name}");
        assert_eq!(stderr, format!("{name}: {note}\n"));
        let shown = bench.done(&format!("inspect {name}"));
        assert!(shown.ends_with(&format!("\n{name}: {note}\n")), "{shown}");
        assert_eq!(bench.json(0, &format!("inspect {name} --json"))[0]["note"], note);
    }
    bench.done("build --keys keys --rate 1% --format leveldb --shards 2 --out set");
    let shard = fs::read_dir(bench.path("set"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.to_str().unwrap().contains("shard-00001"));
    let (shard, mut file) = shard.map(|path| (path.clone(), fs::read(path).unwrap())).unwrap();
    let bits = 256..file.len() - 1;
    file[bits].fill(0);
    fs::write(shard, file).unwrap();
    let Outcome { code, stdout, stderr } = bench.run("query set --keys keys --no-verify");
    assert_eq!((code, stdout), (0, "maybe\n".repeat(50)));
    assert!(
        stderr.starts_with("set/shard-00001-") && stderr.lines().count() == 1,
        "{stderr}"
    );
}
