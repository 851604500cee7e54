//! A filter is read, merged and looked up only with the hash that filled it: whatever compiles otherwise is an error or
//! "might contain".

use hashzoo::xxph3_64;
use membership_filters::guava::{BloomFilter, Parameters};
use membership_filters::{
    Bytes, CuckooFilter, Error, Funnel, Hash128, Hashed, Hashing, Integer, Key, KeyBytes, Long, Sequence,
    Utf8, Utf16Units, Xxph3, envelope, redisbloom, spark,
};

use super::support::salted::Salted;
use super::support::samples::sample;

fn keys() -> Vec<String> {
    (0..1000).map(|i| format!("key-{i}")).collect()
}

/// Every kind is stored and read by the same code.
#[test]
fn a_stored_filter_is_read_only_with_the_hash_that_filled_it() {
    fn stored<F: Funnel<T>, T>(funnel: F, keys: &[T]) -> Vec<u8> {
        let mut filter = BloomFilter::new(funnel, &Parameters::new(1000, 0.01).unwrap()).unwrap();
        filter.insert_many(keys);
        filter.to_bytes()
    }
    fn read<F: Hashing + Clone>(bytes: &[u8], funnel: F) -> [Result<(), Error>; 2] {
        let slice = BloomFilter::from_bytes(bytes, funnel.clone());
        [slice, BloomFilter::read_from(bytes, funnel)].map(|read| read.map(drop))
    }
    let (texts, numbers) = (keys(), (0..1000).collect::<Vec<i64>>());
    let sequences: Vec<[&str; 1]> = texts.iter().map(|text| [text.as_str()]).collect();
    for (stored, ours) in [
        (stored(Utf8, &texts), Utf8.hash_id()),
        (stored(Xxph3, &texts), Xxph3.hash_id()),
        (stored(Utf16Units, &texts), Utf16Units.hash_id()),
        (stored(Long, &numbers), Long.hash_id()),
        (stored(Sequence(Xxph3), &sequences), Sequence(Xxph3).hash_id()),
    ] {
        assert_eq!(envelope::hash_id(&stored), Ok(ours));
        for (theirs, results) in [
            (Utf8.hash_id(), read(&stored, Utf8)),
            (Bytes.hash_id(), read(&stored, Bytes)),
            (Xxph3.hash_id(), read(&stored, Xxph3)),
            (Utf16Units.hash_id(), read(&stored, Utf16Units)),
            (Integer.hash_id(), read(&stored, Integer)),
            (Long.hash_id(), read(&stored, Long)),
            (Sequence(Utf8).hash_id(), read(&stored, Sequence(Utf8))),
            (Sequence(Xxph3).hash_id(), read(&stored, Sequence(Xxph3))),
            (Salted(1).hash_id(), read(&stored, Salted(1))),
            (ours, read(&stored, ours)),
        ] {
            let text = format!("the hash of the filter's keys must be the funnel's, {theirs}, got {ours}");
            for result in results {
                assert_eq!(result.is_ok(), ours == theirs);
                if let Err(error) = result {
                    assert!(matches!(error, Error::Incompatible(_)));
                    assert_eq!(error.to_string(), text);
                }
            }
        }
    }
}

#[test]
fn sequences_have_no_separators_and_the_function_of_their_funnel() {
    fn check<F: Hashing + Clone + for<'a> Funnel<&'a str> + Funnel<str>>(funnel: F) {
        let whole = Hash128::of_key(&funnel, "abc");
        let (of, twice) = (Sequence(funnel.clone()), Sequence(Sequence(funnel.clone())));
        assert_eq!(Hash128::of_key(&of, &["ab", "c"]), whole);
        assert_eq!(Hash128::of_key(&of, &["ab", "c"][..]), whole);
        assert_eq!(Hash128::of_key(&of, &&["abc"][..]), whole);
        assert_eq!(Hash128::of_key(&of, &vec!["a", "", "bc"]), whole);
        assert_eq!(
            Hash128::of_key(&of, &Vec::<&str>::new()),
            Hash128::of_key(&funnel, "")
        );
        assert_eq!(Hash128::of_key(&twice, &[["a", "b"], ["c", ""]]), whole);
    }
    check(Utf8);
    check(Xxph3);
}

/// Stored filters depend on these bytes.
#[test]
fn keys_of_the_fast_hash_have_fixed_bytes() {
    fn hash<K: Key + ?Sized>(key: &K) -> u64 {
        Hash128::of_key(&Xxph3, key).h1
    }
    let minus_one = xxph3_64(&[0xff; 8], 0);
    assert_eq!(
        [hash(&-1_i8), hash(&-1_i64), hash(&u64::MAX), hash(&-1_isize)],
        [minus_one; 4]
    );
    assert_eq!(
        [hash(&7_u32), hash(&7_i16), hash(&&7_usize)],
        [xxph3_64(&7_u64.to_le_bytes(), 0); 3]
    );
    let long = "a text of more than sixty-four bytes, which XXPH3 takes in another way than short ones";
    for text in ["", "a", "é", "key", long] {
        let of_text = [hash(text), hash(&text.to_owned()), hash(text.as_bytes())];
        assert_eq!(of_text, [xxph3_64(text.as_bytes(), 0); 3]);
    }
    assert_eq!(hash(b"key"), hash("key"));
    let parts = [xxph3_64(b"ab", 0), 7, xxph3_64(b"c", 0)].map(u64::to_le_bytes);
    assert_eq!(hash(&("ab", 7_u16, b"c")), xxph3_64(parts.as_flattened(), 0));
    assert_ne!(hash(&("ab", "c")), hash(&("a", "bc")));
    let nested = [xxph3_64(parts[..2].as_flattened(), 0), 1].map(u64::to_le_bytes);
    assert_eq!(hash(&(("ab", 7), 1)), xxph3_64(nested.as_flattened(), 0));
    // The second half is SplitMix64's first number from the first.
    let alice = Hash128::of_key(&Xxph3, "alice");
    assert_eq!(
        (alice.h1, alice.h2),
        (0xdb18_c164_5818_a986, 0x1841_80fa_d703_f3a5)
    );
}

