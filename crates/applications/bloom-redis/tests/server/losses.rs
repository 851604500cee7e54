//! Filters that lost some of their keys, or whose keys another program replaced: a stored element is never "absent".

use bloom_redis::{Answer, Error, Expiry, GrowingFilter, Missing, Options, Schema};
use membership_filters::Bytes;
use membership_filters::guava::{BloomFilter, Parameters};
use redis::cmd;

use crate::between::rounds;
use crate::support::{Client, Design, Server, check_all_there, names, new_fixed};

/// A filter, and elements that fill it as wanted.
#[derive(Clone, Debug)]
struct Stored {
    filter: Design,
    elements: Vec<String>,
}

impl Stored {
    /// Returns filters of all designs, and growing ones of one and of three bitmaps. A few elements more make the last of
    /// these grow.
    fn all() -> [Self; 4] {
        [
            (Design::fixed(300, 1e-4), 100),
            (Design::growing(40, 1e-4), 36),
            (Design::growing(40, 1e-4), 118),
            (Design::loaded(), 100),
        ]
        .map(|(filter, elements)| Self {
            filter,
            elements: names("stored", elements),
        })
    }

    /// Creates and fills the filter on an empty server. Returns its keys.
    fn fill(&self, client: &mut Client) -> Vec<String> {
        client.words::<()>(&["FLUSHALL"]);
        self.filter.fill(client, &self.elements);
        let mut keys: Vec<String> = client.words(&["KEYS", "*"]);
        keys.sort_unstable();
        keys
    }

    /// Checks that no stored element is absent, queried together or alone, by a program that queried the filter before and
    /// by one that did not.
    #[track_caller]
    fn check(&self, client: &mut Client, case: &str) {
        let last = self.elements.len() - 1;
        for elements in [&self.elements[..], &self.elements[..1], &self.elements[last..]] {
            for filter in [&self.filter, &self.filter.again()] {
                let answers = client.try_run(filter.query(elements));
                let absent = answers.is_ok_and(|answers| answers.contains(&Answer::Absent));
                assert!(!absent, "{self:?} {case}");
            }
        }
    }

    /// Checks the errors and answers of a filter that is not whole.
    #[track_caller]
    fn check_lost(&self, client: &mut Client, case: &str) {
        self.check(client, case);
        for elements in [&["another".to_owned()][..], &self.elements] {
            let insert = client.try_run(self.filter.insert_many(elements));
            let error = insert.unwrap_err();
            let is_lost = matches!(error, Error::Missing { .. } | Error::Malformed(_));
            assert!(is_lost && error.key().is_some(), "{self:?} {case}: {error}");
        }
        self.check(client, case);
        if let Some(stats) = self.filter.stats() {
            client.fail(stats);
        }
        if let Design::Fixed(filter) = &self.filter {
            client.fail(filter.download(Bytes));
        }
    }
}

fn dump(client: &mut Client, keys: &[String]) -> Vec<Vec<u8>> {
    let dumps = keys.iter().map(|key| client.command(cmd("DUMP").arg(key)));
    dumps.collect()
}

/// Restores the keys whose bit in `lost` is zero, and no other.
fn restore(client: &mut Client, keys: &[String], dumps: &[Vec<u8>], lost: u32) {
    client.clear();
    for (number, (key, dump)) in keys.iter().zip(dumps).enumerate() {
        if lost >> number & 1 == 0 {
            client.command::<()>(cmd("RESTORE").arg(key).arg(0).arg(dump));
        }
    }
}

#[test]
fn whatever_keys_are_lost_no_stored_element_is_absent() {
    let client = &mut Client::of_new_module();
    let mut most = 0;
    for stored in Stored::all() {
        let keys = stored.fill(client);
        let dumps = dump(client, &keys);
        most = most.max(keys.len());
        for lost in 1..1_u32 << keys.len() {
            restore(client, &keys, &dumps, lost);
            let case = format!("without {lost:b} of {keys:?}");
            stored.check_lost(client, &case);
            // A program that starts creates its filter first. A filter of which anything is left is not new.
            let created = stored.filter.create().map(|create| client.try_run(create));
            match created {
                None => {}
                Some(created) if lost + 1 == 1 << keys.len() => {
                    assert_eq!(created, Ok(true), "{stored:?} {case}");
                }
                Some(created) => {
                    let error = created.unwrap_err();
                    let is_missing = matches!(error, Error::Missing { .. });
                    assert!(is_missing, "{stored:?} {case}: {error}");
                    stored.check(client, &case);
                }
            }
        }
    }
    // The cursor, the record and three bitmaps.
    assert_eq!(most, 5);
}

