//! `BloomFilter64.Xxph3`: filters that another program wrote from the format's description.

use filter_formats::BloomFilter64Policy;
use filter_formats::view::{FilterKind, FilterLayout, FilterView};
use filter_policy::kernels::Kernel;
use filter_policy::{BitsPerKey, FilterPolicy, HashedPolicy};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::support::{key, rows, unhex};

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
        let mut filter = vec![0xaa; policy.max_filter_len(keys.len()).unwrap()];
        policy.build_in(&keys, &mut filter).unwrap();
        assert_eq!(filter.len(), row.len, "{at}");
        let slices: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
        let absent: Vec<Vec<u8>> = (1_000_000..1_000_100).map(|i| key(&row.keys, i)).collect();
        let absent: Vec<&[u8]> = absent.iter().map(Vec::as_slice).collect();
        for kernel in Kernel::available() {
            let policy = policy.on_kernel(kernel);
            let mut again = vec![0xaa; filter.len()];
            policy.create_filter(&slices, &mut again).unwrap();
            assert_eq!(again, filter, "{at}, {kernel}");
            let mut answers = [0_u64; 2];
            policy
                .prepare(&filter)
                .may_match_many(&absent[..], &mut answers)
                .unwrap();
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

        let view = FilterView::new(FilterLayout::BLOOM64, &filter);
        assert_eq!(
            (view.kind(), view.probe_count()),
            (FilterKind::BLOOM64, Some(row.k)),
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
