//! Every format: no stored key is denied, absent keys match at the expected rate, shards are single filters.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use filter_policy::FilterPolicy as _;
use filter_policy::{AnyFormat, formats};
use filter_sets::{
    Builder, FilterSet, Header, Manifest, Opening, ShardFunction, Size, StoredFile, StoredFilter,
    StoredFormat, merge, merge_sets,
};
use membership_filters::spark::{self, Version};
use membership_filters::{BlockedBloomFilter, Encoding, Long, Parameters, Utf8, Utf16Units, Xxph3};
use membership_filters::{RedisBloomFilter, RedisBloomParameters};
use serde_json::Value;

use super::{build, build_file, builder, files, format, keys, names};

const SIZE: Size = Size::Rate(0.01);

#[test]
fn every_name_is_of_one_format() {
    let mut known = BTreeSet::new();
    for each in StoredFormat::all() {
        let names = each.short_names().iter().copied();
        for name in names.chain([each.name()]).collect::<BTreeSet<_>>() {
            assert!(known.insert(name.to_owned()), "{name}");
            assert_eq!(format(name), each, "{name}");
        }
    }
    for policy in formats::ALL {
        assert_eq!(format(policy.name()).short_names(), policy.short_names());
    }
    for (derived, short) in [
        ("BloomFilter2.Seed9747b28c", "murmur2"),
        ("BloomFilter2.SignedTail.Prefix.Fixed4", "murmur2-signed"),
        (
            "SplitBlockBloomFilter.Xxph3.Prefix.Fixed4.Prefix.Separated1x2f",
            "split-block-xxph3",
        ),
    ] {
        let format = format(derived);
        assert_eq!((format.name(), format.short_names()), (derived, &[short][..]));
    }
    for unknown in [
        "BloomFilter2.Prefix.Half",
        "BloomFilter2.Seed7",
        "BloomFilter2.SignedTai",
        "leveldb.Prefix.Fixed4",
    ] {
        assert!(StoredFormat::named(unknown).is_err(), "{unknown}");
    }
}

