//! The measurement and the checks of its answers.

use bench_guava::JavaError;
use bench_kit::suites::membership::{Batch, Contents, Filter, Operation};
use bench_kit::turns::turn;

use crate::contestants::Contestant;
use crate::keys::{ABSENT, Keys};
use crate::plan::Plan;

/// The limit of the false-positive rate: twice the rate of the filters.
const MAX_FALSE: f64 = 0.02;

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
    for contestant in contestants.iter_mut() {
        contestant.start(plan).map_err(java)?;
    }
    for round in 0..plan.warm_up + plan.rounds {
        let start = batches.len();
        for index in turn(round, contestants.len()) {
            one(plan, round, contestants[index].as_mut(), batches).map_err(java)?;
        }
        check(&batches[start..])?;
        if round < plan.warm_up {
            batches.truncate(start);
        } else {
            batches[start..]
                .iter_mut()
                .for_each(|batch| batch.round -= plan.warm_up);
        }
    }
    contestants.iter_mut().for_each(|contestant| contestant.stop());
    Ok(())
}

/// Runs all operations of one filter in one round, counted from 0.
fn one(
    plan: &Plan,
    round: u64,
    contestant: &mut dyn Contestant,
    batches: &mut Vec<Batch>,
) -> Result<(), JavaError> {
    let keys = |first, count| Keys { first, count };
    let (put, present, times) = match plan.contents {
        Contents::Keys => {
            let all = keys(0, plan.insertions);
            let put = contestant.build(all, plan.builds)?;
            // A different range in every round, if the filter has more keys than are queried.
            let asked = plan.keys.min(plan.insertions);
            let first = round * asked % (plan.insertions - asked + 1);
            let put = (put, plan.insertions * u64::from(plan.builds));
            (put, keys(first, asked), (plan.keys / asked) as u32)
        }
        Contents::RandomWords => {
            let own = keys(round * plan.keys, plan.keys);
            ((contestant.insert(own)?, plan.keys), own, 1)
        }
    };
    let absent = contestant.ask(keys(ABSENT + round * plan.keys, plan.keys), 1)?;
    let found = contestant.ask(present, times)?;
    let (bit_size, probes) = contestant.size();
    let description = contestant.description();
    for (operation, (timed, calls)) in [
        (Operation::Put, put),
        (Operation::Absent, (absent, plan.keys)),
        (Operation::Present, (found, present.count * u64::from(times))),
    ] {
        batches.push(Batch {
            filter: description.filter,
            version: description.version.clone(),
            setup: description.setup.clone(),
            bits: plan.bits,
            insertions: plan.insertions,
            contents: plan.contents,
            bit_size,
            probes,
            operation,
            round: round + 1,
            calls,
            seen: timed.yes,
            ns: timed.ns,
        });
    }
    Ok(())
}

/// Checks the answers of a round.
fn check(batches: &[Batch]) -> Result<(), String> {
    for batch in batches {
        let named = || {
            format!(
                "{:?}, {} bits, {:?}, round {}",
                batch.filter, batch.bits, batch.operation, batch.round
            )
        };
        let (yes, calls) = (batch.seen, batch.calls);
        let wrong = match batch.operation {
            Operation::Put => yes == 0 || yes > calls,
            Operation::Absent => yes as f64 > calls as f64 * MAX_FALSE,
            Operation::Present => yes != calls,
        };
        if wrong {
            return Err(format!("{}: {yes} of {calls} calls said yes", named()));
        }
        // A filter equal to Guava's must give the same answers.
        let guava = batches
            .iter()
            .find(|other| other.operation == batch.operation && other.filter == Filter::Guava);
        if let Some(guava) = guava
            && matches!(batch.filter, Filter::Ours | Filter::OursBatch)
            && guava.seen != yes
        {
            return Err(format!("{}: {yes} times yes, Guava {}", named(), guava.seen));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(filter: Filter, operation: Operation, yes: u64) -> Batch {
        Batch {
            filter,
            version: String::new(),
            setup: String::new(),
            bits: 1_000,
            insertions: 100,
            contents: Contents::Keys,
            bit_size: 1_024,
            probes: 7,
            operation,
            round: 3,
            calls: 100,
            seen: yes,
            ns: 1,
        }
    }

    #[test]
    fn wrong_answers_are_named() {
        let guava = || batch(Filter::Guava, Operation::Absent, 1);
        assert_eq!(
            check(&[guava(), batch(Filter::Ours, Operation::Absent, 1)]),
            Ok(())
        );
        assert_eq!(
            check(&[guava(), batch(Filter::Bloomfilter, Operation::Absent, 2)]),
            Ok(())
        );
        for (batches, message) in [
            (
                [guava(), batch(Filter::Ours, Operation::Absent, 2)],
                "Ours, 1000 bits, Absent, round 3: 2 times yes, Guava 1",
            ),
            (
                [guava(), batch(Filter::FastbloomDefault, Operation::Absent, 3)],
                "FastbloomDefault, 1000 bits, Absent, round 3: 3 of 100 calls said yes",
            ),
            (
                [guava(), batch(Filter::FastbloomDefault, Operation::Present, 99)],
                "FastbloomDefault, 1000 bits, Present, round 3: 99 of 100 calls said yes",
            ),
            (
                [guava(), batch(Filter::FastbloomDefault, Operation::Put, 0)],
                "FastbloomDefault, 1000 bits, Put, round 3: 0 of 100 calls said yes",
            ),
        ] {
            assert_eq!(check(&batches), Err(message.to_owned()));
        }
    }
}
