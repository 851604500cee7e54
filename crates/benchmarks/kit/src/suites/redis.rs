//! Queries and inserts of filters in Redis, over one connection, compared with `redis-benchmark`.

use plots::scene::Scene;
use records::number;
use records::number::grouped;
use records::terminal::table;

use crate::bars::{Bar, Bars, Drawn};
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
}

impl Row {
    /// Returns the keys or downloads per second, from the median time.
    fn per_second(&self) -> f64 {
        1e9 / self.median_ns
    }

    /// Returns this client's speed divided by that of `redis-benchmark`; downloads are compared with themselves. The
    /// number of rounds is odd, so the inverse of the median is the median of inverses.
    fn speed(&self) -> f64 {
        1.0 / self.ratio
    }
}

/// The suite.
pub const SUITE: Suite<Batch, Row> = Suite::new(
    Format::new("redis-bench", 2, "redis"),
    suite::rows,
    &[("redis", chart)],
    summary,
);

fn summary(rows: &[Row]) -> String {
    let asked: Vec<Row> = rows
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
                with_spread(row.median_ns, row.mad_ns, 0)
            }),
            ("keys/s", |row| format!("{:.0}", row.per_second())),
            ("speed", |row| format!("{:.3}", row.speed())),
            ("95 % CI", |row| {
                interval(1.0 / row.ratio_high, 1.0 / row.ratio_low)
            }),
        ],
        |rows| {
            let of = |client: Client| rows.iter().find(|row| row.client == client);
            match (of(Client::Single), of(Client::Blocking)) {
                (Some(one), Some(many)) => format!(
                    "a batch of {} is {:.1} times as fast as as many calls\n",
                    many.batch,
                    one.median_ns / many.median_ns
                ),
                _ => String::new(),
            }
        },
    );
    text + &downloads(rows)
}

/// Formats a table of the downloads and the number of keys after which each pays.
fn downloads(rows: &[Row]) -> String {
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
            format!("{:.3}", row.median_ns / 1e6),
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
fn largest(rows: &[Row]) -> Option<u64> {
    let asked = rows.iter().filter(|row| row.operation == Operation::Contains);
    asked.map(|row| row.bits).max()
}

/// Returns a client's queries of the largest filter.
fn asked(rows: &[Row], client: Client) -> impl Iterator<Item = &Row> {
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
pub fn break_even(rows: &[Row]) -> Vec<BreakEven> {
    let Some(local) = asked(rows, Client::Local).next().map(|row| row.median_ns) else {
        return Vec::new();
    };
    let downloads = rows.iter().filter(|row| row.operation == Operation::Download);
    downloads
        .flat_map(|download| {
            let remote = asked(rows, Client::Blocking).filter(|remote| remote.median_ns > local);
            remote.map(|remote| BreakEven {
                bits: download.bits,
                batch: remote.batch,
                keys: download.median_ns / (remote.median_ns - local),
            })
        })
        .collect()
}

/// Draws a row for each client and a panel for each operation.
fn chart(rows: &[Row]) -> Option<Scene> {
    let largest = largest(rows);
    let draw = |row: &Row| {
        // Local memory and a small filter, which is read as a whole, are tens of times as fast and would squeeze the
        // others.
        let fast = row.client == Client::Local || Some(row.bits) != largest;
        if fast || row.operation == Operation::Download {
            return None;
        }
        let per_second = grouped(three_digits(row.per_second()));
        let text = format!("{} ({per_second}/s)", number::significant(row.speed(), 3));
        let interval = Some((1.0 / row.ratio_high, 1.0 / row.ratio_low));
        // The default calls are ours; variants for comparison are not.
        let is_ours = matches!(row.client, Client::Blocking | Client::Tokio);
        let bar = Bar {
            value: row.speed(),
            interval,
            text,
            filled: is_ours,
        };
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
    let axis = "speed over redis-benchmark's; line: 95 % interval";
    let drawn: Vec<Drawn> = rows.iter().filter_map(draw).collect();
    let bars = Bars {
        description: "Speed of queries and inserts of filters in Redis over that of redis-benchmark, by keys a \
                      round trip",
        title: "Filters in Redis over one connection: keys a second over redis-benchmark's GETBIT and SETBIT",
        names: 210.0,
        panels: ["Contains, half of the keys absent", "Insert, new keys"]
            .map(|title| (title, axis, 134.0))
            .into(),
        one_scale: true,
        reference: Some(1.0),
        ..Bars::default()
    };
    Some(bars.scene(&drawn))
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
            seen: 500,
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
        assert_eq!((ours.ratio_low, ours.ratio, ours.ratio_high), (0.4, 0.5, 0.625));
        assert_eq!((ours.median_ns, ours.per_second()), (1_500.0, 1e9 / 1_500.0));
        assert_eq!((download.operation, download.speed()), (Operation::Download, 1.0));
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
