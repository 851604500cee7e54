//! The concurrent filter compared with the plain one: the speed of one thread relative to the plain filter, and of four threads
//! relative to one (medians of rounds).
//!
//! `cargo run --release -p bench-ours --example threads`

use std::thread;

use bench_kit::random;
use bench_kit::turns::{Loop, take_turns};
use membership_filters::{BloomFilter, ConcurrentBloomFilter};
use statistics::robust::median;

const ROUNDS: u64 = 15;
const RATE: f64 = 0.01;

/// Counts the keys for which `is_new` holds, by so many threads.
fn count(threads: usize, keys: &[u64], is_new: impl Fn(&u64) -> bool + Sync) -> u64 {
    let (is_new, parts) = (&is_new, keys.chunks(keys.len().div_ceil(threads)));
    thread::scope(|scope| {
        let count = |part: &[u64]| part.iter().filter(|key| is_new(key)).count() as u64;
        let threads: Vec<_> = parts.map(|part| scope.spawn(move || count(part))).collect();
        threads.into_iter().map(|one| one.join().expect("no panic")).sum()
    })
}

fn main() {
    println!(
        "{:>9} {:>7} {:>10} {:>9}",
        "keys", "task", "one/plain", "four/one"
    );
    for capacity in [1_000_000, 16_000_000] {
        let mut random = random(7);
        let [members, absent]: [Vec<u64>; 2] = [0, 1].map(|_| random.by_ref().take(capacity).collect());
        let empty = || BloomFilter::with_capacity(capacity as u64, RATE).expect("memory");
        let mut filled = empty();
        filled.insert_many(&members);
        let shared = ConcurrentBloomFilter::from(filled.clone());

        // Threads differ in which keys are new, so that the result is that there are some.
        let insert = |threads| {
            let filter = ConcurrentBloomFilter::from(empty());
            count(threads, &members, |key| filter.insert(key)).min(1)
        };
        let insert_plain = || {
            let mut filter = empty();
            members.iter().filter(|key| filter.insert(key)).count().min(1) as u64
        };
        let query = |threads| count(threads, &absent, |key| shared.contains(key));
        let query_plain = || absent.iter().filter(|key| filled.contains(key)).count() as u64;
        let insert: [Loop<'_>; 3] = [
            Box::new(insert_plain),
            Box::new(|| insert(1)),
            Box::new(|| insert(4)),
        ];
        let query: [Loop<'_>; 3] = [
            Box::new(query_plain),
            Box::new(|| query(1)),
            Box::new(|| query(4)),
        ];
        for (task, loops) in [("insert", insert), ("query", query)] {
            let mut turns: Vec<(usize, Loop<'_>)> = loops.into_iter().enumerate().collect();
            let mut times = [const { Vec::new() }; 3];
            take_turns(ROUNDS, true, &mut turns, |_, &contender, ns| {
                times[contender].push(ns as f64)
            });
            let [plain, one, four] = times.map(|mut ns| median(&mut ns).expect("there are rounds"));
            println!(
                "{capacity:>9} {task:>7} {:>10.2} {:>9.2}",
                plain / one,
                one / four
            );
        }
    }
}
