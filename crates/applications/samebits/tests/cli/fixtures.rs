//! Files of sessions that neither engines nor the program write.

use std::fs::File as Disk;
use std::io::{Seek as _, SeekFrom, Write as _};

use crate::stored::golden::{bytes as golden, hex};
use crate::stored::tables::{File, encode, entries, no_entries};
use filter_policy::filter_block::FilterBlockBuilder;
use filter_policy::leveldb::KeyHasher;
use filter_policy::{BashoFilterPolicy, BloomFilterPolicy, FilterPolicy, MATCHES_EVERYTHING, policies};
use filter_sets::{Builder, Size, StoredFilter, StoredFormat};
use filter_tables::{
    BlockHandle, MAX_BLOCK_BYTES, MetaindexEntry, RocksDbTable, StoredBlock, TRAILER_LEN, block_checksum,
};
use membership_filters::redisbloom::{BloomFilter as RedisBloomFilter, Parameters as RedisBloomParameters};
use membership_filters::{BlockedBloomFilter, Encoding};

use super::Workbench;

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

fn policy() -> impl FilterPolicy {
    BloomFilterPolicy::with_leveldb_hash(10.into())
}

/// Writes a table with these keys in this order, of which a data block has 20, and a filter under this name for each
/// block; other blocks are listed as well.
fn table(policy: &dyn FilterPolicy, name: &str, more: &[&str], keys: &[Vec<u8>], tag: &[u8]) -> Vec<u8> {
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
    finish(file, &listed, &entries(&index))
}

/// Writes blocks, and returns the metaindex that lists them under these names.
fn listed<'a>(file: &mut File, blocks: impl IntoIterator<Item = (&'a str, Vec<u8>)>) -> Vec<u8> {
    let blocks = blocks.into_iter();
    let list = blocks.map(|(name, block)| (name, encode(file.block(&block, StoredBlock::UNCOMPRESSED))));
    let mut list: Vec<_> = list.collect();
    list.sort();
    entries(&list)
}

fn finish(mut file: File, metaindex: &[u8], index: &[u8]) -> Vec<u8> {
    let [metaindex, index] = [metaindex, index].map(|block| file.block(block, StoredBlock::UNCOMPRESSED));
    file.finish(metaindex, index)
}

/// The files of `query.md`: an integer is not a line, and Python states kinds of keys that are none. Of each format,
/// filters without keys, and of the bytes of text and of numbers.
pub(super) fn filters(bench: &Workbench) {
    let text = ["a", "é"].map(|text| text.encode_utf16().flat_map(u16::to_le_bytes).collect());
    let numbers = [1_i64, 12_345_678].map(|number| number.to_le_bytes().to_vec());
    for format in StoredFormat::all() {
        let folder = bench.path("kinds").join(format.short_names()[0]);
        std::fs::create_dir_all(&folder).unwrap();
        for (name, kind, encoding, keys) in [
            ("empty", "undecided", Encoding::BYTES, &[][..]),
            ("own", "user-id", Encoding::BYTES, &text),
            ("text", "unstated", Encoding::UTF16_UNITS, &text),
            ("numbers", "unstated", Encoding::INT64, &numbers),
        ] {
            let builder = Builder::new(format.clone().encoding(encoding), Size::Rate(0.001));
            let mut building = builder.in_memory().unwrap();
            keys.iter()
                .for_each(|key: &Vec<u8>| building.insert(key).unwrap());
            let mut filter = building.finish(&|_| true).unwrap();
            // Some formats state their keys.
            if filter.state_keys(kind, keys.len() as u64).is_err()
                && let Ok(mut read) = StoredFilter::from_bytes(Some(&format), filter.stored_bytes())
            {
                read.state_keys(kind, 2).unwrap();
                filter = read;
            }
            filter.save(folder.join(name), false).unwrap();
        }
    }
    let mut ids = BlockedBloomFilter::with_capacity(1_000, 0.001).unwrap();
    ids.insert_many(&Vec::from_iter(0..1_000_u64));
    bench.write("ids", ids.to_bytes());
    let mut users = RedisBloomFilter::new(&RedisBloomParameters::new(5_000, 0.01)).unwrap();
    for user in 0..5_000 {
        users.insert(format!("user-{user}").as_bytes()).unwrap();
    }
    bench.write("saved", users.to_bytes());
}

