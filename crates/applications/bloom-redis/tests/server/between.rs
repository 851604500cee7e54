//! Changes that other clients make between the commands of an operation.

use bloom_redis::{Answer, Call, Error, Expiry, FixedFilter, Rebuild, Schema};
use membership_filters::Bytes;
use redis::Connection;

use crate::support::{Hooked, LEASE, Server, check_all_there, clear, names, new_fixed};

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
    fn rebuild(&mut self, filter: &FixedFilter, elements: &[String]) -> Rebuild {
        let rebuild = self.run(filter.rebuild(LEASE));
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

/// Calls `round` for each of the first commands, and for some of the many that follow, each time on an empty server,
/// until there was no such command to act before. Returns the number of rounds before that.
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
    // The smallest filter is read as a whole.
    for (insertions, elements) in [(1_000, 10), (10_000, 2)] {
        let filter = new_fixed(Schema::whole_words(insertions, 0.01));
        let elements = names("in", elements);
        let acts = places.map(|places| {
            rounds(&server, |round| {
                round.first = 4;
                round.run(filter.create(Expiry::Keep));
                let ended = round.rebuild(&filter, &elements);
                round.run(ended.clone().commit(Expiry::Keep));
                let rebuild = round.rebuild(&filter, &elements);
                let mut gone = false;
                let act = |other: &mut Connection| {
                    if std::mem::replace(&mut gone, true) {
                        rebuild.clone().commit(Expiry::Keep).query(other).unwrap();
                    } else {
                        assert!(filter.delete().query(other).unwrap());
                    }
                };
                let query = filter.contains_many(&elements);
                let answers = round.during_at(&places(round.at), query, act);
                let hides = answers.unwrap().contains(&Answer::Absent);
                assert!(!hides, "{filter:?}, {:?}", places(round.at));
                // A rebuild that has ended changes nothing.
                assert!(ended.commit(Expiry::Keep).query(&mut round.other).is_err());
            })
        });
        assert!(acts.iter().sum::<usize>() > 10, "{acts:?}");
    }
}

#[test]
fn a_filter_that_comes_back_during_a_download_is_not_empty() {
    let server = Server::start(&[]);
    let filter = new_fixed(Schema::whole_words(1_000, 0.01));
    rounds(&server, |round| {
        let rebuild = round.rebuild(&filter, &["a".to_owned()]);
        round.run(filter.delete());
        let commit = |other: &mut Connection| rebuild.clone().commit(Expiry::Keep).query(other).unwrap();
        match round.during(filter.download(Bytes), commit) {
            Ok(filter) => assert!(filter.contains(&b"a"[..]), "before command {}", round.at),
            Err(error) => assert!(matches!(error, Error::Missing { .. }), "{error}"),
        }
    });
}

#[test]
fn a_rebuild_that_ends_during_a_query_hides_nothing() {
    let server = Server::start(&[]);
    let filter = new_fixed(Schema::whole_words(10_000, 0.01));
    let old = names("old", 20);
    let queried = rounds(&server, |round| {
        round.first = 3;
        round.run(filter.create(Expiry::Keep));
        round.run(filter.insert_many(&old));
        let rebuild = round.rebuild(&filter, &old);
        let commit = |other: &mut Connection| rebuild.clone().commit(Expiry::Keep).query(other).unwrap();
        let answers = round.during(filter.contains_many(&old), commit);
        check_all_there(&answers.unwrap());
    });
    assert!(queried > 0);
}

#[test]
fn a_rebuild_from_the_filter_that_begins_and_ends_during_an_insert_loses_nothing() {
    let server = Server::start(&[]);
    let filter = new_fixed(Schema::whole_words(10_000, 0.01));
    let (old, fresh) = (names("old", 20), names("new", 400));
    let all = [&old[..], &fresh].concat();
    // It begins before a command, and ends so many commands later, or after the insert; or it begins before the insert.
    let places: [fn(usize) -> [usize; 2]; 6] = [
        |at| [at, at],
        |at| [at, at + 1],
        |at| [at, at + 2],
        |at| [at, at + 4],
        |at| [at, at + 99],
        |at| [0, at],
    ];
    let mut acts = 0;
    for places in places {
        acts += rounds(&server, |round| {
            round.run(filter.create(Expiry::Keep));
            round.run(filter.insert_many(&old));
            let mut begun = None;
            let act = |other: &mut Connection| match begun.take() {
                None => {
                    let rebuild = filter.rebuild(LEASE).query(other).unwrap();
                    // Its source is the filter itself, read after it began.
                    let source = filter.download(Bytes).query(other).unwrap();
                    let kept = all.iter().filter(|name| source.contains(name.as_bytes()));
                    rebuild.insert_many(kept).query(other).unwrap();
                    begun = Some(rebuild);
                }
                Some(rebuild) => rebuild.commit(Expiry::Keep).query(other).unwrap(),
            };
            let places = places(round.at);
            round.during_at(&places, filter.insert_many(&fresh), act).unwrap();
            if let Some(rebuild) = begun {
                round.run(rebuild.commit(Expiry::Keep));
            }
            check_all_there(&round.run(filter.contains_many(&all)));
        });
    }
    assert!(acts > 20, "{acts}");
}

#[test]
fn an_element_is_new_to_one_of_two_who_insert_it_at_the_same_time() {
    let server = Server::start(&[]);
    // Three scripts, at 7 bits for each element.
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
    assert!(divided > 1, "{divided}");
}
