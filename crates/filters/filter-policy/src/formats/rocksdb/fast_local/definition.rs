//! The definition (`FORMAT.md`, "FastLocalBloom"): the line of a hash value, and its bits in the line.

/// A line: the bits that one key can set.
pub(crate) type Line = [u8; LINE_LEN];

/// The length of a line in bytes.
pub(crate) const LINE_LEN: usize = 64;

/// The golden ratio in 32 bits: the factor of the walk from one probe to the next.
///
/// Source: RocksDB, `util/bloom_impl.h` (`FastLocalBloomImpl`).
pub(super) const MULTIPLIER: u32 = 0x9e37_79b9;

/// Returns the line of a hash value among this many.
#[inline(always)]
pub(crate) const fn line_of(hash: u64, lines: usize) -> usize {
    // Fits: the index is below the number of lines, because the fraction that is multiplied is below one.
    (((hash & 0xffff_ffff) * lines as u64) >> 32) as usize
}

/// Returns the start of the walk from probe to probe.
#[inline(always)]
pub(super) const fn walk_of(hash: u64) -> u32 {
    (hash >> 32) as u32
}

/// Sets the bits of a hash value.
#[inline(always)]
pub(super) fn set_one(lines: &mut [Line], probes: u8, hash: u64) {
    let count = lines.len();
    // Always present, unless there is no line.
    if let Some(line) = lines.get_mut(line_of(hash, count)) {
        let mut walk = walk_of(hash);
        // Words are changed twice as fast as bytes on some processors.
        let words = line.as_chunks_mut::<4>().0;
        for _ in 0..probes {
            if let Some(word) = words.get_mut((walk >> 28) as usize) {
                *word = (u32::from_le_bytes(*word) | 1 << (walk >> 23 & 31)).to_le_bytes();
            }
            walk = walk.wrapping_mul(MULTIPLIER);
        }
    }
}

/// Returns true if the bits of a walk are set. Runs to the end even if a bit is missing: an early exit would be mispredicted
/// for half of the absent keys.
#[inline(always)]
pub(super) fn all_set(line: &Line, probes: u8, mut walk: u32) -> bool {
    let words = line.as_chunks::<8>().0;
    let mut all = 1;
    for _ in 0..probes {
        let word = words.get((walk >> 29) as usize).copied().unwrap_or_default();
        all &= u64::from_le_bytes(word) >> (walk >> 23 & 63);
        walk = walk.wrapping_mul(MULTIPLIER);
    }
    all & 1 != 0
}

/// The probe count at 10 bits per key, for which loops are unrolled.
pub(super) const USUAL_PROBES: u8 = 6;
