//! Sets of shards: their answers are those of the files, whatever happens to a server or another loader meanwhile.

mod losses;
#[path = "../../../filter-sets/tests/all/reseal.rs"]
mod reseal;

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bloom_redis::{Answer, Error, Loading, Options, ShardedSet};
use filter_sets::{Builder, FilterSet, Format, Opening, Size};
use reseal::reseal;
use serde_json::Value as Json;

use crate::support::{Client, Server, check_all_there, counting, for_each_client, for_each_cluster_client};

const STORED: u32 = 700;
const SHARDS: u32 = 7;
const SECOND: Duration = Duration::from_secs(1);

fn key(number: u32) -> String {
    format!("user-{number}")
}

fn keys(numbers: std::ops::Range<u32>) -> Vec<String> {
    numbers.map(key).collect()
}

/// Builds the set of the keys below this number.
fn build(folder: &Path, format: &str, stored: u32) {
    let size = match format {
        "rocksdb-legacy" => Size::BitsPerKey(10.0),
        _ => Size::Rate(0.01),
    };
    let builder = Builder::new(Format::named(format).unwrap(), size);
    let mut building = builder.set(folder, SHARDS).unwrap();
    for key in keys(0..stored) {
        building.insert(key.as_bytes()).unwrap();
    }
    building.finish(&|_| true).unwrap();
}

/// Two sets in one place, the second with twice the keys.
struct Folders {
    _place: tempfile::TempDir,
    one: PathBuf,
    two: PathBuf,
}

impl Folders {
    fn new(format: &str) -> Self {
        let place = tempfile::tempdir().unwrap();
        let [one, two] = ["one", "two"].map(|name| place.path().join(name));
        build(&one, format, STORED);
        build(&two, format, 2 * STORED);
        Self {
            _place: place,
            one,
            two,
        }
    }
}

fn loading() -> Loading<'static> {
    Loading::default().grace(SECOND)
}

/// Checks answers against those of the files.
fn check_like_the_files(client: &mut Client, set: &ShardedSet, folder: &Path) {
    let files = FilterSet::open(folder, Opening::default()).unwrap();
    let queried = keys(0..STORED + 2_000);
    let slices: Vec<&[u8]> = queried.iter().map(String::as_bytes).collect();
    let expected = files.contains_many(&slices);
    assert!(expected[..STORED as usize].iter().all(|&may| may));
    for (key, (answer, may)) in queried
        .iter()
        .zip(client.run(set.contains_many(&queried)).into_iter().zip(expected))
    {
        let expected = [Answer::Absent, Answer::Maybe][usize::from(may)];
        assert_eq!(answer, expected, "{key}");
    }
    for number in [0, 1, STORED + 5] {
        let may = files.contains(key(number).as_bytes());
        assert_eq!(client.run(set.contains(key(number))).contains(), may);
    }
    assert_eq!(client.run(set.contains_many(Vec::<&str>::new())), []);
}

/// The formats of which an answer takes more than a few bytes.
const REFUSED: [&str; 7] = [
    "ribbon",
    "guava-envelope",
    "blocked",
    "counting",
    "cuckoo",
    "rotating",
    "redisbloom",
];

#[test]
fn every_format_answers_as_its_files_do() {
    let place = tempfile::tempdir().unwrap();
    let names = Format::all().map(|format| format.short_names()[0]);
    let formats: Vec<_> = names.filter(|name| !REFUSED.contains(name)).collect();
    for format in &formats {
        build(&place.path().join(format), format, STORED);
    }
    let check = |client: &mut Client| {
        for format in &formats {
            let set = ShardedSet::new(*format);
            assert_eq!(client.run(set.contains("a")), Answer::Missing, "{format}");
            let mut heard = Vec::new();
            let loading = loading().progress(|bytes, all| heard.push((bytes, all)));
            let loaded = client.run(set.load(place.path().join(format), loading));
            assert_eq!(loaded.shards, SHARDS as usize, "{format}");
            assert_eq!(heard.last(), Some(&(loaded.bytes, loaded.bytes)));
            check_like_the_files(client, &set, &place.path().join(format));
            let in_trips = Options::default().bits_per_trip(1_000);
            let few = keys(0..300);
            check_all_there(&client.run(set.clone().options(in_trips).contains_many(few)));
            // What is there is not loaded again.
            let again = client.run(set.load(place.path().join(format), self::loading()));
            assert_eq!((again.shards, again.generation), (0, loaded.generation));
        }
    };
    for_each_client(check);
    for_each_cluster_client(|client, _| check(client));
}

