//! The contestants, which process the keys of a round.

use bench_kit::record::Case;
use bench_kit::suites::redis::SUITE;
use bench_kit::turns::{Timed, timed};
use bloom_redis::{Call, Expiry, FixedFilter};
use redis::aio::MultiplexedConnection;
use tokio::runtime::Runtime;

use crate::server;

/// The filter for inserts, emptied before each turn.
const NEWCOMERS: &str = "newcomers";

/// The connections and the filter.
pub(crate) struct Rig {
    pub(crate) port: u16,
    /// Name and version of the server.
    pub(crate) version: String,
    pub(crate) connection: redis::Connection,
    pub(crate) runtime: Runtime,
    pub(crate) multiplexed: MultiplexedConnection,
    /// The filter for queries.
    pub(crate) filter: FixedFilter,
}

pub(crate) type Failed = Box<dyn std::error::Error>;

impl Rig {
    /// Names a case, with the keys of a round trip.
    pub(crate) fn case(&self, client: &str, operation: &str, batch: usize) -> Case {
        let schema = self.filter.schema();
        let (bits, probes) = (schema.bits(), schema.probe_count());
        SUITE.case(client, operation, &[&self.version, &bits, &probes, &batch])
    }

    /// Processes all keys, `batch` at a time.
    pub(crate) fn run(
        &mut self,
        client: &str,
        operation: &str,
        keys: &[String],
        batch: usize,
    ) -> Result<Timed, Failed> {
        let filter = match operation {
            "contains" => self.filter.clone(),
            _ => self.empty()?,
        };
        if client == "redis-benchmark" {
            return self.outside(operation, &filter, keys.len(), batch);
        }
        let ask = |keys| self.ask(client, operation, &filter, keys);
        let (yes, ns) = timed(|| keys.chunks(batch).map(ask).sum::<Result<u64, Failed>>());
        Ok(Timed { ns, yes: yes? })
    }

    /// Processes keys in one call, and returns how many may be present or were new.
    fn ask(
        &mut self,
        client: &str,
        operation: &str,
        filter: &FixedFilter,
        keys: &[String],
    ) -> Result<u64, Failed> {
        let yes = match operation {
            "contains" => {
                let answers = self.send(client, filter.contains_many(keys))?;
                answers.iter().filter(|answer| answer.contains()).count()
            }
            _ => {
                let new = self.send(client, filter.insert_many(keys))?;
                new.into_iter().filter(|&new| new).count()
            }
        };
        Ok(yes as u64)
    }

    fn send<T>(&mut self, client: &str, call: Call<'_, T>) -> Result<T, bloom_redis::Error> {
        match client {
            "tokio" => self.runtime.block_on(call.query_async(&self.multiplexed)),
            _ => call.query(&mut self.connection),
        }
    }

    fn outside(
        &self,
        operation: &str,
        filter: &FixedFilter,
        keys: usize,
        batch: usize,
    ) -> Result<Timed, Failed> {
        let probes = self.filter.schema().probe_count() as usize;
        let key = String::from_utf8(filter.key().to_vec())?;
        let middle = (self.filter.schema().bits() / 2).to_string();
        let command: &[&str] = match operation {
            "contains" => &["GETBIT", &key, &middle],
            _ => &["SETBIT", &key, &middle, "1"],
        };
        let ns = server::benchmark(self.port, command, keys * probes, batch * probes)?;
        Ok(Timed { ns, yes: 0 })
    }

    /// Creates an empty filter at its full length, so that no string grows during the measurement.
    fn empty(&mut self) -> Result<FixedFilter, Failed> {
        let filter = self.filter.named(NEWCOMERS);
        filter.delete().query(&mut self.connection)?;
        filter.create(Expiry::Never).query(&mut self.connection)?;
        Ok(filter)
    }
}
