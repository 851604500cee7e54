//! The way from a stored filter's bytes to the answer for one key, for every format.

use super::Format;
use super::kernel_choice::KernelChoice;
use crate::simd::choose::KernelToken;
use crate::simd::compile::by_kernel;
use crate::simd::lanes::{Portable, Target};
use crate::simd::stored_bits::StoredBits;

/// Returns true if a stored filter, of any bytes, may contain a key. A single query spends as much time reaching the
/// code as computing the answer, so each kernel has one function from the bytes to the answer, called with the
/// arguments in place.
#[inline(always)]
pub(super) fn key_may_match<F: Format, K: KernelChoice>(
    format: &F,
    key: &[u8],
    filter: &[u8],
    kernels: K,
) -> bool {
    if !<F::Filter<'_> as StoredBits>::HAS_KERNELS {
        return match format.read(filter) {
            Some(stored) => stored.matches(Portable, format.hash(key)),
            None => other::<F>(key, filter),
        };
    }
    kernels.dispatch(
        |kernel| by_token(format, key, filter, kernel),
        || at_first(format, key, filter),
    )
}

/// [`key_may_match`] with a kernel.
#[inline(always)]
pub(crate) fn by_token<F: Format>(format: &F, key: &[u8], filter: &[u8], kernel: KernelToken) -> bool {
    by_kernel!([F: Format], |lanes, format: &F, key: &[u8], filter: &[u8]| -> bool {
        // The usual length first.
        match <&[u8; 16]>::try_from(key) {
            Ok(key) => look_up(lanes, format, key, filter),
            Err(_) => look_up(lanes, format, key, filter),
        }
    }
    apart (key.len() != 16 && !<F::Filter<'_> as StoredBits>::HASHED_INLINE.contains(&key.len())) {
        key.len() < 16 => { look_up(lanes, format, key.get(..key.len().min(16)).unwrap_or_default(), filter) }
        true => { look_up(lanes, format, key, filter) }
    }, kernel, match <&[u8; 16]>::try_from(key) {
        Ok(key) => portable_of_16(format, key, filter),
        Err(_) => portable_apart(format, key, filter),
    })
}

/// Portable code. Out of line, so that the choice of the kernel saves no registers for it.
#[inline(never)]
fn portable_of_16<F: Format>(format: &F, key: &[u8; 16], filter: &[u8]) -> bool {
    look_up(Portable, format, key, filter)
}

/// Portable code for keys of other lengths.
#[inline(never)]
fn portable_apart<F: Format>(format: &F, key: &[u8], filter: &[u8]) -> bool {
    look_up(Portable, format, key, filter)
}

#[inline(always)]
fn look_up<T: Target, F: Format>(lanes: T, format: &F, key: &[u8], filter: &[u8]) -> bool {
    if <F::Filter<'_> as StoredBits>::may_be_usual(filter)
        && let Some(stored) = format.read(filter)
        && stored.is_usual(lanes)
    {
        return stored.matches(lanes, format.hash(key));
    }
    unusual(format, key, filter, KernelToken::with(lanes))
}

/// Cold path: CPU features have not been detected yet.
#[cold]
#[inline(never)]
fn at_first<F: Format>(format: &F, key: &[u8], filter: &[u8]) -> bool {
    unusual(format, key, filter, KernelToken::best())
}

#[inline(never)]
fn unusual<F: Format>(format: &F, key: &[u8], filter: &[u8], kernel: KernelToken) -> bool {
    match format.read(filter) {
        Some(stored) => stored.may_match(kernel, format.hash(key)),
        None => other::<F>(key, filter),
    }
}

/// Answers for bytes that are no filter of the format. Not inlined: queries seldom come here.
#[inline(never)]
fn other<F: Format>(key: &[u8], filter: &[u8]) -> bool {
    F::other(filter).may_match(filter, key)
}
