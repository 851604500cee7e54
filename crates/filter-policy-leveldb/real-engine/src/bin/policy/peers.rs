//! The filters of other crates, called key by key as they offer it.

use core::hint::black_box;

use fastbloom::BloomFilter;
use filter_policy::{KeyHasher, LevelDbHash};
use rusty_leveldb::{BloomPolicy, FilterPolicy};

use crate::data::BITS_PER_KEY;
use crate::turns::{Contender, Work};

/// The version that the lock file has of a package.
pub(crate) fn version(package: &str) -> String {
    let lock = include_str!("../../../Cargo.lock");
    let entry = format!("name = \"{package}\"\nversion = \"");
    lock.split_once(&entry)
        .and_then(|(_, rest)| rest.split_once('"'))
        .map_or_else(String::new, |(version, _)| version.to_owned())
}

/// How `fastbloom` gets a key.
#[derive(Clone, Copy)]
enum Given {
    /// As the hash that LevelDB has for it, its 32 bits spread over 64.
    Hash,
    /// As it is, for its own hasher: SipHash-1-3.
    Key,
}

impl Given {
    const ALL: [Self; 2] = [Self::Hash, Self::Key];

    const fn name(self) -> &'static str {
        match self {
            Self::Hash => "fastbloom-hashes",
            Self::Key => "fastbloom-default",
        }
    }
}

/// 2^64 over the golden ratio, odd: products of different hashes are different, and their upper bits depend on all bits.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

fn hash(key: &[u8]) -> u64 {
    u64::from(LevelDbHash.hash(key)).wrapping_mul(SPREAD)
}

/// Of as many bits as LevelDB's; it chooses the number of probes itself. The seed, which would be random, is fixed.
fn fastbloom(keys: &[&[u8]], given: Given) -> BloomFilter {
    let bits = keys.len() * BITS_PER_KEY as usize;
    let mut filter = BloomFilter::with_num_bits(bits)
        .seed(&1)
        .expected_items(keys.len());
    match given {
        Given::Hash => keys.iter().for_each(|key| {
            filter.insert_hash(hash(key));
        }),
        Given::Key => keys.iter().for_each(|key| {
            filter.insert(*key);
        }),
    }
    filter
}

/// Those that build a filter of every `size` keys; their number is the sum of the filters' first bytes.
pub(crate) fn that_build<'a>(size: usize, slices: &'a [&'a [u8]]) -> Vec<Contender<'a>> {
    // rusty-leveldb takes keys that lie one behind the other, and where each begins.
    let groups: Vec<(Vec<u8>, Vec<usize>)> = slices
        .chunks_exact(size)
        .map(|keys| {
            let begin = |at: &mut usize, key: &&[u8]| Some(std::mem::replace(at, *at + key.len()));
            (keys.concat(), keys.iter().scan(0, begin).collect())
        })
        .collect();
    let rusty = move || {
        let policy = BloomPolicy::new(BITS_PER_KEY);
        let policy: &dyn FilterPolicy = black_box(&policy);
        let build = |(keys, begins): &(Vec<u8>, Vec<usize>)| policy.create_filter(keys, begins);
        groups
            .iter()
            .map(|group| u64::from(black_box(build(group))[0]))
            .sum()
    };
    let mut contenders = vec![Contender::new(
        "rusty-leveldb",
        "slices",
        version("rusty-leveldb"),
        Work::Same,
        rusty,
    )];
    for given in Given::ALL {
        let build = move |keys| black_box(fastbloom(keys, given)).as_slice()[0] & 0xff;
        contenders.push(Contender::new(
            given.name(),
            "slices",
            version("fastbloom"),
            Work::Own,
            move || slices.chunks_exact(size).map(build).sum(),
        ));
    }
    contenders
}

/// Those that ask a filter of `stored`, which is `filter` in LevelDB's format; their number is that of the keys that may
/// match.
pub(crate) fn that_ask<'a>(stored: &[&[u8]], filter: &'a [u8], slices: &'a [&'a [u8]]) -> Vec<Contender<'a>> {
    let rusty = move || {
        let policy = BloomPolicy::new(BITS_PER_KEY);
        let policy: &dyn FilterPolicy = black_box(&policy);
        let matches = |key: &&&[u8]| policy.key_may_match(key, filter);
        slices.iter().filter(matches).count() as u64
    };
    let mut contenders = vec![Contender::new(
        "rusty-leveldb",
        "one-by-one",
        version("rusty-leveldb"),
        Work::Same,
        rusty,
    )];
    for given in Given::ALL {
        let filter = fastbloom(stored, given);
        let ask = move || match given {
            Given::Hash => {
                let matches = |key: &&&[u8]| filter.contains_hash(hash(key));
                slices.iter().filter(matches).count() as u64
            }
            Given::Key => {
                let matches = |key: &&&[u8]| filter.contains(**key);
                slices.iter().filter(matches).count() as u64
            }
        };
        contenders.push(Contender::new(
            given.name(),
            "one-by-one",
            version("fastbloom"),
            Work::Own,
            ask,
        ));
    }
    contenders
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found() {
        for (package, start) in [
            ("fastbloom", "0.17."),
            ("rusty-leveldb", "4."),
            ("filter-policy", "0."),
        ] {
            assert!(
                version(package).starts_with(start),
                "{package} {}",
                version(package)
            );
        }
        assert_eq!(version("no-such-package"), "");
    }

    #[test]
    fn fastbloom_has_every_key_however_it_is_given() {
        let keys: Vec<[u8; 4]> = (0..1000_u32).map(u32::to_le_bytes).collect();
        let (stored, others) = keys.split_at(500);
        let slices = |keys: &'_ [[u8; 4]]| keys.iter().map(|key| key.to_vec()).collect::<Vec<_>>();
        let (stored, others) = (slices(stored), slices(others));
        let stored: Vec<&[u8]> = stored.iter().map(Vec::as_slice).collect();
        let others: Vec<&[u8]> = others.iter().map(Vec::as_slice).collect();
        for given in Given::ALL {
            let filter = fastbloom(&stored, given);
            let has = |key: &&&[u8]| match given {
                Given::Hash => filter.contains_hash(hash(key)),
                Given::Key => filter.contains(**key),
            };
            assert_eq!(stored.iter().filter(has).count(), 500);
            assert!(others.iter().filter(has).count() < 50);
        }
    }
}
