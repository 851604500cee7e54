//! Sizes at which the probes of LevelDB's filter are least regular.

/// Returns true if this is a good size for the bit array of LevelDB's filter, in bytes without the one that holds k: odd,
/// and without the factors 3, 5, 17, 257 and 65537 of 2^32 - 1. At other sizes more absent keys match, above all numbers
/// between stored numbers; `THEORY.md` says why.
/// [`coprime_sizes`](super::BloomFilterPolicy::coprime_sizes) writes filters of good sizes only.
///
/// ```
/// use filter_policy::leveldb::is_coprime_size;
///
/// assert!(is_coprime_size(41));
/// assert!(!is_coprime_size(40) && !is_coprime_size(51));
/// ```
pub const fn is_coprime_size(bytes: u64) -> bool {
    !bytes.is_multiple_of(2)
        && !bytes.is_multiple_of(3)
        && !bytes.is_multiple_of(5)
        && !bytes.is_multiple_of(17)
        && !bytes.is_multiple_of(257)
        && !bytes.is_multiple_of(65_537)
}

/// Returns the next number of bytes, at least 8, that is odd and has none of the factors 3, 5, 17, 257 and 65537 of
/// 2^32 - 1; the last one if the next is more than 3 % and four bytes away.
pub(super) fn coprime_bytes(bytes: usize) -> usize {
    let most = (bytes / 100 * 3).max(4);
    let is_good = |bytes: &usize| is_coprime_size(*bytes as u64);
    let more = bytes..=bytes.saturating_add(most);
    more.take_while(|_| bytes < usize::MAX - most)
        .find(is_good)
        .or_else(|| (9..=bytes).rev().find(is_good))
        .unwrap_or(bytes.min(8))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coprime_sizes_are_near() {
        for bytes in (8..100_000).chain([65_537 * 7, 1 << 29, u32::MAX as usize / 10]) {
            let chosen = coprime_bytes(bytes);
            let allowed = (bytes * 3 / 100).max(4);
            assert!(
                is_coprime_size(chosen as u64) && chosen.abs_diff(bytes) <= allowed,
                "{bytes}: {chosen}"
            );
            // A second choice changes nothing.
            assert_eq!(coprime_bytes(chosen), chosen);
        }
        assert_eq!([8, 24, 40, 41, 255].map(coprime_bytes), [11, 23, 41, 41, 259]);
        assert_eq!(coprime_bytes(usize::MAX) % 2, 1);
    }
}
