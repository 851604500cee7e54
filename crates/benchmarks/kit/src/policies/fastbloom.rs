//! `fastbloom` with as many bits as the other filters. It chooses its probe count; the seed, random by default, is
//! fixed.

use core::hint::black_box;

use fastbloom::BloomFilter;

use super::ours::count;
use super::{BITS_PER_KEY, Batched, Contender};
use crate::turns::Work;

/// The engine's hash function.
pub type Hash = fn(&[u8]) -> u64;

/// The two contenders: with the engine's hash, and with `fastbloom`'s default hasher.
fn each(hash: Hash) -> [(&'static str, Option<Hash>); 2] {
    [("fastbloom-hashes", Some(hash)), ("fastbloom-default", None)]
}

fn filter(keys: &[&[u8]], hash: Option<Hash>) -> BloomFilter {
    let bits = keys.len() * BITS_PER_KEY as usize;
    let mut filter = BloomFilter::with_num_bits(bits)
        .seed(&1)
        .expected_items(keys.len());
    match hash {
        Some(hash) => keys.iter().for_each(|key| {
            filter.insert_hash(hash(key));
        }),
        None => keys.iter().for_each(|key| {
            filter.insert(*key);
        }),
    }
    filter
}

/// Returns contenders that build a filter of every `size` keys, each in newly allocated memory.
pub fn that_build<'a>(size: usize, keys: Batched<'a>, hash: Hash) -> impl Iterator<Item = Contender<'a>> {
    each(hash).into_iter().map(move |(name, hash)| {
        let build = move |keys| black_box(filter(keys, hash)).as_slice()[0] & 0xff;
        let run = move || keys.slices.chunks_exact(size).map(build).sum();
        Contender::new((name, "slices"), "fastbloom", Work::Own, run)
    })
}

/// Returns contenders that query a filter of `stored`.
pub fn that_ask<'a>(stored: &[&[u8]], keys: Batched<'a>, hash: Hash) -> impl Iterator<Item = Contender<'a>> {
    each(hash)
        .map(|(name, hash)| {
            let filter = filter(stored, hash);
            let run = move || match hash {
                Some(hash) => count(keys.slices, |key| filter.contains_hash(hash(key))),
                None => count(keys.slices, |key| filter.contains(key)),
            };
            Contender::new((name, "one-by-one"), "fastbloom", Work::Own, run)
        })
        .into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fastbloom_has_every_key_however_it_is_given() {
        let keys: Vec<[u8; 4]> = (0..1000_u32).map(u32::to_le_bytes).collect();
        let slices: Vec<&[u8]> = keys.iter().map(<[u8; 4]>::as_slice).collect();
        let (stored, others) = slices.split_at(500);
        let hash = |key: &[u8]| {
            let number = key.iter().fold(0, |sum, &byte| sum << 8 | u64::from(byte));
            number.wrapping_mul(0x9e37_79b9_7f4a_7c15)
        };
        let asked = |slices| Batched { slices, arrays: None };
        let present = that_ask(stored, asked(stored), hash);
        for (mut present, mut absent) in present.zip(that_ask(stored, asked(others), hash)) {
            assert_eq!((present.run)(), 500, "{:?}", present.name);
            assert!((absent.run)() < 50, "{:?}", absent.name);
        }
    }
}
