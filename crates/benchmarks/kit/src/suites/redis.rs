//! Queries and inserts of filters in Redis, over one connection, compared with `redis-benchmark`.

use plots::bars::{Bars, Measure};
use plots::scene::Scene;
use records::number;
use records::number::grouped;
use records::terminal::table;

use crate::charts::{self, Drawn};
use crate::folder::Format;
use crate::rounds::timed;
use crate::suite::{self, Suite};
use crate::summary::{interval, tables, with_spread};
use crate::words::words;

words! {
    /// A client, or a way to query.
    Client {
        /// `redis-benchmark` with one client and a command per bit.
        RedisBenchmark = "redis-benchmark",
        /// `bloom-redis` with default options, over a blocking connection.
        Blocking = "bloom-redis, blocking",
        /// `bloom-redis` over an asynchronous connection, on a runtime with one thread.
        Tokio = "bloom-redis, tokio",
        /// Blocking; a missing filter counts as empty and rebuilds are ignored, as in the published programs.
        Published = "as published, BITFIELD",
        /// `Published` with `GETBIT` and `SETBIT` instead of `BITFIELD`.
        Getbit = "as published, GETBIT, SETBIT",
        /// `Published` with a script.
        Script = "as published, script",
        /// `Blocking` with one call per key.
        Single = "a call for each key",
        /// A filter in the client's memory.
        Local = "in local memory",
    }
}

words! {
    /// An operation.
    Operation {
        /// Queries for keys of which half were inserted.
        Contains = "contains",
        /// Inserts of new keys.
        Insert = "insert",
        /// Downloads of the whole filter.
        Download = "download",
    }
}

timed! {
    dimensions {
        /// The client.
        client: Client,
        /// Name and version of the server.
        version: String,
        /// The operation.
        operation: Operation,
        /// Bits of the filter.
        bits: u64,
        /// Bits per key.
        probes: u32,
        /// Keys per round trip; for [`Client::Single`] the number of the clients it is compared with.
        batch: u64,
    }
    compared {
        group(operation, bits, batch), contestant(client), shared(version, probes),
        // Downloads have only one client.
        baseline(|batch| batch.client == Client::RedisBenchmark || batch.operation == Operation::Download)
    }
    batch {
        /// Keys, or downloads.
        calls,
        /// Number of keys that may be present, or were new; 0 if the client ignores replies.
        yes,
    }
    row Redis {
        /// Keys, or downloads, of all rounds.
        calls,
        /// Median over the rounds, per key or download.
        median_ns_per_call = |series| series.median_ns,
        /// Median absolute deviation from that median.
        mad_ns_per_call = |series| series.mad_ns,
        /// Keys or downloads per second, from that median.
        per_second = |series| 1e9 / series.median_ns,
        /// Median over the rounds of this client's speed divided by `redis-benchmark`'s in the same round; downloads
        /// are compared with themselves. The number of rounds is odd, so the median of inverses is the inverse of the
        /// median.
        speed = |series| 1.0 / series.ratio,
        /// Lower end of the interval of that median.
        speed_low = |series| 1.0 / series.ratio_interval.1,
        /// Upper end of that interval.
        speed_high = |series| 1.0 / series.ratio_interval.0,
    }
}

/// The suite.
pub const SUITE: Suite<Batch, Redis> = Suite::new(
    Format::new("redis-bench", 1, "redis"),
    suite::rows,
    &[("redis", chart)],
    summary,
);

