//! Checks the guarantees of both concurrent filters, Guava's and that over blocks, in every interleaving of a few threads, and
//! with every value that the memory model lets a relaxed load see. `loom` replaces the atomics.
//!
//! Built only with `--cfg loom`; `cargo xtask check` runs it as
//! `RUSTFLAGS="--cfg loom" cargo test --release -p membership-filters --test model`.
#![cfg(loom)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeSet;
use std::sync::Mutex;

use loom::sync::Arc;
use loom::sync::atomic::{AtomicBool, Ordering};
use loom::thread;
use membership_filters::backend::Concurrent;
use membership_filters::guava::{BloomFilter, ConcurrentBloomFilter, Strategy, StreamHeader};
use membership_filters::{self as ours, Bytes, Filter, Hash128, Hashed, Parameters, Shared};

type Key = Hashed<Bytes>;

type Concurrently<B> = Arc<Filter<B, Bytes, Shared>>;

/// Keys of two probes: bits 0 and 1, bits 1 and 2, and one bit in each of the two words.
const LOW: Key = Hashed::assume(Bytes, Hash128 { h1: 0, h2: 1 });
const NEXT: Key = Hashed::assume(Bytes, Hash128 { h1: 1, h2: 1 });
const ACROSS: Key = Hashed::assume(Bytes, Hash128 { h1: 63, h2: 1 });

fn sequential(keys: &[Key]) -> BloomFilter<Bytes> {
    let words = vec![0; 2];
    let header = StreamHeader::new(Strategy::Murmur128Mitz64, 2, &words);
    let mut filter = BloomFilter::from_parts(Bytes, header, words).unwrap();
    for key in keys {
        filter.insert_hashed(key).unwrap();
    }
    filter
}

fn concurrent(keys: &[Key]) -> Arc<ConcurrentBloomFilter<Bytes>> {
    Arc::new(sequential(keys).into())
}

/// Keys of one block, whose bits are in each of its four words. An insertion reads all of them, and then sets the key's bits in all
/// or in none.
const ONE: Key = Hashed::assume(Bytes, Hash128 { h1: 0, h2: 0 });
const OTHER: Key = Hashed::assume(
    Bytes,
    Hash128 {
        h1: 0xffff_ffff,
        h2: 0,
    },
);

fn sequential_block(keys: &[Key]) -> ours::BlockedBloomFilter<Bytes> {
    let mut filter = ours::BlockedBloomFilter::new(Bytes, &Parameters::with_blocks(1).unwrap()).unwrap();
    filter.insert_many_hashed(keys).unwrap();
    filter
}

fn block() -> Arc<ours::ConcurrentBlockedBloomFilter<Bytes>> {
    Arc::new(sequential_block(&[]).into())
}

/// Starts a thread that inserts the key and returns the result of `insert`.
fn inserting<B: Concurrent + Send + Sync + 'static>(
    filter: &Concurrently<B>,
    key: Key,
) -> thread::JoinHandle<bool> {
    let filter = Arc::clone(filter);
    thread::spawn(move || filter.insert_hashed(&key).unwrap())
}

#[test]
fn the_elements_have_the_bits_that_the_models_speak_of() {
    assert_eq!(sequential(&[LOW]).words(), [0b011, 0]);
    assert_eq!(sequential(&[NEXT]).words(), [0b110, 0]);
    assert_eq!(sequential(&[ACROSS]).words(), [1 << 63, 1]);
}

#[test]
fn no_bit_is_lost_between_three_threads() {
    loom::model(|| {
        let filter = concurrent(&[]);
        let others = [inserting(&filter, LOW), inserting(&filter, ACROSS)];
        filter.insert_hashed(&NEXT).unwrap();
        for other in others {
            other.join().unwrap();
        }
        assert_eq!(filter.snapshot(), sequential(&[LOW, NEXT, ACROSS]));
    });
}

#[test]
fn no_bit_of_a_block_is_lost_between_two_threads() {
    loom::model(|| {
        let filter = block();
        let other = inserting(&filter, ONE);
        filter.insert_hashed(&OTHER).unwrap();
        other.join().unwrap();
        assert_eq!(filter.snapshot(), sequential_block(&[ONE, OTHER]));
    });
}

#[test]
fn of_two_puts_of_an_element_one_or_both_are_told_that_it_is_new() {
    fn outcomes<B: Concurrent + Send + Sync + 'static>(
        empty: fn() -> Concurrently<B>,
        key: Key,
    ) -> BTreeSet<(bool, bool)> {
        let seen = std::sync::Arc::new(Mutex::new(BTreeSet::new()));
        let outcomes = std::sync::Arc::clone(&seen);
        loom::model(move || {
            let filter = empty();
            let other = inserting(&filter, key);
            let ours = filter.insert_hashed(&key).unwrap();
            assert!(filter.contains_hashed(&key));
            outcomes.lock().unwrap().insert((ours, other.join().unwrap()));
        });
        seen.lock().unwrap().clone()
    }
    let all = BTreeSet::from([(false, true), (true, false), (true, true)]);
    assert_eq!(outcomes(|| concurrent(&[]), LOW), all);
    assert!(outcomes(block, ONE).is_subset(&all));
}

