//! The split design on a real server.

use bloom_redis::{Answer, ErrorKind, Expiry, Missing, Options};
use guava_bloom::{BloomFilter, Bytes, Parameters, ProbeCountRule};
use redis::cmd;

use crate::support::{all_commands, check_all_there, for_each_client, new_split};

const INSERTIONS: u64 = 2_000;
const FPP: f64 = 0.01;

fn elements() -> Vec<Vec<u8>> {
    (0..INSERTIONS).map(|i| i.to_string().into_bytes()).collect()
}

#[test]
fn parts_together_are_the_bits_of_guava() {
    let rule = ProbeCountRule::FromBitsPerInsertion;
    let parameters = Parameters::with_rule(INSERTIONS, FPP, rule).unwrap();
    let mut local = BloomFilter::new(Bytes, &parameters).unwrap();
    for element in elements() {
        local.insert(element.as_slice());
    }
    for element in ["twice", "once"] {
        local.insert(element.as_bytes());
    }
    for_each_client(|client| {
        for commands in all_commands() {
            client.words::<()>(&["FLUSHALL"]);
            let filter =
                new_split(INSERTIONS, FPP, 1_024).with_options(Options::default().commands(commands));
            assert_eq!(filter.schema().bits(), local.bits());
            assert_eq!(filter.keys().len() as u64, filter.schema().bits().div_ceil(1_024));
            assert!(client.run(filter.create(Expiry::Keep)));
            assert!(!client.run(filter.create(Expiry::Keep)));
            let new = client.run(filter.insert_many(elements()));
            assert!(new.iter().filter(|&&new| new).count() > 1_900);
            let again = client.run(filter.insert_many(["twice", "twice", "once", "twice"]));
            assert!(!again[1] && !again[3]);
            let answers = client.run(filter.might_contain_many(elements()));
            check_all_there(&answers);
            let absent = client.run(filter.might_contain_many((0..2_000).map(|i| format!("x{i}"))));
            let expected = (0..2_000).map(|i| local.might_contain(format!("x{i}").as_bytes()));
            assert!(absent.into_iter().map(Answer::might_contain).eq(expected));

            let statistics = client.run(filter.statistics());
            assert_eq!(
                (statistics.bits(), statistics.ones()),
                (local.bits(), local.ones())
            );
            let back = client.run(filter.download(Bytes));
            assert_eq!(back.words(), local.words());
            let last = filter.keys().last().unwrap();
            let bytes: u64 = client.command(cmd("STRLEN").arg(last));
            assert_eq!(bytes, (filter.schema().bits() % 1_024) / 8 + 1);
        }
    });
}

#[test]
fn a_part_that_is_lost_makes_answers_missing_where_it_decides() {
    for_each_client(|client| {
        let filter = new_split(INSERTIONS, FPP, 1_024);
        assert_eq!(client.run(filter.might_contain("a")), Answer::Missing);
        assert!(client.fail(filter.insert("a")).kind() == ErrorKind::Missing);
        assert_eq!(client.words::<u64>(&["DBSIZE"]), 0);
        client.run(filter.create(Expiry::Keep));
        client.run(filter.insert_many(elements()));
        client.command::<()>(cmd("DEL").arg(&filter.keys()[3]));
        let present = client.run(filter.might_contain_many(elements()));
        assert!(present.contains(&Answer::Missing));
        assert!(!present.contains(&Answer::Absent));
        let absent = client.run(filter.might_contain_many((0..2_000).map(|i| format!("x{i}"))));
        assert!(absent.contains(&Answer::Absent));
        assert!(client.fail(filter.insert_many(elements())).kind() == ErrorKind::Missing);
        assert_eq!(client.command::<u64>(cmd("EXISTS").arg(&filter.keys()[3])), 0);

        let filter = filter.with_options(Options::default().missing(Missing::Empty));
        let present = client.run(filter.might_contain_many(elements()));
        assert!(present.contains(&Answer::Absent));
    });
}
