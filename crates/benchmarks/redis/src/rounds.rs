//! The measurement and the checks of its answers.

use bench_kit::random;
use bench_kit::record::Batch;
use bench_kit::turns::turn;
use bloom_redis::{Expiry, FixedFilter, Schema};
use membership_filters::Bytes;
use membership_filters::guava::{BloomFilter, Parameters};

use crate::contestants::{Failed, Rig};
use crate::server::Server;

/// Seed of the stored keys.
const MEMBERS: u64 = 1;
/// Seed of the absent keys.
const STRANGERS: u64 = 2;
/// First seed of the inserted keys; each round takes the next seed.
const NEWCOMERS: u64 = 1_000;

/// All that process the keys of a round.
const CLIENTS: [&str; 3] = ["redis-benchmark", "blocking", "tokio"];

/// Keys of the queried filters at 1 %: 9.59 million and 96 thousand bits, 7 probes.
const INSERTIONS: [usize; 2] = [1_000_000, 10_000];
const FPP: f64 = 0.01;
/// The limit of the false-positive rate.
const MAX_FALSE: f64 = 2.0 * FPP;

/// Keys of the filter, per round trip, and per round, which takes `redis-benchmark` at least a fifth of a second.
const PLAN: [(usize, usize, usize); 6] = [
    (INSERTIONS[0], 1, 10_000),
    (INSERTIONS[0], 10, 50_000),
    (INSERTIONS[0], 100, 100_000),
    (INSERTIONS[0], 1_000, 100_000),
    (INSERTIONS[1], 100, 100_000),
    (INSERTIONS[1], 1_000, 100_000),
];

/// Measures everything.
///
/// # Errors
///
/// If an answer is wrong, or the server or `redis-benchmark` fails.
pub(crate) fn measure(quick: bool) -> Result<Vec<Batch>, Failed> {
    let (rounds, share) = if quick { (3, 10) } else { (15, 1) };
    let server = Server::start()?;
    let mut rigs = Vec::new();
    for insertions in INSERTIONS {
        rigs.push((insertions, rig(&server, insertions)?));
    }
    let mut batches = Vec::new();
    // The first round is a warm-up.
    for round in 0..=rounds {
        eprintln!("round {round} of {rounds}");
        for (insertions, rig) in &mut rigs {
            for (_, batch, calls) in PLAN.into_iter().filter(|(size, ..)| size == insertions) {
                // At least one full batch.
                let calls = (calls / share).max(batch);
                one_size(rig, *insertions, round, batch, calls, &mut batches)?;
            }
        }
        if round == 0 {
            batches.clear();
        }
    }
    Ok(batches)
}

/// Returns the first keys of a seed, strings of 16 hexadecimal digits.
fn keys(seed: u64, count: usize) -> Vec<String> {
    let numbers = random(seed).take(count);
    numbers.map(|number| format!("{number:016x}")).collect()
}

/// Fills a filter on the server and opens the connections.
fn rig(server: &Server, insertions: usize) -> Result<Rig, Failed> {
    let client = redis::Client::open(server.url())?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let multiplexed = runtime.block_on(client.get_multiplexed_async_connection())?;
    let filter = FixedFilter::new(
        format!("members-{insertions}"),
        Schema::whole_words(insertions as u64, FPP)?,
    )?;
    let mut local = BloomFilter::new(Bytes, &Parameters::try_from(filter.schema())?)?;
    for key in keys(MEMBERS, insertions) {
        local.insert(key.as_bytes());
    }
    let mut connection = client.get_connection()?;
    filter
        .replace_with(&local, Expiry::Never)
        .query(&mut connection)?;
    Ok(Rig {
        port: server.port(),
        version: version(&mut connection)?,
        connection,
        runtime,
        multiplexed,
        filter,
    })
}

/// Returns the server's name and version.
fn version(connection: &mut redis::Connection) -> Result<String, Failed> {
    let info: String = redis::cmd("INFO").arg("server").query(connection)?;
    let version = info
        .lines()
        .find_map(|line| line.strip_prefix("redis_version:"))
        .unwrap_or("unknown");
    Ok(format!("redis {version}"))
}

/// Measures both operations at one batch size, or only queries if a round would insert more keys than the filter is
/// sized for.
fn one_size(
    rig: &mut Rig,
    insertions: usize,
    round: u64,
    batch: usize,
    calls: usize,
    batches: &mut Vec<Batch>,
) -> Result<(), Failed> {
    // Members and absent keys alternate.
    let half = calls.div_ceil(2);
    let members = keys(MEMBERS, half.min(insertions));
    let mixed: Vec<String> = (members.into_iter().cycle())
        .zip(keys(STRANGERS, half))
        .flat_map(|(member, stranger)| [member, stranger])
        .take(calls)
        .collect();
    let newcomers = keys(NEWCOMERS + round, calls);
    for (operation, keys) in [("contains", &mixed), ("insert", &newcomers)] {
        if operation == "insert" && insertions < INSERTIONS[0] {
            continue;
        }
        let mut said = Vec::new();
        for index in turn(round, CLIENTS.len()) {
            let client = CLIENTS[index];
            let timed = rig.run(client, operation, keys, batch)?;
            if client != "redis-benchmark" {
                said.push(timed.yes);
            }
            let case = rig.case(client, operation, batch);
            batches.push(case.batch(round, calls as u64, timed.ns));
        }
        said.dedup();
        if said.len() != 1 || !is_right(operation, calls as f64, said[0] as f64) {
            let case = format!("{operation}, {batch} keys a trip, round {round}");
            return Err(format!("{case}: {said:?} positive answers for {calls} keys").into());
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
