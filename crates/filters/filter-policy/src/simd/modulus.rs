//! Computes remainders modulo the number of bits of a filter by multiplication.
//!
//! Independent of probes and of the format.

/// Computes `hash % bits` without a division per hash value.
///
/// The hash value times `2^64 / bits`, rounded up, holds the quotient in the high bits and the remainder over `bits`,
/// as a fraction of 2^64, in the low bits; that fraction times `bits` is the remainder. The result is exact for 32-bit
/// numbers and up to 2^32 bits (Lemire, Kaser and Kurz, "Faster remainder by direct computation", 2019).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Modulus {
    /// The number of bits, 1 to 2^32.
    bits: u64,
    /// The quotient `floor((2^64 - 1) / bits)`.
    fraction: u64,
}

impl Modulus {
    /// The largest number of bits that matters: 32-bit hash values modulo 2^32 are unchanged.
    const MAX_BITS: u64 = 1 << 32;

    /// Makes the modulus for the bits of this many bytes. Zero bytes count as one bit.
    #[inline]
    pub(crate) const fn of_bytes(bytes: usize) -> Self {
        let bits = (bytes as u64).saturating_mul(8);
        Self::new(match bits {
            0 => 1,
            1..Self::MAX_BITS => bits,
            _ => Self::MAX_BITS,
        })
    }

    /// Makes the modulus for 1 to 2^32 bits.
    #[inline]
    const fn new(bits: u64) -> Self {
        Self {
            bits,
            fraction: u64::MAX / bits,
        }
    }

    pub(crate) const fn parts(self) -> [u64; 2] {
        [self.bits, self.fraction]
    }

    /// Makes the modulus of these [`parts`](Self::parts). With others, remainders are meaningless.
    #[inline]
    pub(crate) const fn of_parts([bits, fraction]: [u64; 2]) -> Self {
        Self { bits, fraction }
    }

    /// Returns `hash % bits`.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "a remainder by at most 2^32")]
    pub(crate) const fn remainder(self, hash: u32) -> u32 {
        let rest = self.fraction.wrapping_add(1).wrapping_mul(hash as u64);
        ((rest as u128 * self.bits as u128) >> 64) as u32
    }
}

/// A number of bits below 2^31 and its reciprocal, for remainders in 32-bit lanes.
///
/// The reciprocal `m` is `2^32 / bits` rounded down, or one less if `bits` divides 2^32. The high half of `hash * m` is
/// the quotient or one less, because `hash / bits - hash * m / 2^32` is at most `hash / 2^32`, which is below 1. So
/// `r = hash - q * bits` is below `2 * bits`, and the remainder is the lesser of `r` and `r - bits`, which wraps around
/// if `r` is already the remainder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LaneDivisor {
    pub(crate) bits: u32,
    pub(crate) reciprocal: u32,
}

impl LaneDivisor {
    /// The maximum length in bytes for which lanes can add bit positions.
    pub(crate) const MAX_BYTES: usize = (1 << 28) - 1;

    /// Makes the divisor for the bits of 1 to 2^28 - 1 bytes; `None` for other lengths, whose positions lanes could not
    /// add.
    #[inline]
    pub(crate) fn of_bytes(bytes: usize) -> Option<Self> {
        if bytes == 0 || bytes > Self::MAX_BYTES {
            return None;
        }
        Some(Self::new(u32::try_from(bytes * 8).ok()?))
    }

    pub(crate) const fn parts(self) -> [u64; 2] {
        [self.bits as u64, self.reciprocal as u64]
    }

    /// Returns the divisor of these [`parts`](Self::parts), which are known to be those of a divisor.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "both were 32 bits long")]
    pub(crate) const fn of_lanes([bits, reciprocal]: [u64; 2]) -> Self {
        Self {
            bits: bits as u32,
            reciprocal: reciprocal as u32,
        }
    }

