//! Every function that the comparison can measure.
//!
//! The published 17 come from `hashzoo`, the modern ones beside them ([`anchors`]) from maintained crates. A function
//! whose values are not known on a platform is left out there.
//! Nothing is measured before [`gate`] has seen its known answers come out.

pub mod anchors;
mod published;
mod verify;

use std::fmt;
use std::sync::LazyLock;

pub use verify::WrongAnswer;

use crate::names::UnknownName;
use crate::record::{FunctionGroup, FunctionSummary};

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
    /// Checks the known answers of [`hash`](Self::hash).
    pub verify: fn(&Function) -> Result<(), WrongAnswer>,
}

impl Function {
    /// Bits that are compared: the low ones, at most 32.
    pub fn compared_bits(&self) -> u32 {
        self.output_bits.min(32)
    }

    /// What the records say of it.
    pub fn summary(&self) -> FunctionSummary {
        FunctionSummary {
            name: self.name.to_owned(),
            group: self.group,
            bits: self.compared_bits(),
            output_bits: self.output_bits,
            origin: self.origin.to_owned(),
            year: self.year,
            author: self.author.to_owned(),
            source: self.source.to_owned(),
            weaknesses: self
                .weaknesses
                .iter()
                .map(|&weakness| weakness.to_owned())
                .collect(),
            stable: self.stable,
        }
    }

    /// The value that is compared: the low 32 bits.
    pub fn compared(&self, key: &[u8]) -> u32 {
        (self.hash)(key) as u32
    }
}

static ALL: LazyLock<Vec<Function>> =
    LazyLock::new(|| published::all().chain(anchors::ALL.iter().copied()).collect());

/// All functions, the published 17 first, in the published order.
pub fn all() -> &'static [Function] {
    &ALL
}

/// The function with this name, identifier or alias, in any case; a name wins over an alias.
///
/// # Errors
///
/// When there is none; the error brings the nearest names.
///
/// ```
/// use harness::functions::find;
///
/// assert_eq!(find("crc-32")?.name, "CRC-32");
/// assert_eq!(find("crc23").unwrap_err().nearest[0], "CRC-32");
/// # Ok::<(), harness::names::UnknownName>(())
/// ```
pub fn find(name: &str) -> Result<&'static Function, UnknownName> {
    let same = |other: &str| other.eq_ignore_ascii_case(name);
    let functions = all();
    functions
        .iter()
        .find(|function| same(function.name))
        .or_else(|| functions.iter().find(|function| same(function.ident)))
        .or_else(|| {
            functions
                .iter()
                .find(|function| function.aliases.iter().any(|alias| same(alias)))
        })
        .ok_or_else(|| UnknownName::new("function", name, functions.iter().map(|function| function.name)))
}

/// A function that must not be measured: it is not what its name says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateError {
    /// Name of the function.
    pub function: &'static str,
    /// The known answer that did not come out.
    pub answer: WrongAnswer,
}

impl fmt::Display for GateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is not measured: {}", self.function, self.answer)
    }
}

impl std::error::Error for GateError {}

/// Checks the known answers of each function.
///
/// # Errors
///
/// At the first function of which one does not come out.
pub fn gate<'a>(functions: impl IntoIterator<Item = &'a Function>) -> Result<(), GateError> {
    for function in functions {
        (function.verify)(function).map_err(|answer| GateError {
            function: function.name,
            answer,
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_function_passes_the_gate() {
        gate(all()).unwrap();
    }

    #[test]
    fn a_function_with_one_wrong_bit_is_stopped() {
        for function in all() {
            // Function pointers carry no state, so the wrong bit is put where any function can be reached.
            let broken = Function {
                hash: |key| u64::from(key.len() == 3),
                ..*function
            };
            let error = gate([function, &broken]).unwrap_err();
            assert_eq!(error.function, function.name);
            let message = error.to_string();
            assert!(
                message.contains("expected 0x") && message.contains("got 0x"),
                "{message}"
            );
        }
    }

    #[test]
    fn no_bit_above_the_output_bits_is_ever_set() {
        for function in all() {
            assert!((1..=64).contains(&function.output_bits));
            for length in 0..300 {
                let value = (function.hash)(&vec![0xa7; length]);
                assert_eq!(
                    value.checked_shr(function.output_bits).unwrap_or(0),
                    0,
                    "{}",
                    function.name
                );
            }
        }
    }

    #[test]
    fn names_identifiers_and_aliases_lead_to_one_function_each() {
        let mut taken = BTreeSet::new();
        for function in all() {
            let mut own: BTreeSet<String> = [function.name, function.ident]
                .iter()
                .chain(function.aliases)
                .map(|name| name.to_ascii_lowercase())
                .collect();
            for name in &own {
                assert_eq!(find(name).unwrap().name, function.name, "{name}");
            }
            let count = own.len() + taken.len();
            taken.append(&mut own);
            assert_eq!(taken.len(), count, "{} shares a name", function.name);
        }
    }

    #[test]
    fn the_published_17_come_first_in_their_order() {
        let names: Vec<&str> = all().iter().map(|function| function.name).collect();
        let published: Vec<&str> = hashzoo::PUBLISHED.iter().map(|info| info.name).collect();
        assert_eq!(names[..17], published);
        let anchors = ["CRC-32", "FNV-1a", "MurmurHash3", "XXH3", "rapidhash", "foldhash"];
        // The values of foldhash are known on these platforms alone.
        let known = cfg!(all(target_pointer_width = "64", target_endian = "little"));
        assert_eq!(names[17..], anchors[..5 + usize::from(known)]);
    }

    #[test]
    fn origins_are_the_locked_versions() {
        let lock: toml::Table = include_str!("../../../../Cargo.lock").parse().unwrap();
        let packages = lock["package"].as_array().unwrap();
        for function in all() {
            let (name, version) = function.origin.split_once(' ').unwrap();
            let locked = packages.iter().any(|package| {
                package["name"].as_str() == Some(name) && package["version"].as_str() == Some(version)
            });
            assert!(locked, "{} is not in Cargo.lock", function.origin);
        }
    }

    #[test]
    fn an_unknown_name_brings_the_nearest() {
        assert_eq!(find("XXH4").unwrap_err().nearest[0], "XXH3");
        assert_eq!(find("").unwrap_err().nearest.len(), 3);
    }
}
