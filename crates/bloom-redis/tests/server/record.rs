//! The parameter record on a real server.

use bloom_redis::{Error, Fixed, Growing, Record, Schema, Split, hash_tag};
use redis::cmd;

use crate::support::for_each_client;

#[test]
fn a_record_is_written_once_and_checked_on_opening() {
    for_each_client(|client| {
        let filter = Fixed::new(Schema::fixed(3_000, 0.03).unwrap());
        let other = Fixed::new(Schema::fixed(3_000, 0.01).unwrap());
        let error = client.fail(filter.open());
        assert_eq!(
            error.to_string(),
            "bloom-redis:parameters:{bf:}: no parameter record; adopt the filter"
        );
        client.run(filter.adopt());
        client.run(filter.adopt());
        client.run(filter.open());
        for error in [client.fail(other.open()), client.fail(other.adopt())] {
            assert_eq!(
                error.to_string(),
                "bloom-redis:parameters:{bf:}: fpp is 0.03 on the server, 0.01 was given"
            );
        }
        let stored = client.run(Record::read(Fixed::PREFIX)).unwrap();
        assert_eq!(
            (stored.design(), stored.bits(), stored.probes()),
            ("fixed", 21_895, 5)
        );
        assert_eq!(client.run(Record::read("elsewhere:")), None);
        // Another prefix has another record.
        client.run(other.with_prefix("{x}:").adopt());
    });
}

#[test]
fn designs_do_not_pass_for_each_other() {
    for_each_client(|client| {
        let schema = Schema::words(3_000, 0.03).unwrap();
        client.run(Fixed::new(schema).with_prefix("p:").adopt());
        let error = client.fail(Growing::with_names("p:", schema).open());
        assert_eq!(
            error.to_string(),
            "bloom-redis:parameters:{p:}: design is fixed on the server, growing was given"
        );
        let split = Split::new("s", 3_000, 0.03).unwrap();
        client.run(split.adopt());
        client.run(split.open());
        let parts = split.with_part_bits(640).unwrap();
        assert!(matches!(
            client.fail(parts.open()),
            Error::Mismatch {
                what: "part_bits",
                ..
            }
        ));
    });
}

#[test]
fn something_else_in_the_place_of_a_record_is_an_error() {
    for_each_client(|client| {
        let filter = Fixed::new(Schema::fixed(3_000, 0.03).unwrap());
        let key = Record::key(Fixed::PREFIX.as_bytes());
        assert_eq!(hash_tag(&key), Some(Fixed::PREFIX.as_bytes()));
        client.command::<()>(cmd("SET").arg(&key).arg(&b"\xffsomething"[..]));
        for error in [client.fail(filter.open()), client.fail(filter.adopt())] {
            assert_eq!(
                error.to_string(),
                "bloom-redis:parameters:{bf:}: \\xffsomething where a parameter record should be"
            );
        }
    });
}