    /// Makes the divisor of these [`parts`](Self::parts); `None` if they are not those of this many bytes. Kernels read
    /// memory at remainders unchecked, so this checks by a multiplication what [`of_bytes`](Self::of_bytes) divides.
    #[inline(always)]
    pub(crate) const fn of_parts([bits, reciprocal]: [u64; 2], bytes: usize) -> Option<Self> {
        let rest = (u32::MAX as u64).wrapping_sub(bits.wrapping_mul(reciprocal));
        if bits == bytes as u64 * 8
            && bytes <= Self::MAX_BYTES
            && reciprocal <= u32::MAX as u64
            && rest < bits
        {
            Some(Self::of_lanes([bits, reciprocal]))
        } else {
            None
        }
    }

    #[inline]
    const fn new(bits: u32) -> Self {
        Self {
            bits,
            reciprocal: u32::MAX / bits,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the remainder as lanes compute it.
    fn in_lanes(bits: u32, hash: u32) -> u32 {
        let LaneDivisor { bits, reciprocal } = LaneDivisor::new(bits);
        let quotient = u32::try_from((u64::from(hash) * u64::from(reciprocal)) >> 32).unwrap();
        let rest = hash.wrapping_sub(quotient.wrapping_mul(bits));
        rest.min(rest.wrapping_sub(bits))
    }

    #[test]
    fn remainders_are_exact() {
        let sizes = (1..=4096).chain((1..=300).map(|i| i * 8_388_593)).chain([
            0x7fff_ffff,
            0x8000_0000,
            0x8000_0001,
            0xffff_fff8,
            0xffff_ffff,
            1 << 32,
        ]);
        for bits in sizes {
            let modulus = Modulus::new(bits);
            // Values around multiples of the divisor reveal a quotient that is off by one.
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
                let expected = u64::from(hash) % bits;
                assert_eq!(u64::from(modulus.remainder(hash)), expected, "{hash:#x} % {bits}");
                if let Some(bits) = u32::try_from(bits).ok().filter(|&bits| bits < 1 << 31) {
                    assert_eq!(
                        u64::from(in_lanes(bits, hash)),
                        expected,
                        "{hash:#x} % {bits} in lanes"
                    );
                }
            }
        }
    }

    #[test]
    fn the_bits_of_bytes_stop_at_2_to_the_32() {
        assert_eq!(Modulus::of_bytes(0), Modulus::new(1));
        assert_eq!(Modulus::of_bytes(9), Modulus::new(72));
        for bytes in [1 << 29, (1 << 29) + 1, usize::MAX] {
            assert_eq!(Modulus::of_bytes(bytes), Modulus::new(1 << 32));
        }
    }

    #[test]
    fn lanes_take_less_than_2_to_the_31_bits() {
        assert_eq!(
            LaneDivisor::of_bytes((1 << 28) - 1),
            Some(LaneDivisor::new((1 << 31) - 8))
        );
        for bytes in [0, 1 << 28, 1 << 29, usize::MAX] {
            assert_eq!(LaneDivisor::of_bytes(bytes), None);
        }
    }

    #[test]
    fn only_the_parts_of_a_length_make_its_divisor() {
        for bytes in [1, 9, 64, 1251, LaneDivisor::MAX_BYTES] {
            let divisor = LaneDivisor::of_bytes(bytes).unwrap();
            let [bits, reciprocal] = divisor.parts();
            assert_eq!(LaneDivisor::of_parts([bits, reciprocal], bytes), Some(divisor));
            for (parts, bytes) in [
                ([bits, reciprocal + 1], bytes),
                ([bits, reciprocal - 1], bytes),
                ([bits, reciprocal | 1 << 32], bytes),
                ([bits, reciprocal.wrapping_sub(1 << 60)], bytes),
                ([bits + 8, reciprocal], bytes),
                ([bits, reciprocal], bytes + 1),
            ] {
                assert_eq!(LaneDivisor::of_parts(parts, bytes), None, "{parts:?}, {bytes}");
            }
        }
        assert_eq!(LaneDivisor::of_parts([0, 0], 0), None);
        let modulus = Modulus::of_bytes(9);
        assert_eq!(Modulus::of_parts(modulus.parts()), modulus);
    }
}
