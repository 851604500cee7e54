//! Reads the fingerprints of a hash value.
#![allow(unsafe_code, reason = "bounds that were checked before")]

use super::definition::{mask, packed};

/// Returns true if the fingerprints of a hash value's places sum to this one. The places are in ascending order.
#[inline(always)]
pub(super) fn is_zero_sum(bytes: &[u8], width: u8, mut sum: u16, places: [u64; 3]) -> bool {
    debug_assert!(places.is_sorted(), "see `places_from`");
    // Fingerprints of 8 bits are in one byte, the others in up to two.
    let bytes_each = if width == 8 { 1 } else { 2 };
    // On 32 bits a place may be beyond what an address reaches.
    if (places[2] * u64::from(width) / 8) + bytes_each > bytes.len() as u64 {
        return true;
    }
    for (byte, shift) in places.map(|place| packed(place, width)) {
        let first = bytes.as_ptr().wrapping_add(byte);
        // SAFETY: the places ascend, and so many bytes from the last one on are within the slice.
        sum ^= unsafe {
            if width == 8 {
                u16::from(first.read())
            } else {
                u16::from_le_bytes(first.cast::<[u8; 2]>().read()) >> shift
            }
        };
    }
    sum & mask(width) == 0
}
