//! Manifests and folders that are no sets: an error that names the file, and never a panic.

use std::fs;
use std::sync::LazyLock;

use filter_policy::policies;
use filter_sets::{
    Access, Error, FilterSet, Header, Manifest, Opening, StoredFile, StoredFilter, merge, merge_sets,
};
use serde_json::{Value, json};

use super::reseal::reseal;
use super::{build, build_file, builder, files, keys};

/// The manifest of a small set.
static MANIFEST: LazyLock<Value> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("set");
    let manifest = build(&builder("guava"), 2, &folder, &keys(0..100));
    serde_json::to_value(manifest).unwrap()
});

/// Returns a manifest with changes, `POINTER = VALUE; ...`: a value is JSON, or the pointer to one of the other
/// manifest's or, behind `own`, of this one's.
fn edited(manifest: &Value, other: &Value, changes: &str) -> Value {
    let mut edited = manifest.clone();
    for change in changes.split("; ") {
        let (pointer, value) = change.split_once(" = ").unwrap();
        let own = || manifest.pointer(value.strip_prefix("own ")?);
        let pointed = other.pointer(value).or_else(own).cloned();
        let value = pointed.unwrap_or_else(|| serde_json::from_str(value).unwrap());
        *edited.pointer_mut(pointer).unwrap() = value;
    }
    edited
}

#[test]
fn manifests_that_lie_are_refused() {
    let good = MANIFEST.clone();
    let read = |manifest: &Value| Manifest::from_bytes(&serde_json::to_vec(manifest).unwrap());
    assert!(read(&good).is_ok());
    let table = r#"
        /schema = "filter-set/3" => the schema must be filter-set/2
        /schema = null => the schema must be
        /format = "bloom" => the format must be known, got "bloom": known are leveldb, 
        /format = "range" => the format must be known, got "range": known are leveldb, 
        /format = "RangeFilter.SplitTrie1" => the format must be known, got "RangeFilter.SplitTrie1": known are leveldb, 
        /shard_function/hash = "crc32" => must be xxh3-64
        /shard_function/seed = -1 => -1
        /shards = [] => 1 to 4096 shards, got 0
        /shards/0/file = "" => plain name
        /shards/0/file = ".." => plain name
        /shards/0/file = "../shard" => plain name
        /shards/0/file = "/etc/passwd" => plain name
        /shards/0/file = "a/b" => plain name
        /shards/0/file = "a\\b" => plain name
        /shards/0/file = "c:b" => plain name
        /shards/0/file = "a\u0000" => plain name
        /shards/0/file = "manifest.json" => plain name
        /shards/0/file = /shards/1/file => another shard
        /shards/0/bytes = 18446744073709551615 => fewer than 2^64
        /shards/0/keys = 18446744073709551615 => fewer than 2^64
        /shards/0/bytes = 1.5 => 1.5
        /shards/0/sha256 = "00" => 64 hexadecimal digits
        /shards/0/rate = 1.5 => between 0 and 1
        /shards/0/rate = -0.1 => between 0 and 1"#;
    for line in table.trim().lines() {
        let (change, reason) = line.trim().split_once(" => ").unwrap();
        let error = read(&edited(&good, &good, change)).unwrap_err();
        assert!(error.to_string().contains(reason), "{line}: {error}");
    }
    let mut more = good.clone();
    more["shards"][0]["path"] = json!("x");
    assert!(read(&more).unwrap_err().to_string().contains("unknown field"));
    more = good;
    more["shards"] = Value::Array(vec![more["shards"][0].clone(); 65_537]);
    assert!(read(&more).unwrap_err().to_string().contains("got 65537"));
    for bytes in [&b""[..], b"{", b"[]", b"null", b"\xff", &b"[".repeat(10_000)] {
        assert!(Manifest::from_bytes(bytes).is_err());
    }
}