#[test]
fn a_value_of_another_program_is_noticed_and_stays_what_it_was() {
    let client = &mut Client::of_new_module();
    for stored in Stored::all() {
        let keys = stored.fill(client);
        let dumps = dump(client, &keys);
        for key in &keys {
            let is_string = client.words::<String>(&["TYPE", key]) == "string";
            let len = if is_string {
                client.words(&["STRLEN", key])
            } else {
                8
            };
            let longer = vec![b'1'; len + 1];
            for other in [&b""[..], b"7", b"42", b"a short text", &longer, &longer[2..]] {
                client.command::<()>(cmd("SET").arg(key).arg(other));
                let case = format!("{key}: {}", other.escape_ascii());
                stored.check_lost(client, &case);
                if let Some(create) = stored.filter.create() {
                    client.fail(create);
                }
                let after: Vec<u8> = client.command(cmd("GET").arg(key));
                assert_eq!(after, other, "{stored:?} {case}");
                assert_eq!(client.words::<u64>(&["DBSIZE"]), keys.len() as u64, "{case}");
                restore(client, &keys, &dumps, 0);
            }
            stored.check(client, "as before");
            client.words::<()>(&["DEL", key]);
            client.words::<()>(&["RPUSH", key, "item"]);
            stored.check_lost(client, key);
            // Also where a missing filter is an empty one.
            for missing in [Missing::Reported, Missing::Empty, Missing::Published] {
                let options = Options::default().missing(missing);
                let Design::Fixed(filter) = stored.filter.options(options) else {
                    continue;
                };
                for error in [
                    client.fail(filter.contains_many(&stored.elements)),
                    client.fail(filter.insert("a")),
                    client.fail(filter.stats()),
                ] {
                    assert!(matches!(error, Error::Malformed(_)), "{filter:?}: {error}");
                    assert_eq!(error.key(), Some(key.as_bytes()), "{filter:?}: {error}");
                }
            }
            assert_eq!(client.words::<Vec<String>>(&["LRANGE", key, "0", "-1"]), ["item"]);
            restore(client, &keys, &dumps, 0);
        }
    }
}

#[test]
fn a_loss_between_the_commands_of_a_call_hides_nothing() {
    let server = Server::with_module();
    let mut client = Client::blocking(&server);
    // Of the fixed filter by three scripts.
    let more = names("more", 200);
    let mut acts = 0;
    for mut stored in Stored::all() {
        let keys = stored.fill(&mut client);
        let dumps = dump(&mut client, &keys);
        // Some of each bitmap.
        stored.elements = stored.elements.into_iter().step_by(10).collect();
        for key in keys.iter().map(Some).chain([None]) {
            for operation in ["query", "insert", "create"] {
                if operation == "create" && stored.filter.create().is_none() {
                    continue;
                }
                acts += rounds(&server, |round| {
                    round.first = 5;
                    restore(&mut client, &keys, &dumps, 0);
                    let mut is_lost = false;
                    let lose = |other: &mut redis::Connection| {
                        is_lost = true;
                        match key {
                            Some(key) => cmd("DEL").arg(key).exec(other).unwrap(),
                            None => cmd("FLUSHALL").exec(other).unwrap(),
                        }
                    };
                    let case = format!("{operation}: {key:?} lost before command {}", round.at);
                    let nothing_left = key.is_none() || keys.len() == 1;
                    match operation {
                        "query" => {
                            client.run(stored.filter.query(&stored.elements));
                            let answers = round.during(stored.filter.query(&stored.elements), lose).unwrap();
                            assert!(!answers.contains(&Answer::Absent), "{stored:?} {case}");
                            // The mark is the first and the last of five commands, and the filter is in those between.
                            let proven_before = if key.is_some_and(|key| key == "{bf:f}") {
                                4
                            } else {
                                5
                            };
                            if matches!(stored.filter, Design::Loaded(_)) && round.at < proven_before {
                                assert!(answers.iter().all(|&answer| answer == Answer::Missing), "{case}");
                            }
                        }
                        "create" => match stored.filter.create().map(|create| round.during(create, lose)) {
                            Some(Ok(true)) => assert!(nothing_left, "{stored:?} {case}"),
                            _ => stored.check(&mut client, &case),
                        },
                        _ => {
                            let mut of = stored.clone();
                            match round.during(stored.filter.insert_many(&more), lose) {
                                Ok(_) => {
                                    of.elements.extend_from_slice(&more);
                                    // Every script would have missed it.
                                    let is_fixed = matches!(stored.filter, Design::Fixed(_));
                                    let is_early = is_lost && nothing_left && is_fixed && round.at < 4;
                                    assert!(!is_early, "{case}");
                                }
                                Err(error) => {
                                    assert!(matches!(error, Error::Missing { .. }), "{case}: {error}")
                                }
                            }
                            of.check(&mut client, &case);
                            // It is not begun anew.
                            let left: u64 = client.words(&["DBSIZE"]);
                            assert!(!(is_lost && nothing_left) || left == 0, "{stored:?} {case}");
                        }
                    }
                });
            }
        }
    }
    assert!(acts > 60, "{acts}");
}

