//! All designs on a real cluster, through both cluster clients, while nodes go and slots move.

use std::time::Duration;

use bloom_redis::{
    Answer, Commands, Error, Expiry, Fixed, Growing, Missing, OnFailure, Options, Schema, SchemaError, Split,
    Trouble,
};
use guava_bloom::Bytes;

use crate::support::{Client, Cluster, all_commands, for_each_cluster_client};

const HOUR: Expiry = Expiry::Sliding(Duration::from_secs(3_600));
const LEASE: Duration = Duration::from_secs(60);

fn elements(count: u32) -> Vec<String> {
    (0..count).map(|i| i.to_string()).collect()
}

fn absent(count: u32) -> Vec<String> {
    (0..count).map(|i| format!("absent {i}")).collect()
}

#[track_caller]
fn check_all_there(answers: &[Answer]) {
    assert!(answers.iter().all(|&answer| answer == Answer::MayContain));
}

fn fixed(commands: Commands, missing: Missing) -> Fixed {
    Fixed::new(Schema::words(1_000, 0.01).unwrap()).with_options(Options {
        commands,
        missing,
        ..Options::default()
    })
}

#[test]
fn fixed_filters_are_spread_by_their_names() {
    for_each_cluster_client(|client, cluster| {
        let names = ["a", "b", "c", "d"];
        let filter = fixed(Commands::default(), Missing::Reported);
        let masters: std::collections::BTreeSet<usize> = names
            .iter()
            .map(|name| cluster.master_of(&filter.key(name)))
            .collect();
        assert!(masters.len() > 1);
        for missing in [Missing::Reported, Missing::Empty] {
            for commands in all_commands() {
                client.words::<()>(&["FLUSHALL"]);
                let filter = fixed(commands, missing);
                client.run(filter.adopt());
                client.run(filter.open());
                for name in names {
                    if missing == Missing::Reported {
                        assert_eq!(client.run(filter.contains(name, "a")), Answer::Missing);
                        for expiry in [None, Some(HOUR)] {
                            let error = client.fail(filter.insert(name, "a", expiry));
                            assert!(matches!(error, Error::Missing { .. }), "{commands:?}: {error}");
                            // Without scripts or transactions the insert has begun one.
                            client.run(filter.delete(name));
                        }
                        assert!(client.run(filter.create(name, None)));
                    }
                    assert_eq!(
                        client.run(filter.insert_many(name, ["a", "b", "a"], HOUR)),
                        [true, true, false]
                    );
                    assert_eq!(
                        client.run(filter.contains_many(name, ["a", "c"])),
                        [Answer::MayContain, Answer::Absent]
                    );
                    let rebuild = client.run(filter.rebuild(name, LEASE));
                    assert!(matches!(
                        client.fail(filter.rebuild(name, LEASE)),
                        Error::RebuildUnderWay { .. }
                    ));
                    client.run(rebuild.insert_many(["d"]));
                    client.run(filter.insert(name, "e", None));
                    client.run(rebuild.commit(None));
                    assert_eq!(
                        client.run(filter.contains_many(name, ["a", "d", "e"])),
                        [Answer::Absent, Answer::MayContain, Answer::MayContain]
                    );
                    let statistics = client.run(filter.statistics(name));
                    assert_eq!(statistics.rebuilds(), 1);
                    let local = client.run(filter.download(name, Bytes));
                    assert_eq!(local.bit_count(), statistics.ones());
                    client.run(filter.upload(name, &local, None));
                }
                let error = client.fail(filter.merge("a", ["b"]));
                assert_eq!(error.trouble(), Some(Trouble::CrossSlot), "{error}");
            }
        }
        // Filters that are to be merged share a slot.
        let filter = filter.with_prefix("{day}:");
        client.run(filter.create("1", None));
        client.run(filter.create("2", None));
        client.run(filter.insert("2", "a", None));
        client.run(filter.merge("1", ["2"]));
        assert_eq!(client.run(filter.contains("1", "a")), Answer::MayContain);
    });
}