/// The calculated size beside the built filter, of few keys also where it suits no larger number of them.
/// `FILTER_SETS_KEYS` in the environment takes another number of many keys.
#[test]
fn sizes_are_those_of_the_filters_that_are_built() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("filter");
    let many = std::env::var("FILTER_SETS_KEYS").map_or(300_000, |keys| keys.parse().unwrap());
    // SplitMix64's, of which no two are equal: numbers in a row are no random keys to LevelDB's hash.
    let key = |number: u64| {
        let mut key = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        key = (key ^ key >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        key = (key ^ key >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (key ^ key >> 31).to_le_bytes()
    };
    let absent: Vec<_> = (0..1_000_000).map(|number| key(number | 1 << 60)).collect();
    let absent: Vec<&[u8]> = absent.iter().map(<[u8; 8]>::as_slice).collect();
    let few = [Size::Rate(6e-4), Size::Bytes(150), Size::Bytes(600)].map(|size| (10, size));
    let more = [SIZE, Size::BitsPerKey(12.0), Size::Bytes(many + many / 4)].map(|size| (many, size));
    for (name, (count, size)) in
        names().flat_map(|name| few.into_iter().chain(more).map(move |size| (name, size)))
    {
        let (format, is_few) = (format(name), count < many);
        let sizing = match format.sizing(count, size) {
            Ok(sizing) => sizing,
            Err(error) => {
                // Hashes of 32 bits have a lowest rate for so many keys.
                let is_bound = error.to_string().contains("rate must be at least");
                let is_refused = is_few || is_bound || name == "counting" && size != SIZE;
                assert!(is_refused, "{name}: {size:?}: {error}");
                continue;
            }
        };
        let builder = Builder::new(format.clone(), size).memory(64 << 30).unwrap();
        let mut building = builder.raw_file(&file).unwrap();
        (0..count).for_each(|number| building.insert(&key(number)).unwrap());
        let built = building.finish(&|_| true).unwrap();
        let at = format!("{name}, {size:?}: {sizing:?}, built {} bytes", built.bytes);
        let off = built.bytes.abs_diff(sizing.bytes);
        assert!(off <= if is_few { 0 } else { sizing.bytes / 100 }, "{at}");
        if is_few {
            continue;
        }
        // Whole probe counts cost a little.
        let is_kept = match size {
            Size::Rate(wanted) => sizing.rate <= 1.12 * wanted,
            Size::Bytes(most) => sizing.bytes <= most,
            _ => sizing.bytes <= count * 12 / 8 + 200,
        };
        assert!(is_kept, "{at}");
        let filter = StoredFilter::open(&file, Some(&format), Opening::default()).unwrap();
        let found = filter.contains_many(&absent).into_iter().filter(|&found| found);
        let (hits, expected) = (found.count() as f64, sizing.rate * absent.len() as f64);
        // Three hundredths, and what chance gives in a million keys and in one filter's bits.
        let off = (hits - expected).abs() / expected;
        assert!(off < 0.03 + 4.0 / expected.sqrt(), "{at}: {hits} of a million");
    }
}

/// Each format can do what the table of FORMAT.md states.
#[test]
fn formats_can_do_what_is_documented() {
    let place = tempfile::tempdir().unwrap();
    let path = |name: &str| place.path().join(name);
    let (one, another, fewer) = (keys(0..3_000), keys(3_000..6_000), keys(0..1_500));
    let mut table = "| stored name | short names | known by its bytes | merged |\n".to_owned();
    table += "|---|---|---|---|\n";
    for name in names() {
        let format = format(name);
        let builder = Builder::new(format.clone(), Size::BitsPerKey(60.0));
        for (file, keys) in [("one", &one), ("another", &another), ("fewer", &fewer)] {
            build_file(builder.file(path(file)).unwrap(), keys);
        }
        let join = |other: &str| merge(None, &[&path("one"), &path(other)], path("merged"), true);
        assert!(join("fewer").is_err(), "{name}");
        let merged = join("another");
        if let Err(error) = &merged {
            assert!(error.to_string().contains("merged") && error.to_string().contains("another"));
        }
        let binary = builder.key_kind("binary").unwrap();
        build_file(binary.file(path("another")).unwrap(), &another);
        let error = join("another").unwrap_err();
        assert!(error.to_string().contains("must be alike"), "{error}");
        let bytes = &fs::read(path("one")).unwrap()[Header::LEN..];
        let opened = StoredFilter::from_bytes(None, bytes.to_vec());
        match format.is_known_by_bytes() {
            true => assert_eq!(opened.unwrap().format(), &format, "{name}"),
            false => assert!(opened.unwrap_err().to_string().contains("leveldb, "), "{name}"),
        }
        let yes = |is: bool| if is { "yes" } else { "no" };
        let merged = yes(merged.is_ok());
        let (name, short, is_recognised) = (
            format.name(),
            format.short_names().join("`, `"),
            yes(format.is_known_by_bytes()),
        );
        table += &format!("| `{name}` | `{short}` | {is_recognised} | {merged} |\n");
    }
    assert!(
        include_str!("../../FORMAT.md").ends_with(&table),
        "FORMAT.md must end with:\n{table}"
    );
}

#[test]
fn shards_find_their_keys_match_at_the_stated_rate_and_are_single_filters() {
    let place = tempfile::tempdir().unwrap();
    let (stored, absent) = (keys(0..20_000), keys(1_000_000..1_050_000));
    for name in names() {
        let folder = place.path().join(name);
        let builder = Builder::new(format(name), SIZE);
        let manifest = build(&builder, 5, &folder, &stored);
        assert_eq!(manifest.len(), 20_000, "{name}");
        let set = FilterSet::open(&folder, Opening::default()).unwrap();
        let found = set.contains_many(&stored);
        assert!(found.iter().all(|&found| found), "{name}");
        assert!(stored.iter().take(100).all(|key| set.contains(key)), "{name}");
        // Each shard by itself: hashes that shared bits with the choice of the shard would raise its rate.
        let mut hits = vec![(0_u32, 0_u32); 5];
        for (key, found) in absent.iter().zip(set.contains_many(&absent)) {
            let (queried, matching) = &mut hits[manifest.shard_of(key)];
            *queried += 1;
            *matching += u32::from(found);
        }
        for ((queried, matching), shard) in hits.into_iter().zip(&manifest.shards) {
            assert!((9_000..11_000).contains(&queried), "{name}: {queried}");
            let expected = f64::from(queried) * shard.rate.unwrap_or(0.012);
            let off = (f64::from(matching) - expected).abs();
            let allowed = 5.0 * expected.sqrt() + 0.1 * expected;
            assert!(
                off < allowed,
                "{name}: {matching} of {queried}, {expected} expected"
            );
        }
        // As another machine builds a shard, which refuses the keys of others.
        let of = |number: usize| -> Vec<Vec<u8>> {
            let is_of = |key: &&Vec<u8>| manifest.shard_of(key) == number;
            stored.iter().filter(is_of).cloned().collect()
        };
        let alone = place.path().join("alone");
        let _ = fs::create_dir(&alone);
        let mut building = builder.shard(&alone, 1, 5).unwrap();
        let refused = building.insert(&of(2)[0]).unwrap_err().to_string();
        assert!(
            refused.ends_with("must be one of shard 1, got one of shard 2"),
            "{refused}"
        );
        let shard = &manifest.shards[1];
        assert_eq!(&build_file(building, &of(1)), shard, "{name}");
        let sealed = &files(&folder)[&shard.file];
        assert!(&files(&alone)[&shard.file] == sealed, "{name}");
        // And as a single filter.
        let (file, one) = (place.path().join("filter"), of(1));
        let twice: Vec<_> = one.iter().rev().chain(&one).cloned().collect();
        let described = build_file(builder.raw_file(&file).unwrap(), &twice);
        assert_eq!(described.sha256, shard.sha256, "{name}");
        let bytes = fs::read(&file).unwrap();
        assert!(sealed[Header::LEN..] == bytes, "{name}");
        // The policies' own builders, given the keys once each, write the same: where their bytes do not depend on the
        // order. RocksDB's 32-bit filter does not count keys that share a hash value with the one before.
        let is_this = |policy: &&&'static dyn AnyFormat| policy.short_names().contains(&name);
        if let Some(policy) = formats::ALL.iter().find(is_this)
            && !["Ribbon", "Legacy"]
                .iter()
                .any(|kind| policy.name().contains(kind))
        {
            let size = policy.bits_per_key_for_rate(one.len() as u64, 0.01);
            let mut made = Vec::new();
            let policy = policy.policy(size.unwrap());
            let slices: Vec<_> = one.iter().map(Vec::as_slice).collect();
            policy.append_filter(&slices, &mut made).unwrap();
            assert!(made == bytes, "{name}");
        }
        let filter = StoredFilter::from_bytes(Some(&format(name)), bytes).unwrap();
        let rate = filter.expected_rate();
        assert!((0.001..0.02).contains(&rate), "{name}: {rate}");
    }
}

#[test]
fn shards_are_those_of_another_implementation() {
    let function = ShardFunction::default();
    let vectors = include_str!("../data/shards.jsonl");
    for line in vectors.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let key = hex::decode(row["key"].as_str().unwrap()).unwrap();
        for shards in [2, 7, 1_000, 65_536] {
            let expected = row[format!("of_{shards}")].as_u64().unwrap();
            assert_eq!(u64::from(function.shard_of(&key, shards)), expected, "{line}");
        }
    }
    assert_eq!(vectors.lines().count(), 16);
}

