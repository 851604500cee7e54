//! Operations on single bytes and words.

use core::arch::asm;
use core::arch::x86_64::*;

/// Returns the bytes that hold the bits at these positions: all 8, or the first 6 if at most 6 count. The
/// others are 0.
///
/// Separate loads are faster than one gather, which reads whole words and so would read beyond the end of the slice.
///
/// # Safety
///
/// The processor has AVX2, and the positions are below the number of bits.
#[inline(always)]
pub(crate) unsafe fn bytes_at(bytes: &[u8], positions: __m256i, count: u32) -> __m128i {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let places = _mm256_srli_epi32::<3>(positions);
        let low = _mm256_castsi256_si128(places);
        let high = _mm256_extracti128_si256::<1>(places);
        // Two places in each number. Going through memory would take longer.
        let places_0_1 = _mm_cvtsi128_si64(low).cast_unsigned();
        let places_2_3 = _mm_extract_epi64::<1>(low).cast_unsigned();
        let places_4_5 = _mm_cvtsi128_si64(high).cast_unsigned();
        let byte = |place: u64| i32::from(*bytes.get_unchecked(place as u32 as usize));
        let found = _mm_cvtsi32_si128(byte(places_0_1));
        let found = _mm_insert_epi8::<1>(found, byte(places_0_1 >> 32));
        let found = _mm_insert_epi8::<2>(found, byte(places_2_3));
        let found = _mm_insert_epi8::<3>(found, byte(places_2_3 >> 32));
        let found = _mm_insert_epi8::<4>(found, byte(places_4_5));
        let found = _mm_insert_epi8::<5>(found, byte(places_4_5 >> 32));
        if count <= 6 {
            return found;
        }
        let places_6_7 = _mm_extract_epi64::<1>(high).cast_unsigned();
        let found = _mm_insert_epi8::<6>(found, byte(places_6_7));
        _mm_insert_epi8::<7>(found, byte(places_6_7 >> 32))
    }
}

/// Returns the number of bits that are one.
///
/// As an instruction by name: compilers would replace four of these by vectors, which take three times as long.
///
/// # Safety
///
/// The processor has POPCNT.
#[inline(always)]
pub(crate) unsafe fn count_ones(word: u64) -> u32 {
    let count: u64;
    // SAFETY: guaranteed by the caller; the instruction only changes the register and flags.
    unsafe {
        asm!("popcnt {}, {}", out(reg) count, in(reg) word, options(pure, nomem, nostack));
    }
    count as u32
}
