//! The fixed design on a real server: the published figures, bit for bit, then what it alone has.

use std::time::{Duration, SystemTime};

use bloom_redis::{Answer, Error, Expiry, FixedFilter, Missing, Options, Schema};
use redis::cmd;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::support::{Client, check_all_there, golden, new_fixed};

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
    let client = &mut Client::of_new_server();
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
}

#[test]
fn the_published_load_gives_the_published_false_positives() {
    let golden = golden("fixed.json");
    let client = &mut Client::of_new_server();
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
}

#[test]
fn an_expiry_is_kept_removed_or_set() {
    let short = Duration::from_secs(100);
    let client = &mut Client::of_new_server();
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
}

#[test]
fn a_filter_that_the_first_insert_creates_has_its_mark() {
    let client = &mut Client::of_new_server();
    let empty = Options::default().missing(Missing::Empty);
    let filter = new_fixed(Schema::fixed(1_000, 0.01));
    client.run(filter.clone().options(empty).insert("a"));
    assert_eq!(client.run(filter.contains("a")), Answer::Maybe);
    assert!(!client.run(filter.create(Expiry::Never)));
}
