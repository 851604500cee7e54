//! Rebuilds, uploads and downloads on a real server.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use bloom_redis::{
    Answer, Commands, ErrorKind, Expiry, FixedFilter, GrowingFilter, Missing, Options, Rebuild, Schema,
};
use guava_bloom::{BloomFilter, Bytes, Parameters, Strategy};
use redis::cmd;

use crate::support::{
    Client, LEASE, Server, check_all_there, for_each_client, for_each_way, new_fixed, new_growing, new_split,
};

const SECOND: Duration = Duration::from_secs(1);

fn filter(commands: Commands) -> FixedFilter {
    new_fixed(Schema::whole_words(1_000, 0.01)).with_options(Options::default().commands(commands))
}

/// Returns a filter in memory with the same parameters.
fn local(filter: &FixedFilter) -> BloomFilter<Bytes> {
    BloomFilter::new(Bytes, &Parameters::try_from(filter.schema()).unwrap()).unwrap()
}

#[test]
fn a_rebuild_keeps_the_time_to_live_unless_told_otherwise() {
    for_each_way(|client, commands| {
        let [short, long] = [100, 300].map(|seconds| seconds * SECOND);
        for (before, given, expected) in [
            (Expiry::After(short), Expiry::Keep, 90..=100),
            (Expiry::Never, Expiry::Keep, -1..=-1),
            (Expiry::After(short), Expiry::Never, -1..=-1),
            (Expiry::After(short), Expiry::After(long), 290..=300),
            (Expiry::After(short), Expiry::AfterFirst(long), 90..=100),
            (Expiry::Never, Expiry::AfterFirst(long), 290..=300),
        ] {
            // An upload ends with a commit too.
            for upload in [false, true] {
                client.words::<()>(&["FLUSHALL"]);
                let filter = filter(commands);
                client.run(filter.create(before));
                if upload {
                    client.run(filter.upload(&local(&filter), given));
                } else {
                    let rebuild = client.run(filter.rebuild(LEASE));
                    client.run(rebuild.commit(given));
                }
                let left: i64 = client.words(&["TTL", "bf:f"]);
                let case = format!("{commands:?} {before:?} {given:?} {upload}");
                assert!(expected.contains(&left), "{case}: {left}");
            }
        }
    });
}

#[test]
fn anybody_may_abandon_a_rebuild_that_was_dropped() {
    for_each_client(|client| {
        let filter = filter(Commands::default());
        client.run(filter.create(Expiry::Keep));
        assert!(!client.run(filter.abandon_rebuild()));
        let dropped = client.run(filter.rebuild(LEASE));
        assert_eq!(
            client.fail(filter.rebuild(LEASE)).kind(),
            ErrorKind::RebuildUnderWay
        );
        assert!(client.run(filter.abandon_rebuild()));
        assert_eq!(
            client.fail(dropped.insert_many(["late"])).kind(),
            ErrorKind::Missing
        );
        // The filter and the record of its generations.
        assert_eq!(client.words::<u64>(&["DBSIZE"]), 2);

        let growing = new_growing(100, 0.01);
        client.run(growing.create());
        assert!(!client.run(growing.abandon_rebuild()));
        let dropped = client.run(growing.rebuild(LEASE));
        client.run(dropped.insert_many((0..300).map(|i: i32| i.to_string())));
        assert!(client.run(growing.abandon_rebuild()));
        assert_eq!(client.fail(dropped.commit()).kind(), ErrorKind::Missing);
        // The bitmap, the cursor and both records of the growing filter.
        assert_eq!(client.words::<u64>(&["DBSIZE"]), 6);
    });
}

