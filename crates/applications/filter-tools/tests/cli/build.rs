//! `build`, `query` and `merge`.

use std::fs;
use std::io::Write as _;
use std::time::Duration;

use crate::stored::golden::{bytes as golden, hex};
use crate::stored::tables::{File, encode, entries, no_entries};
use filter_policy::BashoFilterPolicy;
use filter_policy::filter_block::FilterBlockBuilder;
use filter_policy::leveldb::KeyHasher;
use filter_policy::{BloomFilterPolicy, FilterPolicy};
use filter_sets::{Access, FilterSet, Header, Opening};
use filter_tables::StoredBlock;
use membership_filters::redisbloom::BloomFilter as RedisBloomFilter;
use membership_filters::spark::{self, Version};
use serde_json::Value;

use super::Workbench;

impl Workbench {
    /// Checks that the program answers "maybe" to every line of this text.
    fn maybe_all(&self, arguments: &str, keys: impl AsRef<str>) {
        let keys = keys.as_ref();
        let queried = self.fed(arguments, keys);
        let expected = "maybe\n".repeat(keys.lines().count());
        assert_eq!(
            (queried.code, queried.stdout),
            (0, expected),
            "{arguments}: {}",
            queried.stderr
        );
    }
}

fn lines(numbers: std::ops::Range<u32>) -> String {
    numbers.map(|number| format!("user-{number}\n")).collect()
}

/// The tests of `key-input` show what a key is.
#[test]
fn both_commands_read_keys_as_people_have_them() {
    let bench = Workbench::new();
    // printf 'name,id\na,1\nb,2\nc,2\n' | gzip
    let gzip = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xcb\x4b\xcc\x4d\xd5\xc9\x4c\xe1\x4a\xd4\x31\xe4\x4a\xd2\x31\xe2\x4a\x06\x62\x00\x47\x54\xcd\x9c\x14\x00\x00\x00";
    bench.write("ids.csv.gz", gzip);
    bench.write("more.tsv", "id\tname\n7\tx\n\n");
    let sources = "--keys ids.csv.gz more.tsv --column id";
    let built = bench.run(&format!("build {sources} --type long --out ids"));
    let word = "ids.csv.gz: compressed by gzip, read as its contents\n";
    assert_eq!((built.code, &*built.stderr), (0, word));
    let answered = bench.run(&format!("query ids {sources}"));
    assert_eq!(
        (&*answered.stdout, &*answered.stderr),
        (&*"maybe\n".repeat(4), word)
    );
    assert_eq!(bench.fed("query ids", "7\n8\n1").stdout, "maybe\nno\nmaybe\n");

    let described = bench.fed(
        "build --keys - --capacity 100 --out odd --json",
        b"\na\r\n\xff\n\nlast",
    );
    let word = "standard input: 1 carriage return before a line feed belongs to no key\n";
    assert_eq!(described.stderr, word);
    let described: Value = serde_json::from_str(&described.stdout).unwrap();
    let stored = bench.path("odd").metadata().unwrap().len() - Header::LEN as u64;
    assert_eq!(
        (&described["keys"], &described["bytes"]),
        (&4.into(), &stored.into())
    );
    assert_eq!(bench.fed("query odd", "").stdout, "");
    bench.refuses_fed(
        2,
        [&b"key\n"[..], &[b'x'; 9 << 20]].concat(),
        "build --out other --memory 16MiB => standard input, line 2: must have at most 8388608 bytes",
    );

    bench.fed("build --null --out names", "a\nb\0\0c");
    let answered = bench.fed("query names --null", "c\0a\0a\nb\0\0");
    assert_eq!(answered.stdout, "maybe\nno\nmaybe\nmaybe\n");
    bench.refuses_fed(
        2,
        "id\n1\n",
        "build --column name --out new => standard input: no column is called \"name\"; there are id
        build --keys - ids.csv.gz - --out new => -: is given twice
        query ids --keys - - => -: is given twice
        build --delimiter tab --out new => required | --column
        query names --delimiter tab => required | --column
        build --column 1 --type long --out new => standard input, line 1: must be a number",
    );
    bench.fed("build --column 1 --delimiter comma --out fields", "a\tb,1\nc,2\n");
    let answered = bench.fed("query fields --null", "a\tb\0a\0c\0");
    assert_eq!(answered.stdout, "maybe\nno\nmaybe\n");
}

