//! Who does the work: a loop each over all keys of a batch, that gives a number by which its work can be checked.

use core::hint::black_box;

use filter_policy::{BitsPerKey, BloomFilterPolicy, FilterPolicy, Kernel, LevelDbHash, PreparedFilter};
use filter_policy_leveldb_real_engine::{self as engine, EngineKeys, EnginePolicy};

use crate::data::BITS_PER_KEY;
use crate::peers::version;
use crate::turns::{Contender, Work};

impl<'a> Contender<'a> {
    fn leveldb(form: &'static str, run: impl FnMut() -> u64 + 'a) -> Self {
        Self::new("leveldb", form, engine::version(), Work::Same, run)
    }

    fn ours(kernel: Kernel, form: &'static str, run: impl FnMut() -> u64 + 'a) -> Self {
        Self::new(kernel.name(), form, version("filter-policy"), Work::Same, run)
    }
}

fn ours(kernel: Kernel) -> BloomFilterPolicy<LevelDbHash> {
    BloomFilterPolicy::leveldb_builtin(BitsPerKey::whole(BITS_PER_KEY)).on_kernel(kernel)
}

/// Those that build a filter of every `size` keys; their number is the sum of the filters' first bytes.
pub(crate) fn that_build<'a>(
    size: usize,
    slices: &'a [&'a [u8]],
    arrays: Option<&'a [[u8; 16]]>,
) -> Vec<Contender<'a>> {
    let engine = EnginePolicy::builtin(BITS_PER_KEY);
    let engine_keys = EngineKeys::new(slices);
    let mut contenders = vec![Contender::leveldb("slices", move || {
        engine.create_filters(&engine_keys, size)
    })];
    for kernel in Kernel::available() {
        let mut filter = Vec::new();
        contenders.push(Contender::ours(kernel, "slices", move || {
            let policy = ours(kernel);
            let policy: &dyn FilterPolicy = black_box(&policy);
            let build = |keys| first_byte(&mut filter, |filter| policy.append_filter(keys, filter));
            slices.chunks_exact(size).map(build).sum()
        }));
        let mut filter = Vec::new();
        if let Some(arrays) = arrays {
            contenders.push(Contender::ours(kernel, "packed", move || {
                let policy = ours(kernel);
                let build = |keys| first_byte(&mut filter, |filter| policy.append_batch(keys, filter));
                arrays.chunks_exact(size).map(build).sum()
            }));
        }
    }
    contenders
}

fn first_byte<E: core::fmt::Debug>(
    filter: &mut Vec<u8>,
    build: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
) -> u64 {
    filter.clear();
    build(filter).expect("the filter is small");
    u64::from(black_box(&*filter)[0])
}

/// Those that ask a filter; their number is that of the keys that may match.
pub(crate) fn that_ask<'a>(
    filter: &'a [u8],
    slices: &'a [&'a [u8]],
    arrays: Option<&'a [[u8; 16]]>,
) -> Vec<Contender<'a>> {
    let engine = EnginePolicy::builtin(BITS_PER_KEY);
    let engine_keys = EngineKeys::new(slices);
    let mut contenders = vec![Contender::leveldb("one-by-one", move || {
        engine.count_matches(&engine_keys, filter)
    })];
    for kernel in Kernel::available() {
        contenders.push(Contender::ours(kernel, "one-by-one", move || {
            let policy = ours(kernel);
            let policy: &dyn FilterPolicy = black_box(&policy);
            let matches = |key: &&&[u8]| policy.key_may_match(key, filter);
            slices.iter().filter(matches).count() as u64
        }));
        contenders.push(Contender::ours(kernel, "prepared", move || {
            let prepared = PreparedFilter::on_kernel(filter, kernel);
            let matches = |key: &&&[u8]| prepared.may_match(&LevelDbHash, key);
            slices.iter().filter(matches).count() as u64
        }));
        let mut answers = vec![0; slices.len().div_ceil(64)];
        contenders.push(Contender::ours(kernel, "slices", move || {
            let prepared = PreparedFilter::on_kernel(filter, kernel);
            let asked = prepared.may_match_many(&LevelDbHash, slices, &mut answers);
            asked.expect("there are answers enough");
            answers.iter().map(|word| u64::from(word.count_ones())).sum()
        }));
        let mut answers = vec![0; slices.len().div_ceil(64)];
        if let Some(arrays) = arrays {
            contenders.push(Contender::ours(kernel, "packed", move || {
                let prepared = PreparedFilter::on_kernel(filter, kernel);
                let asked = prepared.may_match_many(&LevelDbHash, arrays, &mut answers);
                asked.expect("there are answers enough");
                answers.iter().map(|word| u64::from(word.count_ones())).sum()
            }));
        }
    }
    contenders
}
