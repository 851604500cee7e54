//! The filters in the comparison: all have the same rate, and all except the blocked filter the same size and probe
//! count.

mod guava;
mod local;

use bench_kit::turns::Timed;

use self::guava::Guava;
use crate::keys::Keys;
use crate::plan::Plan;

/// The description of a filter in the records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Description {
    pub(crate) filter: &'static str,
    pub(crate) version: String,
    pub(crate) setup: String,
}

pub(crate) trait Contestant {
    fn description(&self) -> &Description;

    /// Creates a filter, empty or of random words, in place of the old one. Returns its bits and its probe count.
    fn start(&mut self, plan: &Plan) -> Result<(u64, u32), String>;

    /// Inserts the keys, or queries them.
    fn run(&mut self, is_insert: bool, keys: Keys) -> Result<Timed, String>;
}

/// Returns all contestants, Guava first.
///
/// # Errors
///
/// If Java or Guava is missing.
pub(crate) fn all() -> Result<Vec<Box<dyn Contestant>>, String> {
    let mut all: Vec<Box<dyn Contestant>> = vec![Box::new(Guava::start()?)];
    all.extend(local::all());
    Ok(all)
}
