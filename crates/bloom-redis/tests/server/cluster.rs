//! All designs on a real cluster, through both cluster clients.

use std::time::Duration;

use bloom_redis::{
    Answer, Commands, Error, Expiry, Fixed, Growing, Missing, Options, Schema, SchemaError, Split, Trouble,
};
use guava_bloom::Bytes;

use crate::support::{all_commands, for_each_cluster_client};

const HOUR: Expiry = Expiry::Sliding(Duration::from_secs(3_600));
const LEASE: Duration = Duration::from_secs(60);

pub(crate) fn elements(count: u32) -> Vec<String> {
    (0..count).map(|i| i.to_string()).collect()
}

fn absent(count: u32) -> Vec<String> {
    (0..count).map(|i| format!("absent {i}")).collect()
}

#[track_caller]
pub(crate) fn check_all_there(answers: &[Answer]) {
    assert!(answers.iter().all(|&answer| answer == Answer::MayContain));
}

pub(crate) fn fixed(commands: Commands, missing: Missing) -> Fixed {
    Fixed::new(Schema::words(1_000, 0.01).unwrap()).with_options(Options {
        commands,
        missing,
        ..Options::default()
    })
}

#[test]
fn fixed_filters_are_spread_by_their_names() {
    for_each_cluster_client(|client, cluster| {
        let names = ["a", "b", "c", "d"];
        let filter = fixed(Commands::default(), Missing::Reported);
        let masters: std::collections::BTreeSet<usize> = names
            .iter()
            .map(|name| cluster.master_of(&filter.key(name)))
            .collect();
        assert!(masters.len() > 1);
        for missing in [Missing::Reported, Missing::Empty] {
            for commands in all_commands() {
                client.words::<()>(&["FLUSHALL"]);
                let filter = fixed(commands, missing);
                client.run(filter.adopt());
                client.run(filter.open());
                for name in names {
                    if missing == Missing::Reported {
                        assert_eq!(client.run(filter.contains(name, "a")), Answer::Missing);
                        for expiry in [None, Some(HOUR)] {
                            let error = client.fail(filter.insert(name, "a", expiry));
                            assert!(matches!(error, Error::Missing { .. }), "{commands:?}: {error}");
                            // Without scripts or transactions the insert has begun one.
                            client.run(filter.delete(name));
                        }
                        assert!(client.run(filter.create(name, None)));
                    }
                    assert_eq!(
                        client.run(filter.insert_many(name, ["a", "b", "a"], HOUR)),
                        [true, true, false]
                    );
                    assert_eq!(
                        client.run(filter.contains_many(name, ["a", "c"])),
                        [Answer::MayContain, Answer::Absent]
                    );
                    let rebuild = client.run(filter.rebuild(name, LEASE));
                    assert!(matches!(
                        client.fail(filter.rebuild(name, LEASE)),
                        Error::RebuildUnderWay { .. }
                    ));
                    client.run(rebuild.insert_many(["d"]));
                    client.run(filter.insert(name, "e", None));
                    client.run(rebuild.commit(None));
                    assert_eq!(
                        client.run(filter.contains_many(name, ["a", "d", "e"])),
                        [Answer::Absent, Answer::MayContain, Answer::MayContain]
                    );
                    let statistics = client.run(filter.statistics(name));
                    assert_eq!(statistics.rebuilds(), 1);
                    let local = client.run(filter.download(name, Bytes));
                    assert_eq!(local.ones(), statistics.ones());
                    client.run(filter.upload(name, &local, None));
                }
                let error = client.fail(filter.merge("a", ["b"]));
                assert_eq!(error.trouble(), Some(Trouble::CrossSlot), "{error}");
            }
        }
        // Filters that are to be merged share a slot.
        let filter = filter.with_prefix("{day}:");
        client.run(filter.create("1", None));
        client.run(filter.create("2", None));
        client.run(filter.insert("2", "a", None));
        client.run(filter.merge("1", ["2"]));
        assert_eq!(client.run(filter.contains("1", "a")), Answer::MayContain);
    });
}

#[test]
fn a_key_of_another_type_is_told_from_a_missing_one() {
    for_each_cluster_client(|client, _| {
        client.words::<()>(&["RPUSH", "bf:f", "item"]);
        let filter = fixed(Commands::default(), Missing::Reported);
        for expiry in [None, Some(HOUR)] {
            let error = client.fail(filter.insert_many("f", ["a", "b"], expiry));
            assert_eq!(error.trouble(), Some(Trouble::WrongType), "{error}");
            let error = client.fail(filter.insert_many("gone", ["a", "b"], expiry));
            assert!(matches!(error, Error::Missing { .. }), "{error}");
        }
        assert_eq!(
            client.words::<Vec<String>>(&["LRANGE", "bf:f", "0", "-1"]),
            ["item"]
        );
        assert_eq!(client.words::<u64>(&["EXISTS", "bf:gone"]), 0);
    });
}

