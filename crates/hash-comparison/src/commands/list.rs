//! `list`: what there is to compare.

use std::io::{self, Write as _};

use harness::dataset::{Manifest, ManifestEntry};
use harness::functions::{self, Function};
use harness::record::{DatasetKind, FunctionGroup};
use harness::thousands::grouped;

use crate::failure::Failure;
use crate::table::{labelled, table};

/// List functions and datasets.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  {program} list\n  {program} list --long")]
pub struct Arguments {
    /// Show sources, other names and known weaknesses too
    #[arg(long)]
    long: bool,
}

/// Writes the lists.
///
/// # Errors
///
/// When standard output cannot be written.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    if arguments.long {
        for function in functions::all() {
            facts(&mut out, function.name, function_facts(function))?;
        }
        for entry in &Manifest::embedded().datasets {
            facts(&mut out, &entry.name, dataset_facts(entry))?;
        }
        return Ok(());
    }
    let rows = functions::all().iter().map(|function| {
        [
            function.name.to_owned(),
            function.output_bits.to_string(),
            group(function.group).to_owned(),
            function.year.to_string(),
            function.origin.to_owned(),
        ]
    });
    writeln!(
        out,
        "{}\n",
        table(["function", "bits", "group", "year", "origin"], &[1, 3], rows)
    )?;
    let rows = Manifest::embedded().datasets.iter().map(|entry| {
        [
            entry.name.clone(),
            kind(entry.kind).to_owned(),
            grouped(entry.count as u64),
            grouped(entry.bytes as u64),
        ]
    });
    writeln!(
        out,
        "{}",
        table(["dataset", "kind", "keys", "bytes"], &[2, 3], rows)
    )?;
    Ok(())
}

/// A heading, and facts below it.
fn facts(out: &mut impl io::Write, heading: &str, facts: Vec<[String; 2]>) -> io::Result<()> {
    writeln!(out, "{heading}\n{}\n", labelled(facts))
}

fn function_facts(function: &Function) -> Vec<[String; 2]> {
    let mut facts = vec![
        fact("group", group(function.group)),
        fact("name in code", function.ident),
        fact(
            "output",
            format!(
                "{} bits, of which {} are compared",
                function.output_bits,
                function.compared_bits()
            ),
        ),
        fact("author", format!("{}, {}", function.author, function.year)),
        fact("source", function.source),
        fact("measured as", function.origin),
    ];
    if !function.aliases.is_empty() {
        facts.push(fact("other names", function.aliases.join(", ")));
    }
    facts.extend(
        function
            .weaknesses
            .iter()
            .map(|&weakness| fact("weakness", weakness)),
    );
    facts
}

fn dataset_facts(entry: &ManifestEntry) -> Vec<[String; 2]> {
    vec![
        fact(
            "keys",
            format!(
                "{}, {} bytes",
                grouped(entry.count as u64),
                grouped(entry.bytes as u64)
            ),
        ),
        fact("kind", kind(entry.kind)),
        fact("what they are", entry.description.as_str()),
        fact("source", entry.source.as_str()),
        fact("SHA-256", entry.sha256.as_str()),
    ]
}

fn fact(label: &str, text: impl Into<String>) -> [String; 2] {
    [label.to_owned(), text.into()]
}

fn group(group: FunctionGroup) -> &'static str {
    match group {
        FunctionGroup::Published => "published",
        FunctionGroup::Anchor => "modern",
    }
}

fn kind(kind: DatasetKind) -> &'static str {
    match kind {
        DatasetKind::Embedded => "embedded",
        DatasetKind::Generated => "generated",
        DatasetKind::File => "file",
    }
}
