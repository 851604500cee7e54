//! All designs on a real cluster, through both cluster clients.

use bloom_redis::{Error, Expiry, FixedFilter, GrowingFilter, Missing, Options, RedisBloom, Schema};
use membership_filters::{RedisBloomFilter, RedisBloomParameters};

use crate::support::{for_each_cluster_client, new_fixed};

pub(crate) fn elements(count: u32) -> Vec<String> {
    (0..count).map(|i| i.to_string()).collect()
}

pub(crate) fn fixed(missing: Missing) -> FixedFilter {
    new_fixed(Schema::whole_words(1_000, 0.01)).options(Options::default().missing(missing))
}

#[test]
fn growing_filters_keep_to_one_slot() {
    for_each_cluster_client(|client, _| {
        let schema = Schema::whole_words(30, 0.01).unwrap();
        client.words::<()>(&["FLUSHALL"]);
        let filter = GrowingFilter::new("g", schema).unwrap();
        client.run(filter.create());
        client.run(filter.insert_many(elements(120)));
        assert!(client.run(filter.stats()).bitmaps() > 3);
        client.run(filter.clear());
        assert_eq!(client.run(filter.stats()).bitmaps(), 1);
        // The published names lie in several slots, which scripts report.
        let published = GrowingFilter::new("g", schema)
            .unwrap()
            .prefix("")
            .options(Options::default().missing(Missing::Empty));
        let error = client.fail(published.insert_many(elements(400)));
        assert!(matches!(error, Error::Server(_)), "{error}");
    });
}

/// Keys beside such a filter are in other slots: it is refused before anything is stored, not when a rebuild ends.
#[test]
fn braces_that_are_no_hash_tag_are_refused_at_once() {
    for_each_cluster_client(|client, _| {
        client.words::<()>(&["FLUSHALL"]);
        for key in ["a}b", "foo{}bar", "{"] {
            let filter = fixed(Missing::Reported).prefix("").named(key);
            let local = RedisBloomFilter::new(&RedisBloomParameters::new(100, 0.01)).unwrap();
            for error in [
                client.fail(filter.create(Expiry::Keep)),
                client.fail(RedisBloom::new(key).load(&local)),
            ] {
                assert!(matches!(error, Error::InvalidArgument(_)), "{error}");
                assert!(error.to_string().contains("hash tag"), "{error}");
            }
            assert!(client.words::<Option<String>>(&["GET", key]).is_none());
        }
    });
}
