//! Everything about structured keys, hash tables and mechanisms, measured on all processors; the same on every machine.

use crate::functions::Function;
use crate::judge;
use crate::measure::occupancy::RawOccupancy;
use crate::measure::{mechanism, structured};
use crate::progress::Progress;
use crate::record::{MechanismRow, OccupancyRow, StructuredRow};
use crate::run::compare::CompareError;

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

/// Measures on `threads` threads, [`ALL_PROCESSORS`](crate::run::quality::ALL_PROCESSORS) for as many as there are; the result
/// does not depend on their number. `tables` are judged as they are.
///
/// # Errors
///
/// When the system gives no threads, or `progress` asks to stop.
pub fn measure(
    tables: Vec<RawOccupancy>,
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
        let tests = structured::tests(functions.iter().map(|function| function.output_bits));
        let is_worse = |keys, bits, collisions| judge::structured::is_worse(tests, keys, bits, collisions);
        let structured = structured::measure(functions, seed, is_worse, progress)?;
        Ok(Structure {
            structured: judge::structured::judge(structured, tests),
            occupancy: judge::occupancy::judge(&tables),
            mechanisms: judge::mechanisms::judge(&mechanism::measure(functions)),
        })
    })
}
