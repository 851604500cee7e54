//! The cost of each function for each purpose, in that purpose's unit: the only place where a failed test gets a price.
//!
//! Filters pay in false positives, tables in keys compared per key found, shards in keys in the fullest shard,
//! checksums in keys that share a value. Significance and size of a cost are separate questions: with enough keys the
//! smallest defect is measurable.

use super::findings::{Compared, Comparison};
use super::occupancy::TESTS_IN_ROW;
use super::windows;
use super::words::placed;
use crate::record::files::Records;
use crate::record::{
    About, Choice, CostRow, DatasetKind, DatasetSummary, FunctionSummary, OccupancyRow, Purpose, ShardRow,
    WindowEnd, WindowRow, about,
};
use statistics::correction::{FAMILY_LEVEL, bonferroni};

/// The bucket choices whose cost counts. The other choices show how to make up for a weak function.
const CHOICES: [Choice; 2] = [Choice::LowBits, Choice::Remainder];

/// Returns one row for each measured dataset, function and purpose, in this order.
pub fn judge(records: &Records) -> Vec<CostRow> {
    let mut costs = Vec::new();
    for dataset in &records.run.datasets {
        for function in &records.run.functions {
            let of = Places {
                records,
                dataset,
                function,
            };
            for (purpose, places) in [
                (Purpose::Filter, of.filters()),
                (Purpose::Table, of.tables()),
                (Purpose::Shard, of.shards()),
                (Purpose::Checksum, of.checksum()),
            ] {
                costs.extend(worst(dataset, function, purpose, places));
            }
        }
    }
    costs
}

/// A filter, table, set of shards or window, with its measured value and that of chance.
struct Place {
    name: String,
    measured: f64,
    chance: f64,
    p_adjusted: f64,
}

impl Place {
    /// Returns the relative excess over chance.
    fn cost(&self) -> f64 {
        if self.measured == self.chance {
            return 0.0;
        }
        (self.measured / self.chance - 1.0).min(CostRow::MAX)
    }

    fn is_measurable(&self) -> bool {
        self.p_adjusted < FAMILY_LEVEL && self.measured > self.chance
    }
}

/// Returns the row of the costliest place; measurable places come before others.
fn worst(
    dataset: &DatasetSummary,
    function: &FunctionSummary,
    purpose: Purpose,
    places: Vec<Place>,
) -> Option<CostRow> {
    let order = |place: &Place| (place.is_measurable(), place.cost());
    let worst = places.into_iter().max_by(|a, b| {
        let ((a, a_cost), (b, b_cost)) = (order(a), order(b));
        a.cmp(&b).then(a_cost.total_cmp(&b_cost))
    })?;
    Some(CostRow {
        dataset: dataset.name.clone(),
        function: function.name.clone(),
        purpose,
        cost: worst.cost(),
        measurable: worst.is_measurable(),
        place: worst.name,
        measured: worst.measured,
        chance: worst.chance,
        p_adjusted: worst.p_adjusted,
    })
}

/// The measurements of one function on one dataset.
struct Places<'a> {
    records: &'a Records,
    dataset: &'a DatasetSummary,
    function: &'a FunctionSummary,
}

impl Places<'_> {
    fn of<'a, R: About>(&self, rows: &'a [R]) -> impl Iterator<Item = &'a R> {
        about(rows, &self.dataset.name, &self.function.name)
    }

    /// Returns the filters, each compared with the ideal hash in the same filters.
    fn filters(&self) -> Vec<Place> {
        let is_generated = self.dataset.kind == DatasetKind::Generated;
        let comparison = Comparison::new(&self.records.near_sizes, is_generated);
        let place = |Compared {
                         row,
                         ideal,
                         p_adjusted,
                         ..
                     }: Compared<'_>| Place {
            name: format!("{} bits per key", row.bits_per_key),
            measured: row.rate,
            chance: ideal.rate,
            p_adjusted,
        };
        let all = comparison.of(&self.dataset.name, &self.function.name);
        all.map(place).collect()
    }

    /// Returns the tables that use low bits or remainders, with about one bucket per key.
    fn tables(&self) -> Vec<Place> {
        let rows = self
            .of(&self.records.occupancy)
            .filter(|row| CHOICES.contains(&row.choice));
        let place = |row: &OccupancyRow| Place {
            name: placed(row.buckets, "buckets", row.choice),
            measured: row.hit,
            chance: row.hit_expected,
            p_adjusted: bonferroni(row.hit_p, self.records.occupancy.len() * TESTS_IN_ROW),
        };
        rows.map(place).collect()
    }

    fn shards(&self) -> Vec<Place> {
        let place = |row: &ShardRow| Place {
            name: placed(row.buckets, "shards", row.choice),
            measured: row.fullest as f64,
            chance: row.fullest_expected,
            p_adjusted: bonferroni(row.p_value, self.records.shards.len()),
        };
        self.of(&self.records.shards).map(place).collect()
    }

    /// Returns the windows of all bits.
    fn checksum(&self) -> Vec<Place> {
        let full = self
            .of(&self.records.windows)
            .filter(|row| row.end == WindowEnd::Full);
        let place = |row: &WindowRow| Place {
            name: windows::place(row),
            measured: row.collisions as f64,
            chance: row.expected,
            p_adjusted: row.p_adjusted,
        };
        full.map(place).collect()
    }
}
