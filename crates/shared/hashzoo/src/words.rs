//! Little-endian words of a key, and the bytes after its last whole word.
//!
//! If the key is long enough, its last bytes are read as a whole word and the bytes before the tail are shifted out: on
//! short keys of mixed lengths, a branch on the length of the tail would be the largest cost.

/// The mask of the six published functions that drop the top bit.
pub(crate) const LOW_31_BITS: u32 = 0x7fff_ffff;

/// Returns the eight bytes at `at`. Callers have checked the length.
#[inline(always)]
pub(crate) const fn word(bytes: &[u8], at: usize) -> u64 {
    match bytes.split_at(at).1.first_chunk() {
        Some(chunk) => u64::from_le_bytes(*chunk),
        None => unreachable!(),
    }
}

/// Returns the eight bytes at `at`, and the next eight. Callers have checked the length.
#[inline(always)]
pub(crate) const fn two_words(bytes: &[u8], at: usize) -> (u64, u64) {
    match bytes.split_at(at).1.first_chunk::<16>() {
        Some(chunk) => (word(chunk, 0), word(chunk, 8)),
        None => unreachable!(),
    }
}

/// Returns the four bytes at `at`. Callers have checked the length.
#[inline]
pub(crate) const fn half_word(bytes: &[u8], at: usize) -> u32 {
    match bytes.split_at(at).1.first_chunk() {
        Some(chunk) => u32::from_le_bytes(*chunk),
        None => unreachable!(),
    }
}

/// Returns the last `key.len() % 4` bytes of `key` as a little-endian number; 0 if there are none.
#[inline]
pub(crate) const fn after_words_of_4(key: &[u8]) -> u32 {
    if let Some(last) = key.last_chunk::<4>() {
        // Two shifts, because one by all 32 bits would overflow.
        return u32::from_le_bytes(*last) >> 8 >> (24 - 8 * (key.len() % 4));
    }
    match *key {
        [a, b, c] => u32::from_le_bytes([a, b, c, 0]),
        [a, b] => u32::from_le_bytes([a, b, 0, 0]),
        [a] => a as u32,
        _ => 0,
    }
}

/// Returns the last `key.len() % 8` bytes of `key` as a little-endian number; 0 if there are none.
#[inline]
pub(crate) const fn after_words_of_8(key: &[u8]) -> u64 {
    if let Some(last) = key.last_chunk::<8>() {
        // Two shifts, because one by all 64 bits would overflow.
        return u64::from_le_bytes(*last) >> 8 >> (56 - 8 * (key.len() % 8));
    }
    match key.split_first_chunk::<4>() {
        Some((word, rest)) => u32::from_le_bytes(*word) as u64 | (after_words_of_4(rest) as u64) << 32,
        None => after_words_of_4(key) as u64,
    }
}

/// Returns the last `key.len() % 16` bytes of `key` as a little-endian number; 0 if there are none.
#[inline]
pub(crate) const fn after_words_of_16(key: &[u8]) -> u128 {
    if let Some(last) = key.last_chunk::<16>() {
        // Two shifts, because one by all 128 bits would overflow.
        return u128::from_le_bytes(*last) >> 8 >> (120 - 8 * (key.len() % 16));
    }
    match key.first_chunk::<8>() {
        Some(word) => u64::from_le_bytes(*word) as u128 | (after_words_of_8(key) as u128) << 64,
        None => after_words_of_8(key) as u128,
    }
}

/// Steps through a key byte by byte with 32 bits of state, in a `const fn`: `step_by_byte!(key, start, |h, byte| next
/// h)`.
macro_rules! step_by_byte {
    ($key:expr, $start:expr, |$h:ident, $byte:ident| $next:expr) => {{
        let (mut $h, mut rest): (u32, &[u8]) = ($start, $key);
        while let [first, tail @ ..] = rest {
            let $byte = *first as u32;
            $h = $next;
            rest = tail;
        }
        $h
    }};
}
pub(crate) use step_by_byte;
