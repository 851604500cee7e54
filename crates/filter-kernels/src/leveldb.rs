//! LevelDB's bit array: a 32-bit hash, and a rotation of it as the distance from one probe to the next.
//!
//! Arguments must be valid, except stored filters that are queried for one key: these may be any bytes.

mod create;
mod definition;
mod probes;
mod query;
mod scalar;

pub use definition::positions;

use hashzoo::{leveldb_hash, murmur2, murmur2_signed_tail};

use crate::bits::{MAP_BITS, MAX_PROBES};
use crate::choose::KernelToken;
use crate::compile::{Asker, asker, by_kernel};
use crate::kernel::Kernel;
use crate::lanes::{Lanes, Target, Work};
use crate::modulus::{LaneDivisor, Modulus};
use crate::source::{LaneHash, Source};
use definition::{USUAL_PROBES, all_set, scalar_may_match};

/// The bits of a filter to query, and the kernel that does it.
#[derive(Debug, Clone, Copy)]
pub struct BitQuery<'a> {
    bit_array: &'a [u8],
    kernel: KernelToken,
    /// The numbers of the kernel's divisor for this bit array: see [`dispatch`].
    parts: [u64; 2],
    /// The probe count, at most 30.
    probes: u32,
}

impl<'a> BitQuery<'a> {
    /// Prepares queries of a bit array, which must not be empty, with at most 30 probes.
    #[inline]
    pub fn new(kernel: KernelToken, bit_array: &'a [u8], probes: u8) -> Self {
        let (kernel, parts) = dispatch(kernel, bit_array.len());
        Self::with(kernel, parts, bit_array, probes)
    }

    #[inline(always)]
    fn with(kernel: KernelToken, parts: [u64; 2], bit_array: &'a [u8], probes: u8) -> Self {
        Self {
            bit_array,
            kernel,
            parts,
            probes: probes.into(),
        }
    }

    /// Returns the kernel and the numbers that [`new`](Self::new) computed, for [`of_parts`](Self::of_parts).
    #[inline]
    pub const fn parts(&self) -> (KernelToken, [u64; 2]) {
        (self.kernel, self.parts)
    }

    /// Makes the query that [`new`](Self::new) makes, without a division if the kernel and the numbers are those of
    /// [`parts`](Self::parts) for a bit array of this length.
    #[inline(always)]
    pub fn of_parts(kernel: KernelToken, parts: [u64; 2], bit_array: &'a [u8], probes: u8) -> Self {
        if !matches!(kernel, KernelToken::Scalar) && LaneDivisor::of_parts(parts, bit_array.len()).is_none() {
            return Self::new(kernel, bit_array, probes);
        }
        Self::with(kernel, parts, bit_array, probes)
    }
}

/// Returns the kernel for bit arrays of this many bytes, and the numbers of its divisor for remainders by their bits: those
/// of a [`Modulus`] for portable code, otherwise of a [`LaneDivisor`].
#[inline]
fn dispatch(kernel: KernelToken, bytes: usize) -> (KernelToken, [u64; 2]) {
    if !matches!(kernel, KernelToken::Scalar)
        && let Some(divisor) = LaneDivisor::of_bytes(bytes)
    {
        return (kernel, divisor.parts());
    }
    (KernelToken::Scalar, Modulus::of_bytes(bytes).parts())
}

/// Writes the bits of all keys, with `probes` probes each, at most 30, over whatever `bit_array` holds; it must not be empty.
pub fn create(kernel: KernelToken, source: Source<'_>, probes: u8, bit_array: &mut [u8]) {
    if bit_array.len() * 8 > MAP_BITS {
        bit_array.fill(0);
        return insert(kernel, source, probes, bit_array);
    }
    let probes = probes.min(MAX_PROBES);
    let (kernel, parts) = dispatch(kernel, bit_array.len());
    let divisor = LaneDivisor::of_lanes(parts);
    by_kernel!(|lanes, bit_array: &mut [u8], divisor: LaneDivisor, probes: u8, source: Source<'_>| -> () {
            create::create_small(lanes, bit_array, divisor, source);
        }
        apart (!create::is_small(bit_array, probes)) {
            true => { create::create_by_map(lanes, bit_array, divisor, probes, source) }
        }, kernel, scalar::create(bit_array, Modulus::of_parts(parts), probes, source));
}

