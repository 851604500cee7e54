//! `sbbf-rs`, which takes hash values: XXH3 of each key, the usual choice of its users, the engine's hash, or
//! precomputed values.

use core::hint::black_box;

use xxhash_rust::xxh3::xxh3_64;

use super::fastbloom::Hash;
pub use super::ffi::SplitBlocks;
use super::ours::count;
use super::{BITS_PER_KEY, Batched, Contender};
use crate::turns::Work;

/// XXH3, the usual choice of `sbbf-rs`'s users.
pub const HASH: Hash = xxh3_64;

/// The contenders with their hash functions; `None` takes precomputed values.
fn each(engine: Option<Hash>) -> impl Iterator<Item = (&'static str, Option<Hash>)> {
    let own: (&'static str, Option<Hash>) = ("sbbf-xxh3", Some(xxh3_64));
    let other = match engine {
        Some(hash) => ("sbbf-xxph3", Some(hash)),
        None => ("sbbf-xxh3", None),
    };
    [own, other].into_iter()
}

fn bits(keys: usize) -> usize {
    keys * BITS_PER_KEY as usize
}

/// Fills a filter, reusing the memory of the previous one.
fn fill(blocks: &mut SplitBlocks, hashes: impl ExactSizeIterator<Item = u64>) -> u64 {
    blocks.clear(bits(hashes.len()));
    hashes.for_each(|hash| blocks.insert(hash));
    u64::from(black_box(&*blocks).first_byte())
}

/// Returns XXH3 of each key.
pub fn hashes(keys: &[&[u8]]) -> Vec<u64> {
    keys.iter().map(|key| xxh3_64(key)).collect()
}

/// Returns contenders that build a filter of every `size` keys: with XXH3, and with the engine's hash or, if the engine
/// has none, with precomputed values.
pub fn that_build<'a>(
    size: usize,
    keys: Batched<'a>,
    engine: Option<Hash>,
) -> impl Iterator<Item = Contender<'a>> {
    each(engine).map(move |(name, hash)| {
        let mut blocks = SplitBlocks::with_bits(bits(size));
        let Some(hash) = hash else {
            let hashes = hashes(keys.slices);
            let mut build = move |hashes: &[u64]| fill(&mut blocks, hashes.iter().copied());
            let run = move || hashes.chunks_exact(size).map(&mut build).sum();
            return Contender::new((name, "hashed"), "sbbf-rs", Work::Own, run);
        };
        let mut build = move |keys: &[&[u8]]| fill(&mut blocks, keys.iter().map(|key| hash(key)));
        let run = move || keys.slices.chunks_exact(size).map(&mut build).sum();
        Contender::new((name, "slices"), "sbbf-rs", Work::Own, run)
    })
}

/// Returns contenders that query a filter of `stored`.
pub fn that_ask<'a>(
    stored: &[&[u8]],
    keys: Batched<'a>,
    engine: Option<Hash>,
) -> impl Iterator<Item = Contender<'a>> {
    each(engine).map(move |(name, hash)| {
        let mut blocks = SplitBlocks::with_bits(bits(stored.len()));
        let of_key = hash.unwrap_or(xxh3_64);
        fill(&mut blocks, stored.iter().map(|key| of_key(key)));
        let Some(hash) = hash else {
            let hashes = hashes(keys.slices);
            let run = move || hashes.iter().filter(|&&hash| blocks.contains(hash)).count() as u64;
            return Contender::new((name, "hashed"), "sbbf-rs", Work::Own, run);
        };
        let run = move || count(keys.slices, |key| blocks.contains(hash(key)));
        Contender::new((name, "one-by-one"), "sbbf-rs", Work::Own, run)
    })
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
        for engine in [None, Some(xxh3_64 as Hash)] {
            let absent = that_ask(stored, asked(others), engine);
            for (mut present, mut absent) in that_ask(stored, asked(stored), engine).zip(absent) {
                assert_eq!((present.run)(), 500, "{:?}", present.name);
                assert!((absent.run)() < 50, "{:?}", absent.name);
            }
        }
    }
}
