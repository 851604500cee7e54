//! The cost of each function for each purpose, in that purpose's unit: the only place where a failed test gets a price.
//!
//! Filters pay in false positives, tables in keys compared per key found, shards in keys in the fullest shard,
//! checksums in keys that share a value. Significance and size of a cost are separate questions: with enough keys the
//! smallest defect is measurable.

use crate::questions::{Cost, QUESTIONS, Records};
use crate::record::{CostRow, DatasetSummary, FunctionSummary};
use statistics::correction::FAMILY_LEVEL;

/// Returns one row for each measured dataset, function and purpose, in this order.
pub fn judge(records: &Records) -> Vec<CostRow> {
    let mut costs = Vec::new();
    for dataset in &records.run.datasets {
        for function in &records.run.functions {
            let questions = QUESTIONS.iter();
            let mut places: Vec<Cost> = questions
                .flat_map(|question| (question.costs)(records, dataset, function))
                .collect();
            // Stable: the places of a purpose keep their order.
            places.sort_by_key(|place| place.purpose);
            let purposes = places.chunk_by(|a, b| a.purpose == b.purpose);
            costs.extend(purposes.filter_map(|places| worst(dataset, function, places)));
        }
    }
    costs
}

/// Returns the row of the costliest place; measurable places come before others.
fn worst(dataset: &DatasetSummary, function: &FunctionSummary, places: &[Cost]) -> Option<CostRow> {
    let worst = places.iter().max_by(|a, b| {
        let measurable = is_measurable(a).cmp(&is_measurable(b));
        measurable.then(excess(a).total_cmp(&excess(b)))
    })?;
    Some(CostRow {
        dataset: dataset.name.clone(),
        function: function.name.clone(),
        purpose: worst.purpose,
        place: worst.place.clone(),
        measured: worst.measured,
        chance: worst.chance,
        cost: excess(worst),
        p_adjusted: worst.p_adjusted,
        measurable: is_measurable(worst),
    })
}

/// Returns the relative excess over chance.
fn excess(place: &Cost) -> f64 {
    if place.measured == place.chance {
        return 0.0;
    }
    (place.measured / place.chance - 1.0).min(CostRow::MAX)
}

fn is_measurable(place: &Cost) -> bool {
    place.p_adjusted < FAMILY_LEVEL && place.measured > place.chance
}
