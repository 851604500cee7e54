//! Nodes, shards and loaders that go: no stored key is ever absent.

use bloom_redis::{Answer, Error, Loading, ShardedSet};
use redis::cmd;

use super::{Folders, SECOND, SHARDS, STORED, keys, loading};
use crate::between::rounds;
use crate::support::{Client, Cluster, Server, check_all_there, for_each_cluster_client, wait_until};

#[test]
fn a_node_that_goes_while_a_set_is_loaded_leaves_the_old_generation() {
    let folders = Folders::new("split-block-xxph3");
    // What a node wrote is there when it comes back.
    let mut cluster = Cluster::start(&["--appendonly", "yes", "--appendfsync", "always"]);
    let mut clients = Client::OF_CLUSTERS.map(|connect| connect(&cluster));
    let set = ShardedSet::new("users");
    clients[0].run(set.load(&folders.one, loading()));
    let old = clients[0].run(set.refresh()).unwrap();
    let home = cluster.master_of(&set.key());
    let lost = (home + 1) % 3;
    let process = cluster.master(lost).process();
    let mut gone = false;
    let killing = loading().progress(|bytes, all| {
        if bytes * 3 > all && !std::mem::replace(&mut gone, true) {
            process.kill();
        }
    });
    let error = clients[0].fail(ShardedSet::new("users").load(&folders.two, killing));
    assert!(error.is_unavailable(), "{error}");
    assert!(gone);

    // The other nodes answer, for clients that know the set and for new ones.
    for client in &mut clients {
        for set in [set.clone(), ShardedSet::new("users")] {
            let (mut answered, mut failed) = (0, 0);
            for key in keys(0..STORED).iter().step_by(10) {
                match client.try_run(set.contains(key)) {
                    Ok(answer) => {
                        assert_eq!(answer, Answer::Maybe, "{key}");
                        answered += 1;
                    }
                    Err(error) => {
                        assert!(error.is_unavailable(), "{error}");
                        failed += 1;
                    }
                }
            }
            assert!(answered > 10 && failed > 10, "{answered} {failed}");
        }
    }
    cluster.master(lost).restart();
    cluster.wait_until_complete();
    for client in &mut clients {
        assert_eq!(client.run(set.refresh()).unwrap().id(), old.id());
        check_all_there(&client.run(set.contains_many(keys(0..STORED))));
    }
    let loaded = clients[0].run(set.load(&folders.two, loading()));
    assert!((1..SHARDS as usize).contains(&loaded.shards), "{loaded:?}");
    check_all_there(&clients[1].run(set.contains_many(keys(0..2 * STORED))));
}

/// Ways in which a shard's string is lost or replaced.
const LOSSES: [&[&str]; 6] = [
    &["DEL"],
    &["SET", "foreign"],
    &["SET", ""],
    &["APPEND", "x"],
    &["SETRANGE", "0", ""],
    &["PEXPIRE", "1"],
];

#[test]
fn a_shard_that_is_lost_is_missing_and_loaded_again() {
    for_each_cluster_client(|client, _| {
        let folders = Folders::new("leveldb");
        let set = ShardedSet::new("users");
        client.run(set.load(&folders.one, loading()));
        let generation = client.run(set.refresh()).unwrap();
        let stored = keys(0..STORED);
        for (number, loss) in LOSSES.iter().enumerate() {
            let key = format!("bf-shard:{}:{number}:users", generation.id());
            let words = [&loss[..1], &[key.as_str()], &loss[1..]].concat();
            client.words::<redis::Value>(&words);
            let is_lost = loss[0] != "SETRANGE";
            if is_lost {
                wait_until("the shard is gone", || {
                    client.run(set.contains_many(&stored)).contains(&Answer::Missing)
                });
            }
            for (key, answer) in stored.iter().zip(client.run(set.contains_many(&stored))) {
                let is_of_it = generation.manifest().shard_of(key.as_bytes()) == number;
                let expected = [Answer::Maybe, Answer::Missing][usize::from(is_lost && is_of_it)];
                assert_eq!(answer, expected, "{loss:?}: {key}");
            }
            if loss[0] == "APPEND" {
                // A longer string is another program's.
                let error = client.fail(set.load(&folders.one, loading()));
                assert!(matches!(error, Error::Malformed(_)));
                assert_eq!(error.key(), Some(key.as_bytes()));
                client.words::<()>(&["DEL", &key]);
            }
            let loaded = client.run(set.load(&folders.one, loading()));
            assert_eq!(loaded.shards, usize::from(is_lost), "{loss:?}");
            check_all_there(&client.run(set.contains_many(&stored)));
        }
        let key = format!("bf-shard:{}:0:users", generation.id());
        client.words::<()>(&["DEL", &key]);
        client.words::<()>(&["RPUSH", &key, "item"]);
        for error in [
            client.fail(set.contains_many(&stored)),
            client.fail(set.load(&folders.one, loading())),
        ] {
            assert!(matches!(error, Error::Malformed(_)));
        }
    });
}