#[test]
fn a_rebuild_takes_the_place_of_the_filter_at_once() {
    for_each_way(|client, commands| {
        let filter = filter(commands);
        client.run(filter.create(Expiry::Keep));
        client.run(filter.insert_many(["old", "both"]));

        let rebuild: Rebuild = client.run(filter.rebuild(LEASE));
        assert_eq!(
            client.run(rebuild.insert_many(["both", "new", "new"])),
            [true, true, false]
        );
        let error = client.fail(filter.rebuild(LEASE));
        assert_eq!(error.to_string(), "bf:f: another rebuild is under way");
        // Readers see the old generation; elements inserted now go into both.
        assert!(client.run(filter.insert("meanwhile")));
        let asked = ["old", "both", "new", "meanwhile"];
        use Answer::{Absent, MightContain};
        assert_eq!(
            client.run(filter.might_contain_many(asked)),
            [MightContain, MightContain, Absent, MightContain]
        );
        client.run(rebuild.commit(Expiry::After(LEASE)));
        assert_eq!(
            client.run(filter.might_contain_many(asked)),
            [Absent, MightContain, MightContain, MightContain]
        );
        assert!((50..=60).contains(&client.words::<i64>(&["TTL", "bf:f"])));
        let statistics = client.run(filter.statistics());
        assert_eq!(statistics.rebuilds(), 1);
        let now: Vec<u64> = client.words(&["TIME"]);
        let at = statistics.last_rebuild().unwrap();
        assert!((now[0] - 60..=now[0]).contains(&at));
        // The filter and the record of its generations.
        assert_eq!(client.words::<u64>(&["DBSIZE"]), 2);

        let rebuild = client.run(filter.rebuild(LEASE));
        client.run(rebuild.commit(Expiry::Never));
        assert_eq!(client.words::<i64>(&["TTL", "bf:f"]), -1);
        assert_eq!(client.run(filter.might_contain("new")), Absent);
    });
}

#[test]
fn a_rebuild_that_is_given_up_or_lost_its_lease_changes_nothing() {
    for_each_way(|client, commands| {
        let filter = filter(commands);
        client.run(filter.create(Expiry::Keep));
        client.run(filter.insert("old"));
        let rebuild = client.run(filter.rebuild(LEASE));
        client.run(rebuild.abandon());
        let rebuild = client.run(filter.rebuild(LEASE));
        let next = under_way(client);
        client.words::<()>(&["DEL", "bloom-redis:rebuilding:{bf:f}", &next]);
        assert!(client.fail(rebuild.insert_many(["new"])).kind() == ErrorKind::Missing);
        assert!(client.fail(rebuild.clone().commit(Expiry::Never)).kind() == ErrorKind::Missing);
        // A second rebuild does not inherit the bits of the first.
        let second = client.run(filter.rebuild(LEASE));
        assert!(client.fail(rebuild.commit(Expiry::Never)).kind() == ErrorKind::Missing);
        assert_eq!(client.run(filter.might_contain("old")), Answer::MightContain);
        client.run(second.commit(Expiry::Never));
        assert_eq!(client.run(filter.might_contain("old")), Answer::Absent);
    });
}

