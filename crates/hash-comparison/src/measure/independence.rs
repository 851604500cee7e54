//! Independence of output bits: when a bit of the key turns over, whether one output bit turns over should tell nothing of
//! any other.
//!
//! Webster and Tavares' bit independence criterion ("On the Design of S-Boxes", CRYPTO '85), with turning over counted as
//! +1 and staying as -1 around the fair mean: the correlation of two bits is then the share of keys for which they agree,
//! less the share for which they do not. So a bit that never turns over fails with every other such bit; a correlation
//! around the bits' own means would not be defined for it.

use super::avalanche::ones;
use super::flips::Flips;

/// For how many of `trials` keys two output bits do the same, for every pair, the lower bit first.
pub(super) fn agreements(
    flips: &Flips,
    output_bits: u32,
    trials: u64,
) -> impl Iterator<Item = ((u32, u32), u64)> {
    (0..output_bits).flat_map(move |lower| {
        let one = flips.column(lower);
        (lower + 1..output_bits).map(move |higher| {
            let differ = one.iter().zip(flips.column(higher)).map(|(a, b)| a ^ b);
            ((lower, higher), trials - ones(differ))
        })
    })
}