#[test]
fn a_key_of_another_type_is_told_from_a_missing_one() {
    for_each_cluster_client(|client, _| {
        client.words::<()>(&["RPUSH", "bf:f", "item"]);
        let filter = fixed(Commands::default(), Missing::Reported);
        for expiry in [None, Some(HOUR)] {
            let error = client.fail(filter.insert_many("f", ["a", "b"], expiry));
            assert_eq!(error.trouble(), Some(Trouble::WrongType), "{error}");
            let error = client.fail(filter.insert_many("gone", ["a", "b"], expiry));
            assert!(matches!(error, Error::Missing { .. }), "{error}");
        }
        assert_eq!(
            client.words::<Vec<String>>(&["LRANGE", "bf:f", "0", "-1"]),
            ["item"]
        );
        assert_eq!(client.words::<u64>(&["EXISTS", "bf:gone"]), 0);
    });
}

#[test]
fn growing_filters_keep_to_one_slot_or_are_spread() {
    for_each_cluster_client(|client, cluster| {
        let schema = Schema::words(100, 0.01).unwrap();
        let spread = Growing::with_names("urls:", schema).spread();
        let masters: std::collections::BTreeSet<usize> = (0..8)
            .map(|number| cluster.master_of(&spread.key(number)))
            .collect();
        assert!(masters.len() > 1);
        let mut bits: Option<Vec<Vec<u8>>> = None;
        for (filter, scripts) in [
            (Growing::named("g", schema), true),
            (Growing::named("h", schema), false),
            (spread.clone(), true),
            (Growing::with_names("more:", schema).spread(), false),
        ] {
            let filter = filter.with_options(Options {
                commands: Commands {
                    scripts,
                    ..Commands::default()
                },
                ..Options::default()
            });
            client.run(filter.adopt());
            assert_eq!(client.run(filter.contains("a")), Answer::Missing);
            assert!(matches!(client.fail(filter.insert("a")), Error::Missing { .. }));
            assert!(client.run(filter.create()));
            assert!(!client.run(filter.create()));
            let new = client.run(filter.insert_many(elements(400)));
            assert!(new.iter().filter(|&&new| new).count() > 380);
            check_all_there(&client.run(filter.contains_many(elements(400))));
            let answers = client.run(filter.contains_many(absent(400)));
            assert!(answers.iter().filter(|&&answer| answer != Answer::Absent).count() < 40);
            let bitmaps = client.run(filter.bitmaps());
            assert!(bitmaps > 3);
            // However it is kept, it grows at the same elements.
            let now: Vec<Vec<u8>> = (0..bitmaps)
                .map(|number| client.command(redis::cmd("GET").arg(filter.key(number))))
                .collect();
            assert!(*bits.get_or_insert_with(|| now.clone()) == now);
            assert_eq!(client.run(filter.statistics()).bitmaps() as u64, bitmaps);
            client.run(filter.download(1, Bytes));
            client.run(filter.reset());
            assert_eq!(client.run(filter.bitmaps()), 1);
        }
        let filter = Growing::named("g", schema);
        client.run(filter.insert("old"));
        let rebuild = client.run(filter.rebuild(LEASE));
        client.run(rebuild.insert_many(elements(300)));
        client.run(rebuild.commit());
        check_all_there(&client.run(filter.contains_many(elements(300))));
        assert_eq!(client.run(filter.contains("old")), Answer::Absent);
        assert_eq!(
            client.fail(spread.rebuild(LEASE)).to_string(),
            "rebuilding a filter takes keys in one slot, the filter is spread over several"
        );
        // The published names lie in several slots, and scripts are told so.
        let published = Growing::new(schema).with_options(Options {
            missing: Missing::Empty,
            ..Options::default()
        });
        let error = client.fail(published.insert_many(elements(400)));
        assert_eq!(error.trouble(), Some(Trouble::CrossSlot), "{error}");
    });
}