/// Arguments and lines are what a program gives to Spark's builder, whose bytes `membership-filters` compares with
/// Spark's.
#[test]
fn spark_by_its_own_parameters_and_kinds_of_keys() {
    let bench = Workbench::new();
    for (version, more) in [
        (Version::V1, "spark-v1"),
        (Version::V2 { seed: -5 }, "spark-v2 --seed -5"),
    ] {
        let parameters = spark::Parameters::with_bits(100, 1_000).unwrap().version(version);
        let [mut long, mut string, mut binary] =
            [(); 3].map(|()| spark::BloomFilter::new(&parameters).unwrap());
        long.insert(&-7_i64);
        string.insert("-7é");
        binary.insert(&b"\xff\0"[..]);
        for (kind, line, filter) in [
            ("long", "-7", long),
            ("string", "-7é", string),
            ("binary", "ff00", binary),
        ] {
            bench.write("keys", line);
            bench.done(&format!(
                "build --keys keys --format {more} --type {kind} --capacity 100 --bits 1000 --out built --raw --replace"
            ));
            assert!(
                fs::read(bench.path("built")).unwrap() == filter.to_spark(),
                "{kind}, {more}"
            );
        }
    }
}

#[test]
fn what_is_wrong_is_named() {
    let bench = Workbench::new();
    bench.write("keys", "1\n2\n");
    bench.write("there", "mine");
    bench.write(
        "many",
        (0..300_000).map(|key| format!("{key}\n")).collect::<String>(),
    );
    bench.write("cut", b"\0\0\0\x01\0\0\0\x02\0\0\0\x03cut");
    bench.write("folder/notes", "mine");
    bench.write("parquet", "PAR1");
    bench.refuses(
        "build --keys keys --out there => there: is there already
        build --keys keys --out - => --out must be a path, not standard output, got -
        build --keys keys --out - --shards 2 => --out must be a path
        merge keys keys --out - => --out must be a path
        build --keys keys --out new --memory 1,5GiB => got \"1,5GiB\", whose commas
        build --keys \u{1b}[31mno --out new => error: \\u{1b}[31mno: cannot read
        query \u{1b}[31mno => error: \\u{1b}[31mno: No such file
        build --keys keys --out folder => is a folder
        build --keys keys --out folder --shards 2 => notes
        build --keys keys --out no/where => its folder is not there
        build --keys no --out new => no: cannot read the keys: No such file
        build --keys folder --out new => folder: cannot read the keys: Is a directory
        build --keys keys --out new --format bloom => leveldb, murmur2
        build --keys keys --out new --rate 1 => above 0 and below 1
        build --keys keys --out new --rate 1% --bits-per-key 9 => cannot be used with
        build --keys keys --out new --shards 0 => between 1 and 4096
        build --keys keys --out new --memory 1KiB => at least 16777216
        build --keys many --out new --memory 16MiB --format binaryfuse => use --shards 2, or --memory
        build --keys keys --out new --memory 16MiB --format spark --bits 1G => bytes: use --memory 250000
        build --keys keys --out new --seed 1 => guava: has no seed; spark-v2 has
        build --keys keys --out new --format leveldb --capacity 9 => sized by its keys
        query no => no: No such file
        query there => do not identify the format
        query there --format spark => there:
        query cut => cut: the length in bytes must be at least 36, got 15
        query folder => folder: a folder must be a set, with manifest.json, or a database, with CURRENT
        query parquet => parquet: a Parquet file has filters by column
        merge there --out new --format guava => there:
        merge folder --out new => folder/manifest.json:
        merge folder --out new --format guava => --format must be left out
        merge keys --out there => is there already",
    );
    let range = "must be a number between -9223372036854775808 and 9223372036854775807, got";
    for (kind, input, texts) in [
        (
            "long",
            &b"1\n+9223372036854775808\n"[..],
            "standard input, line 2: must be",
        ),
        ("long", b"1\r", range),
        (
            "binary",
            b"00\n0\n",
            "line 2: must be pairs of hexadecimal digits, got \"0\"",
        ),
        ("string", b"a\n\xff\n", "line 2: must be UTF-8 without"),
        ("string", b"\xef\xbb\xbfa\n", "line 1: must be UTF-8 without"),
        ("string", b"a\0b\0\n\0", "line 1: must be text without zero bytes"),
        // What is wrong is shown, wherever it is.
        (
            "binary",
            b"5baa61e4c9b93f3f0682250b6cf8331b7ee68fd8:10437277\n",
            "digits, got \"...250b6cf8331b7ee68fd8:10437277\"",
        ),
        (
            "long",
            b"12345678901234567890123456789x0123456789012345678901234567890",
            "...01234567890123456789x01",
        ),
    ] {
        bench.refuses_fed(2, input, &format!("build --out new --type {kind} => {texts}"));
    }
    bench.ended(1, "inspect keys --format spark");
    bench.done("build --keys keys --out set --shards 2 --type long --format spark");
    bench.refuses(
        "query set --type string => the type must be \"long\"
        query set --format guava => the format must be \"spark-v2\"",
    );
    assert_eq!(bench.fed("query set", "1\n3\n2").stdout, "maybe\nno\nmaybe\n");
    // The answers before a wrong line come.
    let outcome = bench.fed("query set", "1\nx\n");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (2, "maybe\n"));
    assert!(outcome.stderr.contains("line 2: must be a number"));
}

/// Wrong options, wrong kinds of files and edited files: refused by whatever reads filters, with the file's name and
/// what differs, so that no stored key is denied.
#[test]
fn a_filter_is_read_as_it_was_built_or_refused() {
    let bench = Workbench::new();
    let keys: String = (0..1_000).map(|key| format!("{key}\n")).collect();
    bench.write("keys", &keys);
    let build = |what: &str| bench.done(&format!("build --keys keys --replace {what}"));
    build("--format blocked --out blocked");
    build("--format blocked --raw --out raw");
    build("--format guava --type long --capacity 1000 --out long");
    build("--format guava --capacity 1000 --out line");
    build("--format blocked --shards 2 --out set");
    let small = bench.run("build --keys keys --format blocked --capacity 10 --out small");
    assert!(small.code == 0 && small.stderr.contains("1,000 keys are too many for --capacity 10"));
    build("--format guava --raw --out stream");
    let shard = bench.json(0, "inspect set --json");
    let shard = bench.path("set").join(shard[0]["file"].as_str().unwrap());
    fs::copy(shard, bench.path("shard")).unwrap();
    for words in [
        "query blocked",
        "query raw --type line",
        "query long",
        "query set",
        "query stream --type line",
    ] {
        bench.maybe_all(words, &keys);
    }
    bench.refuses(
        "query blocked --format split-block-xxph3 => blocked: | \"blocked\" | SplitBlock
        query raw => raw: | --type
        query keys --type line --format split-block => keys: | multiple of 32 bytes
        query long --type line => long: | \"long\" | \"line\"
        query shard => shard: | shard 0 of a set of 2
        merge line long --out new => long: | keys as line | keys as long
        merge line stream --out new => stream: | header
        merge line line --format blocked --out new => line: | \"guava\" | \"blocked\"
        build --keys keys --out new --capacity 0 => must be between 1 and
        build --keys keys --out new --raw --shards 2 => cannot be used with",
    );
    for path in ["blocked", "stream", "set"] {
        let shown = bench.run(&format!("inspect {path} --format leveldb"));
        let text = shown.stdout + &shown.stderr;
        assert!(shown.code != 0 && text.contains(path), "{path}: {text}");
    }
}

/// Programs with the fast hash may insert integers, and the file does not show it.
#[test]
fn a_filter_of_a_program_is_queried_by_the_kind_of_key_that_it_has() {
    let bench = Workbench::new();
    let mut filter = membership_filters::BlockedBloomFilter::with_capacity(1_000, 0.001).unwrap();
    filter.insert_many(&Vec::from_iter(0..1_000_u64));
    bench.write("ids", filter.to_bytes());
    let numbers: String = (0..1_000).map(|number| format!("{number}\n")).collect();
    bench.maybe_all("query ids --type long", &numbers);
    assert!(
        bench
            .fed("query ids --type line", &numbers)
            .stdout
            .contains("no\n")
    );
    for kind in ["line", "long"] {
        let queried = bench.fed(&format!("query ids --type {kind}"), &numbers);
        assert!(queried.stderr.contains("--type long is for integers"), "{kind}");
    }
}

#[test]
fn tables_are_queried_through_their_indexes() {
    let bench = Workbench::new();
    for (file, keys) in [
        ("leveldb/ldb/db_bpk10_nosnappy_bs4096.ldb", 0..2_000),
        (
            "leveldb/ldb/tablebuilder_userkeys_bpk14_snappy_bs1024.ldb",
            0..2_000,
        ),
        ("rocksdb/sst/fv4_legacy_bloom10.sst", 0..2_000),
        ("rocksdb/sst/fv5_ribbon10_partitioned.sst", 0..3_000),
    ] {
        let name = file.rsplit('/').next().unwrap();
        bench.write(name, golden(file));
        let text = |keys: std::ops::Range<u32>| keys.map(|key| format!("key{key:08}\n")).collect::<String>();
        bench.maybe_all(&format!("query {name}"), text(keys));
        let absent = bench.fed(&format!("query {name}"), text(1_000_000..1_001_000));
        assert!(absent.stdout.matches("no").count() > 970, "{file}");
    }
    // A compiler with signed characters hashed these keys.
    bench.write("article.ldb", golden("article/article_highbit_bpk10.ldb"));
    let key = |i: u32| format!("e4b8ad{:02x}{:02x}80\n", 0x80 | i & 0x3f, 0xc0 | i >> 6);
    bench.maybe_all(
        "query article.ldb --type binary",
        (0..1_000).map(key).collect::<String>(),
    );
    // The table does not show how its numbers are stored: a note describes the keys of --type long, and other forms are
    // binary.
    let numbers: Vec<u64> = (0..500).collect();
    let lines: String = numbers.iter().map(|number| format!("{number}\n")).collect();
    let keys = |bytes: fn(u64) -> [u8; 8]| -> Vec<_> { numbers.iter().map(|&n| bytes(n).to_vec()).collect() };
    bench.write("low.ldb", table(&keys(u64::to_le_bytes), &[]));
    bench.write("high.ldb", table(&keys(u64::to_be_bytes), &[]));
    bench.maybe_all("query low.ldb --type long", &lines);
    let denied = bench.fed("query high.ldb --type long", &lines);
    assert!(denied.stdout.contains("no\n"));
    for order in ["the lowest first", "such as the highest first, as --type binary"] {
        assert!(denied.stderr.contains(order), "{}", denied.stderr);
    }
    let digits: String = numbers.iter().map(|number| format!("{number:016x}\n")).collect();
    bench.maybe_all("query high.ldb --type binary", digits);
    bench.write("text.ldb", "keys");
    bench.refuses(
        "query fv4_legacy_bloom10.sst --format bloom64 --type line => is a table of LevelDB or RocksDB
        query text.ldb => text.ldb: table must be at least
        query missing.ldb => missing.ldb: No such file",
    );
}

/// Writes a table of LevelDB's with these keys in this order, of which a data block has 20, and a filter for each
/// block.
fn table(keys: &[Vec<u8>], tag: &[u8]) -> Vec<u8> {
    let policy = BloomFilterPolicy::with_leveldb_hash(10.into());
    table_of(&policy, "leveldb.BuiltinBloomFilter2", &[], keys, tag)
}

/// LevelDB's policy where characters have a sign, as RocksDB's hash has it.
struct Signed;

impl KeyHasher for Signed {
    fn hash(&self, key: &[u8]) -> u32 {
        hashzoo::rocksdb_hash(key, hashzoo::LEVELDB_BLOOM_SEED)
    }

    fn policy_name(&self) -> &'static str {
        "signed"
    }
}

/// Does the same for filters of a policy that are stored under a name; these blocks are listed as well.
fn table_of(policy: &dyn FilterPolicy, name: &str, more: &[&str], keys: &[Vec<u8>], tag: &[u8]) -> Vec<u8> {
    let (mut file, mut filters) = (File::default(), FilterBlockBuilder::new(policy));
    let mut index = Vec::new();
    for keys in keys.chunks(20) {
        filters.start_block(file.0.len() as u64).unwrap();
        keys.iter().for_each(|key| filters.add_key(key).unwrap());
        let stored: Vec<_> = keys.iter().map(|key| ([key, tag].concat(), [0; 200])).collect();
        let handle = file.block(&entries(&stored), StoredBlock::UNCOMPRESSED);
        index.push((stored.last().unwrap().0.clone(), encode(handle)));
    }
    let name = format!("filter.{name}");
    let filters = (name.as_str(), filters.finish().unwrap());
    let listed = listed(
        &mut file,
        more.iter().map(|name| (*name, no_entries())).chain([filters]),
    );
    let [metaindex, index] =
        [listed, entries(&index)].map(|block| file.block(&block, StoredBlock::UNCOMPRESSED));
    file.finish(metaindex, index)
}

/// Writes blocks, and returns the metaindex that lists them under these names.
fn listed<'a>(file: &mut File, blocks: impl IntoIterator<Item = (&'a str, Vec<u8>)>) -> Vec<u8> {
    let blocks = blocks.into_iter();
    let list = blocks.map(|(name, block)| (name, encode(file.block(&block, StoredBlock::UNCOMPRESSED))));
    let mut list: Vec<_> = list.collect();
    list.sort();
    entries(&list)
}

