//! Time per key of each function, calls that overlap and calls that wait for each other.

use super::rows::{DatasetRows, distinct};
use crate::record::{EMPTY, TimingRow};
use plots::bars::{Bar, Bars, Contestant, Group, Measure};
use plots::key::Sign;
use plots::number::significant;
use plots::scene::{Dash, Scene};

/// The chart, or `None` without times.
pub(crate) fn scene(data: &DatasetRows<'_>) -> Option<Scene> {
    let both = data.timing.iter().chain(&data.latency);
    let mut functions = distinct(
        both.map(|row| row.function.as_str())
            .filter(|name| *name != EMPTY),
    );
    functions.first()?;
    let speed = |name: &str| {
        data.throughput(name)
            .map_or(f64::INFINITY, |row| row.median_ns_per_key)
    };
    functions.sort_by(|a, b| speed(a).total_cmp(&speed(b)));
    let floors = [
        (data.floor(), "empty function", Dash::DOTTED),
        (data.chained(EMPTY), "empty function, chained", Dash::DASHED),
    ];
    let line = |(row, words, dash): (Option<&TimingRow>, &str, Dash)| {
        let floor = row
            .map(|row| row.median_ns_per_key)
            .filter(|value| value.is_finite())?;
        Some((floor, format!("{words} {}", significant(floor, 3)), dash))
    };
    let bar = |row: &TimingRow, full: bool| {
        let (median, mad) = (row.median_ns_per_key, row.mad_ns_per_key);
        let bar = Bar {
            value: median,
            interval: Some((median - mad, median + mad)),
            text: significant(median, 3),
            full,
        };
        (0, bar)
    };
    let contestant = |name: &&str| {
        let overlapping = data.throughput(name).map(|row| bar(row, true));
        let chained = data.chained(name).map(|row| bar(row, false));
        Contestant {
            name: (*name).to_owned(),
            bars: overlapping.into_iter().chain(chained).collect(),
        }
    };
    let name = &data.summary.name;
    let bars = Bars {
        description: &format!("{name}: nanoseconds per key of each function, fastest first"),
        title: &format!("{name}: time"),
        key: vec![
            (Sign::Bar, "independent calls overlap"),
            (Sign::HollowBar, "chained: each call waits for the last"),
        ],
        width: 1000.0,
        measures: vec![Measure {
            title: "",
            axis: "ns per key, median; whisker: median absolute deviation over the rounds",
            texts: 60.0,
            lines: floors.into_iter().filter_map(line).collect(),
        }],
        groups: vec![Group {
            name: String::new(),
            note: String::new(),
            contestants: functions.iter().map(contestant).collect(),
        }],
        ..Bars::default()
    };
    Some(bars.scene())
}
