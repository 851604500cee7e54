//! The fixed design on a real server: the published figures, bit for bit, then what it alone has.

use std::time::{Duration, SystemTime};

use bloom_redis::{Answer, Error, Expiry, FixedFilter, Missing, Options, Schema};
use redis::cmd;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::support::{Client, check_all_there, for_each_client, golden, names, new_fixed};

const DAY: Expiry = Expiry::After(Duration::from_secs(86_400));

fn as_published() -> Options {
    Options::default().missing(Missing::Published)
}

fn published() -> FixedFilter {
    new_fixed(Schema::fixed(3_000, 0.03)).options(as_published())
}

fn numbers(value: &Value) -> Vec<u64> {
    let array = value.as_array().unwrap();
    array.iter().map(|number| number.as_u64().unwrap()).collect()
}

/// Compares the filter's string with the golden file, and returns it.
fn check_string(client: &mut Client, filter: &FixedFilter, golden: &Value) -> Vec<u8> {
    let value: Vec<u8> = client.command(cmd("GET").arg(filter.key()));
    assert_eq!(value.len() as u64, golden["strlen"].as_u64().unwrap());
    let ones: u64 = client.command(cmd("BITCOUNT").arg(filter.key()));
    assert_eq!(ones, golden["bitcount"].as_u64().unwrap());
    value
}

#[test]
fn published_inserts_and_queries_come_out_bit_for_bit() {
    let golden = golden("fixed.json");
    for_each_client(|client| {
        let filter = published().named("topic_read:8839540:20190609");
        assert_eq!(filter.schema().bits(), golden["bitmap_length"].as_u64().unwrap());
        let probes = u64::from(filter.schema().probe_count());
        assert_eq!(probes, golden["num_hash_functions"].as_u64().unwrap());
        assert_eq!(filter.key(), golden["key"].as_str().unwrap().as_bytes());

        for insert in golden["inserts"].as_array().unwrap() {
            let element = insert["element"].as_str().unwrap();
            assert_eq!(filter.offsets(element), numbers(&insert["offsets"]));
            let new = client.run(filter.clone().expiry(DAY).insert(element));
            assert_eq!(new, numbers(&insert["setbit_replies"]).contains(&0));
        }
        for query in golden["queries"].as_array().unwrap() {
            let element = query["element"].as_str().unwrap();
            assert_eq!(filter.offsets(element), numbers(&query["offsets"]));
            let may = query["may_exist"].as_bool().unwrap();
            let expected = if may { Answer::Maybe } else { Answer::Absent };
            assert_eq!(client.run(filter.contains(element)), expected, "{element}");
        }
        let value = check_string(client, &filter, &golden);
        assert_eq!(hex::encode(value), golden["value_hex"].as_str().unwrap());
        let left: i64 = client.command(cmd("PTTL").arg(filter.key()));
        assert!((86_000_000..=86_400_000).contains(&left), "{left}");
    });
}

#[test]
fn the_published_load_gives_the_published_false_positives() {
    let golden = golden("fixed.json");
    for_each_client(|client| {
        let filter = published();
        let elements: Vec<String> = (0..3_000).map(|i| (76_930_000 + i).to_string()).collect();
        let new = client.run(filter.insert_many(&elements));
        assert_eq!(new.len(), 3_000);
        let value = check_string(client, &filter, &golden["full_load"]);
        let digest = hex::encode(Sha256::digest(value));
        assert_eq!(digest, golden["full_load"]["sha256"].as_str().unwrap());

        check_all_there(&client.run(filter.contains_many(&elements)));
        let absent: Vec<String> = (0..10_000).map(|j| (86_930_000 + j).to_string()).collect();
        let answers = client.run(filter.contains_many(&absent));
        let wrong = (answers.iter()).filter(|&&answer| answer == Answer::Maybe);
        assert_eq!(wrong.count(), 314);

        let stats = client.run(filter.stats());
        assert_eq!((stats.bits(), stats.ones()), (21_895, 10_843));
        assert_eq!((stats.memory_bytes(), stats.bitmaps()), (2_737, 1));
        assert!((stats.fill() - 0.495_227).abs() < 1e-6);
        // The power of the fill, and a little more for probes that are not independent.
        let rate = stats.expected_rate() / 0.029_787;
        assert!((0.99..1.02).contains(&rate), "{rate}");
        let items = stats.estimated_len().unwrap();
        assert!((2_950..3_050).contains(&items), "{items}");
    });
}

