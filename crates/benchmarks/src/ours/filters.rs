//! The filters for applications of this process in the suite `membership`: this project's, and those of other crates with
//! Guava's size and probe count.

use std::hash::BuildHasher;

use fastbloom::{BloomFilter as FastBloom, BuilderWithBits};
use foldhash::fast::FixedState;
use hashzoo::{REDISBLOOM_SEED, murmur64a};
use membership_filters::backend::Exclusive;
use membership_filters::guava::{BloomFilter, Parameters};
use membership_filters::{BlockedBloomFilter, Filter, Funnel, Parameters as BlockedParameters};
use membership_filters::{RedisBloomFilter, RedisBloomParameters, Utf8, Xxph3};
use terminal::failure::Failure;

use crate::keys::numbers;
use crate::suites::membership::{AT_ONCE, Contender, FPP, Plan, Work};
use crate::turns::{Timed, timed};
use crate::version;

/// Seed of random words.
const WORD_SEED: u64 = 2;

/// A loop over the keys of a part: inserts them, and returns how many changed bits; or queries them, and returns how
/// many may be present.
type Run = Box<dyn FnMut(bool, &[String]) -> u64>;

/// A filter, empty or of random words.
struct Made {
    bits: u64,
    probes: u32,
    run: Run,
}

/// Makes a filter that is called for each key, or for all keys of a part.
type Make = fn(&Plan, bool) -> Made;

/// Runs the loops over a [`Made`] filter and times them.
struct Local {
    make: Make,
    is_many: bool,
    made: Option<Made>,
}

/// Returns all filters.
pub fn all() -> impl Iterator<Item = Contender> {
    let each_key = "a call for each key".to_owned();
    let many = format!("a call for {AT_ONCE} keys; puts do not tell what changed and count as if all did");
    let xxph3 = |call: &str| format!("XXPH3; {call}");
    let default = "SipHash-1-3; seed 1".to_owned();
    let foldhash = format!("foldhash {} fast::FixedState; seed 1", version("foldhash"));
    let ours = "membership-filters";
    let each: [(_, _, _, Make); 9] = [
        (ours, "ours", each_key.clone(), guava),
        (ours, "ours-batch", many.clone(), guava),
        (ours, "blocked", xxph3(&each_key), blocked),
        (ours, "blocked-batch", xxph3(&many), blocked),
        (ours, "redisbloom", each_key, redisbloom),
        (ours, "redisbloom-batch", many, redisbloom),
        (ours, "bloom-c", "a transcription".to_owned(), bloom_c),
        ("fastbloom", "fastbloom-default", default, |plan, _| {
            fastbloom(plan, fastbloom_builder(plan).seed(&1))
        }),
        ("fastbloom", "fastbloom-foldhash", foldhash, |plan, _| {
            fastbloom(plan, fastbloom_builder(plan).hasher(FixedState::with_seed(1)))
        }),
    ];
    each.into_iter().map(|(package, name, setup, make)| Contender {
        name,
        version: version(package),
        setup,
        work: Box::new(Local {
            make,
            is_many: name.ends_with("-batch"),
            made: None,
        }),
    })
}

impl Work for Local {
    fn start(&mut self, plan: &Plan) -> Result<(u64, u32), Failure> {
        // The old filter's memory is freed first.
        self.made = None;
        let filter = self.made.insert((self.make)(plan, self.is_many));
        Ok((filter.bits, filter.probes))
    }

    fn run(&mut self, is_insert: bool, keys: &[String]) -> Result<Timed, Failure> {
        let filter = self.made.as_mut().expect("started before it runs");
        let (yes, ns) = timed(|| (filter.run)(is_insert, keys));
        Ok(Timed { ns, yes })
    }
}

fn count(answers: impl IntoIterator<Item = bool>) -> u64 {
    answers.into_iter().map(u64::from).sum()
}

/// Makes the loop over a filter of this project, called for each key or for all keys of a part.
fn calls<B, F>(mut filter: Filter<B, F>, is_many: bool) -> Run
where
    B: Exclusive + 'static,
    F: Funnel<str> + 'static,
{
    Box::new(move |is_insert, keys| {
        let each = keys.iter().map(String::as_str);
        match (is_insert, is_many) {
            (true, true) => {
                // Queries find it out if a key was refused.
                drop(filter.insert_many(each));
                keys.len() as u64
            }
            (true, false) => {
                let insert = |key| B::new_result(filter.insert(key)).expect("room for all keys");
                count(each.map(insert))
            }
            (false, true) => count(filter.contains_many(each)),
            (false, false) => count(each.map(|key| filter.contains(key))),
        }
    })
}

/// Guava's filter as this project makes it, empty or of random words.
pub fn guavas(plan: &Plan) -> BloomFilter<Utf8> {
    let made = BloomFilter::new(Utf8, &plan.parameters()).and_then(|empty| {
        if !plan.has_random_words {
            return Ok(empty);
        }
        // Reuses the memory that the crate allocated.
        let (header, mut words) = empty.into_parts();
        for (word, random) in words.iter_mut().zip(numbers(WORD_SEED)) {
            *word = random;
        }
        BloomFilter::from_parts(Utf8, header, words)
    });
    made.expect("a filter that there is memory for")
}

