//! Every function that the comparison can measure.

use crate::record::FunctionGroup;

/// A function as the comparison sees it.
#[derive(Debug, Clone, Copy)]
pub struct Function {
    /// Name in the records.
    pub name: &'static str,
    /// Identifier in its crate; the command line takes it too.
    pub ident: &'static str,
    /// Which part of the comparison it belongs to.
    pub group: FunctionGroup,
    /// Bits of output, 1 to 64.
    pub output_bits: u32,
    /// The function with its fixed seed; bits above `output_bits` are zero.
    pub hash: fn(&[u8]) -> u64,
    /// Crate and version.
    pub origin: &'static str,
    /// First publication.
    pub year: u16,
    /// Who wrote it.
    pub author: &'static str,
    /// Where it was published.
    pub source: &'static str,
    /// Known weaknesses, a sentence each.
    pub weaknesses: &'static [&'static str],
    /// Other names for it; the command line takes them too.
    pub aliases: &'static [&'static str],
    /// Whether it promises the same values for ever on every platform.
    pub stable: bool,
    /// Checks the known answers; the error says which value came out and which was expected.
    pub verify: fn(&Function) -> Result<(), String>,
}

impl Function {
    /// Bits that are compared: the low ones, at most 32.
    pub fn compared_bits(&self) -> u32 {
        self.output_bits.min(32)
    }
}

/// All functions, the published 17 first, in the published order.
pub fn all() -> &'static [Function] {
    &[]
}
