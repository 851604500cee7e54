//! LevelDB's bit array: a 32-bit hash, and a rotation of it as the distance from one probe to the next.
//!
//! Arguments must be valid, except stored filters that are queried for one key: these may be any bytes.

pub(crate) mod create;
mod probes;
pub(crate) mod query;
pub(crate) mod scalar;

use hashzoo::{leveldb_hash, murmur2, murmur2_signed_tail};

use crate::Asker;
use crate::MAX_PROBES;
#[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
use crate::aarch64::Neon;
use crate::asker::asker;
use crate::choose::KernelToken;
use crate::hash::{LaneHash, Source};
use crate::kernel::Kernel;
use crate::modulus::{LaneDivisor, Modulus};
#[cfg(target_arch = "x86_64")]
use crate::x86_64::{Avx2, Avx512, Found};

/// The bits of a filter to query, and the kernel that does it.
#[derive(Debug, Clone, Copy)]
pub struct BitQuery<'a> {
    bit_array: &'a [u8],
    dispatch: Dispatch,
    /// The probe count, at most 30.
    probes: u32,
}

impl<'a> BitQuery<'a> {
    /// Prepares queries of a bit array, which must not be empty, with at most 30 probes.
    #[inline]
    pub fn new(kernel: KernelToken, bit_array: &'a [u8], probes: u8) -> Self {
        Self {
            bit_array,
            dispatch: Dispatch::new(kernel, bit_array.len()),
            probes: u32::from(probes),
        }
    }

    /// Returns the kernel and the numbers that [`new`](Self::new) computed, for [`of_parts`](Self::of_parts).
    #[inline]
    pub const fn parts(&self) -> (KernelToken, [u64; 2]) {
        match self.dispatch {
            Dispatch::Scalar(modulus) => (KernelToken::Scalar, modulus.parts()),
            #[cfg(target_arch = "x86_64")]
            Dispatch::Avx2(lanes, divisor) => (KernelToken::Avx2(lanes), divisor.parts()),
            #[cfg(target_arch = "x86_64")]
            Dispatch::Avx512(lanes, divisor) => (KernelToken::Avx512(lanes), divisor.parts()),
            #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
            Dispatch::Neon(lanes, divisor) => (KernelToken::Neon(lanes), divisor.parts()),
        }
    }

    /// Makes the query that [`new`](Self::new) makes, without a division if the kernel and the numbers are those of
    /// [`parts`](Self::parts) for a bit array of this length.
    #[inline(always)]
    pub fn of_parts(kernel: KernelToken, parts: [u64; 2], bit_array: &'a [u8], probes: u8) -> Self {
        let dispatch = match (kernel, LaneDivisor::of_parts(parts, bit_array.len())) {
            #[cfg(target_arch = "x86_64")]
            (KernelToken::Avx2(lanes), Some(divisor)) => Dispatch::Avx2(lanes, divisor),
            #[cfg(target_arch = "x86_64")]
            (KernelToken::Avx512(lanes), Some(divisor)) => Dispatch::Avx512(lanes, divisor),
            #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
            (KernelToken::Neon(lanes), Some(divisor)) => Dispatch::Neon(lanes, divisor),
            (KernelToken::Scalar, _) => Dispatch::Scalar(Modulus::of_parts(parts)),
            #[cfg(any(
                target_arch = "x86_64",
                all(target_arch = "aarch64", target_endian = "little", target_feature = "neon")
            ))]
            _ => Dispatch::new(kernel, bit_array.len()),
        };
        Self {
            bit_array,
            dispatch,
            probes: u32::from(probes),
        }
    }
}

/// A kernel for bit arrays of one length, with the divisor for remainders by the number of bits.
#[derive(Debug, Clone, Copy)]
enum Dispatch {
    Scalar(Modulus),
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2, LaneDivisor),
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512, LaneDivisor),
    #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
    Neon(Neon, LaneDivisor),
}

impl Dispatch {
    #[inline]
    fn new(kernel: KernelToken, bytes: usize) -> Self {
        match (kernel, LaneDivisor::of_bytes(bytes)) {
            #[cfg(target_arch = "x86_64")]
            (KernelToken::Avx2(lanes), Some(divisor)) => Self::Avx2(lanes, divisor),
            #[cfg(target_arch = "x86_64")]
            (KernelToken::Avx512(lanes), Some(divisor)) => Self::Avx512(lanes, divisor),
            #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
            (KernelToken::Neon(lanes), Some(divisor)) => Self::Neon(lanes, divisor),
            _ => Self::Scalar(Modulus::of_bytes(bytes)),
        }
    }
}