fn guava(plan: &Plan, is_many: bool) -> Made {
    let filter = guavas(plan);
    Made {
        bits: filter.bits(),
        probes: filter.probe_count(),
        run: calls(filter, is_many),
    }
}

/// This project's blocked filter for the same keys and rate as the others, which takes more bits.
fn blocked(plan: &Plan, is_many: bool) -> Made {
    let parameters = BlockedParameters::new(plan.insertions, FPP).expect("a size that there can be");
    let mut filter = BlockedBloomFilter::new(Xxph3, &parameters).expect("a filter that there is memory for");
    if plan.has_random_words {
        // Random words would set more bits than keys ever do.
        for number in numbers(WORD_SEED).take(plan.insertions as usize) {
            filter.insert(&number.to_le_bytes());
        }
    }
    Made {
        bits: parameters.memory_bytes() * 8,
        probes: 8,
        run: calls(filter, is_many),
    }
}

/// The length of the bytes before the bits of a chain with one link.
const REDISBLOOM_HEADER: usize = 73;

/// RedisBloom's filter as a server makes it, with one link, and its probe count. The bits are random words or none.
fn redisbloom_filter(plan: &Plan) -> (RedisBloomFilter, u32) {
    let parameters = RedisBloomParameters::new(plan.insertions, FPP).non_scaling();
    let link = parameters.first_link().expect("a size that a server can make");
    let empty = RedisBloomFilter::new(&parameters).expect("a filter that there is memory for");
    if !plan.has_random_words {
        return (empty, link.probe_count);
    }
    let mut bytes = empty.to_redisbloom();
    let words = bytes[REDISBLOOM_HEADER..].as_chunks_mut().0;
    for (word, random) in words.iter_mut().zip(numbers(WORD_SEED)) {
        *word = random.to_le_bytes();
    }
    let filter = RedisBloomFilter::from_redisbloom(&bytes).expect("bits of any values");
    (filter, link.probe_count)
}

fn redisbloom(plan: &Plan, is_many: bool) -> Made {
    let (filter, probes) = redisbloom_filter(plan);
    Made {
        bits: filter.bits(),
        probes,
        run: calls(filter, is_many),
    }
}

/// RedisBloom's own loop, `bloom_check_add_compat` of its `bloom.c`, transcribed: a division for each probe, and a query
/// that ends at the first bit that is missing.
fn bloom_c(plan: &Plan, _: bool) -> Made {
    let (filter, probes) = redisbloom_filter(plan);
    let (bits, bytes) = (filter.bits(), filter.to_redisbloom());
    // Guava's words for a few keys more are as many or more, and have the same pages as this project's filters.
    let larger = Parameters::new(plan.insertions + 64, FPP).expect("a size that Guava can make");
    let empty = BloomFilter::new(Utf8, &larger).expect("a filter that there is memory for");
    let (_, mut words) = empty.into_parts();
    for (word, bytes) in words.iter_mut().zip(bytes[REDISBLOOM_HEADER..].as_chunks().0) {
        *word = u64::from_le_bytes(*bytes);
    }
    let mut run = move |is_insert: bool, key: &str| {
        let a = murmur64a(key.as_bytes(), REDISBLOOM_SEED);
        let b = murmur64a(key.as_bytes(), a);
        let mut all = true;
        for i in 0..u64::from(probes) {
            let bit = a.wrapping_add(i.wrapping_mul(b)) % bits;
            let (word, mask) = (&mut words[(bit / 64) as usize], 1 << (bit % 64));
            if *word & mask == 0 {
                all = false;
                if !is_insert {
                    break;
                }
                *word |= mask;
            }
        }
        all
    };
    Made {
        bits,
        probes,
        run: Box::new(move |is_insert, keys| count(keys.iter().map(|key| run(is_insert, key) != is_insert))),
    }
}

fn fastbloom_builder(plan: &Plan) -> BuilderWithBits {
    if plan.has_random_words {
        FastBloom::from_vec(numbers(WORD_SEED).take(plan.parameters().word_count()).collect())
    } else {
        FastBloom::with_num_bits(plan.parameters().bits() as usize)
    }
}

fn fastbloom<S: BuildHasher + 'static>(plan: &Plan, builder: BuilderWithBits<S>) -> Made {
    let mut filter = builder.hashes(plan.parameters().probe_count());
    Made {
        bits: filter.num_bits() as u64,
        probes: filter.num_hashes(),
        run: Box::new(move |is_insert, keys| {
            if is_insert {
                // It returns true if the key may have been present before.
                count(keys.iter().map(|key| !filter.insert(key.as_str())))
            } else {
                count(keys.iter().map(|key| filter.contains(key.as_str())))
            }
        }),
    }
}
