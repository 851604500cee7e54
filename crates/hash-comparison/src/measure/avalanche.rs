//! Avalanche: each bit of the value should turn over for half of the keys when any one bit of the key does.
//!
//! The question is Webster and Tavares' strict avalanche criterion ("On the Design of S-Boxes", CRYPTO '85).

use super::flips::Flips;

/// For how many keys each output bit turned over, the lowest bit first.
pub(super) fn counts(flips: &Flips, output_bits: u32) -> impl Iterator<Item = u64> {
    (0..output_bits).map(|bit| ones(flips.column(bit).iter().copied()))
}

/// How many bits are one.
pub(super) fn ones(words: impl Iterator<Item = u64>) -> u64 {
    words.map(|word| u64::from(word.count_ones())).sum()
}
