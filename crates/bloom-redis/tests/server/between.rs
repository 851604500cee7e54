//! Changes that other clients make between the commands of a pipeline.

use bloom_redis::{Answer, Commands, ErrorKind, Expiry, GrowingFilter, Missing, Options, Schema};
use redis::{ConnectionLike, RedisResult, Value};

use crate::support::{Design, LEASE, Server, all_commands, check_all_there, names, new_fixed, new_growing};

/// A connection that sends all commands one by one and acts before some of them.
pub(crate) struct Between<'a> {
    connection: redis::Connection,
    before: Vec<usize>,
    sent: usize,
    act: &'a mut dyn FnMut(),
    /// Set if every action took place.
    pub(crate) acted: bool,
}

impl<'a> Between<'a> {
    pub(crate) fn new(
        server: &Server,
        before: impl IntoIterator<Item = usize>,
        act: &'a mut dyn FnMut(),
    ) -> Self {
        Self {
            connection: server.connection(),
            before: before.into_iter().collect(),
            sent: 0,
            act,
            acted: false,
        }
    }

    fn command(&mut self, command: &[u8]) -> RedisResult<Value> {
        let times = self.before.iter().filter(|&&before| before == self.sent).count();
        (0..times).for_each(|_| (self.act)());
        self.sent += 1;
        self.acted = self.before.iter().all(|&before| before < self.sent);
        self.connection.req_packed_command(command)
    }
}

