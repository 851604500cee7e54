//! `cargo xtask list`: what there is to compare.

use std::io::{self, Write as _};

use harness::dataset::Manifest;
use harness::functions::{self, Function};
use harness::record::{DatasetKind, FunctionGroup};

use crate::failure::Failure;
use crate::table::{grouped, table};

/// List functions and datasets.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  cargo xtask list\n  cargo xtask list --long")]
pub(crate) struct Arguments {
    /// Show sources, other names and known weaknesses too
    #[arg(long)]
    long: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    if arguments.long {
        for function in functions::all() {
            describe(&mut out, function)?;
        }
        for entry in &Manifest::embedded().datasets {
            writeln!(out, "{} ({})", entry.name, kind(entry.kind))?;
            writeln!(out, "  {}", entry.description)?;
            writeln!(
                out,
                "  keys     {}, {} bytes",
                grouped(entry.count as u64),
                grouped(entry.bytes as u64)
            )?;
            writeln!(out, "  source   {}", entry.source)?;
            writeln!(out, "  sha256   {}\n", entry.sha256)?;
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
            entry.description.clone(),
        ]
    });
    writeln!(
        out,
        "{}",
        table(
            ["dataset", "kind", "keys", "bytes", "what they are"],
            &[2, 3],
            rows
        )
    )?;
    Ok(())
}

fn describe(out: &mut impl io::Write, function: &Function) -> io::Result<()> {
    writeln!(
        out,
        "{} ({}, {})",
        function.name,
        function.ident,
        group(function.group)
    )?;
    writeln!(
        out,
        "  output   {} bits, of which {} are compared",
        function.output_bits,
        function.compared_bits()
    )?;
    writeln!(out, "  author   {}, {}", function.author, function.year)?;
    writeln!(out, "  source   {}", function.source)?;
    writeln!(out, "  origin   {}", function.origin)?;
    if !function.aliases.is_empty() {
        writeln!(out, "  also     {}", function.aliases.join(", "))?;
    }
    if !function.stable {
        writeln!(out, "  note     its values may change with a release")?;
    }
    for weakness in function.weaknesses {
        writeln!(out, "  weak     {weakness}")?;
    }
    writeln!(out)
}

fn group(group: FunctionGroup) -> &'static str {
    match group {
        FunctionGroup::Published => "published",
        FunctionGroup::Anchor => "anchor",
    }
}

fn kind(kind: DatasetKind) -> &'static str {
    match kind {
        DatasetKind::Embedded => "embedded",
        DatasetKind::Generated => "generated",
        DatasetKind::File => "file",
    }
}