/// A key is looked up in every filter where another comparator than that of bytes ordered the keys, or may have.
#[test]
fn tables_in_other_orders_deny_no_stored_key() {
    let bench = Workbench::new();
    for name in ["leveldb_reverse.ldb", "rocksdb_reverse_partitioned.sst"] {
        bench.write(name, golden(&format!("reports/{name}")));
        let keys: String = (0..3_000).map(|i| format!("key-{i}\n")).collect();
        bench.maybe_all(&format!("query {name}"), keys);
        let absent = bench.fed(&format!("query {name}"), "absent\n".repeat(3));
        assert!(
            absent.stderr.contains("each key is looked up in all"),
            "{}",
            absent.stderr
        );
    }
    // By length; without case, where first and last keys of blocks are in the order of bytes; of integers, which end as
    // the keys of a database do; versions of keys, in the order of bytes, which go on in other blocks; and in one
    // block.
    let number = |i: u32| i.to_string().into_bytes();
    let mixed = |i: u32| format!("{}{i:04}", if i % 20 == 7 { 'K' } else { 'k' }).into_bytes();
    let integer = |i: u32| u64::from(i << 8).to_le_bytes().to_vec();
    let versions = |i: u32| format!("key{:04}", i / 50).into_bytes();
    let tag = [1, 7, 0, 0, 0, 0, 0, 0];
    for (name, keys, is_bytewise) in [
        ("length", (0..1_000).map(number).collect::<Vec<_>>(), Some(false)),
        ("case", (0..1_000).map(mixed).collect(), Some(false)),
        ("integers", (0..1_000).map(integer).collect(), None),
        ("versions", (0..1_000).map(versions).collect(), Some(true)),
        ("one block", (0..20).rev().map(number).collect(), Some(true)),
    ] {
        for (tag, with) in [(&tag[..], "with"), (&[], "without")] {
            let file = format!("{name} {with}.ldb");
            bench.write(&file, table(&keys, tag));
            let text: String = keys.iter().map(|key| hex(key) + "\n").collect();
            let words = format!("query '{file}' --type binary");
            bench.maybe_all(&words, &text);
            let stderr = bench.fed(&words, text).stderr;
            assert!(
                is_bytewise.is_none_or(|is| is == stderr.is_empty()),
                "{file}: {stderr}"
            );
        }
    }
    // Names under which filters of several programs are stored: both ways to hash the last bytes of keys are tried.
    let old = "leveldb.BuiltinBloomFilter";
    let keys: Vec<Vec<u8>> = (0..200)
        .map(|i| vec![b'k', 0x80 + (i / 100) as u8, 0xff - (i % 100) as u8])
        .collect();
    let text: String = keys.iter().map(|key| hex(key) + "\n").collect();
    let signed = BloomFilterPolicy::with_hasher(Signed, 10.into());
    let unsigned = BloomFilterPolicy::with_leveldb_hash(10.into());
    let arm = BashoFilterPolicy::with_murmur2(16.into());
    let [in_leveldb, in_rocksdb] = ["leveldb.BuiltinBloomFilter2", "rocksdb.BuiltinBloomFilter"];
    let policies: [(_, &dyn FilterPolicy, _, &[&str]); 4] = [
        ("signed.ldb", &signed, old, &[]),
        ("unsigned.ldb", &unsigned, old, &[]),
        // As Basho's LevelDB writes it on ARM.
        ("arm.sst", &arm, in_leveldb, &["stats.sst1"]),
        // RocksDB's by its properties, with filters as before 7.0.
        ("blocks.sst", &signed, in_rocksdb, &["rocksdb.properties"]),
    ];
    for (name, policy, stored_name, more) in policies {
        bench.write(name, table_of(policy, stored_name, more, &keys, &tag));
        bench.maybe_all(&format!("query {name} --type binary"), &text);
        let absent = bench.fed(
            &format!("query {name} --type line"),
            "absent 1\nabsent 2\nabsent 3\n",
        );
        assert!(absent.stdout.contains("no"), "{name}");
    }
    for name in [
        "leveldb_old_name.ldb",
        "rocksdb_name_with_suffix.sst",
        "basho.sst",
    ] {
        bench.write(name, golden(&format!("reports/{name}")));
        bench.maybe_all(
            &format!("query {name}"),
            (0..2_000).map(|i| format!("key-{i}\n")).collect::<String>(),
        );
    }
    // One filter for all keys, as Pebble writes it.
    let fuse = filter_policy::policies::reader("binaryfuse").unwrap();
    let (mut file, mut filter) = (File::default(), Vec::new());
    let slices: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
    fuse.append_filter(&slices, &mut filter).unwrap();
    let blocks = [
        ("fullfilter.binaryfuse", filter),
        ("rocksdb.properties", no_entries()),
    ];
    let metaindex = listed(&mut file, blocks);
    let table = file.finish_with_metaindex(&metaindex, StoredBlock::UNCOMPRESSED);
    bench.write("fuse.sst", table);
    bench.maybe_all("query fuse.sst --type binary", &text);
    let report = bench.json(0, "inspect --json fuse.sst");
    assert_eq!(report["tables"][0]["filter_blocks"][0]["policy"], "binaryfuse");
    bench.write("own.ldb", table_of(&unsigned, "example.Own", &[], &keys, &tag));
    bench.write("none.ldb", golden("leveldb/ldb/db_nofilter_bs4096.ldb"));
    bench.refuses(
        "query own.ldb => over whole keys, got policy example.Own
        query none.ldb => over whole keys, got no filters",
    );
    let mut damaged = golden("leveldb/ldb/db_bpk10_nosnappy_bs4096.ldb");
    damaged[146_511] ^= 1;
    bench.write("damaged.ldb", damaged);
    bench.refuses_fed(1, "", "query damaged.ldb => checksum of the filter block");
    let report = bench.json(0, "inspect --json basho.sst");
    let block = &report["tables"][0]["filter_blocks"][0];
    assert_eq!(block["policy"], "basho.BuiltinBloomFilter2");
    assert_eq!(block["bits"]["bits"], 32_008);
}