#[test]
fn shards_that_are_not_those_of_the_manifest_are_named() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("set");
    let manifest = build(&builder("leveldb"), 2, &folder, &keys(0..100));
    let shard = folder.join(&manifest.shards[1].file);
    let bytes = fs::read(&shard).unwrap();
    let damage = |reason: &str| {
        for access in [Access::Read, Access::Map] {
            let error = FilterSet::open(&folder, Opening { access, verify: true }).unwrap_err();
            assert!(matches!(error, Error::Damaged { .. }));
            let text = error.to_string();
            assert!(
                text.contains(&manifest.shards[1].file) && text.contains(reason),
                "{text}"
            );
        }
        let _ = fs::remove_file(&shard);
    };
    fs::remove_file(&shard).unwrap();
    damage("No such file");
    let stored = bytes.len() - Header::LEN;
    fs::write(&shard, &bytes[..bytes.len() - 1]).unwrap();
    damage(&format!(
        "must be {stored} as the header states, got {}",
        stored - 1
    ));
    fs::write(&shard, [&bytes[..], b"\0"].concat()).unwrap();
    damage("the length in bytes");
    fs::write(&shard, &bytes[..200]).unwrap();
    damage("the header must have 256 bytes, got 200");
    for (at, reason) in [
        (0, "its header must be at the beginning, unchanged"),
        (7, "the version of the header must be '1', got '0'"),
        (40, "the header's checksum"),
        (250, "the header's checksum"),
        (Header::LEN, "the filter's checksum"),
    ] {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        fs::write(&shard, changed).unwrap();
        damage(reason);
    }
    fs::write(&shard, &bytes[Header::LEN..]).unwrap();
    damage("must begin with the header");
    fs::write(place.path().join("elsewhere"), &bytes).unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(place.path().join("elsewhere"), &shard).unwrap();
        damage("plain file");
    }
    fs::create_dir(&shard).unwrap();
    damage("plain file");
    fs::remove_dir(&shard).unwrap();
    fs::write(&shard, &bytes).unwrap();
    assert!(FilterSet::open(&folder, Opening::default()).is_ok());
    // Without the checksum, other bytes of the same length pass for a format that reads any bytes.
    fs::write(&shard, [&bytes[..Header::LEN], &vec![0; stored]].concat()).unwrap();
    let opening = Opening {
        verify: false,
        ..Opening::default()
    };
    assert!(FilterSet::open(&folder, opening).is_ok());
    let missing = FilterSet::open(place.path().join("none"), opening).unwrap_err();
    assert!(matches!(missing, Error::NotFound { .. }));
    assert!(std::error::Error::source(&missing).is_some());
}

#[test]
fn a_manifest_that_was_edited_is_refused_whether_or_not_its_checksum_fits() {
    let place = tempfile::tempdir().unwrap();
    let [folder, other, out] = ["set", "other", "out"].map(|name| place.path().join(name));
    let stored = keys(0..4_000);
    build(&builder("guava").capacity(1_000), 4, &folder, &stored);
    // Of the same shape, with other keys.
    build(&builder("guava").capacity(1_000), 4, &other, &keys(4_000..8_000));
    for (name, bytes) in files(&other).iter().filter(|(name, _)| *name != "manifest.json") {
        fs::write(folder.join(name), bytes).unwrap();
    }
    let path = folder.join("manifest.json");
    let good: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let others: Value = serde_json::from_slice(&fs::read(other.join("manifest.json")).unwrap()).unwrap();
    let open = || {
        FilterSet::open(
            &folder,
            Opening {
                access: Access::Map,
                verify: false,
            },
        )
    };
    let set = open().unwrap();
    // Shards of this set by their numbers, and of the other behind a plus.
    let lists = [
        "0 2 1 3",
        "3 2 1 0",
        "1 2 3",
        "0 1 2",
        "0 1",
        "0",
        "0 1 2 3 +0",
        "0 1 2 3 +0 +1 +2 +3",
        "0 +2 2 3",
    ];
    // A shard of the other set in its own place is seen by the checksum alone.
    let in_place = ["0 +1 2 3", "0 +1 +2 +3"];
    let listed = |list: &str| {
        let shard = |name: &str| match name.strip_prefix('+') {
            Some(number) => others["shards"][number.parse::<usize>().unwrap()].clone(),
            None => good["shards"][name.parse::<usize>().unwrap()].clone(),
        };
        let mut json = good.clone();
        json["shards"] = list.split(' ').map(shard).collect();
        json
    };
    let changes = r#"
        /shards/1/file = /shards/1/file
        /shards/0/file = own /shards/1/file; /shards/1/file = own /shards/0/file
        /shard_function/seed = 126892148679796
        /shard_function/seed = 0
        /format = "blocked"
        /format = "leveldb.BuiltinBloomFilter2"
        /key_kind = "long"
        /shards/3/keys = 1
        /shards/3/bytes = 7
        /shards/2/sha256 = "0000000000000000000000000000000000000000000000000000000000000000"
        /shards/2/sha256 = own /shards/1/sha256
        /shards/0/rate = 0.25
        /shards/0/rate = null"#;
    let refused = |what: &str, text: &str, named: &str| {
        fs::write(&path, text).unwrap();
        let merged = merge_sets(&[&folder, &folder], &out).map(drop);
        // What shows a set.
        let shown = Manifest::read(&folder).and_then(|manifest| {
            let mut all = 0..manifest.shards.len();
            all.try_for_each(|shard| manifest.open_shard(shard, &folder, Opening::default()).map(drop))
        });
        for result in [open().map(drop), set.reload().map(drop), merged, shown] {
            let error = result.expect_err(what);
            assert!(matches!(error, Error::Damaged { .. }), "{what}: {error}");
            assert!(error.to_string().contains(named), "{what}: {error}");
        }
        assert!(!out.join("manifest.json").exists(), "{what}");
        assert!(set.contains_many(&stored).iter().all(|&found| found));
    };
    let changed = |change: &'static str| (change.trim(), edited(&good, &others, change.trim()));
    let listed = |list| (list, listed(list));
    for (what, mut json) in (changes.trim().lines().map(changed)).chain(lists.map(listed)) {
        refused(what, &json.to_string(), "manifest.json: ");
        // A manifest with a checksum that fits is a builder's, if its shards are those of their places.
        reseal(&mut json);
        refused(what, &json.to_string(), ".filter: ");
    }
    for (what, json) in in_place.map(listed) {
        refused(what, &json.to_string(), "manifest.json: ");
    }
    let text = good.to_string();
    for (from, to) in [
        ("{", "{\"more\":1,"),
        ("{", "{\"format\":\"guava\","),
        ("checksum", "sum"),
        ("filter-set/2", "filter-set/1"),
    ] {
        refused(to, &text.replacen(from, to, 1), "manifest.json: ");
    }
    // The values count, not their spelling.
    fs::write(&path, good.to_string()).unwrap();
    assert!(!set.reload().unwrap());
    // A pipe would be waited for; a folder is refused by the same check.
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    let error = FilterSet::open(&folder, Opening::default())
        .unwrap_err()
        .to_string();
    assert!(error.ends_with("manifest.json: must be a plain file"), "{error}");
}

