//! `inspect` on tables that LevelDB wrote, on damaged copies of them, and on what is no table.

use std::fs;
use std::path::PathBuf;

use super::Workbench;

const PLAIN: &str = "leveldb/ldb/db_bpk10_nosnappy_bs4096.ldb";
const FOURTEEN: &str = "leveldb/ldb/tablebuilder_userkeys_bpk14_snappy_bs1024.ldb";
const NO_FILTER: &str = "leveldb/ldb/db_nofilter_bs4096.ldb";
const ARTICLE: &str = "article/article_key08_bpk10.ldb";
const ROCKSDB: &str = "rocksdb/fv5_nofilter.sst";

fn golden(name: &str) -> Vec<u8> {
    let data = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../crates/filter-policy/tests/data");
    fs::read(data.join(name)).unwrap()
}

/// A database folder with a table of each kind, none damaged.
fn database() -> Workbench {
    let bench = Workbench::new();
    bench.write("db/CURRENT", "MANIFEST-000002\n");
    bench.write("db/LOG", "");
    bench.write("db/000005.ldb", golden(PLAIN));
    bench.write("db/000007.ldb", golden(FOURTEEN));
    bench.write("db/000009.ldb", golden(NO_FILTER));
    bench.write("db/000011.ldb", golden(ARTICLE));
    bench.write("db/000013.sst", golden(ROCKSDB));
    bench
}

