//! A filter is read, merged and looked up only with the hash that filled it: whatever compiles otherwise is an error or
//! "might contain".

use membership_filters::{
    BlockedBloomFilter, BlockedParameters, CounterWidth, CountingBloomFilter, CuckooFilter, CuckooParameters,
    Error, GrowingBloomFilter, GrowingParameters, Xxph3,
};
use membership_filters::{
    BloomFilter, Bytes, ConcurrentBloomFilter, ErrorKind, Funnel, HashId, Hashed, Hashing, Integer, Long,
    Parameters, Sequence, Sink, Utf8, Utf16Units, envelope, spark,
};

use super::support::salted::Salted;

fn keys() -> Vec<String> {
    (0..1000).map(|i| format!("key-{i}")).collect()
}

/// Makes one filter of each kind with these keys and this funnel, and returns the stored forms.
fn stored<F: Funnel<T> + Hashing + Clone, T>(funnel: &F, keys: &[T]) -> [Vec<u8>; 5] {
    let parameters = Parameters::new(1000, 0.01).unwrap();
    let f = || funnel.clone();
    let mut plain = BloomFilter::new(f(), &parameters).unwrap();
    let mut blocked = BlockedBloomFilter::new(f(), &BlockedParameters::new(1000, 0.01).unwrap()).unwrap();
    let mut counting = CountingBloomFilter::new(f(), &parameters, CounterWidth::FOUR).unwrap();
    let mut cuckoo = CuckooFilter::new(f(), &CuckooParameters::new(1000, 0.01).unwrap()).unwrap();
    let mut growing = GrowingBloomFilter::new(f(), &GrowingParameters::new(100, 0.01).unwrap()).unwrap();
    for key in keys {
        plain.insert(key);
        blocked.insert(key);
        counting.insert(key);
        cuckoo.insert(key).unwrap();
        growing.insert(key).unwrap();
    }
    [
        envelope::to_bytes(&plain),
        blocked.to_bytes(),
        counting.to_bytes(),
        cuckoo.to_bytes(),
        growing.to_bytes(),
    ]
}

/// Reads these stored forms with a funnel, from slices and as streams.
fn read<F: Hashing + Clone>(stored: &[Vec<u8>; 5], funnel: &F) -> Vec<Result<(), Error>> {
    let [plain, blocked, counting, cuckoo, growing] = stored;
    let f = || funnel.clone();
    vec![
        envelope::from_bytes::<BloomFilter<F>>(plain, f()).map(drop),
        envelope::from_bytes::<ConcurrentBloomFilter<F>>(plain, f()).map(drop),
        BlockedBloomFilter::from_bytes(blocked, f()).map(drop),
        CountingBloomFilter::from_bytes(counting, f()).map(drop),
        CuckooFilter::from_bytes(cuckoo, f()).map(drop),
        GrowingBloomFilter::from_bytes(growing, f()).map(drop),
        BlockedBloomFilter::read_from(&blocked[..], f()).map(drop),
        GrowingBloomFilter::read_from(&growing[..], f()).map(drop),
    ]
}

#[test]
fn a_stored_filter_is_read_only_with_the_hash_that_filled_it() {
    let (texts, numbers) = (keys(), (0..1000).collect::<Vec<i64>>());
    let sequences: Vec<[&str; 1]> = texts.iter().map(|text| [text.as_str()]).collect();
    for (stored, ours) in [
        (stored(&Utf8, &texts), Utf8.hash_id()),
        (stored(&Xxph3, &texts), Xxph3.hash_id()),
        (stored(&Utf16Units, &texts), Utf16Units.hash_id()),
        (stored(&Long, &numbers), Long.hash_id()),
        (stored(&Sequence(Xxph3), &sequences), Sequence(Xxph3).hash_id()),
    ] {
        assert!(stored.iter().all(|bytes| envelope::hash_id(bytes) == Ok(ours)));
        for (theirs, results) in [
            (Utf8.hash_id(), read(&stored, &Utf8)),
            (Bytes.hash_id(), read(&stored, &Bytes)),
            (Xxph3.hash_id(), read(&stored, &Xxph3)),
            (Utf16Units.hash_id(), read(&stored, &Utf16Units)),
            (Integer.hash_id(), read(&stored, &Integer)),
            (Long.hash_id(), read(&stored, &Long)),
            (Sequence(Utf8).hash_id(), read(&stored, &Sequence(Utf8))),
            (Sequence(Xxph3).hash_id(), read(&stored, &Sequence(Xxph3))),
            (Salted(1).hash_id(), read(&stored, &Salted(1))),
            (ours, read(&stored, &ours)),
        ] {
            for result in results {
                let expected =
                    format!("the hash of the filter's keys must be the funnel's, {theirs}, got {ours}");
                match result {
                    Ok(()) => assert_eq!(ours, theirs),
                    Err(error) => {
                        assert_eq!(
                            (error.kind(), error.to_string()),
                            (ErrorKind::Incompatible, expected)
                        );
                        assert_ne!(ours, theirs);
                    }
                }
            }
        }
    }
}

