//! The measurement and the checks of its answers.

use bench_guava::JavaError;
use bench_kit::record::Batch;
use bench_kit::suites::membership::SUITE;
use bench_kit::turns::turn;

use crate::contestants::{Call, Contestant, Description, Timed};
use crate::keys::{ABSENT, Keys};
use crate::plan::Plan;

/// The limit of the false-positive rate: twice the rate of the filters.
const MAX_FALSE: f64 = 0.02;

/// A task that a filter has done in a round.
struct Done {
    filter: &'static str,
    task: &'static str,
    calls: u64,
    timed: Timed,
}

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
    let java = |error: JavaError| error.to_string();
    let sizes = contestants
        .iter_mut()
        .map(|contestant| contestant.start(plan).map_err(java));
    let sizes: Vec<(u64, u32)> = sizes.collect::<Result<_, _>>()?;
    for round in 0..plan.warm_up + plan.rounds {
        let mut all = Vec::new();
        for index in turn(round, contestants.len()) {
            let contestant = contestants[index].as_mut();
            let tasks = one(plan, round, contestant).map_err(java)?;
            if round >= plan.warm_up {
                let description = contestant.description();
                batches.extend(recorded(
                    plan,
                    round + 1 - plan.warm_up,
                    description,
                    sizes[index],
                    &tasks,
                ));
            }
            all.extend(tasks);
        }
        check(&all).map_err(|error| format!("{} bits, round {round}: {error}", plan.bits))?;
    }
    contestants.iter_mut().for_each(|contestant| contestant.stop());
    Ok(())
}

/// Runs all tasks of one filter in one round, counted from 0.
fn one(plan: &Plan, round: u64, contestant: &mut dyn Contestant) -> Result<[Done; 3], JavaError> {
    let keys = |first, count| Keys { first, count };
    let (put, present, times) = if plan.has_random_words {
        let own = keys(round * plan.keys, plan.keys);
        ((contestant.run(Call::Insert, own, 1)?, plan.keys), own, 1)
    } else {
        let put = contestant.run(Call::Build, keys(0, plan.insertions), plan.builds)?;
        // A different range in every round, if the filter has more keys than are queried.
        let asked = plan.keys.min(plan.insertions);
        let first = round * asked % (plan.insertions - asked + 1);
        let put = (put, plan.insertions * u64::from(plan.builds));
        (put, keys(first, asked), (plan.keys / asked) as u32)
    };
    let absent = contestant.run(Call::Ask, keys(ABSENT + round * plan.keys, plan.keys), 1)?;
    let found = contestant.run(Call::Ask, present, times)?;
    let filter = contestant.description().filter;
    let done = |task, (timed, calls)| Done {
        filter,
        task,
        calls,
        timed,
    };
    Ok([
        done("put", put),
        done("absent", (absent, plan.keys)),
        done("present", (found, present.count * u64::from(times))),
    ])
}

/// Returns the batches of a filter's tasks.
fn recorded(
    plan: &Plan,
    round: u64,
    Description {
        filter,
        version,
        setup,
    }: &Description,
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
            filter,
            task,
            &[version, setup, bits, insertions, &contents, &bit_size, &probes],
        )
    };
    let times = tasks
        .iter()
        .map(|done| case(done.task).batch(round, done.calls, done.timed.ns));
    let absent = tasks.iter().filter(|done| done.task == "absent");
    times
        .chain(absent.map(|done| case("false-positives").batch(round, done.calls, done.timed.yes)))
        .collect()
}

/// Checks the answers of a round.
fn check(all: &[Done]) -> Result<(), String> {
    for done in all {
        let named = || format!("{}, {}", done.filter, done.task);
        let (yes, calls) = (done.timed.yes, done.calls);
        let wrong = match done.task {
            "put" => yes == 0 || yes > calls,
            "absent" => yes as f64 > calls as f64 * MAX_FALSE,
            _ => yes != calls,
        };
        if wrong {
            return Err(format!("{}: {yes} of {calls} calls said yes", named()));
        }
        // A filter equal to Guava's must give the same answers.
        let guava = all
            .iter()
            .find(|other| other.task == done.task && other.filter == "guava");
        if let Some(guava) = guava
            && done.filter.starts_with("ours")
            && guava.timed.yes != yes
        {
            return Err(format!("{}: {yes} times yes, Guava {}", named(), guava.timed.yes));
        }
    }
    Ok(())
}
