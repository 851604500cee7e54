//! The concurrent filter on real threads: the bytes of the sequential one, and its guarantees under contention.
#![cfg(feature = "std")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Barrier, mpsc};
use std::thread;

use guava_bloom::{
    BloomFilter, Bytes, ConcurrentBloomFilter, Hash128, Incompatible, Long, Parameters, Strategy, Utf8,
};

const THREADS: i64 = 8;
/// Each thread puts a range that overlaps with those of its neighbours by half.
const STEP: i64 = 20_000;
const NUMBERS: i64 = STEP * (THREADS + 1);

fn parameters() -> Parameters {
    Parameters::new(NUMBERS, 0.001).unwrap()
}

fn sequential(parameters: &Parameters) -> BloomFilter<Long> {
    let mut filter = BloomFilter::new(Long, parameters).unwrap();
    for number in 0..NUMBERS {
        filter.put(&number);
    }
    filter
}

#[test]
fn eight_threads_with_overlapping_elements_make_the_bytes_of_one() {
    for parameters in [
        parameters(),
        parameters().with_strategy(Strategy::Murmur128Mitz32),
        // A few words, so that the threads meet in them.
        Parameters::new(200, 0.5).unwrap(),
    ] {
        let filter = ConcurrentBloomFilter::new(Long, &parameters).unwrap();
        let barrier = Barrier::new(THREADS as usize);
        thread::scope(|scope| {
            for thread in 0..THREADS {
                let (filter, barrier) = (&filter, &barrier);
                scope.spawn(move || {
                    barrier.wait();
                    for number in thread * STEP..(thread + 2) * STEP {
                        filter.put(&number);
                        assert!(filter.might_contain(&number));
                    }
                });
            }
        });
        let expected = sequential(&parameters);
        let mut written = Vec::new();
        filter.write_to(&mut written).unwrap();
        assert_eq!(written, expected.to_bytes());
        assert_eq!(filter.stream_len(), written.len() as u64);
        assert_eq!(filter.stream_header(), expected.stream_header());
        assert_eq!(filter.bit_count(), expected.bit_count());
        assert_eq!(filter.expected_fpp(), expected.expected_fpp());
        assert_eq!(
            filter.approximate_element_count(),
            expected.approximate_element_count()
        );
        assert_eq!(filter.snapshot(), expected);
        assert_eq!(filter.into_sequential(), expected);
    }
}

#[test]
fn an_absent_element_put_by_all_threads_is_new_to_at_least_one() {
    let parameters = Parameters::new(2000, 1e-9).unwrap();
    let filter = ConcurrentBloomFilter::new(Long, &parameters).unwrap();
    let news: Vec<AtomicU64> = (0..2000).map(|_| AtomicU64::new(0)).collect();
    let barrier = Barrier::new(THREADS as usize);
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                barrier.wait();
                for (number, news) in (0_i64..).zip(&news) {
                    news.fetch_add(filter.put(&number).into(), Ordering::Relaxed);
                }
            });
        }
    });
    // At one in 10^9, no element is covered by the others.
    for (number, news) in news.iter().enumerate() {
        let news = news.load(Ordering::Relaxed);
        assert!((1..=THREADS as u64).contains(&news), "{number}: {news}");
    }
}

#[test]
fn what_a_channel_tells_of_is_found() {
    let filter = ConcurrentBloomFilter::new(Long, &parameters()).unwrap();
    let (tell, told) = mpsc::sync_channel(64);
    thread::scope(|scope| {
        for thread in 0..2 {
            let (filter, tell) = (&filter, tell.clone());
            scope.spawn(move || {
                for number in thread..10_000 {
                    filter.put(&number);
                    tell.send(number).unwrap();
                }
            });
        }
        drop(tell);
        for number in told {
            assert!(filter.might_contain(&number), "{number}");
            assert!(!filter.put(&number), "{number}");
        }
    });
}

#[test]
fn snapshots_streams_and_counts_while_others_put_hold_what_was_there() {
    let filter = ConcurrentBloomFilter::new(Long, &parameters()).unwrap();
    for number in 0..STEP {
        filter.put(&number);
    }
    let before = filter.bit_count();
    let all = sequential(&parameters());
    thread::scope(|scope| {
        let putting = scope.spawn(|| {
            for number in STEP..NUMBERS {
                filter.put(&number);
            }
        });
        let mut rounds = 0;
        while rounds < 3 || !putting.is_finished() {
            let mut stream = Vec::new();
            filter.write_to(&mut stream).unwrap();
            let (read, used) = BloomFilter::from_bytes(&stream, Long).unwrap();
            assert_eq!(used, stream.len());
            for copy in [filter.snapshot(), read] {
                assert!((0..STEP).all(|number| copy.might_contain(&number)));
                // Nothing that is not in the whole.
                let mut whole = all.clone();
                whole.put_all(&copy).unwrap();
                assert_eq!(whole, all);
            }
            assert!((before..=all.bit_count()).contains(&filter.bit_count()));
            rounds += 1;
        }
    });
    assert_eq!(filter.into_sequential(), all);
}

