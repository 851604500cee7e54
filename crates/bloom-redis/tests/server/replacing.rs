//! Rebuilds, uploads and downloads on a real server.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use bloom_redis::{
    Answer, Commands, Error, Expiry, Fixed, Growing, Missing, Options, Rebuild, Schema, Split,
};
use guava_bloom::{BloomFilter, Bytes, Parameters, Strategy};
use redis::cmd;

use crate::support::{Client, Server, all_commands, for_each_client};

const LEASE: Duration = Duration::from_secs(60);

fn filter(commands: Commands) -> Fixed {
    Fixed::new(Schema::words(1_000, 0.01).unwrap()).with_options(Options {
        commands,
        ..Options::default()
    })
}

/// A filter in memory of the same shape.
fn local(filter: &Fixed) -> BloomFilter<Bytes> {
    let words = usize::try_from(filter.bits() / 64).unwrap();
    BloomFilter::from_parts(Bytes, Strategy::Murmur128Mitz64, filter.probes(), vec![0; words]).unwrap()
}

#[test]
fn a_rebuild_takes_the_place_of_the_filter_at_once() {
    for_each_client(|client| {
        for commands in all_commands() {
            client.words::<()>(&["FLUSHALL"]);
            let filter = filter(commands);
            client.run(filter.create("f", None));
            client.run(filter.insert_many("f", ["old", "both"], None));

            let rebuild: Rebuild = client.run(filter.rebuild("f", LEASE));
            assert_eq!(
                client.run(rebuild.insert_many(["both", "new", "new"])),
                [true, true, false]
            );
            let error = client.fail(filter.rebuild("f", LEASE));
            assert_eq!(error.to_string(), "bf:f: another rebuild is under way");
            // Readers see the old generation; what is inserted now is in both.
            assert!(client.run(filter.insert("f", "meanwhile", None)));
            let asked = ["old", "both", "new", "meanwhile"];
            use Answer::{Absent, MayContain};
            assert_eq!(
                client.run(filter.contains_many("f", asked)),
                [MayContain, MayContain, Absent, MayContain]
            );
            client.run(rebuild.commit(Expiry::Sliding(LEASE)));
            assert_eq!(
                client.run(filter.contains_many("f", asked)),
                [Absent, MayContain, MayContain, MayContain]
            );
            assert!((50..=60).contains(&client.words::<i64>(&["TTL", "bf:f"])));
            let statistics = client.run(filter.statistics("f"));
            assert_eq!(statistics.rebuilds(), 1);
            let now: Vec<u64> = client.words(&["TIME"]);
            let at = statistics.last_rebuild().unwrap();
            assert!((now[0] - 60..=now[0]).contains(&at));
            // The filter and the record of its generations.
            assert_eq!(client.words::<u64>(&["DBSIZE"]), 2);

            let rebuild = client.run(filter.rebuild("f", LEASE));
            client.run(rebuild.commit(None));
            assert_eq!(client.words::<i64>(&["TTL", "bf:f"]), -1);
            assert_eq!(client.run(filter.contains("f", "new")), Absent);
        }
    });
}

#[test]
fn a_rebuild_that_is_given_up_or_lost_its_lease_changes_nothing() {
    for_each_client(|client| {
        for commands in all_commands() {
            client.words::<()>(&["FLUSHALL"]);
            let filter = filter(commands);
            client.run(filter.create("f", None));
            client.run(filter.insert("f", "old", None));
            let rebuild = client.run(filter.rebuild("f", LEASE));
            client.run(rebuild.abandon());
            let rebuild = client.run(filter.rebuild("f", LEASE));
            let next = under_way(client);
            client.words::<()>(&["DEL", "bloom-redis:rebuilding:{bf:f}", &next]);
            assert!(matches!(
                client.fail(rebuild.insert_many(["new"])),
                Error::Missing { .. }
            ));
            assert!(matches!(
                client.fail(rebuild.clone().commit(None)),
                Error::Missing { .. }
            ));
            // A second rebuild does not get what the first one left.
            let second = client.run(filter.rebuild("f", LEASE));
            assert!(matches!(client.fail(rebuild.commit(None)), Error::Missing { .. }));
            assert_eq!(client.run(filter.contains("f", "old")), Answer::MayContain);
            client.run(second.commit(None));
            assert_eq!(client.run(filter.contains("f", "old")), Answer::Absent);
        }
    });
}

