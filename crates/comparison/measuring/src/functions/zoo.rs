//! Functions from `hashzoo`: the published 17, their other forms, and some of the anchors and of the further functions.

use hashzoo::HashInfo;

use super::function::Function;
use crate::record::{FunctionGroup, FunctionSummary, Resistance};

/// Functions measured in the version of another crate, which programs use: see [`super::crates`].
const MEASURED_ELSEWHERE: [&str; 4] = ["siphash13", "siphash24", "xxh64", "xxh3_64"];

/// Functions that are measured by name or with all others, never by default.
const FURTHER: [&str; 4] = ["string_hashcode", "djbx33a", "superfasthash", "adler32"];

/// Returns the published 17, in the published order.
pub(super) fn published() -> impl Iterator<Item = Function> {
    let published = hashzoo::PUBLISHED.into_iter();
    published.map(|info| function(info, FunctionGroup::Published))
}

/// Returns the other forms of the published 17.
pub(super) fn variants() -> impl Iterator<Item = Function> {
    of_group(hashzoo::VARIANTS, FunctionGroup::Variant)
}

/// Returns the functions outside the published comparison that are anchors.
pub(super) fn others() -> impl Iterator<Item = Function> {
    of_group(hashzoo::OTHERS, FunctionGroup::Anchor).filter(|one| !FURTHER.contains(&&*one.ident))
}

/// Returns the functions that are measured by name or with all others.
pub(super) fn further() -> impl Iterator<Item = Function> {
    of_group(hashzoo::OTHERS, FunctionGroup::Further).filter(|one| FURTHER.contains(&&*one.ident))
}

fn of_group(all: &[&'static HashInfo], group: FunctionGroup) -> impl Iterator<Item = Function> {
    let measured = all
        .iter()
        .filter(|info| !MEASURED_ELSEWHERE.contains(&info.ident));
    measured.map(move |info| function(info, group))
}

fn function(info: &HashInfo, group: FunctionGroup) -> Function {
    let (resistance, resistance_reason) = resistance(info);
    let texts = |all: &[&str]| all.iter().map(ToString::to_string).collect();
    let mut function = Function {
        ident: info.ident.to_owned(),
        aliases: texts(info.aliases),
        code: Some(info.verification),
        seeded: info.seeded,
        ..Function::custom(info.name, info.output_bits, info.hash, info.answers)
    };
    function.facts = FunctionSummary {
        group,
        origin: "hashzoo 0.1.0".to_owned(),
        licence: "MIT OR Apache-2.0".to_owned(),
        year: info.year,
        author: info.author.to_owned(),
        source: info.source.to_owned(),
        weaknesses: texts(info.weaknesses),
        seed: info.seed.map(str::to_owned),
        resistance,
        resistance_reason: resistance_reason.to_owned(),
        ..function.facts
    };
    function
}

fn resistance(info: &HashInfo) -> (Resistance, &'static str) {
    if info.ident.ends_with("nocase") {
        (
            Resistance::None,
            "Keys that differ in case alone collide, whatever the key or seed.",
        )
    } else if info.ident.starts_with("siphash") {
        (
            Resistance::SeedOnly,
            "Its family was made for secret keys, but this form has fewer rounds than its authors propose.",
        )
    } else if info.seed.is_some() {
        (
            Resistance::SeedOnly,
            "Not made for secret seeds: keys that collide under many seeds are easily made.",
        )
    } else {
        (
            Resistance::None,
            "No seed: keys that collide, once found, collide in every program.",
        )
    }
}
