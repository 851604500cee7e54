//! The filters in the comparison: all have the same rate, and all except the blocked filter the same size and probe
//! count.

mod blocked;
mod guava;
mod ours;
mod peers;

use bench_guava::JavaError;
use bench_kit::turns::timed;

pub(crate) use self::guava::Guava;
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
    fn description(&self) -> Description;

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
    Ok(vec![
        Box::new(Guava::start()?),
        Box::new(Local::<ours::Ours<false>>::new()),
        Box::new(Local::<ours::Ours<true>>::new()),
        Box::new(Local::<blocked::Blocked<false>>::new()),
        Box::new(Local::<blocked::Blocked<true>>::new()),
        Box::new(Local::<peers::FastbloomDefault>::new()),
        Box::new(Local::<peers::FastbloomFoldhash>::new()),
        Box::new(Local::<peers::Bloomfilter>::new()),
    ])
}

/// A filter in this process.
trait Filter: Sized {
    fn description() -> Description;

    /// Creates a filter, empty or of [`random_words`](crate::keys::random_words).
    fn new(plan: &Plan) -> Self;

    /// Returns bits and probe count.
    fn size(&self) -> (u64, u32);

    /// Inserts keys, and returns how many changed bits.
    fn insert_all(&mut self, keys: &[String]) -> u64;

    /// Queries keys, and returns how many may be present.
    fn ask_all(&mut self, keys: &[String]) -> u64;
}

/// Runs the loops over a [`Filter`] and times them.
struct Local<F> {
    plan: Option<Plan>,
    filter: Option<F>,
    part: Vec<String>,
}

impl<F: Filter> Local<F> {
    fn new() -> Self {
        Self {
            plan: None,
            filter: None,
            part: Vec::new(),
        }
    }

    /// Calls the filter for each part of the keys, `times` times.
    fn each(&mut self, keys: Keys, times: u32, call: fn(&mut F, &[String]) -> u64) -> Timed {
        let filter = self.filter.as_mut().expect("started before it is asked");
        let mut sum = Timed::default();
        for _ in 0..times {
            keys.for_each_part(&mut self.part, |keys| {
                let (yes, ns) = timed(|| call(filter, keys));
                sum.ns += ns;
                sum.yes += yes;
            });
        }
        sum
    }
}

impl<F: Filter> Contestant for Local<F> {
    fn description(&self) -> Description {
        F::description()
    }

    fn start(&mut self, plan: &Plan) -> Result<(), JavaError> {
        self.plan = Some(plan.clone());
        self.filter = Some(F::new(plan));
        Ok(())
    }

    fn size(&self) -> (u64, u32) {
        self.filter.as_ref().map_or((0, 0), F::size)
    }

    fn build(&mut self, keys: Keys, times: u32) -> Result<Timed, JavaError> {
        let mut sum = Timed::default();
        for _ in 0..times {
            self.filter = self.plan.as_ref().map(F::new);
            let one = self.insert(keys)?;
            sum.ns += one.ns;
            sum.yes += one.yes;
        }
        Ok(sum)
    }

    fn insert(&mut self, keys: Keys) -> Result<Timed, JavaError> {
        Ok(self.each(keys, 1, F::insert_all))
    }

    fn ask(&mut self, keys: Keys, times: u32) -> Result<Timed, JavaError> {
        Ok(self.each(keys, times, F::ask_all))
    }

    fn stop(&mut self) {
        self.filter = None;
    }
}
