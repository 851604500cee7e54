//! The fixed design on a real server: the published figures, bit for bit, then what is more than published.

use std::time::Duration;

use bloom_redis::{Answer, Commands, Error, Expiry, Fixed, Missing, Options, Schema, Trouble};
use redis::cmd;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::support::{Client, all_commands, for_each_client, golden, hex};

const DAY: Expiry = Expiry::Sliding(Duration::from_secs(86_400));

/// The options of the published program: what is missing is empty.
fn as_published() -> Options {
    Options {
        missing: Missing::Empty,
        ..Options::default()
    }
}

fn published() -> Fixed {
    Fixed::new(Schema::fixed(3_000, 0.03).unwrap()).with_options(as_published())
}

fn numbers(value: &Value) -> Vec<u64> {
    let array = value.as_array().unwrap();
    array.iter().map(|number| number.as_u64().unwrap()).collect()
}

fn value(client: &mut Client, key: &[u8]) -> Vec<u8> {
    client.command(cmd("GET").arg(key))
}

#[test]
fn published_inserts_and_queries_come_out_bit_for_bit() {
    let golden = golden("fixed.json");
    for_each_client(|client| {
        let filter = published();
        assert_eq!(filter.bits(), golden["bitmap_length"].as_u64().unwrap());
        assert_eq!(
            u64::from(filter.probes()),
            golden["num_hash_functions"].as_u64().unwrap()
        );
        let name = "topic_read:8839540:20190609";
        let key = filter.key(name);
        assert_eq!(key, golden["key"].as_str().unwrap().as_bytes());

        for insert in golden["inserts"].as_array().unwrap() {
            let element = insert["element"].as_str().unwrap();
            assert_eq!(filter.offsets(element), numbers(&insert["offsets"]));
            let new = numbers(&insert["setbit_replies"]).contains(&0);
            assert_eq!(client.run(filter.insert(name, element, DAY)), new);
        }
        for query in golden["queries"].as_array().unwrap() {
            let element = query["element"].as_str().unwrap();
            assert_eq!(filter.offsets(element), numbers(&query["offsets"]));
            let may = query["may_exist"].as_bool().unwrap();
            let expected = if may { Answer::MayContain } else { Answer::Absent };
            assert_eq!(client.run(filter.contains(name, element)), expected, "{element}");
        }
        assert_eq!(
            client.command::<u64>(cmd("STRLEN").arg(&key)),
            golden["strlen"].as_u64().unwrap()
        );
        assert_eq!(
            client.command::<u64>(cmd("BITCOUNT").arg(&key)),
            golden["bitcount"].as_u64().unwrap()
        );
        assert_eq!(hex(value(client, &key)), golden["value_hex"].as_str().unwrap());
        let left: i64 = client.command(cmd("PTTL").arg(&key));
        assert!((86_000_000..=86_400_000).contains(&left), "{left}");
    });
}

#[test]
fn the_published_load_gives_the_published_false_positives() {
    let golden = golden("fixed.json");
    let load = &golden["full_load"];
    for_each_client(|client| {
        let filter = published();
        let elements: Vec<String> = (0..3_000).map(|i| (76_930_000 + i).to_string()).collect();
        let new = client.run(filter.insert_many("load", &elements, None));
        assert_eq!(new.len(), 3_000);
        let key = filter.key("load");
        assert_eq!(
            client.command::<u64>(cmd("STRLEN").arg(&key)),
            load["strlen"].as_u64().unwrap()
        );
        assert_eq!(
            client.command::<u64>(cmd("BITCOUNT").arg(&key)),
            load["bitcount"].as_u64().unwrap()
        );
        let digest = hex(Sha256::digest(value(client, &key)));
        assert_eq!(digest, load["sha256"].as_str().unwrap());

        let present = client.run(filter.contains_many("load", &elements));
        assert!(present.iter().all(|&answer| answer == Answer::MayContain));
        let absent: Vec<String> = (0..10_000).map(|j| (86_930_000 + j).to_string()).collect();
        let answers = client.run(filter.contains_many("load", &absent));
        let wrong = (answers.iter())
            .filter(|&&answer| answer == Answer::MayContain)
            .count();
        assert_eq!(wrong, 314);
    });
}

#[test]
fn bit_0_of_redis_is_the_most_significant_of_byte_0() {
    let golden = golden("fixed.json");
    let meow = &golden["meow"];
    for_each_client(|client| {
        client.words::<()>(&["SET", "k", "meow"]);
        for (words, name) in [
            (&["GETBIT", "k", "3"][..], "getbit3"),
            (&["GETBIT", "k", "23"], "getbit23"),
            (&["SETBIT", "k", "7", "0"], "setbit7_0"),
            (&["SETBIT", "k", "14", "1"], "setbit14_1"),
        ] {
            assert_eq!(client.words::<u64>(words), meow[name].as_u64().unwrap(), "{name}");
        }
        let after: String = client.words(&["GET", "k"]);
        assert_eq!(after, meow["after"].as_str().unwrap());
    });
}

