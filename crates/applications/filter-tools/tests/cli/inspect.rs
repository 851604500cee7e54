//! `inspect` on tables that LevelDB wrote, on damaged copies, and on other files.

use std::fs;
use std::process::Command;

use crate::stored::golden::bytes as golden;
use crate::stored::tables::{File, encode, entries, no_entries};
use filter_policy::MATCHES_EVERYTHING;
use filter_tables::{BlockHandle, MAX_BLOCK_BYTES, StoredBlock};

use super::{Outcome, Workbench};

const PLAIN: &str = "leveldb/ldb/db_bpk10_nosnappy_bs4096.ldb";
const FOURTEEN: &str = "leveldb/ldb/tablebuilder_userkeys_bpk14_snappy_bs1024.ldb";
const NO_FILTER: &str = "leveldb/ldb/db_nofilter_bs4096.ldb";
const ARTICLE: &str = "article/article_key08_bpk10.ldb";
const ROCKSDB: &str = "rocksdb/sst/fv5_nofilter.sst";

/// Creates a database folder with a table of each kind, all intact.
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
    // One without tables, and a table without a table's name.
    bench.write("none/CURRENT", "MANIFEST-000002\n");
    let none = "0 tables, 0 with filters; no damage\n0 filters, 0 of them empty\n";
    assert_eq!(bench.done("inspect none"), none);
    bench.write("copy", golden(ARTICLE));
    assert!(bench.done("inspect copy").starts_with("BloomFilter2\n"));
    let before = bench.snapshot();
    insta::assert_snapshot!("inspect", bench.done("inspect db"));
    insta::assert_snapshot!("inspect --json", bench.done("inspect --json db"));
    assert!(bench.snapshot() == before, "a file changed");
}

#[test]
fn damage_is_reported_with_exit_code_1() {
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
    damaged("hidden", |file| file[146_511 + 2536 + 4] = 0);
    damaged("metaindex", |file| file[149_341] ^= 1);
    damaged("index", |file| file[149_396] ^= 1);
    damaged("data", |file| file[5000] ^= 1);
    damaged("magic", |file| *file.last_mut().unwrap() ^= 1);
    damaged("empty", Vec::clear);
    insta::assert_snapshot!("inspect damage", bench.ended(1, "inspect damaged db/000005.ldb"));

    bench.done("inspect --no-data damaged/data.ldb");
    let json = bench.json(1, "inspect --json damaged/bit.ldb");
    assert_eq!(json["totals"]["damaged_tables"], 1);
    let table = &json["tables"][0];
    assert_eq!(table["filter_blocks"][0]["filters"], 71);
    assert!(table["damage"][0].as_str().unwrap().contains("checksum"));
}

/// Builds a table without data blocks, with a filter block of one filter under each of these names.
fn table_of(filters: &[(&str, &[u8])]) -> Vec<u8> {
    let mut file = File::default();
    let mut metaindex: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
    for (policy, filter) in filters {
        let end = u32::try_from(filter.len()).unwrap().to_le_bytes();
        let block = [filter, &[0; 4][..], &end, &[11]].concat();
        let handle = file.block(&block, StoredBlock::UNCOMPRESSED);
        metaindex.push((format!("filter.{policy}").into_bytes(), encode(handle)));
    }
    finish(file, &metaindex)
}

fn finish(mut file: File, metaindex: &[(Vec<u8>, Vec<u8>)]) -> Vec<u8> {
    let metaindex = file.block(&entries(metaindex), StoredBlock::UNCOMPRESSED);
    let index = file.block(&no_entries(), StoredBlock::UNCOMPRESSED);
    file.finish(metaindex, index)
}

#[test]
fn a_filter_block_is_read_once() {
    let bench = Workbench::new();
    let mut file = File::default();
    let handle = file.block(&[0xff, 6, 0, 0, 0, 0, 2, 0, 0, 0, 11], StoredBlock::UNCOMPRESSED);
    let inside = BlockHandle {
        offset: handle.offset + 1,
        size: 1,
    };
    // Thousands of names for one megabyte would be gigabytes.
    let metaindex: Vec<_> = (0..1000)
        .map(|name| {
            let handle = if name % 2 == 0 { handle } else { inside };
            (format!("filter.{name:04}").into_bytes(), encode(handle))
        })
        .collect();
    bench.write("many.ldb", finish(file, &metaindex));
    let json = bench.json(1, "inspect --json many.ldb");
    assert_eq!(json["totals"]["filters"], 1);
    let damage = json["tables"][0]["damage"].as_array().unwrap();
    assert_eq!(damage.len(), 11);
    assert_eq!(
        damage[0],
        "the filter block at offset 1 overlaps the one at offset 0, and is not read"
    );
    assert_eq!(damage[10], "989 more like these");
}

