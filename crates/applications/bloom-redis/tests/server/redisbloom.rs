//! Filters for the server's own `BF.*` commands, on a server with the module RedisBloom.

use bloom_redis::{Answer, Error, RedisBloom};
use membership_filters::{RedisBloomFilter, RedisBloomParameters};
use redis::{Cmd, Connection, ConnectionLike, Value, cmd};

use crate::support::{Client, Hooked, Server, check_all_there, names};

fn filter(keys: &[String]) -> RedisBloomFilter {
    let mut filter = RedisBloomFilter::new(&RedisBloomParameters::new(100, 0.01)).unwrap();
    for key in keys {
        filter.insert(key.as_bytes()).unwrap();
    }
    filter
}

/// Runs the body with an empty server that has the module.
fn with_module(body: impl FnOnce(&mut dyn ConnectionLike)) {
    let server = Server::with_module();
    body(&mut server.connection());
}

#[test]
fn a_loaded_filter_answers_grows_and_is_read_back() {
    with_module(|server| {
        let keys = names("key", 1_000);
        let local = filter(&keys);
        let remote = RedisBloom::new("users");
        assert_eq!(remote.contains("a").query(server).unwrap(), Answer::Missing);
        remote.load(&local).query(server).unwrap();
        let local = with_canaries(&local, &remote.dump().query(server).unwrap());
        // Another handle knows nothing of the load.
        for of in [&remote, &RedisBloom::new("users")] {
            check_all_there(&of.contains_many(&keys).query(server).unwrap());
            let absent = names("absent", 20_000);
            let answers = of.contains_many(&absent).query(server).unwrap();
            let expected = local.contains_many(&absent);
            assert!(answers.iter().zip(expected).all(|(answer, found)| *answer
                == match found {
                    true => Answer::Maybe,
                    false => Answer::Absent,
                }));
        }
        let more = names("more", 500);
        let new = remote.insert_many(&more).query(server).unwrap();
        assert!(new.iter().filter(|&&is_new| is_new).count() > 450);
        assert!(!remote.insert(&more[0]).query(server).unwrap());
        check_all_there(&remote.contains_many(&more).query(server).unwrap());
        let mut expected = local.clone();
        expected.insert_many(&more).unwrap();
        assert_eq!(remote.dump().query(server).unwrap(), expected);
        // Another load takes its place.
        remote.load(&filter(&more)).query(server).unwrap();
        check_all_there(&remote.contains_many(&more).query(server).unwrap());
        with_canaries(&filter(&more), &remote.dump().query(server).unwrap());
    });
}

/// Checks that a filter was loaded with some keys more, and returns what was loaded.
fn with_canaries(local: &RedisBloomFilter, loaded: &RedisBloomFilter) -> RedisBloomFilter {
    let (before, after) = (local.info(), loaded.info());
    assert!(before.links == after.links && before.capacity == after.capacity);
    assert!(after.len - before.len <= 8, "{before:?} {after:?}");
    loaded.clone()
}

#[test]
fn a_full_chain_is_reported() {
    with_module(|server| {
        let made = |capacity| {
            let parameters = RedisBloomParameters::new(capacity, 0.01).non_scaling();
            RedisBloomFilter::new(&parameters).unwrap()
        };
        let remote = RedisBloom::new("few");
        // There is no room for the keys that prove it.
        let error = remote.load(&made(7)).query(server).unwrap_err();
        assert!(matches!(error, Error::Full(_)));
        remote.load(&made(10)).query(server).unwrap();
        // Two keys have room, and one for each key before them that the filter contains by chance.
        let error = remote.insert_many(names("key", 12)).query(server).unwrap_err();
        assert!(matches!(error, Error::Server(_)));
        assert!(error.to_string().contains("full"), "{error}");
        check_all_there(&remote.contains_many(names("key", 2)).query(server).unwrap());
        // One that scales is as large as before.
        let mut full = RedisBloomFilter::new(&RedisBloomParameters::new(1_000, 0.01)).unwrap();
        let keys = names("key", 1_000);
        full.insert_many(&keys).unwrap();
        for more in names("more", 100) {
            if full.info().len < 1_000 {
                full.insert(&more).unwrap();
            }
        }
        remote.load(&full).query(server).unwrap();
        assert_eq!(remote.dump().query(server).unwrap(), full);
        check_all_there(&remote.contains_many(&keys).query(server).unwrap());
    });
}