#[test]
fn an_upload_that_loses_bits_on_their_way_fails() {
    let server = Server::start(&[]);
    // Three chunks of 1 MiB, the last of them shorter.
    let schema = Schema::whole_words(2_000_000, 0.01).unwrap();
    let mut local = BloomFilter::new(Bytes, &Parameters::try_from(&schema).unwrap()).unwrap();
    let elements = names("in", 500);
    for element in &elements {
        local.insert(element.as_bytes());
    }
    let filter = new_fixed(Ok(schema));
    let mut failed = 0;
    let acts = rounds(&server, |round| {
        let done = round.during(filter.replace_with(&local, Expiry::Never), |other| {
            let keys: Vec<String> = cmd("KEYS").arg("bloom-redis:*:{bf:f}").query(other).unwrap();
            for key in keys {
                cmd("DEL").arg(key).exec(other).unwrap();
            }
        });
        failed += usize::from(done.is_err());
        let answers = round.run(filter.contains_many(&elements));
        let expected = [Answer::Maybe, Answer::Missing][usize::from(done.is_err())];
        let as_expected = answers.iter().all(|&answer| answer == expected);
        assert!(as_expected, "command {}", round.at);
    });
    assert!(acts > 10 && failed > acts / 2, "{failed} of {acts}");
}

#[test]
fn marks_are_written_for_published_filters_that_are_whole() {
    let client = &mut Client::of_new_server();
    let options = Options::default();
    for prefix in ["{g}:", ""] {
        let filter = GrowingFilter::new("g", Schema::whole_words(40, 1e-4).unwrap())
            .unwrap()
            .prefix(prefix)
            .options(options);
        let published = filter.clone().options(options.missing(Missing::Published));
        for bitmaps in 1..=4 {
            client.words::<()>(&["FLUSHALL"]);
            assert!(matches!(client.fail(filter.write_marks()), Error::Missing { .. }));
            // As the published program begins, which has no cursor before the second bitmap.
            let last = filter.schema().bits() - 1;
            client.command::<()>(cmd("SETBIT").arg(filter.key(0)).arg(last).arg(0));
            let elements: Vec<String> = (0..40 * bitmaps - 20).map(|i| i.to_string()).collect();
            client.run(published.insert_many(&elements));
            assert_eq!(client.run(published.stats()).bitmaps(), bitmaps);
            assert_eq!(client.run(filter.contains("none")), Answer::Missing);
            // A program that creates the filter does not declare it to be whole.
            assert!(matches!(client.fail(filter.create()), Error::Missing { .. }));
            if bitmaps > 1 {
                // Neither bitmaps nor a cursor may be missing.
                for key in [filter.cursor_key().to_vec(), filter.key(0)] {
                    let dump: Vec<u8> = client.command(cmd("DUMP").arg(&key));
                    client.command::<()>(cmd("DEL").arg(&key));
                    assert!(matches!(client.fail(filter.write_marks()), Error::Missing { .. }));
                    client.command::<()>(cmd("RESTORE").arg(&key).arg(0).arg(dump));
                }
            }
            for _ in 0..2 {
                client.run(filter.write_marks());
                let answers = client.run(filter.contains_many(&elements));
                check_all_there(&answers);
                assert_eq!(client.run(filter.contains("none")), Answer::Absent);
                assert!(!client.run(filter.create()));
            }
        }
    }
    // The published program's string ends at the last byte that it wrote.
    let filter = new_fixed(Schema::fixed(300, 1e-4)).options(options);
    let published = filter.clone().options(options.missing(Missing::Published));
    client.run(published.insert("a"));
    for error in [
        client.fail(filter.contains("a")),
        client.fail(filter.insert("a")),
        client.fail(filter.create(Expiry::Never)),
    ] {
        assert!(matches!(error, Error::Malformed(_)), "{error}");
        let text = "bf:f: the string must end with the mark";
        assert!(error.to_string().starts_with(text), "{error}");
    }
    client.run(filter.write_marks());
    let answers = client.run(filter.contains_many(["a", "b"]));
    assert_eq!(answers, [Answer::Maybe, Answer::Absent]);
    let error = client.fail(filter.named("gone").write_marks());
    assert!(matches!(error, Error::Missing { .. }));
}
