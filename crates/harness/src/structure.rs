//! Everything about structured keys, hash tables and mechanisms, measured on all processors; the same on every machine.

use rayon::prelude::*;

use crate::compare::CompareError;
use crate::dataset::Dataset;
use crate::functions::Function;
use crate::measure::{mechanism, occupancy, structured};
use crate::progress::{Cancelled, Progress, go_on};
use crate::record::Structure;

/// Measures on `threads` threads, [`ALL_PROCESSORS`](crate::quality::ALL_PROCESSORS) for as many as there are; the result
/// does not depend on their number.
///
/// # Errors
///
/// When the system gives no threads, or `progress` asks to stop.
pub fn measure(
    datasets: &[Dataset],
    functions: &[&Function],
    seed: u64,
    threads: usize,
    progress: &dyn Progress,
) -> Result<Structure, CompareError> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| CompareError::Threads(error.to_string()))?;
    pool.install(|| {
        let structured = structured::measure(functions, seed, progress)?;
        let mechanisms = mechanism::measure(functions);
        progress.begin("hash tables", (datasets.len() * functions.len()) as u64);
        let tables: Vec<_> = datasets
            .iter()
            .flat_map(|dataset| functions.iter().map(move |&function| (dataset, function)))
            .collect();
        let raw: Vec<Vec<_>> = tables
            .par_iter()
            .map(|(dataset, function)| {
                go_on(progress)?;
                let raw = occupancy::measure(dataset, function);
                progress.step();
                Ok(raw)
            })
            .collect::<Result<_, Cancelled>>()?;
        Ok(Structure {
            structured,
            occupancy: occupancy::judge(raw.into_iter().flatten().collect()),
            mechanisms,
        })
    })
}
