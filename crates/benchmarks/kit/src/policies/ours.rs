//! Policies of `filter-policy`: each contender loops over all keys of a batch and returns a number that checks its
//! work.

use core::hint::black_box;

use filter_policy::{Error, FilterPolicy, HashedPolicy, KeyBatch};

use super::{Batched, Contender};
use crate::turns::Work;

/// Builds a contender of this project.
pub fn contender<'a>(
    name: &'static str,
    form: &'static str,
    work: Work,
    run: impl FnMut() -> u64 + 'a,
) -> Contender<'a> {
    Contender::new((name, form), "filter-policy", work, run)
}

/// Clears and builds the filter, and returns its first byte.
fn first_byte(filter: &mut Vec<u8>, build: impl FnOnce(&mut Vec<u8>) -> Result<(), Error>) -> u64 {
    filter.clear();
    build(filter).expect("the filter is small");
    u64::from(black_box(&*filter)[0])
}

/// Builds a filter of every `size` keys through the trait, as engines do.
pub fn by_trait<'a>(
    policy: Box<dyn FilterPolicy + 'a>,
    size: usize,
    slices: &'a [&'a [u8]],
) -> impl FnMut() -> u64 + 'a {
    let mut filter = Vec::new();
    move || {
        let policy: &dyn FilterPolicy = black_box(&*policy);
        let build = |keys| first_byte(&mut filter, |filter| policy.append_filter(keys, filter));
        slices.chunks_exact(size).map(build).sum()
    }
}

/// Builds a filter of every `size` packed keys.
fn packed<'a>(
    policy: impl HashedPolicy + 'a,
    size: usize,
    arrays: &'a [[u8; 16]],
) -> impl FnMut() -> u64 + 'a {
    let mut filter = Vec::new();
    move || {
        let policy = black_box(&policy);
        let build = |keys: &[[u8; 16]]| first_byte(&mut filter, |filter| policy.append_batch(keys, filter));
        arrays.chunks_exact(size).map(build).sum()
    }
}

/// Queries the filter key by key through the trait, as engines do.
pub fn one_by_one<'a>(
    policy: Box<dyn FilterPolicy + 'a>,
    filter: &'a [u8],
    slices: &'a [&'a [u8]],
) -> impl FnMut() -> u64 + 'a {
    move || {
        let policy: &dyn FilterPolicy = black_box(&*policy);
        count(slices, |key| policy.key_may_match(key, filter))
    }
}

/// Queries a filter key by key after preparing it once.
pub fn prepared<'a>(
    policy: impl FilterPolicy + 'a,
    filter: &'a [u8],
    slices: &'a [&'a [u8]],
) -> impl FnMut() -> u64 + 'a {
    move || {
        let prepared = policy.prepare(black_box(filter));
        count(slices, |key| prepared.may_match(key))
    }
}

/// Returns contenders that build a filter of every `size` keys: from slices, and from packed keys if there are any.
pub fn that_build<'a, P: HashedPolicy + Copy + 'a>(
    name: &'static str,
    work: Work,
    policy: P,
    size: usize,
    keys: Batched<'a>,
) -> impl Iterator<Item = Contender<'a>> {
    let slices = by_trait(Box::new(policy), size, keys.slices);
    let arrays = keys
        .arrays
        .map(|arrays| contender(name, "packed", work, packed(policy, size, arrays)));
    std::iter::once(contender(name, "slices", work, slices)).chain(arrays)
}

/// Returns contenders that query a filter: key by key through the trait, key by key after preparing it once, and for
/// all keys in one call.
pub fn that_ask<'a, P: FilterPolicy + Copy + 'a>(
    name: &'static str,
    work: Work,
    policy: P,
    filter: &'a [u8],
    keys: Batched<'a>,
) -> impl Iterator<Item = Contender<'a>> {
    let one = one_by_one(Box::new(policy), filter, keys.slices);
    let arrays = keys.arrays.map(|arrays| {
        let arrays = at_once(policy, filter, arrays.into());
        contender(name, "packed", work, arrays)
    });
    let slices = at_once(policy, filter, keys.slices.into());
    let rest = [
        contender(name, "one-by-one", work, one),
        contender(name, "prepared", work, prepared(policy, filter, keys.slices)),
        contender(name, "slices", work, slices),
    ];
    rest.into_iter().chain(arrays)
}

/// Counts the keys that may match.
pub fn count(slices: &[&[u8]], may_match: impl Fn(&[u8]) -> bool) -> u64 {
    slices.iter().filter(|key| may_match(key)).count() as u64
}

/// Counts the positive answers. Bits after the last answer are zero.
pub fn count_ones(answers: &[u64]) -> u64 {
    answers.iter().map(|word| u64::from(word.count_ones())).sum()
}

/// Queries all keys in one call.
fn at_once<'a>(
    policy: impl FilterPolicy + 'a,
    filter: &'a [u8],
    keys: KeyBatch<'a>,
) -> impl FnMut() -> u64 + 'a {
    let mut answers = vec![0; keys.len().div_ceil(64)];
    move || {
        let asked = policy.prepare(filter).may_match_many(keys, &mut answers);
        asked.expect("there are answers enough");
        count_ones(&answers)
    }
}

#[cfg(test)]
mod tests {
    use filter_policy::kernels::Kernel;

    use crate::suites::policy::LEVELDB;

    #[test]
    fn every_kernel_has_a_name_in_the_records() {
        for kernel in Kernel::ALL {
            assert!(LEVELDB.contenders.iter().any(|(name, _)| *name == kernel.name()));
        }
    }
}