/// Builds a set of numbers, as keys of this kind.
fn build_numbers(folder: &Path, kind: &str) {
    let builder = Builder::new(Format::named("leveldb").unwrap(), Size::Rate(0.01));
    let mut building = builder.key_kind(kind).unwrap().set(folder, SHARDS).unwrap();
    (0..u64::from(STORED)).for_each(|id| building.insert(&id.to_le_bytes()).unwrap());
    building.finish(&|_| true).unwrap();
}

#[test]
fn keys_in_another_form_than_the_sets_are_not_absent() {
    let place = tempfile::tempdir().unwrap();
    let [numbers, lines] = ["numbers", "lines"].map(|name| place.path().join(name));
    build_numbers(&numbers, "long");
    build(&lines, "leveldb", STORED);
    let (server, set) = (Server::start(&[]), ShardedSet::new("ids"));
    let mut connection = server.connection();
    let mut other = server.connection();
    set.load(&numbers, loading()).query(&mut connection).unwrap();
    // Another loader names a set of numbers before a load of lines ends.
    let racing = Loading::default().grace(100 * SECOND).progress(|_, _| {
        let load = ShardedSet::new("raced").load(&numbers, loading());
        load.query(&mut other).unwrap();
    });
    for (name, loading) in [("ids", loading()), ("raced", racing)] {
        let load = ShardedSet::new(name).load(&lines, loading);
        let error = load.query(&mut connection).unwrap_err();
        assert!(matches!(error, Error::Mismatch(_)), "{error}");
        let text =
            format!("bf-set:{name}: the kind of key must be \"long\" as in the current set, got \"line\"");
        assert!(error.to_string().starts_with(&text), "{error}");
        let stored = (0..u64::from(STORED)).map(u64::to_le_bytes);
        let set = ShardedSet::new(name);
        check_all_there(&set.contains_many(stored).query(&mut connection).unwrap());
    }
    // What was loaded in vain expires.
    let named = ShardedSet::new("raced").refresh().query(&mut connection).unwrap();
    check_lives(&server, "raced", named.unwrap().id());
    let digits = (0..STORED).map(|id| id.to_string());
    check_all_there(&set.contains_many(digits).query(&mut connection).unwrap());
    let answer = set
        .contains(u64::MAX.to_le_bytes())
        .query(&mut connection)
        .unwrap();
    assert_eq!(answer, Answer::Absent);
}

/// Checks that the shards of this generation stay, and that those of the set's others expire.
#[track_caller]
fn check_lives(server: &Server, name: &str, current: &str) {
    let shards: Vec<String> = server.words(&["KEYS", &format!("bf-shard:*:{name}")]);
    assert!(shards.len() >= SHARDS as usize, "{shards:?}");
    for shard in shards {
        let left: i64 = server.words(&["PTTL", &shard]);
        let stays = shard.starts_with(&format!("bf-shard:{current}:"));
        assert!(
            if stays {
                left == -1
            } else {
                (1..=100_000).contains(&left)
            },
            "{shard}: {left}"
        );
    }
}

