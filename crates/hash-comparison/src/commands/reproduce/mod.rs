//! `{program} reproduce`: compares our figures with the published ones and the committed run. Everything that does not
//! depend on the machine is computed again.

mod collisions;
mod filters;
mod formulas;
mod reference;

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::columns;
use crate::advice::costs;
use crate::advice::published::KeySet;
use crate::functions;
use crate::keys::{self, DEFAULT_SEED};
use crate::program::Program;
use crate::questions::Records;
use crate::record::Run;
use crate::run::quality;
use records::bar::Terminal;
use records::error::Error;
use records::failure::Failure;
use records::progress::Progress;

/// Recompute every deterministic result, and compare it with the published figures and the committed run.
///
/// Shows collisions, filter sizes and rates, and formulas beside the published ones, in the published layout. Records and
/// charts in reports/reference that do not depend on the machine must be identical byte for byte. Measures no times and
/// writes nothing. Exits with 1 if anything differs.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  {program} reproduce")]
pub struct Arguments {
    /// Folder of the committed run [default: reports/reference in the workspace, else in the current folder]
    #[arg(long, value_name = "DIR")]
    reference: Option<PathBuf>,
}

/// A part of the comparison: the figures side by side, and the disagreements, a sentence each.
struct Section {
    text: String,
    disagreements: Vec<String>,
}

/// Recomputes the figures and prints the comparison.
pub fn run(arguments: &Arguments, program: &Program) -> Result<(), Failure> {
    let reference = (arguments.reference.clone()).unwrap_or_else(|| program.reference());
    let sections = sections(&reference, &Terminal::listen()?)?;
    let mut out = io::stdout().lock();
    for section in &sections {
        out.write_all(section.text.as_bytes())?;
    }
    let disagreements: Vec<String> = sections.into_iter().flat_map(|one| one.disagreements).collect();
    if disagreements.is_empty() {
        writeln!(out, "\neverything agrees")?;
        return Ok(());
    }
    writeln!(out, "\n{} figures do not agree:", disagreements.len())?;
    for sentence in disagreements {
        writeln!(out, "  {sentence}")?;
    }
    Err(Failure::Checked)
}

/// Computes everything deterministic again, with the seed of the published run, and compares the results with the
/// published figures and with the committed run in `dir`.
fn sections(dir: &Path, progress: &dyn Progress) -> Result<Vec<Section>, Error> {
    let committed = Records::read(dir).map_err(reference::unreadable)?;
    // The number of tests is part of every verdict, so the functions must be those of the committed run.
    let functions = committed.run.functions.iter();
    let functions = functions.map(|function| functions::find(&function.name));
    let functions = functions.collect::<Result<Vec<_>, _>>()?;
    functions::gate(functions.iter().copied())?;
    let datasets = keys::embedded_names().map(|name| keys::load_embedded(name, DEFAULT_SEED));
    let datasets = datasets.collect::<Result<Vec<_>, _>>()?;
    let mut now = Records::of(Run {
        seed: DEFAULT_SEED,
        ..committed.run.clone()
    });
    quality::fill(&mut now, &datasets, &functions, progress)?;
    now.costs = costs::judge(&now);

    progress.begin("published filters", 1);
    let filters = filters::section(DEFAULT_SEED, progress)?;
    progress.step();
    let mut sections = Vec::from(KeySet::ALL.map(|set| collisions::section(&now.collisions, set)));
    sections.extend([filters, formulas::section()]);
    sections.push(reference::section(dir, &committed, now)?);
    Ok(sections)
}

fn yes(agrees: bool) -> String {
    if agrees { "yes" } else { "NO" }.to_owned()
}
