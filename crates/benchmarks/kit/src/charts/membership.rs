//! Puts and look-ups of Bloom filters against Guava's, one filter a row, a panel for each operation.

use plots::bars::{Bar, Bars, Contender, Group, Room};
use plots::number;
use plots::scene::Scene;
use crate::suites::membership::{Contents, Filter, Membership, Operation};

/// The panels.
const OPERATIONS: [Operation; 3] = [Operation::Put, Operation::Absent, Operation::Present];

/// The chart, or `None` without rows.
pub(crate) fn scene(rows: &[Membership]) -> Option<Scene> {
    let mut sorted: Vec<&Membership> = rows.iter().collect();
    sorted.sort_by_key(|row| (row.bits, row.filter));
    Bars {
        description: "Time of puts and look-ups of Bloom filters over that of Guava's, at several sizes",
        title: "Bloom filters of equal size and probe count: time over Guava's",
        axis: "time over Guava's; line: 95 % interval",
        panels: &["Put", "Might contain, absent keys", "Might contain, present keys"],
        room: Room {
            names: 190.0,
            panel: 178.0,
            values: 118.0,
        },
        groups: sorted
            .chunk_by(|a, b| a.bits == b.bits)
            .filter_map(group)
            .collect(),
    }
    .scene()
}

/// The filters of one size.
fn group(rows: &[&Membership]) -> Option<Group> {
    let first = rows.first()?;
    let contents = match first.contents {
        Contents::Keys => "full",
        Contents::RandomWords => "half of the bits set at random",
    };
    Some(Group {
        name: format!("{} bits", number::grouped(first.bits)),
        note: format!(
            "for {} keys, {} probes, {contents}; median of {} rounds",
            number::grouped(first.insertions),
            first.probes,
            first.rounds
        ),
        contenders: rows
            .chunk_by(|a, b| a.filter == b.filter)
            .filter_map(contender)
            .collect(),
    })
}

fn contender(rows: &[&Membership]) -> Option<Contender> {
    let filter = rows.first()?.filter;
    Some(Contender {
        name: filter.words(),
        ours: matches!(filter, Filter::Ours | Filter::OursBatch),
        bars: rows.iter().filter_map(|row| bar(row)).collect(),
    })
}

fn bar(row: &Membership) -> Option<(usize, Bar)> {
    let panel = OPERATIONS
        .iter()
        .position(|operation| *operation == row.operation)?;
    let text = format!(
        "{} ({} ns)",
        number::significant(row.ratio_to_guava, 3),
        number::significant(row.median_ns_per_call, 3)
    );
    let bar = Bar {
        ratio: row.ratio_to_guava,
        low: row.ratio_low,
        high: row.ratio_high,
        text,
    };
    Some((panel, bar))
}
