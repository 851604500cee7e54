//! User-defined functions, measured together with the built-in functions.

use super::{Answers, Function, GROUPS, called};
use crate::record::{EMPTY, FunctionGroup, IDEAL, Resistance};
use records::error::Error;

/// The maximum length of a name in characters: charts have no room for more.
const MAX_CHARACTERS: usize = 32;

impl Function {
    /// Creates a user-defined hash function of the group [`FunctionGroup::Own`]. Its values count as stable, since only its
    /// author changes it; nothing else is claimed. The caller sets the other fields as needed.
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
    /// let function = Function {
    ///     author: "me",
    ///     ..Function::custom("Sum", 32, sum, &[(b"", 0), (b"ab", 195)])
    /// };
    /// gate([&function]).unwrap();
    /// assert_eq!((function.name, (function.hash)(b"ab")), ("Sum", 195));
    /// ```
    pub const fn custom(
        name: &'static str,
        output_bits: u32,
        hash: fn(&[u8]) -> u64,
        answers: &'static Answers,
    ) -> Self {
        Self {
            name,
            ident: name,
            group: FunctionGroup::Own,
            output_bits,
            hash,
            lacks: None,
            origin: "own code",
            licence: "",
            year: 0,
            author: "",
            source: "",
            weaknesses: &[],
            aliases: &[],
            stable: true,
            seed: None,
            resistance: Resistance::None,
            resistance_reason: "Nothing is claimed.",
            answers,
            code: None,
            seeded: None,
        }
    }

    /// Checks the name and output against the rules of [`custom`](Self::custom).
    pub(crate) fn check_custom(&self) -> Result<(), Error> {
        let (name, bits) = (self.name, self.output_bits);
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
        taken(name, &format!("{}, of {}", self.name, self.origin))
    }
}

fn taken(name: &str, by: &str) -> Error {
    Error::input(format!(
        "a function is named {name:?}, which is taken by {by}: rename it"
    ))
}
