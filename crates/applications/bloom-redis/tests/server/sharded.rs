//! Sets over shards on a cluster whose nodes have the module RedisBloom: a filter for each shard, loaded by commands and
//! marked. A stored key is never absent, whatever is lost.

use std::fs;
use std::path::{Path, PathBuf};

use bloom_redis::{Answer, Error, RedisBloom};
use filter_sets::{Builder, Header, Manifest, SHARD_SEED, ShardFunction, Size, StoredFormat};
use redis::cluster::ClusterConnection;
use redis::{Cmd, ConnectionLike as _, cmd};

use crate::reseal::reseal;
use crate::sharded_example;
use crate::support::{Client, Cluster, Hooked, check_all_there, commands_of, names, wait_until};

const SHARDS: u32 = 4;

/// A generation of a set: its name, and the folder with the commands that load it.
struct Generation {
    name: String,
    place: tempfile::TempDir,
    keys: Vec<String>,
}

impl Generation {
    fn build(number: u32, keys: Vec<String>) -> Self {
        let (name, place) = (format!("users.{number}/{SHARDS}"), tempfile::tempdir().unwrap());
        let builder = Builder::new(StoredFormat::named("redisbloom").unwrap(), Size::Rate(0.01));
        let folder = place.path().join("commands");
        let mut building = builder.commands_folder(&folder, name.as_bytes(), SHARDS).unwrap();
        keys.iter().for_each(|key| building.insert(key).unwrap());
        building.finish(&|_| true).unwrap();
        Self { name, place, keys }
    }

    /// Builds a set of the keys in files. Returns its folder.
    fn build_set(&self, options: impl FnOnce(Builder) -> Builder) -> PathBuf {
        let folder = self.place.path().join("set");
        let builder = Builder::new(StoredFormat::named("redisbloom").unwrap(), Size::Rate(0.01));
        let mut building = options(builder).set(&folder, SHARDS).unwrap();
        let keys = self.keys.iter().map(String::as_bytes);
        keys.for_each(|key| building.insert(key).unwrap());
        building.finish(&|_| true).unwrap();
        folder
    }

    fn file(&self, shard: u32) -> PathBuf {
        let name = format!("commands/shard-{shard:05}-of-{SHARDS:05}.resp");
        self.place.path().join(name)
    }

    fn key(&self, shard: u32) -> String {
        format!("{}:{{{shard}}}", self.name)
    }

    fn filters(&self) -> Vec<RedisBloom> {
        (0..SHARDS)
            .map(|shard| RedisBloom::new(self.key(shard)))
            .collect()
    }

    fn load(&self, cluster: &Cluster) {
        let mut connection = cluster.connection();
        for shard in 0..SHARDS {
            for command in commands_of(&fs::read(self.file(shard)).unwrap()) {
                connection.req_packed_command(&command).unwrap();
            }
        }
    }

    /// Loads the shards and gives them their marks.
    fn load_marked(&self, cluster: &Cluster, client: &mut Client) {
        self.load(cluster);
        for filter in self.filters() {
            client.run(filter.write_mark());
        }
    }
}

fn shard_of(key: &str) -> u32 {
    ShardFunction::default().shard_of(key.as_bytes(), SHARDS)
}

/// Queries keys in their shards.
fn query(filters: &[RedisBloom], client: &mut Client, keys: &[String]) -> Vec<Result<Answer, Error>> {
    let mut answers: Vec<Option<Result<Answer, Error>>> = vec![None; keys.len()];
    for (filter, number) in filters.iter().zip(0..) {
        let indices: Vec<usize> = (0..keys.len())
            .filter(|&index| shard_of(&keys[index]) == number)
            .collect();
        let found = client.try_run(filter.contains_many(indices.iter().map(|&index| &keys[index])));
        for (at, &index) in indices.iter().enumerate() {
            answers[index] = Some(found.clone().map(|found| found[at]));
        }
    }
    answers.into_iter().map(Option::unwrap).collect()
}

