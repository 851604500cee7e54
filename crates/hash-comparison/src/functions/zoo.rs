//! Functions from `hashzoo`: the published 17, their other forms, and some of the anchors.

use hashzoo::HashInfo;

use super::Function;
use super::verify::{LONG_KEY, check, check_value};
use crate::record::{FunctionGroup, Resistance};

/// Functions measured in the version of another crate, which programs use: see [`super::anchors`].
const MEASURED_ELSEWHERE: [&str; 4] = ["siphash13", "siphash24", "xxh64", "xxh3_64"];

/// Returns the published 17, in the published order.
pub(super) fn published() -> impl Iterator<Item = Function> {
    hashzoo::PUBLISHED
        .into_iter()
        .map(|info| function(info, FunctionGroup::Published))
}

/// Returns the other forms of the published 17.
pub(super) fn variants() -> impl Iterator<Item = Function> {
    hashzoo::VARIANTS
        .iter()
        .filter(|info| !MEASURED_ELSEWHERE.contains(&info.ident))
        .map(|info| function(info, FunctionGroup::Variant))
}

/// Returns the functions outside the published comparison.
pub(super) fn others() -> impl Iterator<Item = Function> {
    hashzoo::OTHERS
        .iter()
        .filter(|info| !MEASURED_ELSEWHERE.contains(&info.ident))
        .map(|info| function(info, FunctionGroup::Anchor))
}

/// Returns a function of `hashzoo` that is measured in the version of another crate: the caller sets `hash` and `origin`.
pub(super) fn measured_elsewhere(ident: &str) -> Function {
    let info = hashzoo::find(ident).expect("hashzoo has every function of MEASURED_ELSEWHERE");
    Function {
        verify: agrees_with_hashzoo,
        ..function(info, FunctionGroup::Anchor)
    }
}

/// Compares the values of keys of many lengths with those of `hashzoo`, which checks the verification value of its own.
fn agrees_with_hashzoo(function: &Function) -> Result<(), String> {
    verify(function)?;
    let info = hashzoo::find(function.ident).ok_or("it has no record in hashzoo")?;
    (0..1100).chain([LONG_KEY.len()]).try_for_each(|length| {
        let key = &LONG_KEY[..length];
        let question = || format!("the value of a key of {length} bytes");
        check(question, (info.hash)(key), (function.hash)(key))
    })
}

fn function(info: &HashInfo, group: FunctionGroup) -> Function {
    let (resistance, resistance_reason) = resistance(info);
    Function {
        name: info.name,
        ident: info.ident,
        group,
        output_bits: info.output_bits,
        hash: info.hash,
        origin: "hashzoo 0.1.0",
        licence: "MIT OR Apache-2.0",
        year: info.year,
        author: info.author,
        source: info.source,
        weaknesses: info.weaknesses,
        aliases: info.aliases,
        stable: true,
        seed: info.seed,
        resistance,
        resistance_reason,
        answers: info.answers,
        verify,
    }
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

/// Checks the verification value; for functions with a seed, that of the seeded form.
fn verify(function: &Function) -> Result<(), String> {
    let info = hashzoo::find(function.ident).ok_or("it has no record in hashzoo")?;
    check_value(info.verification, info.computed_verification())
}
