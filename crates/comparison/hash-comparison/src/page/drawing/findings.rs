//! The first chart of the report: quality, time and cost of each function on one dataset, a chart for each purpose.

use crate::questions::CollisionRow;
use crate::questions::filters::USUAL_BITS;
use crate::questions::on_dataset::{DatasetRows, stems};
use crate::questions::times::numbers;
use crate::questions::{ChartKind, Of};
use crate::record::{CallForm, Choice, CostRow, EMPTY, Finding, IDEAL, Purpose, Verdict};
use plots::dots::{Axis, Dot, DotRow, Dots, Panel};
use plots::key::Sign;
use plots::mark::Mark;
use plots::scale::Scale;
use plots::scene::{BAND, Scene};
use terminal::number;

/// The charts, whose last panel has the cost for one purpose.
pub(crate) const KINDS: [(Purpose, ChartKind); 4] = [
    kind("findings", Purpose::Filter, |data| scene(data, Purpose::Filter)),
    kind("table-findings", Purpose::Table, |data| {
        scene(data, Purpose::Table)
    }),
    kind("shard-findings", Purpose::Shard, |data| {
        scene(data, Purpose::Shard)
    }),
    kind("checksum-findings", Purpose::Checksum, |data| {
        scene(data, Purpose::Checksum)
    }),
];

/// Room for the numbers of the last panel: the other panels have one place for all purposes.
const COST: f64 = 90.0;

type Draw = fn(&DatasetRows<'_>) -> Option<Scene>;

const fn kind(stem: &'static str, purpose: Purpose, draw: Draw) -> (Purpose, ChartKind) {
    (purpose, ChartKind::new(stem, Of::Dataset(draw)))
}

/// Builds the key of the verdicts in use.
fn key(used: impl Iterator<Item = Verdict> + Clone) -> Vec<(Sign, &'static str)> {
    let all = Verdict::ALL
        .iter()
        .copied()
        .filter(|one| used.clone().any(|used| used == *one));
    all.map(|verdict| (Sign::Filled(verdict.into()), verdict.describe()))
        .collect()
}

/// Draws the chart for a purpose; `None` without findings.
fn scene(data: &DatasetRows<'_>, purpose: Purpose) -> Option<Scene> {
    let (findings, folded) = data.shown_and_folded();
    findings.first()?;
    let dataset = &data.summary.name;
    let in_tables = stems(folded.iter().map(|finding| finding.function.as_str()));
    let in_tables = format!("{} more in the tables: {in_tables}", folded.len());
    let names = findings
        .iter()
        .map(|finding| (&*finding.function, Some(finding.verdict.into())));
    let notes = [
        "Lines through the marks: a 99 % interval, half of the rounds about the median time, or the lowest to the highest rate.",
        "The form of a mark is the function's worst verdict in any test on these keys, also where its own figure is within chance.",
        &in_tables,
    ];
    let chart = Dots {
        description: &format!(
            "{dataset}: collisions, time and cost ({purpose}) of each function, best first"
        ),
        title: &format!("{dataset}: quality, time and cost"),
        key: &key(findings.iter().map(|finding| finding.verdict)),
        width: 1080.0,
        names: names.collect(),
        is_kept: &|name| data.is_named(name),
        panels: vec![
            quality(data, &findings),
            time(data, &findings),
            match purpose {
                Purpose::Filter => filter(data, &findings),
                _ => cost(data, &findings, purpose),
            },
        ],
        notes: &notes[..if folded.is_empty() { 2 } else { 3 }],
    };
    Some(chart.scene())
}

fn quality(data: &DatasetRows<'_>, findings: &[&Finding]) -> Panel {
    let full = findings.iter().map(|one| data.full_width(&one.function));
    let full: Vec<Option<&CollisionRow>> = full.collect();
    let present = || full.iter().copied().flatten();
    // The largest width, which most functions have; the rows of the others state their width.
    let common = present().map(|row| row.bits).max().unwrap_or_default();
    let mut key = vec![(Sign::Shade(BAND), "chance")];
    if present().any(|row| row.collisions == 0) {
        key.push((Sign::Hollow(Mark::Neutral), "none: upper limit"));
    }
    let rows = findings.iter().zip(&full).map(|(finding, row)| {
        let row = row.as_ref()?;
        let over = |count| row.over_expected(count);
        let (Some(value), Some(low), Some(high)) = (row.ratio(), over(row.ci_low), over(row.ci_high)) else {
            return Some(DotRow::new([], "too few keys".to_owned()));
        };
        let band = row.band(data.records.collisions.len()).map(over);
        let is_seen = row.collisions > 0;
        let width = (row.bits < common).then(|| format!("{} bits", row.bits));
        let notes = width.into_iter().chain(other_width(data, finding, row));
        let value = if is_seen { value } else { high };
        let dot = Dot::new(value, (low, high), finding.verdict.into(), is_seen);
        let numbers: Vec<String> = [number::grouped(row.collisions)]
            .into_iter()
            .chain(notes)
            .collect();
        Some(DotRow {
            band: band[0].zip(band[1]),
            ..DotRow::new([dot], numbers.join(", "))
        })
    });
    Panel {
        title: "Quality: collisions against chance".to_owned(),
        key,
        axis: Axis::new(ratio_scale(present(), data), number::tick),
        axis_title: format!("over the expected, low {common} bits, 99 % (log)"),
        line: Some((1.0, String::new())),
        numbers: ("collisions", 112.0),
        rows: rows.map(Option::unwrap_or_default).collect(),
    }
}

/// Describes the width at which a function departs from chance, if its full width does not.
fn other_width(data: &DatasetRows<'_>, finding: &Finding, row: &CollisionRow) -> Option<String> {
    let is_fewer = finding.verdict == Verdict::FewerThanChance && row.verdict == Verdict::WithinChance;
    let mut rows = data.about(&data.records.collisions, &finding.function);
    let other = if is_fewer {
        rows.find(|other| other.verdict == Verdict::FewerThanChance)
    } else {
        let worst = rows.find(|row| row.bits == finding.worst_bits);
        worst.filter(|worst| worst.verdict > Verdict::WithinChance && row.verdict <= Verdict::WithinChance)
    };
    let other = other.filter(|other| other.bits != row.bits)?;
    let ratio = other.ratio()?;
    let words = if (0.9..1.1).contains(&ratio) {
        // With many collisions, even a small difference is significant.
        let sign = if ratio < 1.0 { '-' } else { '+' };
        format!("{sign}{} %", number::significant(100.0 * (ratio - 1.0).abs(), 2))
    } else {
        format!("{}×", number::significant(ratio, 2))
    };
    Some(format!("{words} at {}", other.bits))
}

/// Builds an axis for ratios that covers 0.5 to 4 and every row that chance explains, with its interval and band. Rows far
/// off chance must not compress all others.
fn ratio_scale<'a>(rows: impl Iterator<Item = &'a CollisionRow>, data: &DatasetRows<'_>) -> Scale {
    let rows = rows.filter(|row| row.verdict <= Verdict::WithinChance);
    let ends = rows.flat_map(|row| {
        let [band_low, band_high] = row.band(data.records.collisions.len());
        // The lower end of an interval that reaches towards zero may be cut off.
        let low = [row.ci_low, band_low].map(|count| (count, 0.4));
        let high = [row.collisions as f64, row.ci_high, band_high].map(|count| (count, 0.01));
        let over = |(count, least)| {
            let ratio = row.over_expected(count).filter(|ratio| *ratio > 0.0)?;
            Some(ratio.max(least))
        };
        low.into_iter().chain(high).filter_map(over).collect::<Vec<_>>()
    });
    Scale::new(0.5, 4.0).reaching(ends.filter(|value| *value < 1e12))
}

