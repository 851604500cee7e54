//! The verdict on a function by part of its use: filters, and tables or shards by each way of choosing places.

use std::cmp::Ordering;

use serde::Serialize;

use crate::questions::Records;
use crate::record::{Choice, CostRow, Effect, Purpose, Unit, about};

/// A part of a use, with what the function's costliest place in it costs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Part {
    /// The purpose.
    pub purpose: Purpose,
    /// The way of choosing buckets or shards.
    pub choice: Option<Choice>,
    /// The effect of the cost, which decides whether the function is good enough for the part.
    pub effect: Effect,
    /// The excess over chance.
    pub cost: f64,
    /// The number of shards, and the keys of the fullest divided by an equal share.
    pub fullest: Option<(u64, f64)>,
}

/// Returns the verdicts on a function for these purposes, in the order of the costs.
pub fn of(records: &Records, dataset: &str, function: &str, purposes: &[Purpose]) -> Vec<Part> {
    let rows = about(&records.costs, dataset, function);
    let rows = rows.filter(|row| row.purpose.is_some_and(|purpose| purposes.contains(&purpose)));
    let mut worst: Vec<&CostRow> = Vec::new();
    for row in rows {
        match worst.iter_mut().find(|other| other.kind() == row.kind()) {
            Some(other) if row.by_cost(other) == Ordering::Greater => *other = row,
            Some(_) => {}
            None => worst.push(row),
        }
    }
    let part = |row: &CostRow| {
        Some(Part {
            purpose: row.purpose?,
            choice: row.choice,
            effect: row.effect(records.run.request.negligible),
            cost: row.cost,
            fullest: (row.unit == Unit::FullestShard)
                .then(|| (row.size, row.measured * row.size as f64 / row.keys as f64)),
        })
    };
    worst.into_iter().filter_map(part).collect()
}