fn summary(rows: &[Redis]) -> String {
    let asked: Vec<Redis> = rows
        .iter()
        .filter(|row| row.operation != Operation::Download)
        .cloned()
        .collect();
    let text = tables(
        &asked,
        |row| {
            let (operation, batch) = (row.operation.words(), row.batch);
            format!(
                "{operation}, {batch} keys a round trip, {} bits, {} for each key",
                row.bits, row.probes
            )
        },
        &[
            ("client", |row| row.client.words().to_owned()),
            ("ns/key \u{b1} MAD", |row| {
                with_spread(row.median_ns_per_call, row.mad_ns_per_call, 0)
            }),
            ("keys/s", |row| format!("{:.0}", row.per_second)),
            ("speed", |row| format!("{:.3}", row.speed)),
            ("95 % CI", |row| interval(row.speed_low, row.speed_high)),
        ],
        |rows| {
            let of = |client: Client| rows.iter().find(|row| row.client == client);
            match (of(Client::Single), of(Client::Blocking)) {
                (Some(one), Some(many)) => format!(
                    "a batch of {} is {:.1} times as fast as as many calls\n",
                    many.batch,
                    one.median_ns_per_call / many.median_ns_per_call
                ),
                _ => String::new(),
            }
        },
    );
    text + &downloads(rows)
}

/// Formats a table of the downloads and the number of keys after which each pays.
fn downloads(rows: &[Redis]) -> String {
    let pays = break_even(rows);
    let downloads = rows.iter().filter(|row| row.operation == Operation::Download);
    let lines = downloads.map(|row| {
        let keys: Vec<String> = pays
            .iter()
            .filter(|pays| pays.bits == row.bits)
            .map(|pays| format!("{:.0}", pays.keys))
            .collect();
        [
            row.bits.to_string(),
            format!("{:.3}", row.median_ns_per_call / 1e6),
            keys.join(", "),
        ]
    });
    let batches: Vec<String> = asked(rows, Client::Blocking)
        .map(|row| row.batch.to_string())
        .collect();
    let header = ["bits", "download, ms", "pays after keys"];
    format!(
        "\ndownloading the filter and asking it here, against {} keys a round trip\n{}\n",
        batches.join(", "),
        table(header, &[0, 1, 2], lines)
    )
}

/// Returns the bits of the largest filter that was queried.
fn largest(rows: &[Redis]) -> Option<u64> {
    let asked = rows.iter().filter(|row| row.operation == Operation::Contains);
    asked.map(|row| row.bits).max()
}

/// Returns a client's queries of the largest filter.
fn asked(rows: &[Redis], client: Client) -> impl Iterator<Item = &Redis> {
    let largest = largest(rows);
    rows.iter().filter(move |row| {
        row.operation == Operation::Contains && row.client == client && Some(row.bits) == largest
    })
}

/// The break-even point of downloading a filter and querying it in memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BreakEven {
    /// Bits of the filter.
    pub bits: u64,
    /// Keys per round trip if the server is queried.
    pub batch: u64,
    /// Number of keys from which the download is cheaper.
    pub keys: f64,
}

/// Computes for each filter when a download pays, by the number of keys per round trip that it replaces.
///
/// A download pays after d / (r - l) keys, where d is the time of the download, and r and l are the times per key on
/// the server with [`Client::Blocking`] and in local memory.
pub fn break_even(rows: &[Redis]) -> Vec<BreakEven> {
    let Some(local) = asked(rows, Client::Local)
        .next()
        .map(|row| row.median_ns_per_call)
    else {
        return Vec::new();
    };
    let downloads = rows.iter().filter(|row| row.operation == Operation::Download);
    downloads
        .flat_map(|download| {
            let remote = asked(rows, Client::Blocking).filter(|remote| remote.median_ns_per_call > local);
            remote.map(|remote| BreakEven {
                bits: download.bits,
                batch: remote.batch,
                keys: download.median_ns_per_call / (remote.median_ns_per_call - local),
            })
        })
        .collect()
}

