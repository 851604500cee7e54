//! The filters of other crates, called key by key as they offer it.

use core::hint::black_box;

use fastbloom::BloomFilter;
use filter_policy::FastLocalBloomPolicy;
use filter_policy_real_rocksdb::SplitBlocks;
use xxhash_rust::xxh3::xxh3_64;

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

/// How a peer gets a key.
#[derive(Clone, Copy)]
enum Peer {
    /// `sbbf-rs`, by the hash that its users take.
    SplitBlocksXxh3,
    /// `sbbf-rs`, by RocksDB's hash, which ours computes.
    SplitBlocksXxph3,
    /// `fastbloom`, by RocksDB's hash.
    FastbloomHashes,
    /// `fastbloom`, by the hasher that it comes with: SipHash-1-3.
    FastbloomDefault,
}

impl Peer {
    const ALL: [Self; 4] = [
        Self::SplitBlocksXxh3,
        Self::SplitBlocksXxph3,
        Self::FastbloomHashes,
        Self::FastbloomDefault,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::SplitBlocksXxh3 => "sbbf-xxh3",
            Self::SplitBlocksXxph3 => "sbbf-xxph3",
            Self::FastbloomHashes => "fastbloom-hashes",
            Self::FastbloomDefault => "fastbloom-default",
        }
    }

    fn version(self) -> String {
        version(match self {
            Self::SplitBlocksXxh3 | Self::SplitBlocksXxph3 => "sbbf-rs",
            Self::FastbloomHashes | Self::FastbloomDefault => "fastbloom",
        })
    }

    fn contender<'a>(self, form: &'static str, run: impl FnMut() -> u64 + 'a) -> Contender<'a> {
        Contender::new(self.name(), form, self.version(), Work::Own, run)
    }
}

fn bits(keys: usize) -> usize {
    keys * BITS_PER_KEY as usize
}

/// In the memory of the filter before.
fn fill(blocks: &mut SplitBlocks, keys: &[&[u8]], hash: impl Fn(&[u8]) -> u64) {
    blocks.clear(bits(keys.len()));
    keys.iter().for_each(|key| blocks.insert(hash(key)));
}

/// It chooses the number of probes itself. The seed, which would be random, is fixed.
fn fastbloom(keys: &[&[u8]], mut insert: impl FnMut(&mut BloomFilter, &[u8])) -> BloomFilter {
    let mut filter = BloomFilter::with_num_bits(bits(keys.len()))
        .seed(&1)
        .expected_items(keys.len());
    keys.iter().for_each(|key| insert(&mut filter, key));
    filter
}

fn by_hash(filter: &mut BloomFilter, key: &[u8]) {
    filter.insert_hash(FastLocalBloomPolicy::hash(key));
}

fn by_key(filter: &mut BloomFilter, key: &[u8]) {
    filter.insert(key);
}

/// A filter of every `size` keys, in the memory of the one before.
fn split_blocks<'a>(
    size: usize,
    slices: &'a [&'a [u8]],
    hash: impl Fn(&[u8]) -> u64 + 'a,
) -> impl FnMut() -> u64 + 'a {
    let mut blocks = SplitBlocks::with_bits(bits(size));
    move || {
        let build = |keys| {
            fill(&mut blocks, keys, &hash);
            u64::from(black_box(&blocks).first_byte())
        };
        slices.chunks_exact(size).map(build).sum()
    }
}

/// A filter of every `size` keys, each in memory of its own.
fn fastblooms<'a>(
    size: usize,
    slices: &'a [&'a [u8]],
    insert: impl Fn(&mut BloomFilter, &[u8]) + 'a,
) -> impl FnMut() -> u64 + 'a {
    move || {
        let build = |keys| black_box(fastbloom(keys, &insert)).as_slice()[0] & 0xff;
        slices.chunks_exact(size).map(build).sum()
    }
}

/// Those that build a filter of every `size` keys; their number is the sum of the filters' first bytes.
pub(crate) fn that_build<'a>(size: usize, slices: &'a [&'a [u8]]) -> Vec<Contender<'a>> {
    let contender = |peer: Peer| match peer {
        Peer::SplitBlocksXxh3 => peer.contender("slices", split_blocks(size, slices, xxh3_64)),
        Peer::SplitBlocksXxph3 => {
            peer.contender("slices", split_blocks(size, slices, FastLocalBloomPolicy::hash))
        }
        Peer::FastbloomHashes => peer.contender("slices", fastblooms(size, slices, by_hash)),
        Peer::FastbloomDefault => peer.contender("slices", fastblooms(size, slices, by_key)),
    };
    Peer::ALL.into_iter().map(contender).collect()
}

/// How many keys are there by `contains`.
fn count<'a>(slices: &'a [&'a [u8]], contains: impl Fn(&[u8]) -> bool + 'a) -> impl FnMut() -> u64 + 'a {
    move || slices.iter().filter(|key| contains(key)).count() as u64
}

fn ask_split_blocks<'a>(
    stored: &[&[u8]],
    slices: &'a [&'a [u8]],
    hash: impl Fn(&[u8]) -> u64 + 'a,
) -> impl FnMut() -> u64 + 'a {
    let mut blocks = SplitBlocks::with_bits(bits(stored.len()));
    fill(&mut blocks, stored, &hash);
    count(slices, move |key| blocks.contains(hash(key)))
}

/// Those that ask a filter of `stored`; their number is that of the keys that may match.
pub(crate) fn that_ask<'a>(stored: &[&[u8]], slices: &'a [&'a [u8]]) -> Vec<Contender<'a>> {
    let contender = |peer: Peer| match peer {
        Peer::SplitBlocksXxh3 => peer.contender("one-by-one", ask_split_blocks(stored, slices, xxh3_64)),
        Peer::SplitBlocksXxph3 => peer.contender(
            "one-by-one",
            ask_split_blocks(stored, slices, FastLocalBloomPolicy::hash),
        ),
        Peer::FastbloomHashes => {
            let filter = fastbloom(stored, by_hash);
            let contains = move |key: &[u8]| filter.contains_hash(FastLocalBloomPolicy::hash(key));
            peer.contender("one-by-one", count(slices, contains))
        }
        Peer::FastbloomDefault => {
            let filter = fastbloom(stored, by_key);
            peer.contender("one-by-one", count(slices, move |key| filter.contains(key)))
        }
    };
    Peer::ALL.into_iter().map(contender).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found() {
        for (package, start) in [
            ("fastbloom", "0.17."),
            ("sbbf-rs", "0.2."),
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
    fn every_peer_has_every_key_and_few_others() {
        let keys: Vec<[u8; 4]> = (0..1000_u32).map(u32::to_le_bytes).collect();
        let slices: Vec<&[u8]> = keys.iter().map(<[u8; 4]>::as_slice).collect();
        let (stored, others) = slices.split_at(500);
        for (mut present, mut absent) in that_ask(stored, stored).into_iter().zip(that_ask(stored, others)) {
            assert_eq!((present.run)(), 500, "{}", present.name);
            assert!((absent.run)() < 50, "{}", absent.name);
        }
    }
}