/// Adds the bits of all keys to `bit_array`; otherwise like [`create`].
pub fn insert(kernel: KernelToken, source: Source<'_>, probes: u8, bit_array: &mut [u8]) {
    let probes = probes.min(MAX_PROBES);
    let (kernel, parts) = dispatch(kernel, bit_array.len());
    let divisor = LaneDivisor::of_lanes(parts);
    by_kernel!(
        |lanes, bit_array: &mut [u8], divisor: LaneDivisor, probes: u8, source: Source<'_>| -> () {
            create::insert(lanes, bit_array, divisor, probes, source);
        },
        kernel,
        scalar::set_all(bit_array, Modulus::of_parts(parts), probes, source)
    );
}

/// Returns true if all bits of a hash value are set.
#[inline(always)]
pub fn may_match(query: &BitQuery<'_>, hash: u32) -> bool {
    // The numbers one by one, so that all arguments are in registers.
    let (bit_array, [bits, rest], probes) = (query.bit_array, query.parts, query.probes);
    by_kernel!(
        |lanes, bit_array: &[u8], bits: u64, rest: u64, probes: u32, hash: u32| -> bool {
            query::may_match(lanes, bit_array, bits, rest, probes, hash)
        },
        query.kernel,
        scalar_may_match(bit_array, Modulus::of_parts([bits, rest]), probes, hash)
    )
}

/// Returns true if a stored filter, of any bytes, may hold a key.
#[inline(always)]
pub fn may_match_key<H: Fn(&[u8]) -> u32 + Copy>(
    hash: H,
    key: &[u8],
    filter: &[u8],
    kernel: Option<Kernel>,
) -> bool {
    let Some(kernel) = KernelToken::known(kernel) else {
        return may_match_at_first(hash, key, filter, kernel);
    };
    by_kernel!([H: Fn(&[u8]) -> u32 + Copy], |lanes, hash: H, key: &[u8], filter: &[u8]| -> bool {
            stored_by_lanes(lanes, hash, key.first_chunk::<16>().expect("16 bytes"), filter)
        }
        apart (key.len() != 16) { true => { stored_by_lanes(lanes, hash, key, filter) } }, kernel, stored_by_scalar(hash, key, filter))
}

/// Returns true if a stored filter may hold a key. A single query spends as much time reaching the code as computing the
/// answer, so one function goes from the key to the answer. Rare filters are handled out of line.
#[inline(always)]
pub(crate) fn stored_by_lanes<S: Lanes, H: Fn(&[u8]) -> u32 + Copy>(
    lanes: S,
    hash: H,
    key: &[u8],
    filter: &[u8],
) -> bool {
    match usual(filter) {
        Some((bit_array, divisor, probes)) => {
            query::may_match_8(lanes, bit_array, divisor, probes, hash(key))
        }
        None => may_match_stored(hash, key, filter, KernelToken::with(lanes)),
    }
}

/// Splits a stored filter that has at most 8 probes and a length that lanes support.
#[inline(always)]
fn usual(filter: &[u8]) -> Option<(&[u8], LaneDivisor, u32)> {
    // One comparison checks both limits of the length.
    if filter.len().wrapping_sub(2) >= LaneDivisor::MAX_BYTES {
        return None;
    }
    let [bit_array @ .., probes @ 0..=8] = filter else {
        return None;
    };
    let divisor = LaneDivisor::of_bytes(bit_array.len())?;
    Some((bit_array, divisor, u32::from(*probes)))
}

/// Returns true if a stored filter may hold a key, without loops for the usual probe count and keys of 16 bytes. Rare
/// filters are handled out of line.
pub(crate) fn stored_by_scalar<H: Fn(&[u8]) -> u32 + Copy>(hash: H, key: &[u8], filter: &[u8]) -> bool {
    if let [bit_array @ .., USUAL_PROBES] = filter
        && !bit_array.is_empty()
    {
        let Ok(key) = <&[u8; 16]>::try_from(key) else {
            return may_match_any_key(hash, key, bit_array);
        };
        let modulus = Modulus::of_bytes(bit_array.len());
        all_set(bit_array, modulus, u32::from(USUAL_PROBES), hash(key))
    } else {
        may_match_stored(hash, key, filter, KernelToken::Scalar)
    }
}

/// Handles keys of any length, for filters with the usual probe count.
#[inline(never)]
fn may_match_any_key<H: Fn(&[u8]) -> u32 + Copy>(hash: H, key: &[u8], bit_array: &[u8]) -> bool {
    let modulus = Modulus::of_bytes(bit_array.len());
    all_set(bit_array, modulus, USUAL_PROBES.into(), hash(key))
}

