//! Tests that hold for every design.

use std::ops::Range;
use std::time::Duration;

use bloom_redis::{Answer, Commands, ErrorKind, Expiry, Missing, Options, Schema};
use redis::cmd;

use crate::support::{
    Client, Design, for_each_client, for_each_cluster_way, for_each_place, for_each_way, names, new_fixed,
    new_growing, new_split,
};

const HOUR: Expiry = Expiry::After(Duration::from_secs(3_600));

/// Returns filters of all designs, and how many elements to insert: into the fixed one in three transactions.
fn designs() -> [(Design, u32); 6] {
    let fixed = new_fixed(Schema::fixed(10_000, 0.01));
    [
        (Design::Fixed(fixed.clone()), 400),
        (Design::Fixed(fixed.with_expiry(HOUR)), 400),
        (Design::split(2_000, 0.01, 1_024), 400),
        (Design::growing(50, 0.01), 200),
        // Over several slots of a cluster.
        (
            Design::Split(new_split(2_000, 0.01, 1_024).spread_over(5).unwrap()),
            400,
        ),
        (
            Design::Growing(new_growing(50, 0.01).with_prefix("urls:").spread()),
            100,
        ),
    ]
}

#[test]
fn all_commands_write_the_same_bits_and_give_the_same_answers() {
    let mut seen = [const { None }; 6];
    let mut check = |client: &mut Client, which: Range<usize>, ways: &[Options]| {
        for &options in ways {
            let all = designs().into_iter().zip(&mut seen);
            for ((design, count), seen) in all.skip(which.start).take(which.len()) {
                client.words::<()>(&["FLUSHALL"]);
                let filter = design.with_options(options);
                client.run(filter.create());
                // The second half repeats the first.
                let elements = names("in", count);
                let new = client.run(filter.insert_many(&[&elements[..], &elements].concat()));
                let (first, again) = new.split_at(elements.len());
                assert!(first.iter().filter(|&&new| new).count() > first.len() * 9 / 10);
                // The first bitmap of a growing filter is not asked before an insert, as published.
                let is_growing = matches!(filter, Design::Growing(_));
                let known = if is_growing { elements.len() / 2 } else { 0 };
                assert!(!again[known..].contains(&true), "{filter:?}");
                let answers = client.run(filter.ask(&[elements, names("out", count)].concat()));
                let mut keys: Vec<String> = client.words(&["KEYS", "*"]);
                keys.sort_unstable();
                let values: Vec<Vec<u8>> = (keys.iter())
                    .map(|key| client.command(cmd("GET").arg(key)))
                    .collect();
                let now = (keys, values, new.clone(), answers);
                assert!(*seen.get_or_insert_with(|| now.clone()) == now, "{filter:?}");
            }
        }
    };
    for_each_way(|client, commands| {
        let reported = Options::default().commands(commands);
        let empty = reported.missing(Missing::Empty);
        let in_small_trips = reported.bits_per_trip(100);
        let waiting = empty.replicas(0, Duration::from_secs(1));
        check(client, 0..4, &[reported, in_small_trips, empty, waiting]);
    });
    for_each_cluster_way(|client, _, commands| {
        if commands == Commands::default() || commands != commands.scripts(true) {
            check(client, 2..6, &[Options::default().commands(commands)]);
        }
    });
    assert!(seen[0] == seen[1], "a time to live changes bits");
}

#[test]
fn a_missing_filter_is_reported_and_not_begun_anew() {
    use Answer::{Absent, MightContain};
    for_each_place(|client, commands| {
        for (design, _) in designs() {
            client.words::<()>(&["FLUSHALL"]);
            let filter = design.with_options(Options::default().commands(commands));
            assert_eq!(client.run(filter.ask(&["a", "b"])), [Answer::Missing; 2]);
            let error = client.fail(filter.insert_many(&["a", "b"]));
            assert_eq!(error.kind(), ErrorKind::Missing, "{filter:?}");
            assert_eq!(client.words::<u64>(&["DBSIZE"]), 0, "{filter:?}");

            assert!(client.run(filter.create()));
            assert!(!client.run(filter.create()));
            assert_eq!(client.run(filter.insert_many(&["a"])), [true]);
            assert_eq!(client.run(filter.ask(&["a", "b"])), [MightContain, Absent]);
            if !matches!(filter, Design::Growing(_)) {
                assert!(client.run(filter.delete()));
                assert!(!client.run(filter.delete()));
                assert_eq!(client.run(filter.ask(&["a"])), [Answer::Missing]);
            }
        }
    });
}

#[test]
fn an_element_is_new_once_also_within_a_batch() {
    for_each_place(|client, commands| {
        for (design, _) in designs() {
            client.words::<()>(&["FLUSHALL"]);
            let options = Options::default().commands(commands).missing(Missing::Empty);
            let filter = design.with_options(options);
            let batch = ["a", "b", "a", "a", "c", "b"];
            let new = [true, true, false, false, true, false];
            assert_eq!(client.run(filter.insert_many(&batch)), new);
            assert_eq!(client.run(filter.insert_many(&["c", "d"])), [false, true]);
        }
    });
}

#[test]
fn a_part_that_is_lost_makes_answers_missing_where_it_decides() {
    let (elements, absent) = (names("in", 2_000), names("out", 2_000));
    for_each_client(|client| {
        let filter = new_split(2_000, 0.01, 1_024);
        assert_eq!(filter.keys().len() as u64, filter.schema().bits().div_ceil(1_024));
        client.run(filter.create(Expiry::Keep));
        client.run(filter.insert_many(&elements));
        let last: u64 = client.command(cmd("STRLEN").arg(filter.keys().last()));
        assert_eq!(last, filter.schema().bits() % 1_024 / 8 + 1);
        client.command::<()>(cmd("DEL").arg(&filter.keys()[3]));
        let present = client.run(filter.might_contain_many(&elements));
        assert!(present.contains(&Answer::Missing));
        assert!(!present.contains(&Answer::Absent));
        let answers = client.run(filter.might_contain_many(&absent));
        assert!(answers.contains(&Answer::Absent));
        let error = client.fail(filter.insert_many(&elements));
        assert_eq!(error.kind(), ErrorKind::Missing);
        assert_eq!(client.command::<u64>(cmd("EXISTS").arg(&filter.keys()[3])), 0);

        let filter = filter.with_options(Options::default().missing(Missing::Empty));
        let present = client.run(filter.might_contain_many(&elements));
        assert!(present.contains(&Answer::Absent));
    });
}
