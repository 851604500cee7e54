//! Any bytes as a filter: every policy answers, all of its ways to query agree, and the view describes the bytes
//! accordingly. The fuzz target `filters` and the replay of its inputs include this file.

use filter_policy::view::{FilterKind, FilterView};
use filter_policy::{Answers, BitsPerKey, FilterPolicy as _, HashedKey, formats};

/// Queries a filter; the first byte is the length of the key that follows, and the rest is the filter.
pub(crate) fn read(data: &[u8]) {
    let Some((&length, rest)) = data.split_first() else {
        return;
    };
    let (key, filter) = rest.split_at(usize::from(length).min(rest.len()));
    check(filter, &[key; 3]);
}

/// Queries a filter for these keys by every policy.
pub(crate) fn check(filter: &[u8], keys: &[&[u8]]) {
    let mut of_rocksdb = None;
    for format in formats::ALL {
        let policy = format.policy(BitsPerKey::whole(10));
        let view = FilterView::new(*format, filter);
        let rate = view.expected_rate();
        let at = || format!("{}: {keys:x?} in {filter:x?}, {view:?}", policy.name());
        let expected: Vec<bool> = keys.iter().map(|key| policy.key_may_match(key, filter)).collect();
        let prepared = policy.prepare(filter);
        for (key, &answer) in keys.iter().zip(&expected) {
            assert_eq!(prepared.may_match(key), answer, "{}", at());
            assert_eq!(HashedKey::new(&policy, key).may_match(filter), answer, "{}", at());
            check_view(&view, rate, answer, filter, &at);
        }
        let mut words = vec![!0; keys.len().div_ceil(64)];
        let mut answers = Answers::new(&mut words);
        prepared.may_match_many(keys, &mut answers).unwrap();
        assert!(answers.iter().eq(expected.iter().copied()), "{}", at());
        if format.shares_layout(formats::FAST_LOCAL_BLOOM) {
            // The bytes determine the kind, and each policy reads all kinds.
            assert_eq!(of_rocksdb.get_or_insert(expected.clone()), &expected, "{}", at());
        }
    }
}

fn check_view(view: &FilterView<'_>, rate: f64, answer: bool, filter: &[u8], at: &dyn Fn() -> String) {
    let bits = view.bits();
    assert!((0.0..=1.0).contains(&rate), "{}", at());
    // Each key sets a bit, and a full line gives no estimate.
    let most = bits.saturating_mul(64);
    assert!(view.estimated_len().is_none_or(|keys| keys <= most), "{}", at());
    assert!(filter.starts_with(view.bit_array()), "{}", at());
    assert_eq!(bits, 8 * view.bit_array().len() as u64, "{}", at());
    let Some((ones, probes)) = view.ones().zip(view.probe_count()) else {
        let nothing = (view.probe_count(), view.ones(), view.estimated_len());
        assert_eq!(nothing, (None, None, None), "{}", at());
        match view.kind() {
            FilterKind::Empty => assert!(
                !answer && filter.len() < 6 && rate == 0.0 && bits == 0,
                "{}",
                at()
            ),
            FilterKind::Reserved => assert!(answer && rate == 1.0 && bits == 0, "{}", at()),
            _ => {}
        }
        return;
    };
    let set = view.bit_array().iter().map(|byte| u64::from(byte.count_ones()));
    assert_eq!(ones, set.sum::<u64>(), "{}", at());
    assert!(answer || probes > 0 && ones < bits, "{}", at());
    assert!(!answer || probes == 0 || ones > 0, "{}", at());
    if view.kind() == FilterKind::Filter(formats::LEVEL_DB.kind()) {
        let end = (&(probes as u8), view.bit_array());
        assert_eq!(filter.split_last(), Some(end), "{}", at());
    }
}