#[test]
fn split_filters_keep_to_one_slot_or_are_spread() {
    for_each_cluster_client(|client, cluster| {
        let split = Split::new("s", 2_000, 0.01)
            .unwrap()
            .with_part_bits(1_024)
            .unwrap();
        let spread = split.clone().spread_over(5).unwrap();
        let masters_of = |filter: &Split| -> std::collections::BTreeSet<usize> {
            filter.keys().iter().map(|key| cluster.master_of(key)).collect()
        };
        assert_eq!(masters_of(&split).len(), 1);
        assert_eq!(masters_of(&spread).len(), 3);
        let mut seen = None;
        for filter in [&split, &spread] {
            for commands in all_commands() {
                client.words::<()>(&["FLUSHALL"]);
                let filter = filter.clone().with_options(Options {
                    commands,
                    ..Options::default()
                });
                client.run(filter.adopt());
                client.run(filter.open());
                assert_eq!(client.run(filter.contains("a")), Answer::Missing);
                assert!(matches!(client.fail(filter.insert("a")), Error::Missing { .. }));
                client.run(filter.delete());
                assert!(client.run(filter.create(HOUR)));
                let new = client.run(filter.insert_many(elements(500)));
                let answers = client.run(filter.contains_many([elements(500), absent(500)].concat()));
                check_all_there(&answers[..500]);
                let statistics = client.run(filter.statistics());
                let local = client.run(filter.download(Bytes));
                assert_eq!(statistics.ones(), local.bit_count());
                let now = (new, answers, local.words().to_vec());
                assert!(*seen.get_or_insert_with(|| now.clone()) == now, "{commands:?}");
                assert!(client.run(filter.delete()));
                assert!(!client.run(filter.delete()));
            }
        }
        client.run(split.create(None));
        client.run(split.insert("a"));
        let local = client.run(split.download(Bytes));
        client.run(split.upload(&local));
        let rebuild = client.run(split.rebuild(LEASE));
        client.run(rebuild.commit(None));
        assert_eq!(client.run(split.contains("a")), Answer::Absent);

        client.run(spread.create(None));
        for error in [
            client.fail(spread.rebuild(LEASE)),
            client.fail(spread.upload(&local)),
            client.fail(spread.merge([&spread])),
        ] {
            assert!(matches!(error, Error::Spread { .. }), "{error}");
        }
    });
    for given in [0, Split::MOST_SLOTS + 1] {
        let split = Split::new("s", 2_000, 0.01).unwrap();
        assert_eq!(split.spread_over(given), Err(SchemaError::Slots { given }));
    }
}

/// The state of a slot on its way: nothing has moved, some keys have, all have.
const STATES: [usize; 3] = [0, 1, usize::MAX];

#[test]
fn a_fixed_filter_is_asked_and_written_to_while_its_slot_moves() {
    for_each_cluster_client(|client, cluster| {
        for missing in [Missing::Reported, Missing::Empty] {
            for commands in all_commands() {
                for expiry in [None, Some(HOUR)] {
                    client.words::<()>(&["FLUSHALL"]);
                    let filter = fixed(commands, missing);
                    client.run(filter.create("f", None));
                    let elements = elements(6);
                    assert_eq!(
                        client.run(filter.insert_many("f", &elements[..1], expiry)),
                        [true]
                    );
                    let on_its_way = cluster.begin_move(b"bf:f");
                    for (at, migrated) in STATES.into_iter().enumerate() {
                        for key in on_its_way.left().iter().take(migrated) {
                            on_its_way.migrate(key);
                        }
                        let case = format!("{commands:?} {missing:?} {expiry:?} after {at}");
                        // Element by element, and as a batch.
                        let new = client.run(filter.insert("f", &elements[at + 1], expiry));
                        // A stated loss: the pipeline was repeated, and found its own bits.
                        assert!(new || !commands.transactions, "{case}");
                        assert_eq!(
                            client.run(filter.insert_many("f", [&elements[at + 1], &elements[0]], expiry)),
                            [false, false],
                            "{case}"
                        );
                        check_all_there(&client.run(filter.contains_many("f", &elements[..at + 2])));
                        assert_eq!(client.run(filter.contains("f", "absent")), Answer::Absent);
                        let gone = match missing {
                            Missing::Reported => Answer::Missing,
                            Missing::Empty => Answer::Absent,
                        };
                        assert_eq!(client.run(filter.contains("gone{bf:f}", "a")), gone, "{case}");
                    }
                    assert_eq!(on_its_way.moved().len(), 1);
                    on_its_way.undo();
                    check_all_there(&client.run(filter.contains_many("f", &elements[..4])));
                }
            }
        }
    });
}

