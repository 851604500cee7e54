//! Errors of a failing server, as a caller sees them.

use std::time::Duration;

use bloom_redis::{Answer, Error, Expiry, FixedFilter, Missing, Options, Schema};

use crate::support::{Client, Server, for_each_client, new_fixed, new_growing};

fn filter(options: Options) -> FixedFilter {
    new_fixed(Schema::fixed(3_000, 0.03)).options(options)
}

fn empty() -> Options {
    Options::default().missing(Missing::Empty).bits_per_trip(1)
}

#[test]
fn a_server_that_is_gone_is_an_error() {
    for connect in [Client::blocking, Client::asynchronous] {
        let mut server = Server::start(&[]);
        let mut client = connect(&server);
        client.run(filter(empty()).insert("a"));
        server.kill();
        for _ in 0..2 {
            let error = client.fail(filter(empty()).contains("a"));
            assert!(matches!(error, Error::Disconnected(_)), "{error}");
        }
        assert!(client.fail(filter(empty()).insert("a")).is_unavailable());
        let growing = new_growing(100, 0.01);
        assert!(client.fail(growing.contains("a")).is_unavailable());
        let refused = redis::Client::open(server.url()).unwrap().get_connection();
        let error = Error::from(refused.err().unwrap());
        assert!(matches!(error, Error::Disconnected(_)));

        server.restart();
        let mut client = connect(&server);
        assert_eq!(client.run(filter(empty()).contains("a")), Answer::Absent);
    }
}

#[test]
fn a_server_out_of_memory_reports_it_and_keeps_answering() {
    for_each_client(|client| {
        let options = empty().missing(Missing::Reported);
        let growing = new_growing(100, 0.01).options(options);
        client.run(filter(options).create(Expiry::Keep));
        client.run(growing.create());
        client.words::<()>(&["CONFIG", "SET", "maxmemory", "1"]);
        for error in [
            client.fail(filter(options).insert("a")),
            client.fail(filter(empty()).insert("a")),
            client.fail(
                filter(empty())
                    .expiry(Expiry::After(Duration::from_secs(9)))
                    .insert("a"),
            ),
            client.fail(filter(options).named("new").create(Expiry::Keep)),
            client.fail(growing.insert("a")),
        ] {
            assert!(matches!(error, Error::Unavailable(_)), "{error}");
            let text = error.to_string();
            assert!(error.key().is_some() && text.contains("OOM"), "{text}");
        }
        assert_eq!(client.run(filter(options).contains("a")), Answer::Absent);
        assert_eq!(client.run(growing.contains("a")), Answer::Absent);
        client.words::<()>(&["CONFIG", "SET", "maxmemory", "0"]);
        assert!(client.run(filter(options).insert("a")));
    });
}

#[test]
fn a_connection_inside_a_transaction_is_reported() {
    let server = Server::start(&[]);
    let mut connection = server.connection();
    let (fixed, growing) = (filter(Options::default()), new_growing(40, 0.01));
    fixed.create(Expiry::Keep).query(&mut connection).unwrap();
    redis::cmd("MULTI").exec(&mut connection).unwrap();
    for error in [
        fixed.contains("a").query(&mut connection).unwrap_err(),
        fixed.insert("a").query(&mut connection).unwrap_err(),
        fixed.create(Expiry::Keep).query(&mut connection).unwrap_err(),
        growing.contains("a").query(&mut connection).unwrap_err(),
        growing.clear().query(&mut connection).unwrap_err(),
    ] {
        assert!(matches!(error, Error::InvalidArgument(_)));
        let text = "the connection must be outside of a transaction, got one inside `MULTI`, which executes the commands at \
                    `EXEC`";
        assert_eq!(error.to_string(), text);
    }
}
