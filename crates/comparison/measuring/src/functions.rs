//! Every function that the comparison can measure.
//!
//! The published 17 and their other forms come from `hashzoo` (`zoo`), the other functions from there and from other maintained
//! crates (`crates`). A function is missing where its values are not known. A program may add functions of its own
//! ([`Function::custom`]). No function is measured before [`gate`] has checked its known answers.

mod crates;
mod function;
pub mod library;
mod verify;
mod zoo;

use std::collections::HashSet;
use std::sync::LazyLock;

pub use function::Function;
pub use verify::gate;

use crate::name_errors;
use crate::record::{EMPTY, FunctionGroup, IDEAL};
use terminal::failure::Failure;

static ALL: LazyLock<[Vec<Function>; 2]> = LazyLock::new(|| {
    let (anchors, further): (Vec<_>, Vec<_>) =
        crates::all().partition(|function| function.facts.group == FunctionGroup::Anchor);
    let all = zoo::published()
        .chain(zoo::others())
        .chain(anchors)
        .chain(zoo::variants())
        .chain(zoo::further())
        .chain(further);
    let (here, missing) = all.partition(|function| function.lacks.is_none());
    [here, missing]
});

/// Returns all functions of this build: the published 17 in the published order, the anchors, the variants, the further ones.
pub fn all() -> &'static [Function] {
    &ALL[0]
}

/// Returns all functions, then those that this build or processor [lacks](Function::lacks).
pub fn known() -> impl Iterator<Item = &'static Function> + Clone {
    ALL.iter().flatten()
}

/// The functions of a default run in addition to the published functions: those that programs choose today, one per
/// family.
pub const EVERYDAY: [&str; 8] = [
    "FNV-1a 64",
    "MurmurHash3",
    "SipHash-1-3",
    "wyhash",
    "XXH3",
    "rapidhash",
    "FxHash-2",
    "foldhash-fast",
];

/// Returns the default set: the published functions, then the functions of [`EVERYDAY`] that this platform has.
///
/// ```
/// assert!(measuring::functions::default_set().count() <= 25);
/// ```
pub fn default_set() -> impl Iterator<Item = &'static Function> {
    let is_default = |function: &&Function| {
        function.facts.group == FunctionGroup::Published || EVERYDAY.contains(&&*function.facts.name)
    };
    all().iter().filter(is_default)
}

/// Names that more than one function has, and programs that have a function built in under their own name.
pub const OTHER_NAMES: [(&str, &[&str]); 26] = [
    ("CRC", &["CRC-32", "CRC-32C"]),
    ("FNV", &["FNVHash", "FNV-1a 32", "FNV-1a 64"]),
    ("FNV-1a", &["FNV-1a 32", "FNV-1a 64"]),
    ("Murmur", &["MurMurHash2", "MurmurHash3"]),
    ("MurmurHash", &["MurMurHash2", "MurmurHash3"]),
    ("murmur3", &["MurmurHash3", "MurmurHash3_x64_128"]),
    ("xxHash", &["xxHash32", "xxHash64", "XXH3"]),
    ("DefaultHasher", &["SipHash-1-3"]),
    ("Guava", &["MurmurHash3_x64_128"]),
    ("Git", &["SHA-1"]),
    ("gzip", &["CRC-32"]),
    ("hashbrown", &["foldhash-fast"]),
    ("HashMap", &["SipHash-1-3", "String.hashCode"]),
    ("Java", &["String.hashCode"]),
    ("LevelDB", &["SimMurMurHash"]),
    ("libc++", &["CityHash64"]),
    ("libstdc++", &["MurmurHash64A"]),
    ("MySQL", &["CalcNrHash"]),
    ("Parquet", &["xxHash64"]),
    ("PHP", &["DJBX33A"]),
    ("Python", &["SipHash-1-3"]),
    ("RocksDB", &["XXPH3"]),
    ("Rust", &["SipHash-1-3"]),
    ("rustc", &["FxHash-2"]),
    ("std::hash", &["MurmurHash64A", "CityHash64"]),
    ("zlib", &["CRC-32", "Adler-32"]),
];

/// Returns the function that people call by this name: its name, identifier or alias, or a program that uses it. Case and
/// punctuation do not matter, but a name spelled exactly, in any case, wins over others, and a name over an alias.
///
/// # Errors
///
/// Returns an error with the nearest names if no function matches, or with the candidates if the name is ambiguous.
///
/// ```
/// use measuring::functions::find;
///
/// assert_eq!(find("crc-32")?.facts.name, "CRC-32");
/// assert_eq!(find("string.hashcode")?.facts.name, find("Java")?.facts.name);
/// assert!(find("crc23").unwrap_err().to_string().contains("CRC-32"));
/// assert!(find("fnv1a").unwrap_err().to_string().contains("FNV-1a 32 or FNV-1a 64"));
/// # Ok::<(), terminal::failure::Failure>(())
/// ```
pub fn find(name: &str) -> Result<&'static Function, Failure> {
    find_or_offer(name, &[])
}

