//! The measurement and the checks of its answers.

use bench_kit::record::Batch;
use bench_kit::suites::redis::SUITE;
use bench_kit::turns::turn;

use crate::contestants::{CLIENTS, Failed, MEMBERS, RATE, Rig, keys};

/// Seed of the absent keys.
const STRANGERS: u64 = 2;
/// First seed of the inserted keys; each round takes the next seed.
const NEWCOMERS: u64 = 1_000;

/// The limit of the false-positive rate.
const MAX_FALSE: f64 = 2.0 * RATE;

/// Keys per round trip, and per round, which takes `redis-benchmark` at least a fifth of a second.
const PLAN: [(usize, usize); 4] = [(1, 10_000), (10, 50_000), (100, 100_000), (1_000, 100_000)];

/// Measures everything.
///
/// # Errors
///
/// If an answer is wrong, or the server or `redis-benchmark` fails.
pub(crate) fn measure(quick: bool) -> Result<Vec<Batch>, Failed> {
    let (rounds, share) = if quick { (3, 10) } else { (15, 1) };
    let mut rig = Rig::start()?;
    let mut batches = Vec::new();
    // The first round is a warm-up.
    for round in 0..=rounds {
        eprintln!("round {round} of {rounds}");
        for (batch, calls) in PLAN {
            // At least one full batch.
            let calls = (calls / share).max(batch);
            one_size(&mut rig, round, batch, calls, &mut batches)?;
        }
        if round == 0 {
            batches.clear();
        }
    }
    Ok(batches)
}

/// Measures both operations at one batch size.
fn one_size(
    rig: &mut Rig,
    round: u64,
    batch: usize,
    calls: usize,
    batches: &mut Vec<Batch>,
) -> Result<(), Failed> {
    // Members and absent keys alternate.
    let half = calls.div_ceil(2);
    let pairs = keys(MEMBERS, half).into_iter().zip(keys(STRANGERS, half));
    let mixed = pairs.flat_map(|(member, stranger)| [member, stranger]);
    let mixed: Vec<String> = mixed.take(calls).collect();
    let newcomers = keys(NEWCOMERS + round, calls);
    for (operation, keys) in [("contains", &mixed), ("insert", &newcomers)] {
        let mut positive = Vec::new();
        for index in turn(round, CLIENTS.len()) {
            let client = CLIENTS[index];
            let timed = rig.run(client, operation, keys, batch)?;
            if client != "redis-benchmark" {
                positive.push(timed.yes);
            }
            let schema = rig.filter.schema();
            let (bits, probes) = (schema.bits(), schema.probe_count());
            let case = SUITE.case(client, operation, &[&rig.version, &bits, &probes, &batch]);
            batches.push(case.batch(round, calls as u64, timed.ns));
        }
        positive.dedup();
        if positive.len() != 1 || !is_right(operation, calls as f64, positive[0] as f64) {
            let case = format!("{operation}, {batch} keys a trip, round {round}");
            return Err(format!("{case}: {positive:?} positive answers for {calls} keys").into());
        }
    }
    Ok(())
}

/// Returns true if this can be the number of positive answers: half of the keys of a query are members.
fn is_right(operation: &str, calls: f64, yes: f64) -> bool {
    let (least, most) = match operation {
        "contains" => ((calls / 2.0).ceil(), (calls / 2.0).ceil() + calls * MAX_FALSE),
        _ => (calls * (1.0 - MAX_FALSE), calls),
    };
    (least..=most).contains(&yes)
}
