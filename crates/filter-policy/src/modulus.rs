//! Remainders by the number of bits of a filter, by multiplication.
//!
//! Knows nothing of probes or of where bits lie.

/// Gives `hash % bits` for every hash value, without a division.
///
/// With `m = floor(2^32 / bits)`, the product's high half `q = floor(hash * m / 2^32)` is the quotient or one less,
/// because `hash / bits - hash * m / 2^32 < hash / 2^32 < 1`. So `r = hash - q * bits` is below `2 * bits`, and the
/// lesser of `r` and `r - bits`, which wraps around where `r` is the remainder already, is the remainder.
///
/// Filters of 2^32 bits and more leave every hash value as it is: both numbers are then 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Modulus {
    bits: u32,
    reciprocal: u32,
}

impl Modulus {
    /// By this number of bits; 0 and numbers from 2^32 leave hash values as they are.
    #[inline]
    pub(crate) const fn new(bits: u64) -> Self {
        if bits == 0 || bits > u32::MAX as u64 {
            return Self {
                bits: 0,
                reciprocal: 0,
            };
        }
        let quotient = (1 << 32) / bits;
        Self {
            bits: low(bits),
            // 1 bit has 2^32, one more than fits; one less gives the same remainder, 0.
            reciprocal: low(if quotient > u32::MAX as u64 {
                u32::MAX as u64
            } else {
                quotient
            }),
        }
    }

    /// The number of bits; 0 where hash values stay as they are.
    #[inline]
    pub(crate) const fn bits(self) -> u32 {
        self.bits
    }

    /// `floor(2^32 / bits)`; 0 where hash values stay as they are.
    #[inline]
    pub(crate) const fn reciprocal(self) -> u32 {
        self.reciprocal
    }

    /// `hash % bits`.
    #[inline]
    pub(crate) const fn remainder(self, hash: u32) -> u32 {
        let quotient = low((hash as u64 * self.reciprocal as u64) >> 32);
        let rest = hash.wrapping_sub(quotient.wrapping_mul(self.bits));
        let less = rest.wrapping_sub(self.bits);
        if less < rest { less } else { rest }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "callers have numbers below 2^32")]
const fn low(number: u64) -> u32 {
    number as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remainders_are_exact() {
        let sizes = (1..=4096).chain((1..=300).map(|i| i * 8_388_593)).chain([
            0x7fff_ffff,
            0x8000_0000,
            0x8000_0001,
            0xffff_fff8,
            0xffff_ffff,
            1 << 32,
            (1 << 32) + 8,
            u64::MAX,
        ]);
        for bits in sizes {
            let modulus = Modulus::new(bits);
            // Around multiples of the divisor, where a quotient that is off by one shows.
            let multiples = [
                0,
                1,
                2,
                3,
                1000,
                u64::from(u32::MAX) / bits,
                u64::from(u32::MAX / 2) / bits,
            ];
            let near = multiples.iter().flat_map(|multiple| {
                let middle = multiple.saturating_mul(bits);
                [middle.saturating_sub(1), middle, middle.saturating_add(1)]
            });
            for hash in near.chain([0x1234_5678, 0xdead_beef]) {
                let hash = u32::try_from(hash).unwrap_or(u32::MAX);
                assert_eq!(
                    u64::from(modulus.remainder(hash)),
                    u64::from(hash) % bits,
                    "{hash:#x} % {bits}"
                );
            }
        }
    }
}