#[test]
fn a_value_that_comes_during_a_load_is_replaced_if_it_may_be() {
    let folders = Folders::new("leveldb");
    // The same shards, of keys of two kinds.
    let [numbers, twin] = ["numbers", "twin"].map(|name| folders.one.with_file_name(name));
    build_numbers(&numbers, "long");
    build_numbers(&twin, "line");

    let server = Server::start(&[]);
    let load = |folder: &Path, act: &(dyn Fn() + Sync)| {
        server.words::<()>(&["FLUSHALL"]);
        let mut acted = false;
        let loading = Loading::default().grace(100 * SECOND).progress(|_, _| {
            if !std::mem::replace(&mut acted, true) {
                act();
            }
        });
        ShardedSet::new("s")
            .load(folder, loading)
            .query(&mut server.connection())
    };
    // An empty string is no set, and a set of the same kind is another loader's.
    let generation = load(&folders.one, &|| server.words(&["SET", "bf-set:s", ""]))
        .unwrap()
        .generation;
    check_lives(&server, "s", &generation);
    let other = || {
        let load = ShardedSet::new("s").load(&folders.two, Loading::default());
        load.query(&mut server.connection()).unwrap();
    };
    assert_eq!(load(&folders.one, &other).unwrap().generation, generation);
    check_lives(&server, "s", &generation);
    // The shards are those of the current set, too.
    let other = || {
        let load = ShardedSet::new("s").load(&numbers, Loading::default());
        load.query(&mut server.connection()).unwrap();
    };
    let error = load(&twin, &other).unwrap_err();
    assert!(matches!(error, Error::Mismatch(_)), "{error}");
    let named = ShardedSet::new("s")
        .refresh()
        .query(&mut server.connection())
        .unwrap();
    check_lives(&server, "s", named.unwrap().id());

    // Other programs' values stay.
    let unlike_any = format!("{generation}\n{{\"manifest\":{{\"key_kind\":\"line\"}}}}");
    for foreign in [
        &["SET", "bf-set:s", "foreign"][..],
        &["SET", "bf-set:s", &unlike_any],
        &["HSET", "bf-set:s", "field", "value"],
    ] {
        let error = load(&folders.one, &|| server.words(foreign)).unwrap_err();
        assert!(matches!(error, Error::Malformed(_)), "{foreign:?}: {error}");
        assert_eq!(error.key(), Some(&b"bf-set:s"[..]), "{error}");
        let kind: String = server.words(&["TYPE", "bf-set:s"]);
        assert_eq!(kind == "hash", foreign[0] == "HSET");
        assert!(kind == "hash" || server.words::<String>(&["GET", "bf-set:s"]) == foreign[2]);
        check_lives(&server, "s", "none");
    }
}

#[test]
fn formats_of_which_an_answer_takes_more_are_refused_by_name() {
    let place = tempfile::tempdir().unwrap();
    let server = Server::start(&[]);
    for format in REFUSED {
        let folder = place.path().join(format);
        // Of a few keys, Ribbon makes a filter that can be queried.
        build(&folder, format, 3_000);
        let error = ShardedSet::new("s")
            .load(&folder, loading())
            .query(&mut server.connection())
            .unwrap_err();
        assert!(matches!(error, Error::InvalidArgument(_)));
        let text = error.to_string();
        assert!(
            text.contains("FORMAT.md lists") && text.contains(folder.to_str().unwrap()),
            "{text}"
        );
    }
    assert_eq!(server.words::<u64>(&["DBSIZE"]), 0);
}

/// A client that knows another generation answers for the current one.
#[test]
fn the_old_generation_expires_and_the_current_one_never() {
    for_each_cluster_client(|client, _| {
        let folders = Folders::new("bloom64");
        let (set, loader) = (ShardedSet::new("{one place}"), ShardedSet::new("{one place}"));
        client.run(loader.load(&folders.one, loading()));
        let old = client.run(set.refresh()).unwrap();
        check_all_there(&client.run(set.contains_many(keys(0..STORED))));
        client.run(loader.load(&folders.two, Loading::default().grace(100 * SECOND)));
        check_all_there(&client.run(set.contains_many(keys(0..2 * STORED))));
        let new = client.run(set.refresh()).unwrap();
        assert_ne!(old.id(), new.id());
        let check = |client: &mut Client, expiring: &str, current: &str| {
            for number in 0..SHARDS {
                let [left, none] = [expiring, current].map(|generation| {
                    let key = format!("bf-shard:{generation}:{number}:{{one place}}");
                    client.words::<i64>(&["PTTL", &key])
                });
                assert!((90_000..=100_000).contains(&left) && none == -1, "{left} {none}");
            }
        };
        check(client, old.id(), new.id());
        // Back to what is about to expire.
        let loaded = client.run(loader.load(&folders.one, Loading::default().grace(100 * SECOND)));
        assert_eq!((loaded.shards, &*loaded.generation), (0, old.id()));
        check(client, new.id(), old.id());
        // Without the small key there is no set.
        client.words::<()>(&["DEL", "bf-set:{one place}"]);
        assert_eq!(client.run(set.contains(key(0))), Answer::Missing);
    });
}

