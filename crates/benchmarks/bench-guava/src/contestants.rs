//! The filters in the comparison: all have the same rate, and all except the blocked filter the same size and probe
//! count.

mod guava;
mod local;

use bench_kit::turns::Timed;
use terminal::failure::Failure;

use crate::keys::Keys;
use crate::plan::Plan;

/// A filter in the comparison, and its description in the records.
pub(crate) struct Contestant {
    pub(crate) filter: &'static str,
    pub(crate) version: String,
    pub(crate) setup: String,
    pub(crate) work: Box<dyn Work>,
}

/// What a filter does in the comparison.
pub(crate) trait Work {
    /// Creates a filter, empty or of random words, in place of the old one. Returns its bits and its probe count.
    fn start(&mut self, plan: &Plan) -> Result<(u64, u32), Failure>;

    /// Inserts the keys, or queries them.
    fn run(&mut self, is_insert: bool, keys: Keys) -> Result<Timed, Failure>;
}

/// Returns all contestants, Guava first.
///
/// # Errors
///
/// If Java or Guava is missing.
pub(crate) fn all() -> Result<Vec<Contestant>, Failure> {
    Ok([guava::start()?].into_iter().chain(local::all()).collect())
}
