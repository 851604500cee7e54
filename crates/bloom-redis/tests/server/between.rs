//! Changes that other clients make between the commands of an operation.

use bloom_redis::{Answer, Call, Commands, Error, ErrorKind, Expiry, Missing, Options, Schema};
use redis::{Connection, cmd};

use crate::support::{
    Design, Hooked, LEASE, Rebuilding, Server, all_commands, check_all_there, clear, names, new_fixed,
    new_growing,
};

/// An operation during which another client acts.
pub(crate) struct Round<'a> {
    server: &'a Server,
    /// The connection of the other client.
    pub(crate) other: Connection,
    /// The number of the command before which the other client acts.
    pub(crate) at: usize,
    /// The number of the first commands, all of which are tried. Of the others some are.
    pub(crate) first: usize,
    acted: bool,
}

impl Round<'_> {
    /// Executes an operation of the other client.
    #[track_caller]
    pub(crate) fn run<T: Send>(&mut self, call: Call<'_, T>) -> T {
        call.query(&mut self.other).unwrap()
    }

    /// Begins a rebuild with these elements.
    fn rebuild(&mut self, filter: &Design, elements: &[String]) -> Rebuilding {
        let rebuild = filter.rebuild(&mut self.other).unwrap();
        self.run(rebuild.insert_many(elements));
        rebuild
    }

    /// Executes an operation command by command. The other client acts before command number `at`.
    pub(crate) fn during<T: Send>(
        &mut self,
        call: Call<'_, T>,
        act: impl FnMut(&mut Connection),
    ) -> Result<T, Error> {
        self.during_at(&[self.at], call, act)
    }

    /// Does so at several commands.
    pub(crate) fn during_at<T: Send>(
        &mut self,
        places: &[usize],
        call: Call<'_, T>,
        mut act: impl FnMut(&mut Connection),
    ) -> Result<T, Error> {
        let mut sent = 0;
        let result = call.query(&mut Hooked {
            connection: self.server.connection(),
            one_by_one: true,
            act: |_: &mut Connection| {
                let times = places.iter().filter(|&&place| place == sent).count();
                (0..times).for_each(|_| act(&mut self.other));
                sent += 1;
            },
        });
        self.acted = places.iter().all(|&place| place < sent);
        result
    }
}