#[test]
fn whoever_put_an_element_finds_it_whatever_put_returned() {
    loom::model(|| {
        let filter = concurrent(&[]);
        let other = {
            let filter = Arc::clone(&filter);
            thread::spawn(move || {
                filter.insert_hashed(&LOW).unwrap();
                assert!(filter.contains_hashed(&LOW));
            })
        };
        filter.insert_hashed(&NEXT).unwrap();
        filter.insert_hashed(&LOW).unwrap();
        assert!(filter.contains_hashed(&LOW) && filter.contains_hashed(&NEXT));
        other.join().unwrap();
    });
}

#[test]
fn an_element_whose_put_returned_is_not_new() {
    fn check<B: Concurrent + Send + Sync + 'static>(empty: fn() -> Concurrently<B>, key: Key) {
        loom::model(move || {
            let filter = empty();
            let done = Arc::new(AtomicBool::new(false));
            let other = {
                let (filter, done) = (Arc::clone(&filter), Arc::clone(&done));
                thread::spawn(move || {
                    filter.insert_hashed(&key).unwrap();
                    done.store(true, Ordering::Release);
                })
            };
            if done.load(Ordering::Acquire) {
                assert!(!filter.insert_hashed(&key).unwrap());
            }
            other.join().unwrap();
        });
    }
    check(|| concurrent(&[]), ACROSS);
    check(block, ONE);
}

/// Inserts a key in one thread, which then sets a flag; another thread that reads the flag queries the key. A
/// third one may insert it as well: the teller may have found its bits set and written nothing.
fn told_by_a_flag<B: Concurrent + Send + Sync + 'static>(
    filter: &Concurrently<B>,
    key: Key,
    [release, acquire]: [Ordering; 2],
    by_two: bool,
) {
    let done = Arc::new(AtomicBool::new(false));
    let second = by_two.then(|| inserting(filter, key));
    let reader = {
        let (filter, done) = (Arc::clone(filter), Arc::clone(&done));
        thread::spawn(move || {
            if done.load(acquire) {
                assert!(filter.contains_hashed(&key), "reported, but not found");
            }
        })
    };
    filter.insert_hashed(&key).unwrap();
    done.store(true, release);
    second.map(thread::JoinHandle::join).transpose().unwrap();
    reader.join().unwrap();
}

const SYNCHRONIZED: [Ordering; 2] = [Ordering::Release, Ordering::Acquire];

#[test]
fn a_reader_that_is_told_of_an_element_finds_it() {
    loom::model(|| told_by_a_flag(&concurrent(&[]), ACROSS, SYNCHRONIZED, false));
    loom::model(|| told_by_a_flag(&block(), ONE, SYNCHRONIZED, false));
}

#[test]
fn a_reader_finds_what_the_teller_only_saw() {
    loom::model(|| told_by_a_flag(&concurrent(&[]), ACROSS, SYNCHRONIZED, true));
}

/// The documented guarantee needs a flag that synchronizes. This also shows that the models can fail, and try stale values.
#[test]
#[should_panic(expected = "reported, but not found")]
fn a_reader_that_is_told_by_a_relaxed_flag_may_miss_it() {
    loom::model(|| told_by_a_flag(&concurrent(&[]), ACROSS, [Ordering::Relaxed; 2], false));
}

#[test]
fn merging_into_a_filter_that_is_put_into_loses_nothing() {
    loom::model(|| {
        let filter = concurrent(&[]);
        let other = inserting(&filter, LOW);
        filter.merge(&concurrent(&[NEXT, ACROSS])).unwrap();
        assert!(filter.contains_hashed(&NEXT) && filter.contains_hashed(&ACROSS));
        other.join().unwrap();
        assert_eq!(filter.snapshot(), sequential(&[LOW, NEXT, ACROSS]));
    });
}

#[test]
fn merging_from_a_filter_that_is_put_into_takes_all_that_was_there() {
    loom::model(|| {
        let source = concurrent(&[NEXT]);
        let other = inserting(&source, ACROSS);
        let filter = concurrent(&[LOW]);
        filter.merge(&*source).unwrap();
        assert!(filter.contains_hashed(&LOW) && filter.contains_hashed(&NEXT));
        other.join().unwrap();
        let both = sequential(&[LOW, NEXT, ACROSS]);
        for (came, all) in filter.snapshot().words().iter().zip(both.words()) {
            assert_eq!(came & !all, 0);
        }
        filter.merge(&*source).unwrap();
        assert_eq!(filter.snapshot(), both);
    });
}

#[test]
fn counting_while_others_put_is_never_too_much() {
    loom::model(|| {
        let filter = concurrent(&[NEXT]);
        let other = inserting(&filter, LOW);
        let counted = filter.ones();
        assert!((2..=3).contains(&counted), "{counted}");
        let counted_later = filter.ones();
        assert!(counted_later >= counted);
        other.join().unwrap();
        assert_eq!(filter.ones(), 3);
    });
}
