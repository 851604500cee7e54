//! Filters from parallel iterators are those of one thread, byte for byte.

use guava_bloom::{
    BloomFilter, CollectBloomFilter, ConcurrentBloomFilter, Funnel, Long, Parameters, Sink, Strategy, Utf8,
};
use rayon::prelude::*;

const NUMBERS: i64 = 50_000;

/// Returns the bytes of the filter that one thread builds.
fn alone(parameters: &Parameters) -> Vec<u8> {
    let mut filter = BloomFilter::new(Long, parameters).unwrap();
    for number in 0..NUMBERS {
        filter.insert(&number);
    }
    filter.to_bytes()
}

/// Returns sizes that are small enough to be built apart, except the last: it takes 12 MB, and eight of them too much.
fn shapes() -> Vec<Parameters> {
    [(1, 0.5), (1000, 0.001), (NUMBERS, 0.01), (10_000_000, 0.01)]
        .into_iter()
        .map(|(insertions, fpp)| Parameters::new(insertions as u64, fpp).unwrap())
        .flat_map(|parameters| [parameters, parameters.with_strategy(Strategy::Murmur128Mitz32)])
        .collect()
}

#[test]
fn any_number_of_threads_makes_the_same_bytes() {
    for parameters in shapes() {
        let expected = alone(&parameters);
        for threads in [1, 2, 3, 8] {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            let filter = pool
                .install(|| {
                    (0..NUMBERS)
                        .into_par_iter()
                        .collect_bloom_filter(Long, &parameters)
                })
                .unwrap();
            assert!(filter.to_bytes() == expected, "{threads} threads, {parameters:?}");
        }
    }
}

#[test]
fn a_thread_that_takes_up_other_work_between_two_elements_loses_none() {
    let parameters = Parameters::new(NUMBERS as u64, 0.01).unwrap();
    let filter = (0..NUMBERS)
        .into_par_iter()
        .map(|number| {
            // While the thread waits for the other half, it may fill another part of the same filter.
            let (half, rest) = rayon::join(|| number / 2, || number - number / 2);
            half + rest
        })
        .collect_bloom_filter(Long, &parameters)
        .unwrap();
    assert_eq!(filter.to_bytes(), alone(&parameters));
}

#[test]
fn no_element_makes_an_empty_filter() {
    let parameters = Parameters::new(0, 0.03).unwrap();
    let filter = Vec::<String>::new()
        .into_par_iter()
        .collect_bloom_filter(Utf8, &parameters)
        .unwrap();
    assert_eq!(filter.ones(), 0);
}

#[test]
fn items_may_be_values_or_references() {
    let parameters = Parameters::new(1000, 0.01).unwrap();
    let keys: Vec<String> = (0..1000).map(|number| format!("key{number}")).collect();
    let borrowed: Vec<&str> = keys.iter().map(String::as_str).collect();
    let filters = [
        keys.par_iter().collect_bloom_filter(Utf8, &parameters),
        keys.par_iter().collect_bloom_filter_of_refs(Utf8, &parameters),
        borrowed.par_iter().collect_bloom_filter(Utf8, &parameters),
        borrowed.into_par_iter().collect_bloom_filter(Utf8, &parameters),
        keys.join("\n")
            .par_lines()
            .collect_bloom_filter(Utf8, &parameters),
        keys.clone()
            .into_par_iter()
            .collect_bloom_filter(Utf8, &parameters),
    ];
    let mut expected = BloomFilter::new(Utf8, &parameters).unwrap();
    for key in &keys {
        expected.insert(key);
    }
    for filter in filters {
        assert_eq!(filter.unwrap(), expected);
    }

    let numbers: Vec<i64> = (0..NUMBERS).collect();
    let filter = numbers.par_iter().collect_bloom_filter(Long, &parameters);
    assert_eq!(filter.unwrap().to_bytes(), alone(&parameters));
    let shared = ConcurrentBloomFilter::new(Long, &parameters).unwrap();
    shared.par_insert(&numbers);
    assert_eq!(shared.into_sequential().to_bytes(), alone(&parameters));
}

#[test]
fn own_types_are_taken_by_value_and_by_reference() {
    struct Point(i32, i32);

    #[derive(Debug, PartialEq)]
    struct PointFunnel;

    impl Funnel<Point> for PointFunnel {
        fn funnel<S: Sink>(&self, from: &Point, into: &mut S) {
            into.put_i32(from.0);
            into.put_i32(from.1);
        }
    }

    let parameters = Parameters::new(1000, 0.01).unwrap();
    let points: Vec<Point> = (0..1000).map(|number| Point(number, -number)).collect();
    let by_reference = points
        .par_iter()
        .collect_bloom_filter_of_refs(PointFunnel, &parameters)
        .unwrap();
    assert!(points.iter().all(|point| by_reference.might_contain(point)));
    let by_value = points
        .into_par_iter()
        .collect_bloom_filter(PointFunnel, &parameters)
        .unwrap();
    assert_eq!(by_value, by_reference);
}

#[test]
fn a_panic_while_an_element_is_made_reaches_the_caller() {
    let parameters = Parameters::new(NUMBERS as u64, 0.01).unwrap();
    let outcome = std::panic::catch_unwind(|| {
        (0..NUMBERS)
            .into_par_iter()
            .map(|number| {
                assert_ne!(number, 777, "no such element");
                number
            })
            .collect_bloom_filter(Long, &parameters)
    });
    let message = outcome.unwrap_err().downcast::<String>().unwrap();
    assert!(message.contains("no such element"), "{message}");
}