/// The files of `tables.md`: keys of several orders, with and without the bytes that databases add to keys; filters
/// under names that several programs use, and of prefixes by an unknown extractor.
pub(super) fn tables(bench: &Workbench) {
    const LEVELDB: &str = "leveldb.BuiltinBloomFilter2";
    let policy = policy();
    let keys = |bytes: fn(u64) -> Vec<u8>, most| (0..most).map(bytes).collect::<Vec<_>>();
    for (name, bytes) in [
        (
            "low",
            (|number| number.to_le_bytes().to_vec()) as fn(u64) -> Vec<u8>,
        ),
        ("high", |number| number.to_be_bytes().to_vec()),
    ] {
        bench.write(
            &format!("{name}.ldb"),
            table(&policy, LEVELDB, &[], &keys(bytes, 500), &[]),
        );
    }
    let by_length = |i: u64| i.to_string().into_bytes();
    let mut backwards = keys(by_length, 20);
    backwards.reverse();
    for (name, keys) in [
        ("length", keys(by_length, 1_000)),
        (
            "case",
            keys(
                |i| format!("{}{i:04}", if i % 20 == 7 { 'K' } else { 'k' }).into_bytes(),
                1_000,
            ),
        ),
        ("integers", keys(|i| (i << 8).to_le_bytes().to_vec(), 1_000)),
        (
            "versions",
            keys(|i| format!("key{:04}", i / 50).into_bytes(), 1_000),
        ),
        ("one-block", backwards),
    ] {
        bench.write(&format!("{name}.keys"), lines(&keys));
        let tagged = table(&policy, LEVELDB, &[], &keys, &[1, 7, 0, 0, 0, 0, 0, 0]);
        bench.write(&format!("{name}-with.ldb"), tagged);
        bench.write(
            &format!("{name}-without.ldb"),
            table(&policy, LEVELDB, &[], &keys, &[]),
        );
    }

    let keys = keys(
        |i| vec![b'k', 0x80 + (i / 100) as u8, 0xff - (i % 100) as u8],
        200,
    );
    bench.write("bytes.keys", lines(&keys));
    let signed = BloomFilterPolicy::with_hasher(Signed, 10.into());
    let arm = BashoFilterPolicy::with_murmur2(16.into());
    let cases: [(_, &dyn FilterPolicy, _, &[&str]); 5] = [
        ("own.ldb", &policy, "example.Own", &[]),
        ("signed.ldb", &signed, "leveldb.BuiltinBloomFilter", &[]),
        ("unsigned.ldb", &policy, "leveldb.BuiltinBloomFilter", &[]),
        // As Basho's LevelDB writes it on ARM.
        ("arm.sst", &arm, LEVELDB, &["stats.sst1"]),
        // RocksDB's by its properties, with filters as before 7.0.
        (
            "blocks.sst",
            &signed,
            "rocksdb.BuiltinBloomFilter",
            &["rocksdb.properties"],
        ),
    ];
    for (name, policy, stored_name, more) in cases {
        bench.write(
            name,
            table(policy, stored_name, more, &keys, &[1, 7, 0, 0, 0, 0, 0, 0]),
        );
    }
    bench.write("own-prefix.sst", with_own_extractor());
    let (mut file, mut filter) = (File::default(), Vec::new());
    let slices: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
    policies::reader("binaryfuse")
        .unwrap()
        .append_filter(&slices, &mut filter)
        .unwrap();
    let blocks = [
        ("fullfilter.binaryfuse", filter),
        ("rocksdb.properties", no_entries()),
    ];
    let metaindex = listed(&mut file, blocks);
    bench.write(
        "fuse.sst",
        file.finish_with_metaindex(&metaindex, StoredBlock::UNCOMPRESSED),
    );
}

fn lines(keys: &[Vec<u8>]) -> String {
    keys.iter().map(|key| hex(key) + "\n").collect()
}