#[test]
fn all_commands_write_the_same_bits_and_give_the_same_answers() {
    for_each_client(|client| {
        let (elements, absent): (Vec<String>, Vec<String>) =
            (0..500).map(|i| (format!("in{i}"), format!("out{i}"))).unzip();
        let mut seen: Option<(Vec<u8>, Vec<bool>, Vec<Answer>)> = None;
        for missing in [Missing::Empty, Missing::Reported] {
            for commands in all_commands() {
                for expiry in [None, Some(DAY)] {
                    client.words::<()>(&["FLUSHALL"]);
                    let filter = published().with_options(Options {
                        commands,
                        missing,
                        ..Options::default()
                    });
                    client.run(filter.create("f", None));
                    let new = client.run(filter.insert_many("f", &elements, expiry));
                    let asked = elements.iter().chain(&absent);
                    let answers = client.run(filter.contains_many("f", asked));
                    let left: i64 = client.words(&["PTTL", "bf:f"]);
                    assert_eq!(left > 0, expiry.is_some(), "{commands:?}");
                    let now = (value(client, b"bf:f"), new, answers);
                    let before = seen.get_or_insert_with(|| now.clone());
                    assert!(*before == now, "{commands:?} {missing:?} {expiry:?}");
                }
            }
        }
    });
}

#[test]
fn an_element_is_new_once_also_within_a_batch() {
    for_each_client(|client| {
        for commands in all_commands() {
            client.words::<()>(&["FLUSHALL"]);
            let filter = published().with_options(Options {
                commands,
                ..as_published()
            });
            let batch = ["a", "b", "a", "a", "c", "b"];
            assert_eq!(
                client.run(filter.insert_many("f", batch, None)),
                [true, true, false, false, true, false]
            );
            assert_eq!(
                client.run(filter.insert_many("f", ["c", "d"], None)),
                [false, true]
            );
            assert!(!client.run(filter.insert("f", "a", None)));
        }
    });
}

#[test]
fn elements_are_bytes_and_batches_may_be_empty() {
    for_each_client(|client| {
        let filter = published();
        let long = vec![b'x'; 300];
        let elements: [&[u8]; 4] = [b"", b"\xff\xfe\x00", &long, "\u{4e2d}".as_bytes()];
        let none: [&str; 0] = [];
        assert!(client.run(filter.insert_many("f", none, DAY)).is_empty());
        assert!(client.run(filter.contains_many("f", none)).is_empty());
        assert_eq!(client.words::<u64>(&["EXISTS", "bf:f"]), 0);
        assert_eq!(client.run(filter.insert_many("f", elements, None)), [true; 4]);
        assert_eq!(
            client.run(filter.contains_many("f", elements)),
            [Answer::MayContain; 4]
        );
        assert_eq!(client.run(filter.contains("f", "other")), Answer::Absent);
        let name = b"\xff{\x00";
        assert!(client.run(filter.insert(name, "a", DAY)));
        assert_eq!(client.run(filter.contains(name, "a")), Answer::MayContain);
    });
}

#[test]
fn trips_of_any_size_do_the_same() {
    for_each_client(|client| {
        let elements: Vec<String> = (0..200).map(|i| i.to_string()).collect();
        let mut bits = Vec::new();
        for bits_per_trip in [1, 7, 100, 5_000, usize::MAX] {
            client.words::<()>(&["FLUSHALL"]);
            let filter = published().with_options(Options {
                bits_per_trip: bits_per_trip.try_into().unwrap(),
                ..as_published()
            });
            client.run(filter.insert_many("f", &elements, DAY));
            let answers = client.run(filter.contains_many("f", &elements));
            assert!(answers.iter().all(|&answer| answer == Answer::MayContain));
            bits.push(value(client, b"bf:f"));
        }
        assert!(bits.windows(2).all(|pair| pair[0] == pair[1]));
    });
}

#[test]
fn a_missing_filter_is_reported_and_not_begun_anew() {
    for_each_client(|client| {
        // Without transactions, a script does all of an insert.
        for commands in all_commands().filter(|commands| commands.scripts) {
            let filter = published().with_options(Options {
                commands,
                ..Options::default()
            });
            assert_eq!(client.run(filter.contains("f", "a")), Answer::Missing);
            for expiry in [None, Some(DAY)] {
                let error = client.fail(filter.insert_many("f", ["a", "b"], expiry));
                assert!(
                    matches!(&error, Error::Missing { key } if key == b"bf:f"),
                    "{error}"
                );
            }
            assert_eq!(client.words::<u64>(&["DBSIZE"]), 0);

            assert!(client.run(filter.create("f", None)));
            assert!(!client.run(filter.create("f", None)));
            assert!(client.run(filter.insert("f", "a", None)));
            assert_eq!(
                client.run(filter.contains_many("f", ["a", "b"])),
                [Answer::MayContain, Answer::Absent]
            );
            assert!(client.run(filter.delete("f")));
            assert!(!client.run(filter.delete("f")));
            assert_eq!(
                client.run(filter.contains_many("f", ["a", "b"])),
                [Answer::Missing; 2]
            );
        }
    });
}

