//! Inserts of several transactions, and changes that other clients make between them.

use std::time::Duration;

use bloom_redis::{Answer, Commands, ErrorKind, Expiry, FixedFilter, Options, Schema};

use crate::between::{Between, rounds};
use crate::support::{Server, new_fixed};

/// The number of elements: three transactions, at 7 bits each.
const ELEMENTS: u32 = 400;

fn elements() -> Vec<String> {
    (0..ELEMENTS).map(|i| i.to_string()).collect()
}

fn filter(options: Options) -> FixedFilter {
    new_fixed(Schema::fixed(10_000, 0.01)).with_options(options)
}

#[test]
fn an_element_is_new_to_one_of_two_who_insert_it_at_the_same_time() {
    let server = Server::start(&[]);
    let (filter, elements) = (filter(Options::default()), elements());
    let mut divided = 0;
    rounds(&server, |other, before| {
        filter.create(Expiry::Keep).query(other).unwrap();
        let mut others = Vec::new();
        let mut act = || others = filter.insert_many(&elements).query(other).unwrap();
        let mut between = Between::new(&server, [before], &mut act);
        let ours = filter.insert_many(&elements).query(&mut between).unwrap();
        if !between.acted {
            return false;
        }
        let both = ours
            .iter()
            .zip(&others)
            .filter(|&(&ours, &others)| ours && others);
        assert_eq!(both.count(), 0, "before command {before}");
        let either = ours
            .iter()
            .zip(&others)
            .filter(|&(&ours, &others)| ours || others);
        assert!(either.count() > elements.len() - 5);
        divided += usize::from(ours.contains(&true) && others.contains(&true));
        true
    });
    assert!(divided > 10, "{divided}");
}

#[test]
fn a_rebuild_that_ends_between_transactions_loses_nothing() {
    let server = Server::start(&[]);
    let elements = elements();
    // Without transactions and scripts, inserts may be lost, as documented.
    for (transactions, scripts) in [(true, true), (true, false), (false, true)] {
        let commands = Commands::default()
            .bitfield(true)
            .transactions(transactions)
            .scripts(scripts);
        let filter = filter(Options::default().commands(commands));
        let acts = rounds(&server, |other, before| {
            filter.create(Expiry::Keep).query(other).unwrap();
            let rebuild = filter.rebuild(Duration::from_secs(60)).query(other).unwrap();
            let mut act = || rebuild.clone().commit(Expiry::Never).query(other).unwrap();
            let mut between = Between::new(&server, [before], &mut act);
            filter.insert_many(&elements).query(&mut between).unwrap();
            let acted = between.acted;
            let answers = filter.might_contain_many(&elements).query(other).unwrap();
            assert!(
                answers.iter().all(|&answer| answer == Answer::MightContain),
                "{commands:?}, before command {before}"
            );
            acted
        });
        assert!(acts >= 12, "{acts}");
    }
}

#[test]
fn a_filter_that_goes_between_transactions_is_not_begun_anew() {
    let server = Server::start(&[]);
    let (filter, elements) = (filter(Options::default()), elements());
    let missing = rounds(&server, |other, before| {
        filter.create(Expiry::Keep).query(other).unwrap();
        let mut act = || assert!(filter.delete().query(other).unwrap());
        let mut between = Between::new(&server, [before], &mut act);
        let done = filter.insert_many(&elements).query(&mut between);
        if !between.acted {
            return false;
        }
        assert!(
            done.as_ref()
                .is_err_and(|error| error.kind() == ErrorKind::Missing),
            "{done:?}"
        );
        let left: u64 = redis::cmd("DBSIZE").query(other).unwrap();
        assert_eq!(left, 0, "before command {before}");
        true
    });
    assert!(missing > 20, "{missing}");
}
