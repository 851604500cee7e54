//! Functions that a program brings along to have them measured beside the built-in ones.

use std::fmt;

use super::verify::{Answers, WrongAnswer, check, check_answers};
use super::{Function, find};
use crate::record::{EMPTY, FunctionGroup, IDEAL, Resistance};

/// Most characters of a name: charts have no room for more.
const MOST_CHARACTERS: usize = 32;

/// A hash function of one's own, to be measured beside the built-in ones.
///
/// A type that implements this stands for the function; nothing is ever made of it. The timed loop calls `hash` through
/// a plain function pointer, like every built-in one, so that none is inlined where others are not. A function that takes
/// a seed or key fixes one here: the values must be the same in every run.
///
/// [`Function::own`] makes a [`Function`] of it, and [`Options::with_own`](crate::run::compare::Options::with_own) adds that to
/// a run; the program `examples/own_function.rs` does both.
///
/// ```
/// use hash_comparison::functions::{Function, HashFunction, gate};
///
/// /// The sum of all bytes.
/// struct Sum;
///
/// impl HashFunction for Sum {
///     const NAME: &'static str = "Sum";
///     const OUTPUT_BITS: u32 = 32;
///     const ANSWERS: &'static [(&'static [u8], u64)] = &[(b"", 0), (b"ab", 195)];
///
///     fn hash(key: &[u8]) -> u64 {
///         key.iter().fold(0_u32, |sum, &byte| sum.wrapping_add(byte.into())).into()
///     }
/// }
///
/// let function = Function::own::<Sum>()?;
/// gate([&function]).unwrap();
/// assert_eq!((function.name, (function.hash)(b"ab")), ("Sum", 195));
/// # Ok::<(), hash_comparison::functions::OwnFunctionError>(())
/// ```
pub trait HashFunction {
    /// Name in records, charts and report: 1 to 32 characters, none of which is a control character. No other
    /// function, identifier, alias or group may have it, in any case.
    const NAME: &'static str;
    /// Bits of output, 1 to 64. Bits of a value above them must be zero.
    const OUTPUT_BITS: u32;
    /// Keys and their values, known from elsewhere: what the function must give before it is measured. May be empty
    /// while a function is being made; then nothing tells a slip from a design.
    const ANSWERS: &'static [(&'static [u8], u64)];

    /// Where the code comes from, the version included.
    const ORIGIN: &'static str = "own code";
    /// Licence, as SPDX writes it; empty for none.
    const LICENCE: &'static str = "";
    /// Year of the first publication; 0 for none.
    const YEAR: u16 = 0;
    /// Who wrote it.
    const AUTHOR: &'static str = "";
    /// Where it was published.
    const SOURCE: &'static str = "";
    /// Known weaknesses, a sentence each.
    const WEAKNESSES: &'static [&'static str] = &[];
    /// Whether it promises the same values for ever on every platform.
    const STABLE: bool = false;
    /// The seed or key that [`hash`](Self::hash) uses, in words; `None` when it takes none.
    const SEED: Option<&'static str> = None;
    /// What it is worth against keys that an attacker chooses.
    const RESISTANCE: Resistance = Resistance::None;
    /// Why, in a sentence.
    const RESISTANCE_REASON: &'static str = "Nothing is claimed.";

    /// The value of `key`: the same for the same bytes, in every call and on every thread.
    fn hash(key: &[u8]) -> u64;
}

/// Why a function of one's own cannot be measured.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum OwnFunctionError {
    /// The name is empty, too long, or has control characters.
    Name {
        /// The name.
        name: String,
    },
    /// Another function of the run, built in or not, has this name, or it is a row's or a group's.
    NameTaken {
        /// The name.
        name: String,
        /// What has it.
        by: String,
    },
    /// The bits of output are out of range.
    OutputBits {
        /// Name of the function.
        name: String,
        /// The bits.
        bits: u32,
    },
    /// There are more functions than a run may have.
    TooMany {
        /// All functions of the run.
        count: usize,
        /// The most.
        most: usize,
    },
}

impl fmt::Display for OwnFunctionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name { name } => write!(
                f,
                "a function is named {name:?}; a name has 1 to {MOST_CHARACTERS} characters, none of which is a control character"
            ),
            Self::NameTaken { name, by } => {
                write!(
                    f,
                    "a function is named {name:?}, which is taken by {by}: rename it"
                )
            }
            Self::OutputBits { name, bits } => write!(
                f,
                "the function {name:?} has {bits} bits of output; 1 to 64 are allowed"
            ),
            Self::TooMany { count, most } => write!(
                f,
                "{count} functions; one run takes at most {most}: name the built-in ones that you need"
            ),
        }
    }
}

impl std::error::Error for OwnFunctionError {}