/// Returns the bytes of the commands that load a filter.
fn commands(filter: &RedisBloomFilter, key: &str) -> Vec<u8> {
    let mut all = Vec::new();
    for command in filter.commands(key.as_bytes()) {
        write!(all, "*{}\r\n", command.len()).unwrap();
        for argument in command {
            write!(all, "${}\r\n", argument.len()).unwrap();
            all.extend([&argument[..], b"\r\n"].concat());
        }
    }
    all
}

/// The commands are those of the chunks, and the chunks of a server, in a file one after the other, are a filter.
#[test]
fn redisbloom_loads_commands_and_its_chunks_are_read() {
    let bench = Workbench::new();
    bench.write("keys", lines(0..5_000));
    let built = "build --keys keys --format redisbloom --out";
    bench.done(&format!("{built} sealed"));
    bench.done(&format!("{built} raw --raw"));
    bench.done(&format!("{built} commands --commands seen:{{1}}"));
    let raw = fs::read(bench.path("raw")).unwrap();
    let filter = RedisBloomFilter::from_redisbloom(&raw).unwrap();
    assert!(fs::read(bench.path("commands")).unwrap() == commands(&filter, "seen:{1}"));
    // A file for each shard of the set that is built without a key.
    bench.done(&format!("{built} shards --shards 3 --commands seen"));
    bench.done(&format!("{built} set --shards 3"));
    let set = bench.json(0, "inspect set --json");
    assert_eq!(fs::read_dir(bench.path("shards")).unwrap().count(), 3);
    for (number, shard) in set.as_array().unwrap().iter().enumerate() {
        let stored = fs::read(bench.path("set").join(shard["file"].as_str().unwrap())).unwrap();
        let filter = RedisBloomFilter::from_redisbloom(&stored[Header::LEN..]).unwrap();
        let written = bench
            .path("shards")
            .join(format!("shard-{number:05}-of-00003.resp"));
        assert!(fs::read(written).unwrap() == commands(&filter, &format!("seen:{{{number}}}")));
    }
    bench.maybe_all("query sealed", lines(0..5_000));
    bench.maybe_all("query raw --type line", lines(0..5_000));
    // The form with a checksum that `to_bytes` and `save` write.
    fs::write(bench.path("saved"), filter.to_bytes()).unwrap();
    bench.maybe_all("query saved --type line", lines(0..5_000));
    let formats = bench.json(0, "inspect raw saved --json");
    assert!(
        formats
            .as_array()
            .unwrap()
            .iter()
            .all(|file| file["format"] == "redisbloom")
    );
    bench.refuses(
        "build --keys keys --format guava --out new --commands seen => guava: no commands load it | redisbloom has them
        build --keys keys --format redisbloom --out set --shards 3 --commands seen => set: contains | give an empty folder
        build --keys keys --format redisbloom --out new --shards 2 --commands seen{eu} => must have no brace | seen{eu}
        build --keys keys --out new --raw --commands seen => cannot be used with",
    );
}

