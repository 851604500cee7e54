//! Everything that does not depend on the machine, measured on all processors and judged.

use rayon::prelude::*;

use crate::functions::Function;
use crate::judge;
use crate::keys::Dataset;
use crate::measure::collisions::RawCollisions;
use crate::measure::mixing::{self, Effort, Mixing};
use crate::measure::occupancy::RawOccupancy;
use crate::measure::{OnKeys, mechanism, structured};
use crate::record::StructuredRow;
use crate::record::files::Records;
use records::error::Error;
use records::progress::{Cancelled, Progress, go_on};

/// Measures everything that does not depend on the machine, adds the rows to `records`, and returns the collisions as
/// counted. Uses one thread per processor, or `RAYON_NUM_THREADS` threads; the result does not depend on it.
///
/// # Errors
///
/// Returns an error if threads cannot be started, or if `progress` requests a stop.
pub fn fill(
    records: &mut Records,
    datasets: &[Dataset],
    functions: &[&Function],
    progress: &dyn Progress,
) -> Result<Vec<RawCollisions>, Error> {
    let pool = rayon::ThreadPoolBuilder::new()
        .build()
        .map_err(|error| Error::internal(format!("cannot start threads: {error}")))?;
    Ok(pool.install(|| -> Result<_, Cancelled> {
        let on_keys = OnKeys::measure(datasets, functions, progress)?;
        records.collisions = judge::collisions::judge(&on_keys.collisions);
        records.distribution = on_keys.distribution;
        records.false_positives = on_keys.false_positives;
        records.sizes = on_keys.sizes;
        records.near_sizes = on_keys.near_sizes;
        records.windows = on_keys.windows;
        judge::windows::judge(&mut records.windows);
        mixing(records, functions, progress)?;
        records.shards = on_keys.shards;
        structure(records, &on_keys.tables, functions, progress)?;
        Ok(on_keys.collisions)
    })?)
}

/// Measures and judges how functions mix the bits of random keys, which depend only on the run's seed.
fn mixing(records: &mut Records, functions: &[&Function], progress: &dyn Progress) -> Result<(), Cancelled> {
    progress.begin("mixing of bits", functions.len() as u64);
    let seed = records.run.seed;
    let part = |function: &&Function| {
        go_on(progress)?;
        let mixing = mixing::measure(function, seed, Effort::RUN);
        progress.step();
        Ok(mixing)
    };
    let parts: Vec<Mixing> = functions.par_iter().map(part).collect::<Result<_, Cancelled>>()?;
    for part in parts {
        records.avalanche.extend(part.avalanche);
        records.mixing.extend(part.rows);
    }
    judge::mixing::judge(&mut records.mixing);
    Ok(())
}

/// Measures and judges structured keys and mechanisms, and judges the hash tables.
///
/// # Errors
///
/// Returns an error if `progress` requests a stop.
pub fn structure(
    records: &mut Records,
    tables: &[RawOccupancy],
    functions: &[&Function],
    progress: &dyn Progress,
) -> Result<(), Cancelled> {
    let tests = structured::tests(functions.iter().map(|function| function.output_bits));
    let is_worse = |row: &StructuredRow| judge::structured::is_worse(row, tests);
    records.structured = structured::measure(functions, records.run.seed, is_worse, progress)?;
    judge::structured::judge(&mut records.structured, tests);
    records.occupancy = judge::occupancy::judge(tables);
    records.mechanisms = judge::mechanisms::judge(&mechanism::measure(functions));
    Ok(())
}
