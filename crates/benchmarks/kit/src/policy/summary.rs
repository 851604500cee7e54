//! From batches to medians and ratios.

use super::{Batch, Contender, Form, Policy};
use crate::benchmark::{Series, Timed, series};

impl Timed for Batch {
    type Contestant = (Contender, Form);
    const BASELINE: &'static str = "batches of an engine's own";
    const CONDITIONS: &'static str = "version, bits per key or keys";

    fn contestant(&self) -> (Contender, Form) {
        (self.contender, self.form)
    }

    fn is_baseline(&self) -> bool {
        self.contender.is_engine()
    }

    fn same_in_group(&self, other: &Self) -> bool {
        (self.bits_per_key, self.keys) == (other.bits_per_key, other.keys)
    }

    fn same_in_rounds(&self, other: &Self) -> bool {
        self.version == other.version
    }

    fn round(&self) -> u64 {
        self.round
    }

    fn calls(&self) -> u64 {
        self.keys
    }

    fn ns(&self) -> u64 {
        self.ns
    }

    fn named(&self) -> String {
        format!(
            "{:?}, {:?}, {:?}, {} keys a filter, {}, round {}",
            self.contender,
            self.form,
            self.task,
            self.filter_keys,
            self.key_lengths.words(),
            self.round
        )
    }
}

/// The rows of all contenders, sorted by lengths, task, keys of a filter, contender and form.
///
/// # Errors
///
/// In words, when batches contradict each other or lack the engine's of their round.
pub fn summarize(batches: &[Batch]) -> Result<Vec<Policy>, String> {
    let all = series(batches, |batch| {
        (batch.key_lengths, batch.task, batch.filter_keys)
    })?;
    Ok(all.iter().map(row).collect())
}

fn row(series: &Series<'_, Batch>) -> Policy {
    let first = series.first;
    Policy {
        contender: first.contender,
        form: first.form,
        version: first.version.clone(),
        task: first.task,
        key_lengths: first.key_lengths,
        filter_keys: first.filter_keys,
        bits_per_key: first.bits_per_key,
        rounds: series.batches.len() as u64,
        keys: series.batches.iter().map(|batch| batch.keys).sum(),
        median_ns_per_key: series.median_ns,
        mad_ns_per_key: series.mad_ns,
        ratio_to_engine: series.ratio,
        ratio_low: series.ratio_low,
        ratio_high: series.ratio_high,
    }
}