#[test]
fn a_set_is_the_one_of_another_implementation() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/golden.set");
    let keys: [&[u8]; 5] = [b"apple", b"banana", b"cherry", b"plum", b"quince"];
    let place = tempfile::tempdir().unwrap();
    let builder = Builder::new(format("leveldb"), Size::BitsPerKey(10.0));
    build(&builder, 2, place.path(), &keys.map(<[u8]>::to_vec));
    assert!(files(place.path()) == files(&golden));
    let set = FilterSet::open(&golden, Opening::default()).unwrap();
    assert_eq!(set.contains_many(keys), [true; 5]);
}

#[test]
fn sizes_that_a_format_has_not_are_refused() {
    let refused = |name: &str, size| {
        let refusal = Builder::new(format(name), size).file("never");
        refusal.map(|_| ()).unwrap_err().to_string()
    };
    for name in names().filter(|name| !name.starts_with("spark")) {
        assert!(
            refused(name, Size::Bits(64)).contains("give bits per key"),
            "{name}"
        );
    }
    for name in names() {
        refused(name, Size::Bytes(1));
        for rate in [0.0, 1.0, -1.0, f64::NAN] {
            refused(name, Size::Rate(rate));
        }
    }
    assert!(format("guava").seed(1).is_err());
    assert!(format("spark").seed(-1).is_ok());
    assert!(builder("leveldb").capacity(5).file("never").is_err());
    let prefixes = "leveldb.BuiltinBloomFilter2.Prefix.Fixed4";
    assert!(refused(prefixes, Size::BitsPerKey(9.0)).contains("can be queried, but not built"));
}

