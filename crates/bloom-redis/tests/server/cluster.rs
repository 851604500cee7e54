//! All designs on a real cluster, through both cluster clients.

use std::collections::BTreeSet;
use std::time::Duration;

use bloom_redis::{
    Answer, Commands, ErrorKind, Expiry, FixedFilter, GrowingFilter, Missing, Options, Schema, SplitFilter,
};
use guava_bloom::{BloomFilter, Bytes, Parameters};

use crate::support::{LEASE, for_each_cluster_client, for_each_cluster_way, new_fixed, new_split};

const HOUR: Expiry = Expiry::After(Duration::from_secs(3_600));

pub(crate) fn elements(count: u32) -> Vec<String> {
    (0..count).map(|i| i.to_string()).collect()
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
            let error = client.fail(filter.clone().with_expiry(HOUR).insert("a"));
            assert_eq!(error.kind(), ErrorKind::Missing, "{commands:?}: {error}");
            // Without scripts or transactions, the insert has created the filter.
            client.run(filter.delete());
            assert!(client.run(filter.create(Expiry::Keep)));
            client.run(filter.insert_many(["a", "b", "a"]));
            let local = client.run(filter.download(Bytes));
            assert_eq!(local.ones(), client.run(filter.statistics()).ones());
            client.run(filter.upload(&local, Expiry::Never));
            let answers = client.run(filter.might_contain_many(["a", "c"]));
            assert_eq!(answers, [MightContain, Absent]);
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
        let items: Vec<String> = client.words(&["LRANGE", "bf:f", "0", "-1"]);
        assert_eq!(
            (items, client.words(&["TTL", "bf:f"])),
            (vec!["item".to_owned()], -1)
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
        let one_slot = GrowingFilter::new("g", schema).unwrap();
        for filter in [&one_slot, &spread] {
            for scripts in [true, false] {
                client.words::<()>(&["FLUSHALL"]);
                let options = Options::default().commands(Commands::default().scripts(scripts));
                let filter = filter.clone().with_options(options);
                client.run(filter.create());
                client.run(filter.insert_many(elements(120)));
                let bitmaps = client.run(filter.bitmaps());
                assert!(bitmaps > 3);
                assert_eq!(client.run(filter.statistics()).bitmaps(), bitmaps);
                client.run(filter.download(1, Bytes));
                client.run(filter.clear());
                assert_eq!(client.run(filter.bitmaps()), 1);
            }
        }
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
        let mut local = BloomFilter::new(Bytes, &Parameters::try_from(split.schema()).unwrap()).unwrap();
        client.run(split.upload(&local, Expiry::Never));
        assert!(client.run(split.delete()));
        let elements = elements(200);
        elements
            .iter()
            .for_each(|element| _ = local.insert(element.as_bytes()));
        for filter in [&split, &spread] {
            assert!(client.run(filter.create(HOUR)));
            client.run(filter.insert_many(&elements));
            assert_eq!(client.run(filter.download(Bytes)).words(), local.words());
            assert_eq!(client.run(filter.statistics()).ones(), local.ones());
            assert!(client.run(filter.delete()));
        }

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
