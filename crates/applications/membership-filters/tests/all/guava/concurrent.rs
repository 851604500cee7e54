//! The concurrent filter on real threads: the bytes of the sequential filter, and the guarantees under contention.

use std::sync::Barrier;
use std::sync::atomic::AtomicU64;
use std::thread;

use membership_filters::guava::{BloomFilter, ConcurrentBloomFilter, Parameters, Strategy};
use membership_filters::{self as ours, Bytes, Long, Xxph3};

const THREADS: i64 = 8;
/// Half of the range of each thread, which overlaps each neighbour's range by half.
const STEP: i64 = 20_000;
const NUMBERS: i64 = STEP * (THREADS + 1);

fn parameters() -> Parameters {
    Parameters::new(NUMBERS as u64, 0.001).unwrap()
}

/// Threads insert into a filter, or into parts that they merge into it. It ends up as the sequential filter.
macro_rules! fill {
    ($concurrent:ty, $plain:ty, $funnel:expr, $parameters:expr) => {{
        let (funnel, parameters) = ($funnel, $parameters);
        let filter = <$concurrent>::new(funnel, &parameters).unwrap();
        let barrier = Barrier::new(THREADS as usize);
        thread::scope(|scope| {
            for thread in 0..THREADS {
                let (filter, barrier) = (&filter, &barrier);
                scope.spawn(move || {
                    barrier.wait();
                    let mut part = <$plain>::new(funnel, &parameters).unwrap();
                    let mut range = thread * STEP..(thread + 2) * STEP;
                    for number in range.clone() {
                        match thread % 4 {
                            0 | 1 => {
                                filter.insert(&number);
                                assert!(filter.contains(&number));
                            }
                            _ => _ = part.insert(&number),
                        }
                    }
                    match thread % 4 {
                        1 => filter.insert_many(&range.clone().collect::<Vec<_>>()),
                        2 | 3 => filter.merge(&part.into()).unwrap(),
                        _ => filter.merge(filter).unwrap(),
                    }
                    assert!(range.all(|number| filter.contains(&number)));
                });
            }
        });
        let mut expected = <$plain>::new(funnel, &parameters).unwrap();
        for number in 0..NUMBERS {
            expected.insert(&number);
        }
        assert_eq!(filter.to_bytes(), expected.to_bytes());
        assert_eq!(filter.stored_len(), expected.stored_len());
        assert_eq!(filter.stats(), expected.stats());
        assert_eq!(filter.estimated_len(), expected.estimated_len());
        let queried: Vec<_> = (0..2 * NUMBERS).step_by(7).collect();
        assert_eq!(filter.contains_many(&queried), expected.contains_many(&queried));
        assert_eq!(filter.snapshot(), expected);
        assert_eq!(<$concurrent>::from(expected.clone()).snapshot(), expected);
        assert_eq!(filter.into_sequential(), expected);
    }};
}

#[test]
fn eight_threads_that_insert_and_merge_overlapping_keys_make_the_bytes_of_one() {
    for parameters in [
        parameters(),
        parameters().strategy(Strategy::Murmur128Mitz32),
        // A few words, so that the threads contend for them.
        Parameters::new(200, 0.5).unwrap(),
    ] {
        fill!(ConcurrentBloomFilter<Long>, BloomFilter<Long>, Long, parameters);
    }
    let parameters = ours::Parameters::new(NUMBERS as u64, 0.01).unwrap();
    for parameters in [parameters, ours::Parameters::with_blocks(2).unwrap()] {
        fill!(
            ours::ConcurrentBlockedBloomFilter,
            ours::BlockedBloomFilter,
            Xxph3,
            parameters
        );
    }
}

#[test]
fn a_sequential_filter_keeps_its_memory_where_it_becomes_concurrent_and_back() {
    let filter = BloomFilter::new(Bytes, &Parameters::new(10, 0.01).unwrap()).unwrap();
    let place = filter.words().as_ptr();
    let back = ConcurrentBloomFilter::from(filter).into_sequential();
    if align_of::<AtomicU64>() == align_of::<u64>() {
        assert_eq!(back.words().as_ptr(), place);
    }
}
