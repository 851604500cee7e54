//! Files that would take much memory, time or text. The limits of memory are those of the shell.

use std::process::Command;

use crate::stored::tables::{File, encode, entries, no_entries, varint};
use filter_tables::{BlockHandle, StoredBlock};

use super::{Outcome, Workbench, program};

/// Runs the program with at most this much address space, in KiB.
fn limited(bench: &Workbench, kibibytes: usize, arguments: &str) -> Outcome {
    let script = format!("ulimit -v {kibibytes} && exec \"$0\" {arguments}");
    let mut command = Command::new("sh");
    command.args(["-c", &script]).arg(program());
    Outcome::of(command.current_dir(bench.path("")).output().unwrap())
}

/// Writes a Parquet file of one row group of `columns` columns of whole numbers, each with the metadata that `column`
/// returns.
fn parquet(columns: usize, column: impl Fn(usize) -> Vec<u8>) -> (Vec<u8>, usize) {
    let list = |elements: usize| [&[0xfc][..], &varint(elements as u64)].concat();
    let mut footer = [&[0x15, 2, 0x19][..], &list(columns)].concat();
    // A field with the type, and the end.
    footer.extend([0x15, 4, 0].repeat(columns));
    footer.extend([0x16, 0, 0x19, 0x1c, 0x19]);
    footer.extend(list(columns));
    for number in 0..columns {
        footer.extend(column(number));
    }
    footer.extend([0, 0]);
    let len = u32::try_from(footer.len()).unwrap().to_le_bytes();
    let file = [&b"PAR1"[..], &footer, &len, b"PAR1"].concat();
    (file, footer.len())
}

/// The metadata of a column of this name with a filter at an offset.
fn column(name: &[u8], offset: usize) -> Vec<u8> {
    let start = [0x3c, 0x39, 0x18];
    [
        &start[..],
        &varint(name.len() as u64),
        name,
        &[0xb6],
        &varint(2 * offset as u64),
        &[0, 0],
    ]
    .concat()
}

/// Makes a folder whose file `keys` has so many keys of 16 bytes.
#[cfg(target_os = "linux")]
fn with_keys(count: u32) -> Workbench {
    let bench = Workbench::new();
    let keys: Vec<_> = (0..count).map(|key| format!("{key:016x}\n")).collect();
    bench.write("keys", keys.concat());
    bench
}

/// Runs a command that reports nothing, and returns the most memory that it had, KiB.
#[cfg(target_os = "linux")]
fn peak_of(command: &mut Command) -> u64 {
    use std::process::Stdio;
    use std::time::Duration;

    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        let status = format!("/proc/{}/status", child.id());
        let status = std::fs::read_to_string(status).unwrap_or_default();
        let kibibytes = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        peak = peak.max(kibibytes.map_or(0, |text| text.trim().trim_end_matches(" kB").parse().unwrap()));
        std::thread::sleep(Duration::from_millis(5));
    }
    let Outcome { code, stderr, .. } = Outcome::of(child.wait_with_output().unwrap());
    assert_eq!((code, stderr.as_str()), (0, ""));
    peak
}

/// A filter of 69 MiB is built in parts, with half as much memory besides, unless that would be too much.
#[test]
#[cfg(target_os = "linux")]
fn large_filters_are_built_in_parts_where_there_is_memory() {
    let bench = with_keys(400_000);
    let build = |memory: &str, out: &str| {
        peak_of(&mut bench.command(&format!(
            "build --keys keys --format guava --capacity 60M --memory {memory} --out {out}"
        )))
    };
    // In Python, the interpreter has its part.
    let own = peak_of(&mut bench.command("--version"));
    let [enough, little] = [build("1GiB", "enough"), build("150MiB", "little")].map(|peak| peak - own);
    assert!((96 << 10..=126 << 10).contains(&enough), "{enough} KiB");
    assert!((64 << 10..91 << 10).contains(&little), "{little} KiB");
    let [one, other] = ["enough", "little"].map(|name| std::fs::read(bench.path(name)).unwrap());
    assert!(one == other);
}

/// Every key is alone in its shard: a build must keep little for each shard, and find it without a search.
#[test]
#[cfg(target_os = "linux")]
fn as_many_shards_as_there_can_be() {
    let bench = with_keys(70_000);
    // Where files cost little; the disk's would be most of the time.
    let place = tempfile::tempdir_in("/dev/shm")
        .or_else(|_| tempfile::tempdir())
        .unwrap();
    let set = place.path().join("set");
    for _ in ["new", "replaced"] {
        let mut command =
            bench.command("build --keys keys --format bloom64 --shards 4096 --memory 16MiB --out");
        let peak = peak_of(command.arg(&set));
        assert!((4 << 10..=32 << 10).contains(&peak), "{peak} KiB");
    }
    // The manifest, and nothing of the old set.
    assert_eq!(std::fs::read_dir(&set).unwrap().count(), 4_097);
}

