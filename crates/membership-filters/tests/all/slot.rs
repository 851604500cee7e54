//! A filter behind a lock can be replaced in a slot while threads query it and insert into it.

use std::sync::RwLock;
use std::thread;

use guava_bloom::Utf8;
use membership_filters::{CuckooFilter, CuckooParameters, Slot};

#[test]
fn a_filter_is_replaced_while_threads_insert() {
    let parameters = CuckooParameters::new(1_000, 1e-6).unwrap();
    let empty = || RwLock::new(CuckooFilter::new(Utf8, &parameters).unwrap());
    let slot = Slot::new(empty());
    let all: Vec<String> = (0..600).map(|number| format!("key-{number}")).collect();
    let (early, late) = all.split_at(200);
    let add = |key: &String| slot.apply(|filter| filter.write().unwrap().insert(key).unwrap());
    early.iter().for_each(add);
    let rebuild = slot.rebuild(empty()).unwrap();
    thread::scope(|scope| {
        for part in late.chunks(200) {
            scope.spawn(|| part.iter().for_each(add));
        }
        for key in early {
            rebuild.filter().write().unwrap().insert(key).unwrap();
        }
    });
    let contains = |key: &str| slot.with(|filter| filter.read().unwrap().might_contain(key));
    assert!(all.iter().all(|key| contains(key)));
    rebuild.commit();
    assert!(all.iter().all(|key| contains(key)));
    assert!(!contains("absent"));
}
