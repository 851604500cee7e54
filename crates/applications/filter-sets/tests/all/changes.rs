//! Filters that take and lose keys one by one, and those built in the order of their keys.

use filter_policy::{BitsPerKey, FilterPolicy as _, policies};
use filter_sets::{Builder, MIN_MEMORY, SetKey, Size, StoredFilter, StoredFormat};
use hashzoo::xxh3_64;
use membership_filters::Encoding;

use super::{format, keys, names};

#[test]
fn keys_one_by_one_make_the_bytes_of_a_build() {
    let (all, absent) = (keys(0..500), keys(9_000..9_500));
    for name in names() {
        let (format, size) = (format(name), Size::Rate(0.01));
        let Ok(mut filter) = StoredFilter::new(format.clone(), 500, size) else {
            assert!(!format.takes_keys(), "{name}");
            let mut building = Builder::new(format, Size::BitsPerKey(10.0)).in_memory().unwrap();
            building.insert("a").unwrap();
            let mut built = building.finish(&|_| true).unwrap();
            let before = built.to_bytes();
            assert_eq!(built.stated_rate(), built.header().unwrap().rate, "{name}");
            for result in [
                built.insert("b").map(drop),
                built.insert_many(["b"]),
                built.clear(),
                built.rotate(),
            ] {
                assert!(
                    result
                        .unwrap_err()
                        .to_string()
                        .contains("built from all keys at once"),
                    "{name}"
                );
            }
            assert!(built.to_bytes() == before, "{name}");
            continue;
        };
        assert!(format.takes_keys() && filter.key_count() == Some(0), "{name}");
        let empty = filter.to_bytes();
        assert_eq!(filter.stated_rate(), None, "{name}");
        for key in &all[..250] {
            let is_new = !filter.contains(key);
            assert_eq!(filter.insert(key).unwrap(), is_new, "{name}");
        }
        filter.insert_many(&all[250..400]).unwrap();
        let slices: Vec<&[u8]> = all.iter().map(Vec::as_slice).collect();
        filter.insert_encoded(&slices[400..]).unwrap();
        assert_eq!(filter.key_count(), Some(500), "{name}");
        assert_eq!(
            filter.contains_encoded(&slices),
            filter.contains_many(&all),
            "{name}"
        );
        assert!(filter.contains_many(&all).into_iter().all(|hit| hit), "{name}");
        let hits = filter.contains_many(&absent).into_iter().filter(|&hit| hit);
        assert!(hits.count() < 30, "{name}");
        let mut building = Builder::new(format, size).capacity(500).in_memory().unwrap();
        all.iter().for_each(|key| building.insert(key).unwrap());
        let built = building.finish(&|_| true).unwrap();
        // The bytes of both depend on the order of the keys.
        assert!(
            ["cuckoo", "redisbloom"].contains(&name) || filter.stored_bytes() == built.stored_bytes(),
            "{name}"
        );
        assert_eq!(
            (filter.bits(), filter.format()),
            (built.bits(), built.format()),
            "{name}"
        );
        // The header states the bytes of now, also after they were written before.
        let read = StoredFilter::from_bytes(None, filter.to_bytes()).unwrap();
        assert_eq!(read.header(), filter.header(), "{name}");
        assert!(filter.insert("another").is_ok());
        assert!(
            StoredFilter::from_bytes(None, filter.to_bytes())
                .unwrap()
                .contains("another"),
            "{name}"
        );
        match filter.remove("another") {
            Ok(was_there) => assert!(
                was_there && (name == "cuckoo" || filter.stored_bytes() == read.stored_bytes()),
                "{name}"
            ),
            Err(error) => assert!(error.to_string().contains("counting or cuckoo"), "{error}"),
        }
        match filter.rotate() {
            Ok(()) => {
                assert!(filter.contains("another"), "{name}");
                filter.rotate().unwrap();
                assert!(
                    filter.stored_bytes()
                        == StoredFilter::from_bytes(None, empty.clone())
                            .unwrap()
                            .stored_bytes()
                );
            }
            Err(error) => assert!(error.to_string().contains("must be rotating"), "{error}"),
        }
        filter.clear().unwrap();
        assert!(filter.to_bytes() == empty, "{name}");
    }
}

/// An empty filter takes the kind of its first key, and one with keys no other.
#[test]
fn the_kind_of_key_is_stated_before_the_first_key() {
    for name in [
        "blocked",
        "blocked-xxph3",
        "guava",
        "spark",
        "counting",
        "rotating",
    ] {
        let mut filter = StoredFilter::new(format(name), 100, Size::Rate(1e-9)).unwrap();
        let same = StoredFilter::new(format(name).encoding(Encoding::INT64), 100, Size::Rate(1e-9)).unwrap();
        filter.state_keys("undecided", 0).unwrap();
        filter.state_keys("long", 0).unwrap();
        assert!(filter.to_bytes() == same.to_bytes(), "{name}");
        // Eight bytes that look like digits.
        let number = i64::from_le_bytes(*b"12345678");
        assert!(filter.insert(SetKey::Encoded(b"12345678")).unwrap());
        assert!(filter.contains(number) && !filter.contains(number + 1), "{name}");
        assert!(!filter.contains(SetKey::Encoded(b"87654321")) && filter.contains("text is never denied"));
        assert!(filter.insert("text").is_err(), "{name}");
        for kind in ["line", "utf-16"] {
            let error = filter.state_keys(kind, 1).unwrap_err().to_string();
            assert!(error.contains("64-bit integers must be \"long\""), "{error}");
        }
        let read = StoredFilter::from_bytes(None, filter.to_bytes()).unwrap();
        assert!(
            read.contains(number) && read.header().unwrap().key_kind == "long",
            "{name}"
        );
    }
    let error = StoredFilter::new(format("spark"), 9, Size::Rate(0.1))
        .unwrap()
        .state_keys("int", 0);
    assert!(error.unwrap_err().to_string().contains("of the type long"));
    // Filters that were read without a header get one.
    let mut bare =
        StoredFilter::from_bytes(Some(&format("leveldb")), [&[0xff; 40][..], &[6]].concat()).unwrap();
    bare.state_keys("line", 7).unwrap();
    assert_eq!(
        StoredFilter::from_bytes(None, bare.to_bytes())
            .unwrap()
            .key_count(),
        Some(7)
    );
}

