//! The parameter record on a real server.

use bloom_redis::{ErrorKind, FixedFilter, GrowingFilter, Record, Schema, SplitFilter, hash_tag};
use redis::cmd;

use crate::support::for_each_client;

#[test]
fn a_record_is_written_once_and_checked_on_opening() {
    for_each_client(|client| {
        let filter = FixedFilter::new("f", Schema::fixed(3_000, 0.03).unwrap()).unwrap();
        let other = FixedFilter::new("f", Schema::fixed(3_000, 0.01).unwrap()).unwrap();
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
                "bloom-redis:parameters:{bf:}: fpp must be 0.03 as in the record, got 0.01"
            );
        }
        let stored = client.run(Record::read(FixedFilter::PREFIX)).unwrap();
        assert_eq!(
            (stored.design(), stored.bits(), stored.probe_count()),
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
        client.run(FixedFilter::new("f", schema).unwrap().with_prefix("p:").adopt());
        let error = client.fail(GrowingFilter::new("", schema).unwrap().with_prefix("p:").open());
        assert_eq!(
            error.to_string(),
            "bloom-redis:parameters:{p:}: design must be fixed as in the record, got growing"
        );
        let split = SplitFilter::new("s", Schema::words(3_000, 0.03).unwrap()).unwrap();
        client.run(split.adopt());
        client.run(split.open());
        let parts = split.with_part_bits(640).unwrap();
        let error = client.fail(parts.open());
        assert_eq!(error.kind(), ErrorKind::Mismatch);
        assert!(error.to_string().contains(": part_bits must be "), "{error}");
    });
}

#[test]
fn something_else_in_the_place_of_a_record_is_an_error() {
    for_each_client(|client| {
        let filter = FixedFilter::new("f", Schema::fixed(3_000, 0.03).unwrap()).unwrap();
        let key = Record::key(FixedFilter::PREFIX.as_bytes());
        assert_eq!(hash_tag(&key), Some(FixedFilter::PREFIX.as_bytes()));
        client.command::<()>(cmd("SET").arg(&key).arg(&b"\xffsomething"[..]));
        for error in [client.fail(filter.open()), client.fail(filter.adopt())] {
            assert_eq!(
                error.to_string(),
                "bloom-redis:parameters:{bf:}: the value must be a parameter record, got \"\\xffsomething\""
            );
        }
    });
}