#[test]
fn a_growing_filter_is_rebuilt_with_all_its_bitmaps() {
    for_each_client(|client| {
        for bitfield in [true, false] {
            client.words::<()>(&["FLUSHALL"]);
            let filter = Growing::named("g", Schema::words(50, 0.01).unwrap()).with_options(Options {
                commands: Commands {
                    bitfield,
                    ..Commands::default()
                },
                ..Options::default()
            });
            let elements = |range: Range<u32>| range.map(|i| i.to_string());
            client.run(filter.create());
            client.run(filter.insert_many(elements(0..500)));
            let before = client.run(filter.bitmaps());

            let rebuild = client.run(filter.rebuild(LEASE));
            assert!(matches!(
                client.fail(filter.rebuild(LEASE)),
                Error::RebuildUnderWay { .. }
            ));
            client.run(rebuild.insert_many(elements(300..500)));
            client.run(filter.insert_many(elements(490..600)));
            let asked = ["0", "400", "599", "none"];
            use Answer::{Absent, MayContain};
            assert_eq!(
                client.run(filter.contains_many(asked)),
                [MayContain, MayContain, MayContain, Absent]
            );
            client.run(rebuild.commit());
            assert_eq!(
                client.run(filter.contains_many(asked)),
                [Absent, MayContain, MayContain, Absent]
            );
            let answers = client.run(filter.contains_many(elements(300..600)));
            assert!(answers.iter().all(|&answer| answer == MayContain));
            let bitmaps = client.run(filter.bitmaps());
            assert!((2..before).contains(&bitmaps));
            // Bitmaps, cursor, the record of generations; nothing that expires.
            assert_eq!(client.words::<u64>(&["DBSIZE"]), bitmaps + 2);
            for number in 0..bitmaps {
                let key = filter.key(number);
                assert_eq!(client.command::<i64>(cmd("TTL").arg(&key)), -1);
                let bytes: u64 = client.command(cmd("STRLEN").arg(&key));
                assert_eq!(bytes, filter.bits() / 8);
            }
            let statistics = client.run(filter.statistics());
            assert_eq!(statistics.rebuilds(), 1);
            assert!(statistics.last_rebuild().is_some());

            let rebuild = client.run(filter.rebuild(LEASE));
            let token: u64 = client.words(&["GET", "bloom-redis:rebuilding:{g}:cursor"]);
            client.run(rebuild.insert_many(elements(0..300)));
            for number in 0..3 {
                let key = format!("bloom-redis:next:{token}:{{g}}:bloomfilter-{number}");
                let left: i64 = client.words(&["TTL", &key]);
                assert!((50..=60).contains(&left), "{key}: {left}");
            }
            client.run(rebuild.clone().abandon());
            assert_eq!(client.words::<u64>(&["DBSIZE"]), bitmaps + 2);
            for error in [
                client.fail(rebuild.insert_many(["a"])),
                client.fail(rebuild.commit()),
            ] {
                assert!(matches!(error, Error::Missing { .. }), "{error}");
            }
        }
        let plain = Growing::named("g", Schema::words(50, 0.01).unwrap()).with_options(Options {
            commands: Commands::PLAIN,
            ..Options::default()
        });
        let rebuild = client.run(Growing::named("g", *plain.schema()).rebuild(LEASE));
        client.run(plain.insert("by plain commands"));
        client.run(rebuild.commit());
        let answer = client.run(plain.contains("by plain commands"));
        assert_eq!(answer, Answer::MayContain);
        assert_eq!(
            client.fail(plain.rebuild(LEASE)).to_string(),
            "rebuilding a growing filter takes scripts, which are switched off"
        );
    });
}

#[test]
fn inserts_during_rebuilds_are_never_lost() {
    let server = Server::start(&[]);
    let filter = filter(Commands::default());
    Client::blocking(&server).run(filter.create("f", None));
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let writers: Vec<_> = (0..4)
            .map(|writer| {
                let (filter, mut connection) = (&filter, server.connection());
                scope.spawn(move || {
                    (0..500)
                        .map(|i| format!("{writer}-{i}"))
                        .inspect(|element| {
                            filter.insert("f", element, None).query(&mut connection).unwrap();
                        })
                        .collect::<Vec<String>>()
                })
            })
            .collect();
        let rebuilder = scope.spawn(|| {
            let mut connection = server.connection();
            let mut rebuilds = 0;
            while !done.load(Ordering::Relaxed) {
                // Everything that was ever inserted before the rebuild began, read from the filter itself.
                let rebuild = filter.rebuild("f", LEASE).query(&mut connection).unwrap();
                let before = filter.download("f", Bytes).query(&mut connection).unwrap();
                let kept: Vec<String> = (0..4)
                    .flat_map(|writer| (0..500).map(move |i| format!("{writer}-{i}")))
                    .filter(|element| before.might_contain(element.as_bytes()))
                    .collect();
                rebuild.insert_many(&kept).query(&mut connection).unwrap();
                rebuild.commit(None).query(&mut connection).unwrap();
                rebuilds += 1;
            }
            rebuilds
        });
        let inserted: Vec<String> = (writers.into_iter())
            .flat_map(|writer| writer.join().unwrap())
            .collect();
        done.store(true, Ordering::Relaxed);
        assert!(rebuilder.join().unwrap() > 1);
        let answers = Client::blocking(&server).run(filter.contains_many("f", &inserted));
        assert!(answers.iter().all(|&answer| answer == Answer::MayContain));
    });
}

