//! `sbbf-rs`, which gets hash values: XXH3 of each key, as its users take it, or RocksDB's hash, which ours computes.

use core::hint::black_box;

use bench_kit::policies::ours::count;
use bench_kit::policies::{BITS_PER_KEY, Batched, Contender};
use bench_kit::suites::policy::{Contender as Name, Form};
use bench_kit::turns::Work;
use bench_rocksdb::SplitBlocks;
use filter_policy::rocksdb::FastLocalBloomPolicy;
use filter_policy::{BitsPerKey, HashedPolicy};
use xxhash_rust::xxh3::xxh3_64;

type Hash = fn(&[u8]) -> u64;

const HASHES: [(Name, Hash); 2] = [(Name::SbbfXxh3, xxh3_64), (Name::SbbfXxph3, rocksdb_hash)];

/// RocksDB's hash of a key.
pub(crate) fn rocksdb_hash(key: &[u8]) -> u64 {
    FastLocalBloomPolicy::new(BitsPerKey::whole(BITS_PER_KEY)).hash_key(key)
}

fn bits(keys: usize) -> usize {
    keys * BITS_PER_KEY as usize
}

/// Fills the memory of the filter before.
fn fill(blocks: &mut SplitBlocks, keys: &[&[u8]], hash: Hash) {
    blocks.clear(bits(keys.len()));
    keys.iter().for_each(|key| blocks.insert(hash(key)));
}

/// Those that build a filter of every `size` keys.
pub(crate) fn that_build<'a>(size: usize, keys: Batched<'a>) -> impl Iterator<Item = Contender<'a>> {
    HASHES.into_iter().map(move |(name, hash)| {
        let mut blocks = SplitBlocks::with_bits(bits(size));
        let run = move || {
            let build = |keys| {
                fill(&mut blocks, keys, hash);
                u64::from(black_box(&blocks).first_byte())
            };
            keys.slices.chunks_exact(size).map(build).sum()
        };
        Contender::new((name, Form::Slices), "sbbf-rs", Work::Own, run)
    })
}

/// Those that ask a filter of `stored`.
pub(crate) fn that_ask<'a>(stored: &[&[u8]], keys: Batched<'a>) -> impl Iterator<Item = Contender<'a>> {
    HASHES
        .map(|(name, hash)| {
            let mut blocks = SplitBlocks::with_bits(bits(stored.len()));
            fill(&mut blocks, stored, hash);
            let run = move || count(keys.slices, |key| blocks.contains(hash(key)));
            Contender::new((name, Form::OneByOne), "sbbf-rs", Work::Own, run)
        })
        .into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn split_blocks_have_every_key_and_few_others() {
        let keys: Vec<[u8; 4]> = (0..1000_u32).map(u32::to_le_bytes).collect();
        let slices: Vec<&[u8]> = keys.iter().map(<[u8; 4]>::as_slice).collect();
        let (stored, others) = slices.split_at(500);
        let asked = |slices| Batched { slices, arrays: None };
        for (mut present, mut absent) in that_ask(stored, asked(stored)).zip(that_ask(stored, asked(others)))
        {
            assert_eq!((present.run)(), 500, "{:?}", present.name);
            assert!((absent.run)() < 50, "{:?}", absent.name);
        }
    }
}