#[test]
fn filters_that_let_every_key_pass_are_no_damage() {
    let bench = Workbench::new();
    bench.write(
        "db/000005.ldb",
        table_of(&[("BloomFilter2", &MATCHES_EVERYTHING), ("Own\x1b", &[0, 31])]),
    );
    bench.write(
        "db/000007.ldb",
        table_of(&[("BloomFilter2.Prefix.Fixed4", &[0xff, 6])]),
    );
    insta::assert_snapshot!("inspect open filters", bench.done("inspect db"));
}

/// Tests a table with a block that is a huge hole. A block that is too large to read may be intact.
#[test]
fn too_large_is_not_read_and_no_damage() {
    use std::io::{Seek as _, SeekFrom, Write as _};

    let bench = Workbench::new();
    let hole = 1 << 40;
    let mut file = File::default();
    let far = |handle: BlockHandle| BlockHandle {
        offset: hole + handle.offset,
        ..handle
    };
    let size = MAX_BLOCK_BYTES + 1;
    let huge = |offset| encode(BlockHandle { offset, size });
    let index = entries(&[("key", huge(0))]);
    let index = far(file.block(&index, StoredBlock::UNCOMPRESSED));
    let metaindex = entries(&[("filter.BloomFilter2", huge(1))]);
    let metaindex = far(file.block(&metaindex, StoredBlock::UNCOMPRESSED));
    let mut table = fs::File::create(bench.path("large.ldb")).unwrap();
    table.seek(SeekFrom::Start(hole)).unwrap();
    table.write_all(&file.finish(metaindex, index)).unwrap();
    drop(table);
    let outcome = bench.run("inspect large.ldb");
    assert_eq!(
        (outcome.code, &*outcome.stderr),
        (2, "error: 1 table not read, or not completely\n")
    );
    assert_eq!(
        outcome.stdout,
        "not read\n  large.ldb: data block must be at most 1073741824 bytes, got 1073741825\n  \
         large.ldb: filter block must be at most 1073741824 bytes, got 1073741825\n\n\
         1 table, 0 with filters, 1 not read; no damage\n0 filters, 0 of them empty\n"
    );
}

#[cfg(unix)]
#[test]
fn unreadable_is_exit_code_2() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    let bench = database();
    symlink("nowhere", bench.path("db/000001.ldb")).unwrap();
    let pipes = ["db/000002.ldb", "pipe", "pipe.parquet"];
    let made = Command::new("mkfifo")
        .args(pipes.map(|name| bench.path(name)))
        .status();
    assert!(made.unwrap().success());
    // Nobody waits for what writes into them.
    for paths in ["pipe", "pipe.parquet", "db/000007.ldb pipe"] {
        assert_eq!(bench.run(&format!("inspect {paths}")).code, 2, "{paths}");
    }
    fs::create_dir(bench.path("db/000003.sst")).unwrap();
    let mut unreadable = 3;
    let closed = bench.path("db/000005.ldb");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    // The superuser can read the file anyway.
    if fs::File::open(&closed).is_err() {
        unreadable += 1;
        bench.refuses("inspect db/000005.ldb => Permission denied");
    }
    let Outcome { code, stdout, stderr } = bench.run("inspect db");
    let expected = format!("error: {unreadable} tables not read, or not completely\n");
    assert_eq!((code, stderr), (2, expected));
    for listed in [
        "db/000001.ldb: No such file",
        "db/000002.ldb: not a file",
        "db/000003.sst: not a file",
        &format!("{unreadable} not read; no damage"),
    ] {
        assert!(stdout.contains(listed), "{stdout}");
    }
    // Damage takes precedence.
    bench.write("db/000015.ldb", damaged());
    assert_eq!(bench.run("inspect db").code, 1);
}

