//! `query` for several paths, and for databases. Tests of one path are those of `build` and of tables.

use std::fs;

use filter_tables::testing::golden::{bytes as golden, path as golden_path};
use filter_tables::testing::manifests::{FIRST, added, log};
use filter_tables::{MetaindexEntry, RocksDbTable, TRAILER_LEN, block_checksum};

use super::Workbench;

/// Copies a database that an engine wrote, and adds files with its keys and with others.
fn database(name: &str) -> Workbench {
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

fn keys(numbers: std::ops::Range<u32>) -> String {
    numbers.map(|number| format!("key{number:08}\n")).collect()
}

/// Counts the lines with this answer.
fn count(answers: &str, answer: &str) -> usize {
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

/// Returns the answers for keys, each as a word, and standard error.
fn answers(bench: &Workbench, words: &str, keys: &[&str]) -> (Vec<String>, String) {
    let outcome = bench.fed(&format!("query {words}"), keys.join("\n"));
    assert_eq!(outcome.code, 0, "{words}: {}", outcome.stderr);
    (
        outcome.stdout.lines().map(str::to_owned).collect(),
        outcome.stderr,
    )
}

/// Databases that RocksDB reads, and what tables, logs and families that are not there mean.
#[test]
fn databases_of_public_reports() {
    let copied = "it has no logs, like a checkpoint or a restored backup";
    for (name, stored, note) in [
        ("backup", &["key0", "key999"][..], copied),
        ("moved", &["key0", "key999"], ""),
        ("ingested", &["a", "b"], ""),
        ("range_deletions", &[], ""),
        ("dropped_family", &["stay"], ""),
    ] {
        let bench = database(name);
        let (answered, stderr) = answers(&bench, "db", &[stored, &["gone", "absent"]].concat());
        let expected = [vec!["maybe"; stored.len()], vec!["no"; 2]].concat();
        assert_eq!(answered, expected, "{name}: {stderr}");
        assert!(
            stderr.contains(note) && stderr.is_empty() == note.is_empty(),
            "{name}: {stderr}"
        );
    }
    let listed = database("ingested").done("inspect db");
    // Only the manifest states the family of an ingested table.
    assert!(
        listed.contains("db/000010.sst (default)") && listed.contains("no damage"),
        "{listed}"
    );
    let listed = database("range_deletions").done("inspect db");
    assert!(
        listed.starts_with("empty: no data blocks\n  db/000009.sst (default)\n\n1 table"),
        "{listed}"
    );
}

#[test]
fn column_families() {
    let bench = database("two_families");
    let keys = ["user1", "event1", "absent"];
    let (answered, stderr) = answers(&bench, "db", &keys);
    assert_eq!(answered, ["maybe", "no table", "no table"]);
    let text = "have no filters or are not read: log; --family answers of one of default, log alone";
    assert!(stderr.contains(text), "{stderr}");
    for path in ["db", "db/000011.sst"] {
        let (answered, stderr) = answers(&bench, &format!("{path} --family default"), &keys);
        assert_eq!(
            (answered, &*stderr),
            (["maybe", "no", "no"].map(str::to_owned).to_vec(), "")
        );
    }
    assert_eq!(answers(&bench, "db --family log", &keys).0, ["no table"; 3]);
    let listed = bench.done("inspect db");
    for text in ["db/000011.sst (default)", "no filters\n  db/000012.sst (log)\n"] {
        assert!(listed.contains(text), "{listed}");
    }
    // The family of RocksDB's own statistics, and its table, do not count.
    let hidden = b"\xc8\x01\x02\xc9\x01\x1b___rocksdb_stats_history___\x07\x00\x63\x10\x00\x00";
    let manifest = golden("databases/two_families/MANIFEST-000005");
    bench.write("db/MANIFEST-000005", [manifest, log(&[hidden.to_vec()])].concat());
    assert_eq!(answers(&bench, "db --family default", &keys).1, "");
    assert!(!answers(&bench, "db", &keys).1.contains("000099"));
    bench.write("none.sst", golden("rocksdb/sst/fv5_bloom10_crc32c.sst"));
    bench.write("t.ldb", golden("leveldb/ldb/db_bpk10_nosnappy_bs4096.ldb"));
    bench.write("keys", "a");
    bench.done("build --keys keys --rate 1% --out a.filter");
    bench.refuses(
        "query db --family user => db: the column family must be one of default, log, got user
        query db --family ___rocksdb_stats_history___ => must be one of default, log, got ___rocksdb_stats_history___
        query db/000011.sst --family log => the column family must be default as in the table, got log
        query none.sst --family default => the table states no column family: leave --family out
        query t.ldb --family default => LevelDB has no column families: leave --family out
        query a.filter --family default => --family needs a database or a table of RocksDB",
    );
    database("leveldb")
        .refuses("query db --family default => LevelDB has no column families: leave --family out");
}

/// A table that the manifest does not list is obsolete if the manifest is whole, has given out its number, and its oldest
/// log is there.
#[test]
fn unlisted_tables_are_obsolete_only_if_that_is_certain() {
    let manifest = golden("databases/dropped_family/MANIFEST-000005");
    for (change, is_certain) in [
        (("000012.sst", "000001.sst"), true),
        (("000012.sst", "000013.sst"), false),
        (("000010.log", "000010.gone"), false),
        (("000010.log", "000011.log"), false),
        (("CURRENT", "CURRENT"), false),
    ] {
        let bench = database("dropped_family");
        let (from, to) = change;
        fs::rename(bench.path(&format!("db/{from}")), bench.path(&format!("db/{to}"))).unwrap();
        if from == "CURRENT" {
            bench.write("db/MANIFEST-000005", &manifest[..manifest.len() - 1]);
        }
        let expected = if is_certain { "no" } else { "no table" };
        let (answered, stderr) = answers(&bench, "db", &["stay", "absent"]);
        assert_eq!(answered, ["maybe", expected], "{change:?}: {stderr}");
    }
    // RocksDB that has recovered logs names the number after theirs, and makes its log just before its manifest.
    let recovered = [manifest, log(&[vec![10, 7]])].concat();
    for (number, expected) in [(9, "no table"), (11, "no"), (12, "no table")] {
        let bench = database("dropped_family");
        bench.write("db/CURRENT", format!("MANIFEST-{number:06}\n"));
        bench.write(&format!("db/MANIFEST-{number:06}"), &recovered);
        assert_eq!(
            answers(&bench, "db", &["stay", "absent"]).0,
            ["maybe", expected],
            "{number}"
        );
    }
}

/// Only a folder that was never opened, and shows no place of logs, is complete without a log.
#[test]
fn databases_without_logs_are_complete_only_if_that_is_certain() {
    let tracked = log(&[b"\x87\x40\x05\x08\x02\xc8\x1a\x01".to_vec()]);
    let ended = log(&[b"\x88\x40\x01\x09".to_vec()]);
    let manifest = golden("databases/backup/MANIFEST-000005");
    let tracked = [manifest, tracked].concat();
    let wal_dir = b"[DBOptions]\n  wal_dir=/another\n".to_vec();
    let cases = [
        ("IDENTITY", Vec::new(), true),
        ("LOG", Vec::new(), false),
        ("LOCK", Vec::new(), false),
        ("000001.log", Vec::new(), false),
        ("000001.sst", Vec::new(), false),
        ("OPTIONS-000005", wal_dir, false),
        ("MANIFEST-000005", tracked.clone(), false),
        ("MANIFEST-000005", [tracked, ended].concat(), true),
    ];
    for (file, bytes, is_complete) in cases {
        let bench = database("backup");
        bench.write(&format!("db/{file}"), bytes);
        let expected = if is_complete { "no" } else { "no table" };
        let (answered, stderr) = answers(&bench, "db", &["key0", "absent"]);
        assert_eq!(answered, ["maybe", expected], "{file}: {stderr}");
    }
    let bench = database("backup");
    fs::remove_file(bench.path("db/OPTIONS-000007")).unwrap();
    assert_eq!(answers(&bench, "db", &["absent"]).0, ["no table"]);
}

/// RocksDB's own options put tables into folders that no file names.
#[test]
fn tables_in_other_folders() {
    let bench = database("leveldb");
    let absent = bench.done("query db --keys absent");
    bench.write("more/000008.ldb", golden("databases/leveldb/000008.ldb"));
    bench.write("wrong/000008.sst", golden("databases/leveldb/CURRENT"));
    fs::remove_file(bench.path("db/000008.ldb")).unwrap();
    let words = "query db --tables more --keys";
    assert_eq!(bench.done(&format!("{words} stored")), "maybe\n".repeat(90));
    assert_eq!(bench.done(&format!("{words} absent")), absent);
    for (folders, reason) in [
        (
            "wrong",
            "wrong/000008.sst: must have 617 bytes, as in the manifest",
        ),
        ("more wrong", "wrong/000008.sst: must have"),
        (".", "000008.ldb or 000008.sst: is not there"),
    ] {
        let outcome = bench.run(&format!("query db --keys stored --tables {folders}"));
        assert!(
            outcome.stderr.contains(reason) && count(&outcome.stdout, "no") == 0,
            "{}",
            outcome.stderr
        );
    }
    bench.write("more/000099.ldb", "");
    let outcome = bench.run(&format!("{words} absent"));
    assert!(
        outcome
            .stderr
            .contains("000099.ldb: the manifest does not list this table")
    );
    bench.refuses(
        "query db db --tables more => db: --tables needs one path, the folder of a database
        query more/000008.ldb --tables more => more/000008.ldb: --tables needs one path
        query db --tables missing => missing: No such file",
    );
}

/// Returns a table of RocksDB with another text of the same length in its properties.
fn with_property(file: &str, from: &str, to: &str) -> Vec<u8> {
    let mut bytes = golden(file);
    let table = RocksDbTable::open(bytes.clone()).unwrap();
    let entry = table
        .metaindex()
        .iter()
        .find(|entry| entry.key() == b"rocksdb.properties");
    let handle = entry.and_then(MetaindexEntry::handle).unwrap();
    let [start, len] = [handle.offset, handle.size].map(|number| usize::try_from(number).unwrap());
    let block = &mut bytes[start..start + len + TRAILER_LEN];
    let at = block
        .windows(from.len())
        .position(|window| window == from.as_bytes());
    block[at.unwrap()..][..from.len()].copy_from_slice(to.as_bytes());
    let checksum = block_checksum(&block[..len], 0);
    block[len + 1..].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

/// Filters of prefixes answer if the extractor is known, and all tables have the same.
#[test]
fn filters_of_prefixes_deny_no_stored_key() {
    const FILE: &str = "rocksdb/sst/fv5_bloom10_prefix9_only.sst";
    let bench = Workbench::new();
    bench.write("db/CURRENT", "MANIFEST-000002\n");
    bench.write("db/000003.log", "");
    bench.write("db/000005.sst", golden(FILE));
    bench.write("db/MANIFEST-000002", log(&[FIRST.to_vec(), added(5)]));
    bench.write("stored", keys(0..2_000));
    bench.write("absent", keys(10_000..11_000));
    let run = |words: &str| {
        let outcome = bench.run(words);
        assert_eq!(outcome.code, 0, "{}", outcome.stderr);
        (outcome.stdout, outcome.stderr)
    };
    for path in ["db", "db/000005.sst"] {
        let (stored, stderr) = run(&format!("query {path} --keys stored"));
        assert_eq!(stored, "maybe\n".repeat(2_000));
        assert!(
            stderr.contains("filters have prefixes only (rocksdb.FixedPrefix.9)"),
            "{stderr}"
        );
        let absent = run(&format!("query {path} --keys absent")).0;
        assert!(count(&absent, "no") > 970, "{path}");
        // A key that is too short is in no filter.
        assert_eq!(
            bench.fed(&format!("query {path}"), "key\nabsent...").stdout,
            "maybe\nno\n"
        );
    }
    let other = with_property(FILE, "rocksdb.FixedPrefix.9", "rocksdb.FixedPrefix.8");
    bench.write("db/000007.sst", other);
    bench.write("db/MANIFEST-000002", log(&[FIRST.to_vec(), added(5), added(7)]));
    let (answered, stderr) = run("query db --keys stored");
    assert_eq!(answered, "no table\n".repeat(2_000));
    let text = "of several extractors: rocksdb.FixedPrefix.8, rocksdb.FixedPrefix.9";
    assert!(stderr.contains(text), "{stderr}");
    bench.write(
        "own.sst",
        with_property(FILE, "rocksdb.FixedPrefix.9", "rocksdb.OwnsPrefix..9"),
    );
    bench.refuses(
        "query own.sst => own.sst: table must have filters | over whole keys, got filters of prefixes only",
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
    bench.done("build --keys odd --rate 0.001% --out odd.filter");
    bench.done("build --keys even --rate 0.001% --shards 2 --out even.set");
    bench.done("build --keys numbers --rate 0.001% --type long --out long.filter");
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
