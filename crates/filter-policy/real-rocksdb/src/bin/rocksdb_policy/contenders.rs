//! RocksDB's library and ours: a loop each over all keys of a batch, that gives a number by which its work can be
//! checked. FastLocalBloom is built and asked by every kernel, the other policies by the best one.

use core::hint::black_box;

use filter_policy::{
    BitsPerKey, BloomFilter64Policy, BloomFilter64View, Error, FastLocalBloomPolicy, FilterPolicy, Kernel,
    KeyBatch, RibbonPolicy, RocksDbBitsPerKey, RocksDbFilterView,
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
    policy: impl FilterPolicy + 'a,
    size: usize,
    slices: &'a [&'a [u8]],
) -> impl FnMut() -> u64 + 'a {
    let mut filter = Vec::new();
    move || {
        let policy: &dyn FilterPolicy = black_box(&policy);
        let build = |keys| first_byte(&mut filter, |filter| policy.append_filter(keys, filter));
        slices.chunks_exact(size).map(build).sum()
    }
}

/// Builds a filter of every `size` packed keys.
fn packed<'a>(
    size: usize,
    arrays: &'a [[u8; 16]],
    append: impl Fn(KeyBatch<'_>, &mut Vec<u8>) -> Result<(), Error> + 'a,
) -> impl FnMut() -> u64 + 'a {
    let mut filter = Vec::new();
    move || {
        let build = |keys: &[[u8; 16]]| first_byte(&mut filter, |filter| append(keys.into(), filter));
        arrays.chunks_exact(size).map(build).sum()
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
        ours("ribbon", "slices", Work::Own, by_trait(RIBBON, size, slices)),
        ours("bloom64", "slices", Work::Own, by_trait(BLOOM64, size, slices)),
    ];
    if let Some(arrays) = arrays {
        let build = packed(size, arrays, |keys, filter| {
            black_box(BLOOM64).append_batch(keys, filter)
        });
        contenders.push(ours("bloom64", "packed", Work::Own, build));
    }
    for kernel in Kernel::available() {
        let policy = FAST_LOCAL.on_kernel(kernel);
        let build = by_trait(policy, size, slices);
        contenders.push(ours(kernel.name(), "slices", Work::Same, build));
        if let Some(arrays) = arrays {
            let build = packed(size, arrays, move |keys, filter| {
                black_box(policy).append_batch(keys, filter)
            });
            contenders.push(ours(kernel.name(), "packed", Work::Same, build));
        }
    }
    contenders
}

/// Asks the filter key by key through the trait, as engines do.
fn one_by_one<'a>(
    policy: impl FilterPolicy + 'a,
    filter: &'a [u8],
    slices: &'a [&'a [u8]],
) -> impl FnMut() -> u64 + 'a {
    move || {
        let policy: &dyn FilterPolicy = black_box(&policy);
        let matches = |key: &&&[u8]| policy.key_may_match(key, filter);
        slices.iter().filter(matches).count() as u64
    }
}

/// Asks key by key one of RocksDB's filters, which is looked at once.
fn prepared<'a>(filter: &'a [u8], kernel: Kernel, slices: &'a [&'a [u8]]) -> impl FnMut() -> u64 + 'a {
    move || {
        let view = RocksDbFilterView::on_kernel(black_box(filter), kernel);
        let matches = |key: &&&[u8]| view.may_match(key);
        slices.iter().filter(matches).count() as u64
    }
}

/// How many of the first answers are yes; those behind them are none.
fn count_ones(answers: &[u64]) -> u64 {
    answers.iter().map(|word| u64::from(word.count_ones())).sum()
}

/// Asks for all keys in one call.
fn at_once<'a>(
    keys: KeyBatch<'a>,
    ask: impl Fn(KeyBatch<'_>, &mut [u64]) -> Result<(), Error> + 'a,
) -> impl FnMut() -> u64 + 'a {
    let mut answers = vec![0; keys.len().div_ceil(64)];
    move || {
        ask(keys, &mut answers).expect("there are answers enough");
        count_ones(&answers)
    }
}

