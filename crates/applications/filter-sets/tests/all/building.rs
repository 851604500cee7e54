//! Building: order, repeats and memory change no byte; old and new sets; locks; limits.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use filter_sets::{Access, Builder, Error, FilterSet, MIN_MEMORY, Opening, ShardFunction, Size, merge};

use super::{build, build_file, builder, files, format, keys};

/// Returns a builder for keys of the kind `long`.
fn long(format: &str) -> Builder {
    builder(format).key_kind("long").unwrap()
}

/// Returns keys of the kind `long`.
fn numbers() -> Vec<Vec<u8>> {
    (0..1_000_u64).map(|id| id.to_le_bytes().to_vec()).collect()
}

/// Keys that do not fit into half of the least memory.
#[test]
fn order_repeats_and_memory_change_no_byte() {
    let place = tempfile::tempdir().unwrap();
    for (name, count) in [("ribbon", 700_000_u32), ("leveldb", 300_000), ("spark", 700_000)] {
        let [one, another] = ["once", "spilled"].map(|folder| place.path().join(folder));
        let mut once = builder(name).set(&one, 4).unwrap();
        let small = builder(name).memory(MIN_MEMORY).unwrap();
        let mut spilled = small.set(&another, 4).unwrap();
        for id in 0..count {
            once.insert(&id.to_le_bytes()).unwrap();
            // Backwards, with repeats near and far.
            let id = count - 1 - id;
            for id in [id, id, id % 1_000] {
                spilled.insert(&id.to_le_bytes()).unwrap();
            }
        }
        let once = once.finish(&|_| true).unwrap();
        let spilled = spilled.finish(&|_| true).unwrap();
        assert_eq!(once.len(), u64::from(count), "{name}");
        assert!(once == spilled, "{name}");
        assert!(files(&one) == files(&another));
    }
}

#[test]
fn a_file_that_was_made_in_between_is_kept() {
    let place = tempfile::tempdir().unwrap();
    let [path, other] = ["filter", "other"].map(|name| place.path().join(name));
    build_file(builder("guava").file(&other).unwrap(), &keys(0..10));
    let new = builder("guava").replace(false);
    for building in [new.file(&path).unwrap(), new.raw_file(&path).unwrap()] {
        fs::write(&path, "mine").unwrap();
        let error = building.finish(&|_| true).unwrap_err();
        assert!(matches!(error, Error::InvalidArgument { .. }), "{error}");
        assert!(merge(None, &[&other, &other], &path, false).is_err());
        assert_eq!(fs::read(&path).unwrap(), b"mine");
    }
    build_file(builder("guava").file(&path).unwrap(), &keys(0..10));
    assert!(files(place.path())["filter"] == files(place.path())["other"]);
}

#[test]
fn readers_go_on_while_the_set_is_replaced() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("set");
    let (all, ends) = (keys(0..4_000), AtomicBool::new(false));
    build(&builder("bloom64"), 3, &folder, &all[..1_000]);
    for access in [Access::Read, Access::Map] {
        let opening = Opening {
            access,
            ..Opening::default()
        };
        let set = FilterSet::open(&folder, opening).unwrap();
        thread::scope(|scope| {
            scope.spawn(|| {
                while !ends.load(Ordering::Relaxed) {
                    assert!(set.contains_many(&all[..1_000]).iter().all(|&found| found));
                    FilterSet::open(&folder, opening).unwrap();
                }
            });
            for count in [2_000, 3_000, 4_000, 1_000] {
                let manifest = build(&builder("bloom64"), 3, &folder, &all[..count]);
                assert!(set.reload().unwrap() && !set.reload().unwrap());
                assert_eq!(set.generation().manifest(), &manifest);
                assert!(set.contains(&all[count - 1]));
                // The manifest and its shards, and nothing of the old set.
                assert_eq!(files(&folder).len(), 4);
            }
            ends.store(true, Ordering::Relaxed);
        });
        ends.store(false, Ordering::Relaxed);
    }
    // A damaged set leaves the old one in place, and so does one whose keys have another form.
    let set = FilterSet::open(&folder, Opening::default()).unwrap();
    build(&long("bloom64"), 3, &folder, &numbers());
    let refused = set.reload().unwrap_err();
    assert!(matches!(refused, Error::Incompatible { .. }));
    let reason = "must be \"line\" as in the set that is open, got \"long\"";
    assert!(refused.to_string().contains(reason), "{refused}");
    assert!(set.contains(&all[0]));
    fs::write(folder.join("manifest.json"), "{}").unwrap();
    assert!(matches!(set.reload().unwrap_err(), Error::Damaged { .. }));
    assert!(set.contains(&all[0]));
}

