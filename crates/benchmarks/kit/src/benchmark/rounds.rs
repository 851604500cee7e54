//! From batches to medians and ratios.

use std::collections::BTreeMap;

use statistics::robust;

/// How often the intervals of ratios hold the true median, at least.
pub const INTERVAL_LEVEL: f64 = 0.95;

/// Calls that were timed together.
pub(crate) trait Timed {
    /// What was timed, within a group whose members are compared with each other.
    type Contestant: Ord;
    /// The contestants that [`is_baseline`](Self::is_baseline), in words.
    const BASELINE: &'static str;
    /// What must not differ between batches, in words.
    const CONDITIONS: &'static str;

    fn contestant(&self) -> Self::Contestant;

    /// Whether the others of its group are compared with it.
    fn is_baseline(&self) -> bool;

    /// Whether what is equal within a group is equal.
    fn same_in_group(&self, other: &Self) -> bool;

    /// Whether what is equal within the rounds of a contestant is equal, that of the group aside.
    fn same_in_rounds(&self, other: &Self) -> bool;

    /// Round of the run, in which all contestants did the same.
    fn round(&self) -> u64;

    /// Calls of the batch, at least 1.
    fn calls(&self) -> u64;

    /// Time of all calls together, nanoseconds, at least 1.
    fn ns(&self) -> u64;

    /// Which batch this is, for a message.
    fn named(&self) -> String;
}

/// All rounds of a contestant.
#[derive(Debug)]
pub(crate) struct Series<'a, B> {
    /// Its batches by round, at least one.
    pub(crate) batches: Vec<&'a B>,
    /// The first of them, whose conditions are those of all.
    pub(crate) first: &'a B,
    /// Median time of a call over the rounds, nanoseconds.
    pub(crate) median_ns: f64,
    /// Median absolute deviation from that median.
    pub(crate) mad_ns: f64,
    /// Median over the rounds of its time over that of the baseline in the same round.
    pub(crate) ratio: f64,
    /// The interval of that median, see [`INTERVAL_LEVEL`].
    pub(crate) ratio_low: f64,
    /// Upper end of that interval.
    pub(crate) ratio_high: f64,
}

/// The batches of one contestant by round.
type Rounds<'a, B> = BTreeMap<u64, &'a B>;

/// The series of all contestants, sorted by group and contestant.
///
/// # Errors
///
/// In words, when batches contradict each other or lack the baseline of their round.
pub(crate) fn series<B: Timed, G: Ord>(
    batches: &[B],
    mut group: impl FnMut(&B) -> G,
) -> Result<Vec<Series<'_, B>>, String> {
    let mut groups: BTreeMap<G, BTreeMap<B::Contestant, Rounds<'_, B>>> = BTreeMap::new();
    for batch in batches {
        let contestants = groups.entry(group(batch)).or_default();
        let rounds = contestants.entry(batch.contestant()).or_default();
        if rounds.insert(batch.round(), batch).is_some() {
            return Err(format!("{} is there twice", batch.named()));
        }
    }
    let mut all = Vec::new();
    for contestants in groups.values() {
        let baselines: Vec<&Rounds<'_, B>> = contestants
            .values()
            .filter(|rounds| rounds.values().next().is_some_and(|batch| batch.is_baseline()))
            .collect();
        for rounds in contestants.values() {
            let Some(&first) = rounds.values().next() else {
                continue;
            };
            let [baseline] = baselines[..] else {
                return Err(format!(
                    "{}: {} {} beside it, not one",
                    first.named(),
                    baselines.len(),
                    B::BASELINE
                ));
            };
            all.extend(compare(first, rounds, baseline)?);
        }
    }
    Ok(all)
}

fn compare<'a, B: Timed>(
    first: &'a B,
    rounds: &Rounds<'a, B>,
    baseline: &Rounds<'a, B>,
) -> Result<Option<Series<'a, B>>, String> {
    if !rounds.keys().eq(baseline.keys()) {
        return Err(format!(
            "{}: not the rounds of what it is compared with",
            first.named()
        ));
    }
    let (mut times, mut ratios) = (Vec::new(), Vec::new());
    for (batch, base) in rounds.values().zip(baseline.values()) {
        if !batch.same_in_group(first) || !base.same_in_group(first) || !batch.same_in_rounds(first) {
            return Err(format!(
                "{}: {} are not those of the other batches",
                batch.named(),
                B::CONDITIONS
            ));
        }
        times.push(batch.ns() as f64 / batch.calls() as f64);
        ratios.push(batch.ns() as f64 / base.ns() as f64);
    }
    // None of these is `None`, since there is a first batch.
    let (Some(median_ns), Some(ratio), Some((ratio_low, ratio_high))) = (
        robust::median(&mut times),
        robust::median(&mut ratios),
        robust::median_interval(&mut ratios, INTERVAL_LEVEL),
    ) else {
        return Ok(None);
    };
    let Some(mad_ns) = robust::median_absolute_deviation(&times, median_ns) else {
        return Ok(None);
    };
    Ok(Some(Series {
        batches: rounds.values().copied().collect(),
        first,
        median_ns,
        mad_ns,
        ratio,
        ratio_low,
        ratio_high,
    }))
}
