//! A hash function: built in, or defined by the user.

use crate::record::{FunctionGroup, FunctionSummary, Resistance};
use terminal::failure::Failure;

/// A hash function with its facts and known answers.
#[derive(Debug, Clone)]
pub struct Function {
    /// The function in the records. The name is also its name on the command line.
    pub facts: FunctionSummary,
    /// The identifier in the function's crate, also accepted on the command line.
    pub ident: String,
    /// Other names, also accepted on the command line.
    pub aliases: Vec<String>,
    /// The function with its fixed seed; bits above the output are zero.
    pub hash: fn(&[u8]) -> u64,
    /// Says what is needed to call the function, if this build or processor cannot.
    pub lacks: Option<String>,
    /// Keys with their expected values of [`hash`](Self::hash).
    pub answers: Vec<(Vec<u8>, u64)>,
    /// SMHasher's verification value of 4 bytes of output for up to 32 bits, else of 8; `None` if none is known.
    pub code: Option<u32>,
    /// The function under a caller's seed, for the verification value; `None` if the seeds make no difference there.
    pub seeded: Option<fn(&[u8], u32) -> u64>,
}

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
    /// A comparison to which the function is added checks these rules.
    ///
    /// ```
    /// use measuring::functions::{Function, gate};
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
                effective_bits: None,
                origin: "own code".to_owned(),
                year: 0,
                author: String::new(),
                source: String::new(),
                weaknesses: Vec::new(),
                stable: true,
                changes: false,
                licence: String::new(),
                seed: None,
                resistance: Resistance::None,
                resistance_reason: "Nothing is claimed.".to_owned(),
                folded: false,
                integer_bits: 0,
            },
        }
    }

    /// Returns the function, unless this build or processor lacks it.
    pub(super) fn here(&self) -> Result<&Self, Failure> {
        let name = &self.facts.name;
        let error = |why| Failure::input(format!("{name} is not in this program: it needs {why}"));
        self.lacks.as_ref().map_or(Ok(self), |why| Err(error(why)))
    }

    /// Returns true if the name, the identifier or an alias is `same`.
    pub(super) fn has(&self, same: impl Fn(&str) -> bool) -> bool {
        same(&self.facts.name) || same(&self.ident) || self.aliases.iter().any(|alias| same(alias))
    }
}
