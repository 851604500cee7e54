//! The number of round trips and commands of each operation.

use std::cell::Cell;
use std::time::Duration;

use bloom_redis::{Answer, Expiry, FixedFilter, Missing, Options, RedisBloom, Schema};
use membership_filters::{RedisBloomFilter, RedisBloomParameters};

use crate::cluster::elements;
use crate::support::{Server, check_all_there, counting, names, new_fixed, new_growing};

const HOUR: Expiry = Expiry::After(Duration::from_secs(3_600));

#[test]
fn one_trip_for_each_65536_bits() {
    let server = Server::start(&[]);
    let trips = Cell::new(0);
    let connection = &mut counting(server.connection(), &trips);
    let fixed = new_fixed(Schema::fixed(3_000, 0.03)).expiry(HOUR);
    // So many elements of 5 bits take one trip.
    let mut check = |options: Options, most: u32| {
        let filter = fixed.clone().options(options);
        filter.create(Expiry::Keep).query(connection).unwrap();
        trips.take();
        for (count, expected) in [(1, 1), (most, 1), (most + 1, 2), (2 * most + 1, 3)] {
            let elements = elements(count);
            filter.contains_many(&elements).query(connection).unwrap();
            assert_eq!(trips.take(), expected, "{filter:?}");
            filter.insert_many(&elements).query(connection).unwrap();
            assert_eq!(trips.take(), expected, "{filter:?}");
        }
    };
    check(Options::default(), 13_107);
    for missing in [Missing::Reported, Missing::Empty] {
        check(Options::default().missing(missing).bits_per_trip(104), 20);
    }
}

#[test]
fn a_growing_filter_takes_one_trip_however_many_bitmaps_it_has() {
    let server = Server::start(&[]);
    let trips = Cell::new(0);
    let connection = &mut counting(server.connection(), &trips);
    let filter = new_growing(100, 0.01);
    filter.create().query(connection).unwrap();
    // The server learns the scripts.
    filter.insert("a").query(connection).unwrap();
    filter.contains("a").query(connection).unwrap();
    trips.take();
    // One script, which no other client divides.
    let sent = sent(&mut server.connection(), |_| {
        drop(filter.insert_many(elements(1_000)).query(connection).unwrap())
    });
    assert!(sent.split(", ").any(|call| call == "evalsha 1"), "{sent}");
    assert_eq!(trips.take(), 1);
    let query = |filter: &bloom_redis::GrowingFilter| filter.contains_many(elements(1_000));
    query(&filter).query(connection).unwrap();
    assert_eq!(trips.take(), 1);
    let stats = filter.stats().query(connection).unwrap();
    assert!(stats.bitmaps() > 5);
    // The cursor, then all bitmaps.
    assert_eq!(trips.take(), 2);
}

#[test]
fn a_kept_filter_of_the_server_takes_one_trip() {
    let server = Server::with_module();
    let trips = Cell::new(0);
    let connection = &mut counting(server.connection(), &trips);
    let keys = names("key", 2 * (1 << 14) + 1);
    let mut local = RedisBloomFilter::new(&RedisBloomParameters::new(keys.len() as u64, 0.01)).unwrap();
    local.insert_many(&keys).unwrap();
    let kept = RedisBloom::new("users");
    for load in 1..=2 {
        kept.load(&local).query(connection).unwrap();
        // The mark is read first: on the second load, after an attempt under the old one.
        trips.take();
        assert_eq!(kept.contains(&keys[0]).query(connection).unwrap(), Answer::Maybe);
        assert_eq!(trips.take(), 1 + load, "load {load}");
        for (count, expected) in [(1, 1), (1 << 14, 1), ((1 << 14) + 1, 2), (keys.len(), 3)] {
            check_all_there(&kept.contains_many(&keys[..count]).query(connection).unwrap());
            assert_eq!(trips.take(), expected, "{count} keys");
            drop(kept.insert_many(&keys[..count]).query(connection).unwrap());
            assert_eq!(trips.take(), expected, "{count} keys");
        }
    }
}

/// Returns the commands that the server executed during the operation, in alphabetical order, with their counts.
fn sent(connection: &mut redis::Connection, act: impl FnOnce(&mut redis::Connection)) -> String {
    redis::cmd("CONFIG").arg("RESETSTAT").exec(connection).unwrap();
    act(connection);
    let info: String = redis::cmd("INFO").arg("commandstats").query(connection).unwrap();
    let calls = info.lines().filter_map(|line| {
        let (name, calls) = line.strip_prefix("cmdstat_")?.split_once(":calls=")?;
        Some(format!("{name} {}", calls.split(',').next()?))
    });
    let mut calls: Vec<String> = calls.filter(|call| call != "config|resetstat 1").collect();
    calls.sort_unstable();
    calls.join(", ")
}

#[test]
fn an_operation_sends_what_is_promised() {
    let server = Server::start(&[]);
    let mut connection = server.connection();
    let sized = |insertions, missing| {
        FixedFilter::new(format!("{insertions}"), Schema::fixed(insertions, 0.01).unwrap())
            .unwrap()
            .options(Options::default().missing(missing))
    };
    let small = sized(1_000, Missing::Reported);
    small.create(Expiry::Keep).query(&mut connection).unwrap();
    let by_default = sized(100_000, Missing::Reported);
    by_default.create(Expiry::Keep).query(&mut connection).unwrap();
    let empty = sized(100_000, Missing::Empty);
    // 7 bits each: 11 times 64 and a bit less.
    let many = elements(100);
    for (filter, count, expected) in [
        (&small, 5, "bitfield_ro 1, getrange 2"),
        // 1,199 bytes, which the queries for 38 bits take too.
        (&small, 6, "getrange 3"),
        (&by_default, 1, "bitfield_ro 1, getrange 2"),
        (&by_default, 100, "bitfield_ro 11, getrange 2"),
        (&empty, 100, "bitfield_ro 11, getrange 2"),
    ] {
        let query = filter.contains_many(&many[..count]);
        let sent = sent(&mut connection, |connection| {
            drop(query.query(connection).unwrap())
        });
        assert_eq!(sent, expected, "{filter:?}");
    }
    for (expiry, count, expected) in [
        // Within the script: `GETRANGE`, a `BITFIELD` for each nine elements, `PEXPIRE`.
        (Expiry::Keep, 100, "bitfield 12, eval 1, get 1, getrange 3"),
        (HOUR, 100, "bitfield 12, eval 1, get 1, getrange 3, pexpire 1"),
        // 146 elements at a time.
        (Expiry::Keep, 1_000, "bitfield 116, eval 7, get 1, getrange 9"),
    ] {
        let insert = by_default.clone().expiry(expiry).insert_many(elements(count));
        let sent = sent(&mut connection, |connection| {
            drop(insert.query(connection).unwrap())
        });
        assert_eq!(sent, expected, "{expiry:?}");
    }
}