/// Cold path: CPU features have not been detected yet.
#[cold]
#[inline(never)]
fn may_match_at_first<H: Fn(&[u8]) -> u32 + Copy>(
    hash: H,
    key: &[u8],
    filter: &[u8],
    kernel: Option<Kernel>,
) -> bool {
    may_match_stored(hash, key, filter, KernelToken::given(kernel))
}

/// Handles the filters that the kernels' own functions pass on.
#[inline(never)]
fn may_match_stored<H: Fn(&[u8]) -> u32 + Copy>(
    hash: H,
    key: &[u8],
    filter: &[u8],
    kernel: KernelToken,
) -> bool {
    may_match_hash(|| hash(key), filter, kernel)
}

/// Returns true if a stored filter, of any bytes, may hold a key of the hash value that `hash` computes.
#[inline(always)]
pub fn may_match_hash(hash: impl FnOnce() -> u32, filter: &[u8], kernel: KernelToken) -> bool {
    match filter {
        [] | [_] => false,
        [.., probes] if *probes > MAX_PROBES => true,
        [bit_array @ .., probes] => {
            let hash = hash();
            may_match(&BitQuery::new(kernel, bit_array, *probes), hash)
        }
    }
}

/// Returns the function that asks a prepared filter: the numbers are the [`parts`](BitQuery::parts) of the query, and the
/// probe count with the seed of the hash function above its 32 bits. The kernel is that of the parts.
pub fn asker(kernel: KernelToken, function: LaneHash) -> Asker {
    match function {
        LaneHash::LevelDb { .. } => asker!(kernel, |lanes, numbers, bits, key| {
            ask(lanes, numbers, bits, |seed| leveldb_hash(key, seed))
        }),
        LaneHash::Murmur2 { .. } => asker!(kernel, |lanes, numbers, bits, key| {
            ask(lanes, numbers, bits, |seed| murmur2(key, seed))
        }),
        LaneHash::Murmur2SignedTail { .. } => asker!(kernel, |lanes, numbers, bits, key| {
            ask(lanes, numbers, bits, |seed| murmur2_signed_tail(key, seed))
        }),
    }
}

/// [`asker()`], given the hash function.
#[inline(always)]
fn ask<T: Target>(lanes: T, numbers: &[u64; 3], bits: &[u8], hash: impl FnOnce(u32) -> u32) -> bool {
    let [divisor, reciprocal, rest] = *numbers;
    let hash = hash((rest >> 32) as u32);
    lanes.here(Ask(bits, [divisor, reciprocal], u32::from(rest as u8), hash))
}

/// Asks for a hash value with the numbers of a query, which may be those of another bit array.
struct Ask<'a>(&'a [u8], [u64; 2], u32, u32);

impl Work for Ask<'_> {
    type Out = bool;

    #[inline(always)]
    fn portable(self) -> bool {
        let Self(bit_array, parts, probes, hash) = self;
        scalar_may_match(bit_array, Modulus::of_parts(parts), probes, hash)
    }

    #[inline(always)]
    fn narrow<S: Lanes>(self, lanes: S) -> bool {
        let Self(bit_array, [bits, rest], probes, hash) = self;
        match LaneDivisor::of_parts([bits, rest], bit_array.len()) {
            Some(_) => query::may_match(lanes, bit_array, bits, rest, probes, hash),
            None => scalar_may_match(bit_array, Modulus::of_bytes(bit_array.len()), probes, hash),
        }
    }
}

/// Writes the answers for all keys, one bit each, least significant first, over whatever `answers` holds; it has a word
/// for every 64 keys. Bits beyond the last key are 0.
pub fn may_match_many(query: &BitQuery<'_>, source: Source<'_>, answers: &mut [u64]) {
    let (bit_array, divisor, probes) = (query.bit_array, LaneDivisor::of_lanes(query.parts), query.probes);
    by_kernel!(
        |lanes,
         bit_array: &[u8],
         divisor: LaneDivisor,
         probes: u32,
         source: Source<'_>,
         answers: &mut [u64]|
         -> () {
            query::may_match_many(lanes, bit_array, divisor, probes, source, answers);
        },
        query.kernel,
        scalar::answer_each(bit_array, Modulus::of_parts(query.parts), probes, source, answers)
    );
}
