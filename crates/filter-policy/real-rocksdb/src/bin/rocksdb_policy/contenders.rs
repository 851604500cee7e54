//! RocksDB's library and ours: a loop each over all keys of a batch, that gives a number by which its work can be
//! checked.

use core::hint::black_box;

use filter_policy::{
    BitsPerKey, BloomFilter64Policy, BloomFilter64View, Error, FastLocalBloomPolicy, FilterPolicy,
    RibbonPolicy, RocksDbBitsPerKey, RocksDbFilterView,
};
use filter_policy_real_rocksdb::{self as engine, EngineKeys, EnginePolicy};

use crate::data::BITS_PER_KEY;
use crate::peers::version;
use crate::turns::{Contender, Work};

const BITS: RocksDbBitsPerKey = RocksDbBitsPerKey::whole(BITS_PER_KEY);
const FAST_LOCAL: FastLocalBloomPolicy = FastLocalBloomPolicy::new(BITS);
const RIBBON: RibbonPolicy = RibbonPolicy::new(BITS);
const BLOOM64: BloomFilter64Policy = BloomFilter64Policy::new(BitsPerKey::whole(BITS_PER_KEY));

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
    Contender::new(name, form, engine::version(), work, run)
}

fn ours<'a>(
    name: &'static str,
    form: &'static str,
    work: Work,
    run: impl FnMut() -> u64 + 'a,
) -> Contender<'a> {
    Contender::new(name, form, version("filter-policy"), work, run)
}

/// Clears the filter, builds it, and gives its first byte.
fn first_byte(filter: &mut Vec<u8>, build: impl FnOnce(&mut Vec<u8>) -> Result<(), Error>) -> u64 {
    filter.clear();
    build(filter).expect("the filter is small");
    u64::from(black_box(&*filter)[0])
}

/// Builds a filter of every `size` keys through the trait, as engines do.
fn by_trait<'a>(
    policy: &'static dyn FilterPolicy,
    size: usize,
    slices: &'a [&'a [u8]],
) -> impl FnMut() -> u64 + 'a {
    let mut filter = Vec::new();
    move || {
        let policy = black_box(policy);
        let build = |keys| first_byte(&mut filter, |filter| policy.append_filter(keys, filter));
        slices.chunks_exact(size).map(build).sum()
    }
}

/// Those that build a filter of every `size` keys; their number is the sum of the filters' first bytes.
pub(crate) fn that_build<'a>(
    size: usize,
    slices: &'a [&'a [u8]],
    arrays: Option<&'a [[u8; 16]]>,
) -> Vec<Contender<'a>> {
    let engine = |ribbon| {
        let (policy, keys) = (engine_policy(ribbon), EngineKeys::new(slices));
        move || policy.create_filters(&keys, size)
    };
    let mut contenders = vec![
        theirs("rocksdb", "slices", Work::Same, engine(false)),
        theirs("rocksdb-ribbon", "slices", Work::Own, engine(true)),
        ours(
            "fast-local",
            "slices",
            Work::Same,
            by_trait(&FAST_LOCAL, size, slices),
        ),
        ours("ribbon", "slices", Work::Own, by_trait(&RIBBON, size, slices)),
        ours("bloom64", "slices", Work::Own, by_trait(&BLOOM64, size, slices)),
    ];
    if let Some(arrays) = arrays {
        let mut filter = Vec::new();
        contenders.push(ours("fast-local", "packed", Work::Same, move || {
            let policy = black_box(FAST_LOCAL);
            let build = |keys| first_byte(&mut filter, |filter| policy.append::<&[[u8; 16]]>(keys, filter));
            arrays.chunks_exact(size).map(build).sum()
        }));
        let mut filter = Vec::new();
        contenders.push(ours("bloom64", "packed", Work::Own, move || {
            let policy = black_box(BLOOM64);
            let build = |keys| first_byte(&mut filter, |filter| policy.append::<&[[u8; 16]]>(keys, filter));
            arrays.chunks_exact(size).map(build).sum()
        }));
    }
    contenders
}

/// Asks the filter key by key through the trait, as engines do.
fn one_by_one<'a>(
    policy: &'static dyn FilterPolicy,
    filter: Vec<u8>,
    slices: &'a [&'a [u8]],
) -> impl FnMut() -> u64 + 'a {
    move || {
        let policy = black_box(policy);
        let matches = |key: &&&[u8]| policy.key_may_match(key, &filter);
        slices.iter().filter(matches).count() as u64
    }
}

/// Asks one of RocksDB's filters, which is looked at once.
fn prepared<'a>(filter: &'a [u8], slices: &'a [&'a [u8]]) -> impl FnMut() -> u64 + 'a {
    move || {
        let view = RocksDbFilterView::new(black_box(filter));
        let matches = |key: &&&[u8]| view.may_match(key);
        slices.iter().filter(matches).count() as u64
    }
}

/// Those that ask the filters of `stored`, which RocksDB built; their number is that of the keys that may match.
pub(crate) fn that_ask<'a>(
    bloom: &'a [u8],
    ribbon: &'a [u8],
    stored: &[&[u8]],
    slices: &'a [&'a [u8]],
) -> Vec<Contender<'a>> {
    let engine = |filter: &[u8]| (engine_policy(false).reader(filter), EngineKeys::new(slices));
    let (bloom_reader, keys) = engine(bloom);
    let one = move || bloom_reader.count_matches(&keys);
    let (bloom_reader, keys) = engine(bloom);
    let many = move || bloom_reader.count_matches_in_batches(&keys);
    let (ribbon_reader, keys) = engine(ribbon);
    let of_ribbon = move || ribbon_reader.count_matches(&keys);
    let bloom64 = BLOOM64.build(stored).expect("the filter is small");
    let prepared64 = bloom64.clone();
    vec![
        theirs("rocksdb", "one-by-one", Work::Same, one),
        theirs("rocksdb-batch", "slices", Work::Same, many),
        theirs("rocksdb-ribbon", "one-by-one", Work::Own, of_ribbon),
        ours(
            "fast-local",
            "one-by-one",
            Work::Same,
            one_by_one(&FAST_LOCAL, bloom.to_vec(), slices),
        ),
        ours("fast-local", "prepared", Work::Same, prepared(bloom, slices)),
        ours(
            "ribbon",
            "one-by-one",
            Work::Own,
            one_by_one(&RIBBON, ribbon.to_vec(), slices),
        ),
        ours("ribbon", "prepared", Work::Own, prepared(ribbon, slices)),
        ours(
            "bloom64",
            "one-by-one",
            Work::Own,
            one_by_one(&BLOOM64, bloom64, slices),
        ),
        ours("bloom64", "prepared", Work::Own, move || {
            let view = BloomFilter64View::new(black_box(&prepared64));
            let matches = |key: &&&[u8]| view.may_match(key);
            slices.iter().filter(matches).count() as u64
        }),
    ]
}
