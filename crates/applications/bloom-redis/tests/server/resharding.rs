//! Clusters that change: slots that move, nodes that go and come back.

use std::time::Duration;

use bloom_redis::{Answer, Expiry, GrowingFilter, Missing, Schema};

use crate::cluster::{elements, fixed};
use crate::support::{Client, Cluster, Design, check_all_there, for_each_cluster_client, names};

const HOUR: Expiry = Expiry::After(Duration::from_secs(3_600));

/// The number of keys moved so far, in a slot that is moving: none, one, or all.
const STATES: [usize; 3] = [0, 1, usize::MAX];

#[test]
fn a_fixed_filter_is_queried_and_written_to_while_its_slot_moves() {
    for_each_cluster_client(|client, cluster| {
        for (missing, expiry) in [
            (Missing::Reported, HOUR),
            (Missing::Empty, HOUR),
            (Missing::Empty, Expiry::Keep),
        ] {
            client.words::<()>(&["FLUSHALL"]);
            let filter = fixed(missing).expiry(expiry);
            client.run(filter.create(Expiry::Keep));
            let elements = elements(6);
            assert!(client.run(filter.insert(&elements[0])));
            let on_its_way = cluster.begin_move(b"bf:f");
            for (at, migrated) in STATES.into_iter().enumerate() {
                for key in on_its_way.left().iter().take(migrated) {
                    on_its_way.migrate(key);
                }
                let case = format!("{missing:?} {expiry:?} after {at}");
                // Single elements, then a batch. As documented, a pipeline that is repeated finds its own bits and
                // reports nothing new.
                client.run(filter.insert(&elements[at + 1]));
                let again = client.run(filter.insert_many([&elements[at + 1], &elements[0]]));
                assert_eq!(again, [false; 2], "{case}");
                check_all_there(&client.run(filter.contains_many(&elements[..at + 2])));
                // Several scripts.
                let many = names(&format!("{at} of"), 400);
                client.run(filter.insert_many(&many));
                check_all_there(&client.run(filter.contains_many(&many)));
                assert_eq!(client.run(filter.contains("absent")), Answer::Absent);
                let gone = match missing {
                    Missing::Reported => Answer::Missing,
                    _ => Answer::Absent,
                };
                let answer = client.run(filter.named("gone{bf:f}").contains("a"));
                assert_eq!(answer, gone, "{case}");
            }
            assert_eq!(on_its_way.moved().len(), 1);
            on_its_way.undo();
            check_all_there(&client.run(filter.contains_many(&elements[..4])));
        }
    });
}

#[test]
fn clients_follow_a_slot_that_has_moved() {
    let filter = fixed(Missing::Reported);
    let growing = GrowingFilter::new("bf:f", Schema::whole_words(100, 0.01).unwrap()).unwrap();
    let cluster = Cluster::start();
    let mut clients = Client::OF_CLUSTERS.map(|connect| connect(&cluster));
    clients[0].run(filter.create(Expiry::Keep));
    clients[0].run(growing.create());
    for client in &mut clients {
        client.run(filter.insert("before"));
        client.run(growing.insert_many(elements(300)));
    }
    cluster.begin_move(b"bf:f").finish();
    for (at, client) in clients.iter_mut().enumerate() {
        // The first command of each client is a pipeline, which meets `MOVED`.
        assert!(client.run(filter.insert(format!("after {at}"))));
        let answers = client.run(filter.contains_many(["before", &format!("after {at}"), "absent"]));
        assert_eq!(answers, [Answer::Maybe, Answer::Maybe, Answer::Absent]);
        check_all_there(&client.run(growing.contains_many(elements(300))));
        client.run(growing.insert_many(elements(500)));
    }
}

#[test]
fn filters_of_several_keys_answer_while_their_slot_moves() {
    for_each_cluster_client(|client, cluster| {
        let mut failed = 0;
        for (filter, key) in [(Design::growing(100, 0.01), "{g}"), (Design::loaded(), "{bf:f}")] {
            client.words::<()>(&["FLUSHALL"]);
            filter.fill(client, &elements(300));
            let on_its_way = cluster.begin_move(key.as_bytes());
            assert!(on_its_way.left().len() > 1, "{filter:?}");
            for key in on_its_way.left() {
                on_its_way.migrate(&key);
                match client.try_run(filter.query(&elements(300))) {
                    Ok(answers) => assert!(!answers.contains(&Answer::Absent)),
                    Err(error) => {
                        assert!(error.is_unavailable(), "{error}");
                        failed += 1;
                    }
                }
                // Never `Error::Missing`, which would make the caller create a new filter.
                if let Err(error) = client.try_run(filter.insert_many(&["another"])) {
                    assert!(error.is_unavailable(), "{error}");
                }
                assert!(!filter.create().is_some_and(|create| client.run(create)));
            }
            on_its_way.undo();
            check_all_there(&client.run(filter.query(&elements(300))));
            client.run(filter.insert_many(&elements(500)));
            check_all_there(&client.run(filter.query(&elements(500))));
        }
        // A script that needs keys of two nodes.
        assert!(failed > 0);
    });
}