#[test]
fn a_foreign_or_damaged_record_is_refused_and_stays() {
    let server = Server::start(&[]);
    let mut connection = server.connection();
    let folders = Folders::new("guava");
    let set = ShardedSet::new("users");
    set.load(&folders.one, loading()).query(&mut connection).unwrap();
    let good: String = server.words(&["GET", "bf-set:users"]);
    let (generation, json) = good.split_once('\n').unwrap();
    let json: Json = serde_json::from_str(json).unwrap();
    let changed = |change: &dyn Fn(&mut Json)| {
        let mut json = json.clone();
        change(&mut json);
        // What is wrong is not the checksum alone.
        reseal(&mut json["manifest"]);
        format!("{generation}\n{json}")
    };
    let records = [
        "text".to_owned(),
        "{}".to_owned(),
        "null".to_owned(),
        "[".repeat(100_000),
        good[..good.len() - 1].to_owned(),
        format!("{good}x"),
        changed(&|json| json["schema"] = "bloom-redis-set/1".into()),
        good.replace(generation, &"00".repeat(16)),
        json.to_string(),
        changed(&|json| json["more"] = 1.into()),
        changed(&|json| json["replaced"] = serde_json::json!({"generation": "x", "shards": 1})),
        changed(&|json| {
            json["replaced"] = serde_json::json!({"generation": "0".repeat(32), "shards": u32::MAX})
        }),
        changed(&|json| json["ends"] = serde_json::json!([])),
        changed(&|json| json["ends"][3] = "zz".repeat(32).into()),
        changed(&|json| json["ends"][3] = "ff".repeat(32).into()),
        // The number of probes.
        changed(&|json| json["ends"][3] = "01".repeat(32).into()),
        changed(&|json| json["manifest"]["format"] = "ribbon".into()),
        changed(&|json| json["manifest"]["format"] = "spark-v2".into()),
        changed(&|json| json["manifest"]["shards"][0]["bytes"] = 5.into()),
        changed(&|json| json["manifest"]["shard_function"]["seed"] = 7.into()),
        good.replace("\"line\"", "\"long\""),
    ];
    for record in &records {
        server.words::<()>(&["SET", "bf-set:users", record]);
        let shown = &record[..record.len().min(200)];
        let new = ShardedSet::new("users");
        let errors = [
            new.contains("a").query(&mut connection).unwrap_err(),
            new.refresh().query(&mut connection).map(drop).unwrap_err(),
            new.load(&folders.two, loading())
                .query(&mut connection)
                .unwrap_err(),
        ];
        for error in errors {
            assert!(matches!(error, Error::Malformed(_)));
            assert_eq!(error.key(), Some(&b"bf-set:users"[..]), "{shown}");
            assert!(error.to_string().starts_with("bf-set:users: "), "{error}");
        }
        assert_eq!(server.words::<String>(&["GET", "bf-set:users"]), *record);
        // A client that knows the generation queries no other.
        let answer = set.contains(key(5)).query(&mut connection);
        assert!(answer.is_err() || answer == Ok(Answer::Maybe), "{shown}");
    }
    server.words::<()>(&["DEL", "bf-set:users"]);
    server.words::<()>(&["RPUSH", "bf-set:users", "item"]);
    let error = ShardedSet::new("users")
        .contains("a")
        .query(&mut connection)
        .unwrap_err();
    assert!(matches!(error, Error::Malformed(_)));
}

