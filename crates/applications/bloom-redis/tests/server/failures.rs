//! Servers that are killed and come back.

use std::sync::Mutex;
use std::thread;

use bloom_redis::{Answer, Error, GrowingFilter, Schema};

use crate::support::{Client, Cluster, Design, Server, check_all_there, names, wait_until};

/// Inserts one element after another until the server is gone. Records those that it acknowledged.
fn insert_until_gone(
    mut connection: redis::Connection,
    filter: &Design,
    writer: usize,
    acknowledged: &Mutex<Vec<String>>,
) {
    for i in 0.. {
        let element = format!("{writer}-{i}");
        match filter.insert_many(&[&element]).query(&mut connection) {
            Ok(_) => acknowledged.lock().unwrap().push(element),
            Err(error) => {
                assert!(matches!(error, Error::Disconnected(_)), "{error}");
                return;
            }
        }
    }
}

#[test]
fn no_acknowledged_insert_is_lost_when_the_server_is_killed() {
    let mut server = Server::start(&["--appendonly", "yes", "--appendfsync", "always"]);
    let filters =
        [Design::fixed(20_000, 0.01), Design::growing(100, 0.01)].map(|filter| (filter, Mutex::default()));
    for (filter, _) in &filters {
        Client::blocking(&server).run(filter.create().unwrap());
    }
    for round in 1..=2 {
        let process = server.process();
        thread::scope(|scope| {
            for (filter, acknowledged) in &filters {
                for writer in [10 * round, 10 * round + 1] {
                    let connection = server.connection();
                    scope.spawn(move || insert_until_gone(connection, filter, writer, acknowledged));
                }
            }
            wait_until("every filter has some", || {
                (filters.iter()).all(|(_, some)| some.lock().unwrap().len() >= round * 100)
            });
            process.kill();
        });
        server.restart();
        let mut client = Client::blocking(&server);
        for (filter, acknowledged) in &filters {
            check_all_there(&client.run(filter.query(&acknowledged.lock().unwrap())));
        }
    }
    let stats = Client::blocking(&server).run(filters[1].0.stats().unwrap());
    assert!(stats.bitmaps() > 1);
}

/// A node of a cluster with a filter of each design comes back empty.
#[test]
fn a_node_that_is_gone_denies_nothing() {
    let mut cluster = Cluster::start();
    let mut clients = Client::OF_CLUSTERS.map(|connect| connect(&cluster));
    let stored = names("stored", 100);
    let growing = GrowingFilter::new("bf:f", Schema::whole_words(40, 1e-4).unwrap()).unwrap();
    let filters = [
        Design::fixed(300, 1e-4),
        Design::Growing(growing),
        Design::loaded(),
    ];
    for filter in &filters {
        filter.fill(&mut clients[0], &stored);
    }
    let number = cluster.master_of(b"bf:f");
    cluster.master(number).kill();
    for client in &mut clients {
        for filter in &filters {
            let error = client.fail(filter.query(&stored));
            assert!(error.is_unavailable(), "{error}");
        }
    }
    cluster.master(number).restart();
    cluster.wait_until_complete();
    for client in &mut clients {
        for filter in &filters {
            // Connections of before may have to be made again.
            wait_until("the node answers", || {
                client.try_run(filter.query(&stored)).is_ok()
            });
            for filter in [filter, &filter.again()] {
                let answers = client.run(filter.query(&stored));
                assert!(
                    answers.iter().all(|&answer| answer == Answer::Missing),
                    "{filter:?}"
                );
            }
        }
    }
}
