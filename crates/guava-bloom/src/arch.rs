//! Processor-specific code: a hint to prefetch memory. The only module with unsafe code.
//!
//! A prefetch retires at once, so that far more of them are under way than loads, each of which holds its place in the
//! reorder buffer until its data are there. Measured on an AMD EPYC server core, in a filter of 2 * 10^9 bits with 7
//! probes: batches of absent keys took 18 ns a key with prefetches and 42 without, of present ones 40 and 90.

/// Asks for the cache line of this word. Changes nothing but the time that a later access takes.
#[inline(always)]
#[cfg(all(target_arch = "x86_64", target_feature = "sse", not(miri)))]
#[expect(unsafe_code, reason = "there is no safe prefetch in the standard library")]
pub(crate) fn prefetch<W>(word: &W) {
    use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};

    // SAFETY: the instruction accepts any address and never faults; this one is of a live word. The processor has it:
    // SSE is enabled for the whole program.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(core::ptr::from_ref(word).cast()) };
}

/// Elsewhere the processor's own look-ahead has to do.
#[inline(always)]
#[cfg(not(all(target_arch = "x86_64", target_feature = "sse", not(miri))))]
pub(crate) fn prefetch<W>(_word: &W) {}
