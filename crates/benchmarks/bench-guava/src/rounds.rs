//! The measurement and the checks of its answers.

use bench_kit::record::Batch;
use bench_kit::suites::membership::SUITE;
use bench_kit::turns::{Timed, turn};

use crate::contestants::{Contestant, Description};
use crate::keys::{ABSENT, Keys};
use crate::plan::{FPP, Plan};

/// The limit of the false-positive rate: twice the rate of the filters.
const MAX_FALSE: f64 = 2.0 * FPP;

/// A task that a filter has done in a round: its name and its calls, with time and positive answers.
type Done = (&'static str, u64, Timed);

/// Measures one size and appends the batches in the order of measurement.
///
/// # Errors
///
/// If an answer is wrong or the Java process fails.
pub(crate) fn measure(
    plan: &Plan,
    contestants: &mut [Box<dyn Contestant>],
    batches: &mut Vec<Batch>,
) -> Result<(), String> {
    let sizes = contestants.iter_mut().map(|contestant| contestant.start(plan));
    let sizes: Vec<(u64, u32)> = sizes.collect::<Result<_, _>>()?;
    for round in 0..plan.warm_up + plan.rounds {
        let wrong = |error: String| format!("{} bits, round {round}: {error}", plan.bits);
        let mut answers = Vec::new();
        for index in turn(round, contestants.len()) {
            let contestant = contestants[index].as_mut();
            let tasks = one(plan, round, contestant)?;
            let description = contestant.description();
            let filter = description.filter;
            check(filter, &tasks).map_err(wrong)?;
            answers.push((filter, tasks.map(|(.., timed)| timed.yes)));
            if round >= plan.warm_up {
                let round = round + 1 - plan.warm_up;
                batches.extend(recorded(plan, round, description, sizes[index], &tasks));
            }
        }
        // Filters that equal Guava's give the same answers, but puts of many do not tell what changed.
        answers.retain(|(filter, _)| *filter == "guava" || filter.starts_with("ours"));
        answers.sort_by_key(|(filter, _)| *filter != "guava");
        let first = |filter: &str| usize::from(filter.ends_with("-batch"));
        if answers
            .iter()
            .any(|(filter, yes)| yes[first(filter)..] != answers[0].1[first(filter)..])
        {
            return Err(wrong(format!("positive answers differ: {answers:?}")));
        }
    }
    Ok(())
}

/// Runs all tasks of one filter in one round, counted from 0.
fn one(plan: &Plan, round: u64, contestant: &mut dyn Contestant) -> Result<[Done; 3], String> {
    let keys = |first, count| Keys { first, count };
    let mut put = Timed::default();
    let (inserted, present, times) = if plan.has_random_words {
        let own = keys(round * plan.keys, plan.keys);
        put.add(contestant.run(true, own)?);
        (plan.keys, own, 1)
    } else {
        for _ in 0..plan.builds {
            contestant.start(plan)?;
            put.add(contestant.run(true, keys(0, plan.insertions))?);
        }
        // A different range in every round, if the filter has more keys than are queried.
        let asked = plan.keys.min(plan.insertions);
        let first = round * asked % (plan.insertions - asked + 1);
        let inserted = plan.insertions * plan.builds;
        (inserted, keys(first, asked), plan.keys / asked)
    };
    let absent = contestant.run(false, keys(ABSENT + round * plan.keys, plan.keys))?;
    let mut found = Timed::default();
    for _ in 0..times {
        found.add(contestant.run(false, present)?);
    }
    Ok([
        ("put", inserted, put),
        ("absent", plan.keys, absent),
        ("present", present.count * times, found),
    ])
}

/// Returns the batches of a filter's tasks.
fn recorded(
    plan: &Plan,
    round: u64,
    description: &Description,
    (bit_size, probes): (u64, u32),
    tasks: &[Done],
) -> Vec<Batch> {
    let contents = if plan.has_random_words {
        "random-words"
    } else {
        "keys"
    };
    let case = |task| {
        let (bits, insertions) = (&plan.bits, &plan.insertions);
        SUITE.case(
            description.filter,
            task,
            &[
                &description.version,
                &description.setup,
                bits,
                insertions,
                &contents,
                &bit_size,
                &probes,
            ],
        )
    };
    let times = tasks
        .iter()
        .map(|&(task, calls, timed)| case(task).batch(round, calls, timed.ns));
    let absent = tasks.iter().filter(|(task, ..)| *task == "absent");
    times
        .chain(absent.map(|&(_, calls, timed)| case("false-positives").batch(round, calls, timed.yes)))
        .collect()
}

/// Checks the answers of a filter.
fn check(filter: &str, tasks: &[Done]) -> Result<(), String> {
    for &(task, calls, Timed { yes, .. }) in tasks {
        let is_right = match task {
            "put" => (1..=calls).contains(&yes),
            "absent" => yes as f64 <= calls as f64 * MAX_FALSE,
            _ => yes == calls,
        };
        if !is_right {
            return Err(format!("{filter}, {task}: {yes} of {calls} calls said yes"));
        }
    }
    Ok(())
}