#[test]
fn merged_sets_are_the_set_of_all_keys() {
    let place = tempfile::tempdir().unwrap();
    let [one, two, both, all, other] =
        ["one", "two", "both", "all", "other"].map(|name| place.path().join(name));
    let stored = keys(0..2_000);
    for name in ["guava", "spark-v1", "spark-v2", "blocked"] {
        let builder = builder(name).capacity(1_000);
        build(&builder, 4, &one, &stored[..1_200]);
        build(&builder, 4, &two, &stored[800..]);
        let expected = build(&builder, 4, &all, &stored);
        let merged = merge_sets(&[&one, &two], &both).unwrap();
        assert_eq!(Manifest::read(&both).unwrap().stored_len(), merged.stored_len());
        // Those in both sets count twice.
        assert_eq!(merged.len(), 2_400);
        for (merged, expected) in merged.shards.iter().zip(&expected.shards) {
            assert_eq!(
                (&merged.sha256, merged.rate),
                (&expected.sha256, expected.rate),
                "{name}"
            );
        }
        let set = FilterSet::open(&both, Opening::default()).unwrap();
        assert!(set.contains_many(&stored).iter().all(|&found| found));
        // Into one of them.
        merge_sets(&[&one, &two], &two).unwrap();
        assert!(files(&two) == files(&both));
    }
    let before = files(&both);
    let refused = |folder: &Path, reason: &str| {
        let error = merge_sets(&[&one, folder], &both).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
        assert!(files(&both) == before);
    };
    refused(place.path(), "manifest.json");
    for (name, shards, capacity, reason) in [
        ("blocked", 5, 1_000, "must be alike, 4 shards"),
        ("guava", 4, 1_000, "got 4 shards by seed 126892148679795 of guava"),
        ("blocked", 4, 9_000, "shard-00000"),
    ] {
        build(&builder(name).capacity(capacity), shards, &other, &stored);
        refused(&other, reason);
    }
    build(&builder("binaryfuse"), 4, &one, &stored);
    refused(&one, "only Bloom filters can be merged");
}

/// A Rust program may use any funnel. Bytes say which one, so keys are hashed as they were, or not at all.
#[test]
fn filters_of_other_hashes_are_queried_by_theirs_or_refused() {
    let place = tempfile::tempdir().unwrap();
    let parameters = Parameters::new(3_000, 0.01).unwrap();
    let texts: Vec<String> = (0..3_000).map(|id| format!("user-{id}")).collect();
    macro_rules! stored {
        ($name:literal, $funnel:expr, $keys:expr) => {{
            let mut filter = BlockedBloomFilter::new($funnel, &parameters).unwrap();
            filter.insert_many($keys);
            let path = place.path().join($name);
            fs::write(&path, filter.to_bytes()).unwrap();
            path
        }};
    }
    let fast = &*stored!("fast", Xxph3, &texts);
    let units = &*stored!("units", Utf16Units, &texts);
    let numbers = &*stored!("numbers", Long, &(0..3_000).collect::<Vec<i64>>());
    let open = |path: &Path, encoding| {
        let format = format("blocked").encoding(encoding);
        StoredFilter::open(path, Some(&format), Opening::default())
    };
    let filter = open(fast, Encoding::BYTES).unwrap();
    assert!(texts.iter().all(|key| filter.contains(key.as_bytes())));
    // The fast hash has integers and bytes in one encoding, so that it may be either.
    assert!(open(fast, Encoding::INT64).is_ok());
    let filter = open(numbers, Encoding::INT64).unwrap();
    assert!((0..3_000_i64).all(|key| filter.contains(&key.to_le_bytes())));
    // A number in another form.
    assert!(filter.contains("7") && filter.contains_many(["7"]) == [true]);
    // A builder writes the encoding, too.
    let built = &*place.path().join("built");
    let builder = Builder::new(format("blocked").encoding(Encoding::INT64), Size::Rate(0.01));
    let mut building = builder.raw_file(built).unwrap();
    building.insert(7).unwrap();
    building.finish(&|_| true).unwrap();
    for (path, stored) in [
        (units, "UTF-16 units"),
        (numbers, "64-bit integers"),
        (built, "64-bit integers"),
    ] {
        let error = open(path, Encoding::BYTES).unwrap_err().to_string();
        let reason = format!("must be bytes or UTF-8, got {stored}");
        assert!(error.contains(&reason), "{error}");
    }
    // Merging looks no key up, and keeps the hash.
    merge(None, &[numbers, numbers], built, true).unwrap();
    assert_eq!(fs::read(built).unwrap(), fs::read(numbers).unwrap());
    let other = &*stored!("other", Utf8, &texts);
    // Under one name both are read, each by its hash.
    let error = merge(Some(&format("blocked")), &[fast, other], built, true)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("XXPH3 of bytes or UTF-8 and MurmurHash3"),
        "{error}"
    );
}

