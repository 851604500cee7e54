//! Filters built in memory: the bytes of files, their answers, clones and merging; keys in every form.

use std::fs;
use std::sync::atomic::{AtomicU64, Ordering};

use filter_sets::{
    Access, Builder, Error, FilterSet, MIN_MEMORY, Opening, SetKey, Size, StoredFilter, StoredFormat, merge,
};
use membership_filters::Encoding;

use super::{build, build_file, builder, format, keys, names};

/// Builds a filter in memory of these keys.
fn in_memory(builder: &Builder, keys: &[Vec<u8>]) -> StoredFilter {
    let mut building = builder.in_memory().unwrap();
    keys.iter().for_each(|key| building.insert(key).unwrap());
    building.finish(&|_| true).unwrap()
}

#[test]
fn the_bytes_and_answers_are_those_of_a_file() {
    let place = tempfile::tempdir().unwrap();
    let [file, raw, saved] = ["file", "raw", "saved"].map(|name| place.path().join(name));
    let (all, queried) = (keys(0..3_000), keys(0..9_000));
    let twice = [all.clone(), all.clone()].concat();
    for format in StoredFormat::all() {
        let builder = Builder::new(format.clone(), Size::BitsPerKey(10.0));
        for stored in [&[], &all[..1], &all, &twice] {
            let at = format!("{format}, {} keys", stored.len());
            let described = build_file(builder.file(&file).unwrap(), stored);
            build_file(builder.raw_file(&raw).unwrap(), stored);
            let (built, bytes) = (in_memory(&builder, stored), fs::read(&file).unwrap());
            assert!(built.to_bytes() == bytes, "{at}");
            assert!(built.stored_bytes() == fs::read(&raw).unwrap(), "{at}");
            assert_eq!(built.key_count(), Some(described.keys), "{at}");
            let answers = built.contains_many(&queried);
            for access in [Access::Read, Access::Map] {
                let opening = Opening { access, verify: true };
                let opened = StoredFilter::open(&file, None, opening).unwrap();
                assert_eq!(
                    (built.format(), built.header(), built.fill()),
                    (&format, opened.header(), opened.fill()),
                    "{at}"
                );
                assert_eq!(answers, opened.contains_many(&queried), "{at}");
            }
            assert!(stored.iter().all(|key| built.contains(key)), "{at}");
            // No keys make a filter that denies all.
            assert_eq!(stored.is_empty(), !answers.contains(&true), "{at}");
            built.save(&saved, true).unwrap();
            assert!(fs::read(&saved).unwrap() == bytes, "{at}");
            let kept = built.save(&saved, false).unwrap_err();
            assert!(matches!(kept, Error::InvalidArgument { .. }), "{kept}");
            let read = StoredFilter::from_bytes(None, bytes).unwrap();
            assert!(read.to_bytes() == built.to_bytes(), "{at}");
        }
    }
}

