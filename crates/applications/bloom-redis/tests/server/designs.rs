//! Laws of every design.

use std::time::Duration;

use bloom_redis::{Answer, Error, Expiry, FixedFilter, Missing, Options, Schema};
use redis::cmd;

use crate::support::{
    Client, Design, check_all_there, for_each_client, for_each_cluster_client, names, new_fixed,
};

const HOUR: Expiry = Expiry::After(Duration::from_secs(3_600));

/// Returns filters of all designs, and how many elements to insert: into the fixed one by three scripts.
fn designs() -> [(Design, u32); 3] {
    let fixed = new_fixed(Schema::fixed(10_000, 0.01));
    [
        (Design::Fixed(fixed.clone()), 400),
        (Design::Fixed(fixed.expiry(HOUR)), 400),
        (Design::growing(50, 0.01), 200),
    ]
}

#[test]
fn all_options_write_the_same_bits_and_give_the_same_answers() {
    let seen = std::sync::Mutex::new([const { None }; 3]);
    let check = |client: &mut Client, options: Options| {
        let mut seen = seen.lock().unwrap();
        for ((design, count), seen) in designs().into_iter().zip(&mut *seen) {
            client.words::<()>(&["FLUSHALL"]);
            let filter = design.options(options);
            if options == Options::default() {
                // A missing filter is reported, and not begun anew.
                assert_eq!(client.run(filter.query(&["a", "b"])), [Answer::Missing; 2]);
                let error = client.fail(filter.insert_many(&["a", "b"]));
                assert!(matches!(error, Error::Missing { .. }), "{filter:?}");
                assert_eq!(client.words::<u64>(&["DBSIZE"]), 0, "{filter:?}");
            }
            for is_new in [true, false] {
                assert_eq!(filter.create().map(|create| client.run(create)), Some(is_new));
            }
            // The second half repeats the first.
            let elements = names("in", count);
            let new = client.run(filter.insert_many(&[&elements[..], &elements].concat()));
            let (first, again) = new.split_at(elements.len());
            assert!(first.iter().filter(|&&new| new).count() > first.len() * 9 / 10);
            // The first bitmap of a growing filter is not queried before an insert, as published.
            let is_growing = matches!(filter, Design::Growing(_));
            let known = if is_growing { elements.len() / 2 } else { 0 };
            assert!(!again[known..].contains(&true), "{filter:?}");
            let answers = client.run(filter.query(&[elements, names("out", count)].concat()));
            let mut keys: Vec<String> = client.words(&["KEYS", "*"]);
            keys.sort_unstable();
            let values: Vec<Vec<u8>> = (keys.iter())
                .map(|key| client.command(cmd("GET").arg(key)))
                .collect();
            let now = (keys, values, new.clone(), answers);
            assert!(*seen.get_or_insert_with(|| now.clone()) == now, "{filter:?}");
        }
        assert!(seen[0] == seen[1], "a time to live changes bits");
    };
    let check = |client: &mut Client| {
        let reported = Options::default();
        let empty = reported.missing(Missing::Empty);
        for options in [reported, reported.bits_per_trip(100), empty] {
            check(client, options);
        }
    };
    for_each_client(check);
    for_each_cluster_client(|client, _| check(client));
}

#[test]
fn elements_are_bytes_and_batches_may_be_empty() {
    let client = &mut Client::of_new_module();
    let long = vec![b'x'; 300];
    let elements: [&[u8]; 4] = [b"", b"\xff\xfe\x00", &long, "\u{4e2d}".as_bytes()];
    let odd = new_fixed(Schema::fixed(3_000, 0.03)).named(b"\xff{\x00");
    for filter in [
        Design::fixed(100, 1e-4),
        Design::Fixed(odd),
        Design::growing(50, 1e-4),
        Design::loaded(),
    ] {
        let none: &[&str] = &[];
        assert!(client.run(filter.insert_many(none)).is_empty());
        assert!(client.run(filter.query(none)).is_empty());
        client.words::<()>(&["FLUSHALL"]);
        filter.fill(client, &[]);
        assert_eq!(client.run(filter.insert_many(&elements)), [true; 4], "{filter:?}");
        check_all_there(&client.run(filter.query(&elements)));
        assert_eq!(client.run(filter.query(&["other"])), [Answer::Absent]);
    }
}

#[test]
fn a_client_with_other_parameters_gets_an_error() {
    // The same length of the string: other probes; a rate that went through fewer digits; the other way round.
    let [a, b] = [Schema::fixed(1_000, 0.01), Schema::fixed(500, 0.0001)].map(new_fixed);
    let [c, d] = (1_000_000..)
        .map(|count| [0.01, f64::from(0.01_f32)].map(|rate| new_fixed(Schema::fixed(count, rate))))
        .find(|[c, d]| c.schema().bits() != d.schema().bits() && c.schema().bits() % 8 == 1)
        .unwrap();
    let bytes = |filter: &FixedFilter| filter.schema().bits().div_ceil(8);
    assert!(bytes(&a) == bytes(&b) && bytes(&c) == bytes(&d));
    let client = &mut Client::of_new_server();
    for (ours, theirs, key) in [
        (Design::Fixed(a.clone()), Design::Fixed(b.clone()), "bf:f"),
        (Design::Fixed(b), Design::Fixed(a), "bf:f"),
        (Design::Fixed(c), Design::Fixed(d), "bf:f"),
        (
            Design::growing(50, 0.01),
            Design::growing(50, 0.02),
            "bloom-redis:parameters:{g}:",
        ),
    ] {
        client.words::<()>(&["FLUSHALL"]);
        let elements = names("in", 100);
        ours.fill(client, &elements);
        for missing in [Missing::Reported, Missing::Empty, Missing::Published] {
            if key != "bf:f" && missing != Missing::Reported {
                continue;
            }
            let theirs = theirs.options(Options::default().missing(missing));
            let mut errors = vec![
                client.fail(theirs.create().unwrap()),
                client.fail(theirs.query(&elements[..1])),
                client.fail(theirs.query(&elements)),
                client.fail(theirs.insert_many(&elements[..1])),
                client.fail(theirs.stats().unwrap()),
            ];
            if let Design::Fixed(theirs) = &theirs {
                errors.push(client.fail(theirs.write_marks()));
            }
            for error in errors {
                assert!(matches!(error, Error::Mismatch(_)), "{missing:?}: {error}");
                assert_eq!(error.key(), Some(key.as_bytes()));
            }
        }
        check_all_there(&client.run(ours.query(&elements)));
    }
}