/// Checks that stored keys of lost shards are missing, and that the others are there.
#[track_caller]
fn check_lost(filters: &[RedisBloom], client: &mut Client, keys: &[String], lost: &[u32], case: &str) {
    for (key, answer) in keys.iter().zip(query(filters, client, keys)) {
        let expected = match lost.contains(&shard_of(key)) {
            true => Answer::Missing,
            false => Answer::Maybe,
        };
        assert_eq!(answer, Ok(expected), "{case}: {key}");
    }
}

const ALL: [u32; SHARDS as usize] = [0, 1, 2, 3];

/// Lists the losses of a set, each with the shards that are then missing. The functions get the second shard's key.
type Loss = (&'static str, fn(&mut Cluster, &Generation) -> Vec<u32>);

/// Returns the shards on the node of the second one.
fn on_its_node(cluster: &Cluster, set: &Generation) -> Vec<u32> {
    let node = |shard: u32| cluster.master_of(set.key(shard).as_bytes());
    ALL.into_iter().filter(|&shard| node(shard) == node(1)).collect()
}

const LOSSES: [Loss; 7] = [
    ("a deleted shard", |cluster, set| {
        cmd("DEL")
            .arg(set.key(1))
            .exec(&mut cluster.connection())
            .unwrap();
        vec![1]
    }),
    ("a deleted mark", |cluster, set| {
        let mark = format!("bloom-redis:loaded:{}", set.key(1));
        let deleted: u8 = cmd("DEL").arg(mark).query(&mut cluster.connection()).unwrap();
        assert_eq!(deleted, 1);
        vec![1]
    }),
    ("a flushed node", |cluster, set| {
        let (lost, number) = (
            on_its_node(cluster, set),
            cluster.master_of(set.key(1).as_bytes()),
        );
        cluster.master(number).words::<()>(&["FLUSHALL"]);
        lost
    }),
    ("an eviction", |cluster, set| {
        let (lost, number) = (
            on_its_node(cluster, set),
            cluster.master_of(set.key(1).as_bytes()),
        );
        let node = cluster.master(number);
        let configure = |name: &str, value: &str| node.words::<()>(&["CONFIG", "SET", name, value]);
        configure("maxmemory-policy", "allkeys-lru");
        configure("maxmemory", "1");
        wait_until("the keys are evicted", || node.words::<u64>(&["DBSIZE"]) == 0);
        configure("maxmemory", "0");
        lost
    }),
    ("a restart", |cluster, set| {
        let (lost, number) = (
            on_its_node(cluster, set),
            cluster.master_of(set.key(1).as_bytes()),
        );
        cluster.master(number).kill();
        cluster.master(number).restart();
        cluster.wait_until_complete();
        lost
    }),
    ("a half-loaded filter", |cluster, set| {
        let connection = &mut cluster.connection();
        let filter = RedisBloom::new(set.key(1)).dump().query(connection).unwrap();
        cmd("DEL").arg(set.key(1)).exec(connection).unwrap();
        let (iterator, header) = filter.chunks().next().unwrap();
        let mut load = cmd("BF.LOADCHUNK");
        load.arg(set.key(1))
            .arg(iterator)
            .arg(header)
            .exec(connection)
            .unwrap();
        vec![1]
    }),
    // By another program, with keys that were inserted one by one.
    ("another filter", |cluster, set| {
        let connection = &mut cluster.connection();
        cmd("DEL").arg(set.key(1)).exec(connection).unwrap();
        let mut insert = cmd("BF.MADD");
        insert
            .arg(set.key(1))
            .arg(names("other", 5_000))
            .exec(connection)
            .unwrap();
        vec![1]
    }),
];

#[test]
fn a_lost_shard_is_missing_and_denies_no_key() {
    let mut cluster = Cluster::with_module();
    let set = Generation::build(1, names("user", 20_000));
    for connect in Client::OF_CLUSTERS {
        for (case, lose) in LOSSES {
            let mut client = connect(&cluster);
            let known = set.filters();
            set.load_marked(&cluster, &mut client);
            check_lost(&known, &mut client, &set.keys, &[], case);
            let absent = query(&known, &mut client, &names("absent", 1_000));
            let denied = absent.iter().filter(|&answer| *answer == Ok(Answer::Absent));
            assert!(denied.count() > 950, "{case}");
            let lost = lose(&mut cluster, &set);
            assert!(!lost.is_empty() && lost.len() < ALL.len());
            // A client that knew the marks, and one that did not. Those of before may have to connect again.
            wait_until("the node answers", || {
                client.try_run(RedisBloom::new(set.key(1)).contains("")).is_ok()
            });
            for filters in [&known, &set.filters()] {
                check_lost(filters, &mut client, &set.keys, &lost, case);
            }
            // What the server gets by commands alone is not proven, also where it is the same.
            set.load(&cluster);
            check_lost(&known, &mut client, &set.keys, &ALL, case);
            set.load_marked(&cluster, &mut client);
            check_lost(&known, &mut client, &set.keys, &[], case);
        }
    }
}

/// Cluster clients return the error of one command for a whole query.
#[test]
fn a_shard_that_is_lost_during_a_query_is_missing() {
    let cluster = Cluster::with_module();
    let set = Generation::build(1, names("user", 2_000));
    let mut client = Client::OF_CLUSTERS[0](&cluster);
    let keys: Vec<&String> = set.keys.iter().filter(|key| shard_of(key) == 1).collect();
    let mark = format!("bloom-redis:loaded:{}", set.key(1));
    // The node answers the five commands together, or one by one: the mark, the keys, the canaries, the number of keys,
    // the mark again. The filter counts until its number of keys was read, and the mark until the end.
    for (one_by_one, requests, of_filter) in [(false, 1, 1), (true, 5, 4)] {
        for (case, lost, counted) in [
            ("the filter", vec![set.key(1)], of_filter),
            ("the mark", vec![mark.clone()], requests),
            ("both", vec![set.key(1), mark.clone()], requests),
        ] {
            for at in 0..=requests {
                set.load_marked(&cluster, &mut client);
                let kept = RedisBloom::new(set.key(1));
                check_all_there(&client.run(kept.contains_many(&keys)));
                let mut sent = 0;
                let lose = |cluster: &mut ClusterConnection| {
                    if sent == at {
                        let deleted: usize = cmd("DEL").arg(&lost).query(cluster).unwrap();
                        assert_eq!(deleted, lost.len());
                    }
                    sent += 1;
                };
                let answers = kept.contains_many(&keys).query(&mut Hooked {
                    connection: cluster.connection(),
                    one_by_one,
                    act: lose,
                });
                let expected = match at < counted {
                    true => Answer::Missing,
                    false => Answer::Maybe,
                };
                assert_eq!(
                    answers.unwrap(),
                    vec![expected; keys.len()],
                    "{case} before request {at}"
                );
            }
        }
    }
}

#[test]
fn a_node_that_is_gone_denies_no_key() {
    let mut cluster = Cluster::with_module();
    let set = Generation::build(1, names("user", 2_000));
    let mut clients = Client::OF_CLUSTERS.map(|connect| connect(&cluster));
    set.load_marked(&cluster, &mut clients[0]);
    let gone = on_its_node(&cluster, &set);
    let number = cluster.master_of(set.key(1).as_bytes());
    cluster.master(number).kill();
    for client in &mut clients {
        for (key, answer) in set.keys.iter().zip(query(&set.filters(), client, &set.keys)) {
            match answer {
                Ok(answer) => assert_eq!(answer, Answer::Maybe, "{key}"),
                Err(error) => assert!(gone.contains(&shard_of(key)) && error.is_unavailable(), "{error}"),
            }
        }
    }
}

#[test]
fn a_shard_that_moves_to_another_node_denies_no_key() {
    let cluster = Cluster::with_module();
    let set = Generation::build(1, names("user", 2_000));
    let mut clients = Client::OF_CLUSTERS.map(|connect| connect(&cluster));
    set.load_marked(&cluster, &mut clients[0]);
    let filters = set.filters();
    let on_its_way = cluster.begin_move(set.key(1).as_bytes());
    let left = on_its_way.left();
    assert_eq!(left.len(), 2, "the filter and its mark");
    for key in left {
        for client in &mut clients {
            for (key, answer) in set.keys.iter().zip(query(&filters, client, &set.keys)) {
                let is_denied = matches!(answer, Ok(Answer::Absent));
                assert!(!is_denied, "{key}");
            }
        }
        on_its_way.migrate(&key);
    }
    on_its_way.finish();
    for client in &mut clients {
        check_lost(&filters, client, &set.keys, &[], "moved");
    }
}

/// The example `sharded` answers from the newest generation that is complete, and never denies a stored key meanwhile.
#[test]
fn readers_change_over_when_all_shards_are_marked() {
    let cluster = Cluster::with_module();
    let mut client = Client::OF_CLUSTERS[0](&cluster);
    let (old, new) = (
        Generation::build(1, names("user", 1_000)),
        Generation::build(2, names("user", 2_000)),
    );
    let both = [&*new.name, &*old.name];
    let answers = |names: &[&str]| query_example(&cluster, names, "user 7\nuser 1999\nnobody\n");
    old.load(&cluster);
    assert_eq!(
        answers(&both),
        "user 7: Missing\nuser 1999: Missing\nnobody: Missing\n"
    );
    assert_eq!(run(&cluster, &["mark", &old.name], "").unwrap(), "");
    let of_old = "user 7: Maybe\nuser 1999: Absent\nnobody: Absent\n";
    assert_eq!(answers(&both), of_old);
    new.load(&cluster);
    for filter in new.filters() {
        assert_eq!(answers(&both), of_old);
        client.run(filter.write_mark());
    }
    assert_eq!(
        answers(&both),
        "user 7: Maybe\nuser 1999: Maybe\nnobody: Absent\n"
    );
    check_all_there(
        &query(&old.filters(), &mut client, &old.keys)
            .into_iter()
            .collect::<Result<Vec<_>, _>>()
            .unwrap(),
    );
    // One shard of the new generation is lost: a reader that begins now finds the old one, and one that has changed over
    // gets "missing". No reader answers from shards of both.
    client.words::<()>(&["DEL", &new.key(shard_of("user 7"))]);
    assert_eq!(answers(&both), of_old);
    let lost = answers(&[&new.name]);
    assert!(lost.starts_with("user 7: Missing\n"), "{lost}");
    for shard in ALL {
        client.command::<()>(Cmd::new().arg("UNLINK").arg(old.key(shard)));
    }
    assert_eq!(
        answers(&[&old.name]),
        "user 7: Missing\nuser 1999: Missing\nnobody: Missing\n"
    );
    // A set in files is loaded with its marks. Its name must state the number of its shards.
    let folder = old.build_set(|builder| builder);
    assert_eq!(
        run(&cluster, &["load", &old.name, path(&folder)], "").unwrap(),
        ""
    );
    assert_eq!(answers(&[&old.name]), of_old);
    refuses(
        &cluster,
        "users.1/8",
        &folder,
        "must have 8 shards as its name says, got 4",
    );
    // A reader with another number of shards has other names.
    assert_eq!(
        answers(&["users.2/8"]),
        "user 7: Missing\nuser 1999: Missing\nnobody: Missing\n"
    );
}

/// Runs the example `sharded`. Returns what it prints, or its error.
fn run(cluster: &Cluster, action: &[&str], keys: &str) -> Result<String, String> {
    let (url, mut output) = (cluster.url(), Vec::new());
    let arguments = [&[&*url], action].concat();
    sharded_example::run(&arguments, &mut keys.as_bytes(), &mut output)
        .map_err(|error| error.to_string())
        .map(|()| String::from_utf8(output).unwrap())
}

fn query_example(cluster: &Cluster, names: &[&str], keys: &str) -> String {
    run(cluster, &[&["query"], names].concat(), keys).unwrap()
}

/// Checks that the example does not load a set, and that its error has this text.
#[track_caller]
fn refuses(cluster: &Cluster, name: &str, folder: &Path, text: &str) {
    let error = run(cluster, &["load", name, path(folder)], "").unwrap_err();
    assert!(error.contains(text), "{error}");
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// A set that the example would query wrongly, and shards that are not what the builder wrote, would make stored keys
/// absent.
#[test]
fn sets_that_queries_would_deny_are_not_loaded() {
    let cluster = Cluster::with_module();
    let set = Generation::build(1, names("user", 100));
    let key = "user 7";
    let is_missing = || query_example(&cluster, &[&set.name], key) == format!("{key}: Missing\n");
    // The keys are numbers: their text is not in the set.
    let mut of_numbers = Generation::build(1, Vec::new());
    of_numbers.keys = vec!["8 bytes.".to_owned()];
    let folder = of_numbers.build_set(|builder| builder.key_kind("long").unwrap());
    let text = "the kind of key of the set must be line or string, got long";
    refuses(&cluster, &set.name, &folder, text);
    // The keys are in the shards of another function.
    let folder = set.build_set(|builder| builder);
    let manifest = folder.join("manifest.json");
    let (read, written) = (
        Manifest::read(&folder).unwrap(),
        fs::read_to_string(&manifest).unwrap(),
    );
    let seed = SHARD_SEED.to_string();
    let mut reseeded: serde_json::Value = serde_json::from_str(&written).unwrap();
    reseeded["shard_function"]["seed"] = 5.into();
    reseal(&mut reseeded);
    fs::write(&manifest, reseeded.to_string()).unwrap();
    let text = format!("the seed of the set's shard function must be {seed}, got 5");
    refuses(&cluster, &set.name, &folder, &text);
    fs::write(&manifest, written).unwrap();
    assert!(is_missing());
    // The file of the key's shard is damaged, truncated, or not there.
    let shard = folder.join(&read.shards[shard_of(key) as usize].file);
    let whole = fs::read(&shard).unwrap();
    let mut damaged = whole.clone();
    *damaged.last_mut().unwrap() ^= 1;
    for (bytes, text) in [
        (&damaged[..], "the checksum must be"),
        (&whole[..whole.len() - 1], "the checksum must be"),
        (&whole[..Header::LEN], "the checksum must be"),
        (
            &whole[..Header::LEN - 1],
            "the length in bytes must be at least 256, got 255",
        ),
        (&[], "the length in bytes must be at least 256, got 0"),
    ] {
        fs::write(&shard, bytes).unwrap();
        refuses(&cluster, &set.name, &folder, text);
        assert!(is_missing());
    }
    fs::remove_file(&shard).unwrap();
    refuses(&cluster, &set.name, &folder, path(&shard));
    assert!(is_missing());
    fs::write(&shard, whole).unwrap();
    assert_eq!(
        run(&cluster, &["load", &set.name, path(&folder)], "").unwrap(),
        ""
    );
    assert_eq!(
        query_example(&cluster, &[&set.name], key),
        format!("{key}: Maybe\n")
    );
    for name in [
        "users.1/0",
        "users.1/4097",
        "users.1/4000000000",
        "users.1/",
        "users.1",
    ] {
        let text = format!("the name must end with / and 1 to 4096 shards, as in users.1/4, got {name}");
        refuses(&cluster, name, &folder, &text);
    }
}
