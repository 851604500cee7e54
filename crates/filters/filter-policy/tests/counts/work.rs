//! The work whose instructions are counted: every way to build and to query, for every format, each in its own call of
//! [`counted`].
//!
//! It prints a line for each call, in order: policy, key lengths, way, number of keys. `counting.rs` builds it as a program
//! of its own, as a user's release build would, and runs it under valgrind. Seeds are fixed, so every run does the same work.
#![forbid(unsafe_code)]

use core::hint::black_box;
use std::io::{self, Write};

use filter_policy::SplitBlockPolicy;
use filter_policy::parquet::ParquetPolicy;
use filter_policy::rocksdb::{FastLocalBloomPolicy, LegacyBloomPolicy, RibbonPolicy};
use filter_policy::{
    Answers, BitsPerKey, BloomFilterPolicy, FilterPolicy, Format, HashedKey, KeyHashes, Policy,
};
use filter_policy::{BashoFilterPolicy, BinaryFusePolicy, BloomFilter64Policy};

#[path = "random.rs"]
mod random;

use random::Random;

type Failed = Box<dyn std::error::Error>;

/// Keys of a filter, and queries to it.
const KEYS: usize = 1024;
/// The number of keys of small filters.
const FEW: usize = 8;

/// The call that starts and ends counting. It is not inlined, so that it keeps its symbol.
#[inline(never)]
fn counted(work: &mut dyn FnMut()) {
    work();
}

/// Random keys of `len` bytes, or of 4 to 40, one after the other: some counts depend on where they are in memory.
struct Keys {
    bytes: Vec<u8>,
    lengths: Vec<usize>,
}

impl Keys {
    fn random(random: &mut Random, len: Option<usize>) -> Self {
        let mut bytes = Vec::with_capacity(64 * KEYS);
        let mut key = |_| {
            let len = len.unwrap_or_else(|| 4 + (random.next() % 37) as usize);
            for at in (0..len).step_by(8) {
                bytes.extend(&random.next().to_le_bytes()[..(len - at).min(8)]);
            }
            len
        };
        let lengths = (0..KEYS).map(&mut key).collect();
        Self { bytes, lengths }
    }

    fn slices(&self) -> Vec<&[u8]> {
        let mut rest = &self.bytes[..];
        let mut next = |&len: &usize| rest.split_off(..len);
        self.lengths.iter().filter_map(&mut next).collect()
    }
}

/// Runs each way of a policy with keys of two kinds.
fn run<L: Format>(policy: Policy<L>, out: &mut impl Write) -> Result<(), Failed>
where
    Policy<L>: Copy,
{
    for (lengths, len) in [("16", Some(16)), ("4-40", None)] {
        let mut random = Random(1);
        let [stored, absent] = [0; 2].map(|_| Keys::random(&mut random, len));
        let [stored, absent] = [&stored, &absent].map(Keys::slices);
        let policy = *black_box(&policy);
        let object: &dyn FilterPolicy = black_box(&policy);
        let name = object.name();
        let mut count = |way: &str, work: &mut dyn FnMut()| {
            counted(work);
            writeln!(out, "{name},{lengths},{way},{KEYS}")
        };
        let mut room = vec![0; object.max_filter_len(KEYS)?];
        let mut small = vec![0; object.max_filter_len(FEW)?];
        let mut len = 0;
        count("build", &mut || {
            let filter = object.create_filter(&stored, &mut room);
            len = filter.map_or(0, |filter| filter.len());
        })?;
        count("build-small", &mut || {
            for keys in stored.chunks(FEW) {
                black_box(object.create_filter(keys, &mut small).is_ok());
            }
        })?;
        let hashes: Vec<L::Hash> = stored.iter().map(|key| policy.format().hash(key)).collect();
        let hashes = KeyHashes::new(policy.format().hash_function(), &hashes);
        count("build-hashes", &mut || {
            black_box(object.create_from_hashes(hashes, &mut room).is_ok());
        })?;
        let filter = &room[..len];
        let prepared = object.prepare(filter);
        let hashed: Vec<HashedKey<'_>> = absent.iter().map(|key| HashedKey::new(object, key)).collect();
        let mut found = 0;
        count("one", &mut || {
            let matching = absent.iter().filter(|key| policy.key_may_match(key, filter));
            found += matching.count();
        })?;
        count("one-dyn", &mut || {
            let matching = absent.iter().filter(|key| object.key_may_match(key, filter));
            found += matching.count();
        })?;
        count("one-present", &mut || {
            let matching = stored.iter().filter(|key| object.key_may_match(key, filter));
            found += matching.count();
        })?;
        count("prepared", &mut || {
            found += absent.iter().filter(|key| prepared.may_match(key)).count();
        })?;
        count("hash", &mut || {
            for key in &absent {
                black_box(object.key_hash(key));
            }
        })?;
        count("hashed", &mut || {
            found += hashed.iter().filter(|key| key.may_match(filter)).count();
        })?;
        count("hashed-prepared", &mut || {
            found += hashed.iter().filter(|key| prepared.may_match_hashed(key)).count();
        })?;
        let mut words = [0; KEYS / 64];
        count("many", &mut || {
            let mut answers = Answers::new(&mut words);
            black_box(prepared.may_match_many(&*absent, &mut answers).is_ok());
        })?;
        black_box((found, words));
    }
    Ok(())
}

fn main() -> Result<(), Failed> {
    let out = &mut io::stdout().lock();
    let ten = BitsPerKey::whole(10);
    run(BloomFilterPolicy::with_leveldb_hash(ten), out)?;
    run(BloomFilterPolicy::new(ten), out)?;
    run(BloomFilterPolicy::with_signed_tail(ten), out)?;
    run(BloomFilter64Policy::new(ten), out)?;
    run(FastLocalBloomPolicy::new(ten), out)?;
    run(LegacyBloomPolicy::new(ten), out)?;
    run(RibbonPolicy::new(ten), out)?;
    run(ParquetPolicy::new(ten), out)?;
    run(SplitBlockPolicy::new(ten), out)?;
    run(BinaryFusePolicy::new(ten), out)?;
    run(BashoFilterPolicy::new(ten), out)?;
    run(BashoFilterPolicy::with_murmur2(ten), out)
}
