//! Any bytes as a filter: checks the view's description of them, and that every policy answers accordingly.

use filter_formats::policies::{self, AnyPolicy};
use filter_formats::view::{FilterKind, FilterLayout, FilterView};
use filter_policy::{BitsPerKey, MATCHES_EVERYTHING};

/// Every policy, with its layout.
pub(crate) struct Readers(Vec<(FilterLayout, AnyPolicy)>);

impl Readers {
    pub(crate) fn all() -> Self {
        let build = |known: &policies::NamedPolicy| (known.layout(), known.build(BitsPerKey::whole(10)));
        Self(policies::ALL.iter().map(build).collect())
    }

    /// Checks the view and every policy with a key.
    pub(crate) fn check(&self, filter: &[u8], key: &[u8]) {
        let mut of_rocksdb = None;
        for (layout, policy) in &self.0 {
            let (answer, view) = (
                policy.key_may_match(key, filter),
                FilterView::new(*layout, filter),
            );
            let at = || format!("{}: {key:x?} in {filter:x?}, {view:?}", policy.name());
            check_view(&view, answer, filter, &at);
            assert_eq!(policy.prepare(filter).may_match(key), answer, "{}", at());
            if *layout == FilterLayout::ROCKS_DB {
                // The bytes determine the kind, and each policy reads all kinds.
                assert_eq!(*of_rocksdb.get_or_insert(answer), answer, "{}", at());
            }
        }
    }
}

fn check_view(view: &FilterView<'_>, answer: bool, filter: &[u8], at: &dyn Fn() -> String) {
    let (bits, rate) = (view.bits(), view.false_positive_rate());
    assert!((0.0..=1.0).contains(&rate), "{}", at());
    // Each key sets a bit, and a full line gives no estimate.
    let most = bits.saturating_mul(64);
    assert!(view.estimated_len().is_none_or(|keys| keys <= most), "{}", at());
    assert!(bits / 8 <= filter.len() as u64, "{}", at());
    match (view.kind(), view.ones().zip(view.probe_count())) {
        (FilterKind::Empty, _) => {
            assert!(
                !answer && filter.len() < 6 && rate == 0.0 && bits == 0,
                "{}",
                at()
            );
        }
        (FilterKind::Reserved, _) => assert!(answer && rate == 1.0 && bits == 0, "{}", at()),
        (_, Some((ones, probes))) => {
            assert!(ones <= bits, "{}", at());
            assert!(answer || probes > 0 && ones < bits, "{}", at());
            assert!(!answer || probes == 0 || ones > 0, "{}", at());
        }
        // Not a Bloom filter.
        (_, None) => assert_eq!(view.probe_count(), None, "{}", at()),
    }
    if filter == MATCHES_EVERYTHING {
        assert!(answer, "{}", at());
    }
}
