//! Time per key of each function, calls that overlap and calls that wait for each other.

use plotters::style::RGBColor;

use super::rows::{DatasetRows, distinct};
use crate::record::{EMPTY, TimingRow};
use plots::mark::NEUTRAL;
use plots::number;
use plots::panel::{AXIS, MARGIN, NAMES_END, Panel, Rows};
use plots::scale::Scale;
use plots::scene::{Anchor, Dash, Font, INK, PAPER, Scene};

const WIDTH: f64 = 1000.0;
const HEAD: f64 = 60.0;
const ROW: f64 = 28.0;
/// Half the height of a bar.
const BAR: f64 = 5.0;

/// The chart, or `None` without times.
pub(crate) fn scene(data: &DatasetRows<'_>) -> Option<Scene> {
    let both = data.timing.iter().chain(&data.latency);
    let mut functions = distinct(
        both.clone()
            .map(|row| row.function.as_str())
            .filter(|name| *name != EMPTY),
    );
    if functions.is_empty() {
        return None;
    }
    let speed = |name: &&str| {
        data.throughput(name)
            .map_or(f64::INFINITY, |row| row.median_ns_per_key)
    };
    functions.sort_by(|a, b| speed(a).total_cmp(&speed(b)));
    let rows = Rows {
        top: HEAD,
        height: ROW,
        count: functions.len(),
    };
    let name = &data.summary.name;
    let mut scene = Scene::new(
        WIDTH,
        (rows.bottom() + AXIS).ceil(),
        &format!("{name}: nanoseconds per key of each function, fastest first"),
    );
    let highest = both
        .map(|row| row.median_ns_per_key + row.mad_ns_per_key)
        .filter(|value| value.is_finite())
        .fold(0.0, f64::max);
    let panel = Panel {
        title: "",
        axis: "ns per key, median; whisker: median absolute deviation over the rounds",
        // The longest bar's value stands right of it.
        scale: Scale::linear(highest, NAMES_END, WIDTH - 60.0),
        tick: number::tick,
    };
    let title = Font::TITLE.fit(&format!("{name}: time"), 420.0);
    scene.text((MARGIN, 18.0), Anchor::Start, Font::TITLE, &title);
    rows.stripes(&mut scene);
    panel.frame(&mut scene, &rows, 18.0);
    legend(&mut scene);
    floors(&mut scene, data, &panel, &rows);
    for (index, function) in functions.iter().enumerate() {
        rows.name(&mut scene, index, function, None);
        let y = rows.middle(index);
        if let Some(row) = data.throughput(function) {
            bar(&mut scene, &panel, y - BAR - 0.5, row, true);
        }
        if let Some(row) = data.chained(function) {
            bar(&mut scene, &panel, y + BAR + 0.5, row, false);
        }
    }
    Some(scene)
}

fn legend(scene: &mut Scene) {
    let mut x = WIDTH - MARGIN;
    for (text, full) in [
        ("chained: each call waits for the last", false),
        ("independent calls overlap", true),
    ] {
        scene.text((x, 18.0), Anchor::End, Font::VALUE, text);
        x -= Font::VALUE.width(text) + 30.0;
        swatch(scene, [x, 9.0, x + 24.0, 18.0], full);
        x -= 18.0;
    }
}

fn swatch(scene: &mut Scene, [left, top, right, bottom]: [f64; 4], full: bool) {
    scene.rect(left, top, right, bottom, NEUTRAL);
    if !full && right - left > 2.0 {
        scene.rect(left + 1.0, top + 1.0, right - 1.0, bottom - 1.0, PAPER);
    }
}

fn bar(scene: &mut Scene, panel: &Panel<'_>, y: f64, row: &TimingRow, full: bool) {
    const WHISKER: RGBColor = INK;
    let (median, mad) = (row.median_ns_per_key, row.mad_ns_per_key);
    if !median.is_finite() {
        return;
    }
    let end = panel.scale.at(median);
    swatch(scene, [panel.scale.start(), y - BAR, end, y + BAR], full);
    let whisker = panel.scale.at(median + mad);
    panel.interval(scene, y, median - mad, median + mad, WHISKER);
    let text = number::significant(median, 3);
    scene.text_middle((whisker.max(end) + 5.0, y), Anchor::Start, Font::VALUE, &text);
}

fn floors(scene: &mut Scene, data: &DatasetRows<'_>, panel: &Panel<'_>, rows: &Rows) {
    let floors = [
        (data.floor(), "empty function", 38.0, Dash::DOTTED),
        (data.chained(EMPTY), "empty function, chained", 52.0, Dash::DASHED),
    ];
    for (row, label, y, dash) in floors {
        let Some(row) = row.filter(|row| row.median_ns_per_key.is_finite()) else {
            continue;
        };
        let x = panel.scale.at(row.median_ns_per_key);
        scene.dashed(x, y - 9.0, rows.bottom(), dash, INK);
        let text = format!("{label} {}", number::significant(row.median_ns_per_key, 3));
        scene.text((x + 5.0, y), Anchor::Start, Font::NOTE, &text);
    }
}
