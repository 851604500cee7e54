//! Known weaknesses of a function on other keys than those of a dataset: structured ones, and single bits of random ones.

use serde::Serialize;

use crate::questions::collisions::furthest;
use crate::questions::collisions::structured::{self, SetsFailed};
use crate::questions::{CollisionRow, Records};
use crate::record::{BitTest, DatasetSummary, Effect, End, about};

/// What is known against a function.
#[derive(Debug, Clone, Serialize)]
pub struct Weakness {
    /// The structured key sets on which it collides more than by chance.
    #[serde(flatten)]
    sets: SetsFailed,
    /// Set if flipping a bit of a key does not flip output bits half of the time, and some use of these keys pays for defects:
    /// otherwise the bits are mixed well enough.
    unmixed: bool,
    /// The result on the set that is most like the dataset.
    nearest: Option<Nearest>,
}

/// The result on the structured set that is most like a dataset.
#[derive(Debug, Clone, Serialize)]
struct Nearest {
    set: &'static str,
    recipe: &'static str,
    /// The worst window, if one has too many collisions.
    worst: Option<CollisionRow>,
    /// Set if the low bits pass.
    high_only: bool,
}

/// Returns the weakness of a function, or `None` if it has none.
pub fn of(records: &Records, dataset: &DatasetSummary, function: &str) -> Option<Weakness> {
    let sets = structured::sets_failed(records, function);
    let failed = sets.failed;
    let mut facts = records.run.bit_facts.iter();
    let negligible = records.run.request.negligible;
    let mut costs = about(&records.costs, &dataset.name, function);
    let unmixed = facts.any(|fact| fact.is(function, BitTest::Avalanche))
        && costs.any(|row| row.purpose.is_some() && row.effect(negligible) == Effect::Costly);
    let nearest = || {
        let set = structured::nearest(dataset)?;
        let rows = || about(&records.structured, set.name, function);
        rows().next()?;
        Some(Nearest {
            set: set.name,
            recipe: set.recipe,
            worst: furthest(rows()).cloned(),
            high_only: rows().all(|row| !row.is_worse() || row.end == End::High),
        })
    };
    (failed > 0 || unmixed).then(|| Weakness {
        sets,
        unmixed,
        nearest: (failed > 0).then(nearest).flatten(),
    })
}