#[test]
fn a_database() {
    let bench = database();
    let before = bench.snapshot();
    let outcome = bench.run(&["inspect", "db"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
    insta::assert_snapshot!("inspect", outcome.stdout);
    let outcome = bench.run(&["inspect", "--json", "db"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
    insta::assert_snapshot!("inspect --json", outcome.stdout);
    assert!(bench.snapshot() == before, "a file changed");
}

#[test]
fn damage_is_told_and_is_exit_code_1() {
    let bench = database();
    // The filter block starts at 146,511, its offsets 2536 bytes later; the metaindex at 149,341.
    let damaged = |name: &str, change: fn(&mut Vec<u8>)| {
        let mut file = golden(PLAIN);
        change(&mut file);
        bench.write(&format!("damaged/{name}.ldb"), file);
    };
    damaged("bit", |file| file[146_511] ^= 1);
    damaged("probes", |file| file[146_511 + 70] = 31);
    damaged("offset", |file| file[146_511 + 2536 + 4 + 3] = 1);
    damaged("metaindex", |file| file[149_341] ^= 1);
    damaged("magic", |file| *file.last_mut().unwrap() ^= 1);
    damaged("empty", Vec::clear);
    let outcome = bench.run(&["inspect", "damaged", "db/000005.ldb"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (1, ""));
    insta::assert_snapshot!("inspect damage", outcome.stdout);

    let outcome = bench.run(&["inspect", "--json", "damaged/bit.ldb"]);
    assert_eq!(outcome.code, 1);
    let json: serde_json::Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(json["totals"]["damaged_tables"], 1);
    assert_eq!(json["tables"][0]["filter_blocks"][0]["filters"], 71);
    assert!(
        json["tables"][0]["damage"][0]
            .as_str()
            .unwrap()
            .contains("checksum")
    );
}

#[test]
fn wrong_paths_are_exit_code_2() {
    let bench = database();
    bench.write(
        "notes.txt",
        "not a table, though it is longer than the footer of one is",
    );
    bench.write("short.txt", "");
    fs::create_dir(bench.path("folder.ldb")).unwrap();
    fs::create_dir(bench.path("folder")).unwrap();
    for (arguments, named) in [
        (&["missing.ldb"][..], "missing.ldb: No such file"),
        (&["db", "missing.ldb"], "missing.ldb: No such file"),
        (&["notes.txt"], "notes.txt: not a table: the last 8 bytes are"),
        (&["short.txt"], "short.txt: not a table: the file has 0 bytes"),
        (&["db/CURRENT"], "db/CURRENT: not a table"),
        (&["folder"], "folder: not a database folder"),
        (&["folder.ldb"], "folder.ldb: not a database folder"),
        (&["db/000005.ldb/x"], "Not a directory"),
        (&[], "PATH"),
    ] {
        let outcome = bench.run(&[&["inspect"], arguments].concat());
        assert_eq!(
            (outcome.code, outcome.stdout.as_str()),
            (2, ""),
            "{arguments:?}: {}",
            outcome.stderr
        );
        assert!(
            outcome.stderr.contains(named),
            "{arguments:?}: {}",
            outcome.stderr
        );
    }
    #[cfg(unix)]
    {
        let outcome = bench.run(&["inspect", "/dev/null"]);
        assert_eq!(outcome.code, 2, "{}", outcome.stderr);
    }
}

#[test]
fn a_database_without_tables_is_one() {
    let bench = Workbench::new();
    bench.write("db/CURRENT", "MANIFEST-000002\n");
    let outcome = bench.run(&["inspect", "db"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
    assert_eq!(
        outcome.stdout,
        "0 tables, 0 with filters; no damage\n0 filters, 0 of them empty\n"
    );
}

#[test]
fn a_table_needs_no_particular_name() {
    let bench = Workbench::new();
    bench.write("copy of a table", golden(ARTICLE));
    let outcome = bench.run(&["inspect", "copy of a table"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
    assert!(outcome.stdout.starts_with("BloomFilter2\n"), "{}", outcome.stdout);
}

/// Bytes of every length and kind, some of them with a footer that leads somewhere.
#[test]
fn any_bytes_are_survived() {
    let bench = Workbench::new();
    let whole = golden(ARTICLE);
    let mut state = 1_u64;
    for number in 0..120_usize {
        let mut bytes = whole[whole.len() - 2000..].to_vec();
        for _ in 0..number {
            // Knuth's MMIX generator: its upper bits are good enough to choose bytes with.
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let [.., low, high, byte] = state.to_le_bytes();
            let at = usize::from(u16::from_le_bytes([low, high])) % bytes.len();
            bytes[at] = byte;
        }
        bytes.truncate(if number % 3 == 0 { number } else { usize::MAX });
        bench.write(&format!("any/{number:03}.ldb"), bytes);
    }
    // As large as a file can be said to be, without the bytes: a hole and a footer.
    let huge = fs::File::create(bench.path("any/huge.ldb")).unwrap();
    huge.set_len(1 << 40).unwrap();
    let outcome = bench.run(&["inspect", "any"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (1, ""));
    assert!(outcome.stdout.contains("121 tables"), "{}", outcome.stdout);
    assert!(
        outcome
            .stdout
            .contains("any/huge.ldb: the last 8 bytes are 0x0000000000000000"),
        "{}",
        outcome.stdout
    );
}

#[cfg(unix)]
#[test]
fn names_that_are_no_text() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    let bench = Workbench::new();
    let name = OsStr::from_bytes(b"a\xff\x1b[31m\n.ldb");
    fs::write(bench.folder.path().join(name), golden(ARTICLE)).unwrap();
    for arguments in [
        &[OsStr::new("inspect"), name][..],
        &[OsStr::new("inspect"), OsStr::new(".")],
        &[OsStr::new("inspect"), OsStr::new("--json"), name],
    ] {
        let outcome = bench.run(arguments);
        assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
        assert!(
            outcome.stdout.contains("a\u{fffd}\u{fffd}[31m\u{fffd}.ldb"),
            "{}",
            outcome.stdout
        );
    }
    let outcome = bench.run(&[OsStr::new("inspect"), OsStr::from_bytes(b"\xff\x1b.ldb")]);
    assert_eq!(outcome.code, 2);
    assert!(!outcome.stderr.contains('\u{1b}'), "{}", outcome.stderr);
}
