//! What `run.json` says of the functions.

use super::stored;

stored! {
    /// What a function is.
    pub struct FunctionSummary {
        /// Name in the rows.
        pub name: String,
        /// Which part of the comparison it belongs to.
        pub group: FunctionGroup,
        /// Bits of output that were compared, at most 32.
        pub bits: u32,
        /// Bits of output that the function has.
        pub output_bits: u32,
        /// Crate and version that it comes from.
        pub origin: String,
        /// First publication.
        pub year: u16,
        /// Who wrote it.
        pub author: String,
        /// Where it was published.
        pub source: String,
        /// Known weaknesses, a sentence each.
        pub weaknesses: Vec<String>,
        /// Whether it promises the same values for ever on every platform.
        pub stable: bool,
        /// Licence of the crate, as SPDX writes it; empty where a user's function has none.
        pub licence: String,
        /// The seed or key that was used, in words; `None` when there is none to use.
        pub seed: Option<String>,
        /// What it is worth against keys that an attacker chooses.
        pub resistance: Resistance,
        /// Why, in a sentence.
        pub resistance_reason: String,
        /// Whether nobody asked for it: a run of all functions brought it, and charts and lists fold it away.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        pub folded: bool,
    }

    /// What a function is worth against keys that an attacker chooses so that they collide.
    ///
    /// Every function here is measured with a seed or key that anybody can read, so this says what a program gains that
    /// draws a secret one.
    pub enum Resistance {
        /// Nothing: there is no seed, or it does not matter.
        None,
        /// Little: it takes a seed, but was not made to withstand attackers, or nobody has shown that it does.
        SeedOnly,
        /// It was made to withstand them under a secret random key.
        Keyed,
    }
}

impl Resistance {
    /// For a table: the word without its hyphen.
    pub fn label(self) -> String {
        self.to_string().replace('-', " ")
    }
}

stored! {
    /// Which part of the comparison a function belongs to.
    pub enum FunctionGroup {
        /// One of the 17 of the published comparison.
        Published,
        /// A function outside it, to hold them against.
        Anchor,
        /// Another form of one of the 17: the canonical one where the published differs.
        Variant,
        /// A function that the program's user brought.
        Own,
    }
}
