//! Computes medians and ratios of batches.

use std::collections::BTreeMap;
use std::fmt::Debug;

use statistics::robust;

/// The least probability with which the interval of a ratio contains the true median.
pub const INTERVAL_LEVEL: f64 = 0.95;

/// The figures of a batch: calls that were timed together.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Timing {
    /// Round of the run; in a round all contestants do the same work.
    pub(crate) round: u64,
    /// Calls of the batch.
    pub(crate) calls: u64,
    /// The second count over all calls, such as positive answers; 0 without a second count.
    pub(crate) seen: u64,
    /// Time of all calls together, nanoseconds.
    pub(crate) ns: u64,
}

/// Defines which batches are compared with each other.
pub(crate) trait Contest {
    /// Returns the figures of the batch.
    fn timing(&self) -> Timing;

    /// Returns true if all columns except round, time and the second count are equal.
    fn has_conditions_of(&self, other: &Self) -> bool;

    /// Returns the group, within which batches are compared. Rows are sorted by group.
    fn group(&self) -> impl Ord + Debug;

    /// Returns the contestant that did the work.
    fn contestant(&self) -> impl Ord + Debug;

    /// Returns true if the rest of the group is compared with this contestant.
    fn is_baseline(&self) -> bool;

    /// Returns the columns that must be equal within the group.
    fn shared(&self) -> impl PartialEq;
}

/// All rounds of a contestant.
#[derive(Debug)]
pub struct Series<'a, B> {
    /// The first batch; all others have the same conditions.
    pub first: &'a B,
    /// Number of rounds.
    pub rounds: u64,
    /// Calls of all rounds.
    pub calls: u64,
    /// The second count per call, over all rounds.
    pub seen_per_call: f64,
    /// Median time of a call over the rounds, nanoseconds.
    pub median_ns: f64,
    /// Median absolute deviation from that median.
    pub mad_ns: f64,
    /// Median over the rounds of the time divided by the baseline's time in the same round.
    pub ratio: f64,
    /// The interval of that median, see [`INTERVAL_LEVEL`].
    pub ratio_interval: (f64, f64),
}

type Rounds<'a, B> = BTreeMap<u64, &'a B>;

/// Computes the series of all contestants, sorted by group and contestant.
///
/// # Errors
///
/// If batches contradict each other or lack the baseline of their round.
pub(crate) fn series<B: Contest>(batches: &[B]) -> Result<Vec<Series<'_, B>>, String> {
    let mut groups = BTreeMap::<_, BTreeMap<_, Rounds<'_, B>>>::new();
    for batch in batches {
        let contestants = groups.entry(batch.group()).or_default();
        let rounds = contestants.entry(batch.contestant()).or_default();
        if rounds.insert(batch.timing().round, batch).is_some() {
            return Err(format!("{} occurs twice", named(batch)));
        }
    }
    let mut all = Vec::new();
    for contestants in groups.values() {
        let is_baseline = |rounds: &&Rounds<'_, B>| rounds.values().any(|batch| batch.is_baseline());
        let baselines: Vec<&Rounds<'_, B>> = contestants.values().filter(is_baseline).collect();
        for rounds in contestants.values() {
            let [baseline] = baselines[..] else {
                let batch = rounds
                    .values()
                    .next()
                    .map_or_else(String::new, |batch| named(*batch));
                return Err(format!(
                    "{batch}: its round must have one baseline, got {}",
                    baselines.len()
                ));
            };
            all.extend(compare(rounds, baseline)?);
        }
    }
    Ok(all)
}

/// Names a batch in a message.
fn named<B: Contest>(batch: &B) -> String {
    format!(
        "{:?}, {:?}, round {}",
        batch.contestant(),
        batch.group(),
        batch.timing().round
    )
}

