//! From batches to medians and ratios.

use super::{Batch, Client, Operation, Redis};
use crate::benchmark::{Series, Timed, series};

impl Timed for Batch {
    type Contestant = Client;
    const BASELINE: &'static str = "batches of redis-benchmark's";
    const CONDITIONS: &'static str = "version, probes or calls";

    fn contestant(&self) -> Client {
        self.client
    }

    fn is_baseline(&self) -> bool {
        // Nobody else downloads.
        self.client == Client::RedisBenchmark || self.operation == Operation::Download
    }

    fn same_in_group(&self, other: &Self) -> bool {
        (&self.version, self.probes, self.calls) == (&other.version, other.probes, other.calls)
    }

    fn same_in_rounds(&self, _: &Self) -> bool {
        true
    }

    fn round(&self) -> u64 {
        self.round
    }

    fn calls(&self) -> u64 {
        self.calls
    }

    fn ns(&self) -> u64 {
        self.ns
    }

    fn named(&self) -> String {
        format!(
            "{:?}, {:?}, {} bits, {} keys a trip, round {}",
            self.client, self.operation, self.bits, self.batch, self.round
        )
    }
}

/// The rows of all clients, sorted by operation, size, keys a trip and client.
///
/// # Errors
///
/// In words, when batches contradict each other or lack `redis-benchmark`'s of their round.
pub fn summarize(batches: &[Batch]) -> Result<Vec<Redis>, String> {
    let all = series(batches, |batch| (batch.operation, batch.bits, batch.batch))?;
    Ok(all.iter().map(row).collect())
}

fn row(series: &Series<'_, Batch>) -> Redis {
    let first = series.first;
    Redis {
        client: first.client,
        version: first.version.clone(),
        operation: first.operation,
        bits: first.bits,
        probes: first.probes,
        batch: first.batch,
        rounds: series.batches.len() as u64,
        calls: series.batches.iter().map(|batch| batch.calls).sum(),
        median_ns_per_call: series.median_ns,
        mad_ns_per_call: series.mad_ns,
        per_second: 1e9 / series.median_ns,
        // Times are at least 1 ns. The median of inverses is the inverse of the median of an odd number of rounds.
        speed: 1.0 / series.ratio,
        speed_low: 1.0 / series.ratio_high,
        speed_high: 1.0 / series.ratio_low,
    }
}

/// When it pays to download a filter and ask it in memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BreakEven {
    /// Bits of the filter.
    pub bits: u64,
    /// Keys of a round trip, where the server is asked.
    pub batch: u64,
    /// Keys after which the download was cheaper.
    pub keys: f64,
}

/// When it pays to download each of the filters, by the number of keys that are asked for in one round trip otherwise.
///
/// It does after d / (r - l) keys: d the time of the download, r and l that of a key on the server, with
/// [`Client::Blocking`], and in local memory.
pub fn break_even(rows: &[Redis]) -> Vec<BreakEven> {
    let asked = |row: &&Redis| row.operation == Operation::Contains;
    let local = rows
        .iter()
        .filter(asked)
        .find(|row| row.client == Client::Local)
        .map(|row| row.median_ns_per_call);
    let Some(local) = local else {
        return Vec::new();
    };
    let downloads = rows.iter().filter(|row| row.operation == Operation::Download);
    downloads
        .flat_map(|download| {
            let remote = rows
                .iter()
                .filter(asked)
                .filter(|row| row.client == Client::Blocking);
            remote
                .filter(|remote| remote.median_ns_per_call > local)
                .map(|remote| BreakEven {
                    bits: download.bits,
                    batch: remote.batch,
                    keys: download.median_ns_per_call / (remote.median_ns_per_call - local),
                })
        })
        .collect()
}