/// Keys that a filter cannot hold, in another form or of another shard, are not denied: the caller has mistaken the
/// filter.
#[test]
fn a_key_of_another_form_or_shard_may_be_contained() {
    let place = tempfile::tempdir().unwrap();
    let all = vec![true; 1_000];
    // The last ones have as many bytes as a number.
    let texts: Vec<String> = (0..500)
        .chain(12_345_000..12_345_500)
        .map(|id: u32| id.to_string())
        .collect();
    for (name, shards) in [("bloom64", 1), ("guava", 4)] {
        let folder = place.path().join(name);
        build(&long(name), shards, &folder, &numbers());
        let set = FilterSet::open(&folder, Opening::default()).unwrap();
        assert!(texts.iter().all(|text| set.contains(text)) && set.contains_many(&texts) == all);
        let bytes = texts.iter().map(String::as_bytes);
        assert!(bytes.clone().all(|text| set.contains(text)) && set.contains_many(bytes) == all);
        for shard in set.generation().shards() {
            assert!(numbers().iter().all(|key| shard.contains(key)));
            assert_eq!(shard.contains_many(&numbers()), all);
        }
        let others = (1_000_u64..2_000)
            .filter(|id| set.contains(&id.to_le_bytes()))
            .count();
        assert!(others < 50, "{others}");
    }
}

#[test]
fn two_builders_exclude_each_other_and_what_was_left_is_removed() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("set");
    let first = builder("guava").set(&folder, 2).unwrap();
    let second = builder("guava").set(&folder, 2).map(|_| ()).unwrap_err();
    assert!(matches!(second, Error::Locked { .. }));
    // The folder was made for nothing.
    drop(first);
    assert!(!folder.exists());
    // Left by a build that was killed, or the shards of another machine. A build that ends early keeps them, and the others remove
    // them.
    fs::create_dir(&folder).unwrap();
    for name in ["shard-00000-0123456789abcdef.filter", ".tmpA1b2C3"] {
        fs::write(folder.join(name), "left").unwrap();
    }
    let check_stopped = || {
        let before = files(&folder);
        let mut building = builder("guava").set(&folder, 2).unwrap();
        let is_of_second = |key: &Vec<u8>| ShardFunction::default().shard_of(key, 2) == 1;
        let second = keys(0..9).into_iter().find(is_of_second);
        building.insert(&second.unwrap()).unwrap();
        // The first shard, which has no keys, is written before.
        let stopped = building.finish(&|keys| keys == 0).unwrap_err();
        assert!(matches!(stopped, Error::Stopped));
        let wrong = Builder::new(format("leveldb"), Size::Bits(64)).set(&folder, 2);
        assert!(wrong.is_err());
        assert!(before == files(&folder));
    };
    check_stopped();
    let manifest = build(&builder("guava"), 2, &folder, &keys(0..10));
    let mut expected: Vec<_> = manifest.shards.iter().map(|shard| shard.file.as_str()).collect();
    expected.insert(0, "manifest.json");
    assert_eq!(files(&folder).keys().collect::<Vec<_>>(), expected);
    // A damaged shard is written anew.
    let before = files(&folder);
    fs::write(folder.join(&manifest.shards[0].file), "damaged").unwrap();
    build(&builder("guava"), 2, &folder, &keys(0..10));
    assert!(before == files(&folder));
    check_stopped();
}

#[test]
fn foreign_folders_are_left_alone() {
    let place = tempfile::tempdir().unwrap();
    let refused = |name: &str, text: &str| {
        let folder = place.path().join(name);
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join(name), text).unwrap();
        let error = builder("guava").set(&folder, 2).map(|_| ()).unwrap_err();
        assert!(matches!(error, Error::InvalidArgument { .. }), "{error}");
        assert_eq!(fs::read_to_string(folder.join(name)).unwrap(), text);
        error.to_string()
    };
    for name in [
        "notes.txt",
        "shard-notes.filter",
        "shard-my-notes.filter",
        ".tmp-draft",
    ] {
        assert!(refused(name, "mine").contains(name));
    }
    assert!(refused("manifest.json", r#"{"schema": "other"}"#).contains("it is not replaced"));
    fs::write(place.path().join("file"), "mine").unwrap();
    assert!(builder("guava").set(place.path().join("file"), 2).is_err());
}

#[test]
fn a_filter_that_is_too_large_for_the_memory_is_refused_with_advice() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large");
    for (name, count) in [("binaryfuse", 300_000_u32), ("leveldb", 1_700_000)] {
        let builder = builder(name).memory(MIN_MEMORY).unwrap();
        let keys: Vec<Vec<u8>> = (0..count).map(|id| id.to_le_bytes().to_vec()).collect();
        let mut building = builder.file(&path).unwrap();
        keys.iter().for_each(|key| building.insert(key).unwrap());
        let error = building.finish(&|_| true).unwrap_err();
        let Error::MemoryTooSmall {
            memory,
            shards: Some(shards),
            ..
        } = error
        else {
            panic!("{error}");
        };
        assert!(shards < 8 && memory > MIN_MEMORY, "{error}");
        build(&builder, shards, &folder.path().join(name), &keys);
    }
    // More shards are no help if the size or the capacity is given.
    for large in [
        Builder::new(format("spark"), Size::Bits(1 << 30)),
        builder("counting").capacity(1_000_000_000),
    ] {
        let building = large.memory(MIN_MEMORY).unwrap().file(&path).unwrap();
        let error = building.finish(&|_| true).unwrap_err();
        assert!(
            matches!(error, Error::MemoryTooSmall { shards: None, .. }),
            "{error}"
        );
        assert!(!path.exists());
    }
    assert!(builder("guava").memory(1).is_err() && builder("guava").set(&path, 0).is_err() && !path.exists());
}