#[test]
fn clones_change_alone_and_merge_as_files_do() {
    let place = tempfile::tempdir().unwrap();
    let [one, two, both] = ["one", "two", "both"].map(|name| place.path().join(name));
    let (all, mut merged_formats) = (keys(0..2_000), 0);
    for name in names() {
        let format = format(name);
        let by_keys = Builder::new(format.clone(), Size::BitsPerKey(60.0));
        let with_capacity = by_keys.clone().capacity(1_000);
        let builder = match with_capacity.in_memory() {
            Ok(_) => with_capacity,
            Err(_) => by_keys,
        };
        let first = in_memory(&builder, &all[..1_000]);
        let (second, before) = (in_memory(&builder, &all[1_000..]), first.to_bytes());
        let mut merged = first.clone();
        assert!(merged.to_bytes() == before, "{name}");
        let result = merged.merge(&second);
        assert!(first.to_bytes() == before, "{name}");
        first.save(&one, true).unwrap();
        second.save(&two, true).unwrap();
        let of_files = merge(None, &[&one, &two], &both, true);
        match (result, of_files) {
            (Ok(()), Ok(())) => {
                merged_formats += 1;
                assert!(merged.to_bytes() == fs::read(&both).unwrap(), "{name}");
                assert!(all.iter().all(|key| merged.contains(key)), "{name}");
                let hits = merged
                    .contains_many(&keys(9_000..19_000))
                    .into_iter()
                    .filter(|&hit| hit);
                assert!(hits.count() < 1_000, "{name}");
                assert_eq!(merged.key_count(), Some(2_000), "{name}");
                // The header states what follows it.
                StoredFilter::from_bytes(None, merged.to_bytes()).unwrap();
            }
            (Err(error), Err(of_files)) => {
                assert!(matches!(error, Error::InvalidArgument { .. }), "{error}");
                assert!(of_files.to_string().contains(&error.to_string()), "{of_files}");
                assert!(merged.to_bytes() == before, "{name}");
            }
            (error, of_files) => panic!("{name}: {error:?}, {of_files:?}"),
        }
    }
    assert!(merged_formats >= 15, "{merged_formats}");
    let set = place.path().join("set");
    build(&builder("guava").capacity(100), 2, &set, &all[..10]);
    let set = FilterSet::open(&set, Opening::default()).unwrap();
    let generation = set.generation();
    let [first, second] = generation.shards() else {
        panic!("two shards");
    };
    // A shard denies no key of another.
    let slices: Vec<&[u8]> = all[..10].iter().map(Vec::as_slice).collect();
    assert_eq!(first.contains_encoded(&slices), [true; 10]);
    let error = first.clone().merge(second).unwrap_err().to_string();
    assert!(error.contains("shard 0 of 2, got"), "{error}");
}

/// With enough memory, parts of the filter are filled one after the other.
#[test]
fn filters_larger_than_the_caches_have_the_same_bytes_in_little_memory() {
    const CAPACITY: u64 = 60_000_000;
    let large = builder("guava").capacity(CAPACITY);
    let little = large.clone().memory(150 << 20).unwrap();
    let build = |builder: &Builder| {
        let mut building = builder.in_memory().unwrap();
        for id in 0..400_000_i64 {
            building.insert(&id.to_le_bytes()).unwrap();
        }
        building
    };
    let [one, other] = [&large, &little].map(|builder| build(builder).finish(&|_| true).unwrap());
    assert!(one.to_bytes().len() > 64 << 20 && one.to_bytes() == other.to_bytes());
    for builder in [large, little] {
        // Half of the keys are in.
        let inserted = AtomicU64::new(0);
        let go_on = |keys| inserted.fetch_add(keys, Ordering::Relaxed) < 200_000;
        let stopped = build(&builder).finish(&go_on);
        assert!(matches!(stopped.unwrap_err(), Error::Stopped));
        assert!(inserted.into_inner() < 210_000);
    }
}

/// The hash values of these keys take all of the half for keys, and those of 64 bits are not copied.
#[test]
fn the_memory_for_keys_is_enough_for_the_filters_of_engines() {
    for name in ["leveldb", "split-block"] {
        let mut building = builder(name).memory(MIN_MEMORY).unwrap().in_memory().unwrap();
        for id in 0..MIN_MEMORY / 16 {
            building.insert(&id.to_le_bytes()).unwrap();
        }
        let filter = building.finish(&|_| true).unwrap();
        assert_eq!(filter.key_count(), Some(MIN_MEMORY / 16));
    }
}

