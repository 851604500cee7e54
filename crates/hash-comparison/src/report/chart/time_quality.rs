//! Time against quality: each function a point with its name.

mod labels;
mod leader;

use self::labels::{FAR, Label, Point, ROW, Room, place, stack};
use super::mark;
use super::rows::{DatasetRows, over_expected, ratio};
use plots::number;
use plots::panel::MARGIN;
use plots::scale::Scale;
use plots::scene::{Anchor, Font, GRID, INK, MUTED, PAPER, Scene};

const WIDTH: f64 = 1000.0;
/// Least height of the sheet.
const HEIGHT: f64 = 620.0;
/// Room below the lowest mark for ticks and the title of the axis.
const FOOT: f64 = 44.0;
/// Least height of the logarithmic axis.
const AXIS: f64 = 240.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = WIDTH - 20.0;
const TOP: f64 = 44.0;
/// With more names than that, points hide each other: other forms of published functions are left out.
const MANY: usize = 40;
/// Ratios above this are drawn at the upper edge, with their number.
const FARTHEST: f64 = 4.0;

/// The chart, or `None` where no function has both a time and a ratio.
pub(crate) fn scene(data: &DatasetRows<'_>) -> Option<Scene> {
    let many = data.findings.len() > MANY;
    let found: Vec<_> = data
        .best_first()
        .into_iter()
        .filter(|finding| {
            !(many && data.is_variant(finding)) || data.mine() == Some(finding.function.as_str())
        })
        .filter_map(|finding| {
            let row = data.worst_width(finding)?;
            let time = data.throughput(&finding.function)?.median_ns_per_key;
            time.is_finite().then_some((finding, row, ratio(row)?, time))
        })
        .collect();
    if found.is_empty() {
        return None;
    }
    let slowest = found.iter().map(|f| f.3).fold(0.0, f64::max);
    // Room for the name of the slowest.
    let x_scale = Scale::linear(slowest * 1.17, LEFT, RIGHT);
    let (low, high) = heights(found.iter().map(|f| f.2));
    let mut points: Vec<Point<'_>> = found
        .iter()
        .map(|(finding, row, ratio, time)| Point {
            name: &finding.function,
            verdict: finding.verdict,
            at: (x_scale.at(*time), FAR),
            beyond: (*ratio > high).then_some(*ratio),
            none_seen: row.collisions == 0,
        })
        .collect();
    let marks_where = |chosen: fn(&Point<'_>) -> bool| -> Vec<(String, f64)> {
        let chosen = points.iter().filter(|point| chosen(point));
        chosen.map(|point| (point.text(), point.at.0)).collect()
    };
    let lowest = |labels: &[Label]| labels.iter().map(|label| label.middle).fold(0.0, f64::max);
    let far_labels = stack(&marks_where(|point| point.beyond.is_some()), FAR);
    let top = (lowest(&far_labels) + ROW).max(TOP + ROW);
    // Those without a collision stand in a row below the axis, which has no zero.
    let none_seen = marks_where(|point| point.none_seen);
    let height = lowest(&stack(&none_seen, ROW)) + if none_seen.is_empty() { 0.0 } else { ROW };
    let sheet = HEIGHT.max(libm::ceil(top + AXIS + height + FOOT));
    let bottom = sheet - FOOT - height;
    let none_labels = stack(&none_seen, bottom + ROW);
    // Pixels grow downwards.
    let y_scale = Scale::log(low, high, bottom, top);
    for (point, (_, _, ratio, _)) in points.iter_mut().zip(&found) {
        if point.none_seen {
            point.at.1 = bottom + ROW;
        } else if point.beyond.is_none() {
            point.at.1 = y_scale.at(*ratio);
        }
    }
    let name = &data.summary.name;
    let mut scene = Scene::new(
        WIDTH,
        sheet,
        &format!("{name}: time per key against collisions over chance, each function a point"),
    );
    let used: Vec<_> = found.iter().map(|f| f.0.verdict).collect();
    let key_start = mark::key(&mut scene, &used, WIDTH - MARGIN, 11.0);
    let title = Font::TITLE.fit(&format!("{name}: time against quality"), key_start - 2.0 * MARGIN);
    scene.text((MARGIN, 16.0), Anchor::Start, Font::TITLE, &title);
    axes(&mut scene, &x_scale, &y_scale);
    for ((_, row, _, _), point) in found
        .iter()
        .zip(&points)
        .filter(|(_, point)| point.beyond.is_none())
    {
        let over = |count| over_expected(row, count).map(|ratio| y_scale.at(ratio));
        if let (Some(low), Some(high)) = (over(row.ci_low), over(row.ci_high)) {
            let low = if point.none_seen { point.at.1 } else { low };
            scene.upright(point.at.0, high, low, 1.0, mark::color(point.verdict));
        }
    }
    let room = Room {
        top,
        bottom,
        line: y_scale.at(1.0),
    };
    let (mut far_labels, mut none_labels) = (far_labels.into_iter(), none_labels.into_iter());
    let mut near_labels = place(&points, room).into_iter();
    // One label for each point, from the list that has it.
    let labels: Vec<Label> = points
        .iter()
        .filter_map(|point| match point.beyond {
            Some(_) => far_labels.next(),
            None if point.none_seen => none_labels.next(),
            None => near_labels.next(),
        })
        .collect();
    for (point, label) in points.iter().zip(&labels) {
        if let Some([from, to]) = label.leader(point.at) {
            scene.line(from, to, MUTED);
        }
    }
    for point in &points {
        let draw = if point.none_seen {
            mark::hollow
        } else {
            mark::filled
        };
        draw(&mut scene, point.verdict, point.at, mark::RADIUS);
        if point.beyond.is_some() {
            let (x, y) = (point.at.0, point.at.1 - 7.0);
            scene.polygon(
                vec![(x, y - 6.0), (x + 4.5, y), (x - 4.5, y)],
                mark::color(point.verdict),
            );
        }
    }
    for label in &labels {
        // A leader of another goes behind the text, not through it.
        let [left, top, right, bottom] = label.corners();
        scene.rect(left + 1.0, top + 1.0, right - 1.0, bottom - 1.0, PAPER);
        scene.text_middle(
            (label.left, label.middle),
            Anchor::Start,
            Font::VALUE,
            &label.text,
        );
    }
    Some(scene)
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

fn axes(scene: &mut Scene, x_scale: &Scale, y_scale: &Scale) {
    let floor = scene.height - FOOT;
    for value in x_scale.ticks(70.0) {
        let x = x_scale.at(value);
        scene.upright(x, TOP, floor + 4.0, 1.0, GRID);
        scene.text(
            (x, floor + 17.0),
            Anchor::Middle,
            Font::NOTE,
            &number::tick(value),
        );
    }
    for value in y_scale.ticks(26.0) {
        let y = y_scale.at(value);
        scene.level(y, LEFT - 4.0, RIGHT, 1.0, GRID);
        scene.text_middle(
            (LEFT - 8.0, y),
            Anchor::End,
            Font::NOTE,
            &format!("{}×", number::tick(value)),
        );
    }
    if y_scale.start() < floor {
        scene.level(y_scale.start(), LEFT, RIGHT, 1.0, GRID);
        scene.text_middle(
            (LEFT - 8.0, y_scale.start() + ROW),
            Anchor::End,
            Font::NOTE,
            "none",
        );
    }
    scene.level(y_scale.at(1.0), LEFT, RIGHT, 1.5, MUTED);
    scene.level(floor, LEFT, RIGHT, 1.0, INK);
    scene.upright(LEFT, TOP, floor, 1.0, INK);
    let axis = "ns per key, independent calls, median; the call itself included";
    scene.text(
        ((LEFT + RIGHT) / 2.0, scene.height - 10.0),
        Anchor::Middle,
        Font::NOTE,
        axis,
    );
    let axis = "observed / expected collisions at the worst width, 99 % interval (log scale); chance gives 1×; \
                arrows lie above the axis";
    scene.text((MARGIN, 34.0), Anchor::Start, Font::NOTE, axis);
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