/// Later servers go on with chains of RedisBloom 1 and 2.0, whose links have a power of two of bits, and load those that
/// another later server had from an RDB file.
#[test]
fn a_chain_of_redisbloom_2_0_goes_on() {
    with_module(|server| {
        for digits in [
            include_str!("../../../membership-filters/tests/data/kinds/redisbloom.2.0.hex"),
            include_str!("../../../membership-filters/tests/data/kinds/redisbloom.2.0-from-rdb.hex"),
        ] {
            let digits = digits.replace('\n', "");
            let stored: Vec<u8> = (0..digits.len())
                .step_by(2)
                .map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap())
                .collect();
            let stored = RedisBloomFilter::from_redisbloom(&stored).unwrap();
            let remote = RedisBloom::new("old");
            remote.load(&stored).query(server).unwrap();
            // With the keys that prove the load.
            let mut local = remote.dump().query(server).unwrap();
            check_all_there(
                &remote
                    .contains_many((0..100).map(|i| format!("k/{i}")))
                    .query(server)
                    .unwrap(),
            );
            let more = names("more", 2_000);
            let new = remote.insert_many(&more).query(server).unwrap();
            let expected: Vec<bool> = more.iter().map(|key| local.insert(key).unwrap()).collect();
            assert_eq!(new, expected);
            assert!(local.info().links > 3 && remote.dump().query(server).unwrap() == local);
        }
    });
}

/// Somebody else loads the filter anew before an insertion, which learns of it while it inserts.
#[test]
fn keys_are_new_in_a_filter_that_was_loaded_again() {
    with_module(|server| {
        let keys = names("key", 1_000);
        let remote = RedisBloom::new("users");
        let empty = RedisBloomFilter::new(&RedisBloomParameters::new(100_000, 0.0001)).unwrap();
        remote.load(&empty).query(server).unwrap();
        assert!(remote.insert("first").query(server).unwrap());
        RedisBloom::new("users").load(&empty).query(server).unwrap();
        let new = remote.insert_many(&keys).query(server).unwrap();
        assert!(new.iter().filter(|&&is_new| is_new).count() > 990);
        let again = remote.insert_many(&keys).query(server).unwrap();
        assert!(again.iter().all(|&is_new| !is_new));
    });
}

/// A filter that has grown, one far from full, and one whose keys were inserted on the server: other programs load it again by
/// half, or others in its place, at any time.
#[test]
fn a_foreign_filter_denies_nothing() {
    let server = Server::with_module();
    let server = &mut server.connection();
    let (keys, others) = (names("key", 200), names("other", 600));
    let plain = |server: &mut dyn ConnectionLike, filter: &RedisBloomFilter, chunks: usize| {
        delete(server, "users");
        for (iterator, chunk) in filter.chunks().take(chunks) {
            let mut load = cmd("BF.LOADCHUNK");
            load.arg("users").arg(iterator).arg(chunk).exec(server).unwrap();
        }
    };
    for (capacity, is_filled_remotely) in [(20, false), (2_000, false), (2_000, true)] {
        let of = |keys: &[String]| {
            let mut filter = RedisBloomFilter::new(&RedisBloomParameters::new(capacity, 0.01)).unwrap();
            filter.insert_many(keys).unwrap();
            filter
        };
        let local = of(if is_filled_remotely { &[] } else { &keys });
        let load = |server: &mut dyn ConnectionLike| {
            let remote = RedisBloom::new("users");
            remote.load(&local).query(server).unwrap();
            if is_filled_remotely {
                remote.insert_many(&keys).query(server).unwrap();
            }
            remote
        };
        let losses: [Loss<'_>; 6] = [
            &|server| delete(server, "users"),
            &|server| plain(server, &local, 1),
            &|server| plain(server, &of(&others), usize::MAX),
            &|server| plain(server, &of(&others[..300]), usize::MAX),
            &|server| plain(server, &of(&others[..1]), usize::MAX),
            &|server| plain(server, &of(&[]), usize::MAX),
        ];
        for (number, lose) in losses.into_iter().enumerate() {
            let remote = load(server);
            check_all_there(&remote.contains_many(&keys).query(server).unwrap());
            lose(server);
            for of in [&remote, &RedisBloom::new("users")] {
                let answers = of.contains_many(&keys).query(server).unwrap();
                let are_missing = answers.iter().all(|&answer| answer == Answer::Missing);
                assert!(are_missing, "{capacity}, loss {number}");
                let error = of.insert("a").query(server).unwrap_err();
                assert!(matches!(error, Error::Missing { .. }), "{error}");
            }
            check_all_there(&load(server).contains_many(&keys).query(server).unwrap());
            // A query has five commands, twelve if a load interrupts it.
            for at in 0..12 {
                loses_during_a_query(server, &keys, &load, lose, at);
            }
        }
    }
}