#[test]
fn a_file_that_is_open_shows_what_it_is_before_it_is_read() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("filter");
    build_file(builder("guava").file(&path).unwrap(), &keys(0..10));
    let file = StoredFile::open(&path).unwrap();
    let count = file.header().map(|header| header.keys);
    assert_eq!((count, file.format()), (Some(10), Some(&super::format("guava"))));
    let mut bytes = fs::read(&path).unwrap();
    assert_eq!(file.head(), &bytes[..file.head().len()]);
    // Not opened again: the path may have another file meanwhile.
    fs::remove_file(&path).unwrap();
    assert!(file.filter(None, Opening::default()).unwrap().contains("key0"));
    bytes[100] ^= 1;
    fs::write(&path, &bytes).unwrap();
    let file = StoredFile::open(&path).unwrap();
    assert!(file.is_filter() && file.header().is_none() && file.format().is_none());
    let damaged = file.filter(None, Opening::default()).unwrap_err();
    assert!(matches!(damaged, Error::Damaged { .. }), "{damaged}");
    bytes.insert(0, 0);
    fs::write(&path, &bytes).unwrap();
    assert!(!StoredFile::open(&path).unwrap().is_filter());
    let folder = StoredFile::open(place.path()).unwrap_err();
    assert!(matches!(folder, Error::WrongFormat { .. }), "{folder}");
}

