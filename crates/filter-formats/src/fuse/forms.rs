//! Other programs' stored forms of binary fuse filters.

use alloc::vec::Vec;

use filter_kernels::fuse::{Shape, packed_len};
use filter_policy::{Error, building::append_with};

use super::{TRAILER_LEN, trailer};

/// A stored form of binary fuse filters other than Pebble's.
///
/// The keys are 64-bit numbers, which in most programs are hash values of their own choice. All but Java's have the probes
/// of Pebble's filters, so [`to_pebble`](Self::to_pebble) changes only what surrounds the fingerprints.
///
/// ```
/// use filter_formats::{BinaryFuseForm, BinaryFusePolicy};
/// use filter_policy::FilterPolicy;
///
/// // Three segments of four fingerprints, as Go's `BinaryFuse8.Save` writes them.
/// let mut saved = 7_u64.to_le_bytes().to_vec();
/// for number in [4_u32, 3, 1, 4, 12] {
///     saved.extend(number.to_le_bytes());
/// }
/// saved.extend([0; 12]);
/// let filter = BinaryFuseForm::Go.to_pebble(&saved, 8)?;
/// let policy = BinaryFusePolicy::new(9.into());
/// assert!(!policy.prepare(&filter).may_match_raw_hash(12_345_u64));
/// # Ok::<(), filter_policy::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum BinaryFuseForm {
    /// `Save` of the Go package xorfilter: seed (8 bytes), then in 4 bytes each a segment's length, its mask, the number
    /// of segments, their slots, and all slots; then the fingerprints. Little-endian.
    ///
    /// Source: xorfilter, `serialization.go`.
    Go,
    /// `binary_fuse8_serialize` and `binary_fuse16_serialize` of the C library xor_singleheader since 2.0.0, on a
    /// little-endian machine: seed (8 bytes), then in 4 bytes each the number of keys, a segment's length, the number of
    /// segments, their slots, and all slots; then the fingerprints. Four bytes more may follow fingerprints of 16 bits,
    /// because the C function that states the length counts them.
    ///
    /// Source: xor_singleheader, `binaryfusefilter.h`.
    C,
    /// The Rust crate xorf 0.13: the descriptor, which is the seed (8 bytes) and in 4 bytes each a segment's length, its
    /// mask, and the slots of all first segments; then the fingerprints of a little-endian machine.
    ///
    /// Source: xorf, `prelude/bfuse.rs` (`serialize_bfuse_descriptor`).
    Xorf,
    /// The Java library fastfilter_java, whose filters have other probes: always an error.
    Java,
}

impl BinaryFuseForm {
    /// Returns the filter in Pebble's form, which [`BinaryFusePolicy`](super::BinaryFusePolicy) reads. `width` is the number
    /// of bits of a fingerprint, which these forms do not tell: 8 or 16.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfDomain`] if the numbers contradict each other, the width or the length; [`Error::Policy`] for Java's
    /// form; [`Error::AllocationFailed`].
    pub fn to_pebble(self, bytes: &[u8], width: u8) -> Result<Vec<u8>, Error> {
        // The places of a segment's length, of the slots of first segments, and of all slots, after the seed.
        let (header_len, len_at, starts_at, slots_at) = match self {
            Self::Go => (28, 0, 3, Some(4)),
            Self::C => (28, 1, 3, Some(4)),
            Self::Xorf => (20, 0, 2, None),
            Self::Java => {
                return Err(Error::Policy {
                    reason: "Java's binary fuse filters have other probes than those of Go, C, Rust and Pebble",
                });
            }
        };
        let Some((header, fingerprints)) = bytes.split_at_checked(header_len) else {
            return wrong(
                "length of a binary fuse filter in bytes",
                bytes.len() as u64,
                "at least its header's",
            );
        };
        let (seed, numbers) = header.split_first_chunk().map_or((0, header), |(seed, numbers)| {
            (u64::from_le_bytes(*seed), numbers)
        });
        let number = |at: usize| {
            let bytes = numbers.get(4 * at..).and_then(<[u8]>::first_chunk);
            bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes))
        };
        let (len, starts) = (number(len_at), number(starts_at));
        if !len.is_power_of_two() {
            return wrong("length of a segment", len, "a power of two");
        }
        if starts == 0 || starts % len != 0 {
            return wrong(
                "slots of the first segments",
                starts,
                "a multiple of a segment's length, above 0",
            );
        }
        let shape = Shape {
            seed,
            segments: starts / len,
            // At most 31.
            log2_len: u8::try_from(len.ilog2()).unwrap_or_default(),
        };
        let slots = shape.slots();
        if let Some(stated) = slots_at.map(number)
            && u64::from(stated) != slots
        {
            return wrong("number of slots", stated, "those of all segments");
        }
        if width != 8 && width != 16 {
            return wrong("width of fingerprints in bits", width, "8 or 16");
        }
        let (stored, needed) = (fingerprints.len() as u64, slots * u64::from(width) / 8);
        let has_rest = self == Self::C && width == 16 && stored == needed + 4;
        if stored != needed && !has_rest {
            return wrong("bytes of fingerprints", stored, "what the slots take");
        }
        let packed = packed_len(shape, width)
            .and_then(|len| fingerprints.get(..usize::try_from(len).ok()?))
            .unwrap_or_default();
        let mut filter = Vec::new();
        append_with(&mut filter, packed.len() + TRAILER_LEN, |room| {
            if let Some((front, end)) = room.split_last_chunk_mut() {
                front.copy_from_slice(packed);
                *end = trailer(shape, width);
            }
            Ok(room.len())
        })?;
        Ok(filter)
    }
}

fn wrong<T>(what: &'static str, given: impl Into<u64>, allowed: &'static str) -> Result<T, Error> {
    let given = given.into() as f64;
    Err(Error::OutOfDomain { what, given, allowed })
}
