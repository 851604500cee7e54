//! `redis-benchmark` beside `bloom-redis`: queries and inserts over one connection to the same server.
//!
//! In every round each contender processes the same number of keys at each batch size, in rotating order, so ratios can
//! be formed within a round. `redis-benchmark` sends a `GETBIT` or `SETBIT` for each bit of as many keys, from one
//! pipelining client. Its commands are prepared once, always name the same bit, and their replies are skipped. Its
//! reported commands per second, measured in whole milliseconds, are divided by the bits per key. Answers are checked:
//! an inserted key that is not found, or contenders that differ, end the run.

mod server;

use bloom_redis::{Call, Expiry, FixedFilter, Schema};
use membership_filters::Bytes;
use membership_filters::guava::{BloomFilter, Parameters};
use redis::aio::MultiplexedConnection;
use server::Server;
use terminal::failure::Failure;
use tokio::runtime::Runtime;

use crate::keys::numbers;
use crate::record::Batch;
use crate::suites::redis::SUITE;
use crate::turns::{Run, Timed, timed, turn};

/// All that process the keys of a round.
const CLIENTS: [&str; 3] = ["redis-benchmark", "blocking", "tokio"];

/// Keys of the filter at this rate: 9.59 million bits, 7 probes.
const INSERTIONS: usize = 1_000_000;
const RATE: f64 = 0.01;

/// Seed of the stored keys.
const MEMBERS: u64 = 1;

/// Seed of the absent keys.
const STRANGERS: u64 = 2;
/// First seed of the inserted keys; each round takes the next seed.
const NEWCOMERS: u64 = 1_000;

/// The limit of the false-positive rate.
const MAX_FALSE: f64 = 2.0 * RATE;

/// Keys per round trip, and per round, which takes `redis-benchmark` at least a fifth of a second.
const PLAN: [(usize, usize); 4] = [(1, 10_000), (10, 50_000), (100, 100_000), (1_000, 100_000)];

/// Failures of several libraries.
type Failed = Box<dyn std::error::Error>;

/// Measures everything.
///
/// # Errors
///
/// If the user requested a stop, an answer is wrong, or the server or `redis-benchmark` is missing or fails.
pub fn measure(run: &Run<'_>) -> Result<Vec<Batch>, Failure> {
    let server = Server::start()?;
    let mut rig = Rig::new(server).map_err(Failure::internal)?;
    let (rounds, share) = run.extent((3, 10), (15, 1));
    let mut batches = Vec::new();
    // The first round is a warm-up.
    for round in 0..=rounds {
        run.go_on()?;
        run.progress.note(&format!("round {round} of {rounds}"));
        for (batch, calls) in PLAN {
            // At least one full batch.
            let calls = (calls / share).max(batch);
            one_size(&mut rig, round, batch, calls, &mut batches).map_err(Failure::internal)?;
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

/// The server, the connections to it and the filter.
struct Rig {
    server: Server,
    /// Name and version of the server.
    version: String,
    connection: redis::Connection,
    runtime: Runtime,
    multiplexed: MultiplexedConnection,
    /// The filter for queries.
    filter: FixedFilter,
}

impl Rig {
    /// Fills a filter on the server and opens the connections.
    fn new(server: Server) -> Result<Self, Failed> {
        let client = redis::Client::open(server.url())?;
        let mut builder = tokio::runtime::Builder::new_current_thread();
        let runtime = builder.enable_all().build()?;
        let multiplexed = runtime.block_on(client.get_multiplexed_async_connection())?;
        let filter = FixedFilter::new("members", Schema::whole_words(INSERTIONS as u64, RATE)?)?;
        let mut local = BloomFilter::new(Bytes, &Parameters::try_from(filter.schema())?)?;
        for key in keys(MEMBERS, INSERTIONS) {
            local.insert(key.as_bytes());
        }
        let mut connection = client.get_connection()?;
        let stored = filter.replace_with(&local, Expiry::Never);
        stored.query(&mut connection)?;
        let info: redis::InfoDict = redis::cmd("INFO").arg("server").query(&mut connection)?;
        let version: Option<String> = info.get("redis_version");
        Ok(Self {
            server,
            version: format!("redis {}", version.unwrap_or_default()),
            connection,
            runtime,
            multiplexed,
            filter,
        })
    }

    /// Processes all keys, `batch` at a time.
    fn run(&mut self, client: &str, operation: &str, keys: &[String], batch: usize) -> Result<Timed, Failed> {
        let is_query = operation == "contains";
        let empty = (!is_query).then(|| self.empty()).transpose()?;
        let filter = empty.unwrap_or_else(|| self.filter.clone());
        if client == "redis-benchmark" {
            let probes = filter.schema().probe_count() as usize;
            let key = String::from_utf8(filter.key().to_vec())?;
            let middle = (filter.schema().bits() / 2).to_string();
            let command = match is_query {
                true => &["GETBIT", &key, &middle][..],
                false => &["SETBIT", &key, &middle, "1"],
            };
            let commands = keys.len() * probes;
            let ns = self.server.benchmark(command, commands, batch * probes)?;
            return Ok(Timed { ns, yes: 0 });
        }
        let mut process = |keys| -> Result<usize, bloom_redis::Error> {
            if is_query {
                let answers = self.send(client, filter.contains_many(keys))?;
                Ok(answers.iter().filter(|answer| answer.contains()).count())
            } else {
                let new = self.send(client, filter.insert_many(keys))?;
                Ok(new.into_iter().filter(|&new| new).count())
            }
        };
        let (yes, ns) = timed(|| keys.chunks(batch).map(&mut process).sum::<Result<usize, _>>());
        Ok(Timed { ns, yes: yes? as u64 })
    }

    fn send<T>(&mut self, client: &str, call: Call<'_, T>) -> Result<T, bloom_redis::Error> {
        match client {
            "tokio" => self.runtime.block_on(call.query_async(&self.multiplexed)),
            _ => call.query(&mut self.connection),
        }
    }

    /// Creates an empty filter for inserts at its full length, so that no string grows during the measurement.
    fn empty(&mut self) -> Result<FixedFilter, Failed> {
        let filter = self.filter.named("newcomers");
        filter.delete().query(&mut self.connection)?;
        filter.create(Expiry::Never).query(&mut self.connection)?;
        Ok(filter)
    }
}

/// Returns the first keys of a seed, strings of 16 hexadecimal digits.
fn keys(seed: u64, count: usize) -> Vec<String> {
    let numbers = numbers(seed).take(count);
    numbers.map(|number| format!("{number:016x}")).collect()
}
