//! The concurrent filter compared with the plain one: on one thread, and on four.
//!
//! `cargo run --release -p bench-ours --example threads` prints, for each size and task, nanoseconds a key (medians of paired
//! rounds), the speed of one thread relative to the plain filter, and that of four threads relative to one.

use std::thread;

use bench_kit::random;
use bench_kit::turns::{Loop, take_turns};
use membership_filters::{BloomFilter, ConcurrentBloomFilter};

const ROUNDS: u64 = 15;
const RATE: f64 = 0.01;
/// The number of calls of a loop at least.
const CALLS: usize = 4 << 20;

/// Splits the keys among threads, and adds up what they return.
fn split(threads: usize, keys: &[u64], work: impl Fn(&[u64]) -> u64 + Sync) -> u64 {
    if threads == 1 {
        return work(keys);
    }
    thread::scope(|scope| {
        let parts = keys.chunks(keys.len().div_ceil(threads));
        let threads: Vec<_> = parts.map(|part| scope.spawn(|| work(part))).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("no panic"))
            .sum()
    })
}

fn count(answers: impl Iterator<Item = bool>) -> u64 {
    answers.map(u64::from).sum()
}

fn plain(capacity: usize) -> BloomFilter {
    BloomFilter::with_capacity(capacity as u64, RATE).expect("a filter that there is memory for")
}

fn main() {
    println!("keys      task     plain ns  one ns  four ns  one/plain  four/one");
    for capacity in [100_000, 1_000_000, 16_000_000] {
        let mut keys = random(7);
        let [members, absent]: [Vec<u64>; 2] = [0, 1].map(|_| keys.by_ref().take(capacity).collect());
        let mut filled = plain(capacity);
        filled.insert_many(&members);
        let shared = ConcurrentBloomFilter::from(filled.clone());
        let repeats = CALLS.div_ceil(capacity);
        // Keys that collide may be told to be new twice.
        let inserted = |new: u64| u64::from(new > 0);
        let members = &members;
        let insert = |threads: usize| -> Loop<'_> {
            Box::new(move || {
                inserted((0..repeats).fold(0, |_, _| {
                    let filter = ConcurrentBloomFilter::with_capacity(capacity as u64, RATE).expect("memory");
                    split(threads, members, |keys| {
                        count(keys.iter().map(|key| filter.insert(key)))
                    })
                }))
            })
        };
        let query = |threads: usize, keys: &'static str| -> Loop<'_> {
            let (shared, keys) = (&shared, if keys == "present" { members } else { &absent });
            Box::new(move || {
                (0..repeats).fold(0, |_, _| {
                    split(threads, keys, |keys| {
                        count(keys.iter().map(|key| shared.contains(key)))
                    })
                })
            })
        };
        let alone = |keys| -> Loop<'_> {
            let (filled, keys) = (&filled, if keys == "present" { members } else { &absent });
            Box::new(move || (0..repeats).fold(0, |_, _| count(keys.iter().map(|key| filled.contains(key)))))
        };
        for task in ["insert", "absent", "present"] {
            let mut turns: Vec<(usize, Loop<'_>)> = if task == "insert" {
                let alone: Loop<'_> = Box::new(|| {
                    inserted((0..repeats).fold(0, |_, _| {
                        let mut filter = plain(capacity);
                        count(members.iter().map(|key| filter.insert(key)))
                    }))
                });
                vec![(0, alone), (1, insert(1)), (2, insert(4))]
            } else {
                vec![(0, alone(task)), (1, query(1, task)), (2, query(4, task))]
            };
            let mut times = [const { Vec::new() }; 3];
            take_turns(ROUNDS, true, &mut turns, |_, &contender, ns| {
                times[contender].push(ns as f64 / (repeats * capacity) as f64);
            });
            let median = |mut of: Vec<f64>| {
                of.sort_by(f64::total_cmp);
                of[of.len() / 2]
            };
            let ratio =
                |over: &[f64], under: &[f64]| median(over.iter().zip(under).map(|(a, b)| a / b).collect());
            let [alone, one, four] = &times;
            let ratios = [ratio(alone, one), ratio(one, four)];
            let [alone, one, four] = times.map(median);
            println!(
                "{capacity:<9} {task:<8} {alone:8.1} {one:7.1} {four:8.1} {:10.2} {:9.2}",
                ratios[0], ratios[1]
            );
        }
    }
}
