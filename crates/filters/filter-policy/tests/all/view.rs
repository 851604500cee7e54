//! Descriptions of stored bytes, at every edge.

use filter_policy::AnyFormat;
use filter_policy::BloomFilter64Policy;
use filter_policy::formats;
use filter_policy::leveldb::LevelDbHash;
use filter_policy::view::{FilterKind, FilterView};
use filter_policy::{BitsPerKey, BloomFilterPolicy, FilterPolicy};

use super::support::keys::filter_of;

const TEN: BitsPerKey = BitsPerKey::whole(10);
const POLICY: BloomFilterPolicy<LevelDbHash> = BloomFilterPolicy::with_leveldb_hash(TEN);

/// Kinds and answers, in LevelDB's format and in that of `BloomFilter64`.
#[test]
fn reading_follows_the_rules_at_every_edge() {
    use FilterKind::{Empty, Filter, Reserved};
    const ONE: &'static dyn AnyFormat = formats::LEVEL_DB;
    const OTHER: &'static dyn AnyFormat = formats::BLOOM64;

    let expectations: [(&'static dyn AnyFormat, &[u8], FilterKind, bool); 20] = [
        (ONE, &[], Empty, false),
        (ONE, &[0xff], Empty, false),
        (ONE, &[6], Empty, false),
        (ONE, &[0, 0], Filter(ONE.kind()), true),
        (ONE, &[0, 1], Filter(ONE.kind()), false),
        (ONE, &[0xff, 30], Filter(ONE.kind()), true),
        (ONE, &[0, 30], Filter(ONE.kind()), false),
        (ONE, &[0, 31], Reserved, true),
        (ONE, &[0, 0xff], Reserved, true),
        (OTHER, &[], Empty, false),
        (OTHER, &[0x86], Empty, false),
        (OTHER, &[0xff], Empty, false),
        (OTHER, &[0, 0], Reserved, true),
        (OTHER, &[0, 6], Reserved, true),
        (OTHER, &[0, 0x80], Reserved, true),
        (OTHER, &[0, 0x81], Filter(OTHER.kind()), false),
        (OTHER, &[0xff, 0x81], Filter(OTHER.kind()), true),
        (OTHER, &[0, 0x9e], Filter(OTHER.kind()), false),
        (OTHER, &[0, 0x9f], Reserved, true),
        (OTHER, &[0, 0xff], Reserved, true),
    ];
    for (format, filter, kind, answer) in expectations {
        let view = FilterView::new(format, filter);
        assert_eq!(view.kind(), kind, "{filter:x?}");
        assert_eq!(view.expected_rate(), f64::from(u8::from(answer)), "{filter:x?}");
        let policy: &dyn FilterPolicy = if format.name() == ONE.name() {
            &POLICY
        } else {
            &BloomFilter64Policy::new(TEN)
        };
        assert_eq!(policy.key_may_match(b"key", filter), answer, "{filter:x?}");
    }
    // Without probes everything matches, so the keys cannot be estimated; nor can they with every bit set.
    for filter in [[0, 0], [0xff, 6]] {
        assert_eq!(FilterView::new(formats::LEVEL_DB, &filter).estimated_len(), None);
    }
}

/// Within the random error, estimates the number of keys of Bloom filters in every format, empty ones too.
#[test]
fn keys_are_estimated() {
    for format in formats::ALL {
        for count in [0_u32, 1, 1000, 70_000] {
            let keys: Vec<[u8; 4]> = (0..count).map(|i| (i * 7).to_le_bytes()).collect();
            let filter = filter_of(&format.policy(TEN), &keys);
            let view = FilterView::new(*format, &filter);
            let at = format!("{}, {count} keys: {view:?}", format.name());
            let Some(estimate) = view.estimated_len() else {
                // Ribbon and binary fuse filters, and empty ones.
                assert!(count == 0 || view.probe_count().is_none(), "{at}");
                continue;
            };
            assert!(
                estimate.abs_diff(u64::from(count)) <= u64::from(count / 20),
                "{at}, {estimate}"
            );
        }
    }
    // The bits that third probes share count as fewer keys.
    let keys: Vec<[u8; 4]> = (0..1_000_000_u32).map(|i| (i * 7).to_le_bytes()).collect();
    let filter = filter_of(&BloomFilterPolicy::new(TEN), &keys);
    let view = FilterView::new(formats::LEVEL_DB, &filter);
    let estimate = view.estimated_len().unwrap();
    assert!((995_000..1_005_000).contains(&estimate), "{estimate}");
    let (stated, rate) = (
        formats::LEVEL_DB.expected_rate(1_000_000, TEN).unwrap(),
        view.expected_rate(),
    );
    assert!((rate / stated - 1.0).abs() < 0.03, "{rate}, {stated}");
}
