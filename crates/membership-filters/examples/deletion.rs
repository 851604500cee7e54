//! A blocklist of sessions: tokens that were revoked before they expire. An entry leaves the list when its token has
//! expired, so the filter in front of the list must support removal. Runs a counting and a cuckoo filter side by side.
//!
//! `cargo run --release -p membership-filters --example deletion`

use std::collections::{HashSet, VecDeque};
use std::error::Error;

use membership_filters::{CounterWidth, CountingBloomFilter, CuckooFilter, CuckooParameters};
use membership_filters::{Parameters, Utf8};

/// The number of revoked tokens on the list at a time.
const LISTED: u64 = 10_000;
/// The number of revocations in total.
const REVOKED: u64 = 100_000;
/// The number of requests with tokens that were never revoked.
const REQUESTS: u64 = 200_000;
const FPP: f64 = 0.001;

fn main() -> Result<(), Box<dyn Error>> {
    // The list itself would be a table in a database; the filters keep most requests away from it.
    let mut list = HashSet::new();
    let mut by_expiry = VecDeque::new();
    let parameters = Parameters::new(LISTED, FPP)?;
    let mut counting = CountingBloomFilter::new(Utf8, &parameters, CounterWidth::FOUR)?;
    let mut cuckoo = CuckooFilter::new(Utf8, &CuckooParameters::new(LISTED, FPP)?)?;

    for i in 0..REVOKED {
        if by_expiry.len() as u64 == LISTED
            && let Some(expired) = by_expiry.pop_front()
        {
            // The list decides: a token that was not on the list must not be removed from the filters.
            if list.remove(&expired) {
                assert!(counting.remove(&expired));
                assert!(cuckoo.remove(&expired));
            }
        }
        let token = format!("token-{i:08}");
        if list.insert(token.clone()) {
            counting.insert(&token);
            cuckoo.insert(&token)?;
            by_expiry.push_back(token);
        }
    }
    let missing = list
        .iter()
        .filter(|token| !counting.might_contain(token) || !cuckoo.might_contain(token))
        .count();

    let (mut asked_counting, mut asked_cuckoo) = (0_u32, 0_u32);
    for i in 0..REQUESTS {
        let token = format!("valid-{i:08}");
        asked_counting += u32::from(counting.might_contain(&token));
        asked_cuckoo += u32::from(cuckoo.might_contain(&token));
    }

    println!(
        "{REVOKED} tokens revoked, {} on the list, {missing} of them missing",
        list.len()
    );
    println!("{REQUESTS} requests with valid tokens, of which the list was asked for:");
    let counts = counting.stats();
    println!(
        "  counting: {asked_counting:4} ({:.0} expected), {} bytes, {} stuck counters",
        counts.false_positive_rate * REQUESTS as f64,
        counts.memory_bytes,
        counts.stuck_counters
    );
    let slots = cuckoo.stats();
    println!(
        "  cuckoo:   {asked_cuckoo:4} ({:.0} expected), {} bytes, {:.1} % of the slots taken",
        slots.false_positive_rate * REQUESTS as f64,
        slots.memory_bytes,
        slots.load * 100.0
    );
    println!("a plain Bloom filter, which forgets nothing, would hold all {REVOKED} tokens by now");
    Ok(())
}