/// Asks for as many keys a call as RocksDB does.
fn by_32<'a>(filter: &'a [u8], kernel: Kernel, slices: &'a [&'a [u8]]) -> impl FnMut() -> u64 + 'a {
    move || {
        let view = RocksDbFilterView::on_kernel(black_box(filter), kernel);
        let matches = |keys: &[&[u8]]| {
            let mut answers = [0];
            let asked = view.may_match_many(keys, &mut answers);
            asked.expect("there are answers enough");
            count_ones(&answers)
        };
        slices.chunks(32).map(matches).sum()
    }
}

/// Filters of the same keys, which a task asks.
pub(crate) struct Filters {
    bloom: Vec<u8>,
    ribbon: Vec<u8>,
    bloom64: Vec<u8>,
}

impl Filters {
    /// RocksDB's two as RocksDB builds them.
    pub(crate) fn new(stored: &[&[u8]]) -> Self {
        Self {
            bloom: engine_policy(false).create_filter(stored),
            ribbon: engine_policy(true).create_filter(stored),
            bloom64: BLOOM64.build(stored).expect("the filter is small"),
        }
    }
}

/// Those that ask the filters; their number is that of the keys that may match.
pub(crate) fn that_ask<'a>(
    filters: &'a Filters,
    slices: &'a [&'a [u8]],
    arrays: Option<&'a [[u8; 16]]>,
) -> Vec<Contender<'a>> {
    let Filters {
        bloom,
        ribbon,
        bloom64,
    } = filters;
    let best = RocksDbFilterView::new(bloom).kernel();
    let engine = |filter: &[u8]| (engine_policy(false).reader(filter), EngineKeys::new(slices));
    let (reader, keys) = engine(bloom);
    let one = move || reader.count_matches(&keys);
    let (reader, keys) = engine(bloom);
    let many = move || reader.count_matches_in_batches(&keys);
    let (reader, keys) = engine(ribbon);
    let of_ribbon = move || reader.count_matches(&keys);
    let many64 = |keys: KeyBatch<'_>, answers: &mut [u64]| {
        BloomFilter64View::new(bloom64).may_match_many(keys, answers)
    };
    let mut contenders = vec![
        theirs("rocksdb", "one-by-one", Work::Same, one),
        theirs("rocksdb-batch", "slices", Work::Same, many),
        theirs("rocksdb-ribbon", "one-by-one", Work::Own, of_ribbon),
        ours(
            "ribbon",
            "one-by-one",
            Work::Own,
            one_by_one(RIBBON, ribbon, slices),
        ),
        ours("ribbon", "prepared", Work::Own, prepared(ribbon, best, slices)),
        ours(
            "bloom64",
            "one-by-one",
            Work::Own,
            one_by_one(BLOOM64, bloom64, slices),
        ),
        ours("bloom64", "prepared", Work::Own, move || {
            let view = BloomFilter64View::new(black_box(bloom64));
            let matches = |key: &&&[u8]| view.may_match(key);
            slices.iter().filter(matches).count() as u64
        }),
        ours("bloom64", "slices", Work::Own, at_once(slices.into(), many64)),
    ];
    if let Some(arrays) = arrays {
        let ask = at_once(arrays.into(), many64);
        contenders.push(ours("bloom64", "packed", Work::Own, ask));
    }
    for kernel in Kernel::available() {
        let mut add = |form, run: Box<dyn FnMut() -> u64 + 'a>| {
            contenders.push(ours(kernel.name(), form, Work::Same, run));
        };
        let many = move |keys: KeyBatch<'_>, answers: &mut [u64]| {
            RocksDbFilterView::on_kernel(bloom, kernel).may_match_many(keys, answers)
        };
        let policy = FAST_LOCAL.on_kernel(kernel);
        add("one-by-one", Box::new(one_by_one(policy, bloom, slices)));
        add("prepared", Box::new(prepared(bloom, kernel, slices)));
        add("slices-32", Box::new(by_32(bloom, kernel, slices)));
        add("slices", Box::new(at_once(slices.into(), many)));
        if let Some(arrays) = arrays {
            add("packed", Box::new(at_once(arrays.into(), many)));
        }
    }
    contenders
}