/// Calls `round` for each of the first commands, and for some of the many that follow, each time on an empty server, until
/// there was no such command to act before. Returns the number of rounds before that.
pub(crate) fn rounds(server: &Server, mut body: impl FnMut(&mut Round<'_>)) -> usize {
    let mut round = Round {
        server,
        other: server.connection(),
        at: 0,
        first: 12,
        acted: true,
    };
    for number in 0.. {
        clear(&mut round.other);
        body(&mut round);
        if !round.acted {
            return number;
        }
        round.at += 1 + round.at / round.first;
    }
    unreachable!("operations end")
}

#[test]
fn a_filter_that_goes_and_comes_back_during_a_query_hides_nothing() {
    // It comes back at once, one and two commands later; it went before the query; it does not come back.
    let places: [fn(usize) -> Vec<usize>; 5] = [
        |at| vec![at, at],
        |at| vec![at, at + 1],
        |at| vec![at, at + 2],
        |at| vec![0, at],
        |at| vec![at],
    ];
    let server = Server::start(&[]);
    for commands in all_commands() {
        // The smallest filter is read as a whole.
        for (design, elements) in [
            (Design::fixed(1_000, 0.01), 10),
            (Design::fixed(10_000, 0.01), 2),
            (Design::split(1_000, 0.01, 1 << 26), 10),
        ] {
            let filter = design.with_options(Options::default().commands(commands));
            let elements = names("in", elements);
            let acts = places.map(|places| {
                rounds(&server, |round| {
                    round.first = 4;
                    round.run(filter.create());
                    let ended = round.rebuild(&filter, &elements);
                    round.run(ended.commit());
                    let rebuild = round.rebuild(&filter, &elements);
                    let mut gone = false;
                    let act = |other: &mut Connection| {
                        if std::mem::replace(&mut gone, true) {
                            rebuild.commit().query(other).unwrap();
                        } else {
                            assert!(filter.delete().query(other).unwrap());
                        }
                    };
                    let answers = round.during_at(&places(round.at), filter.ask(&elements), act);
                    let hides = answers.unwrap().contains(&Answer::Absent);
                    assert!(!hides, "{filter:?}, {:?}", places(round.at));
                    // A rebuild that has ended changes nothing.
                    assert!(ended.commit().query(&mut round.other).is_err());
                })
            });
            assert!(acts.iter().sum::<usize>() > 10, "{acts:?}");
        }
    }
}

#[test]
fn a_filter_that_comes_back_during_a_download_is_not_empty() {
    let server = Server::start(&[]);
    let filter = Design::fixed(1_000, 0.01);
    rounds(&server, |round| {
        let rebuild = round.rebuild(&filter, &["a".to_owned()]);
        round.run(filter.delete());
        match round.during(filter.download(), |other| rebuild.commit().query(other).unwrap()) {
            Ok(filter) => assert!(filter.might_contain(&b"a"[..]), "before command {}", round.at),
            Err(error) => assert!(error.kind() == ErrorKind::Missing, "{error}"),
        }
    });
}

#[test]
fn a_rebuild_that_ends_during_a_call_hides_and_loses_nothing() {
    let server = Server::start(&[]);
    for (transactions, scripts) in [(true, true), (true, false), (false, true), (false, false)] {
        // A filter, whether missing is empty, and how many elements it has, the new one has besides, and are inserted: into
        // a fixed filter in three transactions. The cursor of an old growing filter says one or two bitmaps; the new
        // generation has the elements in its last one.
        for (design, missing, old, kept, fresh) in [
            (Design::fixed(10_000, 0.01), Missing::Reported, 20, 0, 400),
            (Design::split(10_000, 0.01, 1 << 14), Missing::Reported, 20, 0, 60),
            (Design::growing(50, 0.01), Missing::Reported, 20, 150, 1),
            (Design::growing(50, 0.01), Missing::Empty, 20, 150, 1),
            (Design::growing(50, 0.01), Missing::Reported, 100, 60, 1),
        ] {
            let commands = Commands::default().transactions(transactions).scripts(scripts);
            let filter = design.with_options(Options::default().commands(commands).missing(missing));
            let [old, kept, fresh] =
                [("old", old), ("kept", kept), ("new", fresh)].map(|(of, count)| names(of, count));
            let begin = |round: &mut Round<'_>| {
                round.run(design.create());
                round.run(design.insert_many(&old));
                round.rebuild(&design, &kept)
            };
            let asked = rounds(&server, |round| {
                round.first = 3;
                let rebuild = begin(round);
                round.run(rebuild.insert_many(&old));
                let answers = round.during(filter.ask(&old), |other| rebuild.commit().query(other).unwrap());
                check_all_there(&answers.unwrap());
            });
            assert!(asked > 0, "{filter:?}");
            // Without transactions and scripts, inserts may be lost, as documented.
            if !transactions && !scripts && !matches!(design, Design::Growing(_)) {
                continue;
            }
            let mut forever = 0;
            let acts = rounds(&server, |round| {
                let rebuild = begin(round);
                let insert = filter.insert_many(&fresh);
                round
                    .during(insert, |other| rebuild.commit().query(other).unwrap())
                    .unwrap();
                check_all_there(&round.run(design.ask(&fresh)));
                // Keys written for a generation that was already gone expire, unless it went between the command that begins
                // such a key and those that set its bits, which plain commands alone allow.
                let keys: Vec<String> = cmd("KEYS")
                    .arg("bloom-redis:next:*")
                    .query(&mut round.other)
                    .unwrap();
                for key in keys {
                    let left: i64 = cmd("PTTL").arg(&key).query(&mut round.other).unwrap();
                    forever += usize::from(left < 0);
                }
            });
            let least = match design {
                Design::Growing(_) if scripts => 1,
                _ => 12,
            };
            let most = if transactions || scripts { 0 } else { 4 };
            assert!(acts >= least && forever <= most, "{acts}, {forever}: {filter:?}");
        }
    }
}