#[test]
fn merged_and_inspected() {
    let bench = Workbench::new();
    bench.write("a", lines(0..500));
    bench.write("b", lines(500..1_000));
    for part in ["a", "b"] {
        bench.done(&format!("build --keys {part} --capacity 1000 --out {part}.bloom"));
    }
    bench.done("build --keys a b --capacity 1000 --out both.bloom");
    bench.done("merge a.bloom b.bloom --out merged.bloom");
    assert!(fs::read(bench.path("merged.bloom")).unwrap() == fs::read(bench.path("both.bloom")).unwrap());
    bench.done("build --keys a b --shards 2 --format ribbon --out set");
    let shown = bench.json(0, "inspect set --json");
    let keys = |shard: &Value| shard["keys"].as_u64().unwrap();
    assert_eq!(shown.as_array().unwrap().iter().map(keys).sum::<u64>(), 1_000);
    let shard = bench.path("set").join(shown[1]["file"].as_str().unwrap());
    let mut bytes = fs::read(&shard).unwrap();
    bytes[Header::LEN + 7] ^= 1;
    fs::write(&shard, bytes).unwrap();
    bench.refuses_fed(1, "", "query set => checksum");
    let damaged = bench.ended(1, "inspect set");
    assert!(damaged.contains("damage: ") && damaged.contains("1,000 keys"));
    let manifest = bench.read("set/manifest.json");
    let edited = manifest.replacen("\"keys\": ", "\"keys\": 1", 1);
    bench.write("set/manifest.json", edited);
    bench.refuses_fed(
        1,
        "",
        "query set --map --no-verify => set/manifest.json:\ninspect set => set/manifest.json:",
    );
}

