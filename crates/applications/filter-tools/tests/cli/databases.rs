//! `query` and `inspect` for what the folder of a database shows: logs and tables that are not there, column families,
//! prefixes.

use std::fs;

use crate::stored::golden::bytes as golden;
use crate::stored::manifests::{FIRST, added, log};
use filter_tables::{MetaindexEntry, RocksDbTable, TRAILER_LEN, block_checksum};

use super::Workbench;
use super::query::{count, database, keys};

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
    // A copy of the manifest from between the edit that gives out the number of the ingested table and the one that adds
    // it.
    let bench = database("ingested");
    let manifest = bench.path("db/MANIFEST-000005");
    let bytes = fs::read(&manifest).unwrap();
    fs::write(&manifest, &bytes[..173]).unwrap();
    let (answered, stderr) = answers(&bench, "db", &["a", "b", "absent"]);
    assert_eq!(answered, ["maybe", "no table", "no table"], "{stderr}");
    assert!(
        stderr.contains("000010.sst: the manifest does not list this table"),
        "{stderr}"
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
    // A table under another number than its own was imported.
    for (from, to) in [
        ("000012.sst", "000001.sst"),
        ("000012.sst", "000013.sst"),
        ("000010.log", "000010.gone"),
        ("000010.log", "000011.log"),
        ("CURRENT", "CURRENT"),
    ] {
        let bench = database("dropped_family");
        fs::rename(bench.path(&format!("db/{from}")), bench.path(&format!("db/{to}"))).unwrap();
        if from == "CURRENT" {
            bench.write("db/MANIFEST-000005", &manifest[..manifest.len() - 1]);
        }
        let (answered, stderr) = answers(&bench, "db", &["stay", "absent"]);
        assert_eq!(answered, ["maybe", "no table"], "{from} {to}: {stderr}");
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
