//! Time against quality: each function a point with its name.

use super::mark;
use super::rows::DatasetRows;
use crate::judge::collisions::{over_expected, ratio};
use crate::record::{CollisionRow, Finding};
use plots::key;
use plots::labels;
use plots::mark::{Mark, RADIUS};
use plots::number;
use plots::panel::MARGIN;
use plots::scale::Scale;
use plots::scene::{Anchor, Font, GRID, Scene};
use plots::xy::{Axis, Frame, Plot};

const WIDTH: f64 = 1000.0;
/// Of the sheet, but for names at the upper edge.
const HEIGHT: f64 = 640.0;
/// For each name there.
const NAME: f64 = 5.0;
const FRAME: Frame = Frame {
    left: 64.0,
    right: WIDTH - 20.0,
    top: 46.0,
    bottom: HEIGHT - 46.0,
    inset: (ROOM, 0.0),
    ticks: true,
    names: 0.0,
};
/// Room at the upper edge for ratios beyond the axis, and at the lower one for functions without a collision: the axis
/// has no zero.
const ROOM: f64 = 40.0;
/// With more names than that, points hide each other: other forms of published functions are left out.
const MANY: usize = 40;
/// Ratios above this are drawn at the upper edge, with their number.
const FARTHEST: f64 = 4.0;

/// A function on the chart.
struct Point<'a> {
    finding: &'a Finding,
    row: &'a CollisionRow,
    ratio: f64,
    time: f64,
}

/// The chart, or `None` where no function has both a time and a ratio.
pub(crate) fn scene(data: &DatasetRows<'_>) -> Option<Scene> {
    let many = data.findings.len() > MANY;
    let is_drawn = |finding: &&Finding| {
        !(many && data.is_variant(finding)) || data.mine() == Some(finding.function.as_str())
    };
    let point = |finding| {
        let row = data.worst_width(finding)?;
        let time = data.throughput(&finding.function)?.median_ns_per_key;
        let ratio = ratio(row)?;
        time.is_finite().then_some(Point {
            finding,
            row,
            ratio,
            time,
        })
    };
    let points: Vec<Point<'_>> = data
        .best_first()
        .into_iter()
        .filter(is_drawn)
        .filter_map(point)
        .collect();
    points.first()?;
    let slowest = points.iter().map(|point| point.time).fold(0.0, f64::max);
    let (low, high) = heights(points.iter().map(|point| point.ratio));
    let none_seen = |point: &Point<'_>| point.row.collisions == 0;
    let none = if points.iter().any(none_seen) { ROOM } else { 0.0 };
    let beyond = points.iter().filter(|point| point.ratio > high).count() as f64 * NAME;
    let height = HEIGHT + beyond;
    let frame = Frame {
        bottom: FRAME.bottom + beyond,
        inset: (ROOM + beyond, none),
        ..FRAME
    };
    let name = &data.summary.name;
    let description = format!("{name}: time per key against collisions over chance, each function a point");
    let mut scene = Scene::new(WIDTH, height, &description);
    let verdicts = mark::key(points.iter().map(|point| point.finding.verdict));
    let end = key::write(&mut scene, Anchor::End, (WIDTH - MARGIN, 11.0), &verdicts);
    let title = Font::TITLE.fit(&format!("{name}: time against quality"), end - 2.0 * MARGIN);
    scene.text((MARGIN, 16.0), Anchor::Start, Font::TITLE, &title);
    let plot = Plot {
        title: "observed / expected collisions at the worst width, 99 % interval (log scale); chance gives 1×; arrows lie \
                above the axis"
            .to_owned(),
        x: Axis {
            // Room for the name of the slowest.
            scale: Scale::linear(slowest * 1.17),
            tick: number::tick,
        },
        y: Axis {
            scale: Scale::log(low, high),
            tick: |value| format!("{}×", number::tick(value)),
        },
        x_title: "ns per key, independent calls, median; the call itself included",
        reference: Some((1.0, String::new())),
        ..Plot::default()
    };
    let (x, y) = plot.axes(&mut scene, &frame);
    let bottom = frame.bottom - none / 2.0;
    if none > 0.0 {
        scene.level(y.start(), frame.left, frame.right, 1.0, GRID);
        scene.text_middle((frame.left - 8.0, bottom), Anchor::End, Font::NOTE, "none");
    }
    let place = |point: &Point<'_>| {
        let height = match () {
            () if point.ratio > high => frame.top + 10.0,
            () if none_seen(point) => bottom,
            () => y.at(point.ratio),
        };
        (x.at(point.time), height)
    };
    let marks: Vec<((f64, f64), String)> = points
        .iter()
        .map(|point| (place(point), label(point, high)))
        .collect();
    for (point, (at, _)) in points.iter().zip(&marks).filter(|(point, _)| point.ratio <= high) {
        let over = |count| over_expected(point.row, count).map(|ratio| y.at(ratio));
        if let (Some(low), Some(upper)) = (over(point.row.ci_low), over(point.row.ci_high)) {
            let low = if none_seen(point) { at.1 } else { low };
            scene.upright(at.0, upper, low, 1.0, mark::color(point.finding.verdict));
        }
    }
    let line = y.at(1.0);
    let room = [frame.left + 1.0, frame.top, frame.right, frame.bottom - 1.0];
    let names = labels::beside(&marks, room, &[[frame.left, line - 1.0, frame.right, line + 1.0]]);
    for name in &names {
        name.draw_leader(&mut scene);
    }
    for (point, &(at, _)) in points.iter().zip(&marks) {
        let mark = Mark::from(point.finding.verdict);
        if none_seen(point) {
            mark.hollow(&mut scene, at, RADIUS);
        } else {
            mark.filled(&mut scene, at, RADIUS);
        }
        if point.ratio > high {
            let (x, y) = (at.0, at.1 - 6.0);
            scene.polygon(vec![(x, y - 6.0), (x + 4.5, y), (x - 4.5, y)], mark.color());
        }
    }
    for name in &names {
        name.write(&mut scene);
    }
    Some(scene)
}

