//! The charts, drawn from the records alone.

use plots::dots::{Dot, DotRow, Dots, Panel};
use plots::key::Sign;
use plots::mark::Mark;
use plots::scale::Scale;
use plots::scene::Scene;
use plots::xy::{Axis, Plot, Series, Sheet};
use terminal::number::{grouped, percent_tick, significant, tick};

use super::{BITS, REQUESTS};
use crate::keys::ordered::SETS;
use crate::record::Row;

/// The kinds of query with a line of their own.
const LINES: [&str; 5] = ["fresh", "gap10", "gap-half", "prefix", "point"];

/// Draws the false positives by bits per key, a plot for each set. All have a size that all sets have.
pub(super) fn false_positives(rows: &[Row]) -> Scene {
    /// The lower edge, where zero is.
    const LEAST: f64 = 1e-5;
    let keys = rows.iter().map(|row| row.case.count("keys"));
    let keys = keys.filter(|keys| *keys <= 20_000).max().unwrap_or_default();
    let ours = |row: &&Row| row.case.contender == "range" && row.case.count("keys") == keys;
    let x = Scale::new(f64::from(BITS[0]) * 0.96, f64::from(BITS[4]) * 1.02);
    let plot = |set: &&'static str| {
        let series = LINES.iter().zip(Mark::LINES).filter_map(|(kind, mark)| {
            let of_line = rows.iter().filter(ours);
            let of_line = of_line.filter(|row| (row.case.get("set"), row.case.get("query")) == (*set, *kind));
            let point = |row: &Row| (row.case.number("bits_per_key"), row.value.max(LEAST));
            Some(Series {
                name: kind,
                label: Some((
                    mark,
                    significant(100.0 * of_line.clone().next_back()?.value, 2) + " %",
                )),
                points: of_line.map(point).collect(),
            })
        });
        Plot {
            title: set,
            x: Axis::new(x, tick),
            y: Axis::new(Scale::new(LEAST, 1.0), percent_tick),
            x_title: "bits per key",
            shade: None,
            series: series.collect(),
        }
    };
    let sheet = Sheet {
        description: "Share of queries that find nothing and may match, by bits per key, for each set of keys",
        title: &format!(
            "Range filter: false positives of {} keys (log), with those at 16 bits",
            grouped(keys)
        ),
        width: 1000.0,
        height: 150.0,
        names: 140.0,
        heads: &["", ""],
        rows: SETS
            .chunks(2)
            .map(|sets| sets.iter().map(plot).collect())
            .collect(),
    };
    let mut scene = sheet.scene();
    scene.notes(&["A mark on the lower edge of a plot: no query matched."]);
    scene
}

/// Draws the requests by policy, a panel for each task.
pub(super) fn requests(rows: &[Row]) -> Scene {
    let panel = |(task, title, _): &(&str, &str, _)| {
        let row = |(policy, _): &(&str, _)| {
            let of_row = rows.iter().filter(|row| row.case.contender == *policy);
            let of_row = of_row.filter(|row| row.case.task == *task);
            let counts: Vec<f64> = of_row.map(|row| 1_000.0 * row.value).collect();
            let dots = counts.iter().zip([true, false]);
            let numbers: Vec<_> = counts.iter().map(|count| grouped(count.round() as u64)).collect();
            let dots =
                dots.map(|(count, is_filled)| Dot::new(*count, (*count, *count), Mark::Neutral, is_filled));
            DotRow::new(dots, numbers.join(" / "))
        };
        Panel {
            title: (*title).to_owned(),
            key: Vec::new(),
            axis: Axis::new(Scale::new(1.0, 50_000.0), tick),
            axis_title: "requests (log)".to_owned(),
            line: None,
            numbers: ("", 96.0),
            rows: (REQUESTS.contenders)().iter().map(row).collect(),
        }
    };
    let policies = (REQUESTS.contenders)();
    let chart = Dots {
        description: "Requests to the object store by policy, for each kind of scan and for Gets",
        title: "SlateDB: requests of 1,000 scans or Gets",
        key: &[
            (Sign::Filled(Mark::Neutral), "filters and indexes cached"),
            (Sign::Hollow(Mark::Neutral), "nothing cached"),
        ],
        width: 1260.0,
        names: policies.iter().map(|(_, text)| (*text, None)).collect(),
        is_kept: &|_| true,
        panels: REQUESTS.tasks.iter().map(panel).collect(),
        notes: &["A mark on the left edge of a panel: no request."],
    };
    chart.scene()
}
