//! Queries and inserts of filters in Redis against `redis-benchmark`, one client a row, a panel for each operation.

use plots::bars::{Bar, Bars, Contender, Group, Room};
use plots::number;
use plots::scene::Scene;
use crate::suites::redis::{Client, Operation, Redis};

/// The panels.
const OPERATIONS: [Operation; 2] = [Operation::Contains, Operation::Insert];

/// The chart, or `None` without rows.
pub(crate) fn scene(rows: &[Redis]) -> Option<Scene> {
    let mut drawn: Vec<&Redis> = rows.iter().filter(|row| is_drawn(row)).collect();
    drawn.sort_by_key(|row| (row.batch, row.client));
    Bars {
        description: "Speed of queries and inserts of filters in Redis over that of redis-benchmark, by keys a round \
                      trip",
        title: "Filters in Redis over one connection: keys a second over redis-benchmark's GETBIT and SETBIT",
        axis: "speed over redis-benchmark's; line: 95 % interval",
        panels: &["Contains, half of the keys absent", "Insert, new keys"],
        room: Room {
            names: 210.0,
            panel: 290.0,
            values: 134.0,
        },
        groups: drawn
            .chunk_by(|a, b| a.batch == b.batch)
            .filter_map(group)
            .collect(),
    }
    .scene()
}

/// Local memory is a hundred times as fast, and would leave the others no room.
fn is_drawn(row: &Redis) -> bool {
    row.client != Client::Local && row.operation != Operation::Download
}

/// The clients at so many keys a round trip.
fn group(rows: &[&Redis]) -> Option<Group> {
    let first = rows.first()?;
    Some(Group {
        name: if first.batch == 1 {
            "1 key a round trip".to_owned()
        } else {
            format!("{} keys a round trip", number::grouped(first.batch))
        },
        note: format!(
            "{} bits, {} for each key; {}; median of {} rounds",
            number::grouped(first.bits),
            first.probes,
            first.version,
            first.rounds
        ),
        contenders: rows
            .chunk_by(|a, b| a.client == b.client)
            .filter_map(contender)
            .collect(),
    })
}

/// Ours are the calls as they are; what they are compared with is not.
fn contender(rows: &[&Redis]) -> Option<Contender> {
    let client = rows.first()?.client;
    Some(Contender {
        name: client.words(),
        ours: matches!(client, Client::Blocking | Client::Tokio),
        bars: rows.iter().filter_map(|row| bar(row)).collect(),
    })
}

fn bar(row: &Redis) -> Option<(usize, Bar)> {
    let panel = OPERATIONS
        .iter()
        .position(|operation| *operation == row.operation)?;
    let text = format!(
        "{} ({}/s)",
        number::significant(row.speed, 3),
        number::grouped(rounded(row.per_second))
    );
    let bar = Bar {
        ratio: row.speed,
        low: row.speed_low,
        high: row.speed_high,
        text,
    };
    Some((panel, bar))
}

/// Three digits that count.
fn rounded(per_second: f64) -> u64 {
    let mut unit = 1;
    while per_second >= 1_000.0 * unit as f64 {
        unit *= 10;
    }
    (per_second / unit as f64).round() as u64 * unit
}
