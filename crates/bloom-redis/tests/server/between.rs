//! What others do between the commands of a pipeline.

use std::time::Duration;

use bloom_redis::{Answer, Commands, Error, Fixed, Options, Schema, Split};
use redis::{Cmd, ConnectionLike, RedisResult, Value};

use crate::support::{Server, all_commands};

const LEASE: Duration = Duration::from_secs(60);

/// Sends the commands of a pipeline one by one, and does something before one of them.
struct Between<'a> {
    connection: redis::Connection,
    before: usize,
    act: &'a mut dyn FnMut(),
    acted: bool,
}

impl ConnectionLike for Between<'_> {
    fn req_packed_command(&mut self, command: &[u8]) -> RedisResult<Value> {
        self.connection.req_packed_command(command)
    }

    fn req_packed_commands(
        &mut self,
        commands: &[u8],
        offset: usize,
        count: usize,
    ) -> RedisResult<Vec<Value>> {
        assert_eq!(offset, 0, "not a transaction");
        let commands = split(commands);
        assert_eq!(commands.len(), count);
        let mut replies = Vec::new();
        for (number, command) in commands.into_iter().enumerate() {
            if number == self.before {
                (self.act)();
                self.acted = true;
            }
            replies.push(self.connection.req_packed_command(&command)?);
        }
        Ok(replies)
    }

    fn req_command(&mut self, command: &Cmd) -> RedisResult<Value> {
        self.connection.req_command(command)
    }

    fn get_db(&self) -> i64 {
        self.connection.get_db()
    }

    fn check_connection(&mut self) -> bool {
        self.connection.check_connection()
    }

    fn is_open(&self) -> bool {
        self.connection.is_open()
    }
}

/// The commands of a pipeline, whose arguments hold no line ends here.
fn split(packed: &[u8]) -> Vec<Vec<u8>> {
    let mut lines = packed.split_inclusive(|&byte| byte == b'\n');
    let mut commands = Vec::new();
    while let Some(head) = lines.next() {
        let arguments: usize = core::str::from_utf8(&head[1..]).unwrap().trim().parse().unwrap();
        let mut command = head.to_vec();
        // Of each argument its length and itself.
        lines
            .by_ref()
            .take(2 * arguments)
            .for_each(|line| command.extend(line));
        commands.push(command);
    }
    commands
}

#[test]
fn a_filter_that_goes_or_comes_back_during_a_query_hides_nothing() {
    let server = Server::start(&[]);
    let mut other = server.connection();
    for commands in all_commands() {
        let options = Options {
            commands,
            ..Options::default()
        };
        let filter = Fixed::new(Schema::fixed(1_000, 0.01).unwrap()).with_options(options);
        let split = Split::new("s", 1_000, 0.01).unwrap().with_options(options);
        let elements: Vec<String> = (0..20).map(|i| i.to_string()).collect();
        let mut acts = 0;
        for comes in [false, true] {
            for before in 0.. {
                filter.create("f", None).query(&mut other).unwrap();
                split.create(None).query(&mut other).unwrap();
                filter
                    .insert_many("f", &elements, None)
                    .query(&mut other)
                    .unwrap();
                split.insert_many(&elements).query(&mut other).unwrap();
                let rebuilds = comes.then(|| {
                    let rebuild = filter.rebuild("f", LEASE).query(&mut other).unwrap();
                    rebuild.insert_many(&elements).query(&mut other).unwrap();
                    filter.delete("f").query(&mut other).unwrap();
                    let part = split.rebuild(LEASE).query(&mut other).unwrap();
                    part.insert_many(&elements).query(&mut other).unwrap();
                    split.delete().query(&mut other).unwrap();
                    (rebuild, part)
                });
                let mut acted = true;
                for fixed in [true, false] {
                    let rebuilds = rebuilds.clone();
                    let mut act = || match (rebuilds.clone(), fixed) {
                        (Some((rebuild, _)), true) => rebuild.commit(None).query(&mut other).unwrap(),
                        (Some((_, rebuild)), false) => rebuild.commit(None).query(&mut other).unwrap(),
                        (None, true) => assert!(filter.delete("f").query(&mut other).unwrap()),
                        (None, false) => assert!(split.delete().query(&mut other).unwrap()),
                    };
                    let mut between = Between {
                        connection: server.connection(),
                        before,
                        act: &mut act,
                        acted: false,
                    };
                    let answers = if fixed {
                        filter.contains_many("f", &elements).query(&mut between)
                    } else {
                        split.contains_many(&elements).query(&mut between)
                    };
                    assert!(
                        answers.unwrap().iter().all(|&answer| answer != Answer::Absent),
                        "{commands:?}, before command {before}"
                    );
                    acted &= between.acted;
                }
                acts += usize::from(acted);
                redis::cmd("FLUSHALL").exec(&mut other).unwrap();
                if !acted {
                    break;
                }
            }
        }
        assert!(acts > 4, "{acts}");
    }
}

#[test]
fn a_filter_that_comes_back_during_a_download_is_not_empty() {
    let server = Server::start(&[]);
    let mut other = server.connection();
    let filter = Fixed::new(Schema::words(1_000, 0.01).unwrap()).with_options(Options {
        commands: Commands::default(),
        ..Options::default()
    });
    for before in 0..5 {
        let rebuild = filter.rebuild("f", LEASE).query(&mut other).unwrap();
        rebuild.insert_many(["a"]).query(&mut other).unwrap();
        filter.delete("f").query(&mut other).unwrap();
        let mut act = || rebuild.clone().commit(None).query(&mut other).unwrap();
        let mut between = Between {
            connection: server.connection(),
            before,
            act: &mut act,
            acted: false,
        };
        match filter.download("f", guava_bloom::Bytes).query(&mut between) {
            Ok(filter) => assert!(filter.might_contain(&b"a"[..]), "before command {before}"),
            Err(error) => assert!(matches!(error, Error::Missing { .. }), "{error}"),
        }
    }
}
