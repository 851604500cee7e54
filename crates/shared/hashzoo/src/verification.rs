//! SMHasher's verification procedure: one number that identifies a whole mapping.

/// The number of keys that the procedure hashes. Key `i` is the bytes `0, 1, ..., i - 1`.
const KEYS: usize = 256;

/// The widest result, in bytes.
const MAX_RESULT_BYTES: usize = 8;

/// Returns SMHasher's verification value of a seeded hash function.
///
/// The keys `{}`, `{0}`, `{0, 1}`, ... up to 255 bytes are hashed with the seeds 256, 255, ... 1. The results, `bytes`
/// little-endian bytes each, are joined and hashed with seed 0; the value is the low 32 bits of this hash. A mistake in
/// the byte order, the tail or the constants of a port changes the value.
///
/// `bytes` is the width of a result: 4 for a 32-bit function, 8 for a 64-bit one. A function without a seed ignores
/// its second argument.
///
/// Source: `VerificationTest` in `KeysetTest.cpp` of SMHasher, <https://github.com/aappleby/smhasher>; the codes of
/// many functions are in `main.cpp` of <https://github.com/rurban/smhasher>.
///
/// # Panics
///
/// If `bytes` is not 1 to 8.
///
/// ```
/// use hashzoo::{murmur2, verification_value};
///
/// let code = verification_value(|key, seed| murmur2(key, seed).into(), 4);
/// assert_eq!(code, 0x27864c1e); // the value that SMHasher prints
/// ```
pub fn verification_value(f: impl Fn(&[u8], u32) -> u64, bytes: usize) -> u32 {
    assert!(
        (1..=MAX_RESULT_BYTES).contains(&bytes),
        "a result has 1 to {MAX_RESULT_BYTES} bytes, not {bytes}"
    );
    let key: [u8; KEYS] = core::array::from_fn(|i| i as u8);
    let mut results = [0; KEYS * MAX_RESULT_BYTES];
    let results = &mut results[..KEYS * bytes];
    for (len, result) in results.chunks_exact_mut(bytes).enumerate() {
        let value = f(&key[..len], (KEYS - len) as u32);
        result.copy_from_slice(&value.to_le_bytes()[..bytes]);
    }
    f(results, 0) as u32
}

#[cfg(test)]
mod tests {
    use super::verification_value;

    #[test]
    #[should_panic(expected = "a result has 1 to 8 bytes, not 9")]
    fn a_result_wider_than_the_value_is_refused() {
        verification_value(|_, _| 0, 9);
    }
}
