//! Functions of other crates: the anchors, and those that are measured by name or with all others, never by default.

mod code;

use serde::Deserialize;

use super::{Function, KnownAnswers, verify::LONG_KEY};
use crate::record::FunctionSummary;

/// A function's identifier, the function under its fixed seed, and under any.
type Code = (&'static str, fn(&[u8]) -> u64, Option<fn(&[u8], u32) -> u64>);

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
        let text = |text: String| -> &'static str { text.leak() };
        let texts = |all: Vec<String>| -> &'static [&'static str] {
            all.into_iter().map(text).collect::<Vec<_>>().leak()
        };
        let bytes =
            |key: &str| -> &'static [u8] { key.chars().map(|byte| byte as u8).collect::<Vec<_>>().leak() };
        let number = |digits: &str| u64::from_str_radix(digits, 16).expect("a number");
        let answers = self
            .answers
            .into_iter()
            .map(|(key, value)| (bytes(&key), number(&value)));
        let answers: &'static KnownAnswers = answers
            .chain([(&LONG_KEY[..], number(&self.long))])
            .collect::<Vec<_>>()
            .leak();
        let code = code::ALL.iter().find(|(ident, ..)| *ident == self.ident);
        let facts = self.facts;
        let name = text(facts.name);
        Function {
            ident: text(self.ident),
            group: facts.group,
            lacks: self.needs.filter(|_| code.is_none()).map(text),
            origin: text(facts.origin),
            licence: text(facts.licence),
            year: facts.year,
            author: text(facts.author),
            source: text(facts.source),
            weaknesses: texts(facts.weaknesses),
            aliases: texts(self.aliases),
            stable: facts.stable,
            seed: facts.seed.map(text),
            resistance: facts.resistance,
            resistance_reason: text(facts.resistance_reason),
            code: self.code.map(|code| number(&code) as u32),
            seeded: code.and_then(|(.., seeded)| *seeded),
            ..Function::custom(
                name,
                facts.output_bits,
                code.map_or(|_| 0, |(_, hash, _)| *hash),
                answers,
            )
        }
    }
}