fn delete(server: &mut dyn ConnectionLike, key: &str) {
    cmd("DEL").arg(key).exec(server).unwrap();
}

type Loss<'a> = &'a dyn Fn(&mut dyn ConnectionLike);

/// A filter is lost before a command of a query, and comes back two commands later or does not.
fn loses_during_a_query<C: ConnectionLike>(
    server: &mut C,
    keys: &[String],
    load: &dyn Fn(&mut dyn ConnectionLike) -> RedisBloom,
    lose: Loss<'_>,
    at: usize,
) {
    for comes_back in [false, true] {
        let (remote, mut sent) = (load(server), 0);
        let act = |server: &mut &mut C| {
            if sent == at {
                lose(*server);
            } else if sent == at + 2 && comes_back {
                load(*server);
            }
            sent += 1;
        };
        let mut hooked = Hooked {
            connection: &mut *server,
            one_by_one: true,
            act,
        };
        let answers = remote.contains_many(keys).query(&mut hooked).unwrap();
        assert!(!answers.contains(&Answer::Absent), "before command {at}");
    }
}

#[test]
fn a_filter_of_another_program_is_used_after_it_is_marked() {
    with_module(|server| {
        let (keys, remote) = (names("key", 1_000), RedisBloom::new("users"));
        remote.load(&filter(&names("old", 100))).query(server).unwrap();
        for arguments in filter(&keys).commands(b"users") {
            let mut command = Cmd::new();
            command.arg(arguments).exec(server).unwrap();
        }
        assert_eq!(remote.contains("key 1").query(server).unwrap(), Answer::Missing);
        remote.write_mark().query(server).unwrap();
        check_all_there(&remote.contains_many(&keys).query(server).unwrap());
        assert_eq!(remote.contains("absent 1").query(server).unwrap(), Answer::Absent);
        let error = RedisBloom::new("none").write_mark().query(server).unwrap_err();
        assert!(matches!(error, Error::Missing { .. }), "{error}");
    });
}

#[test]
fn a_full_filter_that_is_replaced_while_it_is_marked_is_not_proven() {
    let server = Server::with_module();
    replaces_during_a_mark(&mut server.connection());
}

/// Another filter of as many keys comes before a command of those that write the mark.
fn replaces_during_a_mark<C: ConnectionLike>(server: &mut C) {
    let send = |server: &mut C, of: &str| {
        let mut full = RedisBloomFilter::new(&RedisBloomParameters::new(1_000, 0.01)).unwrap();
        let mut keys = (0..).map(|number| format!("{of} {number}"));
        while full.len() < 1_000 {
            full.insert(keys.next().unwrap().as_bytes()).unwrap();
        }
        for words in full.commands(b"users") {
            Cmd::new().arg(words).exec(server).unwrap();
        }
    };
    let mut refused = 0;
    for at in 0.. {
        send(server, "one");
        let (remote, mut sent) = (RedisBloom::new("users"), 0);
        let act = |server: &mut &mut C| {
            if sent == at {
                send(server, "other");
            }
            sent += 1;
        };
        let marked = remote.write_mark().query(&mut Hooked {
            connection: &mut *server,
            one_by_one: true,
            act,
        });
        if at >= sent {
            marked.unwrap();
            break;
        }
        if let Err(error) = marked {
            assert!(matches!(error, Error::Unavailable(_)));
            assert!(error.to_string().contains("while it was marked"), "{error}");
            let answer = remote.contains("one 1").query(server).unwrap();
            assert_eq!(answer, Answer::Missing, "before command {at}");
            refused += 1;
        }
    }
    assert!(refused > 0);
}