/// Kills builds of another set at moments of all phases: the old set or the new one answers.
#[test]
#[cfg(unix)]
fn a_killed_build_leaves_the_old_set_or_the_new_one() {
    let bench = Workbench::new();
    bench.write("old", lines(0..1_000));
    bench.write("new", lines(0..150_000));
    bench.done("build --keys old --out set --shards 8");
    let old = FilterSet::open(bench.path("set"), Opening::default()).unwrap();
    let old = old.generation().manifest().clone();
    let mut new = 0;
    for round in 0..20 {
        let mut child = bench.start("build --keys new --out set --shards 8 --memory 16MiB");
        std::thread::sleep(Duration::from_millis(1 + round * 4));
        child.kill().unwrap();
        child.wait().unwrap();
        let opening = Opening {
            access: Access::Map,
            verify: true,
        };
        let set = FilterSet::open(bench.path("set"), opening).unwrap();
        let generation = set.generation();
        assert!(*generation.manifest() == old || generation.manifest().len() == 150_000);
        assert!(set.contains(b"user-7"));
        if generation.manifest().len() == 150_000 {
            new += 1;
            bench.done("build --keys old --out set --shards 8");
        }
    }
    assert!(new < 20);
    bench.done("build --keys new --out set --shards 8");
    assert_eq!(fs::read_dir(bench.path("set")).unwrap().count(), 9);
}

