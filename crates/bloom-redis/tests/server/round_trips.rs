//! How many times an operation waits for the server.

use std::time::Duration;

use bloom_redis::{Commands, Expiry, Fixed, Growing, Missing, Options, Schema, Split};

use crate::support::{Counting, Server, all_commands};

const HOUR: Expiry = Expiry::Sliding(Duration::from_secs(3_600));

fn elements(count: u32) -> Vec<String> {
    (0..count).map(|i| i.to_string()).collect()
}

#[test]
fn one_trip_whatever_the_number_of_elements() {
    let server = Server::start(&[]);
    let mut connection = Counting::new(server.connection());
    let connection = &mut connection;
    for commands in all_commands() {
        for missing in [Missing::Reported, Missing::Empty] {
            let options = Options {
                commands,
                missing,
                ..Options::default()
            };
            let fixed = Fixed::new(Schema::fixed(3_000, 0.03).unwrap()).with_options(options);
            let split = Split::new("s", 3_000, 0.03)
                .unwrap()
                .with_part_bits(1_024)
                .unwrap()
                .with_options(options);
            fixed.create("f", None).query(connection).unwrap();
            split.create(None).query(connection).unwrap();
            connection.trips();
            for count in [1, 10, 1_000] {
                let elements = elements(count);
                fixed.contains_many("f", &elements).query(connection).unwrap();
                assert_eq!(connection.trips(), 1, "{commands:?}");
                fixed.insert_many("f", &elements, None).query(connection).unwrap();
                assert_eq!(connection.trips(), 1, "{commands:?}");
                fixed.insert_many("f", &elements, HOUR).query(connection).unwrap();
                assert_eq!(connection.trips(), 1, "{commands:?}");
                split.contains_many(&elements).query(connection).unwrap();
                assert_eq!(connection.trips(), 1, "{commands:?}");
                split.insert_many(&elements).query(connection).unwrap();
                assert_eq!(connection.trips(), 1, "{commands:?}");
            }
        }
    }
    fixed_bound(connection);
}

/// Batches beyond the bound take as many trips as it says.
fn fixed_bound(connection: &mut Counting) {
    let fixed = Fixed::new(Schema::fixed(3_000, 0.03).unwrap()).with_options(Options {
        bits_per_trip: 504.try_into().unwrap(),
        ..Options::default()
    });
    // 100 elements of 5 bits each.
    fixed
        .contains_many("f", elements(1_000))
        .query(connection)
        .unwrap();
    assert_eq!(connection.trips(), 10);
    fixed
        .insert_many("f", elements(1_001), None)
        .query(connection)
        .unwrap();
    assert_eq!(connection.trips(), 11);
}

#[test]
fn a_growing_filter_takes_one_trip_however_many_bitmaps_it_has() {
    let server = Server::start(&[]);
    let mut connection = Counting::new(server.connection());
    let filter = Growing::named("g", Schema::words(100, 0.01).unwrap());
    filter.create().query(&mut connection).unwrap();
    // The server learns the scripts.
    filter.insert("a").query(&mut connection).unwrap();
    filter.contains("a").query(&mut connection).unwrap();
    connection.trips();
    filter
        .insert_many(elements(1_000))
        .query(&mut connection)
        .unwrap();
    assert_eq!(connection.trips(), 1);
    filter
        .contains_many(elements(1_000))
        .query(&mut connection)
        .unwrap();
    assert_eq!(connection.trips(), 1);
    assert!(filter.bitmaps().query(&mut connection).unwrap() > 5);
    connection.trips();
    for keep_count in [false, true] {
        let filter = filter.clone().with_options(Options {
            keep_count,
            ..Options::default()
        });
        filter.insert("one more").query(&mut connection).unwrap();
        filter.contains("one more").query(&mut connection).unwrap();
        assert_eq!(connection.trips(), 2, "{keep_count}");
    }
    filter.statistics().query(&mut connection).unwrap();
    // The cursor, then all bitmaps.
    assert_eq!(connection.trips(), 2);

    let plain = filter.with_options(Options {
        commands: Commands {
            scripts: false,
            ..Commands::default()
        },
        ..Options::default()
    });
    plain
        .contains_many(elements(1_000))
        .query(&mut connection)
        .unwrap();
    assert_eq!(connection.trips(), 2);
}

/// The commands that the server did during the operation, but for those of scripts.
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
    let of = |follow_rebuilds, missing| {
        Fixed::new(Schema::fixed(1_000, 0.01).unwrap()).with_options(Options {
            follow_rebuilds,
            missing,
            ..Options::default()
        })
    };
    let by_default = of(true, Missing::Reported);
    by_default.create("f", None).query(&mut connection).unwrap();
    // 7 bits each: 11 times 64 and a bit less.
    let many = elements(100);
    let queries: [(Fixed, usize, &[(&str, u64)]); 5] = [
        (by_default.clone(), 1, &[("bitfield_ro", 1), ("exists", 2)]),
        (
            by_default.clone(),
            100,
            &[("bitfield_ro", 11), ("exists", 2), ("hget", 2)],
        ),
        (
            of(false, Missing::Reported),
            100,
            &[("bitfield_ro", 11), ("exists", 2)],
        ),
        (of(true, Missing::Empty), 100, &[("bitfield_ro", 11)]),
        (of(false, Missing::Empty), 1, &[("bitfield_ro", 1)]),
    ];
    let named = |commands: &[(&str, u64)]| -> Vec<(String, u64)> {
        commands
            .iter()
            .map(|&(name, calls)| (name.to_owned(), calls))
            .collect()
    };
    for (filter, count, expected) in queries {
        let sent = sent(&mut connection, |connection| {
            filter
                .contains_many("f", &many[..count])
                .query(connection)
                .unwrap();
        });
        assert_eq!(sent, named(expected), "{filter:?}");
    }
    // Within the scripts: `EXISTS` in the first, `STRLEN` and `PEXPIRE` in the second.
    let guarded = [
        ("bitfield", 11),
        ("eval", 2),
        ("exec", 1),
        ("exists", 1),
        ("get", 1),
        ("multi", 1),
    ];
    let inserts: [(Fixed, Option<Expiry>, Vec<(&str, u64)>); 5] = [
        (
            by_default.clone(),
            None,
            [&guarded[..], &[("strlen", 1)]].concat(),
        ),
        (
            by_default,
            Some(HOUR),
            [&guarded[..], &[("pexpire", 1), ("strlen", 1)]].concat(),
        ),
        (
            of(false, Missing::Reported),
            None,
            vec![
                ("bitfield", 11),
                ("eval", 2),
                ("exec", 1),
                ("exists", 1),
                ("multi", 1),
                ("strlen", 1),
            ],
        ),
        (
            of(true, Missing::Empty),
            None,
            vec![("bitfield", 11), ("exec", 1), ("get", 1), ("multi", 1)],
        ),
        (of(false, Missing::Empty), None, vec![("bitfield", 11)]),
    ];
    for (filter, expiry, mut expected) in inserts {
        expected.sort_unstable();
        let sent = sent(&mut connection, |connection| {
            filter.insert_many("f", &many, expiry).query(connection).unwrap();
        });
        assert_eq!(sent, named(&expected), "{filter:?}");
    }
}
