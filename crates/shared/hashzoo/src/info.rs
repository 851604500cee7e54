//! The record of facts about a function, kept in the function's file.

use crate::verification_value;

/// Facts about one hash function: its origin, its output and its weaknesses.
///
/// Every record is part of the registry: [`PUBLISHED`](crate::PUBLISHED), [`VARIANTS`](crate::VARIANTS),
/// [`OTHERS`](crate::OTHERS), [`all`](crate::all) and [`find`](crate::find).
///
/// ```
/// let info = hashzoo::find("BPHash").unwrap();
/// assert_eq!((info.ident, info.output_bits), ("bp", 31));
/// assert_eq!((info.hash)(b"abandon"), (info.hash)(b"Brandon"));
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct HashInfo {
    /// The name in the published comparison (`"SDBMHash"`), or the usual name of a form outside it.
    pub name: &'static str,
    /// The Rust identifier in this crate (`"sdbm"`).
    pub ident: &'static str,
    /// The year of the first known publication, not counting changes of the start value, the seed or the width, which
    /// `source` names.
    pub year: u16,
    /// The author.
    pub author: &'static str,
    /// The publication: program, file, book and page, or URL.
    pub source: &'static str,
    /// The number of low bits of the value that can be set, 1 to 64. Higher bits are always zero.
    pub output_bits: u32,
    /// The seed or key that [`HashInfo::hash`] uses, in words; `None` when the function has none.
    pub seed: Option<&'static str>,
    /// Known weaknesses, one sentence each.
    pub weaknesses: &'static [&'static str],
    /// Other names in use for exactly this mapping.
    pub aliases: &'static [&'static str],
    /// Known answers: keys with their values of [`HashInfo::hash`], all computed by other programs.
    pub answers: &'static [(&'static [u8], u64)],
    /// The programs or documents that [`HashInfo::answers`] come from, in words.
    pub answers_source: &'static str,
    /// The value of [`verification_value`], SMHasher's procedure, over [`HashInfo::result_bytes`].
    pub verification: u32,
    /// The function with its published seed or key; 32-bit values are widened.
    pub hash: fn(&[u8]) -> u64,
    /// The function under a caller's seed, for the verification procedure; `None` when it has no seed.
    ///
    /// Functions are seeded like in SMHasher. For SipHash the seed is the first four bytes of the key, little-endian,
    /// the other twelve are zero, and the empty input gives 0; SMHasher's published codes depend on this.
    pub seeded: Option<fn(&[u8], u32) -> u64>,
}

impl HashInfo {
    /// Returns every name that [`find`](crate::find) accepts for this function: published name, identifier, aliases.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        [self.name, self.ident]
            .into_iter()
            .chain(self.aliases.iter().copied())
    }

    /// Returns the number of bytes of a result in the verification procedure: 4 for up to 32 output bits (including 28
    /// and 31), and 8 above.
    pub const fn result_bytes(&self) -> usize {
        if self.output_bits <= u32::BITS { 4 } else { 8 }
    }

    /// Runs SMHasher's verification procedure on this function. A function without a seed ignores the seeds.
    pub fn computed_verification(&self) -> u32 {
        match self.seeded {
            Some(seeded) => verification_value(seeded, self.result_bytes()),
            None => verification_value(|key, _seed| (self.hash)(key), self.result_bytes()),
        }
    }
}