#[test]
fn filters_go_up_and_come_down_with_every_bit_in_its_place() {
    for_each_client(|client| {
        for commands in all_commands() {
            client.words::<()>(&["FLUSHALL"]);
            let filter = filter(commands);
            let mut local = local(&filter);
            for i in 0..1_000 {
                local.insert(format!("{i}").as_bytes());
            }
            client.run(filter.upload("f", &local, None));
            let answers = client.run(filter.contains_many("f", (0..1_000).map(|i| i.to_string())));
            assert!(answers.iter().all(|&answer| answer == Answer::MayContain));
            assert!(client.run(filter.insert("f", "more", None)));
            local.insert(&b"more"[..]);
            let back = client.run(filter.download("f", Bytes));
            assert_eq!(back.words(), local.words());
            assert_eq!(
                back.might_contain(&b"other"[..]),
                local.might_contain(&b"other"[..])
            );
            assert!(matches!(
                client.fail(filter.download("gone", Bytes)),
                Error::Missing { .. }
            ));
        }
        let empty = filter(Commands::default()).with_options(Options {
            missing: Missing::Empty,
            ..Options::default()
        });
        assert_eq!(client.run(empty.download("gone", Bytes)).ones(), 0);
    });
}

/// The key of the rebuild under way.
fn under_way(client: &mut Client) -> String {
    let number: u64 = client.words(&["GET", "bloom-redis:rebuilding:{bf:f}"]);
    format!("bloom-redis:next:{number}:{{bf:f}}")
}

#[test]
fn uploads_undo_nothing_that_others_insert_meanwhile() {
    for_each_client(|client| {
        for commands in all_commands() {
            client.words::<()>(&["FLUSHALL"]);
            let filter = filter(commands);
            let mut local = local(&filter);
            local.insert(b"local".as_slice());
            client.run(filter.create("f", None));
            client.run(filter.insert("f", "old", None));
            let rebuild = client.run(filter.rebuild("f", LEASE));
            client.run(filter.insert("f", "meanwhile", None));
            client.run(rebuild.upload(&local));
            let left: i64 = {
                let next = under_way(client);
                client.words(&["TTL", &next])
            };
            assert!((50..=60).contains(&left), "{left}");
            client.run(rebuild.commit(None));
            use Answer::{Absent, MayContain};
            assert_eq!(
                client.run(filter.contains_many("f", ["old", "local", "meanwhile"])),
                [Absent, MayContain, MayContain],
                "{commands:?}"
            );
            local.insert(b"meanwhile".as_slice());
            assert_eq!(client.run(filter.download("f", Bytes)).words(), local.words());
            // The filter and the record of its generations.
            assert_eq!(client.words::<u64>(&["DBSIZE"]), 2);
            // The generation is gone, and does not come back.
            let rebuild = client.run(filter.rebuild("f", LEASE));
            let next = under_way(client);
            client.words::<()>(&["DEL", &next]);
            assert!(matches!(
                client.fail(rebuild.upload(&local)),
                Error::Missing { .. }
            ));
        }
    });
}

#[test]
fn large_filters_go_in_several_chunks() {
    // 2.4 MiB in parts of 2 MiB: the first part takes two chunks, the second one.
    let split = Split::new("s", 2_000_000, 0.01)
        .unwrap()
        .with_part_bits(1 << 24)
        .unwrap();
    let parameters = Parameters::new(2_000_000, 0.01).unwrap();
    let mut local = BloomFilter::new(Bytes, &parameters).unwrap();
    for i in 0..100_000_u32 {
        local.insert(&i.to_le_bytes()[..]);
    }
    for_each_client(|client| {
        client.run(split.upload(&local));
        let back = client.run(split.download(Bytes));
        assert!(back.words() == local.words());
        let answers = client.run(split.contains_many((0..1_000_u32).map(u32::to_le_bytes)));
        assert!(answers.iter().all(|&answer| answer == Answer::MayContain));
    });
}

#[test]
fn only_the_same_shape_is_exchanged() {
    for_each_client(|client| {
        let published = Fixed::new(Schema::fixed(3_000, 0.03).unwrap());
        let guava = BloomFilter::new(Bytes, &Parameters::new(3_000, 0.03).unwrap()).unwrap();
        for error in [
            client.fail(published.upload("f", &guava, None)),
            client.fail(published.download("f", Bytes)),
        ] {
            assert_eq!(
                error.to_string(),
                "the number of bits is 21895 here, a multiple of 64 there"
            );
        }
        let filter = filter(Commands::default());
        let error = client.fail(filter.upload("f", &guava, None));
        assert_eq!(error.to_string(), "the number of bits is 9600 here, 21952 there");
        let other = BloomFilter::from_parts(Bytes, Strategy::Murmur128Mitz32, 7, vec![0; 150]).unwrap();
        let error = client.fail(filter.upload("f", &other, None));
        assert_eq!(
            error.to_string(),
            "the strategy is MURMUR128_MITZ_64 here, MURMUR128_MITZ_32 there"
        );
        let rebuild = client.run(filter.rebuild("f", LEASE));
        assert!(client.try_run(rebuild.upload(&guava)).is_err());
        let bits: u64 = client.command(cmd("EXISTS").arg("bf:f"));
        assert_eq!(bits, 0);
    });
}
