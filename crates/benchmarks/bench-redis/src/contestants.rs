//! The contestants, which process the keys of a round.

use bench_kit::random;
use bench_kit::turns::{Timed, timed};
use bloom_redis::{Call, Expiry, FixedFilter, Schema};
use membership_filters::Bytes;
use membership_filters::guava::{BloomFilter, Parameters};
use redis::aio::MultiplexedConnection;
use tokio::runtime::Runtime;

use crate::server::Server;

/// All that process the keys of a round.
pub(crate) const CLIENTS: [&str; 3] = ["redis-benchmark", "blocking", "tokio"];

/// Keys of the filter at this rate: 9.59 million bits, 7 probes.
const INSERTIONS: usize = 1_000_000;
pub(crate) const RATE: f64 = 0.01;

/// Seed of the stored keys.
pub(crate) const MEMBERS: u64 = 1;

pub(crate) type Failed = Box<dyn std::error::Error>;

/// The server, the connections to it and the filter.
pub(crate) struct Rig {
    server: Server,
    /// Name and version of the server.
    pub(crate) version: String,
    connection: redis::Connection,
    runtime: Runtime,
    multiplexed: MultiplexedConnection,
    /// The filter for queries.
    pub(crate) filter: FixedFilter,
}

impl Rig {
    /// Starts the server, fills a filter on it and opens the connections.
    pub(crate) fn start() -> Result<Self, Failed> {
        let server = Server::start()?;
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
    pub(crate) fn run(
        &mut self,
        client: &str,
        operation: &str,
        keys: &[String],
        batch: usize,
    ) -> Result<Timed, Failed> {
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
pub(crate) fn keys(seed: u64, count: usize) -> Vec<String> {
    let numbers = random(seed).take(count);
    numbers.map(|number| format!("{number:016x}")).collect()
}