#[test]
fn elements_are_bytes_and_batches_may_be_empty() {
    for_each_client(|client| {
        let filter = published().expiry(DAY);
        let long = vec![b'x'; 300];
        let elements: [&[u8]; 4] = [b"", b"\xff\xfe\x00", &long, "\u{4e2d}".as_bytes()];
        let none: [&str; 0] = [];
        assert!(client.run(filter.insert_many(none)).is_empty());
        assert!(client.run(filter.contains_many(none)).is_empty());
        assert_eq!(client.words::<u64>(&["EXISTS", "bf:f"]), 0);
        for filter in [filter.clone(), filter.named(b"\xff{\x00")] {
            assert_eq!(client.run(filter.insert_many(elements)), [true; 4]);
            check_all_there(&client.run(filter.contains_many(elements)));
            assert_eq!(client.run(filter.contains("other")), Answer::Absent);
        }
    });
}

#[test]
fn an_expiry_is_kept_removed_or_set() {
    let short = Duration::from_secs(100);
    for_each_client(|client| {
        let (seconds, _): (u64, u64) = client.words(&["TIME"]);
        let until = Expiry::At(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds + 300));
        let filter = published().options(as_published());
        let is = |left: i64, seconds: i64| (seconds - 10..=seconds).contains(&left);
        for (expiry, left) in [
            (Expiry::Keep, -1),
            (Expiry::After(short), 100),
            (Expiry::Keep, 100),
            (Expiry::After(2 * short), 200),
            (until, 300),
            (Expiry::Never, -1),
        ] {
            client.run(filter.clone().expiry(expiry).insert("a"));
            assert!(is(client.words(&["TTL", "bf:f"]), left), "{expiry:?}");
        }
        let gone = filter.named("gone");
        assert!(client.run(gone.create(until)));
        assert!(is(client.words(&["TTL", "bf:gone"]), 300));
        let error = client.fail(filter.expiry(Expiry::After(Duration::ZERO)).insert("a"));
        assert!(matches!(error, Error::InvalidArgument(_)));
    });
}

#[test]
fn a_client_with_other_parameters_gets_an_error() {
    // The same length of the string: other probes; a rate that went through fewer digits; the other way round.
    let [a, b] = [Schema::fixed(1_000, 0.01), Schema::fixed(500, 0.0001)].map(new_fixed);
    let [c, d] = (1_000_000..)
        .map(|count| [0.01, f64::from(0.01_f32)].map(|rate| new_fixed(Schema::fixed(count, rate))))
        .find(|[c, d]| c.schema().bits() != d.schema().bits() && c.schema().bits() % 8 == 1)
        .unwrap();
    for_each_client(|client| {
        for (ours, theirs) in [(&a, &b), (&b, &a), (&c, &d)] {
            let bytes = |filter: &FixedFilter| filter.schema().bits().div_ceil(8);
            assert!(bytes(ours) == bytes(theirs));
            client.words::<()>(&["FLUSHALL"]);
            client.run(ours.create(Expiry::Never));
            let elements = names("in", 100);
            client.run(ours.insert_many(&elements));
            for missing in [Missing::Reported, Missing::Empty, Missing::Published] {
                let theirs = theirs.clone().options(Options::default().missing(missing));
                for error in [
                    client.fail(theirs.create(Expiry::Never)),
                    client.fail(theirs.contains("in 1")),
                    client.fail(theirs.contains_many(&elements)),
                    client.fail(theirs.insert("in 1")),
                    client.fail(theirs.stats()),
                    client.fail(theirs.write_marks()),
                ] {
                    assert!(matches!(error, Error::Mismatch(_)), "{missing:?}: {error}");
                    assert_eq!(error.key(), Some(&b"bf:f"[..]));
                }
            }
            check_all_there(&client.run(ours.contains_many(&elements)));
        }
    });
}

#[test]
fn a_filter_that_the_first_insert_creates_has_its_mark() {
    for_each_client(|client| {
        let empty = Options::default().missing(Missing::Empty);
        let filter = new_fixed(Schema::fixed(1_000, 0.01));
        client.run(filter.clone().options(empty).insert("a"));
        assert_eq!(client.run(filter.contains("a")), Answer::Maybe);
        assert!(!client.run(filter.create(Expiry::Never)));
    });
}
