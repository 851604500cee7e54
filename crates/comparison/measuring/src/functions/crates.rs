//! Functions of other crates: the anchors, and those that are measured by name or with all others, never by default.

mod code;
mod integers;

use serde::Deserialize;

use super::function::Function;
use super::verify::LONG_KEY;
use crate::record::FunctionSummary;

#[derive(Deserialize)]
struct Facts {
    function: Vec<Listed>,
}

/// A function as `crates.toml` describes it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Listed {
    ident: String,
    #[serde(default)]
    aliases: Vec<String>,
    answers: Vec<(String, String)>,
    long: String,
    code: Option<String>,
    needs: Option<String>,
    facts: FunctionSummary,
}

/// Returns the functions in the order of the file.
///
/// # Panics
///
/// If `crates.toml`, which is part of the program, is not well-formed.
pub(super) fn all() -> impl Iterator<Item = Function> {
    let facts: Facts = toml::from_str(include_str!("crates.toml")).expect("facts");
    facts.function.into_iter().map(Listed::function)
}

impl Listed {
    fn function(self) -> Function {
        let number = |digits: &str| u64::from_str_radix(digits, 16).expect("a number");
        let bytes = |key: &str| key.chars().map(|byte| byte as u8).collect();
        let answers = self.answers.iter();
        let answers = answers.map(|(key, value)| (bytes(key), number(value)));
        let code = code::ALL.iter().find(|(ident, ..)| *ident == self.ident);
        Function {
            answers: answers.chain([(LONG_KEY.to_vec(), number(&self.long))]).collect(),
            code: self.code.map(|code| number(&code) as u32),
            facts: self.facts,
            ident: self.ident,
            aliases: self.aliases,
            hash: code.map_or(|_| 0, |(_, hash, _)| *hash),
            lacks: self.needs.filter(|_| code.is_none()),
            seeded: code.and_then(|(.., seeded)| *seeded),
        }
    }
}