fn compare<'a, B: Contest>(
    rounds: &Rounds<'a, B>,
    baseline: &Rounds<'a, B>,
) -> Result<Option<Series<'a, B>>, String> {
    let Some(&first) = rounds.values().next() else {
        return Ok(None);
    };
    if !rounds.keys().eq(baseline.keys()) {
        return Err(format!("{}: the baseline has other rounds", named(first)));
    }
    let (mut times, mut ratios) = (Vec::new(), Vec::new());
    let (mut calls, mut seen) = (0, 0);
    for (&batch, &base) in rounds.values().zip(baseline.values()) {
        let (of, of_base) = (batch.timing(), base.timing());
        let is_shared = batch.shared() == base.shared() && of.calls == of_base.calls;
        if !is_shared || !batch.has_conditions_of(first) {
            return Err(format!(
                "{}: conditions differ from those of other batches",
                named(batch)
            ));
        }
        calls += of.calls;
        seen += of.seen;
        times.push(of.ns as f64 / of.calls as f64);
        ratios.push(of.ns as f64 / of_base.ns as f64);
    }
    // All of these are `Some`, because there is a first batch.
    let (Some(median_ns), Some(ratio), Some(ratio_interval)) = (
        robust::median(&mut times),
        robust::median(&mut ratios),
        robust::median_interval(&mut ratios, INTERVAL_LEVEL),
    ) else {
        return Ok(None);
    };
    let mad_ns = robust::median_absolute_deviation(&times, median_ns);
    Ok(mad_ns.map(|mad_ns| Series {
        first,
        rounds: rounds.len() as u64,
        calls,
        seen_per_call: seen as f64 / calls as f64,
        median_ns,
        mad_ns,
        ratio,
        ratio_interval,
    }))
}

