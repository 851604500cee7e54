//! Measurements. Except for times, they are the same for the same keys and seed on every machine.
//!
//! Each question is one module. A timed question has a line in [`times`]; a question about datasets has a field in
//! [`OnKeys`], which is measured and appended here and put into the records by `fill` in `run/quality.rs`.

pub mod collisions;
pub mod curves;
pub mod distribution;
pub mod false_positives;
mod flips;
mod hashed;
pub mod mechanism;
pub mod mixing;
pub mod occupancy;
pub mod places;
mod prefixes;
mod radix;
mod remainder;
pub mod shards;
pub mod structured;
pub mod timing;
pub mod windows;

use rayon::prelude::*;

use self::collisions::RawCollisions;
use self::false_positives::Probes;
pub use self::hashed::Hashed;
use self::occupancy::RawOccupancy;
use crate::functions::Function;
use crate::keys::Dataset;
use crate::record::files::Records;
use crate::record::{DistributionRow, FalsePositiveRow, NearSizesRow, ShardRow, SizeRow, WindowRow};
use records::error::Error;
use records::progress::{Cancelled, Progress, go_on};

/// Runs all timed measurements, in a process that should do nothing else.
///
/// # Errors
///
/// Returns an error if a timed result is wrong, or if `progress` requests a stop.
pub fn times(
    records: &mut Records,
    datasets: &[Dataset],
    functions: &[&Function],
    progress: &dyn Progress,
) -> Result<(), Error> {
    let (seed, quick) = (records.run.seed, records.run.quick);
    ([records.timing, records.latency], records.spread) =
        timing::measure(datasets, functions, seed, quick, progress)?;
    records.curves = curves::measure(functions, seed, quick, progress)?;
    records.places = places::measure(datasets, functions, seed, quick, progress)?;
    Ok(())
}

/// Results of functions on datasets, by dataset and function, the ideal hash after the functions.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OnKeys {
    /// Collisions as counted.
    pub collisions: Vec<RawCollisions>,
    /// Distribution over buckets and output bits.
    pub distribution: Vec<DistributionRow>,
    /// False positives.
    pub false_positives: Vec<FalsePositiveRow>,
    /// Filters and tables of some of the keys.
    pub sizes: Vec<SizeRow>,
    /// Filters of neighbouring numbers of keys.
    pub near_sizes: Vec<NearSizesRow>,
    /// Collisions in windows of the output, not corrected for their number yet.
    pub windows: Vec<WindowRow>,
    /// Hash tables as filled.
    pub tables: Vec<RawOccupancy>,
    /// The fullest of the shards.
    pub shards: Vec<ShardRow>,
}

impl OnKeys {
    /// Measures on the threads of the current pool; the result does not depend on their number.
    ///
    /// # Errors
    ///
    /// Returns an error if `progress` requests a stop.
    pub fn measure(
        datasets: &[Dataset],
        functions: &[&Function],
        progress: &dyn Progress,
    ) -> Result<Self, Cancelled> {
        progress.begin("quality", (datasets.len() * (functions.len() + 2)) as u64);
        let probes: Vec<Probes<'_>> = datasets
            .par_iter()
            .map(|dataset| {
                go_on(progress)?;
                let probes = Probes::new(dataset);
                progress.step();
                Ok(probes)
            })
            .collect::<Result<_, Cancelled>>()?;
        let hashes = || functions.iter().map(|&function| Some(function)).chain([None]);
        let tasks: Vec<_> = datasets
            .iter()
            .zip(&probes)
            .flat_map(|(dataset, probes)| hashes().map(move |function| (dataset, probes, function)))
            .collect();
        let parts: Vec<Self> = tasks
            .par_iter()
            .map(|&(dataset, probes, function)| {
                let part = Self::of(dataset, probes, function, progress)?;
                progress.step();
                Ok(part)
            })
            .collect::<Result<_, Cancelled>>()?;
        let mut all = Self::default();
        for part in parts {
            all.collisions.extend(part.collisions);
            all.distribution.extend(part.distribution);
            all.false_positives.extend(part.false_positives);
            all.sizes.extend(part.sizes);
            all.near_sizes.extend(part.near_sizes);
            all.windows.extend(part.windows);
            all.tables.extend(part.tables);
            all.shards.extend(part.shards);
        }
        Ok(all)
    }

    /// Measures one function on one dataset, or the ideal hash in filters if there is no function.
    fn of(
        dataset: &Dataset,
        probes: &Probes<'_>,
        function: Option<&Function>,
        progress: &dyn Progress,
    ) -> Result<Self, Cancelled> {
        let mut part = Self::default();
        // With ten million keys each of these takes a good part of a second.
        go_on(progress)?;
        let Some(function) = function else {
            (part.sizes, part.near_sizes) = probes.sizes_ideal();
            part.false_positives = probes.measure_ideal(progress)?;
            return Ok(part);
        };
        let hashed = Hashed::new(&dataset.keys, function);
        go_on(progress)?;
        part.collisions.push(collisions::measure(dataset, &hashed));
        go_on(progress)?;
        part.distribution = distribution::measure(dataset, &hashed);
        go_on(progress)?;
        part.windows = windows::measure(&dataset.name, &hashed);
        go_on(progress)?;
        part.tables = occupancy::measure(&dataset.name, &hashed);
        part.shards = shards::measure(&dataset.name, &hashed);
        go_on(progress)?;
        let values = probes.values(&hashed);
        (part.sizes, part.near_sizes) = probes.sizes(function.name, &values);
        part.false_positives = probes.rates(function.name, &values, progress)?;
        Ok(part)
    }
}
