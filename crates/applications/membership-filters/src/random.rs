//! Integer mixing: the generator of the cuckoo filter's kicks, and the hash of a fingerprint.

/// The increment of the generator's state.
///
/// Source: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators" (OOPSLA 2014): the odd number
/// nearest to 2^64 divided by the golden ratio.
const GOLDEN_GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// SplitMix64: the same values from the same seed, for good.
#[derive(Clone, Copy)]
pub(crate) struct SplitMix64(u64);

impl SplitMix64 {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    #[inline]
    pub(crate) const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GOLDEN_GAMMA);
        mix(self.0)
    }

    /// Returns a number from 0 to 3.
    #[inline]
    pub(crate) const fn quarter(&mut self) -> u8 {
        (self.next() >> 62) as u8
    }
}

/// SplitMix64's output function: a bijection in which every input bit changes half of the output bits.
///
/// Source: David Stafford, "Better Bit Mixing: Improving on MurmurHash3's 64-bit Finalizer" (2011), variant 13.
#[inline]
pub(crate) const fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// Maps a hash evenly to `0..range`: the high half of the product. 0 when the range is 0.
///
/// Source: Daniel Lemire, "Fast Random Integer Generation in an Interval" (2019).
#[inline]
pub(crate) const fn scale(hash: u64, range: u64) -> u64 {
    ((hash as u128 * range as u128) >> 64) as u64
}