/// Opens a filter's file under wrong formats, changed, and cut.
#[test]
fn a_file_states_its_format() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("filter");
    let stored = keys(0..1_000);
    let open = |format: Option<&str>| {
        let format = format.map(super::format);
        StoredFilter::open(&path, format.as_ref(), Opening::default())
    };
    let mut numbers = builder("bloom64").key_kind("long").unwrap().file(&path).unwrap();
    numbers.insert(&7_u64.to_le_bytes()).unwrap();
    let error = numbers.insert("7").unwrap_err().to_string();
    assert!(error.contains("must be an integer or its 8 bytes"), "{error}");
    for name in super::names().filter(|&name| name != "split-block-xxph3") {
        build_file(
            builder(name).key_kind("binary").unwrap().file(&path).unwrap(),
            &stored,
        );
        let filter = open(None).unwrap();
        assert_eq!(filter.header().unwrap().key_kind, "binary");
        assert!(stored.iter().all(|key| filter.contains(key)) && open(Some(name)).is_ok());
        let error = open(Some("split-block-xxph3")).unwrap_err().to_string();
        assert!(error.contains("as in the header, got"), "{error}");
        let bytes = fs::read(&path).unwrap();
        // Without a header, where the bytes identify the format.
        let (row, stored) = (
            policies::listed(super::format(name).name()),
            &bytes[Header::LEN..],
        );
        if super::format(name).is_known_by_bytes() || row.is_some_and(|row| row.owns(stored)) {
            let other = super::format("split-block-xxph3");
            let error = StoredFilter::from_bytes(Some(&other), stored.to_vec())
                .unwrap_err()
                .to_string();
            assert!(
                error.contains(&format!("its bytes are of the format {name:?}")),
                "{error}"
            );
        }
        for len in 0..bytes.len() {
            // Without its header, the file is any bytes.
            let cut = StoredFilter::from_bytes(None, bytes[..len].to_vec());
            assert!(cut.is_err(), "{name}: {len}");
        }
        // Nor is a changed header taken for bits, or one behind other bytes, and no bit of the filter is taken for
        // another.
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 0x20;
            let moved = [&vec![0; at % 249 + 1], &bytes[..]].concat();
            for bytes in [changed, moved] {
                let read = StoredFilter::from_bytes(Some(&super::format(name)), bytes);
                assert!(read.is_err(), "{name}: {at}");
            }
        }
    }
    // Shards are queried through their set.
    let folder = place.path().join("set");
    let manifest = build(&builder("leveldb"), 2, &folder, &stored);
    let shard = folder.join(&manifest.shards[1].file);
    let error = StoredFilter::open(&shard, None, Opening::default())
        .unwrap_err()
        .to_string();
    assert!(error.contains("is shard 1 of a set of 2"), "{error}");
}

/// Tables and Parquet files, also those that were cut, would deny every key as filters of policies.
#[test]
fn tables_and_parquet_files_are_no_filters_of_any_format() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("file");
    let data = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../filters/filter-policy/tests/data"
    );
    let file = fs::read(format!("{data}/parquet/values.parquet")).unwrap();
    let with = |start: &[u8], end: &[u8]| [start, &file[start.len()..640 - end.len()], end].concat();
    let mut files = vec![
        with(b"PAR1", b"PAR1"),
        with(b"PARE", b"PARE"),
        // Footers in plain text over encrypted columns.
        with(b"PAR1\x5a\x01\0\0", b""),
        with(b"PARE\x1d\0\0\0", b""),
    ];
    files.extend((1..20).map(|blocks| file[..32 * blocks].to_vec()));
    let parquet = files.len();
    let magics = "57fb808b247547db f7cff485b741e288 6495bf6396224282 b8138f7aeb18344f 7378f1c5d0896792 f09faab3f09faab3";
    files.extend(
        magics
            .split(' ')
            .map(|magic| with(b"", &hex::decode(magic).unwrap())),
    );
    for (number, bytes) in files.into_iter().enumerate() {
        fs::write(&path, &bytes).unwrap();
        let map = Opening {
            access: Access::Map,
            verify: false,
        };
        for format in super::names().map(super::format).map(Some).chain([None]) {
            let format = format.as_ref();
            for refused in [
                StoredFilter::from_bytes(format, bytes.clone()).map(drop),
                StoredFilter::open(&path, format, Opening::default()).map(drop),
                StoredFilter::open(&path, format, map).map(drop),
                merge(format, &[&path, &path], place.path().join("merged"), true),
            ] {
                let error = refused.unwrap_err();
                let what = if number < parquet {
                    "parquet_row_groups"
                } else {
                    "is a table"
                };
                let is_named = matches!(error, Error::WrongFormat { .. }) && error.to_string().contains(what);
                assert!(is_named, "{number}, {format:?}: {error}");
            }
        }
    }
    // Four bytes can be those of a filter.
    let split_block = super::format("parquet");
    for filter in [
        [b"PAR1", &[0x51; 28][..]].concat(),
        [&[0x51; 28], &b"PAR1"[..]].concat(),
    ] {
        assert!(StoredFilter::from_bytes(Some(&split_block), filter).is_ok());
    }
}

#[test]
fn lengths_that_no_policy_writes_are_refused() {
    for name in super::names().filter(|name| !super::format(name).is_known_by_bytes()) {
        let format = super::format(name);
        let read = |bytes: &[u8]| StoredFilter::from_bytes(Some(&format), bytes.to_vec());
        assert!(read(&[]).is_err(), "{name}");
        // No filter has so few bytes, except the one that stands for none.
        for len in 1..9 {
            for last in [6, 30, 0x84, 0xff] {
                let mut bytes = vec![0; len];
                bytes[len - 1] = last;
                assert_eq!(read(&bytes).is_ok(), bytes == [0, 0xff], "{name}: {bytes:?}");
            }
        }
        assert!(read(&[0, 0xff]).unwrap().contains(b"key"), "{name}");
    }
}
