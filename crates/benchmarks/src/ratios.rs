//! Computes medians over the rounds, and ratios within them.

use std::collections::BTreeMap;

use statistics::{binomial, robust, significant};
use terminal::failure::Failure;

use crate::record::{Batch, Case, INTERVAL_LEVEL, Row};
use crate::suite::{Baseline, Suite};

/// A case with its batches by round.
type Rounds<'a> = (&'a Case, BTreeMap<u64, &'a Batch>);

/// The cases that are compared with each other, by contender and properties.
type Group<'a> = BTreeMap<Vec<usize>, Rounds<'a>>;

impl Suite {
    /// Computes the rows of all batches: tasks and contenders in the order of the suite, the values of each column in
    /// the order of their first occurrence.
    ///
    /// # Errors
    ///
    /// If batches contradict each other or lack the baseline of their round.
    pub fn rows(&self, batches: &[Batch]) -> Result<Vec<Row>, Failure> {
        let failed = |case: &Case, reason: &str| Failure::Internal(format!("{case}: {reason}"));
        let contenders = (self.contenders)();
        let mut values = vec![Vec::new(); self.parameters.len()];
        let mut groups = BTreeMap::<_, Group<'_>>::new();
        for batch in batches {
            let case = &batch.case;
            let task = self.tasks.iter().position(|(name, ..)| *name == case.task);
            let contender = contenders.iter().position(|(name, _)| *name == case.contender);
            let (Some(task), Some(contender)) = (task, contender) else {
                return Err(failed(case, "the suite has no such task or contender"));
            };
            let (mut group, mut within) = (vec![task], vec![contender]);
            for ((name, value), values) in case.parameters.iter().zip(&mut values) {
                if !values.contains(&value) {
                    values.push(value);
                }
                let is_property = self.properties.contains(name);
                let place = if is_property { &mut within } else { &mut group };
                place.extend(values.iter().position(|known| *known == value));
            }
            let cases = groups.entry(group).or_default();
            let (_, rounds) = cases.entry(within).or_insert((case, BTreeMap::new()));
            if rounds.insert(batch.round, batch).is_some() {
                return Err(failed(case, &format!("round {} occurs twice", batch.round)));
            }
        }
        let mut rows = Vec::new();
        for group in groups.values() {
            for case in group.values() {
                rows.push(row(case, self, group).map_err(|reason| failed(case.0, &reason))?);
            }
        }
        Ok(rows)
    }
}

/// Computes the row of a case from its rounds and those of all cases in its group.
fn row((case, rounds): &Rounds<'_>, suite: &Suite, group: &Group<'_>) -> Result<Row, String> {
    let batches = || rounds.values();
    let calls = batches().map(|batch| batch.calls).sum();
    let count: u64 = batches().map(|batch| batch.count).sum();
    let mean = count as f64 / calls as f64;
    let ratio = match suite.baseline {
        Baseline::Contender(names) => {
            let is_baseline = |(case, _): &&Rounds<'_>| names.contains(&&*case.contender);
            let baselines: Vec<_> = group.values().filter(is_baseline).collect();
            let [(_, baseline)] = baselines[..] else {
                return Err(format!(
                    "its round must have one baseline, got {}",
                    baselines.len()
                ));
            };
            let pairs = || batches().zip(baseline.values());
            let is_same =
                |(one, base): (&&Batch, &&Batch)| (one.round, one.calls) == (base.round, base.calls);
            if rounds.len() != baseline.len() || !pairs().all(is_same) {
                return Err("the baseline must have the same rounds and calls".to_owned());
            }
            let ratios = pairs().map(|(batch, base)| batch.count as f64 / base.count as f64);
            let mut ratios: Vec<f64> = ratios.collect();
            let is_defined = ratios.iter().all(|ratio| ratio.is_finite());
            robust::median(&mut ratios)
                .zip(robust::median_interval(&mut ratios, INTERVAL_LEVEL))
                .filter(|_| is_defined)
        }
        Baseline::Column(name) => {
            let base = case.number(name);
            let (low, high) = binomial::proportion_interval(count, calls, INTERVAL_LEVEL);
            (base > 0.0).then_some((mean / base, (low / base, high / base)))
        }
    };
    let unit = suite.tasks.iter().find(|(name, ..)| *name == case.task);
    let unit = unit.map_or("", |(.., unit)| unit);
    let mut values: Vec<f64> = batches()
        .map(|batch| batch.count as f64 / batch.calls as f64)
        .collect();
    let median = robust::median(&mut values).unwrap_or_default();
    let value = if unit == "ns" { median } else { mean };
    let mad = robust::median_absolute_deviation(&values, value).unwrap_or_default();
    let ratio = ratio.map(|(ratio, (low, high))| [ratio, low, high].map(significant::round));
    let [ratio, ratio_low, ratio_high] = ratio.map_or([None; 3], |ratio| ratio.map(Some));
    Ok(Row {
        case: (*case).clone(),
        rounds: rounds.len() as u64,
        calls,
        unit: unit.to_owned(),
        value: significant::round(value),
        mad: significant::round(mad),
        ratio,
        ratio_low,
        ratio_high,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suites::equal_rate;

    /// A suite of two columns.
    const SUITE: Suite = Suite {
        parameters: &["filter_keys", "bits_per_key"],
        properties: &["bits_per_key"],
        baseline: Baseline::Contender(&["rocksdb"]),
        ..equal_rate::SUITE
    };

    fn batch(policy: &str, task: &str, round: u64, ns: u64) -> Batch {
        SUITE.case(policy, task, &[&32, &10]).batch(round, 10, ns)
    }

    #[test]
    fn nothing_is_compared_with_zero() {
        let batches = [batch("rocksdb", "rate", 1, 0), batch("xorf", "rate", 1, 5)];
        let rows = SUITE.rows(&batches).unwrap();
        assert_eq!((rows[1].value, rows[1].ratio), (0.5, None));
    }

    #[test]
    fn batches_that_do_not_fit_together_are_named() {
        let refuse = |change: fn(&mut Vec<Batch>)| {
            let policies = ["xorf", "rocksdb"];
            let round = |round| policies.map(|policy| batch(policy, "absent", round, 250));
            let mut batches = [round(1), round(2)].concat();
            change(&mut batches);
            SUITE.rows(&batches).unwrap_err().to_string()
        };
        let says = "xorf, absent, filter_keys 32, bits_per_key 10: round 1 occurs twice";
        assert_eq!(refuse(|batches| batches.push(batches[0].clone())), says);
        let no_baseline = refuse(|batches| batches.retain(|batch| batch.case.contender != "rocksdb"));
        assert!(no_baseline.ends_with("one baseline, got 0"), "{no_baseline}");
        let lost = refuse(|batches| drop(batches.pop()));
        assert!(lost.ends_with("the same rounds and calls"), "{lost}");
    }
}
