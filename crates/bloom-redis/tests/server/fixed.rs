//! The fixed design on a real server: the published figures, bit for bit, then everything beyond the published program.

use std::time::{Duration, SystemTime};

use bloom_redis::{Answer, Commands, ErrorKind, Expiry, FixedFilter, Missing, Options, Schema};
use redis::cmd;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::support::{Client, all_commands, check_all_there, for_each_client, golden, hex, new_fixed};

const DAY: Expiry = Expiry::After(Duration::from_secs(86_400));

/// Returns the options of the published program: a missing filter is empty.
fn as_published() -> Options {
    Options::default().missing(Missing::Empty)
}

fn published() -> FixedFilter {
    new_fixed(Schema::fixed(3_000, 0.03)).with_options(as_published())
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
        assert_eq!(filter.schema().bits(), golden["bitmap_length"].as_u64().unwrap());
        assert_eq!(
            u64::from(filter.schema().probe_count()),
            golden["num_hash_functions"].as_u64().unwrap()
        );
        let name = "topic_read:8839540:20190609";
        let key = filter.named(name).key().to_vec();
        assert_eq!(key, golden["key"].as_str().unwrap().as_bytes());

        for insert in golden["inserts"].as_array().unwrap() {
            let element = insert["element"].as_str().unwrap();
            assert_eq!(filter.offsets(element), numbers(&insert["offsets"]));
            let new = numbers(&insert["setbit_replies"]).contains(&0);
            assert_eq!(
                client.run(filter.named(name).with_expiry(DAY).insert(element)),
                new
            );
        }
        for query in golden["queries"].as_array().unwrap() {
            let element = query["element"].as_str().unwrap();
            assert_eq!(filter.offsets(element), numbers(&query["offsets"]));
            let may = query["may_exist"].as_bool().unwrap();
            let expected = if may { Answer::MightContain } else { Answer::Absent };
            assert_eq!(
                client.run(filter.named(name).might_contain(element)),
                expected,
                "{element}"
            );
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
        let new = client.run(filter.named("load").insert_many(&elements));
        assert_eq!(new.len(), 3_000);
        let key = filter.named("load").key().to_vec();
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

        let present = client.run(filter.named("load").might_contain_many(&elements));
        check_all_there(&present);
        let absent: Vec<String> = (0..10_000).map(|j| (86_930_000 + j).to_string()).collect();
        let answers = client.run(filter.named("load").might_contain_many(&absent));
        let wrong = (answers.iter())
            .filter(|&&answer| answer == Answer::MightContain)
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
                for expiry in [Expiry::Keep, DAY] {
                    client.words::<()>(&["FLUSHALL"]);
                    let filter =
                        published().with_options(Options::default().commands(commands).missing(missing));
                    client.run(filter.create(Expiry::Keep));
                    let new = client.run(filter.clone().with_expiry(expiry).insert_many(&elements));
                    let asked = elements.iter().chain(&absent);
                    let answers = client.run(filter.might_contain_many(asked));
                    let left: i64 = client.words(&["PTTL", "bf:f"]);
                    assert_eq!(left > 0, expiry != Expiry::Keep, "{commands:?}");
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
            let filter = published().with_options(as_published().commands(commands));
            let batch = ["a", "b", "a", "a", "c", "b"];
            assert_eq!(
                client.run(filter.insert_many(batch)),
                [true, true, false, false, true, false]
            );
            assert_eq!(client.run(filter.insert_many(["c", "d"])), [false, true]);
            assert!(!client.run(filter.insert("a")));
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
        assert!(
            client
                .run(filter.clone().with_expiry(DAY).insert_many(none))
                .is_empty()
        );
        assert!(client.run(filter.might_contain_many(none)).is_empty());
        assert_eq!(client.words::<u64>(&["EXISTS", "bf:f"]), 0);
        assert_eq!(client.run(filter.insert_many(elements)), [true; 4]);
        assert_eq!(
            client.run(filter.might_contain_many(elements)),
            [Answer::MightContain; 4]
        );
        assert_eq!(client.run(filter.might_contain("other")), Answer::Absent);
        let name = b"\xff{\x00";
        assert!(client.run(filter.named(name).with_expiry(DAY).insert("a")));
        assert_eq!(
            client.run(filter.named(name).might_contain("a")),
            Answer::MightContain
        );
    });
}