#[test]
#[cfg(unix)]
fn stopped_locked_out_and_out_of_disk() {
    let bench = Workbench::new();
    bench.write("keys", lines(0..1_000));
    bench.done("build --keys keys --out set --shards 2");
    bench.done("build --keys keys --out file");
    let before = bench.snapshot();
    // Waits for keys that never come.
    let mut waiting = [
        "build --out set --shards 2",
        "build --out file --replace",
        "build --out new-set --shards 2",
        "query file",
    ]
    .map(|words| bench.start(words));
    std::thread::sleep(Duration::from_millis(300));
    bench.refuses("build --keys keys --out set --shards 2 => another process is building");
    for child in &mut waiting {
        let id = rustix::process::Pid::from_child(child);
        rustix::process::kill_process(id, rustix::process::Signal::INT).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(130));
    }
    assert!(before == bench.snapshot());
    bench.refuses("build --keys keys --out ./keys --replace => keys: is a file of keys");
    // Writing stops as on a full disk: at 8 blocks of 512 bytes.
    bench.write("more", lines(0..40_000));
    let before = bench.snapshot();
    for (arguments, named) in [
        ("--out set --shards 2", "shard-00000"),
        ("--out file --replace", "file: "),
        ("--out new", "new: "),
    ] {
        let script = "trap '' XFSZ; ulimit -f 8; exec \"$0\" build --keys more $1";
        let program = env!("CARGO_BIN_EXE_filters");
        let mut command = std::process::Command::new("sh");
        command
            .args(["-c", script, program, arguments])
            .current_dir(bench.path(""));
        let std::process::Output { status, stderr, .. } = command.output().unwrap();
        let stderr = String::from_utf8(stderr).unwrap();
        assert!(
            status.code() == Some(1) && stderr.contains(named),
            "{status}: {stderr}"
        );
        assert!(before == bench.snapshot(), "{arguments}");
    }
}

