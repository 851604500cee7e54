//! What is known about a function, kept beside the function itself.

/// Facts about one hash function: where it comes from, what it returns and what is wrong with it.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct HashInfo {
    /// The name in the published comparison (`"SDBMHash"`), or the usual one for a form outside it.
    pub name: &'static str,
    /// The Rust identifier in this crate (`"sdbm"`).
    pub ident: &'static str,
    /// Year of the first publication of this form.
    pub year: u16,
    /// Who wrote it.
    pub author: &'static str,
    /// Where it was published: program, file, book and page, or URL.
    pub source: &'static str,
    /// How many low bits of the value can be set, 1 to 64; the bits above are always zero.
    pub output_bits: u32,
    /// The seed or key that [`HashInfo::hash`] uses, in words; `None` when the function has none.
    pub seed: Option<&'static str>,
    /// Known weaknesses, a sentence each.
    pub weaknesses: &'static [&'static str],
    /// Other names in use for exactly this mapping.
    pub aliases: &'static [&'static str],
    /// Value of [`verification_value`](crate::verification_value), SMHasher's procedure.
    pub verification: u32,
    /// The function with its published seed or key; 32-bit values are widened.
    pub hash: fn(&[u8]) -> u64,
    /// The function under a caller's seed, for the verification procedure; `None` when it has no seed.
    pub seeded: Option<fn(&[u8], u32) -> u64>,
}