#[test]
fn an_identity_from_the_header_finds_the_keys() {
    for [_, bytes, ..] in [stored(&Utf8, &keys()), stored(&Xxph3, &keys())] {
        let id = envelope::hash_id(&bytes).unwrap();
        let filter = BlockedBloomFilter::<HashId>::from_bytes(&bytes, id).unwrap();
        let mut hashes = keys()
            .into_iter()
            .map(|key| Hashed::assume(id, id.hash(key.as_bytes())));
        assert!(hashes.all(|hash| filter.might_contain_hash(&hash)));
        assert!(filter.to_bytes() == bytes);
    }
}

#[test]
fn sequences_and_keys_in_pieces_are_hashed_by_the_function_of_their_funnel() {
    let mut filter = BloomFilter::new(Xxph3, &Parameters::new(1000, 0.01).unwrap()).unwrap();
    let mut sequences = BloomFilter::new(Sequence(Xxph3), &Parameters::new(1000, 0.01).unwrap()).unwrap();
    for key in keys() {
        filter.insert(&key);
        sequences.insert(&[&key[..2], &key[2..]]);
    }
    assert_eq!(filter.words(), sequences.words());
    assert!(keys().iter().all(|key| sequences.might_contain(&[key])));
}

/// Hash values of a funnel of another type do not compile; `Hashed` has an example.
#[test]
fn the_hash_of_an_unequal_funnel_might_be_contained_and_is_not_inserted() {
    macro_rules! check {
        ($new:expr) => {{
            let mut filter = $new(Salted(7));
            let (ours, theirs) = (Hashed::new(Salted(7), "key"), Hashed::new(Salted(8), "key"));
            assert!(!filter.might_contain_hash(&ours) && filter.might_contain_hash(&theirs));
            let error = filter.insert_hash(&theirs).map(drop).unwrap_err();
            assert_eq!(
                (error.kind(), error.to_string()),
                (
                    ErrorKind::Incompatible,
                    "the funnel of the hash must be equal to the filter's, got another one".to_owned()
                )
            );
            assert!(filter == $new(Salted(7)));
            filter.insert_hash(&ours).map(drop).unwrap();
            assert!(filter.might_contain("key") && filter.hash("key") == ours);
            (filter, ours, theirs)
        }};
    }
    let parameters = Parameters::new(1000, 0.01).unwrap();
    let (mut plain, ours, theirs) = check!(|funnel| BloomFilter::new(funnel, &parameters).unwrap());
    assert!(plain.insert_hashes(&[ours.clone(), theirs.clone()]).is_err());
    let absent = Hashed::new(Salted(7), "absent");
    assert_eq!(
        plain.might_contain_hashes(&[absent.clone(), theirs.clone()]),
        [false, true]
    );
    let blocks = BlockedParameters::new(1000, 0.01).unwrap();
    let (mut blocked, ..) = check!(|funnel| BlockedBloomFilter::new(funnel, &blocks).unwrap());
    assert!(blocked.insert_hashes(&[ours.clone(), theirs.clone()]).is_err());
    assert_eq!(
        blocked.might_contain_hashes(&[absent, theirs.clone()]),
        [false, true]
    );
    let width = CounterWidth::FOUR;
    let (mut counting, ..) = check!(|funnel| CountingBloomFilter::new(funnel, &parameters, width).unwrap());
    assert!(counting.remove_hash(&theirs).is_err() && counting.remove_hash(&ours).unwrap());
    let slots = CuckooParameters::new(1000, 0.01).unwrap();
    let (mut cuckoo, ..) = check!(|funnel| CuckooFilter::new(funnel, &slots).unwrap());
    assert!(cuckoo.remove_hash(&theirs).is_err() && cuckoo.remove_hash(&ours).unwrap());
    let growth = GrowingParameters::new(1000, 0.01).unwrap();
    check!(|funnel| GrowingBloomFilter::new(funnel, &growth).unwrap());
}