impl Function {
    /// The function that `H` stands for, of the group [`FunctionGroup::Own`].
    ///
    /// # Errors
    ///
    /// When its name or its bits of output are not what [`HashFunction`] allows, or a built-in function has the name.
    pub fn own<H: HashFunction>() -> Result<Self, OwnFunctionError> {
        let name = H::NAME;
        let characters = name.chars().count();
        if !(1..=MOST_CHARACTERS).contains(&characters) || name.chars().any(char::is_control) {
            return Err(OwnFunctionError::Name {
                name: name.to_owned(),
            });
        }
        if !(1..=64).contains(&H::OUTPUT_BITS) {
            return Err(OwnFunctionError::OutputBits {
                name: name.to_owned(),
                bits: H::OUTPUT_BITS,
            });
        }
        if let Some(by) = taken_by(name) {
            return Err(OwnFunctionError::NameTaken {
                name: name.to_owned(),
                by,
            });
        }
        Ok(Self {
            name,
            ident: name,
            group: FunctionGroup::Own,
            output_bits: H::OUTPUT_BITS,
            hash: H::hash,
            origin: H::ORIGIN,
            licence: H::LICENCE,
            year: H::YEAR,
            author: H::AUTHOR,
            source: H::SOURCE,
            weaknesses: H::WEAKNESSES,
            aliases: &[],
            stable: H::STABLE,
            seed: H::SEED,
            resistance: H::RESISTANCE,
            resistance_reason: H::RESISTANCE_REASON,
            verify: |function| verify(function, H::ANSWERS),
        })
    }
}

/// What has this name, in any case, of all that the program brings itself.
fn taken_by(name: &str) -> Option<String> {
    let same = |other: &str| other.eq_ignore_ascii_case(name);
    if let Ok(function) = find(name) {
        return Some(format!("{}, of {}", function.name, function.origin));
    }
    if super::GROUPS.into_iter().any(|(group, _)| same(group)) {
        return Some("a group of functions".to_owned());
    }
    [EMPTY, IDEAL]
        .into_iter()
        .any(same)
        .then(|| "a row of the records that is no function's".to_owned())
}

/// The answers, and that no value has bits above the output's.
fn verify(function: &Function, answers: &Answers) -> Result<(), WrongAnswer> {
    check_answers(function, answers)?;
    for length in 0..300_usize {
        let key: Vec<u8> = (0..length).map(|i| (i * 37 + length) as u8).collect();
        let value = (function.hash)(&key);
        let question = || {
            format!(
                "the bits above the {} of its output, of {length} bytes",
                function.output_bits
            )
        };
        check(question, 0, value.checked_shr(function.output_bits).unwrap_or(0))?;
        check(
            || format!("the value of the same {length} bytes once more"),
            value,
            (function.hash)(&key),
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;
    use crate::functions::gate;

    /// A function with everything wrong that a parameter says.
    struct Odd<const BITS: u32, const NAMED: usize, const VALUE: u64>;

    const NAMES: [&str; 8] = [
        "Odd",
        "",
        "tab\there",
        "a name that is longer than charts allow",
        "xxh3-64",
        "Variants",
        "Ideal",
        "EMPTY",
    ];

    impl<const BITS: u32, const NAMED: usize, const VALUE: u64> HashFunction for Odd<BITS, NAMED, VALUE> {
        const NAME: &'static str = NAMES[NAMED];
        const OUTPUT_BITS: u32 = BITS;
        const ANSWERS: &'static [(&'static [u8], u64)] = &[(b"key", VALUE)];

        fn hash(key: &[u8]) -> u64 {
            key.len() as u64
        }
    }

    #[test]
    fn names_and_bits_that_cannot_be_are_refused() {
        let message = |made: Result<Function, OwnFunctionError>| made.unwrap_err().to_string();
        assert!(message(Function::own::<Odd<32, 1, 3>>()).starts_with("a function is named \"\";"));
        assert!(message(Function::own::<Odd<32, 2, 3>>()).contains("control character"));
        assert!(message(Function::own::<Odd<32, 3, 3>>()).contains("1 to 32 characters"));
        assert!(message(Function::own::<Odd<32, 4, 3>>()).contains("taken by XXH3, of xxhash-rust"));
        assert!(message(Function::own::<Odd<32, 5, 3>>()).contains("taken by a group"));
        for reserved in [Function::own::<Odd<32, 6, 3>>(), Function::own::<Odd<32, 7, 3>>()] {
            assert!(message(reserved).contains("a row of the records"));
        }
        for (made, bits) in [
            (Function::own::<Odd<0, 0, 3>>(), 0),
            (Function::own::<Odd<65, 0, 3>>(), 65),
        ] {
            assert_eq!(
                message(made),
                format!("the function \"Odd\" has {bits} bits of output; 1 to 64 are allowed")
            );
        }
    }

    #[test]
    fn the_gate_stops_wrong_answers_and_values_that_are_too_wide() {
        gate([&Function::own::<Odd<64, 0, 3>>().unwrap()]).unwrap();
        let wrong = gate([&Function::own::<Odd<64, 0, 4>>().unwrap()]).unwrap_err();
        assert_eq!(
            wrong.to_string(),
            "Odd is not measured: the value of \"key\": expected 0x4, got 0x3"
        );
        let wide = gate([&Function::own::<Odd<8, 0, 3>>().unwrap()]).unwrap_err();
        assert_eq!(
            wide.to_string(),
            "Odd is not measured: the bits above the 8 of its output, of 256 bytes: expected 0x0, got 0x1"
        );
    }

    #[test]
    fn the_gate_stops_values_that_change() {
        static CALLS: AtomicU64 = AtomicU64::new(0);
        struct Fickle;
        impl HashFunction for Fickle {
            const NAME: &'static str = "Fickle";
            const OUTPUT_BITS: u32 = 64;
            const ANSWERS: &'static [(&'static [u8], u64)] = &[];

            fn hash(_: &[u8]) -> u64 {
                CALLS.fetch_add(1, Ordering::Relaxed)
            }
        }
        let fickle = gate([&Function::own::<Fickle>().unwrap()]).unwrap_err();
        assert!(fickle.to_string().contains("once more"), "{fickle}");
    }
}