#[test]
fn the_seed_of_sparks_hash_is_part_of_its_identity() {
    let (ours, usual) = (spark::ItemBytes { seed: -5 }, spark::ItemBytes::default());
    let mut filter = BloomFilter::with_capacity(ours, 1000, 0.01).unwrap();
    filter.insert_many(&keys());
    let bytes = filter.to_bytes();
    let refused = BloomFilter::from_bytes(&bytes, usual).unwrap_err();
    assert!(matches!(refused, Error::Incompatible(_)));
    assert!(refused.to_string().ends_with("UTF-8, seed -5"), "{refused}");
    assert_eq!(BloomFilter::from_bytes(&bytes, ours), Ok(filter));
    let id = envelope::hash_id(&bytes).unwrap();
    let filter = BloomFilter::from_bytes(&bytes, id).unwrap();
    let hash = |key: String| Hashed::assume(id, id.hash_bytes(key.as_bytes()));
    assert!(keys().into_iter().all(|key| filter.contains_hashed(&hash(key))));
    let sequence = Hash128::of_key(&Sequence(ours), &["ab", "c"]);
    assert_eq!(sequence, Hash128::of_key(&ours, "abc"));
    assert_eq!(sequence, Sequence(ours).hash_id().hash_bytes(b"abc"));
}

/// Bytes on the heap are those that a shorter key has inside.
#[test]
fn keys_of_any_length_have_the_bytes_that_were_put() {
    for len in (0..400).step_by(3) {
        let units: Vec<u16> = (0..len).collect();
        let expected: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
        for first in [0, 1, 63, 64, 65, 200] {
            let (head, tail) = units.split_at(units.len().min(first));
            let mut bytes = KeyBytes::new();
            head.iter().for_each(|&unit| bytes.put_utf16_unit(unit));
            bytes.put_utf16_units(tail.iter().copied());
            assert_eq!(*bytes, *expected);
            let mut pieces = KeyBytes::default();
            expected
                .chunks(first + 1)
                .for_each(|piece| pieces.put_bytes(piece));
            assert_eq!(*pieces, *expected);
        }
    }
}

/// Guava's `putFloat` and `putDouble` take the bits: zeros of both signs are two keys, and NaNs are as many as
/// payloads.
#[test]
fn numbers_are_put_as_their_bits() {
    let mut bytes = KeyBytes::new();
    for number in [0.0, -0.0, f64::from_bits(0x7ff8_0000_0000_0001)] {
        bytes.put_f64_bits(number);
    }
    bytes.put_f32_bits(-0.0);
    assert_eq!(
        hex::encode(&*bytes),
        "0000000000000000000000000000008001000000 0000f87f00000080".replace(' ', "")
    );
}

/// A reader, which says whether it took the bytes.
type Read = fn(&[u8]) -> Result<(), Error>;

#[test]
fn each_reader_says_which_form_it_was_given() {
    let mut plain = BloomFilter::new(Utf8, &Parameters::new(1000, 0.01).unwrap()).unwrap();
    plain.insert("key");
    let spark = spark::BloomFilter::new(&spark::Parameters::new(1000, 0.01).unwrap()).unwrap();
    let redisbloom = redisbloom::BloomFilter::with_capacity(10, 0.1).unwrap();
    let guava = plain.to_guava();
    let read: [(&str, Read); 4] = [
        ("guava::BloomFilter::from_guava", |bytes| {
            BloomFilter::from_guava(bytes, Utf8).map(drop)
        }),
        ("spark::BloomFilter::from_spark", |bytes| {
            spark::BloomFilter::from_spark(bytes).map(drop)
        }),
        ("redisbloom::BloomFilter::from_redisbloom", |bytes| {
            redisbloom::BloomFilter::from_redisbloom(bytes).map(drop)
        }),
        ("CuckooFilter", |bytes| {
            CuckooFilter::from_bytes(bytes, Utf8).map(drop)
        }),
    ];
    for (bytes, form) in [
        (&plain.to_bytes()[..], "the stored form of `guava::BloomFilter`"),
        (&spark.to_bytes(), "the stored form of `spark::BloomFilter`"),
        (
            &redisbloom.to_bytes(),
            "the stored form of `redisbloom::BloomFilter`",
        ),
        (
            &sample("blocked-xxph3.text"),
            "the stored form of `BlockedBloomFilter`",
        ),
        (
            &guava,
            "Guava's stream, which `guava::BloomFilter::from_guava` reads",
        ),
        (
            &spark.to_spark(),
            "Spark's stream, which `spark::BloomFilter::from_spark` reads",
        ),
        (
            b"filter/1................",
            "a file of the crate `filter-sets`, which `filter_sets::StoredFilter::open` reads",
        ),
        (b"something else", ""),
        // The first bytes of Guava's stream, in another number than it says.
        (&guava[..guava.len() - 1], ""),
        (&[&guava[..], &[0]].concat(), ""),
    ] {
        for (reader, read) in read {
            let Err(error) = read(bytes) else {
                assert!(form.contains(reader), "{reader}: {form}");
                continue;
            };
            let error = error.to_string();
            let text = format!(": these bytes seem to be {form}");
            let is_told = if form.is_empty() {
                !error.contains("seem")
            } else {
                error.ends_with(&text)
            };
            assert!(is_told, "{reader}: {error}");
        }
    }
}