#[test]
fn the_hash_of_spark_under_another_seed_might_be_contained_and_is_not_inserted() {
    let version = spark::Version::V2 { seed: 7 };
    let parameters = spark::Parameters::new(1000, 0.01).unwrap().with_version(version);
    let mut filter = spark::BloomFilter::new(&parameters).unwrap();
    let hashes: Vec<_> = keys()
        .iter()
        .map(|key| spark::HashPair::of(key.as_bytes(), 0))
        .collect();
    assert!(hashes.iter().all(|&hash| filter.might_contain_hash(hash)));
    assert_eq!(filter.might_contain_hashes(&hashes), vec![true; 1000]);
    for error in [
        filter.insert_hash(hashes[0]).map(drop).unwrap_err(),
        filter.insert_hashes(&hashes).map(drop).unwrap_err(),
    ] {
        assert_eq!(
            error.to_string(),
            "the seed of the hash must be the filter's, 7, got 0"
        );
    }
    assert_eq!(filter.ones(), 0);
    filter.insert_many(&keys());
    let own: Vec<_> = keys().iter().map(|key| version.hash(key)).collect();
    assert_eq!(filter.might_contain_hashes(&own), vec![true; 1000]);
    let mut again = spark::BloomFilter::new(&parameters).unwrap();
    again.insert_hashes(&own).unwrap();
    assert_eq!(again, filter);
}

/// Guava's `putFloat` and `putDouble` take the bits: zeros of both signs are two keys, and NaNs are as many as payloads.
#[test]
fn numbers_are_put_as_their_bits() {
    let mut bytes = Vec::new();
    for number in [0.0, -0.0, f64::from_bits(0x7ff8_0000_0000_0001)] {
        bytes.put_f64_bits(number);
    }
    bytes.put_f32_bits(-0.0);
    assert_eq!(
        hex::encode(bytes),
        "0000000000000000000000000000008001000000 0000f87f00000080".replace(' ', "")
    );
}

#[test]
fn each_reader_says_which_form_it_was_given() {
    let mut plain = BloomFilter::new(Utf8, &Parameters::new(1000, 0.01).unwrap()).unwrap();
    plain.insert("key");
    let [envelope, blocked, ..] = stored(&Utf8, &keys());
    let spark = spark::BloomFilter::new(&spark::Parameters::new(1000, 0.01).unwrap()).unwrap();
    let guava = plain.to_bytes();
    let text = |result: Result<(), Error>| result.unwrap_err().to_string();
    let from_guava = |bytes: &[u8]| text(BloomFilter::from_bytes(bytes, Utf8).map(drop));
    let from_spark = |bytes: &[u8]| text(spark::BloomFilter::from_bytes(bytes).map(drop));
    let from_envelope = |bytes: &[u8]| text(CuckooFilter::from_bytes(bytes, Utf8).map(drop));
    for (error, form) in [
        (from_guava(&envelope), "the envelope of `BloomFilter`"),
        (
            from_guava(&spark.to_bytes()),
            "Spark's stream, which `spark::BloomFilter::from_bytes` reads",
        ),
        (
            from_spark(&guava),
            "Guava's stream, which `BloomFilter::from_bytes` reads",
        ),
        (from_spark(&blocked), "the envelope of `BlockedBloomFilter`"),
        (
            from_envelope(&guava),
            "Guava's stream, which `BloomFilter::from_bytes` reads",
        ),
        (
            from_envelope(&spark.to_bytes()),
            "Spark's stream, which `spark::BloomFilter::from_bytes` reads",
        ),
        (from_envelope(&blocked), "the envelope of `BlockedBloomFilter`"),
    ] {
        assert!(
            error.ends_with(&format!(": these bytes seem to be {form}")),
            "{error}"
        );
    }
    assert!(!from_envelope(b"something else").contains("seem"));
}