#[test]
fn clients_follow_a_slot_that_has_moved() {
    let filter = fixed(Commands::default(), Missing::Reported);
    let growing = Growing::named("bf:f", Schema::words(100, 0.01).unwrap());
    let mut cluster = Cluster::start(&[]);
    let mut clients = Client::OF_CLUSTERS.map(|connect| connect(&cluster));
    clients[0].run(filter.create("f", None));
    clients[0].run(growing.create());
    for client in &mut clients {
        client.run(filter.insert("f", "before", None));
        client.run(growing.insert_many(elements(300)));
    }
    cluster.begin_move(b"bf:f").finish();
    for (at, client) in clients.iter_mut().enumerate() {
        // A transaction meets `MOVED` first in each.
        assert!(client.run(filter.insert("f", format!("after {at}"), None)));
        let answers = client.run(filter.contains_many("f", ["before", &format!("after {at}"), "absent"]));
        assert_eq!(answers, [Answer::MayContain, Answer::MayContain, Answer::Absent]);
        check_all_there(&client.run(growing.contains_many(elements(300))));
        client.run(growing.insert_many(elements(500)));
    }
    let _ = &mut cluster;
}

#[test]
fn a_growing_filter_says_what_it_knows_while_its_slot_moves() {
    for_each_cluster_client(|client, cluster| {
        client.words::<()>(&["FLUSHALL"]);
        let filter = Growing::named("g", Schema::words(100, 0.01).unwrap());
        client.run(filter.create());
        client.run(filter.insert_many(elements(300)));
        let bitmaps = client.run(filter.bitmaps());
        let on_its_way = cluster.begin_move(filter.cursor_key());
        for key in on_its_way.left() {
            on_its_way.migrate(&key);
            let answers = client.try_run(filter.contains_many(elements(300)));
            if let Ok(answers) = answers {
                assert!(!answers.contains(&Answer::Absent));
            }
            // Never "missing", which would call for a new filter.
            if let Err(error) = client.try_run(filter.insert("another")) {
                assert!(error.trouble().is_some(), "{error}");
            }
            assert!(!client.run(filter.create()));
        }
        on_its_way.undo();
        check_all_there(&client.run(filter.contains_many(elements(300))));
        assert_eq!(client.run(filter.bitmaps()), bitmaps);
        client.run(filter.insert_many(elements(500)));
        check_all_there(&client.run(filter.contains_many(elements(500))));
    });
}

#[test]
fn a_node_that_is_gone_fails_its_slots_alone_until_it_is_back() {
    let mut cluster = Cluster::start(&["--appendonly", "yes", "--appendfsync", "always"]);
    let filter = fixed(Commands::default(), Missing::Reported);
    let mut clients = Client::OF_CLUSTERS.map(|connect| connect(&cluster));
    let names: Vec<String> = (0..6).map(|name| name.to_string()).collect();
    for name in &names {
        clients[0].run(filter.create(name, None));
        clients[0].run(filter.insert(name, "a", None));
    }
    let gone = cluster.master_of(&filter.key(&names[0]));
    let lost = |name: &String| cluster_master(&cluster, &filter, name) == gone;
    let (lost, kept): (Vec<&String>, Vec<&String>) = names.iter().partition(|name| lost(name));
    assert!(!kept.is_empty());
    cluster.master(gone).kill();
    for client in &mut clients {
        for name in &kept {
            assert_eq!(client.run(filter.contains(name, "a")), Answer::MayContain);
        }
        for name in &lost {
            for error in [
                client.fail(filter.contains(name, "a")),
                client.fail(filter.insert(name, "b", None)),
            ] {
                let trouble = error.trouble().unwrap();
                assert!(trouble.is_unavailable(), "{error}: {trouble:?}");
            }
            let open = filter.clone().with_options(Options {
                on_failure: OnFailure::MayContain,
                ..Options::default()
            });
            assert_eq!(client.run(open.contains(name, "absent")), Answer::MayContain);
        }
    }
    cluster.master(gone).restart();
    cluster.wait_until_complete();
    for client in &mut clients {
        for name in &names {
            assert_eq!(
                client.run(filter.contains_many(name, ["a", "absent"])),
                [Answer::MayContain, Answer::Absent]
            );
            client.run(filter.insert(name, "c", None));
        }
    }
}

fn cluster_master(cluster: &Cluster, filter: &Fixed, name: &str) -> usize {
    cluster.master_of(&filter.key(name))
}
