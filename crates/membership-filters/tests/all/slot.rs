//! Every filter can be replaced in a slot while threads query it and insert into it.

use std::sync::RwLock;
use std::thread;

use guava_bloom::Utf8;
use membership_filters::{
    BlockedBloomFilter, BlockedParameters, CounterWidth, CountingBloomFilter, CuckooFilter, CuckooParameters,
    GrowingBloomFilter, GrowingParameters, Slot,
};

/// Fills a slot from several threads while its filter is rebuilt, and looks for every element.
fn check<T: Send + Sync>(
    empty: impl Fn() -> T,
    insert: impl Fn(&mut T, &str) + Sync,
    contains: impl Fn(&T, &str) -> bool,
) {
    let slot = Slot::new(RwLock::new(empty()));
    let all: Vec<String> = (0..600).map(|number| format!("key-{number}")).collect();
    let (early, late) = all.split_at(200);
    let add = |key: &String| slot.apply(|filter| insert(&mut filter.write().unwrap(), key));
    early.iter().for_each(add);
    let rebuild = slot.rebuild(RwLock::new(empty())).unwrap();
    thread::scope(|scope| {
        for part in late.chunks(200) {
            scope.spawn(|| part.iter().for_each(add));
        }
        for key in early {
            insert(&mut rebuild.filter().write().unwrap(), key);
        }
    });
    let check_all = || {
        let found = |key: &&String| slot.with(|filter| contains(&filter.read().unwrap(), key));
        assert_eq!(all.iter().filter(found).count(), all.len());
    };
    check_all();
    rebuild.commit();
    check_all();
    assert!(!slot.with(|filter| contains(&filter.read().unwrap(), "absent")));
}

#[test]
fn filters_of_every_kind_are_replaced() {
    let cuckoo = CuckooParameters::new(1_000, 1e-6).unwrap();
    check(
        || CuckooFilter::new(Utf8, &cuckoo).unwrap(),
        |filter, key| filter.insert(key).unwrap(),
        |filter, key| filter.might_contain(key),
    );
    let counting = guava_bloom::Parameters::new(1_000, 1e-6).unwrap();
    check(
        || CountingBloomFilter::new(Utf8, &counting, CounterWidth::default()).unwrap(),
        |filter, key| {
            filter.insert(key);
        },
        |filter, key| filter.might_contain(key),
    );
    let growing = GrowingParameters::new(100, 1e-6).unwrap();
    check(
        || GrowingBloomFilter::new(Utf8, &growing).unwrap(),
        |filter, key| {
            filter.insert(key).unwrap();
        },
        |filter, key| filter.might_contain(key),
    );
    let blocked = BlockedParameters::new(1_000, 1e-6).unwrap();
    check(
        || BlockedBloomFilter::new(Utf8, &blocked).unwrap(),
        |filter, key| {
            filter.insert(key);
        },
        |filter, key| filter.might_contain(key),
    );
}
