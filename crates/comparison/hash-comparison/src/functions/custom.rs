//! User-defined functions, measured together with the built-in functions.

use super::{Function, GROUPS, called};
use crate::record::{EMPTY, FunctionGroup, FunctionSummary, IDEAL, Resistance};
use records::error::Error;

/// The maximum length of a name in characters: charts have no room for more.
const MAX_CHARACTERS: usize = 32;

impl Function {
    /// Creates a user-defined hash function of the group [`FunctionGroup::Own`]. Its values count as stable, since only its
    /// author changes it; nothing else is claimed. The caller sets the other facts as needed.
    ///
    /// The name must have 1 to 32 characters and no control character, and must differ, in any case, from every other
    /// function, identifier, alias and group. The output has 1 to 64 bits; the bits of a value above the output are
    /// zero. `hash` returns the same value for the same bytes, in every call and on every thread; a function with a
    /// seed or key uses a fixed one. `answers` lists keys with values known from elsewhere, which the function must
    /// return before it is measured. The list may be empty during development; then a mistake cannot be distinguished from a
    /// design decision.
    ///
    /// [`Comparison::function`](crate::Comparison::function) adds the function to a comparison, which checks these rules.
    ///
    /// ```
    /// use hash_comparison::functions::{Function, gate};
    ///
    /// fn sum(key: &[u8]) -> u64 {
    ///     key.iter().fold(0_u32, |sum, &byte| sum.wrapping_add(byte.into())).into()
    /// }
    ///
    /// let mut function = Function::custom("Sum", 32, sum, &[(b"", 0), (b"ab", 195)]);
    /// function.facts.author = "me".to_owned();
    /// gate([&function]).unwrap();
    /// assert_eq!((&*function.facts.name, (function.hash)(b"ab")), ("Sum", 195));
    /// ```
    pub fn custom(
        name: impl Into<String>,
        output_bits: u32,
        hash: fn(&[u8]) -> u64,
        answers: &[(&[u8], u64)],
    ) -> Self {
        let name = name.into();
        Self {
            ident: name.clone(),
            aliases: Vec::new(),
            hash,
            lacks: None,
            answers: answers
                .iter()
                .map(|(key, value)| (key.to_vec(), *value))
                .collect(),
            code: None,
            seeded: None,
            facts: FunctionSummary {
                name,
                group: FunctionGroup::Own,
                bits: output_bits.min(32),
                output_bits,
                origin: "own code".to_owned(),
                year: 0,
                author: String::new(),
                source: String::new(),
                weaknesses: Vec::new(),
                stable: true,
                licence: String::new(),
                seed: None,
                resistance: Resistance::None,
                resistance_reason: "Nothing is claimed.".to_owned(),
                folded: false,
                integer_bits: 0,
            },
        }
    }

    /// Checks the name and output against the rules of [`custom`](Self::custom).
    pub(crate) fn check_custom(&self) -> Result<(), Error> {
        let (name, bits) = (&*self.facts.name, self.facts.output_bits);
        if !(1..=MAX_CHARACTERS).contains(&name.chars().count()) || name.contains(char::is_control) {
            return Err(Error::input(format!(
                "the name of a function must have 1 to {MAX_CHARACTERS} characters, none of them a control character, got {name:?}"
            )));
        }
        if !(1..=64).contains(&bits) {
            return Err(Error::input(format!(
                "the output of the function {name:?} must have 1 to 64 bits, got {bits}"
            )));
        }
        let compared = bits.min(32);
        if self.facts.bits != compared {
            return Err(Error::input(format!(
                "the compared bits of the function {name:?} must be {compared}, got {}",
                self.facts.bits
            )));
        }
        let same = |other: &str| other.eq_ignore_ascii_case(name);
        if let Some(function) = called(name) {
            Err(function.has_the_name(name))
        } else if GROUPS.into_iter().any(|(group, _)| same(group)) {
            Err(taken(name, "a group of functions"))
        } else if [EMPTY, IDEAL].into_iter().any(same) {
            Err(taken(name, "a row of the records other than a function"))
        } else {
            Ok(())
        }
    }

    /// Returns the error for another function with this name.
    pub(crate) fn has_the_name(&self, name: &str) -> Error {
        taken(name, &format!("{}, of {}", self.facts.name, self.facts.origin))
    }
}

fn taken(name: &str, by: &str) -> Error {
    Error::input(format!(
        "a function is named {name:?}, which is taken by {by}: rename it"
    ))
}
