//! Filters that RocksDB wrote: rebuilt byte for byte, with every recorded answer repeated.

use filter_formats::rocksdb::{FastLocalBloomPolicy, LegacyFullFilterPolicy};
use filter_formats::view::{FilterKind, FilterLayout, FilterView};
use filter_policy::kernels::Kernel;
use filter_policy::{BitsPerKey, FilterPolicy};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::support::{key, rows, unhex};

const TEN: BitsPerKey = BitsPerKey::whole(10);

#[derive(Deserialize)]
struct Row {
    policy: String,
    bits_per_key: f64,
    format_version: u32,
    keys: String,
    n: u32,
    /// `None` if the engine writes no filter.
    len: Option<usize>,
    filter_hex: Option<String>,
    #[serde(default)]
    sha256: String,
    #[serde(default)]
    absent: String,
    #[serde(default)]
    no_filter: bool,
}

impl Row {
    fn at(&self) -> String {
        format!(
            "{} version {}, {} keys {}, {} bits",
            self.policy, self.format_version, self.n, self.keys, self.bits_per_key
        )
    }

    fn keys(&self) -> Vec<Vec<u8>> {
        (0..self.n).map(|i| key(&self.keys, i)).collect()
    }

    /// Checks a filter of the row's keys against the engine's filter and answers.
    fn check(&self, policy: &dyn FilterPolicy, filter: &[u8]) {
        let at = self.at();
        assert_eq!(Some(filter.len()), self.len, "{at}");
        if let Some(digits) = &self.filter_hex {
            assert_eq!(filter, unhex(digits), "{at}");
        }
        assert_eq!(Sha256::digest(filter)[..], unhex(&self.sha256), "{at}");
        for key in self.keys() {
            assert!(policy.key_may_match(&key, filter), "{at}: {key:x?} is denied");
        }
        assert_eq!(self.absent.len(), 200, "{at}");
        let absent: Vec<Vec<u8>> = (1_000_000..1_000_200).map(|i| key(&self.keys, i)).collect();
        let expected: Vec<bool> = self.absent.chars().map(|answer| answer == '1').collect();
        for (key, &expected) in absent.iter().zip(&expected) {
            assert_eq!(policy.key_may_match(key, filter), expected, "{at}: {key:x?}");
        }
        let absent: Vec<&[u8]> = absent.iter().map(Vec::as_slice).collect();
        for kernel in Kernel::available() {
            let mut answers = [0_u64; 4];
            let policy = FastLocalBloomPolicy::new(TEN).on_kernel(kernel);
            policy
                .prepare(filter)
                .may_match_many(&absent[..], &mut answers)
                .unwrap();
            for (i, &expected) in expected.iter().enumerate() {
                assert_eq!(
                    answers[i / 64] >> (i % 64) & 1 == 1,
                    expected,
                    "{at}, {kernel}: {i}"
                );
            }
        }
    }
}

fn golden_rows(policy: &str) -> impl Iterator<Item = Row> {
    rows::<Row>("rocksdb/filters.jsonl")
        .into_iter()
        .filter(move |row| row.policy == policy)
}

/// Builds the row's filter in a slice longer than the policy's maximum, and at the end of a vector.
fn check_row(row: &Row, policy: &dyn FilterPolicy) {
    let keys = row.keys();
    let slices: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
    let max_len = policy.max_filter_len(keys.len()).unwrap();
    let mut out = vec![0xaa; max_len + 3];
    let filter = policy.create_filter(&slices, &mut out).unwrap();
    row.check(policy, filter);
    let len = filter.len();
    assert!(len <= max_len);
    assert!(
        out[max_len..].iter().all(|&byte| byte == 0xaa),
        "written beyond the filter"
    );
    {
        let mut appended = b"prefix".to_vec();
        policy.append_filter(&slices, &mut appended).unwrap();
        assert_eq!(appended.strip_prefix(b"prefix"), out.get(..len), "{}", row.at());
    }
}

#[test]
fn bloom_filters() {
    let (mut current, mut legacy, mut none) = (0, 0, 0);
    for row in golden_rows("bloom") {
        assert_eq!(row.no_filter, row.bits_per_key < 0.5, "{}", row.at());
        if row.no_filter {
            none += 1;
            continue;
        }
        let bits_per_key = BitsPerKey::fractional(row.bits_per_key).unwrap();
        let kind = if row.format_version >= 5 {
            for kernel in Kernel::available() {
                check_row(&row, &FastLocalBloomPolicy::new(bits_per_key).on_kernel(kernel));
            }
            current += 1;
            FilterKind::FAST_LOCAL_BLOOM
        } else {
            let policy = LegacyFullFilterPolicy::new(bits_per_key);
            check_row(&row, &policy);
            legacy += 1;
            FilterKind::LEGACY_BLOOM
        };
        if let Some(digits) = &row.filter_hex {
            let filter = unhex(digits);
            let view = FilterView::new(FilterLayout::ROCKS_DB, &filter);
            let kind = if row.n == 0 { FilterKind::Empty } else { kind };
            assert_eq!(view.kind(), kind, "{}", row.at());
            assert_eq!(view.bits(), (filter.len() as u64 - 5) * 8 * u64::from(row.n > 0));
        }
    }
    assert_eq!((current, legacy, none), (79, 85, 1));
}

#[test]
fn ribbon_filters_are_read() {
    let mut kinds = [0; 4];
    for row in golden_rows("ribbon") {
        let Some(digits) = &row.filter_hex else { continue };
        let filter = unhex(digits);
        // Any policy of the family can read it.
        row.check(&FastLocalBloomPolicy::new(TEN), &filter);
        let at = match FilterView::new(FilterLayout::ROCKS_DB, &filter).kind() {
            FilterKind::Empty => 0,
            FilterKind::FAST_LOCAL_BLOOM => 1,
            FilterKind::RIBBON => 2,
            _ => 3,
        };
        kinds[at] += 1;
    }
    assert_eq!(kinds, [6, 24, 56, 0]);
}

#[test]
fn ribbon_filters_are_written() {
    use filter_formats::rocksdb::RibbonPolicy;

    let mut count = 0;
    for row in golden_rows("ribbon") {
        check_row(
            &row,
            &RibbonPolicy::new(BitsPerKey::fractional(row.bits_per_key).unwrap()),
        );
        count += 1;
    }
    assert_eq!(count, 101);
}

#[test]
fn degenerate_filters() {
    #[derive(Deserialize)]
    struct OddRow {
        filter_hex: String,
        note: String,
        first8: String,
    }
    let policy = FastLocalBloomPolicy::new(TEN);
    let rows: Vec<OddRow> = rows("rocksdb/odd_filters.jsonl");
    assert_eq!(rows.len(), 23);
    for row in rows {
        let filter = unhex(&row.filter_hex);
        for (i, expected) in row.first8.chars().enumerate() {
            let key = key("key08", u32::try_from(i).unwrap());
            assert_eq!(
                policy.key_may_match(&key, &filter),
                expected == '1',
                "{}: {key:x?}",
                row.note
            );
        }
    }
}
