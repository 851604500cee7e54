//! The number of round trips and commands of each operation.

use std::time::Duration;

use bloom_redis::{Commands, Expiry, FixedFilter, Missing, Options, Schema};

use crate::support::{Counting, Design, Server, all_commands, new_fixed, new_growing};

const HOUR: Expiry = Expiry::After(Duration::from_secs(3_600));

fn elements(count: u32) -> Vec<String> {
    (0..count).map(|i| i.to_string()).collect()
}

#[test]
fn one_trip_for_each_65536_bits() {
    let server = Server::start(&[]);
    let connection = &mut Counting::new(server.connection());
    let fixed = new_fixed(Schema::fixed(3_000, 0.03));
    let designs = [
        Design::Fixed(fixed.clone()),
        Design::Fixed(fixed.with_expiry(HOUR)),
        Design::split(3_000, 0.03, 1_024),
    ];
    // So many elements of 5 bits take one trip.
    let mut check = |options: Options, most: u32| {
        for design in &designs {
            let filter = design.with_options(options);
            filter.create().query(connection).unwrap();
            connection.trips();
            for (count, trips) in [(1, 1), (most, 1), (most + 1, 2), (2 * most + 1, 3)] {
                let elements = elements(count);
                filter.ask(&elements).query(connection).unwrap();
                assert_eq!(connection.trips(), trips, "{filter:?}");
                filter.insert_many(&elements).query(connection).unwrap();
                assert_eq!(connection.trips(), trips, "{filter:?}");
            }
        }
    };
    check(Options::default(), 13_107);
    for commands in all_commands() {
        for missing in [Missing::Reported, Missing::Empty] {
            let options = Options::default().commands(commands).missing(missing);
            check(options.bits_per_trip(104), 20);
        }
    }
}

#[test]
fn a_growing_filter_takes_one_trip_however_many_bitmaps_it_has() {
    let server = Server::start(&[]);
    let mut connection = Counting::new(server.connection());
    let filter = new_growing(100, 0.01);
    filter.create().query(&mut connection).unwrap();
    // The server learns the scripts.
    filter.insert("a").query(&mut connection).unwrap();
    filter.might_contain("a").query(&mut connection).unwrap();
    connection.trips();
    filter
        .insert_many(elements(1_000))
        .query(&mut connection)
        .unwrap();
    assert_eq!(connection.trips(), 1);
    filter
        .might_contain_many(elements(1_000))
        .query(&mut connection)
        .unwrap();
    assert_eq!(connection.trips(), 1);
    assert!(filter.bitmaps().query(&mut connection).unwrap() > 5);
    connection.trips();
    for keep_count in [false, true] {
        let filter = filter
            .clone()
            .with_options(Options::default().keep_count(keep_count));
        filter.insert("one more").query(&mut connection).unwrap();
        filter.might_contain("one more").query(&mut connection).unwrap();
        assert_eq!(connection.trips(), 2, "{keep_count}");
    }
    filter.statistics().query(&mut connection).unwrap();
    // The cursor, all bitmaps, then the time of the last rebuild.
    assert_eq!(connection.trips(), 3);

    let plain = filter.with_options(Options::default().commands(Commands::default().scripts(false)));
    plain
        .might_contain_many(elements(1_000))
        .query(&mut connection)
        .unwrap();
    assert_eq!(connection.trips(), 2);
}

