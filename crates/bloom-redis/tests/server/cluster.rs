//! All designs on a real cluster, through both cluster clients.

use std::collections::BTreeSet;
use std::time::Duration;

use bloom_redis::{
    Answer, Commands, ErrorKind, Expiry, FixedFilter, GrowingFilter, Missing, Options, Schema, SplitFilter,
};
use guava_bloom::Bytes;

use crate::support::{
    LEASE, check_all_there, for_each_cluster_client, for_each_cluster_way, new_fixed, new_split,
};

const HOUR: Expiry = Expiry::After(Duration::from_secs(3_600));

pub(crate) fn elements(count: u32) -> Vec<String> {
    (0..count).map(|i| i.to_string()).collect()
}

fn absent(count: u32) -> Vec<String> {
    (0..count).map(|i| format!("absent {i}")).collect()
}

pub(crate) fn fixed(commands: Commands, missing: Missing) -> FixedFilter {
    new_fixed(Schema::whole_words(1_000, 0.01))
        .with_options(Options::default().commands(commands).missing(missing))
}

#[test]
fn fixed_filters_are_spread_by_their_names() {
    use Answer::{Absent, MightContain};
    for_each_cluster_way(|client, cluster, commands| {
        let names = ["a", "b", "c", "d"];
        let named = |name: &str| fixed(commands, Missing::Reported).named(name);
        let masters: BTreeSet<usize> = (names.iter())
            .map(|name| cluster.master_of(named(name).key()))
            .collect();
        assert!(masters.len() > 1);
        for filter in names.map(named) {
            assert_eq!(client.run(filter.might_contain("a")), Answer::Missing);
            for expiry in [Expiry::Keep, HOUR] {
                let error = client.fail(filter.clone().with_expiry(expiry).insert("a"));
                assert_eq!(error.kind(), ErrorKind::Missing, "{commands:?}: {error}");
                // Without scripts or transactions, the insert has created the filter.
                client.run(filter.delete());
            }
            assert!(client.run(filter.create(Expiry::Keep)));
            let empty = Options::default().commands(commands).missing(Missing::Empty);
            for filter in [filter.clone(), filter.clone().with_options(empty)] {
                client.run(filter.with_expiry(HOUR).insert_many(["a", "b", "a"]));
            }
            let answers = client.run(filter.might_contain_many(["a", "c"]));
            assert_eq!(answers, [MightContain, Absent]);
            let rebuild = client.run(filter.rebuild(LEASE));
            let error = client.fail(filter.rebuild(LEASE));
            assert_eq!(error.kind(), ErrorKind::RebuildUnderWay);
            client.run(rebuild.insert_many(["d"]));
            client.run(filter.insert("e"));
            client.run(rebuild.commit(Expiry::Never));
            let answers = client.run(filter.might_contain_many(["a", "d", "e"]));
            assert_eq!(answers, [Absent, MightContain, MightContain]);
            let statistics = client.run(filter.statistics());
            assert_eq!(statistics.rebuilds(), 1);
            let local = client.run(filter.download(Bytes));
            assert_eq!(local.ones(), statistics.ones());
            client.run(filter.upload(&local, Expiry::Never));
        }
        if commands == commands.scripts(true) {
            let error = client.fail(named("a").merge([&named("b")]));
            assert_eq!(error.kind(), ErrorKind::CrossSlot, "{error}");
            // Filters that are to be merged share a slot.
            let [one, two] = ["1", "2"].map(|name| named(name).with_prefix("{day}:"));
            client.run(one.create(Expiry::Keep));
            client.run(two.create(Expiry::Keep));
            client.run(two.insert("a"));
            client.run(one.merge([&two]));
            assert_eq!(client.run(one.might_contain("a")), MightContain);
        }
    });
}

