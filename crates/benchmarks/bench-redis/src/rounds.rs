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

/// Keys of the filter at 1 %: 9.59 million bits, 7 probes.
const INSERTIONS: usize = 1_000_000;
const FPP: f64 = 0.01;
/// The limit of the false-positive rate.
const MAX_FALSE: f64 = 2.0 * FPP;

/// Keys per round trip, and per round, which takes `redis-benchmark` at least a fifth of a second.
const PLAN: [(usize, usize); 4] = [(1, 10_000), (10, 50_000), (100, 100_000), (1_000, 100_000)];

/// Measures everything.
///
/// # Errors
///
/// If an answer is wrong, or the server or `redis-benchmark` fails.
pub(crate) fn measure(quick: bool) -> Result<Vec<Batch>, Failed> {
    let (rounds, share) = if quick { (3, 10) } else { (15, 1) };
    let server = Server::start()?;
    let mut rig = rig(&server)?;
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

/// Returns the first keys of a seed, strings of 16 hexadecimal digits.
fn keys(seed: u64, count: usize) -> Vec<String> {
    let numbers = random(seed).take(count);
    numbers.map(|number| format!("{number:016x}")).collect()
}

/// Fills a filter on the server and opens the connections.
fn rig(server: &Server) -> Result<Rig, Failed> {
    let client = redis::Client::open(server.url())?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let multiplexed = runtime.block_on(client.get_multiplexed_async_connection())?;
    let filter = FixedFilter::new("members", Schema::whole_words(INSERTIONS as u64, FPP)?)?;
    let mut local = BloomFilter::new(Bytes, &Parameters::try_from(filter.schema())?)?;
    for key in keys(MEMBERS, INSERTIONS) {
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
    let info: redis::InfoDict = redis::cmd("INFO").arg("server").query(connection)?;
    let version: Option<String> = info.get("redis_version");
    Ok(format!("redis {}", version.unwrap_or_default()))
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
    let mixed: Vec<String> = (keys(MEMBERS, half).into_iter())
        .zip(keys(STRANGERS, half))
        .flat_map(|(member, stranger)| [member, stranger])
        .take(calls)
        .collect();
    let newcomers = keys(NEWCOMERS + round, calls);
    for (operation, keys) in [("contains", &mixed), ("insert", &newcomers)] {
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
