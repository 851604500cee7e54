//! Computes medians over the rounds, and ratios within them.

use std::collections::BTreeMap;

use statistics::{binomial, robust, significant};

use crate::record::{Batch, Case, Row};
use crate::suite::{Baseline, Parameter, Suite};

/// The least probability with which the interval of a ratio contains the true median.
pub const INTERVAL_LEVEL: f64 = 0.95;

type Rounds<'a> = BTreeMap<u64, &'a Batch>;

/// The order of the records: tasks and contenders as the suite lists them, the values of each column as they first
/// occur.
struct Order<'a> {
    suite: &'a Suite,
    values: Vec<Vec<&'a str>>,
}

impl<'a> Order<'a> {
    /// Returns the place of the group within which the case is compared, and of the case in its group.
    fn place(&mut self, case: &'a Case) -> Result<[Vec<usize>; 2], String> {
        let unknown = |what: &str, name: &str| format!("{}: no {what} {name}", self.suite.rows);
        let task = self.suite.tasks.iter().position(|task| task.name == case.task);
        let contenders = (self.suite.contenders)();
        let mut contenders = contenders.iter();
        let contender = contenders.position(|(name, _)| *name == case.contender);
        let mut group = vec![task.ok_or_else(|| unknown("task", &case.task))?];
        let mut within = vec![contender.ok_or_else(|| unknown("contender", &case.contender))?];
        let columns = self.suite.parameters.iter().zip(&mut self.values);
        for ((parameter, values), (_, value)) in columns.zip(&case.parameters) {
            let known = values.iter().position(|known| known == value);
            let at = known.unwrap_or_else(|| {
                values.push(value);
                values.len() - 1
            });
            if let Parameter::Condition(_) = parameter {
                group.push(at);
            } else {
                within.push(at);
            }
        }
        Ok([group, within])
    }
}

impl Suite {
    /// Computes the rows of all batches: tasks and contenders in the order of the suite, the values of each column in
    /// the order of their first occurrence.
    ///
    /// # Errors
    ///
    /// If batches contradict each other or lack the baseline of their round.
    pub fn rows(&self, batches: &[Batch]) -> Result<Vec<Row>, String> {
        let mut order = Order {
            suite: self,
            values: vec![Vec::new(); self.parameters.len()],
        };
        let mut groups = BTreeMap::<_, BTreeMap<_, Rounds<'_>>>::new();
        for batch in batches {
            let [group, within] = order.place(&batch.case)?;
            let rounds = groups.entry(group).or_default().entry(within).or_default();
            if rounds.insert(batch.round, batch).is_some() {
                return Err(format!("{}, round {} occurs twice", batch.case, batch.round));
            }
        }
        let mut rows = Vec::new();
        for cases in groups.values() {
            for rounds in cases.values() {
                rows.extend(row(self, rounds, cases.values())?);
            }
        }
        Ok(rows)
    }
}

/// Computes the row of a case from its rounds and those of all cases in its group.
fn row<'a>(
    suite: &Suite,
    rounds: &Rounds<'a>,
    group: impl Iterator<Item = &'a Rounds<'a>>,
) -> Result<Option<Row>, String> {
    let Some(&first) = rounds.values().next() else {
        return Ok(None);
    };
    let failed = |reason: &str| format!("{}: {reason}", first.case);
    let calls = rounds.values().map(|batch| batch.calls).sum();
    let mut values: Vec<f64> = rounds
        .values()
        .map(|batch| batch.count as f64 / batch.calls as f64)
        .collect();
    let ratio = match suite.baseline {
        Baseline::Contender(names) => {
            let is_baseline = |rounds: &&Rounds<'_>| {
                let mut batches = rounds.values();
                batches.any(|batch| names.contains(&&*batch.case.contender))
            };
            let baselines: Vec<&Rounds<'_>> = group.filter(is_baseline).collect();
            let [baseline] = baselines[..] else {
                let count = baselines.len();
                return Err(failed(&format!("its round must have one baseline, got {count}")));
            };
            if !rounds.keys().eq(baseline.keys()) {
                return Err(failed("the baseline has other rounds"));
            }
            let pairs = || rounds.values().zip(baseline.values());
            if pairs().any(|(batch, base)| batch.calls != base.calls) {
                return Err(failed("the baseline has other numbers of calls"));
            }
            let mut ratios: Vec<f64> = pairs()
                .map(|(batch, base)| batch.count as f64 / base.count as f64)
                .collect();
            let is_defined = ratios.iter().all(|ratio| ratio.is_finite());
            robust::median(&mut ratios)
                .zip(robust::median_interval(&mut ratios, INTERVAL_LEVEL))
                .filter(|_| is_defined)
        }
        Baseline::Column(name) => {
            let base = first.case.number(name);
            let count: u64 = rounds.values().map(|batch| batch.count).sum();
            let (low, high) = binomial::proportion_interval(count, calls, INTERVAL_LEVEL);
            let share = count as f64 / calls as f64;
            (base > 0.0).then_some((share / base, (low / base, high / base)))
        }
    };
    let task = suite.tasks.iter().find(|task| task.name == first.case.task);
    let unit = task.map_or("", |task| task.unit);
    let value = if unit == "ns" {
        robust::median(&mut values).unwrap_or_default()
    } else {
        rounds.values().map(|batch| batch.count).sum::<u64>() as f64 / calls as f64
    };
    Ok(Some(Row {
        case: first.case.clone(),
        rounds: rounds.len() as u64,
        calls,
        unit,
        value: significant::round(value),
        mad: significant::round(robust::median_absolute_deviation(&values, value).unwrap_or_default()),
        ratio: ratio.map(|(median, _)| significant::round(median)),
        ratio_low: ratio.map(|(_, (low, _))| significant::round(low)),
        ratio_high: ratio.map(|(_, (_, high))| significant::round(high)),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::Parameter::{Condition, Property};
    use crate::suites::policy;

    /// A suite of two columns.
    const SUITE: Suite = Suite {
        parameters: &[Condition("filter_keys"), Property("bits_per_key")],
        baseline: Baseline::Contender(&["rocksdb"]),
        ..policy::EQUAL_RATE
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
            SUITE.rows(&batches).unwrap_err()
        };
        let says = "xorf, absent, filter_keys 32, bits_per_key 10, round 1 occurs twice";
        assert_eq!(refuse(|batches| batches.push(batches[0].clone())), says);
        let no_baseline = refuse(|batches| batches.retain(|batch| batch.case.contender != "rocksdb"));
        assert!(no_baseline.ends_with("one baseline, got 0"), "{no_baseline}");
        let lost = refuse(|batches| drop(batches.pop()));
        assert!(lost.ends_with("the baseline has other rounds"), "{lost}");
    }
}