#[test]
fn a_growing_filter_is_rebuilt_with_all_its_bitmaps() {
    for_each_client(|client| {
        for bitfield in [true, false] {
            client.words::<()>(&["FLUSHALL"]);
            let filter = new_growing(50, 0.01)
                .with_options(Options::default().commands(Commands::default().bitfield(bitfield)));
            let elements = |range: Range<u32>| range.map(|i| i.to_string());
            client.run(filter.create());
            client.run(filter.insert_many(elements(0..500)));
            let before = client.run(filter.bitmaps());

            let rebuild = client.run(filter.rebuild(LEASE));
            assert!(client.fail(filter.rebuild(LEASE)).kind() == ErrorKind::RebuildUnderWay);
            client.run(rebuild.insert_many(elements(300..500)));
            client.run(filter.insert_many(elements(490..600)));
            let asked = ["0", "400", "599", "none"];
            use Answer::{Absent, MightContain};
            assert_eq!(
                client.run(filter.might_contain_many(asked)),
                [MightContain, MightContain, MightContain, Absent]
            );
            client.run(rebuild.commit());
            assert_eq!(
                client.run(filter.might_contain_many(asked)),
                [Absent, MightContain, MightContain, Absent]
            );
            let answers = client.run(filter.might_contain_many(elements(300..600)));
            assert!(answers.iter().all(|&answer| answer == MightContain));
            let bitmaps = client.run(filter.bitmaps());
            assert!((2..before).contains(&bitmaps));
            // The bitmaps, the cursor and two records; no key that expires.
            assert_eq!(client.words::<u64>(&["DBSIZE"]), bitmaps + 3);
            for number in 0..bitmaps {
                let key = filter.key(number);
                assert_eq!(client.command::<i64>(cmd("TTL").arg(&key)), -1);
                let bytes: u64 = client.command(cmd("STRLEN").arg(&key));
                assert_eq!(bytes, filter.schema().bits() / 8);
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
            assert_eq!(client.words::<u64>(&["DBSIZE"]), bitmaps + 3);
            for error in [
                client.fail(rebuild.insert_many(["a"])),
                client.fail(rebuild.commit()),
            ] {
                assert!(error.kind() == ErrorKind::Missing, "{error}");
            }
        }
        let plain = new_growing(50, 0.01).with_options(Options::default().commands(Commands::PLAIN));
        let rebuild = client.run(GrowingFilter::new("g", *plain.schema()).unwrap().rebuild(LEASE));
        client.run(plain.insert("by plain commands"));
        client.run(rebuild.commit());
        let answer = client.run(plain.might_contain("by plain commands"));
        assert_eq!(answer, Answer::MightContain);
        assert_eq!(
            client.fail(plain.rebuild(LEASE)).to_string(),
            "scripts must be allowed for rebuilding a growing filter, got Commands::scripts(false)"
        );
    });
}

#[test]
fn inserts_during_rebuilds_are_never_lost() {
    let server = Server::start(&[]);
    let filter = filter(Commands::default());
    Client::blocking(&server).run(filter.create(Expiry::Keep));
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let writers: Vec<_> = (0..4)
            .map(|writer| {
                let (filter, mut connection) = (&filter, server.connection());
                scope.spawn(move || {
                    (0..500)
                        .map(|i| format!("{writer}-{i}"))
                        .inspect(|element| {
                            filter.insert(element).query(&mut connection).unwrap();
                        })
                        .collect::<Vec<String>>()
                })
            })
            .collect();
        let rebuilder = scope.spawn(|| {
            let mut connection = server.connection();
            let mut rebuilds = 0;
            while !done.load(Ordering::Relaxed) {
                // All elements inserted before the rebuild began, as the filter itself tells.
                let rebuild = filter.rebuild(LEASE).query(&mut connection).unwrap();
                let before = filter.download(Bytes).query(&mut connection).unwrap();
                let kept: Vec<String> = (0..4)
                    .flat_map(|writer| (0..500).map(move |i| format!("{writer}-{i}")))
                    .filter(|element| before.might_contain(element.as_bytes()))
                    .collect();
                rebuild.insert_many(&kept).query(&mut connection).unwrap();
                rebuild.commit(Expiry::Never).query(&mut connection).unwrap();
                rebuilds += 1;
            }
            rebuilds
        });
        let inserted: Vec<String> = (writers.into_iter())
            .flat_map(|writer| writer.join().unwrap())
            .collect();
        done.store(true, Ordering::Relaxed);
        assert!(rebuilder.join().unwrap() > 1);
        let answers = Client::blocking(&server).run(filter.might_contain_many(&inserted));
        check_all_there(&answers);
    });
}

#[test]
fn filters_go_up_and_come_down_with_every_bit_in_its_place() {
    for_each_way(|client, commands| {
        let filter = filter(commands);
        let mut local = local(&filter);
        for i in 0..1_000 {
            local.insert(format!("{i}").as_bytes());
        }
        client.run(filter.upload(&local, Expiry::Never));
        let answers = client.run(filter.might_contain_many((0..1_000).map(|i| i.to_string())));
        check_all_there(&answers);
        assert!(client.run(filter.insert("more")));
        local.insert(&b"more"[..]);
        let back = client.run(filter.download(Bytes));
        assert_eq!(back.words(), local.words());
        assert_eq!(
            back.might_contain(&b"other"[..]),
            local.might_contain(&b"other"[..])
        );
        assert!(client.fail(filter.named("gone").download(Bytes)).kind() == ErrorKind::Missing);
        let empty = filter.with_options(Options::default().missing(Missing::Empty));
        assert_eq!(client.run(empty.named("gone").download(Bytes)).ones(), 0);
    });
}