#[test]
fn filters_of_both_kinds_are_merged_while_others_put() {
    let all = ConcurrentBloomFilter::new(Long, &parameters()).unwrap();
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let all = &all;
            scope.spawn(move || {
                let range = thread * STEP..(thread + 2) * STEP;
                if thread % 3 == 0 {
                    range.for_each(|number| {
                        all.put(&number);
                    });
                    return;
                }
                let mut part = BloomFilter::new(Long, &parameters()).unwrap();
                for number in range.clone() {
                    part.put(&number);
                }
                if thread % 3 == 1 {
                    all.put_all(&part).unwrap();
                } else {
                    all.put_all(&ConcurrentBloomFilter::from(part)).unwrap();
                }
                assert!(range.clone().all(|number| all.might_contain(&number)));
            });
        }
    });
    all.put_all(&all).unwrap();
    assert_eq!(all.into_sequential(), sequential(&parameters()));
}

#[test]
fn filters_that_cannot_be_combined_are_refused_with_the_first_difference() {
    let ours = ConcurrentBloomFilter::new(Utf8, &Parameters::new(100, 0.01).unwrap()).unwrap();
    ours.put("apple");
    let unchanged = ours.snapshot();
    let other = |parameters: Parameters| BloomFilter::new(Utf8, &parameters).unwrap();

    let probes = other(Parameters::new(100, 0.5).unwrap());
    let error = Incompatible::Probes { ours: 7, theirs: 1 };
    assert_eq!(ours.put_all(&probes), Err(error));

    let larger = other(Parameters::new(1000, 0.01).unwrap());
    let error = Incompatible::BitSize {
        ours: ours.bit_size(),
        theirs: larger.bit_size(),
    };
    assert_eq!(ours.is_compatible(&larger), Err(error.clone()));
    assert_eq!(ours.put_all(&ConcurrentBloomFilter::from(larger)), Err(error));

    let older = other(
        Parameters::new(100, 0.01)
            .unwrap()
            .with_strategy(Strategy::Murmur128Mitz32),
    );
    let error = Incompatible::Strategy {
        ours: Strategy::Murmur128Mitz64,
        theirs: Strategy::Murmur128Mitz32,
    };
    assert_eq!(ours.put_all(&older), Err(error));
    assert_eq!(ours.into_sequential(), unchanged);
}

#[test]
fn funnels_that_differ_are_refused() {
    #[derive(Debug, PartialEq)]
    struct Salted(u8);

    let salted =
        |salt| ConcurrentBloomFilter::new(Salted(salt), &Parameters::new(100, 0.01).unwrap()).unwrap();
    let error = Incompatible::Funnel {
        ours: "Salted(1)".to_owned(),
        theirs: "Salted(2)".to_owned(),
    };
    assert_eq!(salted(1).put_all(&salted(2)), Err(error));
    assert_eq!(salted(1).put_all(&salted(1)), Ok(()));
}

#[test]
fn a_sequential_filter_becomes_concurrent_and_back_with_its_elements() {
    let mut filter = BloomFilter::new(Bytes, &Parameters::new(10, 0.01).unwrap()).unwrap();
    let long = [0xff_u8; 300];
    let keys: [&[u8]; 3] = [b"", b"\xff\xfe", &long];
    for key in keys {
        filter.put(key);
    }
    let moved = filter.clone();
    let place = moved.words().as_ptr();
    let shared = ConcurrentBloomFilter::from(moved);
    assert!(keys.iter().all(|key| shared.might_contain(*key)));
    assert!(!shared.put(keys[0]));
    assert!(!shared.might_contain("absent"));
    assert!(shared.might_contain_hash(Hash128::of(&long)));
    assert_eq!(
        (shared.bit_size(), shared.probes(), shared.strategy()),
        (filter.bit_size(), filter.probes(), filter.strategy())
    );
    assert_eq!(
        format!("{shared:?}"),
        "ConcurrentBloomFilter { funnel: Bytes, strategy: Murmur128Mitz64, probes: 7, bit_size: 128, .. }"
    );
    let back = BloomFilter::from(shared);
    assert_eq!(back, filter);
    if align_of::<AtomicU64>() == align_of::<u64>() {
        assert_eq!(back.words().as_ptr(), place, "the memory is kept");
    }
}
