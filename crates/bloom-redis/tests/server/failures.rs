//! Servers that hang, die and come back, and clients that go on.

use std::net::TcpListener;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use bloom_redis::{Answer, Error, ErrorKind, FixedFilter, Missing, Options, Schema};
use redis::aio::{ConnectionManager, ConnectionManagerConfig};

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

#[test]
fn a_server_that_does_not_answer_is_given_up_when_connecting() {
    // The operating system accepts connections for the listener.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let client = redis::Client::open(format!("redis://127.0.0.1:{port}/")).unwrap();
    let short = Duration::from_millis(50);
    let error = Error::from(client.get_connection_with_timeout(short).err().unwrap());
    assert_eq!(error.kind(), ErrorKind::Disconnected, "{error}");
}

#[test]
fn connections_come_back_with_the_server() {
    let mut server = Server::start(&["--appendonly", "yes", "--appendfsync", "always"]);
    let redis = redis::Client::open(server.url()).unwrap();
    let patience = Duration::from_secs(30);
    let runtime = runtime();
    let config = ConnectionManagerConfig::new()
        .set_connection_timeout(Some(patience))
        .set_response_timeout(Some(patience))
        .set_number_of_retries(0);
    let mut managed = runtime
        .block_on(ConnectionManager::new_with_config(redis, config))
        .unwrap();
    runtime
        .block_on(filter().insert("a").query_async(&mut managed))
        .unwrap();
    for _ in 0..2 {
        server.kill();
        let error = runtime
            .block_on(filter().might_contain("a").query_async(&mut managed))
            .unwrap_err();
        assert!(error.kind().is_unavailable(), "{error}");
        server.restart();
        // The manager reconnects in the background after the first failure that it sees.
        wait_until("the manager has connected", || {
            let answer = runtime.block_on(filter().might_contain("a").query_async(&mut managed));
            answer.is_ok_and(|answer| answer == Answer::MightContain)
        });
    }
}