#[test]
fn growing_filters_keep_to_one_slot_or_are_spread() {
    for_each_cluster_client(|client, cluster| {
        let schema = Schema::words(100, 0.01).unwrap();
        let spread = Growing::with_names("urls:", schema).spread();
        let masters: std::collections::BTreeSet<usize> = (0..8)
            .map(|number| cluster.master_of(&spread.key(number)))
            .collect();
        assert!(masters.len() > 1);
        let mut bits: Option<Vec<Vec<u8>>> = None;
        for (filter, scripts) in [
            (Growing::named("g", schema), true),
            (Growing::named("h", schema), false),
            (spread.clone(), true),
            (Growing::with_names("more:", schema).spread(), false),
        ] {
            let filter = filter.with_options(Options {
                commands: Commands {
                    scripts,
                    ..Commands::default()
                },
                ..Options::default()
            });
            client.run(filter.adopt());
            assert_eq!(client.run(filter.contains("a")), Answer::Missing);
            assert!(matches!(client.fail(filter.insert("a")), Error::Missing { .. }));
            assert!(client.run(filter.create()));
            assert!(!client.run(filter.create()));
            let new = client.run(filter.insert_many(elements(400)));
            assert!(new.iter().filter(|&&new| new).count() > 380);
            check_all_there(&client.run(filter.contains_many(elements(400))));
            let answers = client.run(filter.contains_many(absent(400)));
            assert!(answers.iter().filter(|&&answer| answer != Answer::Absent).count() < 40);
            let bitmaps = client.run(filter.bitmaps());
            assert!(bitmaps > 3);
            // However it is kept, it grows at the same elements.
            let now: Vec<Vec<u8>> = (0..bitmaps)
                .map(|number| client.command(redis::cmd("GET").arg(filter.key(number))))
                .collect();
            assert!(*bits.get_or_insert_with(|| now.clone()) == now);
            assert_eq!(client.run(filter.statistics()).bitmaps() as u64, bitmaps);
            client.run(filter.download(1, Bytes));
            client.run(filter.reset());
            assert_eq!(client.run(filter.bitmaps()), 1);
        }
        let filter = Growing::named("g", schema);
        client.run(filter.insert("old"));
        let rebuild = client.run(filter.rebuild(LEASE));
        client.run(rebuild.insert_many(elements(300)));
        client.run(rebuild.commit());
        check_all_there(&client.run(filter.contains_many(elements(300))));
        assert_eq!(client.run(filter.contains("old")), Answer::Absent);
        assert_eq!(
            client.fail(spread.rebuild(LEASE)).to_string(),
            "rebuilding a filter takes keys in one slot, the filter is spread over several"
        );
        // The published names lie in several slots, and scripts are told so.
        let published = Growing::new(schema).with_options(Options {
            missing: Missing::Empty,
            ..Options::default()
        });
        let error = client.fail(published.insert_many(elements(400)));
        assert_eq!(error.trouble(), Some(Trouble::CrossSlot), "{error}");
    });
}

#[test]
fn split_filters_keep_to_one_slot_or_are_spread() {
    for_each_cluster_client(|client, cluster| {
        let split = Split::new("s", 2_000, 0.01)
            .unwrap()
            .with_part_bits(1_024)
            .unwrap();
        let spread = split.clone().spread_over(5).unwrap();
        let masters_of = |filter: &Split| -> std::collections::BTreeSet<usize> {
            filter.keys().iter().map(|key| cluster.master_of(key)).collect()
        };
        assert_eq!(masters_of(&split).len(), 1);
        assert_eq!(masters_of(&spread).len(), 3);
        let mut seen = None;
        for filter in [&split, &spread] {
            for commands in all_commands() {
                client.words::<()>(&["FLUSHALL"]);
                let filter = filter.clone().with_options(Options {
                    commands,
                    ..Options::default()
                });
                client.run(filter.adopt());
                client.run(filter.open());
                assert_eq!(client.run(filter.contains("a")), Answer::Missing);
                assert!(matches!(client.fail(filter.insert("a")), Error::Missing { .. }));
                client.run(filter.delete());
                assert!(client.run(filter.create(HOUR)));
                let new = client.run(filter.insert_many(elements(500)));
                let answers = client.run(filter.contains_many([elements(500), absent(500)].concat()));
                check_all_there(&answers[..500]);
                let statistics = client.run(filter.statistics());
                let local = client.run(filter.download(Bytes));
                assert_eq!(statistics.ones(), local.ones());
                let now = (new, answers, local.words().to_vec());
                assert!(*seen.get_or_insert_with(|| now.clone()) == now, "{commands:?}");
                assert!(client.run(filter.delete()));
                assert!(!client.run(filter.delete()));
            }
        }
        client.run(split.create(None));
        client.run(split.insert("a"));
        let local = client.run(split.download(Bytes));
        client.run(split.upload(&local));
        let rebuild = client.run(split.rebuild(LEASE));
        client.run(rebuild.commit(None));
        assert_eq!(client.run(split.contains("a")), Answer::Absent);

        client.run(spread.create(None));
        for error in [
            client.fail(spread.rebuild(LEASE)),
            client.fail(spread.upload(&local)),
            client.fail(spread.merge([&spread])),
        ] {
            assert!(matches!(error, Error::Spread { .. }), "{error}");
        }
    });
    for given in [0, Split::MOST_SLOTS + 1] {
        let split = Split::new("s", 2_000, 0.01).unwrap();
        assert_eq!(split.spread_over(given), Err(SchemaError::Slots { given }));
    }
}