/// `to_bytes` of `membership-filters` puts an envelope with a checksum around the forms of Spark and RedisBloom.
#[test]
fn spark_and_redisbloom_are_read_from_their_envelopes() {
    let (stored, place) = (keys(0..1_000), tempfile::tempdir().unwrap());
    let spark = |version| {
        let parameters = spark::Parameters::new(1_000, 0.01).unwrap().version(version);
        let mut filter = spark::BloomFilter::new(&parameters).unwrap();
        filter.insert_many(&stored);
        (filter.to_bytes(), filter.to_spark())
    };
    let mut redis = RedisBloomFilter::new(&RedisBloomParameters::new(100, 0.01)).unwrap();
    redis.insert_many(&stored).unwrap();
    let v2 = format("spark").seed(7).unwrap();
    for (expected, (bytes, bare)) in [
        (format("spark-v1"), spark(Version::V1)),
        (v2, spark(Version::V2 { seed: 7 })),
        (format("redisbloom"), (redis.to_bytes(), redis.to_redisbloom())),
    ] {
        let [path, merged] = ["enveloped", "merged"].map(|name| place.path().join(name));
        fs::write(&path, &bytes).unwrap();
        assert_eq!(StoredFile::open(&path).unwrap().format(), Some(&expected));
        let filter = StoredFilter::open(&path, None, Opening::default()).unwrap();
        let bare_filter = StoredFilter::from_bytes(None, bare.clone()).unwrap();
        assert_eq!((filter.format(), bare_filter.format()), (&expected, &expected));
        let queried = keys(0..5_000);
        let answers = filter.contains_many(&queried);
        assert!(answers[..1_000].iter().all(|&found| found));
        assert_eq!(answers, bare_filter.contains_many(&queried));
        match merge(None, &[&path, &path], &merged, true) {
            Ok(()) => assert!(fs::read(&merged).unwrap() == bare, "{expected}"),
            Err(error) => assert!(error.to_string().contains("can be merged"), "{error}"),
        }
        let refused = |format: Option<&StoredFormat>, bytes: &[u8]| {
            let refused = StoredFilter::from_bytes(format, bytes.to_vec());
            refused.unwrap_err().to_string()
        };
        let other = refused(Some(&format("leveldb")), &bytes);
        assert!(
            other.contains(&format!("of the format {:?}", expected.name())),
            "{other}"
        );
        let mut damaged = bytes.clone();
        damaged[bytes.len() / 2] ^= 1;
        let error = refused(None, &damaged);
        assert!(error.contains("checksum"), "{error}");
    }
    // Chains of RedisBloom 2.0, as it dumped them and as later servers do.
    for digits in [
        include_str!("../../../membership-filters/tests/data/kinds/redisbloom.2.0.hex"),
        include_str!("../../../membership-filters/tests/data/kinds/redisbloom.2.0-from-rdb.hex"),
    ] {
        let bytes = hex::decode(digits.replace('\n', "")).unwrap();
        let filter = StoredFilter::from_bytes(None, bytes).unwrap();
        assert_eq!(filter.format(), &format("redisbloom"));
        assert!((0..100).all(|number| filter.contains(&format!("k/{number}"))));
    }
}

/// The filter of a policy may begin like the header of a stream by chance.
#[test]
fn bytes_that_begin_like_a_stream_are_what_is_given() {
    let mut bytes = vec![0xff; 41];
    bytes[..12].copy_from_slice(b"\0\0\0\x01\0\0\0\x03\0\0\0\x09");
    // LevelDB's probe count.
    bytes[40] = 6;
    let open = |name: &str, bytes: &[u8]| StoredFilter::from_bytes(Some(&format(name)), bytes.to_vec());
    assert!(open("leveldb", &bytes).is_ok());
    // As long as the header says.
    bytes.resize(12 + 9 * 8, 6);
    assert!(
        open("leveldb", &bytes)
            .unwrap_err()
            .to_string()
            .contains("spark-v1")
    );
}

