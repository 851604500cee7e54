//! A server that is killed and comes back.

use std::sync::Mutex;
use std::thread;

use bloom_redis::Error;

use crate::support::{Client, Design, Server, check_all_there, wait_until};

/// Inserts one element after another until the server is gone. Records those that it acknowledged.
fn insert_until_gone(server: &Server, filter: &Design, writer: usize, acknowledged: &Mutex<Vec<String>>) {
    let mut connection = server.connection();
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
        Client::blocking(&server).run(filter.create());
    }
    for round in 1..=2 {
        let process = server.process();
        thread::scope(|scope| {
            for (filter, acknowledged) in &filters {
                for writer in [10 * round, 10 * round + 1] {
                    let server = &server;
                    scope.spawn(move || insert_until_gone(server, filter, writer, acknowledged));
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
    let stats = Client::blocking(&server).run(filters[1].0.stats());
    assert!(stats.bitmaps() > 1);
}
