//! The concurrent filter on real threads: the bytes of the sequential filter, and the guarantees under contention.

use std::sync::Barrier;
use std::sync::atomic::AtomicU64;
use std::thread;

use membership_filters::{BloomFilter, Bytes, ConcurrentBloomFilter, Long, Parameters, Strategy};

const THREADS: i64 = 8;
/// Half of the range of each thread, which overlaps each neighbour's range by half.
const STEP: i64 = 20_000;
const NUMBERS: i64 = STEP * (THREADS + 1);

fn parameters() -> Parameters {
    Parameters::new(NUMBERS as u64, 0.001).unwrap()
}

fn sequential(parameters: &Parameters) -> BloomFilter<Long> {
    let mut filter = BloomFilter::new(Long, parameters).unwrap();
    for number in 0..NUMBERS {
        filter.insert(&number);
    }
    filter
}

#[test]
fn eight_threads_that_insert_and_merge_overlapping_elements_make_the_bytes_of_one() {
    for parameters in [
        parameters(),
        parameters().with_strategy(Strategy::Murmur128Mitz32),
        // A few words, so that the threads contend for them.
        Parameters::new(200, 0.5).unwrap(),
    ] {
        let filter = ConcurrentBloomFilter::new(Long, &parameters).unwrap();
        let barrier = Barrier::new(THREADS as usize);
        thread::scope(|scope| {
            for thread in 0..THREADS {
                let (filter, barrier, parameters) = (&filter, &barrier, parameters);
                scope.spawn(move || {
                    barrier.wait();
                    let mut part = BloomFilter::new(Long, &parameters).unwrap();
                    let mut range = thread * STEP..(thread + 2) * STEP;
                    // Most insert their keys into the filter, some into others that they merge into it.
                    for number in range.clone() {
                        if thread % 4 < 2 {
                            filter.insert(&number);
                            assert!(filter.contains(&number));
                        } else {
                            part.insert(&number);
                        }
                    }
                    match thread % 4 {
                        2 | 3 => filter.merge(&part.into()).unwrap(),
                        _ => filter.merge(filter).unwrap(),
                    }
                    assert!(range.all(|number| filter.contains(&number)));
                });
            }
        });
        let expected = sequential(&parameters);
        let mut written = Vec::new();
        filter.write_to(&mut written).unwrap();
        assert_eq!(written, expected.to_bytes());
        assert_eq!(filter.stream_len(), written.len() as u64);
        assert_eq!(filter.stream_header(), expected.stream_header());
        assert_eq!(filter.ones(), expected.ones());
        assert_eq!(filter.expected_rate(), expected.expected_rate());
        assert_eq!(filter.estimated_len(), expected.estimated_len());
        assert_eq!(filter.snapshot(), expected);
        assert_eq!(filter.into_sequential(), expected);
    }
}

#[test]
fn a_sequential_filter_becomes_concurrent_and_back_with_its_elements() {
    let mut filter = BloomFilter::new(Bytes, &Parameters::new(10, 0.01).unwrap()).unwrap();
    filter.insert(b"key");
    let moved = filter.clone();
    let place = moved.words().as_ptr();
    let shared = ConcurrentBloomFilter::from(moved);
    assert!(shared.contains(b"key") && !shared.insert(b"key") && !shared.contains(b"absent"));
    let back = shared.into_sequential();
    assert_eq!(back, filter);
    if align_of::<AtomicU64>() == align_of::<u64>() {
        assert_eq!(back.words().as_ptr(), place, "the memory is kept");
    }
}
