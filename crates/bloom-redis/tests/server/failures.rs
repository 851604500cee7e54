//! Servers that hang, die and come back, and clients that go on.

use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use bloom_redis::{Answer, ErrorKind, FixedFilter, Missing, Options, Schema};

use crate::support::{Client, Design, Server, check_all_there, new_fixed, runtime, wait_until};

fn filter() -> FixedFilter {
    new_fixed(Schema::fixed(3_000, 0.03)).with_options(Options::default().missing(Missing::Empty))
}

/// Inserts one element after another until the server is gone. Records those that it acknowledged.
fn insert_until_gone(server: &Server, filter: &Design, writer: usize, acknowledged: &Mutex<Vec<String>>) {
    let mut connection = server.connection();
    for i in 0.. {
        let element = format!("{writer}-{i}");
        match filter.insert_many(&[&element]).query(&mut connection) {
            Ok(_) => acknowledged.lock().unwrap().push(element),
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Disconnected, "{error}");
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
            check_all_there(&client.run(filter.ask(&acknowledged.lock().unwrap())));
        }
    }
    let statistics = Client::blocking(&server).run(filters[1].0.statistics());
    assert!(statistics.bitmaps() > 1);
}

#[test]
fn a_command_that_hangs_ends_at_its_time_out() {
    const SHORT: Duration = Duration::from_millis(50);
    let server = Server::start(&[]);
    let mut client = Client::blocking(&server);
    client.run(filter().insert("a"));
    let hang = || server.process().signal("STOP");
    let go_on = || server.process().signal("CONT");

    let redis = redis::Client::open(server.url()).unwrap();
    let connect = || {
        let connection = redis.get_connection().unwrap();
        connection.set_read_timeout(Some(SHORT)).unwrap();
        connection
    };
    let mut connection = connect();
    hang();
    let error = filter().might_contain("a").query(&mut connection).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Disconnected, "{error}");
    go_on();
    let answers = filter().might_contain_many(["a", "b"]).query(&mut connect());
    assert_eq!(answers.unwrap(), [Answer::MightContain, Answer::Absent]);

    runtime().block_on(async {
        let config = redis::AsyncConnectionConfig::new().set_response_timeout(Some(SHORT));
        let mut connection = redis
            .get_multiplexed_async_connection_with_config(&config)
            .await
            .unwrap();
        hang();
        let error = filter()
            .might_contain("a")
            .query_async(&mut connection)
            .await
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Disconnected, "{error}");
        go_on();
    });
}