/// The files of `inspect.md`: tables with filters of one byte or none, a thousand names for a filter, and blocks that are
/// huge holes.
pub(super) fn inspected(bench: &Workbench) {
    let with = |filters: &[(&str, &[u8])]| {
        let blocks = filters.iter().map(|(name, filter)| {
            let end = u32::try_from(filter.len()).unwrap().to_le_bytes();
            (*name, [filter, &[0; 4][..], &end, &[11]].concat())
        });
        let mut file = File::default();
        let metaindex = listed(&mut file, blocks);
        finish(file, &metaindex, &no_entries())
    };
    let everything = [
        ("filter.BloomFilter2", &MATCHES_EVERYTHING[..]),
        ("filter.Own\x1b", &[0, 31]),
    ];
    bench.write("open/000005.ldb", with(&everything));
    bench.write(
        "open/000007.ldb",
        with(&[("filter.BloomFilter2.Prefix.Fixed4", &[0xff, 6])]),
    );
    bench.write("unknown.ldb", with(&[("filter.example.Own", b"filter")]));

    let mut file = File::default();
    let handle = file.block(&[0xff, 6, 0, 0, 0, 0, 2, 0, 0, 0, 11], StoredBlock::UNCOMPRESSED);
    let inside = BlockHandle {
        offset: handle.offset + 1,
        size: 1,
    };
    let handles = [handle, inside].into_iter().cycle();
    let names = (0..1000).map(|name| format!("filter.{name:04}"));
    let metaindex: Vec<_> = names.zip(handles.map(encode)).collect();
    bench.write("many.ldb", finish(file, &entries(&metaindex), &no_entries()));

    let hole = 1 << 40;
    let mut file = File::default();
    let huge = |offset| {
        encode(BlockHandle {
            offset,
            size: MAX_BLOCK_BYTES + 1,
        })
    };
    let [metaindex, index] = [("filter.BloomFilter2", huge(1)), ("key", huge(0))].map(|entry| {
        let handle = file.block(&entries(&[entry]), StoredBlock::UNCOMPRESSED);
        BlockHandle {
            offset: hole + handle.offset,
            ..handle
        }
    });
    let mut table = Disk::create(bench.path("large.ldb")).unwrap();
    table.seek(SeekFrom::Start(hole)).unwrap();
    table.write_all(&file.finish(metaindex, index)).unwrap();
}

/// Returns a table of RocksDB with an unknown extractor of prefixes in its properties.
fn with_own_extractor() -> Vec<u8> {
    // As long as the name that it replaces.
    let name = b"rocksdb.OwnsPrefix..9";
    let mut bytes = golden("rocksdb/sst/fv5_bloom10_prefix9_only.sst");
    let table = RocksDbTable::open(bytes.clone()).unwrap();
    let properties = table
        .metaindex()
        .iter()
        .find(|entry| entry.key() == b"rocksdb.properties");
    let handle = properties.and_then(MetaindexEntry::handle).unwrap();
    let [start, len] = [handle.offset, handle.size].map(|number| usize::try_from(number).unwrap());
    let block = &mut bytes[start..start + len + TRAILER_LEN];
    let at = block
        .windows(name.len())
        .position(|window| window == b"rocksdb.FixedPrefix.9");
    block[at.unwrap()..][..name.len()].copy_from_slice(name);
    let checksum = block_checksum(&block[..len], 0);
    block[len + 1..].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

/// The files of `parquet.md`: a file of a filter of zeros, with other numbers of nulls among the 300 values.
pub(super) fn zeros(bench: &Workbench) {
    let whole = golden("parquet/filter_of_zeros.parquet");
    // The footer's statistics: field 3 is the number of nulls, and field 5 a text.
    let nulls = [0x1c, 0x36, 0, 0x28];
    let at = whole.windows(4).rposition(|bytes| bytes == nulls).unwrap();
    for (name, statistics) in [
        ("none", &nulls[..]),
        ("299", &[0x1c, 0x36, 0xd6, 0x04, 0x28]),
        ("300", &[0x1c, 0x36, 0xd8, 0x04, 0x28]),
        ("unknown", &[0x1c, 0x58]),
    ] {
        let mut file = whole.clone();
        file.splice(at..at + nulls.len(), statistics.iter().copied());
        let len = file.len() - 8;
        let footer = u32::from_le_bytes(file[len..len + 4].try_into().unwrap());
        let footer = footer + statistics.len() as u32 - nulls.len() as u32;
        file[len..len + 4].copy_from_slice(&footer.to_le_bytes());
        bench.write(&format!("zeros-{name}.parquet"), file);
    }
}
