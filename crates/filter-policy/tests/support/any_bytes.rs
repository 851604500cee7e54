//! Any bytes as a filter: what the views say of them, and that every policy answers accordingly.

use filter_policy::policies::{self, AnyPolicy, FilterLayout};
use filter_policy::{
    BitsPerKey, BloomFilter64View, FilterKind, FilterView, RocksDbFilterKind, RocksDbFilterView,
};

/// Every policy.
pub(crate) struct Readers(Vec<(FilterLayout, AnyPolicy)>);

impl Readers {
    pub(crate) fn all() -> Self {
        let build =
            |known: &policies::NamedPolicy| (known.layout, known.build(BitsPerKey::whole(10)).unwrap());
        Self(policies::ALL.iter().map(build).collect())
    }

    /// Asks views and policies about a key.
    pub(crate) fn check(&self, filter: &[u8], key: &[u8]) {
        let answers = [leveldb(filter), bloom64(filter, key), rocksdb(filter, key)];
        for (layout, policy) in &self.0 {
            let expected = match layout {
                FilterLayout::LevelDb => answers[0],
                FilterLayout::BloomFilter64 => answers[1],
                FilterLayout::RocksDb => answers[2],
                layout => panic!("{layout:?} is new: add it to tests/support/any_bytes.rs"),
            };
            let answer = policy.key_may_match(key, filter);
            assert!(
                expected.is_none_or(|expected| answer == expected),
                "{}: {key:x?} in {filter:x?}",
                policy.name()
            );
        }
    }
}

/// The answer, where it does not depend on the hash function.
fn leveldb(filter: &[u8]) -> Option<bool> {
    let view = FilterView::new(filter);
    assert!((0.0..=1.0).contains(&view.false_positive_rate()));
    assert!(
        view.estimated_keys()
            .is_none_or(|keys| keys.is_finite() && keys >= 0.0)
    );
    assert!(view.ones() <= view.bits());
    match view.kind() {
        FilterKind::TooShort => assert!(filter.len() < 2),
        FilterKind::Reserved => assert!(filter.last().unwrap() > &30),
        FilterKind::Bloom if view.probe_count() == Some(0) || view.ones() == view.bits() => {
            return Some(true);
        }
        FilterKind::Bloom => return (view.ones() == 0).then_some(false),
        kind => panic!("{kind:?} is new"),
    }
    Some(view.kind() == FilterKind::Reserved)
}

fn bloom64(filter: &[u8], key: &[u8]) -> Option<bool> {
    let view = BloomFilter64View::new(filter);
    let answer = view.may_match(key);
    assert!((0.0..=1.0).contains(&view.false_positive_rate()));
    match view.kind() {
        FilterKind::TooShort => assert!(!answer && filter.len() < 2),
        FilterKind::Reserved => assert!(answer),
        FilterKind::Bloom => assert!(answer || view.ones() < view.bits()),
        kind => panic!("{kind:?} is new"),
    }
    Some(answer)
}

fn rocksdb(filter: &[u8], key: &[u8]) -> Option<bool> {
    let view = RocksDbFilterView::new(filter);
    let (answer, rate) = (view.may_match(key), view.false_positive_rate());
    assert!((0.0..=1.0).contains(&rate), "{rate}");
    match view.kind() {
        RocksDbFilterKind::Empty => assert!(!answer && filter.len() <= 5 && rate == 0.0),
        RocksDbFilterKind::Reserved => assert!(answer && rate == 1.0 && view.bits() == 0),
        RocksDbFilterKind::Ribbon => assert_eq!((view.probe_count(), view.ones()), (None, None)),
        RocksDbFilterKind::LegacyBloom | RocksDbFilterKind::FastLocalBloom => {
            assert!(view.bits() <= (filter.len() as u64 - 5) * 8);
            assert!(view.ones().is_some_and(|ones| ones <= view.bits()));
            assert!(answer || view.ones() < Some(view.bits()));
        }
        kind => panic!("{kind:?} is new"),
    }
    Some(answer)
}
