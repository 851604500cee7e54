//! The cost of each function for each purpose, in that purpose's unit: the only place where a failed test gets a price.
//!
//! Filters pay in false positives, tables in keys compared per key found, shards in keys in the fullest shard,
//! checksums in keys that share a value. Significance and size of a cost are separate questions: with enough keys the
//! smallest defect is measurable.

use crate::questions::{QUESTIONS, Records};
use crate::record::CostRow;
use statistics::correction::FAMILY_LEVEL;

/// Returns the rows of each measured dataset and function, in this order, by purpose.
pub fn judge(records: &Records) -> Vec<CostRow> {
    let mut costs = Vec::new();
    for dataset in &records.run.datasets {
        for function in &records.run.functions {
            let rows = QUESTIONS.iter();
            let rows = rows.flat_map(|question| (question.costs)(records, dataset, function));
            let mut rows: Vec<CostRow> = rows.map(weighed).collect();
            // Stable: the places of a purpose keep their order.
            rows.sort_by_key(|row| row.purpose);
            for places in rows.chunk_by_mut(|a, b| a.purpose == b.purpose) {
                decide(places);
                show(places);
            }
            costs.extend(rows.into_iter().filter(|row| row.decides || row.is_shown()));
        }
    }
    costs
}

/// Leaves one place to decide, the costliest.
fn decide(places: &mut [CostRow]) {
    let of_all = (0..places.len()).filter(|&index| places[index].decides);
    let worst = of_all.max_by(|&a, &b| places[a].by_cost(&places[b]));
    for (index, row) in places.iter_mut().enumerate() {
        row.decides = Some(index) == worst;
    }
}

/// Of the places that differ in size alone, leaves one to be shown, and one beside it if that is the costliest and measurably
/// worse than chance: what decides is always shown.
fn show(places: &mut [CostRow]) {
    for first in 0..places.len() {
        let kind = places[first].kind();
        let same: Vec<usize> = (0..places.len())
            .filter(|&index| places[index].kind() == kind)
            .collect();
        if same[0] != first {
            continue;
        }
        // A mean over several numbers of keys would stand beside the rate of the exact number, so it is shown only if it decides.
        let usual = same.iter().copied().find(|&index| places[index].shown);
        let usual = usual.or((places[first].sizes == 1).then_some(first));
        let measurable = same.iter().copied().filter(|&index| places[index].measurable);
        let worst = measurable.max_by(|&a, &b| places[a].by_cost(&places[b]));
        for index in same {
            places[index].shown = Some(index) == usual;
            places[index].costliest = Some(index) == worst && worst != usual;
        }
    }
}

/// Adds the excess over chance, and whether it is measurable.
fn weighed(mut row: CostRow) -> CostRow {
    row.cost = match row.measured == row.chance {
        true => 0.0,
        false => (row.measured / row.chance - 1.0).min(CostRow::MAX),
    };
    row.measurable = row.p_adjusted < FAMILY_LEVEL && row.measured > row.chance;
    row
}
