//! From batches to medians and ratios.

use std::collections::BTreeMap;

use super::{Batch, Cache, KeySet, Keys, PointReads, Policy};
use crate::stats::robust;

/// How often the intervals of ratios hold the true median, at least.
pub const INTERVAL_LEVEL: f64 = 0.95;

/// What is compared with each other: the policies of an engine under equal conditions. Engines are numbered in the order
/// of their first batch.
type Group = (usize, KeySet, Cache, Keys);

/// The batches of one policy by round.
type Rounds<'a> = BTreeMap<u64, &'a Batch>;

/// The rows of all policies, sorted by engine, key set, cache, keys and policy.
///
/// # Errors
///
/// In words, when batches contradict each other or lack the baseline of their round.
pub fn summarize(batches: &[Batch]) -> Result<Vec<PointReads>, String> {
    let mut engines: Vec<&str> = Vec::new();
    let mut groups: BTreeMap<Group, BTreeMap<Policy, Rounds<'_>>> = BTreeMap::new();
    for batch in batches {
        let engine = engines
            .iter()
            .position(|engine| *engine == batch.engine)
            .unwrap_or_else(|| {
                engines.push(&batch.engine);
                engines.len() - 1
            });
        let group = groups
            .entry((engine, batch.key_set, batch.cache, batch.keys))
            .or_default();
        let rounds = group.entry(batch.policy).or_default();
        if rounds.insert(batch.round, batch).is_some() {
            return Err(format!("{} is there twice", named(batch)));
        }
    }
    let mut rows = Vec::new();
    for policies in groups.values() {
        let baselines: Vec<&Rounds<'_>> = policies
            .iter()
            .filter(|(policy, _)| policy.is_baseline())
            .map(|(_, rounds)| rounds)
            .collect();
        for rounds in policies.values() {
            let [baseline] = baselines[..] else {
                let some = rounds
                    .values()
                    .next()
                    .map_or_else(String::new, |batch| named(batch));
                return Err(format!(
                    "{some}: {} policies beside it are none or always-yes, not one",
                    baselines.len()
                ));
            };
            rows.extend(row(rounds, baseline)?);
        }
    }
    Ok(rows)
}

fn named(batch: &Batch) -> String {
    format!(
        "{}, {:?}, {:?} cached, {:?} keys, round {}",
        batch.engine, batch.policy, batch.cache, batch.keys, batch.round
    )
}

fn row(rounds: &Rounds<'_>, baseline: &Rounds<'_>) -> Result<Option<PointReads>, String> {
    let Some(first) = rounds.values().next() else {
        return Ok(None);
    };
    if !rounds.keys().eq(baseline.keys()) {
        return Err(format!(
            "{}: not the rounds of the policy that it is compared with",
            named(first)
        ));
    }
    let conditions = |batch: &Batch| {
        (
            batch.version.clone(),
            batch.entries,
            batch.key_bytes,
            batch.value_bytes,
            batch.gets,
        )
    };
    let (mut times, mut ratios, mut gets, mut blocks) = (Vec::new(), Vec::new(), 0, 0);
    for (batch, base) in rounds.values().zip(baseline.values()) {
        if conditions(batch) != conditions(first)
            || conditions(base) != conditions(first)
            || batch.bits_per_key != first.bits_per_key
        {
            return Err(format!(
                "{}: version, entries, sizes, gets or bits per key are not those of the other batches",
                named(batch)
            ));
        }
        times.push(batch.ns as f64 / batch.gets as f64);
        ratios.push(batch.ns as f64 / base.ns as f64);
        gets += batch.gets;
        blocks += batch.blocks;
    }
    // None of these is `None`, since there is a first batch.
    let (Some(median), Some(ratio), Some((low, high))) = (
        robust::median(&mut times),
        robust::median(&mut ratios),
        robust::median_interval(&mut ratios, INTERVAL_LEVEL),
    ) else {
        return Ok(None);
    };
    let Some(mad) = robust::median_absolute_deviation(&times, median) else {
        return Ok(None);
    };
    Ok(Some(PointReads {
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
        rounds: rounds.len() as u64,
        gets,
        blocks_per_get: blocks as f64 / gets as f64,
        median_ns_per_get: median,
        mad_ns_per_get: mad,
        ratio_to_no_filter: ratio,
        ratio_low: low,
        ratio_high: high,
    }))
}