/// Calls the function of this name, of the lanes or of the portable code.
macro_rules! dispatch {
    ($dispatch:expr, $function:ident($bit_array:expr $(, $argument:expr)*)) => {
        match $dispatch {
            #[cfg(target_arch = "x86_64")]
            Dispatch::Avx512(lanes, divisor) => lanes.$function($bit_array, divisor $(, $argument)*),
            #[cfg(target_arch = "x86_64")]
            Dispatch::Avx2(lanes, divisor) => lanes.$function($bit_array, divisor $(, $argument)*),
            #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
            Dispatch::Neon(lanes, divisor) => lanes.$function($bit_array, divisor $(, $argument)*),
            Dispatch::Scalar(modulus) => scalar::$function($bit_array, modulus $(, $argument)*),
        }
    };
}

/// Passes the positions of a hash value's bits in a bit array of this many bytes.
pub fn positions(bytes: usize, probes: u8, hash: u32, mut visit: impl FnMut(u32)) {
    scalar::positions(Modulus::of_bytes(bytes), probes, hash, &mut visit);
}

/// Writes the bits of all keys, with `probes` probes each, at most 30, over whatever `bit_array` holds; it must not be empty.
pub fn create(kernel: KernelToken, source: Source<'_>, probes: u8, bit_array: &mut [u8]) {
    let probes = probes.min(MAX_PROBES);
    let dispatch = Dispatch::new(kernel, bit_array.len());
    dispatch!(dispatch, create(bit_array, probes, source))
}

/// Adds the bits of these hash values to `bit_array`; otherwise like [`create`].
pub fn insert(kernel: KernelToken, hashes: &[u32], probes: u8, bit_array: &mut [u8]) {
    let probes = probes.min(MAX_PROBES);
    let dispatch = Dispatch::new(kernel, bit_array.len());
    dispatch!(dispatch, insert(bit_array, probes, Source::Hashes(hashes)))
}

/// Returns true if all bits of a hash value are set.
#[inline(always)]
pub fn may_match(query: &BitQuery<'_>, hash: u32) -> bool {
    dispatch!(query.dispatch, may_match(query.bit_array, query.probes, hash))
}

/// Returns true if a stored filter, of any bytes, may hold a key.
#[inline(always)]
pub fn may_match_key<H: Fn(&[u8]) -> u32 + Copy>(
    hash: H,
    key: &[u8],
    filter: &[u8],
    kernel: Option<Kernel>,
) -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        // This function only selects another one.
        let Some(found) = Found::before() else {
            return may_match_at_first(hash, key, filter, kernel);
        };
        match KernelToken::among(found, kernel) {
            KernelToken::Avx512(lanes) => {
                return lanes.may_match_key(hash, key, filter, |lanes, hash: H, key, filter| {
                    may_match_stored(hash, key, filter, KernelToken::Avx512(lanes))
                });
            }
            KernelToken::Avx2(lanes) => {
                return lanes.may_match_key(hash, key, filter, |lanes, hash: H, key, filter| {
                    may_match_stored(hash, key, filter, KernelToken::Avx2(lanes))
                });
            }
            KernelToken::Scalar => {}
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    match KernelToken::given(kernel) {
        #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
        KernelToken::Neon(lanes) if Neon::looks_up(filter) => {
            return lanes.may_match_key(hash, key, filter, |lanes, hash: H, key, filter| {
                may_match_stored(hash, key, filter, KernelToken::Neon(lanes))
            });
        }
        _ => {}
    }
    scalar::may_match_key(hash, key, filter, |hash: H, key, filter| {
        may_match_stored(hash, key, filter, KernelToken::Scalar)
    })
}

/// Cold path: CPU features have not been detected yet.
#[cfg(target_arch = "x86_64")]
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
    macro_rules! of {
        ($hash:path) => {
            asker!(kernel, (), |_lanes, token, numbers, bits, key| {
                let [divisor, reciprocal, rest] = *numbers;
                let query = BitQuery::of_parts(token, [divisor, reciprocal], bits, rest as u8);
                may_match(&query, $hash(key, (rest >> 32) as u32))
            })
        };
    }
    match function {
        LaneHash::LevelDb { .. } => of!(leveldb_hash),
        LaneHash::Murmur2 { .. } => of!(murmur2),
        LaneHash::Murmur2SignedTail { .. } => of!(murmur2_signed_tail),
    }
}

/// Writes the answers for all keys, one bit each, least significant first, over whatever `answers` holds; it has a word
/// for every 64 keys. Bits beyond the last key are 0.
pub fn may_match_many(query: &BitQuery<'_>, source: Source<'_>, answers: &mut [u64]) {
    dispatch!(
        query.dispatch,
        may_match_many(query.bit_array, query.probes, source, answers)
    )
}