/// A command's name, and how often it was sent.
type Calls = (&'static str, u64);

/// Returns the commands that the server executed during the operation, with their counts.
fn sent(connection: &mut redis::Connection, act: impl FnOnce(&mut redis::Connection)) -> Vec<(String, u64)> {
    redis::cmd("CONFIG").arg("RESETSTAT").exec(connection).unwrap();
    act(connection);
    let told: String = redis::cmd("INFO").arg("commandstats").query(connection).unwrap();
    let calls = told.lines().filter_map(|line| {
        let (name, calls) = line.strip_prefix("cmdstat_")?.split_once(":calls=")?;
        Some((name.to_owned(), calls.split(',').next()?.parse().unwrap()))
    });
    let mut calls: Vec<(String, u64)> = calls.filter(|(name, _)| name != "config|resetstat").collect();
    calls.sort_unstable();
    calls
}

#[test]
fn an_operation_sends_what_is_promised() {
    let server = Server::start(&[]);
    let mut connection = server.connection();
    let sized = |insertions, follow_rebuilds, missing| {
        FixedFilter::new(format!("{insertions}"), Schema::fixed(insertions, 0.01).unwrap())
            .unwrap()
            .with_options(
                Options::default()
                    .follow_rebuilds(follow_rebuilds)
                    .missing(missing),
            )
    };
    let of = |follow_rebuilds, missing| sized(100_000, follow_rebuilds, missing);
    let small = sized(1_000, true, Missing::Reported);
    small.create(Expiry::Keep).query(&mut connection).unwrap();
    let by_default = of(true, Missing::Reported);
    by_default.create(Expiry::Keep).query(&mut connection).unwrap();
    // 7 bits each: 11 times 64 and a bit less.
    let many = elements(100);
    let queries: [(FixedFilter, usize, &[Calls]); 7] = [
        (
            small.clone(),
            5,
            &[("bitfield_ro", 1), ("hget", 2), ("strlen", 2)],
        ),
        // 1,199 bytes, which the queries for 38 bits take too.
        (small, 6, &[("getrange", 1), ("hget", 2), ("strlen", 2)]),
        (by_default.clone(), 1, &[("bitfield_ro", 1), ("strlen", 2)]),
        (
            by_default.clone(),
            100,
            &[("bitfield_ro", 11), ("hget", 2), ("strlen", 2)],
        ),
        (
            of(false, Missing::Reported),
            100,
            &[("bitfield_ro", 11), ("strlen", 2)],
        ),
        (of(true, Missing::Empty), 100, &[("bitfield_ro", 11)]),
        (of(false, Missing::Empty), 1, &[("bitfield_ro", 1)]),
    ];
    let named = |commands: &[Calls]| -> Vec<(String, u64)> {
        commands
            .iter()
            .map(|&(name, calls)| (name.to_owned(), calls))
            .collect()
    };
    for (filter, count, expected) in queries {
        let sent = sent(&mut connection, |connection| {
            filter
                .might_contain_many(&many[..count])
                .query(connection)
                .unwrap();
        });
        assert_eq!(sent, named(expected), "{filter:?}");
    }
    // Within the scripts: `STRLEN` in both, `PEXPIRE` in the second.
    let guarded = [
        ("bitfield", 11),
        ("eval", 2),
        ("exec", 1),
        ("get", 1),
        ("multi", 1),
        ("strlen", 2),
    ];
    let inserts: [(FixedFilter, Expiry, Vec<Calls>); 5] = [
        (by_default.clone(), Expiry::Keep, guarded.to_vec()),
        (by_default, HOUR, [&guarded[..], &[("pexpire", 1)]].concat()),
        (
            of(false, Missing::Reported),
            Expiry::Keep,
            vec![
                ("bitfield", 11),
                ("eval", 2),
                ("exec", 1),
                ("multi", 1),
                ("strlen", 2),
            ],
        ),
        (
            of(true, Missing::Empty),
            Expiry::Keep,
            vec![("bitfield", 11), ("exec", 1), ("get", 1), ("multi", 1)],
        ),
        (of(false, Missing::Empty), Expiry::Keep, vec![("bitfield", 11)]),
    ];
    for (filter, expiry, mut expected) in inserts {
        expected.sort_unstable();
        let sent = sent(&mut connection, |connection| {
            filter
                .clone()
                .with_expiry(expiry)
                .insert_many(&many)
                .query(connection)
                .unwrap();
        });
        assert_eq!(sent, named(&expected), "{filter:?}");
    }
    // 146 elements at a time.
    let sent = sent(&mut connection, |connection| {
        let filter = of(true, Missing::Empty);
        filter.insert_many(elements(1_000)).query(connection).unwrap();
    });
    assert_eq!(
        sent,
        named(&[("bitfield", 6 * 16 + 14), ("exec", 7), ("get", 7), ("multi", 7)])
    );
}
