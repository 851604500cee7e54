//! Rebuilds, uploads and downloads on a real server.

use std::time::Duration;

use bloom_redis::{Answer, Error, Expiry, FixedFilter, Missing, Options, Rebuild, Schema};
use membership_filters::guava::{BloomFilter, Parameters, Strategy, StreamHeader};
use membership_filters::{Bytes, Hashing, Long, Utf8};

use crate::support::{Client, LEASE, check_all_there, for_each_cluster_client, names, new_fixed};

const SECOND: Duration = Duration::from_secs(1);

fn filter() -> FixedFilter {
    new_fixed(Schema::whole_words(1_000, 0.01))
}

/// Returns a filter that hardly ever errs.
fn rare() -> FixedFilter {
    new_fixed(Schema::whole_words(1_000, 1e-9))
}

/// Returns a filter in memory with the same parameters.
fn local(filter: &FixedFilter) -> BloomFilter<Bytes> {
    BloomFilter::new(Bytes, &Parameters::try_from(filter.schema()).unwrap()).unwrap()
}

#[test]
fn a_rebuild_keeps_the_time_to_live_by_default() {
    let client = &mut Client::of_new_server();
    let [short, long] = [100, 300].map(|seconds| seconds * SECOND);
    for (before, given, expected) in [
        (Expiry::After(short), Expiry::Keep, 90..=100),
        (Expiry::Never, Expiry::Keep, -1..=-1),
        (Expiry::After(short), Expiry::Never, -1..=-1),
        (Expiry::After(short), Expiry::After(long), 290..=300),
    ] {
        // An upload ends with a commit too.
        for upload in [false, true] {
            client.words::<()>(&["FLUSHALL"]);
            let filter = filter();
            client.run(filter.create(before));
            if upload {
                client.run(filter.replace_with(&local(&filter), given));
            } else {
                let rebuild = client.run(filter.rebuild(LEASE));
                client.run(rebuild.commit(given));
            }
            let left: i64 = client.words(&["TTL", "bf:f"]);
            let case = format!("{before:?} {given:?} {upload}");
            assert!(expected.contains(&left), "{case}: {left}");
        }
    }
}

fn count(client: &mut Client) -> u64 {
    client.words(&["DBSIZE"])
}

#[test]
fn a_rebuild_takes_the_place_of_the_filter_at_once() {
    for_each_cluster_client(|client, _| {
        let [old, both, new, meanwhile] = ["old", "both", "new", "meanwhile"].map(|of| names(of, 30));
        client.words::<()>(&["FLUSHALL"]);
        let filter = rare();
        client.run(filter.create(Expiry::Keep));
        client.run(filter.insert_many([&old[..], &both].concat()));
        let check = |client: &mut Client, expected: [Answer; 4]| {
            for (elements, expected) in [&old, &both, &new, &meanwhile].into_iter().zip(expected) {
                let answers = client.run(filter.contains_many(elements));
                assert!(answers.iter().all(|&answer| answer == expected));
            }
        };
        let rebuild = client.run(filter.rebuild(LEASE));
        let twice = [&both[..], &new, &new].concat();
        let new = client.run(rebuild.insert_many(&twice));
        assert_eq!(new.iter().filter(|&&new| new).count(), 60);
        for key in client.words::<Vec<String>>(&["KEYS", "bloom-redis:next:*"]) {
            let left: i64 = client.words(&["TTL", &key]);
            assert!((50..=60).contains(&left), "{key}: {left}");
        }
        let error = client.fail(filter.rebuild(LEASE));
        assert!(matches!(error, Error::RebuildUnderWay { .. }));
        assert_eq!(error.to_string(), "bf:f: another rebuild is under way");
        // Readers see the old generation; elements inserted now go into both.
        assert!(!client.run(filter.insert_many(&meanwhile)).contains(&false));
        use Answer::{Absent, Maybe};
        check(client, [Maybe, Maybe, Absent, Maybe]);
        client.run(rebuild.commit(Expiry::Keep));
        check(client, [Absent, Maybe, Maybe, Maybe]);
        // No key is left over, and none expires.
        let keys: Vec<String> = client.words(&["KEYS", "*"]);
        assert!(
            !keys.iter().any(|key| key.starts_with("bloom-redis:next:")),
            "{keys:?}"
        );
        assert!(keys.iter().all(|key| client.words::<i64>(&["TTL", key]) == -1));

        let rebuild = client.run(filter.rebuild(LEASE));
        client.run(rebuild.commit(Expiry::Keep));
        check(client, [Absent; 4]);
    });
}

