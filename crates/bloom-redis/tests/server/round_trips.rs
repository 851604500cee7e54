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
