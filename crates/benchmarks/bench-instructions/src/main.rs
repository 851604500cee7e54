//! The work whose instructions are counted: each task of each policy in its own call of [`counted`]. The program has
//! few dependencies, because every test run builds it with optimisation.
//!
//! It prints a line for each call, in order: policy, key lengths, task, number of keys.
//! `cargo xtask bench --suite instructions` runs it under valgrind with the portable kernel. Seeds are fixed, so every run does the same work.
//! With the argument `ways`, the tasks are all ways to build and to query, which a test compares with recorded counts.
#![forbid(unsafe_code)]

mod ways;

use core::hint::black_box;
use std::io::{self, Write};

use filter_formats::policies;
use filter_policy::BitsPerKey;
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Keys of a filter, and queries to it.
const KEYS: usize = 1024;

/// The call that starts and ends counting. It is not inlined, so that it keeps its symbol.
#[inline(never)]
fn counted(work: &mut dyn FnMut()) {
    work();
}

/// Returns random keys of `len` bytes, or of 4 to 40.
fn keys(random: &mut SplitMix64, len: Option<usize>) -> Vec<Vec<u8>> {
    (0..KEYS)
        .map(|_| {
            let mut key = vec![0; len.unwrap_or(4 + (random.next_u64() % 37) as usize)];
            random.fill_bytes(&mut key);
            key
        })
        .collect()
}

fn slices(keys: &[Vec<u8>]) -> Vec<&[u8]> {
    keys.iter().map(Vec::as_slice).collect()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut out = io::stdout().lock();
    if std::env::args().nth(1).is_some_and(|argument| argument == "ways") {
        return ways::run_all(&mut out);
    }
    for (lengths, len) in [("16", Some(16)), ("4-40", None)] {
        let mut random = SplitMix64::seed_from_u64(1);
        let (stored, absent) = (keys(&mut random, len), keys(&mut random, len));
        let (stored, absent) = (slices(&stored), slices(&absent));
        for known in policies::ALL {
            let (name, policy) = (known.name(), known.policy(BitsPerKey::whole(10)));
            let policy = black_box(&*policy);
            let mut room = vec![0; policy.max_filter_len(KEYS)?];
            let mut written = Ok(0);
            counted(&mut || {
                written = policy
                    .create_filter(&stored, &mut room)
                    .map(|filter| filter.len());
            });
            writeln!(out, "{name},{lengths},build,{KEYS}")?;
            let filter = &room[..written?];
            for (task, asked) in [("absent", &absent), ("present", &stored)] {
                let mut matches = 0;
                counted(&mut || {
                    matches = asked
                        .iter()
                        .filter(|key| policy.key_may_match(key, filter))
                        .count();
                });
                black_box(matches);
                writeln!(out, "{name},{lengths},{task},{KEYS}")?;
            }
        }
    }
    Ok(())
}