/// Returns the key of the rebuild under way.
fn under_way(client: &mut Client) -> String {
    let number: u64 = client.words(&["GET", "bloom-redis:rebuilding:{bf:f}"]);
    format!("bloom-redis:next:{number}:{{bf:f}}")
}

#[test]
fn uploads_undo_nothing_that_others_insert_meanwhile() {
    for_each_way(|client, commands| {
        let filter = filter(commands);
        let mut local = local(&filter);
        local.insert(b"local".as_slice());
        client.run(filter.create(Expiry::Keep));
        client.run(filter.insert("old"));
        let rebuild = client.run(filter.rebuild(LEASE));
        client.run(filter.insert("meanwhile"));
        client.run(rebuild.upload(&local));
        let left: i64 = {
            let next = under_way(client);
            client.words(&["TTL", &next])
        };
        assert!((50..=60).contains(&left), "{left}");
        client.run(rebuild.commit(Expiry::Never));
        use Answer::{Absent, MightContain};
        assert_eq!(
            client.run(filter.might_contain_many(["old", "local", "meanwhile"])),
            [Absent, MightContain, MightContain],
            "{commands:?}"
        );
        local.insert(b"meanwhile".as_slice());
        assert_eq!(client.run(filter.download(Bytes)).words(), local.words());
        // The filter and the record of its generations.
        assert_eq!(client.words::<u64>(&["DBSIZE"]), 2);
        // The generation is gone, and does not come back.
        let rebuild = client.run(filter.rebuild(LEASE));
        let next = under_way(client);
        client.words::<()>(&["DEL", &next]);
        assert!(client.fail(rebuild.upload(&local)).kind() == ErrorKind::Missing);
    });
}

#[test]
fn large_filters_go_in_several_chunks() {
    // 2.4 MiB in parts of 2 MiB: the first part takes two chunks, the second one.
    let split = new_split(2_000_000, 0.01, 1 << 24);
    let parameters = Parameters::new(2_000_000, 0.01).unwrap();
    let mut local = BloomFilter::new(Bytes, &parameters).unwrap();
    for i in 0..100_000_u32 {
        local.insert(&i.to_le_bytes()[..]);
    }
    for_each_client(|client| {
        client.run(split.upload(&local, Expiry::Never));
        let back = client.run(split.download(Bytes));
        assert!(back.words() == local.words());
        let answers = client.run(split.might_contain_many((0..1_000_u32).map(u32::to_le_bytes)));
        check_all_there(&answers);
    });
}

#[test]
fn only_the_same_shape_is_exchanged() {
    for_each_client(|client| {
        let published = new_fixed(Schema::fixed(3_000, 0.03));
        let guava = BloomFilter::new(Bytes, &Parameters::new(3_000, 0.03).unwrap()).unwrap();
        for error in [
            client.fail(published.upload(&guava, Expiry::Never)),
            client.fail(published.download(Bytes)),
        ] {
            assert_eq!(
                error.to_string(),
                "the number of bits must be a multiple of 64, got 21895"
            );
        }
        let filter = filter(Commands::default());
        let error = client.fail(filter.upload(&guava, Expiry::Never));
        assert_eq!(
            error.to_string(),
            "the numbers of bits of both filters must be equal, got 9600 and 21952"
        );
        let other = BloomFilter::from_parts(Bytes, Strategy::Murmur128Mitz32, 7, vec![0; 150]).unwrap();
        let error = client.fail(filter.upload(&other, Expiry::Never));
        assert_eq!(
            error.to_string(),
            "the strategies of both filters must be equal, got Murmur128Mitz64 and Murmur128Mitz32"
        );
        let rebuild = client.run(filter.rebuild(LEASE));
        assert!(client.try_run(rebuild.upload(&guava)).is_err());
        let bits: u64 = client.command(cmd("EXISTS").arg("bf:f"));
        assert_eq!(bits, 0);
    });
}
