//! The contenders, which build and query filters.

use core::hint::black_box;

use bench_kit::policies::ours::{
    by_trait, contender, count_ones, one_by_one, prepared, that_ask, that_build,
};
use bench_kit::policies::{self, BITS_PER_KEY, Batched, Contender, EngineSlice, fastbloom, sbbf};
use bench_kit::turns::Work;
use bench_rocksdb::{EnginePolicy, version};
use filter_formats::BloomFilter64Policy;
use filter_formats::rocksdb::{FastLocalBloomPolicy, RibbonPolicy};
use filter_policy::kernels::Kernel;
use filter_policy::{BitsPerKey, FilterPolicy, HashedPolicy};

const BITS: BitsPerKey = BitsPerKey::whole(BITS_PER_KEY);
const FAST_LOCAL: FastLocalBloomPolicy = FastLocalBloomPolicy::new(BITS);
const RIBBON: RibbonPolicy = RibbonPolicy::new(BITS);
const BLOOM64: BloomFilter64Policy = BloomFilter64Policy::new(BITS);

/// Returns RocksDB's hash of a key.
fn hash(key: &[u8]) -> u64 {
    FAST_LOCAL.hash_key(key)
}

fn engine_policy(ribbon: bool) -> EnginePolicy {
    let bits = f64::from(BITS_PER_KEY);
    if ribbon {
        EnginePolicy::ribbon(bits)
    } else {
        EnginePolicy::bloom(bits, 5)
    }
}

fn theirs<'a>(
    name: &'static str,
    form: &'static str,
    work: Work,
    run: impl FnMut() -> u64 + 'a,
) -> Contender<'a> {
    Contender::engine((name, form), version(), work, run)
}

/// Queries 32 keys per call, as RocksDB does.
fn by_32<'a>(filter: &'a [u8], kernel: Kernel, slices: &'a [&'a [u8]]) -> impl FnMut() -> u64 + 'a {
    let policy = FAST_LOCAL.on_kernel(kernel);
    move || {
        let prepared = policy.prepare(black_box(filter));
        let matches = |keys: &[&[u8]]| {
            let mut answers = [0];
            let asked = prepared.may_match_many(keys, &mut answers);
            asked.expect("there are answers enough");
            count_ones(&answers)
        };
        slices.chunks(32).map(matches).sum()
    }
}

/// The filters that a task queries, all of the same keys.
pub(crate) struct Filters {
    bloom: Vec<u8>,
    ribbon: Vec<u8>,
    bloom64: Vec<u8>,
}

pub(crate) struct RocksDb;

impl policies::Engine for RocksDb {
    type Filters = Filters;

    fn that_build<'a>(&self, size: usize, keys: Batched<'a>) -> Vec<Contender<'a>> {
        let slices = keys.slices;
        let engine = |ribbon| {
            let (policy, keys) = (engine_policy(ribbon), EngineSlice::of(slices));
            move || policy.create_filters(&keys, size)
        };
        let ribbon = by_trait(Box::new(RIBBON), size, slices);
        let mut contenders = vec![
            theirs("rocksdb", "slices", Work::Same, engine(false)),
            theirs("rocksdb-ribbon", "slices", Work::Own, engine(true)),
            contender("ribbon", "slices", Work::Own, ribbon),
        ];
        contenders.extend(that_build("bloom64", Work::Own, BLOOM64, size, keys));
        for kernel in Kernel::available() {
            let policy = FAST_LOCAL.on_kernel(kernel);
            contenders.extend(that_build(kernel.name(), Work::Same, policy, size, keys));
        }
        contenders.extend(sbbf::that_build(size, keys, Some(hash)));
        contenders.extend(fastbloom::that_build(size, keys, hash));
        contenders
    }

    /// Builds RocksDB's two filters with RocksDB.
    fn filters(&self, stored: &[&[u8]]) -> Filters {
        Filters {
            bloom: engine_policy(false).create_filter(stored),
            ribbon: engine_policy(true).create_filter(stored),
            bloom64: BLOOM64.build(stored).expect("the filter is small"),
        }
    }

    fn that_ask<'a>(&self, filters: &'a Filters, stored: &[&[u8]], keys: Batched<'a>) -> Vec<Contender<'a>> {
        let slices = keys.slices;
        let Filters {
            bloom,
            ribbon,
            bloom64,
        } = filters;
        let engine = |filter: &[u8]| (engine_policy(false).reader(filter), EngineSlice::of(slices));
        let (reader, keys_one) = engine(bloom);
        let one = move || reader.count_matches(&keys_one);
        let (reader, keys_many) = engine(bloom);
        let many = move || reader.count_matches_in_batches(&keys_many);
        let (reader, keys_ribbon) = engine(ribbon);
        let of_ribbon = move || reader.count_matches(&keys_ribbon);
        let ribbon_one = one_by_one(Box::new(RIBBON), ribbon, slices);
        let ribbon_prepared = prepared(RIBBON, ribbon, slices);
        let mut contenders = vec![
            theirs("rocksdb", "one-by-one", Work::Same, one),
            theirs("rocksdb-batch", "slices", Work::Same, many),
            theirs("rocksdb-ribbon", "one-by-one", Work::Own, of_ribbon),
            contender("ribbon", "one-by-one", Work::Own, ribbon_one),
            contender("ribbon", "prepared", Work::Own, ribbon_prepared),
        ];
        contenders.extend(that_ask("bloom64", Work::Own, BLOOM64, bloom64, keys));
        for kernel in Kernel::available() {
            let (name, policy) = (kernel.name(), FAST_LOCAL.on_kernel(kernel));
            contenders.extend(that_ask(name, Work::Same, policy, bloom, keys));
            let by_32 = by_32(bloom, kernel, slices);
            contenders.push(contender(name, "slices-32", Work::Same, by_32));
        }
        contenders.extend(sbbf::that_ask(stored, keys, Some(hash)));
        contenders.extend(fastbloom::that_ask(stored, keys, hash));
        contenders
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_contender_takes_part_in_every_round() {
        let batches = policies::measure(&RocksDb, 600, policies::KeyLengths::Fixed, 2);
        let expected = [
            ("rocksdb", 2, 2),
            ("rocksdb-batch", 0, 2),
            ("rocksdb-ribbon", 2, 2),
            ("scalar", 4, 10),
            ("ribbon", 2, 4),
            ("bloom64", 4, 8),
            ("sbbf-xxh3", 2, 2),
            ("sbbf-xxph3", 2, 2),
            ("fastbloom-hashes", 2, 2),
            ("fastbloom-default", 2, 2),
        ];
        policies::check_turns(&batches, &expected);
    }
}
