//! Parameters that are allowed, for the checks and for the texts of errors.

/// The narrowest counter of a counting filter.
pub(crate) const MIN_COUNTER_BITS: u8 = 2;

/// The widest.
pub(crate) const MAX_COUNTER_BITS: u8 = 16;

/// The narrowest fingerprint of a cuckoo filter. With fewer bits than this nearly every absent element is found.
pub(crate) const MIN_FINGERPRINT_BITS: u8 = 4;

/// The widest fingerprint.
pub(crate) const MAX_FINGERPRINT_BITS: u8 = 32;

/// The largest factor between capacities of a growing filter's links: four times what the paper advises. It also bounds
/// what stored bytes of a given length can make the next link take.
pub(crate) const MAX_GROWTH: u32 = 16;