#[test]
fn without_scripts_an_insert_still_says_that_the_filter_was_missing() {
    for_each_client(|client| {
        let filter = published().with_options(Options {
            commands: Commands::PLAIN,
            ..Options::default()
        });
        assert!(matches!(
            client.fail(filter.insert("f", "a", None)),
            Error::Missing { .. }
        ));
        assert_eq!(client.run(filter.contains("f", "a")), Answer::MayContain);
    });
}

#[test]
fn expiry_slides_or_stays() {
    let short = Duration::from_secs(100);
    for_each_client(|client| {
        for commands in all_commands() {
            client.words::<()>(&["FLUSHALL"]);
            let filter = published().with_options(Options {
                commands,
                ..as_published()
            });
            let mut insert = |element: &str, expiry: Option<Expiry>| -> i64 {
                client.run(filter.insert("f", element, expiry));
                client.words(&["TTL", "bf:f"])
            };
            assert_eq!(insert("a", None), -1);
            assert!((90..=100).contains(&insert("b", Some(Expiry::Fixed(short)))));
            assert!((90..=100).contains(&insert("c", Some(Expiry::Fixed(2 * short)))));
            assert!((90..=100).contains(&insert("d", None)));
            assert!((190..=200).contains(&insert("e", Some(Expiry::Sliding(2 * short)))));
            assert!((90..=100).contains(&insert("f", Some(Expiry::Sliding(short)))));
        }
        let error = client.fail(published().insert("f", "a", Expiry::Sliding(Duration::ZERO)));
        assert_eq!(
            error.to_string(),
            "time to live: 0ns, from 1 ms to 2^53 ms is allowed"
        );
    });
}

#[test]
fn a_key_of_another_type_is_an_error_and_stays_what_it_was() {
    for_each_client(|client| {
        client.words::<()>(&["RPUSH", "bf:f", "item"]);
        let ways = [Missing::Empty, Missing::Reported]
            .into_iter()
            .flat_map(|missing| {
                let with_scripts = all_commands().filter(|commands| commands.scripts);
                with_scripts.map(move |commands| (missing, commands))
            });
        for (missing, commands) in ways {
            let filter = published().with_options(Options {
                commands,
                missing,
                ..Options::default()
            });
            for error in [
                client.fail(filter.contains("f", "a")),
                client.fail(filter.insert("f", "a", None)),
                client.fail(filter.insert("f", "a", DAY)),
                client.fail(filter.statistics("f")),
            ] {
                assert_eq!(error.trouble(), Some(Trouble::WrongType), "{error}");
            }
        }
        assert_eq!(client.words::<i64>(&["TTL", "bf:f"]), -1);
        assert_eq!(
            client.words::<Vec<String>>(&["LRANGE", "bf:f", "0", "-1"]),
            ["item"]
        );
    });
}

#[test]
fn statistics_say_what_the_bits_say() {
    for_each_client(|client| {
        let filter = published();
        let elements: Vec<String> = (0..3_000).map(|i| (76_930_000 + i).to_string()).collect();
        client.run(filter.insert_many("f", &elements, None));
        let statistics = client.run(filter.statistics("f"));
        assert_eq!((statistics.bits(), statistics.ones()), (21_895, 10_843));
        assert_eq!((statistics.bytes(), statistics.bitmaps()), (2_737, 1));
        assert!((statistics.fill() - 0.495_227).abs() < 1e-6);
        assert!((statistics.false_positive_rate() - 0.029_787).abs() < 1e-5);
        let items = statistics.estimated_items().unwrap();
        assert!((2_950.0..3_050.0).contains(&items), "{items}");
        assert_eq!((statistics.rebuilds(), statistics.last_rebuild()), (0, None));

        // Filled with other parameters: bits where this filter has none.
        client.words::<()>(&["SETBIT", "bf:f", "30000", "1"]);
        let error = client.fail(filter.statistics("f"));
        assert_eq!(
            error.to_string(),
            "bf:f: 3751 bytes for 21895 bits where a bitmap of the filter's length should be"
        );
    });
}

#[test]
fn filters_merge_on_the_server() {
    for_each_client(|client| {
        for commands in all_commands() {
            client.words::<()>(&["FLUSHALL"]);
            let filter = published().with_options(Options {
                commands,
                ..Options::default()
            });
            for name in ["a", "b", "c"] {
                client.run(filter.create(name, DAY));
                client.run(filter.insert(name, name, None));
            }
            client.run(filter.merge("a", ["b", "c"]));
            assert_eq!(
                client.run(filter.contains_many("a", ["a", "b", "c", "d"])),
                [
                    Answer::MayContain,
                    Answer::MayContain,
                    Answer::MayContain,
                    Answer::Absent
                ]
            );
            assert_eq!(client.run(filter.contains("b", "a")), Answer::Absent);
            // The stated loss of plain commands.
            let left: i64 = client.words(&["TTL", "bf:a"]);
            assert_eq!(left > 0, commands.scripts, "{commands:?}");
            let error = client.fail(filter.merge("a", ["b", "gone"]));
            assert!(
                matches!(&error, Error::Missing { key } if key == b"bf:gone"),
                "{error}"
            );
        }
    });
}
