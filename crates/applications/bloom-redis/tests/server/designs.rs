//! Tests that hold for every design.

use std::time::Duration;

use bloom_redis::{Answer, Error, Expiry, Missing, Options, Schema};
use redis::cmd;

use crate::support::{Client, Design, for_each_place, names, new_fixed};

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
            assert!(client.run(filter.create()) && !client.run(filter.create()));
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
    for_each_place(|client| {
        let reported = Options::default();
        let empty = reported.missing(Missing::Empty);
        for options in [reported, reported.bits_per_trip(100), empty] {
            check(client, options);
        }
    });
}
