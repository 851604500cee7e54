//! Keys that are bits, blocks and numbers.

use std::collections::HashSet;

use rand::Rng as _;
use rand_xoshiro::SplitMix64;

use crate::keys::KeySet;

/// Returns the keys of `bytes` bytes with at most `most` bits set, those with fewer bits first.
pub(super) fn sparse(bytes: usize, most: usize) -> KeySet {
    fn set(key: &mut [u8], from: usize, left: usize, keys: &mut KeySet) {
        if left == 0 {
            keys.push(key);
            return;
        }
        for bit in from..8 * key.len() {
            key[bit / 8] ^= 1 << (bit % 8);
            set(key, bit + 1, left - 1, keys);
            key[bit / 8] ^= 1 << (bit % 8);
        }
    }
    let mut keys = KeySet::default();
    for count in 0..=most {
        set(&mut vec![0; bytes], 0, count, &mut keys);
    }
    keys
}

/// Returns keys of 16 bytes, two of them 1 to 16 and the others zero.
pub(super) fn two_bytes() -> KeySet {
    let places = (0..16).flat_map(|first| (first + 1..16).map(move |second| [first, second]));
    let keys = places.flat_map(|[first, second]| {
        (0..=u8::MAX).map(move |value| {
            let mut key = [0; 16];
            (key[first], key[second]) = (1 + value / 16, 1 + value % 16);
            key
        })
    });
    keys.collect()
}

/// Returns every key of two bytes.
pub(super) fn short() -> KeySet {
    (0..=u16::MAX).map(u16::to_be_bytes).collect()
}

/// Returns keys of 0 to 4,095 zero bytes.
pub(super) fn zeroes() -> KeySet {
    let zeroes = [0; 4096];
    (0..zeroes.len()).map(|length| &zeroes[..length]).collect()
}

/// Returns the numbers 1 to 8 in every order, by Heap's algorithm (The Computer Journal 6, 1963).
pub(super) fn block_orders() -> KeySet {
    fn permute(blocks: &mut [u32; 8], count: usize, keys: &mut KeySet) {
        if count <= 1 {
            keys.push(&blocks.map(u32::to_le_bytes).concat());
            return;
        }
        for index in 0..count {
            permute(blocks, count - 1, keys);
            let other = if count.is_multiple_of(2) { index } else { 0 };
            if index + 1 < count {
                blocks.swap(other, count - 1);
            }
        }
    }
    let mut keys = KeySet::default();
    permute(&mut [1, 2, 3, 4, 5, 6, 7, 8], 8, &mut keys);
    keys
}

/// Returns keys of one to five blocks, each 0 to 7 shifted left by `shift`.
pub(super) fn blocks(shift: u32) -> KeySet {
    let all = (1..=5_u32).flat_map(|count| (0..8_u32.pow(count)).map(move |digits| (count, digits)));
    let key = |(count, digits): (u32, u32)| {
        let blocks = (0..count).flat_map(|place| ((digits >> (3 * place) & 7) << shift).to_le_bytes());
        blocks.collect::<Vec<u8>>()
    };
    all.map(key).collect()
}

/// Returns random cycles of `bytes` bytes, each repeated `times` times.
pub(super) fn cyclic(random: &mut SplitMix64, bytes: usize, times: usize) -> KeySet {
    let mut seen = HashSet::new();
    let mut keys = KeySet::default();
    while seen.len() < 40_000 {
        let cycle = random.next_u64().to_le_bytes()[..bytes].to_vec();
        if seen.insert(cycle.clone()) {
            keys.push(&cycle.repeat(times));
        }
    }
    keys
}

/// Returns random keys of 16 bytes, each followed by the 128 keys that differ from it in one bit.
pub(super) fn one_bit(random: &mut SplitMix64) -> KeySet {
    let mut keys = KeySet::default();
    for _ in 0..400 {
        let key = wide(random);
        keys.push(&key.to_le_bytes());
        for bit in 0..128 {
            keys.push(&(key ^ 1 << bit).to_le_bytes());
        }
    }
    keys
}

/// Draws 128 bits.
pub(super) fn wide(random: &mut SplitMix64) -> u128 {
    u128::from(random.next_u64()) << 64 | u128::from(random.next_u64())
}

/// Returns the numbers 0 to 49,999, formatted by `written`.
pub(super) fn numbers(written: fn(u32) -> Vec<u8>) -> KeySet {
    (0..50_000).map(written).collect()
}