/// A thread inserts keys in batches: of empty keys, of short ones, and long ones alone. The first that is refused is
/// reported, not the one that cannot be read after it.
#[test]
fn keys_of_any_length_are_inserted_and_the_first_wrong_one_is_reported() {
    use std::fmt::Write as _;

    let bench = Workbench::new();
    let mut keys = "\n".repeat(100_000);
    (0..50_000).for_each(|key| writeln!(keys, "{key}").unwrap());
    for length in [130_000, 140_000, 1_000_000] {
        writeln!(keys, "{}", "x".repeat(length)).unwrap();
    }
    (0..50_001).for_each(|key| writeln!(keys, "{key}").unwrap());
    bench.write("keys", &keys);
    let built = bench.run("build --keys keys --format split-block --json --out filter");
    let described: serde_json::Value = serde_json::from_str(&built.stdout).unwrap();
    assert_eq!(described["keys"], 50_005);
    let answers = bench.run("query filter --keys keys").stdout;
    assert!(answers == "maybe\n".repeat(200_004));
    bench.write("keys", [keys.as_bytes(), b"zero \0\n"].concat());
    std::fs::create_dir(bench.path("set")).unwrap();
    let refused = bench.run("build --keys keys --format split-block --shards 4096 --shard 0 --out set");
    assert!(
        refused.stderr.contains("the key \"\" must be one of shard 0"),
        "{}",
        refused.stderr
    );
    let unread = bench
        .run("build --keys keys --format split-block --out other")
        .stderr;
    assert!(unread.contains("line 200005"), "{unread}");
}

#[test]
fn many_columns_with_wrong_offsets() {
    const COLUMNS: usize = 300_000;
    let bench = Workbench::new();
    // The offset is that of no filter.
    let (file, footer) = parquet(COLUMNS, |_| column(b"c", 5));
    bench.write("wide.parquet", file);
    // A bounded number of times the footer, and what the program takes for itself.
    let most = 200 * footer / 1024 + (32 << 10);
    let outcome = limited(&bench, most, "inspect wide.parquet");
    assert_eq!((outcome.code, outcome.stderr.as_str()), (1, ""));
    let shown = outcome.stdout;
    let described = "the filter at offset 5: filter header must be";
    assert_eq!(shown.matches(described).count(), 100);
    assert!(shown.ends_with("  and 299,900 more filters\n\n1 row group, 300,000 filters\n"));
    let Outcome { code, stderr, .. } = limited(&bench, most, "inspect wide.parquet --column d");
    assert!(
        code == 2
            && stderr.contains("got \"d\": known are c, c")
            && stderr.ends_with("c and 299900 others\n"),
        "{stderr}"
    );
}

/// A RocksDB table whose index names the same data block twenty million times.
#[test]
fn an_index_of_a_hundred_megabytes() {
    const ENTRIES: usize = 20_000_000;
    let bench = Workbench::new();
    let mut file = File::default();
    let filters = file.block(&[0xff, 6, 0, 0, 0, 0, 2, 0, 0, 0, 11], StoredBlock::UNCOMPRESSED);
    let properties = file.block(&no_entries(), StoredBlock::UNCOMPRESSED);
    let metaindex = file.block(
        &entries(&[
            ("filter.rocksdb.BuiltinBloomFilter", encode(filters)),
            ("rocksdb.properties", encode(properties)),
        ]),
        StoredBlock::UNCOMPRESSED,
    );
    let value = encode(BlockHandle { offset: 0, size: 11 });
    let lengths = [0, 0, u8::try_from(value.len()).unwrap()];
    let mut index = [&lengths[..], &value].concat().repeat(ENTRIES);
    index.extend([0, 1].map(u32::to_le_bytes).concat());
    let size = index.len();
    let index = file.block(&index, StoredBlock::UNCOMPRESSED);
    bench.write("wide.sst", file.finish(metaindex, index));
    for (kibibytes, expected, text) in [
        (8 * size / 1024, 1, "starts before the one before it ends"),
        // Too little for the handles, then for the index itself.
        (250_000, 2, "cannot allocate"),
        (50_000, 2, "cannot allocate"),
    ] {
        let Outcome { code, stdout, .. } = limited(&bench, kibibytes, "inspect wide.sst");
        assert!(
            code == expected && stdout.contains(text),
            "{kibibytes}: {code}, {stdout}"
        );
    }
}

/// A manifest of millions of values that are no shards.
#[test]
fn a_manifest_takes_no_more_memory_than_it_is_long() {
    let bench = Workbench::new();
    let shards = "[],".repeat(10_000_000);
    bench.write(
        "set/manifest.json",
        format!(r#"{{"schema": "filter-set/2", "shards": [{shards}[]]}}"#),
    );
    let Outcome { code, stderr, .. } = limited(&bench, 150_000, "inspect set");
    assert!(
        code == 1 && stderr.contains("manifest.json: "),
        "{code}: {stderr}"
    );
}
