//! A filter of any bytes: every policy answers, and all of its query functions agree.

use std::sync::LazyLock;

use filter_policy::policies::AnyPolicy;
use filter_policy::view::FilterView;
use filter_policy::{Answers, BitsPerKey, KeyBatch};
use filter_policy::{AnyFormat, formats};

static POLICIES: LazyLock<Vec<(&dyn AnyFormat, AnyPolicy)>> = LazyLock::new(|| {
    let build = |&known: &&'static dyn AnyFormat| (known, known.policy(BitsPerKey::whole(10)));
    formats::ALL.iter().map(build).collect()
});

/// Queries a filter; the first byte is the length of the key that follows, and the rest is the filter.
pub fn read(data: &[u8]) {
    let Some((&length, rest)) = data.split_first() else {
        return;
    };
    let (key, filter) = rest.split_at(usize::from(length).min(rest.len()));
    for (layout, policy) in POLICIES.iter() {
        let answer = policy.key_may_match(key, filter);
        let prepared = policy.prepare(filter);
        assert_eq!(prepared.may_match(key), answer, "{}", policy.name());
        let keys = [key; 3];
        let mut words = [0];
        let mut answers = Answers::new(&mut words);
        prepared
            .may_match_many(KeyBatch::from(&keys), &mut answers)
            .unwrap();
        assert!(answers.iter().eq([answer; 3]), "{}", policy.name());
        let view = FilterView::new(*layout, filter);
        assert!(
            (0.0..=1.0).contains(&view.expected_rate()),
            "{}: {view:?}",
            policy.name()
        );
        assert!(
            view.ones().is_none_or(|ones| ones <= view.bits()),
            "{}: {view:?}",
            policy.name()
        );
    }
}
