//! The filters in the comparison: all have the same rate, and all except the blocked filter the same size and probe
//! count.

mod guava;
mod local;

use bench_guava::JavaError;

use self::guava::Guava;
use crate::keys::Keys;
use crate::plan::Plan;

/// The time of a batch, and the number of positive answers: inserts that changed bits, or keys that may be present.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Timed {
    pub(crate) ns: u64,
    pub(crate) yes: u64,
}

/// The description of a filter in the records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Description {
    pub(crate) filter: &'static str,
    pub(crate) version: String,
    pub(crate) setup: String,
}

pub(crate) trait Contestant {
    fn description(&self) -> &Description;

    /// Creates a filter, empty or of random words.
    fn start(&mut self, plan: &Plan) -> Result<(), JavaError>;

    /// Returns bits and probe count.
    fn size(&self) -> (u64, u32);

    /// Fills an empty filter with the keys, `times` times.
    fn build(&mut self, keys: Keys, times: u32) -> Result<Timed, JavaError>;

    /// Inserts keys in addition to those present.
    fn insert(&mut self, keys: Keys) -> Result<Timed, JavaError>;

    /// Queries the keys, `times` times.
    fn ask(&mut self, keys: Keys, times: u32) -> Result<Timed, JavaError>;

    /// Frees the memory.
    fn stop(&mut self);
}

/// Returns all contestants, Guava first.
///
/// # Errors
///
/// If Java or Guava is missing.
pub(crate) fn all() -> Result<Vec<Box<dyn Contestant>>, JavaError> {
    let mut all: Vec<Box<dyn Contestant>> = vec![Box::new(Guava::start()?)];
    all.extend(local::all());
    Ok(all)
}