/// Returns the sentence for a name that is not the function's own: the function that it stands for, and others that it may mean.
///
/// ```
/// use measuring::functions::meaning;
///
/// let word = meaning("fxhash").expect("an older name");
/// assert!(word.starts_with("fxhash is FxHash-2, of rustc-hash 2.") && word.ends_with("; FxHash-1 is another function"));
/// assert_eq!(meaning("php").as_deref(), Some("php uses DJBX33A, of hashzoo 0.1.0"));
/// assert_eq!(meaning("xxh3"), None);
/// ```
pub fn meaning(name: &str) -> Option<String> {
    let found = find(name).ok()?;
    let start = name.to_ascii_lowercase();
    let goes_on = |alias: &String| {
        let alias = alias.to_ascii_lowercase();
        alias
            .strip_prefix(&start)
            .is_some_and(|rest| rest.starts_with(' '))
    };
    let others = all().iter().filter(|one| one.facts.name != found.facts.name);
    let others = others.filter(|one| one.aliases.iter().any(goes_on));
    let others: String = others
        .map(|one| format!("; {} is another function", one.facts.name))
        .collect();
    let verb = if found.has(|other| same_letters(other, name)) {
        "is"
    } else {
        "uses"
    };
    let facts = &found.facts;
    let is_own = same_letters(&facts.name, name);
    (!is_own).then(|| format!("{name} {verb} {}, of {}{others}", facts.name, facts.origin))
}

/// Returns true if the names differ at most in case and punctuation.
fn same_letters(one: &str, other: &str) -> bool {
    let letters = |name: &str| -> String {
        // C++ is not C.
        let letters = name
            .chars()
            .filter(|letter| letter.is_alphanumeric() || *letter == '+');
        letters.map(|letter| letter.to_ascii_lowercase()).collect()
    };
    let one = letters(one);
    !one.is_empty() && one == letters(other)
}

/// Returns the function with exactly this name, identifier or alias, in any case. A name wins over an alias.
pub(crate) fn called(name: &str) -> Option<&'static Function> {
    let same = |other: &str| other.eq_ignore_ascii_case(name);
    known()
        .find(|function| same(&function.facts.name))
        .or_else(|| known().find(|function| function.has(same)))
}

/// Finds a function. The error for an unknown name offers the nearest functions and `others`.
fn find_or_offer(name: &str, others: &[&str]) -> Result<&'static Function, Failure> {
    if let Some(function) = called(name) {
        return function.here();
    }
    let same = |other: &str| same_letters(other, name);
    let programs = OTHER_NAMES.iter().filter(|(other, _)| same(other));
    let theirs = programs.flat_map(|(_, names)| names.iter().filter_map(|name| called(name)));
    let mut candidates: Vec<&'static Function> = known()
        .filter(|function| function.has(same))
        .chain(theirs)
        .collect();
    let mut seen = HashSet::new();
    candidates.retain(|function| seen.insert(&function.facts.name));
    let name_of = |function: &'static Function| &*function.facts.name;
    match candidates.as_slice() {
        [] => {
            let near = known().map(name_of).chain(others.iter().copied());
            Err(name_errors::unknown("function", name, near))
        }
        [function] => function.here(),
        several => {
            let names: Vec<&str> = several.iter().copied().map(name_of).collect();
            Err(name_errors::ambiguous("function", name, &names))
        }
    }
}

/// The hash of this project's policy with LevelDB's layout.
pub const POLICY_HASH: &str = "MurMurHash2";

/// Names that stand for all functions of a group.
pub const GROUPS: [(&str, FunctionGroup); 4] = [
    ("published", FunctionGroup::Published),
    ("anchors", FunctionGroup::Anchor),
    ("variants", FunctionGroup::Variant),
    ("further", FunctionGroup::Further),
];

/// Returns the functions that `name` stands for, in any case: those of a group in [`GROUPS`], or one found by [`find`].
///
/// # Errors
///
/// Returns the error of [`find`], with group names among the nearest names.
///
/// ```
/// use measuring::functions::select;
///
/// assert_eq!(select("published")?.len(), 17);
/// assert_eq!(select("XXH3")?.len(), 1);
/// # Ok::<(), terminal::failure::Failure>(())
/// ```
pub fn select(name: &str) -> Result<Vec<&'static Function>, Failure> {
    let group = GROUPS
        .into_iter()
        .find(|(known, _)| known.eq_ignore_ascii_case(name));
    match group {
        Some((_, group)) => Ok(all().iter().filter(|one| one.facts.group == group).collect()),
        None => find_or_offer(name, &GROUPS.map(|(known, _)| known)).map(|function| vec![function]),
    }
}

/// The maximum length of a name in characters: charts have no room for more.
const MAX_CHARACTERS: usize = 32;

impl Function {
    /// Checks the name and output against the rules of [`Function::custom`].
    ///
    /// # Errors
    ///
    /// Returns an error if a rule is broken.
    pub fn check_custom(&self) -> Result<(), Failure> {
        let (name, bits) = (&*self.facts.name, self.facts.output_bits);
        if !(1..=MAX_CHARACTERS).contains(&name.chars().count()) || name.contains(char::is_control) {
            return Err(Failure::input(format!(
                "the name of a function must have 1 to {MAX_CHARACTERS} characters, none of them a control character, got {name:?}"
            )));
        }
        if !(1..=64).contains(&bits) {
            return Err(Failure::input(format!(
                "the output of the function {name:?} must have 1 to 64 bits, got {bits}"
            )));
        }
        let compared = bits.min(32);
        if self.facts.bits != compared {
            return Err(Failure::input(format!(
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
    pub fn has_the_name(&self, name: &str) -> Failure {
        taken(name, &format!("{}, of {}", self.facts.name, self.facts.origin))
    }
}

fn taken(name: &str, by: &str) -> Failure {
    Failure::input(format!(
        "a function is named {name:?}, which is taken by {by}: rename it"
    ))
}
