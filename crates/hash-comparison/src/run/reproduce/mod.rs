//! Comparison of our figures with the published ones and with a committed run. Everything that does not depend on the
//! machine is computed again.
//!
//! Independent of terminals: the result holds the comparison, row by row.

mod collisions;
mod filters;
mod formulas;
mod reference;

use std::path::Path;

pub use collisions::CollisionCheck;
pub use filters::{FilterCheck, MeasuredRate};
pub use formulas::FormulaCheck;
pub use reference::{FileCheck, FileState};

use crate::advice::costs;
use crate::functions;
use crate::keys::{self, DEFAULT_SEED};
use crate::questions::Records;
use crate::record::Run;
use crate::run::quality;
use records::error::Error;
use records::progress::Progress;

/// The recomputed figures, compared with published and committed ones.
#[derive(Debug, Clone, PartialEq)]
pub struct Reproduction {
    /// The published table of collisions.
    pub collisions: Vec<CollisionCheck>,
    /// The published table of filters.
    pub filters: Vec<FilterCheck>,
    /// The published formulas and rules of thumb.
    pub formulas: Vec<FormulaCheck>,
    /// The deterministic files of the committed run.
    pub reference: Vec<FileCheck>,
}

impl Reproduction {
    /// Returns the disagreements, one sentence each; empty if everything agrees.
    pub fn disagreements(&self) -> Vec<String> {
        let collisions = self.collisions.iter().filter_map(CollisionCheck::disagreement);
        let filters = self.filters.iter().filter_map(FilterCheck::disagreement);
        let formulas = self.formulas.iter().filter_map(FormulaCheck::disagreement);
        let reference = self.reference.iter().filter_map(FileCheck::disagreement);
        collisions
            .chain(filters)
            .chain(formulas)
            .chain(reference)
            .collect()
    }
}

/// Computes everything deterministic again, with the seed of the published run, and compares the results with the
/// published figures and with the committed run in `reference_dir`.
///
/// # Errors
///
/// Returns an error if the committed run cannot be read, a known answer is wrong, or `progress` requests a stop. A
/// figure that differs is not an error: see [`Reproduction::disagreements`].
pub fn run(reference_dir: &Path, progress: &dyn Progress) -> Result<Reproduction, Error> {
    let committed = Records::read(reference_dir).map_err(reference::unreadable)?;
    // The number of tests is part of every verdict, so the functions must be those of the committed run.
    let functions = committed
        .run
        .functions
        .iter()
        .map(|function| functions::find(&function.name))
        .collect::<Result<Vec<_>, _>>()?;
    functions::gate(functions.iter().copied())?;
    let datasets = keys::embedded_names()
        .map(|name| keys::load_embedded(name, DEFAULT_SEED))
        .collect::<Result<Vec<_>, _>>()?;
    let mut now = Records::of(Run {
        seed: DEFAULT_SEED,
        ..committed.run.clone()
    });
    quality::fill(&mut now, &datasets, &functions, progress)?;
    now.costs = costs::judge(&now);

    progress.begin("published filters", 1);
    let filters = filters::checks(DEFAULT_SEED, progress)?;
    progress.step();

    Ok(Reproduction {
        collisions: collisions::checks(&now.collisions),
        filters,
        formulas: formulas::checks(),
        reference: reference::checks(reference_dir, &committed, now)?,
    })
}
