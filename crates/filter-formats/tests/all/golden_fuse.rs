//! Binary fuse filters that Pebble's code wrote, byte for byte, and its answers.

use filter_formats::BinaryFusePolicy;
use filter_formats::sizing::Format;
use filter_formats::view::{FilterKind, FilterLayout, FilterView};
use filter_policy::{BitsPerKey, FilterPolicy, HashedPolicy};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::support::{rows, unhex};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    keys: String,
    n: u64,
    bits: u8,
    seed: String,
    segment_count: u32,
    segment_length: u32,
    fingerprints: u64,
    len: usize,
    sha256: String,
    filter_hex: Option<String>,
    absent: String,
    answers: String,
}

/// Returns a policy that writes fingerprints of this width for this many keys.
fn of_width(width: u8, keys: u64) -> BinaryFusePolicy {
    let rate = 0.5_f64.powi(width.into());
    BinaryFusePolicy::new(Format::BINARY_FUSE.bits_per_key_for_rate(keys, rate).unwrap())
}

#[test]
fn filters_are_those_of_pebble() {
    let rows: Vec<Row> = rows("pebble/binary_fuse.jsonl");
    assert_eq!(rows.len(), 63);
    for row in rows {
        let at = format!("{} keys, {} bits", row.n, row.bits);
        assert_eq!(row.keys, "key%08d of i + 0");
        let mut keys: Vec<String> = (0..row.n).map(|i| format!("key{i:08}")).collect();
        let policy = of_width(row.bits, row.n);
        let filter = policy.build_batch(&keys).unwrap();
        assert_eq!(filter.len(), row.len, "{at}");
        if let Some(digits) = &row.filter_hex {
            assert_eq!(filter, unhex(digits), "{at}");
        }
        assert_eq!(Sha256::digest(&filter)[..], unhex(&row.sha256), "{at}");

        let (packed, trailer) = filter.split_last_chunk::<14>().unwrap();
        let seed: u64 = row.seed.parse().unwrap();
        assert!(trailer.starts_with(&seed.to_le_bytes()), "{at}");
        let slots = u64::from(row.segment_count + 2) * u64::from(row.segment_length);
        assert_eq!(slots, row.fingerprints, "{at}");
        let view = FilterView::new(FilterLayout::BINARY_FUSE, &filter);
        assert_eq!(view.kind(), FilterKind::BINARY_FUSE);
        assert_eq!(view.bit_array(), packed);
        assert!((view.false_positive_rate() * 2.0_f64.powi(row.bits.into()) - 1.0).abs() < 1e-12);

        assert_eq!(row.absent, "key%08d of i + 100000000 + salt, then /absent");
        let absent: Vec<String> = (0..200)
            .map(|i| format!("key{:08}/absent", 100_000_000 + i))
            .collect();
        let mut answers = [0; 4];
        policy
            .prepare(&filter)
            .may_match_many(&absent, &mut answers)
            .unwrap();
        for (i, (key, expected)) in absent.iter().zip(row.answers.chars()).enumerate() {
            assert_eq!(
                policy.key_may_match(key.as_bytes(), &filter),
                expected == '1',
                "{at}: {key}"
            );
            assert_eq!(
                answers[i / 64] >> (i % 64) & 1 == 1,
                expected == '1',
                "{at}: {key}"
            );
        }
        assert!(
            keys.iter()
                .all(|key| policy.key_may_match(key.as_bytes(), &filter)),
            "{at}"
        );

        // The order of keys does not matter, nor do repeats.
        keys.reverse();
        keys.extend_from_within(..keys.len() / 3);
        keys.extend_from_within(..keys.len() / 5);
        assert!(policy.build_batch(&keys).unwrap() == filter, "{at}");
    }
}

#[test]
fn bits_per_key_choose_the_width() {
    let keys: Vec<[u8; 4]> = (0..3_000_u32).map(u32::to_le_bytes).collect();
    for (bits, width, len) in [
        (0.0, 4, 2_062),
        (10.95, 4, 2_062),
        (10.96, 8, 4_110),
        (13.6, 8, 4_110),
        (13.7, 10, 5_137),
        (20.0, 12, 6_159),
        (21.9, 16, 8_206),
        (1e9, 16, 8_206),
    ] {
        let filter = BinaryFusePolicy::new(BitsPerKey::fractional(bits).unwrap())
            .build_batch(&keys)
            .unwrap();
        assert_eq!((filter.last(), filter.len()), (Some(&width), len), "{bits}");
    }
}
