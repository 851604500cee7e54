//! The part of `run.json` about the functions.

use super::stored;

stored! {
    /// A function and its metadata.
    pub struct FunctionSummary {
        /// Name in the rows.
        pub name: String,
        /// The group that the function belongs to.
        pub group: FunctionGroup,
        /// Number of output bits that were compared, at most 32.
        pub bits: u32,
        /// Number of output bits of the function.
        pub output_bits: u32,
        /// Number of output bits that count, if there are fewer: the others never change, or repeat them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub effective_bits: Option<u32>,
        /// Crate and version of the function.
        pub origin: String,
        /// Year of the first publication.
        pub year: u16,
        /// The author.
        pub author: String,
        /// The publication: a URL, a standard or a paper.
        pub source: String,
        /// Known weaknesses, one sentence each.
        pub weaknesses: Vec<String>,
        /// Set if the function promises the same values forever on every platform.
        pub stable: bool,
        /// Set if the function returned other values in another process.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        pub changes: bool,
        /// Licence of the crate, as SPDX writes it; empty for a user's function without a licence.
        pub licence: String,
        /// The seed or key that was used, in words; `None` for a function without one.
        pub seed: Option<String>,
        /// Resistance to keys that an attacker chooses.
        pub resistance: Resistance,
        /// The reason for `resistance`, in a sentence.
        pub resistance_reason: String,
        /// Set if the function is included only because the run has all functions; charts and lists fold it away.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        pub folded: bool,
        /// The bits of the numbers that the function hashes as Rust has integers hashed, not by their bytes; 0 for all others.
        #[serde(default, skip_serializing_if = "is_none")]
        pub integer_bits: u32,
    }

    /// The resistance of a function to keys that an attacker chooses so that they collide.
    ///
    /// Every function here is measured with a public seed or key; this is the resistance of a program that draws a
    /// secret one.
    pub enum Resistance {
        /// There is no seed, or the seed does not matter.
        None,
        /// The function takes a seed, but was not made to withstand attackers, or has not been shown to.
        SeedOnly,
        /// The function was made to withstand attackers under a secret random key.
        Keyed,
    }
}

impl FunctionSummary {
    /// Returns the number of output bits that count.
    pub fn effective_bits(&self) -> u32 {
        self.effective_bits.unwrap_or(self.output_bits)
    }
}

stored! {
    /// A group of functions in the comparison.
    pub enum FunctionGroup {
        /// One of the 17 functions of the published comparison.
        Published,
        /// A function outside the published comparison, as a reference point.
        Anchor,
        /// Another form of one of the 17: the canonical form if the published one differs.
        Variant,
        /// A function that is measured only by name or with all others.
        Further,
        /// A function that the program's user added.
        Own,
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_none(bits: &u32) -> bool {
    *bits == 0
}