/// The bytes of some formats depend on the order; those of the others do not.
#[test]
fn a_filter_is_built_in_the_order_of_its_keys() {
    let key = |id: u64| xxh3_64(&id.to_le_bytes(), 5).to_le_bytes().to_vec();
    let all: Vec<Vec<u8>> = (0..3_000).map(key).collect();
    // Each again, at other places.
    let twice = [all.clone(), all[..700].iter().rev().cloned().collect()].concat();
    let build = |format: &StoredFormat, keys: &[Vec<u8>], in_order: bool| {
        let builder = Builder::new(format.clone(), Size::BitsPerKey(9.0));
        let builder = if in_order { builder.keep_order() } else { builder };
        let mut building = builder.memory(MIN_MEMORY).unwrap().in_memory().unwrap();
        keys.iter().for_each(|key| building.insert(key).unwrap());
        building.finish(&|_| true).unwrap()
    };
    for name in names() {
        let format = format(name);
        let [sorted, ordered, repeated] = [(&all, false), (&all, true), (&twice, true)]
            .map(|(keys, in_order)| build(&format, keys, in_order));
        assert_eq!(
            sorted.to_bytes() != ordered.to_bytes(),
            ["ribbon", "cuckoo", "redisbloom"].contains(&name),
            "{name}"
        );
        assert!(repeated.to_bytes() == ordered.to_bytes(), "{name}");
        assert!(ordered.contains_many(&all).into_iter().all(|hit| hit), "{name}");
    }
    let policy = policies::by_name(format("ribbon").name(), BitsPerKey::whole(9)).unwrap();
    let slices: Vec<&[u8]> = all.iter().map(Vec::as_slice).collect();
    let mut direct = vec![0; policy.max_filter_len(slices.len()).unwrap()];
    let direct = policy.create_filter(&slices, &mut direct).unwrap();
    assert!(build(&format("ribbon"), &all, true).stored_bytes() == direct[..]);
    // More hash values than half of the memory holds are sorted.
    let many: Vec<Vec<u8>> = (0..600_000_u64).map(|id| id.to_le_bytes().to_vec()).collect();
    let [one, another] = [true, false].map(|in_order| build(&format("redisbloom"), &many, in_order));
    assert!(one.to_bytes() == another.to_bytes());
}

#[test]
fn headers_state_what_a_filter_was_made_for() {
    let read = |filter: &StoredFilter| StoredFilter::from_bytes(None, filter.to_bytes()).unwrap();
    let sizes = [Size::Rate(0.01), Size::BitsPerKey(12.0)];
    for (name, size) in names().flat_map(|name| sizes.map(|size| (name, size))) {
        let mut building = Builder::new(format(name), size).in_memory().unwrap();
        keys(0..300).iter().for_each(|key| building.insert(key).unwrap());
        let made = StoredFilter::new(format(name), 300, size).ok();
        let has_rate = matches!(size, Size::Rate(_)) || made.is_none();
        for filter in made.into_iter().chain([building.finish(&|_| true).unwrap()]) {
            let other = read(&filter);
            assert_eq!(
                (filter.capacity(), other.capacity()),
                (Some(300), Some(300)),
                "{name}"
            );
            assert_eq!(other.wanted_rate(), filter.wanted_rate(), "{name}");
            assert!(
                filter
                    .wanted_rate()
                    .is_none_or(|rate| has_rate && (0.001..0.1).contains(&rate)),
                "{name}"
            );
            let bare = StoredFilter::from_bytes(Some(&format(name)), filter.stored_bytes()).unwrap();
            assert_eq!((bare.capacity(), bare.wanted_rate()), (None, None), "{name}");
        }
    }
    for (capacity, stated) in [(0, None), ((1 << 40) - 1, Some((1 << 40) - 1)), (1 << 40, None)] {
        let filter = StoredFilter::new(format("spark"), capacity, Size::Bits(640)).unwrap();
        assert_eq!(read(&filter).capacity(), stated);
    }
    for rate in [1e-9, 0.3] {
        let filter = StoredFilter::new(format("guava"), 9, Size::Rate(rate)).unwrap();
        let stated = read(&filter).wanted_rate();
        assert_eq!(stated, filter.wanted_rate());
        assert!((stated.unwrap() / rate - 1.0).abs() < 2e-5);
    }
}
