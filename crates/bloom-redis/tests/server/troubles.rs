//! What a server that fails looks like to a caller.

use std::num::NonZeroUsize;
use std::time::Duration;

use bloom_redis::{
    Answer, Commands, Error, Expiry, Fixed, Growing, Missing, OnFailure, Options, Replicas, Schema, Split,
    Trouble,
};
use redis::{Cmd, ConnectionLike, RedisResult, Value};

use crate::support::{Client, Server, all_commands, for_each_client, wait_until};

fn filter(options: Options) -> Fixed {
    Fixed::new(Schema::fixed(3_000, 0.03).unwrap()).with_options(options)
}

const EMPTY: Options = Options {
    missing: Missing::Empty,
    commands: Commands {
        bitfield: true,
        transactions: true,
        scripts: true,
    },
    on_failure: OnFailure::Error,
    bits_per_trip: NonZeroUsize::MIN,
    follow_rebuilds: true,
    keep_count: false,
    replicas: None,
};

#[test]
fn a_server_that_is_gone_is_an_error_or_the_answer_of_choice() {
    for connect in [Client::blocking, Client::asynchronous] {
        let mut server = Server::start(&[]);
        let mut client = connect(&server);
        client.run(filter(EMPTY).insert("f", "a", None));
        server.kill();
        for _ in 0..2 {
            let error = client.fail(filter(EMPTY).contains("f", "a"));
            let trouble = error.trouble().unwrap();
            assert!(
                trouble.is_unavailable() && trouble.needs_reconnection(),
                "{error}: {trouble:?}"
            );
        }
        for (on_failure, expected) in [
            (OnFailure::MayContain, Answer::MayContain),
            (OnFailure::Absent, Answer::Absent),
        ] {
            let filter = filter(Options { on_failure, ..EMPTY });
            assert_eq!(client.run(filter.contains_many("f", ["a", "b"])), [expected; 2]);
            assert!(client.fail(filter.insert("f", "a", None)).trouble().is_some());
            let growing =
                Growing::new(Schema::words(100, 0.01).unwrap()).with_options(Options { on_failure, ..EMPTY });
            assert_eq!(client.run(growing.contains("a")), expected);
        }
        let refused = redis::Client::open(server.url()).unwrap().get_connection();
        let error = Error::from(refused.err().unwrap());
        assert_eq!(error.trouble(), Some(Trouble::Refused));

        server.restart();
        let mut client = connect(&server);
        assert_eq!(client.run(filter(EMPTY).contains("f", "a")), Answer::Absent);
    }
}

#[test]
fn a_server_that_is_out_of_memory_says_so_and_keeps_answering() {
    for_each_client(|client| {
        let options = Options {
            missing: Missing::Reported,
            ..EMPTY
        };
        let growing = Growing::named("g", Schema::words(100, 0.01).unwrap()).with_options(options);
        client.run(filter(options).create("f", None));
        client.run(growing.create());
        client.words::<()>(&["CONFIG", "SET", "maxmemory", "1"]);
        for error in [
            client.fail(filter(options).insert("f", "a", None)),
            client.fail(filter(EMPTY).insert("f", "a", None)),
            client.fail(filter(EMPTY).insert("f", "a", Expiry::Sliding(Duration::from_secs(9)))),
            client.fail(filter(options).insert("gone", "a", None)),
            client.fail(filter(options).adopt()),
            client.fail(growing.insert("a")),
        ] {
            assert_eq!(error.trouble(), Some(Trouble::OutOfMemory), "{error}");
        }
        assert_eq!(client.run(filter(options).contains("f", "a")), Answer::Absent);
        assert_eq!(client.run(growing.contains("a")), Answer::Absent);
        client.words::<()>(&["CONFIG", "SET", "maxmemory", "0"]);
        assert!(client.run(filter(options).insert("f", "a", None)));
    });
}

#[test]
fn a_replica_answers_and_refuses_to_write() {
    let master = Server::start(&[]);
    let port = master.port().to_string();
    let replica = Server::start(&["--replicaof", "127.0.0.1", &port]);
    for connect in [Client::blocking, Client::asynchronous] {
        let mut writer = connect(&master);
        let waiting = filter(Options {
            replicas: Some(Replicas {
                count: 1,
                timeout: Duration::from_secs(30),
            }),
            ..EMPTY
        });
        writer.run(waiting.insert("f", "a", None));
        let mut reader = connect(&replica);
        assert_eq!(reader.run(waiting.contains("f", "a")), Answer::MayContain);
        let error = reader.fail(waiting.insert("f", "b", None));
        assert_eq!(error.trouble(), Some(Trouble::ReadOnly), "{error}");

        let too_many = filter(Options {
            replicas: Some(Replicas {
                count: 2,
                timeout: Duration::from_millis(50),
            }),
            ..EMPTY
        });
        let error = writer.fail(too_many.insert("f", "c", None));
        // The one replica may be slower than the time-out.
        assert!(
            matches!(
                error,
                Error::Replication {
                    wanted: 2,
                    reached: 0..=1
                }
            ),
            "{error}"
        );
        assert_eq!(writer.run(waiting.contains("f", "c")), Answer::MayContain);
    }
}

