//! The concurrent filter compared with the plain one: the speed of one thread relative to the plain filter, and of four threads
//! relative to one (medians of paired rounds).
//!
//! `cargo run --release -p bench-ours --example threads`

use std::thread;

use bench_kit::random;
use bench_kit::turns::{Loop, take_turns};
use membership_filters::{BloomFilter, ConcurrentBloomFilter};
use statistics::robust::median;

const ROUNDS: u64 = 15;
const RATE: f64 = 0.01;
/// The number of calls of a loop at least.
const CALLS: usize = 4 << 20;

/// Has four threads do a quarter of the work each, and adds up what they return.
fn split(keys: &[u64], work: impl Fn(&[u64]) -> u64 + Sync) -> u64 {
    let work = &work;
    thread::scope(|scope| {
        let parts = keys.chunks(keys.len().div_ceil(4));
        let threads: Vec<_> = parts.map(|part| scope.spawn(move || work(part))).collect();
        threads.into_iter().map(|one| one.join().expect("no panic")).sum()
    })
}

fn main() {
    println!(
        "{:>9} {:>7} {:>10} {:>9}",
        "keys", "task", "one/plain", "four/one"
    );
    for capacity in [100_000, 1_000_000, 16_000_000] {
        let mut keys = random(7);
        let [members, absent]: [Vec<u64>; 2] = [0, 1].map(|_| keys.by_ref().take(capacity).collect());
        let plain = || BloomFilter::with_capacity(capacity as u64, RATE).expect("memory");
        let empty = || ConcurrentBloomFilter::with_capacity(capacity as u64, RATE).expect("memory");
        let mut filled = plain();
        filled.insert_many(&members);
        let shared = ConcurrentBloomFilter::from(filled.clone());

        // Which keys are new depends on the threads: the work of an insert is to have one.
        let fill = |filter: &ConcurrentBloomFilter, keys: &[u64]| {
            u64::from(keys.iter().filter(|key| filter.insert(key)).count() > 0)
        };
        let fill_plain =
            |mut filter: BloomFilter| u64::from(members.iter().filter(|key| filter.insert(key)).count() > 0);
        let ask = |keys: &[u64]| keys.iter().filter(|key| shared.contains(key)).count() as u64;
        let ask_plain = || absent.iter().filter(|key| filled.contains(key)).count() as u64;
        let insert: [&dyn Fn() -> u64; 3] = [&|| fill_plain(plain()), &|| fill(&empty(), &members), &|| {
            let filter = empty();
            split(&members, |keys| fill(&filter, keys)).min(1)
        }];
        let query: [&dyn Fn() -> u64; 3] = [&ask_plain, &|| ask(&absent), &|| split(&absent, ask)];

        for (task, works) in [("insert", insert), ("query", query)] {
            let repeats = CALLS.div_ceil(capacity);
            let loops =
                works.map(|work| -> Loop<'_> { Box::new(move || (0..repeats).map(|_| work()).sum()) });
            let mut turns: Vec<(usize, Loop<'_>)> = loops.into_iter().enumerate().collect();
            let mut times = [const { Vec::new() }; 3];
            take_turns(ROUNDS, true, &mut turns, |_, &contender, ns| {
                times[contender].push(ns as f64)
            });
            let speed = |of: usize, over: usize| {
                let ratios = times[over].iter().zip(&times[of]).map(|(over, of)| over / of);
                median(&mut ratios.collect::<Vec<f64>>()).expect("there are rounds")
            };
            println!(
                "{capacity:>9} {task:>7} {:>10.2} {:>9.2}",
                speed(1, 0),
                speed(2, 1)
            );
        }
    }
}
