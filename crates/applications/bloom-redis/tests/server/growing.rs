//! The growing design on a real server.

use bloom_redis::{Answer, GrowingFilter, Schema};
use md5::{Digest, Md5};
use redis::cmd;
use serde_json::Value;
use sha2::Sha256;

use crate::support::{Client, check_all_there, golden, names, new_growing};

/// Returns an element of the published test: the MD5 of a number's 4 bytes, in hexadecimal.
fn element(number: i32) -> String {
    hex::encode(Md5::digest(number.to_le_bytes()))
}

fn published() -> GrowingFilter {
    GrowingFilter::new("g", Schema::whole_words(10_000, 0.0005).unwrap())
        .unwrap()
        .prefix("")
}

/// Returns the elements of a run of the golden file.
fn elements(run: &Value) -> impl Iterator<Item = String> {
    (0..i32::try_from(run["inserted"].as_i64().unwrap()).unwrap()).map(element)
}

/// Compares the server and the results of the inserts with a run of the golden file.
fn check_run(client: &mut Client, filter: &GrowingFilter, run: &Value, new: &[bool]) {
    assert_eq!(new.len(), elements(run).count());
    let changed = new.iter().filter(|&&new| new).count();
    assert_eq!(changed as u64, run["puts_that_changed_bits"].as_u64().unwrap());
    let present = client.run(filter.contains_many(elements(run)));
    check_all_there(&present);
    let grows = run["grows"].as_array().unwrap();
    assert_eq!(client.run(filter.stats()).bitmaps(), grows.len() as u64 + 1);
    for (number, bitmap) in run["bitmaps"].as_array().unwrap().iter().enumerate() {
        let key = filter.key(number as u64);
        assert_eq!(key, bitmap["key"].as_str().unwrap().as_bytes());
        let bytes: Vec<u8> = client.command(cmd("GET").arg(&key));
        assert_eq!(bytes.len() as u64, bitmap["strlen"].as_u64().unwrap());
        assert_eq!(
            hex::encode(Sha256::digest(&bytes)),
            bitmap["sha256"].as_str().unwrap()
        );
        let ones: u64 = client.command(cmd("BITCOUNT").arg(&key));
        assert_eq!(ones, bitmap["bitcount"].as_u64().unwrap());
    }
    let queries: Vec<&str> = (run["queries"].as_array().unwrap().iter())
        .map(|query| query.as_str().unwrap())
        .collect();
    let expected: Vec<bool> = (run["redis_results"].as_array().unwrap().iter())
        .map(|result| result.as_bool().unwrap())
        .collect();
    let answers = client.run(filter.contains_many(queries));
    let answers: Vec<bool> = answers.into_iter().map(Answer::contains).collect();
    assert_eq!(answers, expected);
    let absent = client.run(filter.contains_many((0..2_000).map(|j| element(100_000 + j))));
    let wrong = absent.iter().filter(|&&answer| answer != Answer::Absent).count();
    assert_eq!(
        wrong as u64,
        run["absent_false_positives_of_2000"].as_u64().unwrap()
    );
}

#[test]
fn the_published_test_comes_out_bit_for_bit() {
    let golden = golden("growing.json");
    let client = &mut Client::of_new_server();
    let filter = published();
    assert_eq!(filter.schema().bits(), golden["bit_size"].as_u64().unwrap());
    assert_eq!(
        u64::from(filter.schema().probe_count()),
        golden["k"].as_u64().unwrap()
    );
    for run in golden["runs"].as_array().unwrap() {
        client.words::<()>(&["FLUSHALL"]);
        assert!(client.run(filter.create()));
        assert!(!client.run(filter.create()));
        let (mut next, mut bitmaps, mut new) = (0, 1, Vec::new());
        for grow in run["grows"].as_array().unwrap() {
            let after = i32::try_from(grow["after_inserting_index"].as_i64().unwrap()).unwrap();
            new.extend(client.run(filter.insert_many((next..after).map(element))));
            assert_eq!(client.run(filter.stats()).bitmaps(), bitmaps, "before {after}");
            assert!(client.run(filter.insert(element(after))));
            new.push(true);
            let new_key = grow["new_key"].as_str().unwrap().as_bytes();
            assert_eq!(filter.key(bitmaps), new_key);
            bitmaps += 1;
            assert_eq!(client.run(filter.stats()).bitmaps(), bitmaps, "after {after}");
            next = after + 1;
        }
        new.extend(client.run(filter.insert_many(elements(run).skip(next as usize))));
        check_run(client, &filter, run, &new);
    }
}

/// A batch reads whole bitmaps, also one that was the newest when it began; a single key reads its bits alone.
#[test]
fn a_batch_answers_and_grows_as_its_keys_one_by_one() {
    let client = &mut Client::of_new_server();
    let filter = new_growing(250, 0.01);
    let names = names("key", 1_000);
    let keys = || names.iter().chain(&names);
    let bitmaps = |client: &mut Client| {
        let count = client.run(filter.stats()).bitmaps();
        let key = |number| client.command(cmd("GET").arg(filter.key(number)));
        (0..count).map(key).collect::<Vec<Vec<u8>>>()
    };
    client.run(filter.create());
    let together = client.run(filter.insert_many(keys()));
    let (bitmaps_together, present) = (bitmaps(client), client.run(filter.contains_many(keys())));
    assert!(bitmaps_together.len() > 3);
    client.run(filter.clear());
    let alone: Vec<bool> = keys().map(|key| client.run(filter.insert(key))).collect();
    assert!(together == alone && bitmaps_together == bitmaps(client));
    check_all_there(&present);
    let absent = || (0..1_000).map(element);
    let together = client.run(filter.contains_many(absent()));
    let alone: Vec<Answer> = absent().map(|key| client.run(filter.contains(key))).collect();
    assert_eq!(together, alone);
    assert!(alone.contains(&Answer::Absent));
}

#[test]
fn a_cursor_that_is_no_number_is_reported() {
    let client = &mut Client::of_new_server();
    let filter = new_growing(50, 0.01);
    client.run(filter.create());
    for wrong in ["1e3", "-1", "1000", "99999999999999999999", ""] {
        client.words::<()>(&["SET", "{g}:cursor", wrong]);
        for error in [
            client.fail(filter.contains("a")),
            client.fail(filter.insert("a")),
            client.fail(filter.create()),
        ] {
            let text = "{g}:cursor: the value must be the number of a bitmap, below 1,000, got ";
            assert_eq!(error.to_string(), format!("{text}\"{wrong}\""));
        }
    }
}

#[test]
fn a_server_that_forgot_the_scripts_gets_them_again() {
    let client = &mut Client::of_new_server();
    let filter = new_growing(50, 0.01);
    client.run(filter.create());
    client.words::<()>(&["SCRIPT", "FLUSH"]);
    assert!(client.run(filter.insert("a")));
    client.words::<()>(&["SCRIPT", "FLUSH"]);
    assert_eq!(client.run(filter.contains("a")), Answer::Maybe);
}
