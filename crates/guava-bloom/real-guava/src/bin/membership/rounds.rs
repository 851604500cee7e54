//! The measurement, and what must be true of it.

use guava_bloom_real_guava::JavaError;

use crate::contestants::{Contestant, Description, Timed};
use crate::keys::{ABSENT, Keys};
use crate::plan::{Contents, Plan};

/// What is done with the keys of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    Put,
    Absent,
    Present,
}

/// What was measured of one filter in one round.
#[derive(Debug, Clone)]
pub(crate) struct Batch {
    pub(crate) description: Description,
    /// The size's name: the bits asked for.
    pub(crate) bits: u64,
    /// Keys that the filter is made for.
    pub(crate) insertions: u64,
    pub(crate) contents: Contents,
    /// The bits that it has.
    pub(crate) bit_size: u64,
    pub(crate) probes: u32,
    pub(crate) operation: Operation,
    /// Counted from 1.
    pub(crate) round: u64,
    pub(crate) calls: u64,
    pub(crate) timed: Timed,
}

/// The largest share of absent keys that may be found: twice what the filters are made for.
const MOST_FALSE: f64 = 0.02;

/// Measures one size, and appends the batches in the order in which they were measured.
///
/// # Errors
///
/// In words: a wrong answer, or the Java process failed.
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
        for i in 0..contestants.len() {
            let turn = (i + round as usize) % contestants.len();
            let contestant = &mut contestants[turn];
            one(plan, round, contestant.as_mut(), batches).map_err(java)?;
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

/// All operations of one filter in one round; the first round is 0.
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
            // Others in every round, where there are more than are asked for.
            let asked = plan.keys.min(plan.insertions);
            let first = round * asked % (plan.insertions - asked + 1);
            let put = (put, plan.insertions * u64::from(plan.builds));
            (put, keys(first, asked), (plan.keys / asked) as u32)
        }
        Contents::RandomWords => {
            let own = keys(round * plan.keys, plan.keys);
            ((contestant.put(own)?, plan.keys), own, 1)
        }
    };
    let absent = contestant.ask(keys(ABSENT + round * plan.keys, plan.keys), 1)?;
    let found = contestant.ask(present, times)?;
    let (bit_size, probes) = contestant.size();
    for (operation, (timed, calls)) in [
        (Operation::Put, put),
        (Operation::Absent, (absent, plan.keys)),
        (Operation::Present, (found, present.count * u64::from(times))),
    ] {
        batches.push(Batch {
            description: contestant.description(),
            bits: plan.bits,
            insertions: plan.insertions,
            contents: plan.contents,
            bit_size,
            probes,
            operation,
            round: round + 1,
            calls,
            timed,
        });
    }
    Ok(())
}

/// Checks the answers of a round.
fn check(batches: &[Batch]) -> Result<(), String> {
    for batch in batches {
        let named = || {
            format!(
                "{}, {} bits, {:?}, round {}",
                batch.description.filter, batch.bits, batch.operation, batch.round
            )
        };
        let (yes, calls) = (batch.timed.yes, batch.calls);
        let wrong = match batch.operation {
            Operation::Put => yes == 0 || yes > calls,
            Operation::Absent => yes as f64 > calls as f64 * MOST_FALSE,
            Operation::Present => yes != calls,
        };
        if wrong {
            return Err(format!("{}: {yes} times yes to {calls} calls", named()));
        }
        // The same filter as Guava's has the same answers.
        let guava = batches
            .iter()
            .find(|other| other.operation == batch.operation && other.description.filter == "guava");
        if let Some(guava) = guava
            && batch.description.filter.starts_with("ours")
            && guava.timed.yes != yes
        {
            return Err(format!("{}: {yes} times yes, Guava {}", named(), guava.timed.yes));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(filter: &'static str, operation: Operation, yes: u64) -> Batch {
        Batch {
            description: Description {
                filter,
                version: String::new(),
                setup: String::new(),
            },
            bits: 1_000,
            insertions: 100,
            contents: Contents::Keys,
            bit_size: 1_024,
            probes: 7,
            operation,
            round: 3,
            calls: 100,
            timed: Timed { ns: 1, yes },
        }
    }

    #[test]
    fn wrong_answers_are_named() {
        let guava = || batch("guava", Operation::Absent, 1);
        assert_eq!(check(&[guava(), batch("ours", Operation::Absent, 1)]), Ok(()));
        assert_eq!(
            check(&[guava(), batch("bloomfilter", Operation::Absent, 2)]),
            Ok(())
        );
        for (batches, message) in [
            (
                [guava(), batch("ours", Operation::Absent, 2)],
                "ours, 1000 bits, Absent, round 3: 2 times yes, Guava 1",
            ),
            (
                [guava(), batch("x", Operation::Absent, 3)],
                "x, 1000 bits, Absent, round 3: 3 times yes to 100 calls",
            ),
            (
                [guava(), batch("x", Operation::Present, 99)],
                "x, 1000 bits, Present, round 3: 99 times yes to 100 calls",
            ),
            (
                [guava(), batch("x", Operation::Put, 0)],
                "x, 1000 bits, Put, round 3: 0 times yes to 100 calls",
            ),
        ] {
            assert_eq!(check(&batches), Err(message.to_owned()));
        }
    }
}
