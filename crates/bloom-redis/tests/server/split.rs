//! The split design on a real server.

use bloom_redis::{Answer, ErrorKind, Expiry, Missing, Options, SplitFilter};
use guava_bloom::{BloomFilter, Bytes, Parameters};
use redis::cmd;

use crate::support::{for_each_client, for_each_way, names, new_split};

/// Returns a filter of 20 parts.
fn filter() -> SplitFilter {
    new_split(2_000, 0.01, 1_024)
}

#[test]
fn parts_together_are_the_bits_of_guava() {
    let (elements, absent) = (names("in", 2_000), names("out", 2_000));
    let mut local = BloomFilter::new(Bytes, &Parameters::try_from(filter().schema()).unwrap()).unwrap();
    for element in &elements {
        local.insert(element.as_bytes());
    }
    for_each_way(|client, commands| {
        let filter = filter().with_options(Options::default().commands(commands));
        assert_eq!(filter.keys().len() as u64, filter.schema().bits().div_ceil(1_024));
        client.run(filter.create(Expiry::Keep));
        client.run(filter.insert_many(&elements));
        let answers = client.run(filter.might_contain_many(&absent));
        let expected = absent
            .iter()
            .map(|element| local.might_contain(element.as_bytes()));
        assert!(answers.into_iter().map(Answer::might_contain).eq(expected));

        let statistics = client.run(filter.statistics());
        assert_eq!(
            (statistics.bits(), statistics.ones()),
            (local.bits(), local.ones())
        );
        assert_eq!(client.run(filter.download(Bytes)).words(), local.words());
        let bytes: u64 = client.command(cmd("STRLEN").arg(filter.keys().last()));
        assert_eq!(bytes, (filter.schema().bits() % 1_024) / 8 + 1);
    });
}

#[test]
fn a_part_that_is_lost_makes_answers_missing_where_it_decides() {
    let (elements, absent) = (names("in", 2_000), names("out", 2_000));
    for_each_client(|client| {
        let filter = filter();
        client.run(filter.create(Expiry::Keep));
        client.run(filter.insert_many(&elements));
        client.command::<()>(cmd("DEL").arg(&filter.keys()[3]));
        let present = client.run(filter.might_contain_many(&elements));
        assert!(present.contains(&Answer::Missing));
        assert!(!present.contains(&Answer::Absent));
        let answers = client.run(filter.might_contain_many(&absent));
        assert!(answers.contains(&Answer::Absent));
        let error = client.fail(filter.insert_many(&elements));
        assert_eq!(error.kind(), ErrorKind::Missing);
        assert_eq!(client.command::<u64>(cmd("EXISTS").arg(&filter.keys()[3])), 0);

        let filter = filter.with_options(Options::default().missing(Missing::Empty));
        let present = client.run(filter.might_contain_many(&elements));
        assert!(present.contains(&Answer::Absent));
    });
}