/// More than half of the least memory.
#[test]
fn hash_values_that_do_not_fit_go_to_files() {
    let small = builder("spark").memory(MIN_MEMORY).unwrap();
    let [mut spilled, mut once] = [&small, &builder("spark")].map(|builder| builder.in_memory().unwrap());
    for id in 0..1_200_000_i64 {
        spilled.insert(&id.to_le_bytes()).unwrap();
        once.insert(&id.to_le_bytes()).unwrap();
    }
    let [spilled, once] = [spilled, once].map(|building| building.finish(&|_| true).unwrap());
    assert!(spilled.to_bytes() == once.to_bytes());
    for format in StoredFormat::all() {
        let builder = Builder::new(format, Size::BitsPerKey(10.0));
        let stopped = builder.in_memory().unwrap().finish(&|_| false);
        assert!(matches!(stopped.unwrap_err(), Error::Stopped));
        // Counting goes on, building does not.
        let mut building = builder.in_memory().unwrap();
        building.insert(&7_i64.to_le_bytes()).unwrap();
        let stopped = building.finish(&|keys| keys == 0);
        assert!(matches!(stopped.unwrap_err(), Error::Stopped));
    }
    let large = builder("counting").capacity(1_000_000_000);
    let large = large.memory(MIN_MEMORY).unwrap().in_memory().unwrap();
    let refused = large.finish(&|_| true).unwrap_err();
    assert!(matches!(refused, Error::MemoryTooSmall { .. }), "{refused}");
}

/// The encoding is said once, by the format or by the kind of key.
#[test]
fn keys_of_every_form_are_found_and_others_never_denied() {
    let place = tempfile::tempdir().unwrap();
    let wide = i64::MIN + 1;
    let stored: [(Encoding, &str, &[SetKey<'_>], &[SetKey<'_>]); 4] = [
        (
            Encoding::BYTES,
            "line",
            &["é".into(), b"\xff\0".into(), "12345678".into()],
            &[7.into()],
        ),
        (
            Encoding::INT64,
            "long",
            &[7.into(), wide.into(), b"\0\x01\x02\x03\x04\x05\x06\x07".into()],
            &["7".into(), "12345678".into(), b"7".into()],
        ),
        (
            Encoding::INT32,
            "int",
            &[7.into(), (-7).into(), b"\0\x01\x02\x03".into()],
            &["7".into(), "1234".into(), b"12345".into(), wide.into()],
        ),
        (
            Encoding::UTF16_UNITS,
            "utf-16",
            &["é\u{1f40b}".into(), b"\x07\0".into()],
            &[7.into(), b"odd".into()],
        ),
    ];
    for (name, (encoding, kind, given, other)) in
        names().flat_map(|name| stored.map(move |stored| (name, stored)))
    {
        let at = format!("{name}, {encoding}");
        let of_format = Builder::new(format(name).encoding(encoding), Size::BitsPerKey(20.0));
        if encoding == Encoding::INT32 && name.starts_with("spark") {
            let refused = of_format.in_memory().map(drop).unwrap_err().to_string();
            assert!(refused.contains("must be of the type long, got int"), "{refused}");
            continue;
        }
        let mut building = of_format.in_memory().unwrap();
        given.iter().for_each(|&key| building.insert(key).unwrap());
        for &key in other {
            let refused = building.insert(key).unwrap_err().to_string();
            assert!(refused.contains("the key must be "), "{refused}");
            assert!(refused.ends_with(&format!("got {key}")), "{refused}");
        }
        let built = building.finish(&|_| true).unwrap();
        let header = built.header().unwrap();
        assert_eq!(
            (&*header.key_kind, header.keys),
            (kind, given.len() as u64),
            "{at}"
        );
        let by_kind = Builder::new(format(name), Size::BitsPerKey(20.0)).key_kind(kind);
        if kind != "line" {
            let mut building = by_kind.unwrap().in_memory().unwrap();
            given.iter().for_each(|&key| building.insert(key).unwrap());
            let by_kind = building.finish(&|_| true).unwrap();
            assert!(by_kind.to_bytes() == built.to_bytes(), "{at}");
        }
        let folder = place.path().join(format!("{name}-{encoding}"));
        let mut set = of_format.set(&folder, 2).unwrap();
        given.iter().for_each(|&key| set.insert(key).unwrap());
        assert!(set.insert(other[0]).is_err(), "{at}");
        set.finish(&|_| true).unwrap();
        let set = FilterSet::open(&folder, Opening::default()).unwrap();
        let read = StoredFilter::from_bytes(None, built.to_bytes()).unwrap();
        let bare = StoredFilter::from_bytes(Some(&format(name).encoding(encoding)), built.stored_bytes());
        let bare = bare.unwrap();
        let all: Vec<_> = given.iter().chain(other).copied().collect();
        for filter in [&built, &read, &bare] {
            assert!(all.iter().all(|&key| filter.contains(key)), "{at}");
            assert!(
                filter
                    .contains_many(all.iter().copied())
                    .iter()
                    .all(|&found| found),
                "{at}"
            );
        }
        assert!(all.iter().all(|&key| set.contains(key)), "{at}");
        assert!(
            set.contains_many(all.iter().copied()).iter().all(|&found| found),
            "{at}"
        );
        let absent = (1_000..2_000_i64).filter(|&key| match encoding {
            Encoding::INT64 | Encoding::INT32 => read.contains(key),
            _ => read.contains(&key.to_string()),
        });
        assert!(absent.count() < 200, "{at}");
    }
    for (encoding, kind) in [
        (Encoding::INT64, "int"),
        (Encoding::INT64, "line"),
        (Encoding::INT32, "long"),
        (Encoding::UTF16_UNITS, "long"),
    ] {
        let builder = Builder::new(format("blocked").encoding(encoding), Size::Rate(0.01));
        let error = builder.key_kind(kind).unwrap_err().to_string();
        assert!(error.starts_with("the kind of keys that are "), "{error}");
    }
}

