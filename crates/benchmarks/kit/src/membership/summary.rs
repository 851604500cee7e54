//! From batches to medians and ratios.

use super::{Batch, Filter, Membership};
use crate::benchmark::{Series, Timed, series};

impl Timed for Batch {
    type Contestant = Filter;
    const BASELINE: &'static str = "batches of Guava's";
    const CONDITIONS: &'static str = "version, setup, size, contents, probes or calls";

    fn contestant(&self) -> Filter {
        self.filter
    }

    fn is_baseline(&self) -> bool {
        self.filter == Filter::Guava
    }

    fn same_in_group(&self, other: &Self) -> bool {
        let conditions = |batch: &Self| (batch.insertions, batch.contents, batch.bit_size, batch.calls);
        conditions(self) == conditions(other)
    }

    fn same_in_rounds(&self, other: &Self) -> bool {
        // A library may choose the probe count by itself.
        (&self.version, &self.setup, self.probes) == (&other.version, &other.setup, other.probes)
    }

    fn round(&self) -> u64 {
        self.round
    }

    fn calls(&self) -> u64 {
        self.calls
    }

    fn ns(&self) -> u64 {
        self.ns
    }

    fn named(&self) -> String {
        format!(
            "{:?}, {} bits, {:?}, round {}",
            self.filter, self.bits, self.operation, self.round
        )
    }
}

/// The rows of all filters, sorted by size, operation and filter.
///
/// # Errors
///
/// In words, when batches contradict each other or lack Guava's of their round.
pub fn summarize(batches: &[Batch]) -> Result<Vec<Membership>, String> {
    let all = series(batches, |batch| (batch.bits, batch.operation))?;
    Ok(all.iter().map(row).collect())
}

fn row(series: &Series<'_, Batch>) -> Membership {
    let first = series.first;
    let calls: u64 = series.batches.iter().map(|batch| batch.calls).sum();
    let yes: u64 = series.batches.iter().map(|batch| batch.yes).sum();
    Membership {
        filter: first.filter,
        version: first.version.clone(),
        setup: first.setup.clone(),
        bits: first.bits,
        insertions: first.insertions,
        contents: first.contents,
        bit_size: first.bit_size,
        probes: first.probes,
        operation: first.operation,
        rounds: series.batches.len() as u64,
        calls,
        yes_share: yes as f64 / calls as f64,
        median_ns_per_call: series.median_ns,
        mad_ns_per_call: series.mad_ns,
        ratio_to_guava: series.ratio,
        ratio_low: series.ratio_low,
        ratio_high: series.ratio_high,
    }
}
