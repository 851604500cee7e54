//! Clusters that change: slots that move, nodes that go and come back, replicas.

use std::time::Duration;

use bloom_redis::{
    Answer, Commands, Error, Expiry, Fixed, Growing, Missing, OnFailure, Options, Replicas, Schema, Trouble,
};

use crate::cluster::{check_all_there, elements, fixed};
use crate::support::{Client, Cluster, all_commands, for_each_cluster_client};

const HOUR: Expiry = Expiry::Sliding(Duration::from_secs(3_600));

/// The state of a slot on its way: nothing has moved, some keys have, all have.
const STATES: [usize; 3] = [0, 1, usize::MAX];

#[test]
fn a_fixed_filter_is_asked_and_written_to_while_its_slot_moves() {
    for_each_cluster_client(|client, cluster| {
        for commands in all_commands() {
            for (missing, expiry) in [
                (Missing::Reported, Some(HOUR)),
                (Missing::Empty, Some(HOUR)),
                (Missing::Empty, None),
            ] {
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
                    if commands == Commands::default() {
                        // Several transactions.
                        let many: Vec<String> = (0..400).map(|i| format!("{at} of {i}")).collect();
                        let new = client.run(filter.insert_many("f", &many, expiry));
                        assert!(new.iter().filter(|&&new| new).count() > 300, "{case}");
                        check_all_there(&client.run(filter.contains_many("f", &many)));
                    }
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

#[test]
fn replicas_are_waited_for_where_the_insert_went_and_read_if_the_client_says_so() {
    let cluster = Cluster::start(&[]);
    let waiting = fixed(Commands::default(), Missing::Empty).with_options(Options {
        missing: Missing::Empty,
        replicas: Some(Replicas {
            count: 1,
            timeout: Duration::from_secs(20),
        }),
        ..Options::default()
    });
    let names: Vec<String> = (0..20).map(|name| name.to_string()).collect();
    let with = cluster.master_of(&waiting.key(&names[0]));
    let replica = cluster.add_replica(with);
    let without = (names.iter())
        .find(|name| cluster.master_of(&waiting.key(name)) != with)
        .unwrap();
    let impatient = waiting.clone().with_options(Options {
        missing: Missing::Empty,
        replicas: Some(Replicas {
            count: 1,
            timeout: Duration::from_millis(1),
        }),
        ..Options::default()
    });
    for (number, connect) in Client::OF_CLUSTERS.into_iter().enumerate() {
        let mut client = connect(&cluster);
        let element = number.to_string();
        assert!(client.run(waiting.insert(&names[0], &element, None)));
        let error = client.fail(impatient.insert(without, &element, None));
        let expected = Error::Replication {
            wanted: 1,
            reached: 0,
        };
        assert_eq!(error.to_string(), expected.to_string());

        // The replica has it; asked directly, it answers only a connection that says `READONLY`.
        let mut connection = replica.connection();
        let error = waiting
            .contains(&names[0], &element)
            .query(&mut connection)
            .unwrap_err();
        assert_eq!(error.trouble(), Some(Trouble::OtherNode), "{error}");
        redis::cmd("READONLY").exec(&mut connection).unwrap();
        let answer = waiting.contains(&names[0], &element).query(&mut connection);
        assert_eq!(answer.unwrap(), Answer::MayContain);
    }
}
