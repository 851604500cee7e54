//! The measurement and the checks of its answers.

use std::fmt::Display;

use bench_kit::record::Batch;
use bench_kit::suites::membership::SUITE;
use bench_kit::turns::{Timed, turn};
use terminal::failure::Failure;

use crate::contestants::{self, Contestant, Work};
use crate::keys::{ABSENT, Keys};
use crate::plan::{FPP, Plan};

/// The limit of the false-positive rate: twice the rate of the filters.
const MAX_FALSE: f64 = 2.0 * FPP;

/// A task that a filter has done in a round: its name and its calls, with time and positive answers.
type Done = (&'static str, u64, Timed);

/// Measures all sizes.
///
/// # Errors
///
/// If an answer is wrong or the Java process fails.
pub(crate) fn measure(is_quick: bool) -> Result<Vec<Batch>, Failure> {
    let mut contestants = contestants::all()?;
    let mut batches = Vec::new();
    for plan in Plan::all(is_quick) {
        eprintln!("{} bits, {} rounds", plan.bits, plan.rounds);
        one_size(&plan, &mut contestants, &mut batches)?;
    }
    Ok(batches)
}

/// Measures one size and appends the batches in the order of measurement.
fn one_size(plan: &Plan, contestants: &mut [Contestant], batches: &mut Vec<Batch>) -> Result<(), Failure> {
    let mut sizes = Vec::new();
    for contestant in contestants.iter_mut() {
        sizes.push(contestant.work.start(plan)?);
    }
    for round in 0..plan.warm_up + plan.rounds {
        let wrong = |contestant: &Contestant, what: &str| {
            let (filter, bits) = (contestant.filter, plan.bits);
            Failure::Internal(format!("{filter}, {bits} bits, round {round}: {what}"))
        };
        let mut answers = vec![[0; 3]; contestants.len()];
        for index in turn(round, contestants.len()) {
            let contestant = &mut contestants[index];
            let tasks = one(plan, round, &mut *contestant.work)?;
            if let Some(done) = tasks.iter().find(|done| !is_right(done)) {
                return Err(wrong(contestant, &format!("{done:?}")));
            }
            answers[index] = tasks.map(|(.., timed)| timed.yes);
            if round >= plan.warm_up {
                let round = round + 1 - plan.warm_up;
                record(plan, round, contestant, sizes[index], &tasks, batches);
            }
        }
        // Filters that equal Guava's give the same answers, but puts of many do not tell what changed.
        for (contestant, yes) in contestants.iter().zip(&answers) {
            let first = usize::from(contestant.filter.ends_with("-batch"));
            if contestant.filter.starts_with("ours") && yes[first..] != answers[0][first..] {
                return Err(wrong(
                    contestant,
                    &format!("other answers than Guava: {answers:?}"),
                ));
            }
        }
    }
    Ok(())
}

/// Runs all tasks of one filter in one round, counted from 0.
fn one(plan: &Plan, round: u64, filter: &mut dyn Work) -> Result<[Done; 3], Failure> {
    let keys = |first, count| Keys { first, count };
    let mut put = Timed::default();
    let (inserted, present, times) = if plan.has_random_words {
        let own = keys(round * plan.keys, plan.keys);
        put.add(filter.run(true, own)?);
        (plan.keys, own, 1)
    } else {
        for _ in 0..plan.builds {
            filter.start(plan)?;
            put.add(filter.run(true, keys(0, plan.insertions))?);
        }
        // A different range in every round, if the filter has more keys than are queried.
        let queried = plan.keys.min(plan.insertions);
        let first = round * queried % (plan.insertions - queried + 1);
        let inserted = plan.insertions * plan.builds;
        (inserted, keys(first, queried), plan.keys / queried)
    };
    let absent = filter.run(false, keys(ABSENT + round * plan.keys, plan.keys))?;
    let mut found = Timed::default();
    for _ in 0..times {
        found.add(filter.run(false, present)?);
    }
    Ok([
        ("put", inserted, put),
        ("absent", plan.keys, absent),
        ("present", present.count * times, found),
    ])
}

/// Appends the batches of a filter's tasks.
fn record(
    plan: &Plan,
    round: u64,
    Contestant {
        filter,
        version,
        setup,
        ..
    }: &Contestant,
    (bit_size, probes): (u64, u32),
    tasks: &[Done],
    batches: &mut Vec<Batch>,
) {
    let Plan { bits, insertions, .. } = plan;
    let contents = ["keys", "random-words"][usize::from(plan.has_random_words)];
    let parameters: [&dyn Display; 7] = [version, setup, bits, insertions, &contents, &bit_size, &probes];
    for &(task, calls, Timed { ns, yes }) in tasks {
        batches.push(SUITE.case(filter, task, &parameters).batch(round, calls, ns));
        if task == "absent" {
            let case = SUITE.case(filter, "false-positives", &parameters);
            batches.push(case.batch(round, calls, yes));
        }
    }
}

/// Returns true if a task can have these positive answers.
fn is_right((task, calls, Timed { yes, .. }): &Done) -> bool {
    match *task {
        "put" => (1..=*calls).contains(yes),
        "absent" => *yes as f64 <= *calls as f64 * MAX_FALSE,
        _ => yes == calls,
    }
}