/// Draws a row for each client and a panel for each operation.
fn chart(rows: &[Redis]) -> Option<Scene> {
    let largest = largest(rows);
    let draw = |row: &Redis| {
        // Local memory and a small filter, which is read as a whole, are tens of times as fast and would squeeze the
        // others.
        let fast = row.client == Client::Local || Some(row.bits) != largest;
        if fast || row.operation == Operation::Download {
            return None;
        }
        let per_second = grouped(three_digits(row.per_second));
        let text = format!("{} ({per_second}/s)", number::significant(row.speed, 3));
        let interval = Some((row.speed_low, row.speed_high));
        // The default calls are ours; variants for comparison are not.
        let is_ours = matches!(row.client, Client::Blocking | Client::Tokio);
        let bar = charts::bar(row.speed, interval, text, is_ours);
        let keys = if row.batch == 1 { "key" } else { "keys" };
        let note = format!(
            "{} bits, {} for each key; {}; median of {} rounds",
            grouped(row.bits),
            row.probes,
            row.version,
            row.rounds
        );
        Some(Drawn {
            group: (format!("{} {keys} a round trip", grouped(row.batch)), note),
            contestant: row.client.words().to_owned(),
            bars: vec![(row.operation as usize, bar)],
        })
    };
    let panel = |title| Measure {
        title,
        axis: "speed over redis-benchmark's; line: 95 % interval",
        texts: 134.0,
        ..Measure::default()
    };
    let bars = Bars {
        tick: number::tick,
        description: "Speed of queries and inserts of filters in Redis over that of redis-benchmark, by keys a \
                      round trip",
        title: "Filters in Redis over one connection: keys a second over redis-benchmark's GETBIT and SETBIT",
        names: 210.0,
        measures: ["Contains, half of the keys absent", "Insert, new keys"]
            .map(panel)
            .into(),
        one_scale: true,
        reference: Some(1.0),
        groups: charts::groups(rows, draw),
        ..Bars::default()
    };
    Some(bars.scene())
}

/// Rounds to three significant digits.
fn three_digits(per_second: f64) -> u64 {
    let mut unit = 1;
    while per_second >= 1_000.0 * unit as f64 {
        unit *= 10;
    }
    (per_second / unit as f64).round() as u64 * unit
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(client: Client, operation: Operation, round: u64, ns: u64) -> Batch {
        Batch {
            client,
            version: "redis 7.0.15".to_owned(),
            operation,
            bits: 9_585_088,
            probes: 7,
            batch: if operation == Operation::Download { 1 } else { 100 },
            round,
            calls: 1_000,
            yes: 500,
            ns,
        }
    }

    #[test]
    fn a_download_pays_when_its_time_is_saved() {
        let batches: Vec<Batch> = [
            (1, 2_000_000, 1_000_000),
            (2, 2_400_000, 1_500_000),
            (3, 20_000_000, 8_000_000),
        ]
        .into_iter()
        .flat_map(|(round, theirs, ours)| {
            [
                batch(Client::Blocking, Operation::Contains, round, ours),
                batch(Client::RedisBenchmark, Operation::Contains, round, theirs),
                batch(Client::Local, Operation::Contains, round, 500_000),
                batch(Client::Blocking, Operation::Download, round, 4_000_000_000),
            ]
        })
        .collect();
        let rows = (SUITE.rows)(&batches).unwrap();
        let [_, ours, _, download] = &rows[..] else {
            panic!("{rows:?}")
        };
        // The ratios are 2, 1.6 and 2.5, although the machine became slower.
        assert_eq!((ours.speed_low, ours.speed, ours.speed_high), (1.6, 2.0, 2.5));
        assert_eq!(
            (ours.median_ns_per_call, ours.per_second),
            (1_500.0, 1e9 / 1_500.0)
        );
        assert_eq!((download.operation, download.speed), (Operation::Download, 1.0));
        // A download takes 4 ms, a key 1.5 us on the server and 0.5 us in memory.
        let expected = BreakEven {
            bits: 9_585_088,
            batch: 100,
            keys: 4_000.0,
        };
        assert_eq!(break_even(&rows), [expected]);
        assert_eq!(break_even(&rows[..2]), []);
    }
}
