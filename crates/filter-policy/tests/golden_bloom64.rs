//! `BloomFilter64.Xxph3`: filters that another program wrote from the format's description, and the rate that the policy
//! exists for.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use filter_policy::{BitsPerKey, BloomFilter64Policy, BloomFilter64View, FilterKind, FilterPolicy, Kernel};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use serde::Deserialize;
use sha2::{Digest, Sha256};

#[path = "support/expectation.rs"]
mod expectation;
mod support;

use expectation::exact_rate;
use support::{key, rows, unhex};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    keys: String,
    bits_per_key: f64,
    n: u32,
    len: usize,
    k: u8,
    sha256: String,
    filter_hex: Option<String>,
    absent: String,
}

#[test]
fn filters_are_those_of_the_other_program() {
    let rows: Vec<Row> = rows("bloom64/filters.jsonl");
    assert_eq!(rows.len(), 198);
    for row in rows {
        let at = format!("{} keys {}, {} bits", row.n, row.keys, row.bits_per_key);
        let policy = BloomFilter64Policy::new(BitsPerKey::fractional(row.bits_per_key).unwrap());
        let keys: Vec<Vec<u8>> = (0..row.n).map(|i| key(&row.keys, i)).collect();
        let mut filter = vec![0xaa; policy.filter_len(keys.len()).unwrap()];
        policy.build_in(&keys, &mut filter).unwrap();
        assert_eq!(filter.len(), row.len, "{at}");
        let slices: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
        let absent: Vec<Vec<u8>> = (1_000_000..1_000_100).map(|i| key(&row.keys, i)).collect();
        let absent: Vec<&[u8]> = absent.iter().map(Vec::as_slice).collect();
        for kernel in Kernel::available() {
            let mut again = vec![0xaa; filter.len()];
            policy
                .on_kernel(kernel)
                .create_filter(&slices, &mut again)
                .unwrap();
            assert_eq!(again, filter, "{at}, {kernel}");
            let mut answers = [0_u64; 2];
            let view = BloomFilter64View::on_kernel(&filter, kernel);
            view.may_match_many(&absent[..], &mut answers).unwrap();
            for (i, expected) in row.absent.chars().enumerate() {
                assert_eq!(
                    answers[i / 64] >> (i % 64) & 1 == 1,
                    expected == '1',
                    "{at}, {kernel}: {i}"
                );
            }
        }
        if let Some(digits) = &row.filter_hex {
            assert_eq!(filter, unhex(digits), "{at}");
        }
        assert_eq!(Sha256::digest(&filter)[..], unhex(&row.sha256), "{at}");

        let view = BloomFilter64View::new(&filter);
        assert_eq!(
            (view.kind(), view.probe_count()),
            (FilterKind::Bloom, Some(row.k)),
            "{at}"
        );
        for key in &keys {
            assert!(policy.key_may_match(key, &filter), "{at}: {key:x?} is denied");
        }
        assert_eq!(row.absent.len(), 100);
        for (i, expected) in (1_000_000..).zip(row.absent.chars()) {
            let key = key(&row.keys, i);
            assert_eq!(
                policy.key_may_match(&key, &filter),
                expected == '1',
                "{at}: {key:x?}"
            );
        }
    }
}

/// Within what so many queries leave to chance, about three times the standard deviation. `examples/rates.rs` measures
/// closer.
#[test]
fn the_rate_is_the_exact_expectation() {
    let mut random = SplitMix64::seed_from_u64(1);
    for (bits, keys, filters, queries, tolerance) in [
        (10, 32, 20_000, 100, 0.03),
        (10, 1_000, 1_000, 2_000, 0.03),
        (10, 100_000, 4, 500_000, 0.03),
        (15, 32, 40_000, 200, 0.05),
        (15, 4_096, 200, 40_000, 0.05),
        (20, 32, 60_000, 400, 0.08),
        (20, 1_000, 2_000, 12_000, 0.08),
        (20, 100_000, 20, 1_200_000, 0.08),
    ] {
        let policy = BloomFilter64Policy::new(BitsPerKey::whole(bits));
        let mut buffer = vec![0; policy.filter_len(keys).unwrap()];
        let mut matches = 0;
        let mut stated = 0.0;
        for _ in 0..filters {
            let hashes: Vec<u64> = (0..keys).map(|_| random.next_u64()).collect();
            let filter = policy.build_hashes_in(hashes, &mut buffer).unwrap();
            let view = BloomFilter64View::new(filter);
            stated += view.false_positive_rate() / f64::from(filters);
            matches += (0..queries)
                .filter(|_| view.may_match_hash(random.next_u64()))
                .count();
        }
        let rate = matches as f64 / (f64::from(filters) * f64::from(queries));
        let probes = policy.probe_count(keys).unwrap();
        let size = policy.bits_per_key().filter_bits(keys as u64).unwrap();
        let expected = exact_rate(size, keys as u64, probes);
        let at = format!("{keys} keys at {bits} bits: measured {rate}, expected {expected}, stated {stated}");
        assert!((rate / expected - 1.0).abs() < tolerance, "{at}");
        // What filters say of themselves from their ones is the same expectation.
        assert!((stated / expected - 1.0).abs() < 0.02, "{at}");
    }
}

#[test]
fn the_exact_rate_is_known_for_one_key() {
    // One key with one probe: the absent key meets its bit in one case of 64.
    assert!((exact_rate(64, 1, 1) - 1.0 / 64.0).abs() < 1e-15);
    // With two, in a filter of two bits: by counting the 16 cases.
    assert!((exact_rate(2, 1, 2) - 5.0 / 8.0).abs() < 1e-15);
}

#[test]
fn reading_follows_the_rules_at_every_edge() {
    let expectations: [(&[u8], FilterKind, bool); 11] = [
        (&[], FilterKind::TooShort, false),
        (&[0x86], FilterKind::TooShort, false),
        (&[0xff], FilterKind::TooShort, false),
        (&[0, 0], FilterKind::Reserved, true),
        (&[0, 6], FilterKind::Reserved, true),
        (&[0, 0x80], FilterKind::Reserved, true),
        (&[0, 0x81], FilterKind::Bloom, false),
        (&[0xff, 0x81], FilterKind::Bloom, true),
        (&[0, 0x9e], FilterKind::Bloom, false),
        (&[0, 0x9f], FilterKind::Reserved, true),
        (&[0, 0xff], FilterKind::Reserved, true),
    ];
    for (filter, kind, answer) in expectations {
        let view = BloomFilter64View::new(filter);
        assert_eq!(
            (view.kind(), view.may_match(b"key")),
            (kind, answer),
            "{filter:x?}"
        );
        let rate = match kind {
            FilterKind::Reserved => 1.0,
            _ => f64::from(u8::from(answer)),
        };
        assert_eq!(view.false_positive_rate(), rate, "{filter:x?}");
    }
}
