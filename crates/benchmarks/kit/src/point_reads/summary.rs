//! From batches to medians and ratios.

use super::{Batch, PointReads, Policy};
use crate::benchmark::{Series, Timed, series};

impl Timed for Batch {
    type Contestant = Policy;
    const BASELINE: &'static str = "policies none or always-yes";
    const CONDITIONS: &'static str = "version, entries, sizes, gets or bits per key";

    fn contestant(&self) -> Policy {
        self.policy
    }

    fn is_baseline(&self) -> bool {
        self.policy.is_baseline()
    }

    fn same_in_group(&self, other: &Self) -> bool {
        let conditions = |batch: &Self| (batch.entries, batch.key_bytes, batch.value_bytes, batch.gets);
        self.version == other.version && conditions(self) == conditions(other)
    }

    fn same_in_rounds(&self, other: &Self) -> bool {
        self.bits_per_key == other.bits_per_key
    }

    fn round(&self) -> u64 {
        self.round
    }

    fn calls(&self) -> u64 {
        self.gets
    }

    fn ns(&self) -> u64 {
        self.ns
    }

    fn named(&self) -> String {
        format!(
            "{}, {:?}, {:?} cached, {:?} keys, round {}",
            self.engine, self.policy, self.cache, self.keys, self.round
        )
    }
}

/// The rows of all policies, sorted by engine, in the order of their first batches, key set, cache, keys and policy.
///
/// # Errors
///
/// In words, when batches contradict each other or lack the baseline of their round.
pub fn summarize(batches: &[Batch]) -> Result<Vec<PointReads>, String> {
    let mut engines: Vec<&str> = Vec::new();
    for batch in batches {
        if !engines.contains(&batch.engine.as_str()) {
            engines.push(&batch.engine);
        }
    }
    let number = |batch: &Batch| engines.iter().position(|engine| *engine == batch.engine);
    let all = series(batches, |batch| {
        (number(batch), batch.key_set, batch.cache, batch.keys)
    })?;
    Ok(all.iter().map(row).collect())
}

fn row(series: &Series<'_, Batch>) -> PointReads {
    let first = series.first;
    let gets: u64 = series.batches.iter().map(|batch| batch.gets).sum();
    let blocks: u64 = series.batches.iter().map(|batch| batch.blocks).sum();
    PointReads {
        engine: first.engine.clone(),
        version: first.version.clone(),
        policy: first.policy,
        bits_per_key: first.bits_per_key,
        cache: first.cache,
        key_set: first.key_set,
        entries: first.entries,
        key_bytes: first.key_bytes,
        value_bytes: first.value_bytes,
        keys: first.keys,
        rounds: series.batches.len() as u64,
        gets,
        blocks_per_get: blocks as f64 / gets as f64,
        median_ns_per_get: series.median_ns,
        mad_ns_per_get: series.mad_ns,
        ratio_to_no_filter: series.ratio,
        ratio_low: series.ratio_low,
        ratio_high: series.ratio_high,
    }
}