impl ConnectionLike for Between<'_> {
    fn req_packed_command(&mut self, command: &[u8]) -> RedisResult<Value> {
        self.command(command)
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
        commands.iter().map(|command| self.command(command)).collect()
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

/// Splits a pipeline into its commands.
fn split(packed: &[u8]) -> Vec<Vec<u8>> {
    /// Returns the number after the first character of a line, and the rest after the line.
    fn number(packed: &[u8]) -> (usize, &[u8]) {
        let end = packed.iter().position(|&byte| byte == b'\r').unwrap();
        let number = core::str::from_utf8(&packed[1..end]).unwrap();
        (number.parse().unwrap(), &packed[end + 2..])
    }
    let (mut commands, mut rest) = (Vec::new(), packed);
    while !rest.is_empty() {
        let start = rest;
        let arguments;
        (arguments, rest) = number(rest);
        for _ in 0..arguments {
            let (length, argument) = number(rest);
            rest = &argument[length + 2..];
        }
        commands.push(start[..start.len() - rest.len()].to_vec());
    }
    commands
}

/// Calls `round` with the number of each of the first commands, and of some of the many that follow, each time on an empty
/// server, until it returns false: there was no such command to act before. Returns the number of rounds before that.
pub(crate) fn rounds(server: &Server, mut round: impl FnMut(&mut redis::Connection, usize) -> bool) -> usize {
    let mut other = server.connection();
    let acted = |&before: &usize| {
        redis::cmd("FLUSHALL").exec(&mut other).unwrap();
        round(&mut other, before)
    };
    std::iter::successors(Some(0), |before| Some(before + 1 + before / 12))
        .take_while(acted)
        .count()
}

/// Checks that no stored element is absent.
#[track_caller]
fn check(answers: &[Answer], case: impl std::fmt::Debug) {
    assert!(!answers.contains(&Answer::Absent), "{case:?}: {answers:?}");
}

#[test]
fn a_filter_that_goes_or_comes_back_during_a_query_hides_nothing() {
    let server = Server::start(&[]);
    let elements = names("in", 10);
    for commands in all_commands() {
        for design in [Design::fixed(1_000, 0.01), Design::split(1_000, 0.01, 1 << 26)] {
            let filter = design.with_options(Options::default().commands(commands));
            let acts = [false, true].map(|comes| {
                rounds(&server, |other, before| {
                    filter.create().query(other).unwrap();
                    filter.insert_many(&elements).query(other).unwrap();
                    let rebuild = comes.then(|| {
                        let rebuild = filter.rebuild().query(other).unwrap();
                        rebuild.insert_many(&elements).query(other).unwrap();
                        filter.delete().query(other).unwrap();
                        rebuild
                    });
                    let mut act = || match rebuild.clone() {
                        Some(rebuild) => rebuild.commit(Expiry::Never).query(other).unwrap(),
                        None => assert!(filter.delete().query(other).unwrap()),
                    };
                    let mut between = Between::new(&server, [before], &mut act);
                    let answers = filter.ask(&elements).query(&mut between).unwrap();
                    check(&answers, (&filter, before));
                    between.acted
                })
            });
            assert!(acts[0] + acts[1] > 4, "{acts:?}");
        }
    }
}

#[test]
fn a_filter_that_goes_and_comes_back_during_a_query_hides_nothing() {
    let server = Server::start(&[]);
    let mut other = server.connection();
    // `last` is the number of commands in the query. Four surround the bits: two `STRLEN`, and two that check for a
    // rebuild. The smallest filter is read as a whole.
    for (insertions, elements, commands, last) in [
        (1_000, 10, Commands::default(), 4 + 1),
        (10_000, 10, Commands::default(), 4 + 2),
        (10_000, 2, Commands::PLAIN, 4 + 14),
    ] {
        let elements = names("in", elements);
        let filter = Design::fixed(insertions, 0.01).with_options(Options::default().commands(commands));
        let mut acts = 0;
        for goes in 0..last {
            for comes in [goes, goes + 1, goes + 2, last] {
                redis::cmd("FLUSHALL").exec(&mut other).unwrap();
                filter.create().query(&mut other).unwrap();
                let rebuild = filter.rebuild().query(&mut other).unwrap();
                rebuild.insert_many(&elements).query(&mut other).unwrap();
                let again = rebuild.clone();
                rebuild.commit(Expiry::Never).query(&mut other).unwrap();
                let rebuild = filter.rebuild().query(&mut other).unwrap();
                rebuild.insert_many(&elements).query(&mut other).unwrap();
                let mut gone = false;
                let mut act = || {
                    if std::mem::replace(&mut gone, true) {
                        rebuild.clone().commit(Expiry::Never).query(&mut other).unwrap();
                    } else {
                        filter.delete().query(&mut other).unwrap();
                    }
                };
                let mut between = Between::new(&server, [goes, comes], &mut act);
                let answers = filter.ask(&elements).query(&mut between).unwrap();
                acts += usize::from(between.acted);
                check(&answers, (&filter, goes, comes));
                // A rebuild that has ended changes nothing.
                assert!(again.commit(Expiry::Never).query(&mut other).is_err());
            }
        }
        assert!(acts >= 2 * last, "{acts} of {last}");
    }
}

#[test]
fn a_filter_that_comes_back_during_a_download_is_not_empty() {
    let server = Server::start(&[]);
    let mut other = server.connection();
    let filter = new_fixed(Schema::whole_words(1_000, 0.01));
    for before in 0..5 {
        let rebuild = filter.rebuild(LEASE).query(&mut other).unwrap();
        rebuild.insert_many(["a"]).query(&mut other).unwrap();
        filter.delete().query(&mut other).unwrap();
        let mut act = || rebuild.clone().commit(Expiry::Never).query(&mut other).unwrap();
        let mut between = Between::new(&server, [before], &mut act);
        match filter.download(guava_bloom::Bytes).query(&mut between) {
            Ok(filter) => assert!(filter.might_contain(&b"a"[..]), "before command {before}"),
            Err(error) => assert!(error.kind() == ErrorKind::Missing, "{error}"),
        }
    }
}

/// Returns a growing filter without scripts, and the same filter for clients with scripts.
fn growing(missing: Missing, transactions: bool) -> (GrowingFilter, GrowingFilter) {
    let filter = new_growing(50, 0.01);
    let plain = filter.clone().with_options(
        Options::default()
            .commands(Commands::default().scripts(false).transactions(transactions))
            .missing(missing),
    );
    (plain, filter)
}

#[test]
fn a_growing_filter_that_is_rebuilt_during_a_query_without_scripts_hides_nothing() {
    let server = Server::start(&[]);
    let (elements, more) = (names("in", 20), names("more", 150));
    for missing in [Missing::Reported, Missing::Empty] {
        let (plain, filter) = growing(missing, true);
        let acts = rounds(&server, |other, before| {
            filter.create().query(other).unwrap();
            filter.insert_many(&elements).query(other).unwrap();
            // The old cursor says one bitmap; the new generation has the elements in its last bitmap.
            let rebuild = filter.rebuild(LEASE).query(other).unwrap();
            rebuild.insert_many(&more).query(other).unwrap();
            rebuild.insert_many(&elements).query(other).unwrap();
            let mut act = || rebuild.clone().commit().query(other).unwrap();
            let mut between = Between::new(&server, [before], &mut act);
            let answers = plain.might_contain_many(&elements).query(&mut between).unwrap();
            check_all_there(&answers);
            between.acted
        });
        assert!(acts > 4, "{acts}");
    }
}

#[test]
fn a_growing_filter_that_is_rebuilt_without_end_might_contain_everything() {
    let server = Server::start(&[]);
    let mut other = server.connection();
    let (plain, filter) = growing(Missing::Reported, true);
    filter.create().query(&mut other).unwrap();
    let mut act = || {
        let rebuild = filter.rebuild(LEASE).query(&mut other).unwrap();
        rebuild.commit().query(&mut other).unwrap();
    };
    let mut always = Between::new(&server, 0..1_000, &mut act);
    let answer = plain.might_contain("a").query(&mut always).unwrap();
    assert_eq!(answer, Answer::MightContain);
    let error = plain.insert("a").query(&mut always).unwrap_err();
    assert_eq!(
        error.to_string(),
        "{g}:cursor: the filter was replaced again and again meanwhile"
    );
}

#[test]
fn an_insert_without_scripts_survives_a_rebuild_that_ends_during_it() {
    let server = Server::start(&[]);
    let mut other = server.connection();
    let old = names("old", 100);
    for (kept, transactions) in [(0, true), (60, true), (150, false)] {
        let (plain, filter) = growing(Missing::Reported, transactions);
        let kept = names("kept", kept);
        let acts = rounds(&server, |other, before| {
            filter.create().query(other).unwrap();
            filter.insert_many(&old).query(other).unwrap();
            let rebuild = filter.rebuild(LEASE).query(other).unwrap();
            rebuild.insert_many(&kept).query(other).unwrap();
            let mut act = || rebuild.clone().commit().query(other).unwrap();
            let mut between = Between::new(&server, [before], &mut act);
            plain.insert("fresh").query(&mut between).unwrap();
            let acted = between.acted;
            let answer = filter.might_contain("fresh").query(other).unwrap();
            assert_eq!(answer, Answer::MightContain, "before command {before}");
            acted
        });
        assert!(acts > 12, "{acts}");
        // Keys written for a generation that was already gone expire.
        let keys: Vec<String> = redis::cmd("KEYS")
            .arg("bloom-redis:next:*")
            .query(&mut other)
            .unwrap();
        for key in keys {
            let left: i64 = redis::cmd("PTTL").arg(&key).query(&mut other).unwrap();
            assert!(left > 0, "{key}");
        }
    }
}

#[test]
fn a_generation_that_one_who_was_late_began_again_takes_no_insert() {
    let server = Server::start(&[]);
    let (plain, filter) = growing(Missing::Reported, true);
    for writer in [plain, filter.clone()] {
        let acts = rounds(&server, |other, before| {
            filter.create().query(other).unwrap();
            let rebuild = filter.rebuild(LEASE).query(other).unwrap();
            let [next]: [String; 1] = redis::cmd("KEYS")
                .arg("bloom-redis:next:*:bloomfilter-0")
                .query(other)
                .unwrap();
            let mut act = || {
                rebuild.clone().commit().query(other).unwrap();
                redis::cmd("SET").arg(&next).arg("\0").exec(other).unwrap();
            };
            let mut between = Between::new(&server, [before], &mut act);
            writer.insert("fresh").query(&mut between).unwrap();
            let acted = between.acted;
            let answer = filter.might_contain("fresh").query(other).unwrap();
            assert_eq!(answer, Answer::MightContain, "before command {before}");
            acted
        });
        assert!(acts > 1, "{acts}");
    }
}