/// A fail-over: the first request reaches one master, all others another.
struct FailingOver<'a> {
    before: Option<&'a Server>,
    after: &'a Server,
}

impl FailingOver<'_> {
    fn connection(&mut self) -> redis::Connection {
        self.before.take().unwrap_or(self.after).connection()
    }
}

impl ConnectionLike for FailingOver<'_> {
    fn req_packed_command(&mut self, command: &[u8]) -> RedisResult<Value> {
        self.connection().req_packed_command(command)
    }

    fn req_packed_commands(&mut self, all: &[u8], offset: usize, count: usize) -> RedisResult<Vec<Value>> {
        self.connection().req_packed_commands(all, offset, count)
    }

    fn req_command(&mut self, command: &Cmd) -> RedisResult<Value> {
        self.connection().req_command(command)
    }

    fn get_db(&self) -> i64 {
        0
    }

    fn check_connection(&mut self) -> bool {
        true
    }

    fn is_open(&self) -> bool {
        true
    }
}

#[test]
fn replicas_are_waited_for_over_the_connection_that_wrote() {
    // The one that gets the writes has no replica, the one that takes over has one.
    let (before, after) = (Server::start(&[]), Server::start(&[]));
    let port = after.port().to_string();
    let _replica = Server::start(&["--replicaof", "127.0.0.1", &port]);
    wait_until("the replica is in step", || {
        let reached: u32 = after.words(&["WAIT", "1", "50"]);
        reached == 1
    });
    let schema = Schema::words(100, 0.01).unwrap();
    for commands in all_commands() {
        for missing in [Missing::Empty, Missing::Reported] {
            let options = Options {
                commands,
                missing,
                replicas: Some(Replicas {
                    count: 1,
                    timeout: Duration::from_millis(20),
                }),
                ..EMPTY
            };
            let (fixed, growing) = (filter(options), Growing::named("g", schema));
            let split = Split::new("s", 2_000, 0.01)
                .and_then(|split| split.with_part_bits(1_024))
                .unwrap()
                .with_options(options);
            for server in [&before, &after] {
                let mut connection = server.connection();
                fixed.create("f", None).query(&mut connection).unwrap();
                split.create(None).query(&mut connection).unwrap();
                growing.create().query(&mut connection).unwrap();
                // The server learns the script.
                growing.insert("a").query(&mut connection).unwrap();
            }
            let expiry = Expiry::Sliding(Duration::from_secs(99));
            let mut inserts = vec![
                fixed.insert("f", "a", None),
                fixed.insert("f", "b", expiry),
                split.insert("a"),
            ];
            // Without scripts it takes several trips.
            if commands.scripts {
                inserts.push(growing.with_options(options).insert("b"));
            }
            for (number, insert) in inserts.into_iter().enumerate() {
                let mut connection = FailingOver {
                    before: Some(&before),
                    after: &after,
                };
                let error = insert.query(&mut connection).unwrap_err();
                let expected = Error::Replication {
                    wanted: 1,
                    reached: 0,
                };
                assert_eq!(error.to_string(), expected.to_string(), "{number} {options:?}");
            }
        }
    }
}

#[test]
fn a_command_that_is_forbidden_is_named_as_such() {
    let server = Server::start(&["--rename-command", "BITFIELD_RO", ""]);
    for connect in [Client::blocking, Client::asynchronous] {
        let mut client = connect(&server);
        let error = client.fail(filter(EMPTY).contains("f", "a"));
        assert_eq!(error.trouble(), Some(Trouble::UnknownCommand), "{error}");
        client.words::<()>(&["ACL", "SETUSER", "default", "-bitfield"]);
        let error = client.fail(filter(EMPTY).insert("f", "a", None));
        assert_eq!(error.trouble(), Some(Trouble::Forbidden), "{error}");
        client.words::<()>(&["ACL", "SETUSER", "default", "+@all", "-multi"]);
        let error = client.fail(filter(EMPTY).insert("f", "a", None));
        assert_eq!(error.trouble(), Some(Trouble::Forbidden), "{error}");
        client.words::<()>(&["ACL", "SETUSER", "default", "+@all"]);
    }
}
