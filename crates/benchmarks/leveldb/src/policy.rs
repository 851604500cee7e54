//! Builds and queries LevelDB's filters with LevelDB's own policy in C++, with ours on every kernel, and with
//! rusty-leveldb's policy, all with the same bytes; and `fastbloom`'s filters, which have other bytes.
//!
//! LevelDB is called through its virtual functions, in a C++ loop over slices made in advance. The program ends if a
//! contender in LevelDB's format differs from LevelDB in its filters or answers.

use core::hint::black_box;

use bench_kit::policies::ours::{contender, count, that_ask, that_build};
use bench_kit::policies::{self, BITS_PER_KEY, Batched, Contender, EngineSlice, fastbloom};
use bench_kit::record::Batch;
use bench_kit::turns::Work;
use bench_leveldb::{EnginePolicy, version};
use filter_policy::hashers::{KeyHasher as _, LevelDbHash};
use filter_policy::kernels::Kernel;
use filter_policy::{BitsPerKey, BloomFilterPolicy};
use filter_policy_leveldb::POLICY_LEVELDB;
use rusty_leveldb::{BloomPolicy, FilterPolicy};

/// The keys of a filter.
const SIZES: [usize; 8] = [32, 128, 512, 4096, 16_384, 100_000, 1_000_000, 20_000_000];

/// Measures every size and key length.
pub(crate) fn measure(is_quick: bool) -> Vec<Batch> {
    policies::measure_all(&LevelDb, &SIZES, is_quick)
}

fn ours(kernel: Kernel) -> BloomFilterPolicy<LevelDbHash> {
    BloomFilterPolicy::leveldb_builtin(BitsPerKey::whole(BITS_PER_KEY)).on_kernel(kernel)
}

/// Returns LevelDB's hash of a key, its 32 bits spread over 64, for `fastbloom`.
fn spread(key: &[u8]) -> u64 {
    // 2^64 divided by the golden ratio, made odd: different hashes give different products, whose upper bits depend on
    // all bits.
    u64::from(LevelDbHash.hash(key)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Returns a policy of the functions that C programs pass to LevelDB, which calls them like its own policy.
fn c_library() -> EnginePolicy {
    EnginePolicy::c_library(BITS_PER_KEY.cast_signed(), POLICY_LEVELDB)
}

fn rusty<'a>(form: &'static str, run: impl FnMut() -> u64 + 'a) -> Contender<'a> {
    Contender::new(("rusty-leveldb", form), "rusty-leveldb", Work::Same, run)
}

struct LevelDb;

impl policies::Engine for LevelDb {
    type Filters = Vec<u8>;

    fn that_build<'a>(&self, size: usize, keys: Batched<'a>) -> Vec<Contender<'a>> {
        let slices = keys.slices;
        let engine = EnginePolicy::builtin(BITS_PER_KEY);
        let engine_keys = EngineSlice::of(slices);
        let build = move || engine.create_filters(&engine_keys, size);
        let name = ("leveldb", "slices");
        let mut contenders = vec![Contender::engine(name, version(), Work::Same, build)];
        for kernel in Kernel::available() {
            let (name, policy) = (kernel.name(), ours(kernel));
            contenders.extend(that_build(name, Work::Same, policy, size, keys));
        }
        let (library, keys_of_c) = (c_library(), EngineSlice::of(slices));
        let build = move || library.create_filters(&keys_of_c, size);
        contenders.push(contender("c-library", "slices", Work::Same, build));
        // rusty-leveldb takes concatenated keys and the offset of each.
        let groups: Vec<(Vec<u8>, Vec<usize>)> = slices
            .chunks_exact(size)
            .map(|keys| {
                let begin = |at: &mut usize, key: &&[u8]| Some(std::mem::replace(at, *at + key.len()));
                (keys.concat(), keys.iter().scan(0, begin).collect())
            })
            .collect();
        contenders.push(rusty("slices", move || {
            let policy = BloomPolicy::new(BITS_PER_KEY);
            let policy: &dyn FilterPolicy = black_box(&policy);
            let build = |(keys, begins): &(Vec<u8>, Vec<usize>)| policy.create_filter(keys, begins);
            groups
                .iter()
                .map(|group| u64::from(black_box(build(group))[0]))
                .sum()
        }));
        contenders.extend(fastbloom::that_build(size, keys, spread));
        contenders
    }

    fn filters(&self, stored: &[&[u8]]) -> Vec<u8> {
        EnginePolicy::builtin(BITS_PER_KEY).create_filter(stored)
    }

    fn that_ask<'a>(&self, filter: &'a Vec<u8>, stored: &[&[u8]], keys: Batched<'a>) -> Vec<Contender<'a>> {
        let slices = keys.slices;
        let engine = EnginePolicy::builtin(BITS_PER_KEY);
        let engine_keys = EngineSlice::of(slices);
        let ask = move || engine.count_matches(&engine_keys, filter);
        let name = ("leveldb", "one-by-one");
        let mut contenders = vec![Contender::engine(name, version(), Work::Same, ask)];
        for kernel in Kernel::available() {
            let name = kernel.name();
            contenders.extend(that_ask(name, Work::Same, ours(kernel), filter, keys));
        }
        let (library, keys_of_c) = (c_library(), EngineSlice::of(slices));
        let ask = move || library.count_matches(&keys_of_c, filter);
        contenders.push(contender("c-library", "one-by-one", Work::Same, ask));
        contenders.push(rusty("one-by-one", move || {
            let policy = BloomPolicy::new(BITS_PER_KEY);
            let policy: &dyn FilterPolicy = black_box(&policy);
            count(slices, |key| policy.key_may_match(key, filter))
        }));
        contenders.extend(fastbloom::that_ask(stored, keys, spread));
        contenders
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_contender_takes_part_in_every_round() {
        let batches = policies::measure(&LevelDb, 33, policies::KeyLengths::Fixed, 2);
        let expected = [
            ("leveldb", 2, 2),
            ("scalar", 4, 8),
            ("c-library", 2, 2),
            ("rusty-leveldb", 2, 2),
            ("fastbloom-hashes", 2, 2),
            ("fastbloom-default", 2, 2),
        ];
        policies::check_turns(&batches, &expected);
    }
}