#[test]
fn a_key_of_another_type_is_told_from_a_missing_one() {
    for_each_cluster_client(|client, _| {
        client.words::<()>(&["RPUSH", "bf:f", "item"]);
        let filter = fixed(Commands::default(), Missing::Reported);
        for expiry in [Expiry::Keep, HOUR] {
            let error = client.fail(filter.clone().with_expiry(expiry).insert_many(["a", "b"]));
            assert_eq!(error.kind(), ErrorKind::WrongType, "{error}");
            let error = client.fail(filter.named("gone").with_expiry(expiry).insert_many(["a", "b"]));
            assert!(error.kind() == ErrorKind::Missing, "{error}");
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
        let schema = Schema::whole_words(30, 0.01).unwrap();
        let spread = GrowingFilter::new("", schema)
            .unwrap()
            .with_prefix("urls:")
            .spread();
        let masters: BTreeSet<usize> = (0..8)
            .map(|number| cluster.master_of(&spread.key(number)))
            .collect();
        assert!(masters.len() > 1);
        let mut bits: Option<Vec<Vec<u8>>> = None;
        for (filter, scripts) in [
            (GrowingFilter::new("g", schema).unwrap(), true),
            (GrowingFilter::new("h", schema).unwrap(), false),
            (spread.clone(), true),
            (
                GrowingFilter::new("", schema)
                    .unwrap()
                    .with_prefix("more:")
                    .spread(),
                false,
            ),
        ] {
            let filter =
                filter.with_options(Options::default().commands(Commands::default().scripts(scripts)));
            assert_eq!(client.run(filter.might_contain("a")), Answer::Missing);
            assert!(client.fail(filter.insert("a")).kind() == ErrorKind::Missing);
            assert!(client.run(filter.create()));
            assert!(!client.run(filter.create()));
            let new = client.run(filter.insert_many(elements(120)));
            assert!(new.iter().filter(|&&new| new).count() > 110);
            check_all_there(&client.run(filter.might_contain_many(elements(120))));
            let answers = client.run(filter.might_contain_many(absent(100)));
            assert!(answers.iter().filter(|&&answer| answer != Answer::Absent).count() < 20);
            let bitmaps = client.run(filter.bitmaps());
            assert!(bitmaps > 3);
            // The filter grows at the same elements, however it is stored.
            let now: Vec<Vec<u8>> = (0..bitmaps)
                .map(|number| client.command(redis::cmd("GET").arg(filter.key(number))))
                .collect();
            assert!(*bits.get_or_insert_with(|| now.clone()) == now);
            assert_eq!(client.run(filter.statistics()).bitmaps(), bitmaps);
            client.run(filter.download(1, Bytes));
            client.run(filter.clear());
            assert_eq!(client.run(filter.bitmaps()), 1);
        }
        let filter = GrowingFilter::new("g", schema).unwrap();
        client.run(filter.insert("old"));
        let rebuild = client.run(filter.rebuild(LEASE));
        client.run(rebuild.insert_many(elements(120)));
        client.run(rebuild.commit());
        check_all_there(&client.run(filter.might_contain_many(elements(120))));
        assert_eq!(client.run(filter.might_contain("old")), Answer::Absent);
        assert_eq!(
            client.fail(spread.rebuild(LEASE)).to_string(),
            "the keys for rebuilding a filter must be in one slot, got several"
        );
        // The published names lie in several slots, which scripts report.
        let published = GrowingFilter::new("", schema)
            .unwrap()
            .with_prefix("")
            .with_options(Options::default().missing(Missing::Empty));
        let error = client.fail(published.insert_many(elements(400)));
        assert_eq!(error.kind(), ErrorKind::CrossSlot, "{error}");
    });
}

#[test]
fn split_filters_keep_to_one_slot_or_are_spread() {
    for_each_cluster_client(|client, cluster| {
        let split = new_split(2_000, 0.01, 1_024);
        let spread = split.clone().spread_over(5).unwrap();
        let masters_of = |filter: &SplitFilter| -> BTreeSet<usize> {
            filter.keys().iter().map(|key| cluster.master_of(key)).collect()
        };
        assert_eq!(masters_of(&split).len(), 1);
        assert_eq!(masters_of(&spread).len(), 3);
        let mut seen = None;
        for filter in [&split, &spread] {
            for commands in [
                Commands::default(),
                Commands::default().scripts(false),
                Commands::PLAIN,
            ] {
                client.words::<()>(&["FLUSHALL"]);
                let filter = filter.clone().with_options(Options::default().commands(commands));
                assert_eq!(client.run(filter.might_contain("a")), Answer::Missing);
                assert!(client.fail(filter.insert("a")).kind() == ErrorKind::Missing);
                client.run(filter.delete());
                assert!(client.run(filter.create(HOUR)));
                let new = client.run(filter.insert_many(elements(200)));
                let answers = client.run(filter.might_contain_many([elements(200), absent(200)].concat()));
                check_all_there(&answers[..200]);
                let statistics = client.run(filter.statistics());
                let local = client.run(filter.download(Bytes));
                assert_eq!(statistics.ones(), local.ones());
                let now = (new, answers, local.words().to_vec());
                assert!(*seen.get_or_insert_with(|| now.clone()) == now, "{commands:?}");
                assert!(client.run(filter.delete()));
            }
        }
        client.run(split.create(Expiry::Keep));
        client.run(split.insert("a"));
        let local = client.run(split.download(Bytes));
        client.run(split.upload(&local, Expiry::Never));
        let rebuild = client.run(split.rebuild(LEASE));
        client.run(rebuild.commit(Expiry::Never));
        assert_eq!(client.run(split.might_contain("a")), Answer::Absent);

        client.run(spread.create(Expiry::Keep));
        for error in [
            client.fail(spread.rebuild(LEASE)),
            client.fail(spread.upload(&local, Expiry::Never)),
            client.fail(spread.merge([&spread])),
        ] {
            assert!(error.kind() == ErrorKind::Spread, "{error}");
        }
    });
    for given in [0, SplitFilter::MAX_SLOTS + 1] {
        let split = SplitFilter::new("s", Schema::whole_words(2_000, 0.01).unwrap()).unwrap();
        let error = split.spread_over(given).unwrap_err().to_string();
        assert_eq!(
            error,
            format!("the number of slots must be between 1 and 1024, got {given}")
        );
    }
}
