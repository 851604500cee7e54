//! `list`: the functions and datasets that can be compared.

use std::io::{self, Write as _};

use super::columns;
use crate::functions::{self, Function};
use crate::keys::{Manifest, ManifestEntry};
use records::number::grouped;

use records::failure::Failure;
use records::terminal::{labelled, table, wrapped};

/// List functions and datasets.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  {program} list\n  {program} list --long\n  {program} list --json")]
pub struct Arguments {
    /// Also show sources, seeds, licences, other names and known weaknesses
    #[arg(long)]
    long: bool,

    /// Print the functions only, as JSON with the fields of run.json
    #[arg(long, conflicts_with = "long")]
    json: bool,
}

/// Writes the lists.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    if arguments.json {
        let summaries: Vec<_> = functions::all().iter().map(Function::summary).collect();
        let text = serde_json::to_string_pretty(&summaries).map_err(Failure::internal)?;
        writeln!(out, "{text}")?;
        return Ok(());
    }
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
            function.group.to_string(),
            if function.stable { "yes" } else { "no" }.to_owned(),
            function.resistance.label(),
            function.origin.to_owned(),
        ]
    });
    writeln!(
        out,
        "{}\n",
        table(
            columns("function | bits | group | fixed | secret | origin"),
            &[1],
            rows
        )
    )?;
    writeln!(
        out,
        "{}\n",
        wrapped(format!(
            "A run takes the published functions and {}, unless --function or --all says otherwise.",
            functions::EVERYDAY.join(", ")
        ))
    )?;
    writeln!(
        out,
        "fixed: the same values for ever on every platform\n\
         secret: what a secret seed or key is worth against keys that an attacker chooses\n"
    )?;
    let rows = Manifest::embedded().datasets.iter().map(|entry| {
        [
            entry.name.clone(),
            entry.kind.to_string(),
            grouped(entry.count as u64),
            grouped(entry.bytes as u64),
        ]
    });
    writeln!(
        out,
        "{}",
        table(columns("dataset | kind | keys | bytes"), &[2, 3], rows)
    )?;
    Ok(())
}

/// Writes a heading with its facts below.
fn facts(out: &mut impl io::Write, heading: &str, facts: Vec<[String; 2]>) -> io::Result<()> {
    writeln!(out, "{heading}\n{}\n", labelled(facts))
}

fn function_facts(function: &Function) -> Vec<[String; 2]> {
    let (bits, compared) = (function.output_bits, function.compared_bits());
    let values = if function.stable {
        "the same for ever on every platform"
    } else {
        "may change with every release and platform: not for stored data"
    };
    let resistance = function.resistance.label();
    let mut facts = vec![
        fact("group", function.group.to_string()),
        fact("name in code", function.ident),
        fact("output", format!("{bits} bits, of which {compared} are compared")),
        fact("author", format!("{}, {}", function.author, function.year)),
        fact("source", function.source),
        fact(
            "measured as",
            format!("{}, licence {}", function.origin, function.licence),
        ),
        fact("values", values),
        fact("seed or key", function.seed.unwrap_or("none")),
        fact(
            "chosen keys",
            format!("{resistance}: {}", function.resistance_reason),
        ),
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
    let (keys, bytes) = (grouped(entry.count as u64), grouped(entry.bytes as u64));
    vec![
        fact("keys", format!("{keys}, {bytes} bytes")),
        fact("kind", entry.kind.to_string()),
        fact("what they are", entry.description.as_str()),
        fact("source", entry.source.as_str()),
        fact("SHA-256", entry.sha256.as_str()),
    ]
}

fn fact(label: &str, text: impl Into<String>) -> [String; 2] {
    [label.to_owned(), text.into()]
}