/// Deletes the keys of this pattern.
fn delete(pattern: &str, other: &mut redis::Connection) {
    let keys: Vec<String> = cmd("KEYS").arg(pattern).query(other).unwrap();
    for key in keys {
        cmd("DEL").arg(key).exec(other).unwrap();
    }
}

#[test]
fn a_shard_that_goes_and_is_loaded_again_during_a_query_hides_nothing() {
    let server = Server::start(&[]);
    for format in ["leveldb", "split-block", "binaryfuse"] {
        let folders = Folders::new(format);
        let stored = keys(0..40);
        // Before this command it goes, so many commands later it is back.
        for later in [0, 1, 3, 8] {
            let acts = rounds(&server, |round| {
                let set = ShardedSet::new("users");
                round.run(set.load(&folders.one, loading()));
                let mut gone = false;
                let places = [round.at, round.at + later];
                let answers = round.during_at(&places, set.contains_many(&stored), |other| {
                    if std::mem::replace(&mut gone, true) {
                        let again = ShardedSet::new("users").load(&folders.one, loading());
                        again.query(other).unwrap();
                    } else {
                        delete("bf-shard:*", other);
                    }
                });
                let hides = answers.unwrap().contains(&Answer::Absent);
                assert!(!hides, "{format}, before the commands {places:?}");
            });
            assert!(acts > 10, "{acts}");
        }
    }
}

#[test]
fn a_generation_that_is_exchanged_during_a_query_hides_nothing() {
    let (server, folders) = (Server::start(&[]), Folders::new("split-block"));
    for (grace, is_known) in [
        (100 * SECOND, true),
        (SECOND / 1000, true),
        (SECOND / 1000, false),
    ] {
        let acts = rounds(&server, |round| {
            let (loader, set) = (ShardedSet::new("users"), ShardedSet::new("users"));
            round.run(loader.load(&folders.one, loading()));
            let set = if is_known { &loader } else { &set };
            let mut stored = STORED;
            let exchange = |other: &mut redis::Connection| {
                stored = 2 * STORED;
                let loading = Loading::default().grace(grace);
                let load = ShardedSet::new("users").load(&folders.two, loading);
                load.query(other).unwrap();
                if grace < SECOND {
                    // The old shards have expired then.
                    std::thread::sleep(3 * grace);
                }
            };
            let answers = round.during(set.contains_many(keys(0..STORED)), exchange);
            let answers = answers.unwrap();
            assert!(!answers.contains(&Answer::Absent), "before command {}", round.at);
            if grace > SECOND {
                check_all_there(&answers);
            }
            check_all_there(&round.run(loader.contains_many(keys(0..stored))));
        });
        assert!(acts > 10, "{acts}");
    }
}

#[test]
fn a_shard_that_goes_while_it_is_loaded_is_no_shard() {
    let server = Server::start(&[]);
    let folders = Folders::new("leveldb");
    let stored = keys(0..STORED);
    // The string alone goes, or everything, as when a server without persistence starts again.
    for pattern in ["bf-*", "bf-shard:*:3:*"] {
        let acts = rounds(&server, |round| {
            let set = ShardedSet::new("users");
            let loaded = round.during(set.load(&folders.one, loading()), |other| delete(pattern, other));
            let set = ShardedSet::new("users");
            let answers = round.run(set.contains_many(&stored));
            assert!(
                !answers.contains(&Answer::Absent),
                "before command {}: {loaded:?}",
                round.at
            );
            round.run(set.load(&folders.one, loading()));
            check_all_there(&round.run(set.contains_many(&stored)));
        });
        assert!(acts > 20, "{acts}");
    }
}

#[test]
fn loaders_at_the_same_time_do_no_harm() {
    let folders = Folders::new("murmur2");
    let server = Server::start(&[]);
    for round in 0..5 {
        server.words::<()>(&["FLUSHALL"]);
        std::thread::scope(|scope| {
            for folder in [&folders.one, &folders.two, &folders.one, &folders.two] {
                let mut connection = server.connection();
                scope.spawn(move || {
                    let set = ShardedSet::new("users");
                    // One may find a shard that another has begun anew.
                    while let Err(error) = set.load(folder, Loading::default()).query(&mut connection) {
                        assert!(matches!(error, Error::Missing { .. }), "{error}");
                    }
                });
            }
        });
        let mut connection = server.connection();
        let set = ShardedSet::new("users");
        let current = set.refresh().query(&mut connection).unwrap().unwrap();
        let stored = u32::try_from(current.manifest().len()).unwrap();
        check_all_there(&set.contains_many(keys(0..stored)).query(&mut connection).unwrap());
        for number in 0..SHARDS {
            let key = format!("bf-shard:{}:{number}:users", current.id());
            assert_eq!(server.words::<i64>(&["TTL", &key]), -1, "round {round}");
        }
    }
}
