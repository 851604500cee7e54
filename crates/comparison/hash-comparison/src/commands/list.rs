//! `list`: the functions and datasets that can be compared.

use std::io::{self, Write as _};

use serde::Serialize;
use serde_json::Value;

use crate::functions;
use crate::keys::Manifest;
use terminal::number::grouped;

use terminal::failure::Failure;
use terminal::layout::{labelled, table, wrapped};

/// List functions and datasets.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  {program} list\n  {program} list --long")]
pub struct Arguments {
    /// Also show sources, seeds, licences, other names and known weaknesses
    #[arg(long)]
    long: bool,
}

/// Writes the lists.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    if arguments.long {
        for function in functions::known() {
            let names = [std::slice::from_ref(&function.ident), &function.aliases].concat();
            facts(&mut out, &function.facts, ("other names", names.join(", ")))?;
        }
        for entry in Manifest::embedded() {
            facts(&mut out, entry, ("", String::new()))?;
        }
        return Ok(());
    }
    let all = functions::known();
    let rows = all.map(|function| {
        let missing = if function.lacks.is_some() { ", missing" } else { "" };
        let facts = &function.facts;
        [
            facts.name.clone(),
            facts.output_bits.to_string(),
            facts.group.to_string(),
            if facts.stable { "yes" } else { "no" }.to_owned(),
            facts.resistance.to_string().replace('-', " "),
            format!("{}{missing}", facts.origin),
        ]
    });
    let heads = vec!["function", "bits", "group", "fixed", "secret", "origin"];
    writeln!(out, "{}\n", table(heads, &[1], rows))?;
    let usual = wrapped(format!(
        "A run takes the published functions and {}, unless --function or --all says otherwise.",
        functions::EVERYDAY.join(", ")
    ));
    writeln!(
        out,
        "{usual}\n\n\
         fixed: the same values for ever on every platform\n\
         secret: what a secret seed or key is worth against keys that an attacker chooses\n\
         missing: not in this program; the error of `compare` for the name says what it needs\n"
    )?;
    let rows = Manifest::embedded().iter().map(|entry| {
        let [keys, bytes] = [entry.count, entry.bytes].map(|count| grouped(count as u64));
        [entry.name.clone(), entry.kind.to_string(), keys, bytes]
    });
    writeln!(
        out,
        "{}",
        table(vec!["dataset", "kind", "keys", "bytes"], &[2, 3], rows)
    )?;
    Ok(())
}

/// Writes a name with the fields of its entry below, those of `run.json` or of the manifest, and another fact.
fn facts(out: &mut impl io::Write, entry: impl Serialize, more: (&str, String)) -> Result<(), Failure> {
    let fields = serde_json::to_value(entry).map_err(Failure::internal)?;
    let text = |value: &Value| match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(several) => several
            .iter()
            .filter_map(Value::as_str)
            .collect::<Vec<_>>()
            .join(" "),
        other => other.to_string(),
    };
    let label = |field: &str| match field {
        "bits" => "compared bits".to_owned(),
        field => field.replace('_', " "),
    };
    let shown = fields
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(field, _)| *field != "name");
    let rows = shown.map(|(field, value)| [label(field), text(value)]);
    let rows = rows
        .chain([[more.0.to_owned(), more.1]])
        .filter(|[_, text]| !text.is_empty());
    writeln!(out, "{}\n{}\n", text(&fields["name"]), labelled(rows.collect()))?;
    Ok(())
}