#[test]
fn folders_that_are_damaged_are_not_loaded() {
    let server = Server::start(&[]);
    let folders = Folders::new("split-block");
    let set = ShardedSet::new("users");
    let load = |folder: &Path| set.load(folder, loading()).query(&mut server.connection());
    load(&folders.one).unwrap();
    let old: String = server.words(&["GET", "bf-set:users"]);
    let manifest = filter_sets::Manifest::read(&folders.two).unwrap();
    let file = folders.two.join(&manifest.shards[4].file);
    let good = std::fs::read(&file).unwrap();
    let mut flipped = good.clone();
    // In the filter; `filter-sets` has the other kinds of damage.
    flipped[300] ^= 1;
    for bytes in [Some(&flipped), None] {
        match bytes {
            Some(bytes) => std::fs::write(&file, bytes).unwrap(),
            None => std::fs::remove_file(&file).unwrap(),
        }
        let error = load(&folders.two).unwrap_err();
        assert!(matches!(error, Error::Malformed(_)));
        assert!(error.to_string().contains(&manifest.shards[4].file), "{error}");
        assert_eq!(server.words::<String>(&["GET", "bf-set:users"]), old);
    }
    let nowhere = load(Path::new("/nowhere")).unwrap_err();
    assert!(matches!(nowhere, Error::InvalidArgument(_)));
    std::fs::write(&file, good).unwrap();
    assert!(load(&folders.two).unwrap().shards < SHARDS as usize);
}

#[test]
fn the_keys_are_those_that_the_description_gives() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../filter-sets/tests/data/golden.set");
    // By another program after `SETS.md`.
    let generation = "6ec3afb418d6ef0d69a0754edcf7321f";
    let set = FilterSet::open(&folder, Opening::default()).unwrap();
    for_each_client(|client| {
        client.run(ShardedSet::new("g").load(&folder, loading()));
        let record: Vec<u8> = client.words(&["GET", "bf-set:g"]);
        assert!(record.starts_with(format!("{generation}\n{{\"schema\":\"bloom-redis-set/2\"").as_bytes()));
        for (number, shard) in set.generation().manifest().shards.iter().enumerate() {
            let stored = std::fs::read(folder.join(&shard.file)).unwrap().split_off(256);
            let key = format!("bf-shard:{generation}:{number}:g");
            let string: Vec<u8> = client.words(&["GET", &key]);
            let (bytes, tail) = string.split_at(stored.len());
            let sum = hex::decode(&shard.sha256).unwrap();
            let mark: Vec<u8> = sum
                .iter()
                .zip(&tail[16..])
                .map(|(sum, drawn)| sum ^ drawn)
                .collect();
            assert!(bytes == stored && tail.len() == 32 && tail[..16] == mark);
        }
    });
}

#[test]
fn a_query_of_a_set_takes_one_round_trip() {
    let server = Server::start(&[]);
    let folders = Folders::new("split-block");
    let set = ShardedSet::new("users");
    let trips = Cell::new(0);
    let mut connection = counting(server.connection(), &trips);
    set.load(&folders.one, loading()).query(&mut connection).unwrap();
    for (count, expected) in [(1, 1), (1_000, 1), (30_000, 2)] {
        trips.take();
        let answers = set.contains_many(keys(0..count));
        answers.query(&mut connection).unwrap();
        assert_eq!(trips.get(), expected, "{count} keys");
    }
    // One query to the old generation, the small key, the nodes, and one to the new generation.
    let loader = ShardedSet::new("users").load(&folders.two, loading());
    loader.query(&mut server.connection()).unwrap();
    trips.take();
    let answer = set.contains(key(2 * STORED - 1)).query(&mut connection);
    assert_eq!((answer, trips.get()), (Ok(Answer::Maybe), 4));
}