/// No smaller filter is better, and none is cut without a word.
#[test]
fn bytes_are_the_most_and_give_the_lowest_rate() {
    for each in StoredFormat::all() {
        let name = each.name();
        for (keys, most) in [(700, 900), (1_000, 4_096), (9_000, 1 << 14)] {
            let Ok(best) = each.sizing(keys, Size::Bytes(most)) else {
                continue;
            };
            assert!(best.bytes <= most, "{name}: {best:?}");
            // Sizes of filters with few keys differ more where all are multiples of 64 bits, and estimates of low rates are
            // rough.
            let tolerance = match best.bits_per_key {
                Some(_) if best.rate > 1e-5 => 0.99,
                Some(_) => 0.9,
                None => 0.95,
            };
            for share in [0.5, 0.9, 0.97] {
                let less = each.sizing(keys, Size::Bytes((most as f64 * share) as u64));
                assert!(
                    less.is_err() || less.unwrap().rate >= tolerance * best.rate,
                    "{name}, {most}: {share}"
                );
            }
        }
        // The largest filter, or less if that is not better. Blocked filters are refused.
        for (keys, most) in [(1_000_000, 3 << 30), (50_000_000, 1 << 30), (1_000, 1 << 62)] {
            let (best, is_blocked) = (each.sizing(keys, Size::Bytes(most)), name.starts_with("blocked"));
            let best = match best {
                Err(error) if is_blocked && most > 1 << 31 => {
                    let error = error.to_string();
                    assert!(error.contains("must be at most 2 GiB"), "{error}");
                    continue;
                }
                best => best.unwrap(),
            };
            // Estimates of low rates are rough, and the lowest no guide.
            let less = each.sizing(keys, Size::Bytes(1 << 28)).unwrap();
            assert!(
                best.rate <= 1.3 * less.rate.max(1e-10),
                "{name}, {keys} keys: {best:?}, {less:?}"
            );
        }
    }
    let spark = |keys, bytes| format("spark-v1").sizing(keys, Size::Bytes(bytes)).unwrap();
    assert!(spark(500_000_000, 4 << 30).rate < 0.1271);
    assert!(spark(50_000_000, 1 << 30).rate < 2e-9);
    let largest = format("parquet").sizing(1_000_000, Size::Bytes(3 << 30)).unwrap();
    assert_eq!(largest.bytes, (1 << 31) - 32);
    let blocked = format("blocked");
    for (keys, size) in [
        (2_000_000_000, Size::BitsPerKey(12.0)),
        (100, Size::Bytes(1 << 62)),
    ] {
        let error = blocked.sizing(keys, size).unwrap_err().to_string();
        assert!(error.contains("must be at most 2 GiB"), "{error}");
        assert!(!error.contains("e-"), "a rate that nobody gave: {error}");
    }
    assert!(
        blocked
            .sizing(1_000_000_000, Size::BitsPerKey(12.0))
            .unwrap()
            .bytes
            > 1_499_990_000
    );
}

/// A whole number of blocks, whatever the keys: filters of as many bytes are merged.
#[test]
fn split_blocks_use_the_bytes_that_are_given() {
    let place = tempfile::tempdir().unwrap();
    for name in ["parquet", "split-block-xxph3"] {
        let builder = Builder::new(format(name), Size::Bytes((1 << 20) + 31));
        let built = |keys: u32| {
            let path = place.path().join(format!("{name}-{keys}"));
            let mut building = builder.raw_file(&path).unwrap();
            (0..keys).for_each(|key| building.insert(&key.to_le_bytes()).unwrap());
            building.finish(&|_| true).unwrap();
            assert_eq!(fs::metadata(&path).unwrap().len(), 1 << 20, "{name}, {keys} keys");
            path
        };
        let paths = [0, 1, 1_000, 733_333].map(built);
        let (format, merged) = (format(name), place.path().join(format!("{name}-merged")));
        merge(
            Some(&format),
            &paths.each_ref().map(|path| path.as_path()),
            &merged,
            true,
        )
        .unwrap();
        assert!(
            fs::read(&merged).unwrap() == fs::read(&paths[3]).unwrap(),
            "{name}"
        );
        let filter = StoredFilter::open(&paths[3], Some(&format), Opening::default()).unwrap();
        assert!((0..733_333_u32).all(|key| filter.contains(&key.to_le_bytes())));
        for keys in [0, 1, 1_000, 10_000_000] {
            for bytes in [1 << 20, 1 << 30] {
                assert_eq!(
                    format.sizing(keys, Size::Bytes(bytes)).unwrap().bytes,
                    bytes,
                    "{keys} keys"
                );
            }
        }
    }
}
