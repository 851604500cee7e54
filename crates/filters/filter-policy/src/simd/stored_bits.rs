//! A stored filter's bits, as kernels test them.

use core::ops::RangeInclusive;

use crate::simd::choose::KernelToken;
use crate::simd::lanes::Target;
use crate::simd::source::Source;

/// A stored filter, read in place.
///
/// Formats with kernels have more than the two methods without a default, which only this crate can write.
#[allow(private_bounds, private_interfaces, reason = "see above")]
pub trait StoredBits: Copy {
    /// The type of hash values: `u32` or `u64`.
    type Hash;

    /// Returns true if the filter may contain a key of this hash value.
    fn may_match(self, kernel: KernelToken, hash: Self::Hash) -> bool;

    /// Answers for many keys and overwrites the words: bit `i % 64` of word `i / 64` is the answer for key `i`. There is
    /// a word for every 64 keys. [`answers::each`](crate::answers::each) writes the answers one after the other.
    fn may_match_many(self, kernel: KernelToken, source: Source<'_, Self::Hash>, answers: &mut [u64]);

    /// Set if a single answer takes fewer steps by kernels than by portable code.
    #[doc(hidden)]
    const HAS_KERNELS: bool = false;

    /// The lengths of keys that are hashed within a query; for others, its code is out of line. These are all that the
    /// function hashes without calls and loops, for which every query would save registers.
    #[doc(hidden)]
    const HASHED_INLINE: RangeInclusive<usize> = 0..=usize::MAX;

    /// Returns true if the bytes may be a [usual](Self::is_usual) filter. A query of one key reads only these in place.
    #[doc(hidden)]
    #[inline(always)]
    fn may_be_usual(filter: &[u8]) -> bool {
        let _ = filter;
        true
    }

    /// Returns true if [`matches`](Self::matches) takes the filter.
    #[doc(hidden)]
    #[inline(always)]
    fn is_usual<T: Target>(self, lanes: T) -> bool {
        let _ = lanes;
        true
    }

    /// [`may_match`](Self::may_match), inlined into code that is compiled for a kernel.
    #[doc(hidden)]
    #[inline(always)]
    fn matches<T: Target>(self, lanes: T, hash: Self::Hash) -> bool {
        self.may_match(KernelToken::with(lanes), hash)
    }
}
