//! Everything that does not depend on the machine, measured on all processors.

use rayon::prelude::*;

use crate::functions::Function;
use crate::judge;
use crate::keys::Dataset;
use crate::measure::collisions::{self, RawCollisions};
use crate::measure::false_positives::Probes;
use crate::measure::mixing::{self, Effort, Mixing};
use crate::measure::occupancy::{self, RawOccupancy};
use crate::measure::{Hashed, distribution, windows};
use crate::progress::{Cancelled, Progress, go_on};
use crate::record::files::Records;
use crate::record::{CollisionRow, DistributionRow, FalsePositiveRow, WindowRow};
use crate::run::compare::CompareError;
use crate::run::structure;

/// The deterministic measurements of a run, by dataset and function in the order given.
#[derive(Debug, Clone, PartialEq)]
pub struct Quality {
    /// Collisions as counted.
    pub raw: Vec<RawCollisions>,
    /// Collisions judged over all rows.
    pub collisions: Vec<CollisionRow>,
    /// Distribution over buckets and output bits.
    pub distribution: Vec<DistributionRow>,
    /// False positives, the ideal hash after the functions of its dataset.
    pub false_positives: Vec<FalsePositiveRow>,
    /// Collisions in windows of the output, corrected over all rows.
    pub windows: Vec<WindowRow>,
    /// Hash tables as filled, for [`structure::measure`] to judge.
    pub tables: Vec<RawOccupancy>,
}

/// For [`measure`]: as many threads as there are processors, or as the variable `RAYON_NUM_THREADS` says.
pub const ALL_PROCESSORS: usize = 0;

/// Measures everything but time that depends on datasets, on `threads` threads; the result does not depend on their number.
///
/// # Errors
///
/// When the system gives no threads, or `progress` asks to stop.
pub fn measure(
    datasets: &[Dataset],
    functions: &[&Function],
    threads: usize,
    progress: &dyn Progress,
) -> Result<Quality, CompareError> {
    let pool = pool(threads)?;
    progress.begin("quality", (datasets.len() * (functions.len() + 2)) as u64);
    let parts: Result<Vec<Part>, Cancelled> = pool.install(|| {
        let probes: Vec<Probes<'_>> = datasets
            .par_iter()
            .map(|dataset| {
                go_on(progress)?;
                let probes = Probes::new(dataset);
                progress.step();
                Ok(probes)
            })
            .collect::<Result<_, Cancelled>>()?;
        // The ideal hash stands after the functions of its dataset.
        let hashes = || functions.iter().map(|&function| Some(function)).chain([None]);
        let tasks: Vec<_> = datasets
            .iter()
            .zip(&probes)
            .flat_map(|(dataset, probes)| hashes().map(move |function| (dataset, probes, function)))
            .collect();
        tasks
            .par_iter()
            .map(|&(dataset, probes, function)| {
                go_on(progress)?;
                let part = part(dataset, probes, function, progress)?;
                progress.step();
                Ok(part)
            })
            .collect()
    });
    let (mut windows, mut tables) = (Vec::new(), Vec::new());
    let (mut raw, mut distribution, mut false_positives) = (Vec::new(), Vec::new(), Vec::new());
    for part in parts? {
        raw.extend(part.collisions);
        distribution.extend(part.distribution);
        false_positives.extend(part.false_positives);
        windows.extend(part.windows);
        tables.extend(part.tables);
    }
    judge::windows::judge(&mut windows);
    Ok(Quality {
        collisions: judge::collisions::judge(&raw),
        raw,
        distribution,
        false_positives,
        windows,
        tables,
    })
}

/// Measures everything that does not depend on the machine, puts its rows into `records`, and gives the collisions as
/// counted.
///
/// # Errors
///
/// When the system gives no threads, or `progress` asks to stop.
pub fn fill(
    records: &mut Records,
    datasets: &[Dataset],
    functions: &[&Function],
    progress: &dyn Progress,
) -> Result<Vec<RawCollisions>, CompareError> {
    let seed = records.run.seed;
    let quality = measure(datasets, functions, ALL_PROCESSORS, progress)?;
    let mixing = mixing(functions, seed, ALL_PROCESSORS, progress)?;
    let structure = structure::measure(quality.tables, functions, seed, ALL_PROCESSORS, progress)?;
    records.collisions = quality.collisions;
    records.distribution = quality.distribution;
    records.false_positives = quality.false_positives;
    records.windows = quality.windows;
    records.avalanche = mixing.avalanche;
    records.mixing = mixing.rows;
    records.structured = structure.structured;
    records.occupancy = structure.occupancy;
    records.mechanisms = structure.mechanisms;
    Ok(quality.raw)
}

/// Measures how well functions mix the bits of random keys, on `threads` threads; the keys depend on `seed` alone, and the
/// result on nothing else.
///
/// # Errors
///
/// When the system gives no threads, or `progress` asks to stop.
pub fn mixing(
    functions: &[&Function],
    seed: u64,
    threads: usize,
    progress: &dyn Progress,
) -> Result<Mixing, CompareError> {
    progress.begin("mixing of bits", functions.len() as u64);
    let parts: Result<Vec<Mixing>, Cancelled> = pool(threads)?.install(|| {
        let part = |function: &&Function| {
            go_on(progress)?;
            let mixing = mixing::measure(function, seed, Effort::RUN);
            progress.step();
            Ok(mixing)
        };
        functions.par_iter().map(part).collect()
    });
    let mut all = Mixing::default();
    for part in parts? {
        all.avalanche.extend(part.avalanche);
        all.rows.extend(part.rows);
    }
    judge::mixing::judge(&mut all.rows);
    Ok(all)
}

fn pool(threads: usize) -> Result<rayon::ThreadPool, CompareError> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| CompareError::Threads(error.to_string()))
}

/// What one function does to one dataset.
#[derive(Default)]
struct Part {
    collisions: Option<RawCollisions>,
    distribution: Vec<DistributionRow>,
    false_positives: Vec<FalsePositiveRow>,
    windows: Vec<WindowRow>,
    tables: Vec<RawOccupancy>,
}

/// What one function does to one dataset; without a function, what the ideal hash does in a filter.
fn part(
    dataset: &Dataset,
    probes: &Probes<'_>,
    function: Option<&Function>,
    progress: &dyn Progress,
) -> Result<Part, Cancelled> {
    let Some(function) = function else {
        return Ok(Part {
            false_positives: probes.measure_ideal(progress)?,
            ..Part::default()
        });
    };
    // With ten million keys each of these takes a good part of a second.
    let hashed = Hashed::new(&dataset.keys, function);
    go_on(progress)?;
    let collisions = collisions::measure(dataset, &hashed);
    go_on(progress)?;
    let distribution = distribution::measure(dataset, &hashed);
    go_on(progress)?;
    let windows = windows::of_hashed(&dataset.name, &hashed);
    go_on(progress)?;
    let tables = occupancy::of_hashed(dataset, &hashed);
    go_on(progress)?;
    Ok(Part {
        collisions: Some(collisions),
        distribution,
        windows,
        tables,
        false_positives: probes.measure(&hashed, progress)?,
    })
}