fn time(data: &DatasetRows<'_>, findings: &[&Finding]) -> Panel {
    let both = |name: &str| [CallForm::Independent, CallForm::Chained].map(|form| data.time(name, form));
    let times: Vec<_> = findings.iter().map(|one| both(&one.function)).collect();
    let known = || times.iter().flatten().flatten().map(|row| row.median_ns_per_key);
    if known().next().is_none() {
        return absent("Time on these keys");
    }
    let [floor, _] = both(EMPTY).map(|row| row.map(|row| row.median_ns_per_key));
    let rows = findings
        .iter()
        .zip(&times)
        .map(|(finding, [overlapped, chained])| {
            let dot = |row: &Option<_>, is_filled| {
                row.map(|row: &crate::questions::TimingRow| row.dot(finding.verdict.into(), is_filled))
            };
            let dots = [dot(chained, false), dot(overlapped, true)];
            DotRow::new(dots.into_iter().flatten(), numbers([*overlapped, *chained]))
        });
    Panel {
        title: "Time on these keys".to_owned(),
        key: vec![
            (Sign::Filled(Mark::Neutral), "calls overlap"),
            (Sign::Hollow(Mark::Neutral), "each call waits"),
        ],
        axis: Axis::new(Scale::of(known().chain(floor)), number::tick),
        axis_title: "ns per key, call included (log)".to_owned(),
        line: floor.map(|floor| {
            (
                floor,
                format!("empty function {} ns", number::significant(floor, 2)),
            )
        }),
        numbers: ("overlap, wait", 78.0),
        rows: rows.collect(),
    }
}