#[test]
fn trips_of_any_size_do_the_same() {
    for_each_client(|client| {
        let elements: Vec<String> = (0..200).map(|i| i.to_string()).collect();
        let mut bits = Vec::new();
        for bits_per_trip in [1, 7, 100, 5_000, u64::MAX] {
            client.words::<()>(&["FLUSHALL"]);
            let filter = published().with_options(as_published().bits_per_trip(bits_per_trip));
            client.run(filter.clone().with_expiry(DAY).insert_many(&elements));
            let answers = client.run(filter.might_contain_many(&elements));
            check_all_there(&answers);
            bits.push(value(client, b"bf:f"));
        }
        assert!(bits.windows(2).all(|pair| pair[0] == pair[1]));
    });
}

#[test]
fn a_missing_filter_is_reported_and_not_begun_anew() {
    for_each_client(|client| {
        // Without transactions, a script executes the whole insert.
        for commands in all_commands().filter(|commands| *commands == commands.scripts(true)) {
            let filter = published().with_options(Options::default().commands(commands));
            assert_eq!(client.run(filter.might_contain("a")), Answer::Missing);
            for expiry in [Expiry::Keep, DAY] {
                let error = client.fail(filter.clone().with_expiry(expiry).insert_many(["a", "b"]));
                assert!(
                    (error.kind(), error.key()) == (ErrorKind::Missing, Some(&b"bf:f"[..])),
                    "{error}"
                );
            }
            assert_eq!(client.words::<u64>(&["DBSIZE"]), 0);

            assert!(client.run(filter.create(Expiry::Keep)));
            assert!(!client.run(filter.create(Expiry::Keep)));
            assert!(client.run(filter.insert("a")));
            assert_eq!(
                client.run(filter.might_contain_many(["a", "b"])),
                [Answer::MightContain, Answer::Absent]
            );
            assert!(client.run(filter.delete()));
            assert!(!client.run(filter.delete()));
            assert_eq!(
                client.run(filter.might_contain_many(["a", "b"])),
                [Answer::Missing; 2]
            );
        }
    });
}

#[test]
fn without_scripts_an_insert_still_says_that_the_filter_was_missing() {
    for_each_client(|client| {
        let filter = published().with_options(Options::default().commands(Commands::PLAIN));
        assert!(client.fail(filter.insert("a")).kind() == ErrorKind::Missing);
        assert_eq!(client.run(filter.might_contain("a")), Answer::Missing);
        assert_eq!(client.words::<u64>(&["DBSIZE"]), 0);
    });
}