/// A filter that was read is the one that was built, and only filters of one encoding become one.
#[test]
fn encodings_are_kept_by_reading_and_refused_by_merging() {
    let numbers = [7, -7, 1 << 20];
    for name in names().filter(|name| !name.starts_with("spark")) {
        let build = |encoding| {
            let builder = Builder::new(format(name).encoding(encoding), Size::BitsPerKey(60.0));
            let mut building = builder.in_memory().unwrap();
            numbers
                .iter()
                .for_each(|&number| building.insert(number).unwrap());
            building.finish(&|_| true).unwrap()
        };
        let [mut long, int] = [Encoding::INT64, Encoding::INT32].map(build);
        let read = StoredFilter::from_bytes(None, long.to_bytes()).unwrap();
        assert_eq!(read.contains_many(numbers), [true; 3], "{name}");
        let merges = long.clone().merge(&long.clone()).is_ok();
        assert_eq!(long.merge(&read).is_ok(), merges, "{name}");
        assert!(long.merge(&int).is_err(), "{name}");
        let raw =
            |filter: &StoredFilter| StoredFilter::from_bytes(Some(filter.format()), filter.stored_bytes());
        let error = raw(&long)
            .unwrap()
            .merge(&raw(&int).unwrap())
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("must be alike") && error.contains("32-bit integers"),
            "{name}: {error}"
        );
        // The header says what the filter contradicts.
        let mut edited = long.to_bytes();
        edited[176..180].copy_from_slice(b"int\0");
        let sum = hashzoo::xxh3_64(&edited[..248], 0);
        edited[248..256].copy_from_slice(&sum.to_le_bytes());
        let opened = StoredFilter::from_bytes(None, edited);
        let states = ["guava-envelope", "blocked", "counting", "cuckoo", "rotating"].contains(&name);
        assert_eq!(opened.is_err(), states, "{name}");
    }
    // The fast hash has eight bytes for every integer.
    let mut fast = membership_filters::BlockedBloomFilter::with_capacity(10, 0.01).unwrap();
    fast.insert(&7_i32);
    let open =
        |encoding| StoredFilter::from_bytes(Some(&format("blocked").encoding(encoding)), fast.to_bytes());
    assert!(open(Encoding::INT64).unwrap().contains(7));
    assert!(open(Encoding::INT32).is_err());
    // Signs are of the text of a number, too.
    assert!(open(Encoding::INT64).unwrap().contains(b"-1234567"));
}
