//! A stored format as one type.

use crate::simd::{KernelToken, Source, StoredBits};

use super::Prepared;
use crate::bits_per_key::BitsPerKey;
use crate::error::Error;
use crate::key_hash::{HashFunctionId, HashValue};

/// A stored format: the one description of what the bytes of a filter mean. [`Policy`](super::Policy) derives everything
/// else from it.
///
/// A value of the type is a format with the options of a writer, such as the bits per key. Functions without `self`
/// depend on the bytes alone, because a prepared filter can outlive the policy that prepared it.
///
/// The formats of this crate are also [`AnyFormat`](super::AnyFormat)s, with views, sizes and rates.
///
/// Implement it for a format that hashes each key once; [`own_policy`](crate::own_policy) shows a policy without hash
/// values. In this example a filter is a list of hash values, eight bytes each:
#[cfg_attr(
    feature = "alloc",
    doc = r#"
```
use filter_policy::kernels::{KernelToken, Source, StoredBits};
use filter_policy::{
    Error, FilterPolicy, Format, HashFunctionId, Policy, Prepared, answers, building, contract,
};

fn fnv(key: &[u8]) -> u64 {
    key.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// The format. It keeps the identity of its hash function, which must be made only once.
#[derive(Clone, Copy)]
struct List(HashFunctionId);

/// A stored list.
#[derive(Clone, Copy)]
struct Values<'f>(&'f [u8]);

impl StoredBits for Values<'_> {
    type Hash = u64;

    fn may_match(self, _: KernelToken, hash: u64) -> bool {
        self.0.as_chunks().0.contains(&hash.to_le_bytes())
    }

    fn may_match_many(self, kernel: KernelToken, source: Source<'_, u64>, words: &mut [u64]) {
        match source {
            Source::Keys(keys) => answers::each(keys.iter(), words, |key| self.may_match(kernel, fnv(key))),
            Source::Hashes(hashes) => answers::each(hashes.iter(), words, |&hash| self.may_match(kernel, hash)),
        }
    }
}

impl Format for List {
    type Hash = u64;
    type Filter<'f> = Values<'f>;

    fn name(&self) -> &str { "example.List.Fnv" }
    fn hash_function(&self) -> HashFunctionId { self.0 }
    fn hash(&self, key: &[u8]) -> u64 { fnv(key) }
    fn max_len(&self, keys: usize) -> Result<usize, Error> {
        keys.checked_mul(8).ok_or(Error::Policy { reason: "filter must be smaller than the memory" })
    }

    fn build(&self, _: KernelToken, source: Source<'_, u64>, out: &mut [u8]) -> Result<usize, Error> {
        let filter = building::room(out, self.max_len(source.len())?)?;
        let mut places = filter.as_chunks_mut::<8>().0.iter_mut();
        building::each_batch(source, fnv, |hashes| {
            hashes.iter().zip(&mut places).for_each(|(hash, place)| *place = hash.to_le_bytes());
        });
        Ok(filter.len())
    }

    // No bytes are the filter of no keys. Any other bytes may match.
    fn read<'f>(&self, filter: &'f [u8]) -> Option<Values<'f>> {
        (!filter.is_empty() && filter.len() % 8 == 0).then_some(Values(filter))
    }
    fn other(filter: &[u8]) -> Prepared { Prepared::same_for_all(!filter.is_empty()) }

    // Queries of this format need no numbers from preparation.
    fn prepare(&self, kernel: KernelToken, Values(bits): Values<'_>) -> Prepared {
        let for_key = |_: &[u64; 3], bits: &[u8], key: &[u8]| Values(bits).may_match(KernelToken::best(), fnv(key));
        Prepared::new::<Self>(kernel, self.0, Some(for_key), bits, [0; 3])
    }
    fn restore(_: KernelToken, bits: &[u8], _: [u64; 3]) -> Values<'_> { Values(bits) }
}

let policy = Policy::of(List(HashFunctionId::new("example.List.Fnv", fnv)));
let filter = policy.build(["apple", "banana"])?;
assert!(policy.key_may_match(b"apple", &filter) && !policy.key_may_match(b"cherry", &filter));
// The checksum of the bytes that the policy writes: see `contract::check`.
assert!(contract::check(&policy, 0x04a2_ced1_d7c8_3585) < 0.001);
# Ok::<(), Error>(())
```
"#
)]
pub trait Format: Sized {
    /// The type of the hash values: `u32` or `u64`.
    type Hash: HashValue;

    /// A filter, read in place, which is queried with hash values.
    type Filter<'f>: StoredBits<Hash = Self::Hash>;

    /// Returns the name under which engines store the filters: see
    /// [`FilterPolicy::name`](super::FilterPolicy::name).
    fn name(&self) -> &str;

    /// Returns the identity of the hash function, always the same value: see [`HashFunctionId::new`].
    fn hash_function(&self) -> HashFunctionId;

    /// Returns the hash value of a key.
    fn hash(&self, key: &[u8]) -> Self::Hash;

    /// Returns the maximum length in bytes of a filter of this many keys.
    ///
    /// # Errors
    ///
    /// [`Error::FilterTooLarge`] when the filter is longer than any slice.
    fn max_len(&self, keys: usize) -> Result<usize, Error>;

    /// Writes the filter of these keys to the start of `out`, overwriting its contents, and returns the filter's
    /// length.
    ///
    /// # Errors
    ///
    /// [`Error::BufferTooShort`] when `out` cannot hold the filter, which leaves `out` unchanged;
    /// [`Error::FilterTooLarge`] when no slice could hold it; [`Error::AllocationFailed`] when building needs memory in
    /// addition to `out` and there is none.
    fn build(
        &self,
        kernel: KernelToken,
        source: Source<'_, Self::Hash>,
        out: &mut [u8],
    ) -> Result<usize, Error>;

    /// Reads a filter in place. Returns `None` for bytes that are no filter of the format; then
    /// [`other`](Self::other) answers. Both functions accept any bytes, and only they know what stored bytes mean.
    fn read<'f>(&self, filter: &'f [u8]) -> Option<Self::Filter<'f>>;

    /// Prepares bytes that are no filter of the format: they are too short to hold a key, have an unknown encoding, or
    /// are a filter of another format that readers of this format also accept.
    fn other(filter: &[u8]) -> Prepared;

    /// Prepares a filter for many queries: passes [`Prepared::new`] the filter's bits and up to three numbers, from
    /// which [`restore`](Self::restore) recreates the filter.
    fn prepare(&self, kernel: KernelToken, filter: Self::Filter<'_>) -> Prepared;

    /// Recreates a filter from the bits and numbers that [`prepare`](Self::prepare) passed on.
    fn restore(kernel: KernelToken, bits: &[u8], numbers: [u64; 3]) -> Self::Filter<'_>;

    /// Returns the bits per key of the filters that this format builds; `None`, the default, if it has no such number.
    fn bits_per_key(&self) -> Option<BitsPerKey> {
        None
    }
}