/// Checks that a rebuild that has ended takes neither elements nor the filter's place.
fn refused(client: &mut Client, rebuild: &Rebuild, elements: &[String]) {
    let errors = [
        client.fail(rebuild.insert_many(elements)),
        client.fail(rebuild.clone().commit(Expiry::Keep)),
    ];
    assert!(
        errors.iter().all(|error| matches!(error, Error::Missing { .. })),
        "{errors:?}"
    );
}

#[test]
fn a_rebuild_that_is_given_up_or_lost_its_lease_changes_nothing() {
    let client = &mut Client::of_new_server();
    let (filter, old, new) = (rare(), names("old", 30), names("new", 70));
    client.run(filter.create(Expiry::Keep));
    client.run(filter.insert_many(&old));
    assert!(!client.run(filter.abandon_rebuild()));
    let keys = count(client);
    // Abandoned by the client that began it, and by another one.
    for by_anybody in [false, true] {
        let rebuild = client.run(filter.rebuild(LEASE));
        client.run(rebuild.insert_many(&new));
        if by_anybody {
            assert!(client.run(filter.abandon_rebuild()));
        } else {
            client.run(rebuild.clone().abandon());
        }
        assert_eq!(count(client), keys);
        refused(client, &rebuild, &new);
    }
    let rebuild = client.run(filter.rebuild(LEASE));
    client.run(rebuild.insert_many(&new));
    for pattern in ["bloom-redis:rebuilding:*", "bloom-redis:next:*"] {
        for key in client.words::<Vec<String>>(&["KEYS", pattern]) {
            client.words::<()>(&["DEL", &key]);
        }
    }
    refused(client, &rebuild, &new);
    // A second rebuild does not inherit the bits of the first.
    let second = client.run(filter.rebuild(LEASE));
    let gone = client.fail(rebuild.commit(Expiry::Keep));
    assert!(matches!(gone, Error::Missing { .. }));
    check_all_there(&client.run(filter.contains_many(&old)));
    client.run(second.commit(Expiry::Keep));
    let answers = client.run(filter.contains_many([old, new].concat()));
    assert!(answers.iter().all(|&answer| answer == Answer::Absent));
}

#[test]
fn filters_go_up_and_come_down_with_every_bit_in_its_place() {
    let client = &mut Client::of_new_server();
    // 2.3 MiB: three chunks.
    let filter = new_fixed(Schema::whole_words(2_000_000, 0.01));
    let mut local = BloomFilter::new(Bytes, &Parameters::new(2_000_000, 0.01).unwrap()).unwrap();
    let mut insert = |elements: &[String]| {
        elements
            .iter()
            .for_each(|element| _ = local.insert(element.as_bytes()));
        local.clone()
    };
    let before = insert(&names("in", 2_000));
    client.run(filter.replace_with(&before, Expiry::Never));
    let queried = [names("in", 2_000), names("out", 2_000)].concat();
    let answers = client.run(filter.contains_many(&queried));
    let answers = answers.into_iter().map(Answer::contains);
    let expected = queried.iter().map(|element| before.contains(element.as_bytes()));
    assert!(answers.eq(expected));
    let more = names("more", 10);
    client.run(filter.insert_many(&more));
    let (after, stats) = (insert(&more), client.run(filter.stats()));
    assert_eq!((stats.bits(), stats.ones()), (after.bits(), after.ones()));
    assert_eq!(client.run(filter.download(Bytes)).words(), after.words());
    client.run(filter.delete());
    assert!(matches!(
        client.fail(filter.download(Bytes)),
        Error::Missing { .. }
    ));
    let empty = filter.options(Options::default().missing(Missing::Empty));
    assert_eq!(client.run(empty.download(Bytes)).ones(), 0);
}