/// Returns a table with a wrong bit in its filter block.
fn damaged() -> Vec<u8> {
    let mut file = golden(PLAIN);
    file[146_511] ^= 1;
    file
}

/// Contents of other writers are reported, not as damage.
#[test]
fn what_is_not_read_is_exit_code_2_and_an_unknown_policy_is_0() {
    let bench = Workbench::new();
    let mut other_magic = golden(PLAIN);
    *other_magic.last_mut().unwrap() ^= 1;
    bench.write("magic.ldb", other_magic);
    let outcome = bench.run("inspect magic.ldb");
    assert_eq!(outcome.code, 2);
    assert!(
        outcome.stdout.contains("1 not read; no damage"),
        "{}",
        outcome.stdout
    );
    bench.write("deflated.ldb", golden("reports/compression_4.ldb"));
    bench.done("inspect deflated.ldb");
    bench.write("unknown.ldb", table_of(&[("example.Own", b"filter")]));
    assert!(bench.done("inspect unknown.ldb").starts_with("example.Own\n"));
    for (name, keys) in [
        ("leveldb_old_name.ldb", 2_000),
        ("rocksdb_name_with_suffix.sst", 3_000),
    ] {
        bench.write(name, golden(&format!("reports/{name}")));
        let bits = &bench.json(0, &format!("inspect --json {name}"))["totals"]["bits"];
        assert!(bits.as_u64().unwrap() > 10 * keys, "{bits}");
    }
}

#[test]
fn damage_is_exit_code_1_whether_or_not_anybody_reads_of_it() {
    let bench = Workbench::new();
    bench.write("damaged.ldb", damaged());
    for words in ["inspect damaged.ldb", "inspect damaged.ldb --json"] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let status = bench.command(words).stdout(writer).status().unwrap();
        assert_eq!(status.code(), Some(1), "{words}");
    }
}

#[test]
fn wrong_paths_are_exit_code_2() {
    let bench = database();
    bench.write("notes.txt", [b'.'; 60]);
    bench.write("short.txt", "");
    bench.write("filter.ser", b"\xac\xed\0\x05sr");
    bench.write("filter.gz", b"\x1f\x8b\x08\0");
    fs::create_dir(bench.path("folder.ldb")).unwrap();
    fs::create_dir(bench.path("folder")).unwrap();
    bench.refuses(
        "inspect => PATH
        inspect missing.ldb => missing.ldb: No such file
        inspect db missing.ldb => missing.ldb: No such file
        inspect notes.txt => notes.txt: not a table: last 8 bytes of a table of LevelDB must be
        inspect short.txt => short.txt: not a table: table must be at least 48 bytes, got 0
        inspect filter.ser => filter.ser: not a table: it is an object stream of Java; write the filter in it
        inspect filter.gz => filter.gz: not a table: it is compressed by gzip; decompress it first
        inspect filter.gz missing.parquet --column d => filter.gz: --column needs Parquet files
        inspect db/CURRENT => db/CURRENT: not a table
        inspect folder => folder: not a database folder
        inspect folder.ldb => folder.ldb: not a database folder
        inspect /dev/null => /dev/null
        inspect db/000005.ldb/x => Not a directory",
    );
}

/// The inputs of the fuzz target, among them all that ever reached new code.
#[test]
fn every_committed_input_is_survived() {
    let bench = Workbench::new();
    let archive = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/corpus/inspect.tar.gz");
    fs::create_dir_all(bench.path("tables")).unwrap();
    let mut tar = Command::new("tar");
    tar.args(["-xzf", archive, "-C"]).arg(bench.path("tables"));
    assert!(tar.status().unwrap().success());
    let mut counts = [0; 2];
    for (path, bytes) in bench.snapshot().into_iter().filter(|(path, _)| path.is_file()) {
        let is_parquet = bytes.ends_with(b"PAR1");
        counts[usize::from(is_parquet)] += 1;
        let renamed = path.with_extension(if is_parquet { "parquet" } else { "sst" });
        fs::rename(path, &renamed).unwrap();
        if is_parquet {
            let command = format!("inspect --json {} --column id --key 7", renamed.display());
            assert!(bench.run(&command).code <= 2);
        }
    }
    assert!(counts.iter().all(|count| *count > 100), "{counts:?}");
    assert!(bench.run("inspect tables").code <= 2);
}