/// Declares the two records of a timed benchmark: a batch, and a row for all rounds of a contestant.
///
/// Both begin with the dimensions, the columns that the suite names; the others are the same in every suite. `compared`
/// names the dimensions that [`Contest`] uses.
macro_rules! timed {
    (
        dimensions { $($(#[$doc:meta])* $field:ident: $type:ty,)+ }
        compared {
            group($($group:ident),+), contestant($($contestant:ident),+), shared($($shared:ident),+),
            baseline($baseline:expr)
        }
    ) => {
        /// A row of `batches.csv`: calls that were timed together.
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
        pub struct Batch {
            $($(#[$doc])* pub $field: $type,)+
            /// Round of the run, counted from 1; in a round all contestants do the same work.
            pub round: u64,
            /// Calls of the batch, or keys of a call for many.
            pub calls: u64,
            /// The number of positive answers, or of blocks that were read; 0 if nothing was counted.
            pub seen: u64,
            /// Time of all calls together, nanoseconds.
            pub ns: u64,
        }

        /// All rounds of a contestant.
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
        pub struct Row {
            $($(#[$doc])* pub $field: $type,)+
            /// Rounds of the run.
            pub rounds: u64,
            /// Calls of all rounds.
            pub calls: u64,
            /// Positive answers, or blocks read, for each call.
            #[serde(with = "statistics::significant")]
            pub seen_per_call: f64,
            /// Time of a call, median over the rounds, nanoseconds.
            #[serde(with = "statistics::significant")]
            pub median_ns: f64,
            /// Median absolute deviation from that median.
            #[serde(with = "statistics::significant")]
            pub mad_ns: f64,
            /// Median over the rounds of this contestant's time divided by the baseline's in the same round.
            #[serde(with = "statistics::significant")]
            pub ratio: f64,
            /// Lower end of the interval of that median.
            #[serde(with = "statistics::significant")]
            pub ratio_low: f64,
            /// Upper end of that interval.
            #[serde(with = "statistics::significant")]
            pub ratio_high: f64,
        }

        impl $crate::rounds::Contest for Batch {
            fn timing(&self) -> $crate::rounds::Timing {
                $crate::rounds::Timing {
                    round: self.round,
                    calls: self.calls,
                    seen: self.seen,
                    ns: self.ns,
                }
            }

            fn has_conditions_of(&self, other: &Self) -> bool {
                self.calls == other.calls $(&& self.$field == other.$field)+
            }

            fn group(&self) -> impl Ord + std::fmt::Debug {
                ($(&self.$group),+)
            }

            fn contestant(&self) -> impl Ord + std::fmt::Debug {
                ($(&self.$contestant),+)
            }

            fn is_baseline(&self) -> bool {
                let is_baseline: fn(&Self) -> bool = $baseline;
                is_baseline(self)
            }

            fn shared(&self) -> impl PartialEq {
                ($(&self.$shared),+)
            }
        }

        impl From<&$crate::rounds::Series<'_, Batch>> for Row {
            fn from(series: &$crate::rounds::Series<'_, Batch>) -> Self {
                Self {
                    $($field: series.first.$field.clone(),)+
                    rounds: series.rounds,
                    calls: series.calls,
                    seen_per_call: series.seen_per_call,
                    median_ns: series.median_ns,
                    mad_ns: series.mad_ns,
                    ratio: series.ratio,
                    ratio_low: series.ratio_interval.0,
                    ratio_high: series.ratio_interval.1,
                }
            }
        }
    };
}

pub(crate) use timed;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suites::policy::{Batch, Contender, Form, KeyLengths, Row, Task};

    fn batch(contender: Contender, form: Form, task: Task, filter_keys: u64, round: u64, ns: u64) -> Batch {
        Batch {
            contender,
            form,
            version: "1.0".to_owned(),
            task,
            key_lengths: KeyLengths::Fixed,
            filter_keys,
            bits_per_key: 10,
            round,
            calls: 10,
            seen: 0,
            ns,
        }
    }

    /// Three rounds at two sizes; in the third the machine is ten times slower.
    fn rounds() -> Vec<Batch> {
        use {Contender::*, Form::*, Task::*};
        [(1, 1_000, 250), (2, 1_200, 240), (3, 10_000, 3_000)]
            .into_iter()
            .flat_map(|(round, leveldb, ours)| {
                [
                    batch(Avx2, Packed, Absent, 4096, round, ours),
                    batch(Leveldb, OneByOne, Absent, 4096, round, leveldb),
                    batch(Avx2, Prepared, Absent, 4096, round, 2 * ours),
                    batch(Leveldb, Slices, Build, 32, round, leveldb),
                    batch(Scalar, Slices, Build, 32, round, ours),
                ]
            })
            .collect()
    }

    #[test]
    fn ratios_are_formed_within_rounds() {
        let rows: Vec<Row> = crate::suite::rows(&rounds()).unwrap();
        let [_, scalar, leveldb, prepared, packed] = &rows[..] else {
            panic!("{rows:?}")
        };
        assert_eq!((scalar.task, scalar.filter_keys), (Task::Build, 32));
        assert_eq!((leveldb.ratio, leveldb.median_ns), (1.0, 120.0));
        assert_eq!((prepared.form, prepared.ratio), (Form::Prepared, 0.5));
        // The ratios are 0.25, 0.2 and 0.3, although the machine became slower.
        assert_eq!((packed.form, packed.rounds, packed.calls), (Form::Packed, 3, 30));
        assert_eq!((packed.median_ns, packed.mad_ns), (25.0, 1.0));
        assert_eq!(
            (packed.ratio_low, packed.ratio, packed.ratio_high),
            (0.2, 0.25, 0.3)
        );
    }

    #[test]
    fn batches_that_do_not_fit_together_are_named() {
        let refuse = |change: fn(&mut Vec<Batch>)| {
            let mut batches = rounds();
            change(&mut batches);
            series(&batches).unwrap_err()
        };
        assert_eq!(
            refuse(|batches| batches.push(batches[0].clone())),
            "(Avx2, Packed), (Fixed, Absent, 4096), round 1 occurs twice"
        );
        let is_absent_of =
            |batch: &Batch| (batch.contender, batch.task) == (Contender::Leveldb, Task::Absent);
        let alone = {
            let mut batches = rounds();
            batches.retain(|batch| !is_absent_of(batch));
            series(&batches).unwrap_err()
        };
        assert!(
            alone.ends_with("round 1: its round must have one baseline, got 0"),
            "{alone}"
        );
        let two = refuse(|batches| {
            let rocksdb = (Contender::Rocksdb, Form::OneByOne);
            batches.push(batch(rocksdb.0, rocksdb.1, Task::Absent, 4096, 1, 1));
        });
        assert!(two.ends_with("its round must have one baseline, got 2"), "{two}");
        let rounds = refuse(|batches| {
            batches.pop();
        });
        assert!(rounds.ends_with("the baseline has other rounds"), "{rounds}");
        for change in [
            (|batches| batches[5].calls = 11) as fn(&mut Vec<Batch>),
            (|batches| batches[6].bits_per_key = 9),
            (|batches| batches[7].version.push('!')),
        ] {
            let said = refuse(change);
            assert!(said.contains("round 2: conditions differ"), "{said}");
        }
    }
}
