//! Filters replaced while in use: ownership, and no lost keys.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use membership_filters::guava::{ConcurrentBloomFilter, Parameters};
use membership_filters::{Long, Slot};

fn empty() -> ConcurrentBloomFilter<Long> {
    ConcurrentBloomFilter::new(Long, &Parameters::new(50_000, 1e-6).unwrap()).unwrap()
}

fn of(number: i64) -> ConcurrentBloomFilter<Long> {
    let filter = ConcurrentBloomFilter::new(Long, &Parameters::new(100, 1e-6).unwrap()).unwrap();
    filter.insert(&number);
    filter
}

#[test]
fn a_loaded_filter_stays_as_long_as_its_owner_keeps_it() {
    let slot = Slot::new(of(1));
    let loaded = slot.load();
    let alive = Arc::downgrade(&loaded);

    let previous = slot.store(of(2));
    assert!(Arc::ptr_eq(&previous, &loaded));
    drop(previous);
    assert!(slot.contains(&2) && !slot.contains(&1));
    assert!(loaded.contains(&1));
    slot.insert(&3);
    assert!(!loaded.contains(&3));

    assert!(alive.upgrade().is_some());
    drop(loaded);
    assert!(alive.upgrade().is_none(), "the last owner frees it");
}

#[test]
fn during_a_rebuild_elements_go_into_both() {
    let read = ConcurrentBloomFilter::from_guava(&of(1).to_guava(), Long).unwrap();
    let slot = Slot::new(read);
    let rebuild = slot.rebuild(empty()).unwrap();
    assert!(slot.insert(&2) && !slot.insert(&2));
    slot.insert(&3);
    slot.insert_many(&[1, 4, 4]);
    thread::scope(|threads| _ = threads.spawn(|| slot.insert(&5)));
    // The old one is current until the new one is committed.
    assert!(slot.contains(&1) && slot.contains(&2));
    let queried = [1, 2, 3, 4, 5, 6];
    let expected = [true, true, true, true, true, false];
    assert_eq!(slot.contains_many(&queried), expected);
    assert_eq!(rebuild.filter().contains_many(&queried), expected);

    let previous = rebuild.commit();
    assert_eq!(previous.contains_many(&queried), expected);
    assert_eq!(slot.contains_many(&queried), expected);
    slot.insert(&6);
    assert!(
        !previous.contains(&6),
        "a committed rebuild leaves the old one alone"
    );
}

#[test]
fn a_rebuild_takes_the_place_of_what_was_stored_meanwhile_or_leaves_it() {
    let slot = Slot::new(of(1));
    let rebuild = slot.rebuild(of(2)).unwrap();
    let error = slot.rebuild(of(3)).unwrap_err();
    assert_eq!(error.to_string(), "another rebuild of this slot is under way");
    slot.store(of(3));
    drop(rebuild);
    assert_eq!(slot.contains_many(&[1, 2, 3]), [false, false, true]);

    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let rebuild = slot.rebuild(empty()).unwrap();
        slot.insert(&4);
        rebuild.filter().insert(&5);
        panic!("the source cannot be read");
    }));
    assert!(outcome.is_err());
    assert_eq!(slot.contains_many(&[3, 4, 5]), [true, true, false]);

    let rebuild = slot.rebuild(of(6)).unwrap();
    slot.store(of(7));
    slot.insert(&8);
    let previous = rebuild.commit();
    assert_eq!(previous.contains_many(&[6, 7, 8]), [false, true, true]);
    assert_eq!(slot.contains_many(&[6, 7, 8]), [true, false, true]);
}

#[test]
fn every_filter_gets_an_insertion_once() {
    /// A filter that counts its insertions.
    type Counting = AtomicI64;
    let count = |filter: &Counting| filter.load(Ordering::Relaxed);
    let slot = Slot::new(Counting::new(0));
    let (rebuild, stored) = (RefCell::new(None), Cell::new(false));
    // The first call begins a rebuild, and the second, for its filter, replaces the current one.
    let result = slot.apply(|filter| {
        if rebuild.borrow().is_none() {
            *rebuild.borrow_mut() = Some(slot.rebuild(Counting::new(0)).unwrap());
        } else if !stored.replace(true) {
            let previous = slot.store(Counting::new(10));
            assert_eq!(count(&previous), 1);
        }
        filter.fetch_add(1, Ordering::Relaxed) > 0
    });
    assert!(!result, "the result is that of the first filter");
    assert_eq!(count(&slot.load()), 11);
    let rebuild = rebuild.into_inner().unwrap();
    assert_eq!(count(rebuild.filter()), 1);
    assert_eq!(count(&rebuild.commit()), 11);
    slot.apply(|filter| filter.fetch_add(1, Ordering::Relaxed) == 0);
    assert_eq!(count(&slot.load()), 2);
    // The first call is for the filter being built: a commit takes no key away that a reader found in the other one. It makes the
    // filter the current one.
    let rebuild = RefCell::new(Some(slot.rebuild(Counting::new(20)).unwrap()));
    slot.apply(|filter| {
        if let Some(rebuild) = rebuild.take() {
            assert_eq!(count(filter), 20);
            rebuild.commit();
        }
        filter.fetch_add(1, Ordering::Relaxed) > 0
    });
    assert_eq!(count(&slot.load()), 21);
}

#[test]
fn an_insertion_that_any_filter_refuses_is_an_error() {
    /// A filter that takes keys up to one.
    type Bounded = Mutex<(Vec<u32>, u32)>;
    let of = |most| Bounded::new((Vec::new(), most));
    let insert = |filter: &Bounded, key: u32| {
        let (keys, most) = &mut *filter.lock().unwrap();
        keys.push(key);
        (key <= *most).then_some(*most).ok_or(*most)
    };
    for (current, next) in [(5, 3), (3, 5)] {
        let slot = Slot::new(of(current));
        let rebuild = slot.rebuild(of(next)).unwrap();
        assert_eq!(slot.try_apply(|filter| insert(filter, 3)), Ok(current));
        assert_eq!(slot.try_apply(|filter| insert(filter, 4)), Err(3));
        assert_eq!(
            rebuild.commit().lock().unwrap().0,
            [3, 4],
            "the other filter has it"
        );
        assert_eq!(slot.try_apply(|filter| insert(filter, 3)), Ok(next));
    }
    // Also where the filter that refuses it came meanwhile.
    let slot = Slot::new(of(5));
    let replaced = Cell::new(false);
    let result = slot.try_apply(|filter| {
        if !replaced.replace(true) {
            slot.store(of(1));
        }
        insert(filter, 2)
    });
    assert_eq!(result, Err(1));
}

#[test]
fn the_error_of_a_filter_that_is_replaced_meanwhile_is_kept() {
    let (slot, calls) = (Slot::new(()), Cell::new(0));
    // Two filters come, of which the first refuses the key.
    let result = slot.try_apply(|()| {
        calls.set(calls.get() + 1);
        if calls.get() < 3 {
            slot.store(());
        }
        if calls.get() == 2 { Err("full") } else { Ok(()) }
    });
    assert_eq!((result, calls.get()), (Err("full"), 3));
}