/// Returns the key of the rebuild under way.
fn under_way(client: &mut Client) -> String {
    let number: u64 = client.words(&["GET", "bloom-redis:rebuilding:{bf:f}"]);
    format!("bloom-redis:next:{number}:{{bf:f}}")
}

#[test]
fn uploads_undo_nothing_that_others_insert_meanwhile() {
    for_each_cluster_client(|client, _| {
        let filter = filter();
        let mut local = local(&filter);
        local.insert(b"local".as_slice());
        client.run(filter.create(Expiry::Keep));
        client.run(filter.insert("old"));
        let rebuild = client.run(filter.rebuild(LEASE));
        client.run(filter.insert("meanwhile"));
        client.run(rebuild.upload(&local));
        let next = under_way(client);
        let left: i64 = client.words(&["TTL", &next]);
        assert!((50..=60).contains(&left), "{left}");
        client.run(rebuild.commit(Expiry::Never));
        use Answer::{Absent, Maybe};
        assert_eq!(
            client.run(filter.contains_many(["old", "local", "meanwhile"])),
            [Absent, Maybe, Maybe]
        );
        local.insert(b"meanwhile".as_slice());
        assert_eq!(client.run(filter.download(Bytes)).words(), local.words());
        assert_eq!(client.run(filter.stats()).ones(), local.ones());
        assert_eq!(client.words::<u64>(&["DBSIZE"]), 1);
        // The generation is gone, and does not come back.
        let rebuild = client.run(filter.rebuild(LEASE));
        let next = under_way(client);
        client.words::<()>(&["DEL", &next]);
        assert!(matches!(
            client.fail(rebuild.upload(&local)),
            Error::Missing { .. }
        ));
    });
}

#[test]
fn only_the_same_shape_and_hash_are_exchanged() {
    fn refused<F: Hashing + Clone + Send + Sync + 'static>(
        client: &mut Client,
        filter: &FixedFilter,
        local: &BloomFilter<F>,
        text: &str,
    ) {
        let rebuild = client.run(filter.rebuild(LEASE));
        for error in [
            client.fail(filter.replace_with(local, Expiry::Never)),
            client.fail(rebuild.upload(local)),
        ] {
            assert!(matches!(error, Error::Mismatch(_)));
            assert!(error.to_string().starts_with(text), "{error}");
        }
        client.run(rebuild.abandon());
    }
    let client = &mut Client::of_new_server();
    let (filter, published) = (filter(), new_fixed(Schema::fixed(3_000, 0.03)));
    let parameters = Parameters::try_from(filter.schema()).unwrap();
    let words = vec![0; 150];
    let header = StreamHeader::new(Strategy::Murmur128Mitz32, 7, &words);
    let older = BloomFilter::from_parts(Bytes, header, words).unwrap();
    let guava = BloomFilter::new(Bytes, &Parameters::new(3_000, 0.03).unwrap()).unwrap();
    let long = BloomFilter::new(Long, &parameters).unwrap();
    let words = "the number of bits must be a multiple of 64, got 21895";
    refused(client, &published, &guava, words);
    assert_eq!(client.fail(published.download(Bytes)).to_string(), words);
    let text = "the numbers of bits of both filters must be equal, got 9600 and 21952";
    refused(client, &filter, &guava, text);
    refused(
        client,
        &filter,
        &older,
        "the strategies of both filters must be equal, got ",
    );
    refused(
        client,
        &filter,
        &long,
        "the funnel's hash must be MurmurHash3 of bytes or UTF-8",
    );
    assert!(matches!(client.fail(filter.download(Long)), Error::Mismatch(_)));
    assert_eq!(count(client), 0);
    // Text is hashed as its bytes.
    let mut names = BloomFilter::new(Utf8, &parameters).unwrap();
    names.insert("ann");
    client.run(filter.replace_with(&names, Expiry::Never));
    assert_eq!(client.run(filter.contains("ann")), Answer::Maybe);
    assert!(client.run(filter.download(Utf8)).contains("ann"));
}