#[test]
fn a_small_filter_with_another_rate_is_named_with_the_capacity_that_reaches_it() {
    let bench = Workbench::new();
    bench.write("keys", "a\nb\nc\nd\n");
    let built = bench.run("build --keys keys --rate 1% --out few --json");
    let note = "guava: 4 keys sized for 1.00 % have 1.29 %, because so small a filter repeats positions; sized for 7 \
                keys they have 1.00 % or less (build --rate with --capacity 7)\n";
    assert_eq!((built.code, &*built.stderr), (0, note));
    let sized = bench.done("size --keys 4 --rate 1% --format guava --json");
    let rate = |json: &str, of: &str| {
        serde_json::from_str::<Value>(json)
            .unwrap()
            .pointer(of)
            .unwrap()
            .as_f64()
    };
    let stated = rate(&sized, "/answers/0/rate");
    assert_eq!(rate(&sized, "/answers/0/capacity_for_rate"), Some(7.0));
    // A filter states the rate of its contents.
    let of_contents = rate(&built.stdout, "/rate");
    assert!((0.8..1.25).contains(&(of_contents.unwrap() / stated.unwrap())));
    let inspected = bench.done("inspect few --json");
    assert_eq!(of_contents, rate(&inspected, "/0/expected_rate"));
    bench.done("build --keys keys --rate 1% --capacity 7 --out enough");
    let inspected = bench.done("inspect enough --json");
    assert!(rate(&inspected, "/0/expected_rate") < Some(0.01));
}

/// The stored form of these states how keys are encoded.
#[test]
fn filters_of_numbers_are_no_damage_to_a_given_format() {
    let bench = Workbench::new();
    bench.write("keys", "1\n-2\n2026\n");
    for format in ["guava-envelope", "blocked", "counting", "cuckoo", "rotating"] {
        for kind in ["int", "long"] {
            let out = format!("{format}.{kind}");
            bench.done(&format!(
                "build --keys keys --capacity 100 --type {kind} --format {format} --raw --out {out}"
            ));
            assert_eq!(
                bench.run(&format!("inspect {out} --format {format}")).code,
                0,
                "{out}"
            );
            let answered = bench.run(&format!(
                "query {out} --format {format} --type {kind} --keys keys"
            ));
            assert_eq!(
                (answered.code, &*answered.stdout),
                (0, "maybe\nmaybe\nmaybe\n"),
                "{out}"
            );
        }
    }
    bench.refuses(
        "build --keys keys --type int --format spark --out spark => keys must be of the type long, got int",
    );
}

#[test]
fn answers_come_through_a_pipe_one_by_one() {
    use std::io::{BufRead as _, BufReader};

    let bench = Workbench::new();
    bench.write("keys", "a\nb\n");
    bench.done("build --keys keys --out filter --rate 0.01% --capacity 100");
    for (words, before, end) in [
        ("query filter", "", "\n"),
        ("query filter --column id", "id\r\n", "\r\n"),
        ("query filter --column 1", "", "\n\n"),
    ] {
        let mut child = bench.start(words);
        let mut answers = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut questions = child.stdin.take().unwrap();
        write!(questions, "{before}").unwrap();
        for (question, expected) in [("a", "maybe"), ("c", "no"), ("b", "maybe")] {
            write!(questions, "{question}{end}").unwrap();
            assert_eq!(answers.next().unwrap().unwrap(), expected);
        }
        drop(questions);
        assert!(child.wait().unwrap().success());
    }
}