/// The name of a function, with the ratio where it lies beyond the axis.
fn label(point: &Point<'_>, high: f64) -> String {
    let name = Font::VALUE.fit(&point.finding.function, 180.0);
    if point.ratio > high {
        format!("{name} {}×", number::significant(point.ratio, 2))
    } else {
        name
    }
}

/// Ends of the axis for these ratios: it holds all of them from a tenth to [`FARTHEST`], with some room, and those next
/// to chance at least. One far off must not press all others together, and zero is on no logarithmic axis.
fn heights(ratios: impl Iterator<Item = f64>) -> (f64, f64) {
    let (mut low, mut high) = (0.9_f64, 1.1_f64);
    for ratio in ratios.filter(|ratio| 0.0 < *ratio && *ratio <= FARTHEST) {
        low = low.min(ratio.max(0.1));
        high = high.max(ratio);
    }
    (low / 1.05, high * 1.05)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_axis_follows_the_points() {
        let near = |(low, high): (f64, f64), expected: (f64, f64)| {
            assert!(
                (low - expected.0).abs() < 1e-9 && (high - expected.1).abs() < 1e-9,
                "{low} {high}"
            );
        };
        near(heights([0.97, 1.2, 1.0].into_iter()), (0.9 / 1.05, 1.2 * 1.05));
        near(heights([0.5, 3.0].into_iter()), (0.5 / 1.05, 3.0 * 1.05));
        near(
            heights([0.0, 2.0, 61_000.0].into_iter()),
            (0.9 / 1.05, 2.0 * 1.05),
        );
        near(heights([4.1].into_iter()), (0.9 / 1.05, 1.1 * 1.05));
        near(heights([1e-9].into_iter()), (0.1 / 1.05, 1.1 * 1.05));
        near(heights(std::iter::empty()), (0.9 / 1.05, 1.1 * 1.05));
    }
}
