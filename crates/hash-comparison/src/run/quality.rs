//! Everything that does not depend on the machine, measured on all processors and judged.

use rayon::prelude::*;

use crate::error::Error;
use crate::functions::Function;
use crate::judge;
use crate::keys::Dataset;
use crate::measure::collisions::RawCollisions;
use crate::measure::mixing::{self, Effort, Mixing};
use crate::measure::occupancy::RawOccupancy;
use crate::measure::{OnKeys, mechanism, structured};
use crate::progress::{Cancelled, Progress, go_on};
use crate::record::files::Records;
use crate::record::{MechanismRow, OccupancyRow, StructuredRow};

/// Measures everything that does not depend on the machine, on as many threads as there are processors or as the variable
/// `RAYON_NUM_THREADS` says, puts its rows into `records`, and gives the collisions as counted. The result does not depend
/// on the number of threads.
///
/// # Errors
///
/// When the system gives no threads, or `progress` asks to stop.
pub fn fill(
    records: &mut Records,
    datasets: &[Dataset],
    functions: &[&Function],
    progress: &dyn Progress,
) -> Result<Vec<RawCollisions>, Error> {
    let pool = rayon::ThreadPoolBuilder::new()
        .build()
        .map_err(|error| Error::internal(format!("cannot start threads: {error}")))?;
    let seed = records.run.seed;
    Ok(pool.install(|| -> Result<_, Cancelled> {
        let (collisions, tables) = OnKeys::measure(datasets, functions, progress)?.put_into(records);
        records.collisions = judge::collisions::judge(&collisions);
        judge::windows::judge(&mut records.windows);
        let mixing = mixing(functions, seed, progress)?;
        records.avalanche = mixing.avalanche;
        records.mixing = mixing.rows;
        let structure = structure(&tables, functions, seed, progress)?;
        records.structured = structure.structured;
        records.occupancy = structure.occupancy;
        records.mechanisms = structure.mechanisms;
        Ok(collisions)
    })?)
}

/// Measures and judges how well functions mix the bits of random keys, which depend on `seed` alone.
fn mixing(functions: &[&Function], seed: u64, progress: &dyn Progress) -> Result<Mixing, Cancelled> {
    progress.begin("mixing of bits", functions.len() as u64);
    let part = |function: &&Function| {
        go_on(progress)?;
        let mixing = mixing::measure(function, seed, Effort::RUN);
        progress.step();
        Ok(mixing)
    };
    let parts: Vec<Mixing> = functions.par_iter().map(part).collect::<Result<_, Cancelled>>()?;
    let mut all = Mixing::default();
    for part in parts {
        all.avalanche.extend(part.avalanche);
        all.rows.extend(part.rows);
    }
    judge::mixing::judge(&mut all.rows);
    Ok(all)
}

/// What a run says of structured keys, hash tables and mechanisms.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Structure {
    /// By set and function.
    pub structured: Vec<StructuredRow>,
    /// By dataset and function.
    pub occupancy: Vec<OccupancyRow>,
    /// By function.
    pub mechanisms: Vec<MechanismRow>,
}

/// Measures and judges structured keys and mechanisms, and judges the hash tables.
///
/// # Errors
///
/// When `progress` asks to stop.
pub fn structure(
    tables: &[RawOccupancy],
    functions: &[&Function],
    seed: u64,
    progress: &dyn Progress,
) -> Result<Structure, Cancelled> {
    let tests = structured::tests(functions.iter().map(|function| function.output_bits));
    let is_worse = |keys, bits, collisions| judge::structured::is_worse(tests, keys, bits, collisions);
    let structured = structured::measure(functions, seed, is_worse, progress)?;
    Ok(Structure {
        structured: judge::structured::judge(structured, tests),
        occupancy: judge::occupancy::judge(tables),
        mechanisms: judge::mechanisms::judge(&mechanism::measure(functions)),
    })
}
