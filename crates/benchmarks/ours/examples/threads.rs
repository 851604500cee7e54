//! The concurrent filter compared with the plain one: the speed of one thread relative to the plain filter, and of four threads
//! relative to one (medians of paired rounds).
//!
//! `cargo run --release -p bench-ours --example threads`

use std::thread;

use bench_kit::random;
use bench_kit::turns::{Loop, take_turns};
use membership_filters::{BloomFilter, ConcurrentBloomFilter};
use statistics::robust::median;

/// What the plain filter does, and the concurrent one with one thread and with four.
type Works<'a> = [&'a dyn Fn() -> u64; 3];

const ROUNDS: u64 = 15;
const RATE: f64 = 0.01;
/// The number of calls of a loop at least.
const CALLS: usize = 4 << 20;

/// Has each of some threads do its part of the work, and adds up what they return.
fn split(threads: usize, keys: &[u64], work: impl Fn(&[u64]) -> u64 + Sync) -> u64 {
    if threads == 1 {
        return work(keys);
    }
    let work = &work;
    thread::scope(|scope| {
        let parts = keys.chunks(keys.len().div_ceil(threads));
        let threads: Vec<_> = parts.map(|part| scope.spawn(move || work(part))).collect();
        threads.into_iter().map(|one| one.join().expect("no panic")).sum()
    })
}

fn main() {
    println!(
        "{:>9} {:>7} {:>9} {:>10} {:>9}",
        "keys", "task", "plain ns", "one/plain", "four/one"
    );
    for capacity in [100_000, 1_000_000, 16_000_000] {
        let mut keys = random(7);
        let [members, absent]: [Vec<u64>; 2] = [0, 1].map(|_| keys.by_ref().take(capacity).collect());
        let repeats = CALLS.div_ceil(capacity);
        let empty = || BloomFilter::with_capacity(capacity as u64, RATE).expect("memory");
        let mut filled = empty();
        filled.insert_many(&members);
        let shared = ConcurrentBloomFilter::from(filled.clone());

        // Which keys are told to be new depends on the threads, so that the result is that there are some.
        let insert = |threads: usize| {
            let filters: Vec<ConcurrentBloomFilter> = (0..repeats).map(|_| empty().into()).collect();
            let insert = |keys: &[u64]| {
                filters
                    .iter()
                    .map(|filter| new(keys, |key| filter.insert(key)))
                    .sum()
            };
            split(threads, &members, insert).min(1)
        };
        let insert_plain = || {
            let mut filters: Vec<BloomFilter> = (0..repeats).map(|_| empty()).collect();
            let insert = |filter: &mut BloomFilter| new(&members, |key| filter.insert(key));
            filters.iter_mut().map(insert).sum::<u64>().min(1)
        };
        let query = |threads: usize| {
            let query = |keys: &[u64]| (0..repeats).map(|_| new(keys, |key| !shared.contains(key))).sum();
            split(threads, &absent, query)
        };
        let query_plain = || {
            (0..repeats)
                .map(|_| new(&absent, |key| !filled.contains(key)))
                .sum()
        };
        let tasks: [(&str, Works<'_>); 2] = [
            ("insert", [&insert_plain, &|| insert(1), &|| insert(4)]),
            ("query", [&query_plain, &|| query(1), &|| query(4)]),
        ];
        for (task, works) in tasks {
            let mut turns = [0, 1, 2].map(|index| (index, Box::new(works[index]) as Loop<'_>));
            let mut times = [const { Vec::new() }; 3];
            take_turns(ROUNDS, true, &mut turns, |_, &contender: &usize, ns| {
                times[contender].push(ns as f64)
            });
            let speed = |of: usize, over: usize| {
                let ratios = times[over].iter().zip(&times[of]).map(|(over, of)| over / of);
                median(&mut ratios.collect::<Vec<f64>>()).expect("there are rounds")
            };
            let [one, four] = [speed(1, 0), speed(2, 1)];
            let plain = median(&mut times[0]).expect("there are rounds") / (repeats * capacity) as f64;
            println!("{capacity:>9} {task:>7} {plain:>9.2} {one:>10.2} {four:>9.2}");
        }
    }
}

/// Counts the keys that are new.
fn new(keys: &[u64], is_new: impl FnMut(&&u64) -> bool) -> u64 {
    keys.iter().filter(is_new).count() as u64
}