/// Two loads by commands at once, with each command refused in turn: the filter in place is one of those loaded whole.
#[test]
fn loads_by_commands_replace_nothing_by_a_part() {
    with_module(|server| {
        let [old, one, other] = ["old", "one", "other"].map(|name| names(name, 1_000));
        let commands = |keys: &[String]| filter(keys).commands(b"users").collect::<Vec<_>>();
        let send = |server: &mut dyn ConnectionLike, words: &[Vec<u8>]| Cmd::new().arg(words).exec(server);
        let loads = [&one, &other].map(|keys| commands(keys));
        for refused in [None].into_iter().chain((0..loads[0].len()).map(Some)) {
            commands(&old)
                .iter()
                .for_each(|words| send(server, words).unwrap());
            let mut ended = [Ok(()), Ok(())];
            for step in 0..loads[0].len().max(loads[1].len()) {
                for (at, (load, ended)) in loads.iter().zip(&mut ended).enumerate() {
                    if let Some(words) = load.get(step)
                        && (at == 1 || refused != Some(step))
                    {
                        *ended = send(server, words);
                    }
                }
            }
            let (keys, len) = match (&ended, refused) {
                ([_, Ok(())], _) => (&other, loads[1].len()),
                ended => panic!("{ended:?}"),
            };
            assert!(len > 2);
            assert_eq!(
                ended[0].is_err(),
                refused.is_some_and(|step| step + 1 < loads[0].len())
            );
            let remote = RedisBloom::new("users");
            assert_eq!(remote.dump().query(server).unwrap(), filter(keys), "{refused:?}");
        }
        // The last step alone, of a load without one of its chunks.
        commands(&old)
            .iter()
            .for_each(|words| send(server, words).unwrap());
        let late = commands(&names("late", 1_000));
        let (end, chunks) = late.split_last().unwrap();
        for (at, _) in chunks.iter().enumerate() {
            let others = chunks.iter().enumerate().filter(|(other, _)| *other != at);
            others.for_each(|(_, words)| _ = send(server, words));
            assert!(send(server, end).is_err(), "without chunk {at}");
            assert_eq!(
                RedisBloom::new("users").dump().query(server).unwrap(),
                filter(&old)
            );
        }
    });
}

#[test]
fn a_load_that_is_killed_leaves_the_old_filter() {
    let server = Server::with_module();
    let (old, new) = (names("old", 1_000), names("new", 2_000));
    for commands in 0..20 {
        let (remote, mut sent) = (RedisBloom::new("users"), 0);
        remote
            .load(&filter(&old))
            .query(&mut server.connection())
            .unwrap();
        let loaded = remote.load(&filter(&new)).query(&mut Hooked {
            connection: server.connection(),
            one_by_one: true,
            act: |connection: &mut Connection| {
                if sent == commands {
                    cmd("QUIT").exec(connection).unwrap();
                }
                sent += 1;
            },
        });
        let keys = if loaded.is_ok() { &new } else { &old };
        assert_eq!(loaded.is_err(), commands < 15, "{commands}");
        let answers = remote.contains_many(keys).query(&mut server.connection());
        check_all_there(&answers.unwrap());
    }
}

#[test]
fn a_server_without_the_commands_is_distinguished_from_a_lost_filter() {
    let server = Server::start(&[]);
    let mut client = Client::blocking(&server);
    let remote = RedisBloom::new("users");
    for error in [client.fail(remote.load(&filter(&[]))), client.fail(remote.dump())] {
        assert!(matches!(error, Error::Server(_)));
        assert!(error.to_string().contains("Redis 8"), "{error}");
    }
    assert_eq!(client.run(remote.contains("a")), Answer::Missing);
    client.words::<()>(&["SET", "bloom-redis:loaded:{users}", "2 1 0 0 1 2 3 4 5 6 7"]);
    assert!(client.fail(remote.contains("a")).to_string().contains("Redis 8"));
    for unread in ["mine", "1 0 5", "2 1 0 0 1 2 3 4 5 6", "2 1"] {
        client.words::<()>(&["SET", "bloom-redis:loaded:{users}", unread]);
        assert_eq!(client.run(remote.contains("a")), Answer::Missing);
    }
}

#[test]
fn the_last_step_of_a_load_is_one_step() {
    let server = Server::start(&[]);
    let mut client = Client::blocking(&server);
    let script = include_str!("../../src/scripts/replace.lua");
    let mut replace = cmd("EVAL");
    replace
        .arg(script)
        .arg(3)
        .arg(&["next", "key", "mark"])
        .arg("1 0");
    client.words::<()>(&["SET", "key", "old"]);
    assert_eq!(client.command::<u8>(&replace), 0);
    let get = |client: &mut Client, key| client.words::<Value>(&["GET", key]);
    assert_eq!(get(&mut client, "key"), Value::BulkString(b"old".into()));
    assert_eq!(get(&mut client, "mark"), Value::Nil);
    client.words::<()>(&["SET", "next", "new", "PX", "100000"]);
    assert_eq!(client.command::<u8>(&replace), 1);
    assert_eq!(get(&mut client, "key"), Value::BulkString(b"new".into()));
    assert_eq!(get(&mut client, "mark"), Value::BulkString(b"1 0".into()));
    assert_eq!(client.words::<i64>(&["PTTL", "key"]), -1);
    assert_eq!(get(&mut client, "next"), Value::Nil);
}