/// Shows the means that decide, with the range of the numbers of keys over which they are.
fn filter(data: &DatasetRows<'_>, findings: &[&Finding]) -> Panel {
    let of = |function: &str| data.largest_filters(function, USUAL_BITS);
    let found: Vec<_> = findings.iter().map(|one| of(&one.function)).collect();
    let present = || found.iter().copied().flatten();
    // Filters hold at most one half of a file's keys and are queried with as many others.
    let Some(keys) = present().map(|row| row.keys).max() else {
        return absent("LevelDB filter");
    };
    let mut ideal = data.about(&data.records.near_sizes, IDEAL);
    let ideal = ideal.find(|row| (row.bits_per_key, row.keys) == (USUAL_BITS, keys));
    let keys = number::grouped(keys);
    let rows = findings.iter().zip(&found).map(|(finding, row)| {
        let row = row.as_ref()?;
        let range = (row.lowest_rate, row.highest_rate);
        let dot = Dot::new(row.rate, range, finding.verdict.into(), true);
        let dot = Some(dot).filter(|_| row.false_positives > 0);
        Some(DotRow::new(dot, number::percent(row.rate)))
    });
    let values = present()
        .chain(ideal)
        .flat_map(|row| [row.rate, row.highest_rate]);
    Panel {
        title: format!("LevelDB filter: {USUAL_BITS} bits, about {keys} keys"),
        key: Vec::new(),
        axis: Axis::new(Scale::of(values.filter(|rate| *rate > 0.0)), number::percent_tick),
        axis_title: "false positives, mean and range of sizes (log)".to_owned(),
        line: ideal.map(|ideal| (ideal.rate, format!("ideal hash {}", number::percent(ideal.rate)))),
        numbers: ("", COST),
        rows: rows.map(Option::unwrap_or_default).collect(),
    }
}

/// Shows what was counted in the first place of a purpose, and in the one that the high bits choose.
fn cost(data: &DatasetRows<'_>, findings: &[&Finding], purpose: Purpose) -> Panel {
    let of = |finding: &&Finding| {
        let rows = data.about(&data.records.costs, &finding.function);
        let mut rows = rows.filter(|row| row.shown && row.purpose == Some(purpose));
        let first = rows.next();
        [first, rows.find(|row| row.choice == Some(Choice::HighBits))]
    };
    let found: Vec<[Option<&CostRow>; 2]> = findings.iter().map(of).collect();
    let present = || found.iter().flatten().copied().flatten();
    let title = match purpose {
        Purpose::Table => "Hash table",
        Purpose::Shard => "Shards",
        Purpose::Checksum | Purpose::Filter | Purpose::FilterOrTable => "Checksum: all bits",
    };
    let Some(widest) = present().max_by_key(|row| row.size) else {
        return absent(title);
    };
    let title = match purpose {
        Purpose::Shard => format!("{} shards", widest.size),
        _ => title.to_owned(),
    };
    let is_checksum = purpose == Purpose::Checksum;
    let shown = |row: &CostRow| match purpose {
        Purpose::Table => number::significant(row.measured, 3),
        Purpose::Checksum if row.size < widest.size => {
            format!("{} in {} bits", number::grouped(row.measured as u64), row.size)
        }
        _ => number::grouped(row.measured as u64),
    };
    let rows = findings.iter().zip(&found).map(|(finding, rows)| {
        let dot = |(index, row): (usize, &&CostRow)| {
            let mark = finding.verdict.into();
            Dot::new(row.measured, (row.measured, row.measured), mark, index == 0)
        };
        let rows: Vec<&CostRow> = rows.iter().copied().flatten().collect();
        let seen = rows.iter().enumerate().filter(|(_, row)| row.measured > 0.0);
        let numbers: Vec<String> = rows.iter().map(|row| shown(row)).collect();
        // The first lies on top.
        DotRow::new(seen.map(dot).rev(), numbers.join(", "))
    });
    let rows = rows.collect();
    let values = present().flat_map(|row| [row.measured, row.chance]);
    let chance = CostRow {
        measured: widest.chance,
        ..widest.clone()
    };
    let sides = [
        (Sign::Filled(Mark::Neutral), "low bits"),
        (Sign::Hollow(Mark::Neutral), "high bits"),
    ];
    Panel {
        title,
        key: if is_checksum { Vec::new() } else { sides.to_vec() },
        axis: Axis::new(Scale::of(values.filter(|value| *value >= 1.0)), number::tick),
        axis_title: format!("{} (log)", widest.unit.describe()),
        line: (!is_checksum).then(|| (chance.measured, format!("chance {}", shown(&chance)))),
        numbers: (if is_checksum { "" } else { "low, high" }, COST),
        rows,
    }
}

fn absent(title: &str) -> Panel {
    Panel {
        title: title.to_owned(),
        key: Vec::new(),
        axis: Axis::new(Scale::of([]), number::tick),
        axis_title: "not measured in this run".to_owned(),
        line: None,
        numbers: ("", COST),
        rows: Vec::new(),
    }
}