#[test]
fn a_growing_filter_that_is_rebuilt_without_end_might_contain_everything() {
    let server = Server::start(&[]);
    let filter = Design::growing(50, 0.01);
    let plain = filter.with_options(Options::default().commands(Commands::default().scripts(false)));
    let always: Vec<usize> = (0..1_000).collect();
    rounds(&server, |round| {
        round.run(filter.create());
        let act = |other: &mut Connection| {
            let rebuild = filter.rebuild(other).unwrap();
            rebuild.commit().query(other).unwrap();
        };
        let answers = round.during_at(&always, plain.ask(&["a"]), act);
        assert_eq!(answers.unwrap(), [Answer::MightContain]);
        let error = round
            .during_at(&always, plain.insert_many(&["a"]), act)
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "{g}:cursor: the filter was replaced again and again meanwhile"
        );
    });
}

#[test]
fn a_generation_that_one_who_was_late_began_again_takes_no_insert() {
    let server = Server::start(&[]);
    let filter = new_growing(50, 0.01);
    let plain = Options::default().commands(Commands::default().scripts(false));
    for writer in [filter.clone().with_options(plain), filter.clone()] {
        let acts = rounds(&server, |round| {
            round.run(filter.create());
            let rebuild = round.run(filter.rebuild(LEASE));
            let [next]: [String; 1] = cmd("KEYS")
                .arg("bloom-redis:next:*:bloomfilter-0")
                .query(&mut round.other)
                .unwrap();
            let act = |other: &mut Connection| {
                rebuild.clone().commit().query(other).unwrap();
                cmd("SET").arg(&next).arg("\0").exec(other).unwrap();
            };
            round.during(writer.insert("fresh"), act).unwrap();
            let answer = round.run(filter.might_contain("fresh"));
            assert_eq!(answer, Answer::MightContain, "before command {}", round.at);
        });
        assert!(acts > 1, "{acts}");
    }
}

#[test]
fn an_element_is_new_to_one_of_two_who_insert_it_at_the_same_time() {
    let server = Server::start(&[]);
    // Three transactions, at 7 bits for each element.
    let (filter, elements) = (new_fixed(Schema::fixed(10_000, 0.01)), names("in", 400));
    let mut divided = 0;
    rounds(&server, |round| {
        round.run(filter.create(Expiry::Keep));
        let mut others = vec![false; 400];
        let act = |other: &mut Connection| others = filter.insert_many(&elements).query(other).unwrap();
        let ours = round.during(filter.insert_many(&elements), act).unwrap();
        let pairs = || ours.iter().zip(&others);
        let both = pairs().filter(|&(&ours, &others)| ours && others).count();
        assert_eq!(both, 0, "before command {}", round.at);
        assert!(pairs().filter(|&(&ours, &others)| ours || others).count() > 395);
        divided += usize::from(ours.contains(&true) && others.contains(&true));
    });
    assert!(divided > 10, "{divided}");
}

#[test]
fn a_filter_that_goes_between_transactions_is_not_begun_anew() {
    let server = Server::start(&[]);
    let (filter, elements) = (new_fixed(Schema::fixed(10_000, 0.01)), names("in", 400));
    let missing = rounds(&server, |round| {
        round.run(filter.create(Expiry::Keep));
        let mut gone = false;
        let act = |other: &mut Connection| gone = filter.delete().query(other).unwrap();
        let done = round.during(filter.insert_many(&elements), act);
        let kind = done.err().map(|error| error.kind());
        assert_eq!(kind, gone.then_some(ErrorKind::Missing));
        let left: u64 = cmd("DBSIZE").query(&mut round.other).unwrap();
        assert!(!gone || left == 0, "before command {}", round.at);
    });
    assert!(missing > 20, "{missing}");
}