#[test]
fn an_expiry_is_kept_removed_or_set() {
    let short = Duration::from_secs(100);
    let in_300_s = |client: &mut Client| {
        let (seconds, _): (u64, u64) = client.words(&["TIME"]);
        Expiry::At(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds + 300))
    };
    for_each_client(|client| {
        let until = in_300_s(client);
        let short_of = |seconds: u64| seconds as i64 - 10..=seconds as i64;
        for commands in all_commands() {
            client.words::<()>(&["FLUSHALL"]);
            let filter = published().with_options(as_published().commands(commands));
            let mut insert = |element: &str, expiry: Expiry| -> i64 {
                client.run(filter.clone().with_expiry(expiry).insert(element));
                client.words(&["TTL", "bf:f"])
            };
            assert_eq!(insert("a", Expiry::Keep), -1);
            assert!(short_of(100).contains(&insert("b", Expiry::AfterFirst(short))));
            assert!(short_of(100).contains(&insert("c", Expiry::AfterFirst(2 * short))));
            assert!(short_of(100).contains(&insert("d", Expiry::Keep)));
            assert!(short_of(200).contains(&insert("e", Expiry::After(2 * short))));
            assert!(short_of(100).contains(&insert("f", Expiry::After(short))));
            assert!(short_of(300).contains(&insert("g", until)));
            assert_eq!(insert("h", Expiry::Never), -1);

            // An existing filter, then one that is created.
            let mut expire = |expiry: Expiry| -> i64 {
                client.run(filter.expire(expiry));
                client.words(&["TTL", "bf:f"])
            };
            assert!(short_of(100).contains(&expire(Expiry::AfterFirst(short))));
            assert!(short_of(100).contains(&expire(Expiry::Keep)));
            assert!(short_of(300).contains(&expire(until)));
            assert_eq!(expire(Expiry::Never), -1);
            let gone = filter.named("gone");
            assert_eq!(client.fail(gone.expire(Expiry::Never)).kind(), ErrorKind::Missing);
            assert!(client.run(gone.create(until)));
            assert!(short_of(300).contains(&client.words::<i64>(&["TTL", "bf:gone"])));
        }
        let error = client.fail(
            published()
                .clone()
                .with_expiry(Expiry::After(Duration::ZERO))
                .insert("a"),
        );
        assert_eq!(
            error.to_string(),
            "the time to live must be from 1 ms to 2^53 ms, got 0ns"
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
                let with_scripts = all_commands().filter(|commands| *commands == commands.scripts(true));
                with_scripts.map(move |commands| (missing, commands))
            });
        for (missing, commands) in ways {
            let filter = published().with_options(Options::default().commands(commands).missing(missing));
            for error in [
                client.fail(filter.might_contain("a")),
                client.fail(filter.insert("a")),
                client.fail(filter.clone().with_expiry(DAY).insert("a")),
                client.fail(filter.statistics()),
            ] {
                assert_eq!(error.kind(), ErrorKind::WrongType, "{error}");
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
        client.run(filter.insert_many(&elements));
        let statistics = client.run(filter.statistics());
        assert_eq!((statistics.bits(), statistics.ones()), (21_895, 10_843));
        assert_eq!((statistics.bytes(), statistics.bitmaps()), (2_737, 1));
        assert!((statistics.fill() - 0.495_227).abs() < 1e-6);
        assert!((statistics.false_positive_rate() - 0.029_787).abs() < 1e-5);
        let items = statistics.estimated_len().unwrap();
        assert!((2_950..3_050).contains(&items), "{items}");
        assert_eq!((statistics.rebuilds(), statistics.last_rebuild()), (0, None));

        // Filled with other parameters: bits where this filter has none.
        client.words::<()>(&["SETBIT", "bf:f", "30000", "1"]);
        let error = client.fail(filter.statistics());
        assert_eq!(
            error.to_string(),
            "bf:f: the string must have 2738 bytes, got 3751"
        );
    });
}

#[test]
fn filters_merge_on_the_server() {
    for_each_client(|client| {
        for commands in all_commands() {
            client.words::<()>(&["FLUSHALL"]);
            let filter = published().with_options(Options::default().commands(commands));
            for name in ["a", "b", "c"] {
                client.run(filter.named(name).create(DAY));
                client.run(filter.named(name).insert(name));
            }
            let merge = filter.named("a").merge(&[filter.named("b"), filter.named("c")]);
            if commands != commands.scripts(true) {
                assert_eq!(client.fail(merge).kind(), ErrorKind::NeedsScripts);
                continue;
            }
            client.run(merge);
            assert_eq!(
                client.run(filter.named("a").might_contain_many(["a", "b", "c", "d"])),
                [
                    Answer::MightContain,
                    Answer::MightContain,
                    Answer::MightContain,
                    Answer::Absent
                ]
            );
            assert_eq!(client.run(filter.named("b").might_contain("a")), Answer::Absent);
            assert!(client.words::<i64>(&["TTL", "bf:a"]) > 0, "{commands:?}");
            let error = client.fail(
                filter
                    .named("a")
                    .merge(&[filter.named("b"), filter.named("gone")]),
            );
            assert!(
                (error.kind(), error.key()) == (ErrorKind::Missing, Some(&b"bf:gone"[..])),
                "{error}"
            );
        }
    });
}
