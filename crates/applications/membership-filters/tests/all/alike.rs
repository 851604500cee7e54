//! Every filter reads the same: one text fills, queries, merges, prints and stores each of them.

use std::error::Error as _;
use std::fs;
use std::path::Path;

use membership_filters::backend::Inserted as _;
use membership_filters::{
    BlockedBloomFilter, ConcurrentBlockedBloomFilter, CountingBloomFilter, CuckooFilter, Error, Utf8, Xxph3,
    guava, redisbloom, spark,
};

/// Calls every method of each filter. `with_capacity` takes `$of` and reading `$funnel` if there is a choice, and `$merge` merges two if
/// the kind can.
macro_rules! alike {
    ($($filter:ty $([$of:expr])? $(, $funnel:expr)? => $merge:expr;)+) => {$({
        let made = |rate| <$filter>::with_capacity($($of,)? 1_000, rate);
        for rate in [0.0, 1.0, -0.5, 1.5, f64::NAN, f64::INFINITY] {
            let error = made(rate).unwrap_err();
            let text = format!("the false-positive rate must be above 0 and below 1, got {rate:?}");
            assert!(matches!(error, Error::InvalidArgument(_)));
assert_eq!(error.to_string(), text);
        }
        let empty = || made(0.01).unwrap();
        let (filter, other) = (&mut empty(), &mut empty());
        assert!(!filter.contains("ann") && filter.insert("ann").result() == Ok(true));
        let one = filter.stats();
        let about = if one.is_estimate { "about 1 key in " } else { "1 key in " };
        assert!(one.len == Some(1) && one.to_string().starts_with(about), "{one}");
        assert!(format!("{filter:?}").len() < 500);
        assert!(filter.contains("ann") && filter.insert("ann").result() == Ok(false));
        let _done = filter.insert_many(["bob", "cid"]);
        let _done = filter.insert_many(&["dan".to_owned()]);
        let hashes = ["eve", "fay", "gus"].map(|key| filter.hash(key));
        assert!(filter.insert_hashed(&hashes[0]).unwrap() && filter.contains_hashed(&hashes[0]));
        filter.insert_many_hashed(&hashes[..2]).unwrap();
        assert_eq!(filter.contains_many(["dan", "eve", "gus"]), [true, true, false]);
        assert_eq!(filter.contains_many_hashed(&hashes), [true, true, false]);

        let _new = other.insert("gus");
        let merge: fn(&mut $filter, &$filter) -> Option<Result<(), Error>> = $merge;
        let merged = merge(filter, other).map(Result::unwrap);
        assert_eq!(filter.contains("gus"), merged.is_some());

        let stats = filter.stats();
        assert!(stats.to_string().ends_with("% false positives"), "{stats}");
        assert!(stats.expected_rate == filter.expected_rate() && (0.0..0.01).contains(&stats.expected_rate));
        assert!(stats.memory_bytes == filter.memory_bytes() && filter.bits() <= 8 * stats.memory_bytes);

        let (bytes, mut written) = (filter.to_bytes(), Vec::new());
        filter.write_to(&mut written).unwrap();
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("alike.filter");
        filter.save(&path).unwrap();
        assert!(written == bytes && fs::read(&path).unwrap() == bytes);
        assert!(bytes.len() as u64 == filter.stored_len() && filter.stored_len() > filter.memory_bytes());
        let open = || <$filter>::open(&path $(, $funnel)?);
        for read in [
            <$filter>::from_bytes(&bytes $(, $funnel)?),
            <$filter>::read_from(&bytes[..] $(, $funnel)?),
            open(),
        ] {
            assert_eq!(read.unwrap(), *filter);
        }
        fs::write(&path, [&bytes[..], b"x"].concat()).unwrap();
        let trailing = open().unwrap_err();
        fs::remove_file(&path).unwrap();
        let missing = open().unwrap_err();
        assert!(matches!(
            (&trailing, &missing),
            (Error::TrailingBytes(_), Error::NotFound(_))
        ));
        assert!(trailing.source().is_none() && missing.source().is_some());
        for error in [trailing, missing] {
            assert!(error.to_string().starts_with(&path.display().to_string()), "{error}");
        }
        assert!(matches!(filter.save("/dev/null/filter").unwrap_err(), Error::Write(_)));
    })+};
}

#[test]
fn all_filters_have_the_same_methods() {
    alike! {
        BlockedBloomFilter, Xxph3 => |one, other| Some(one.merge(other));
        ConcurrentBlockedBloomFilter, Xxph3 => |one, other| Some(one.merge(other));
        guava::BloomFilter<Utf8>[Utf8], Utf8 => |one, other| Some(one.merge(other));
        guava::ConcurrentBloomFilter<Utf8>[Utf8], Utf8 => |one, other| Some(one.merge(other));
        spark::BloomFilter => |one, other| Some(one.merge(other));
        redisbloom::BloomFilter => |_, _| None;
        CountingBloomFilter, Xxph3 => |_, _| None;
        CuckooFilter, Xxph3 => |_, _| None;
    }
}
