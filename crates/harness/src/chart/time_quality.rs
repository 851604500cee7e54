//! Time against quality: each function a point with its name.

use super::mark;
use super::number;
use super::panel::MARGIN;
use super::rows::{DatasetRows, ratio};
use super::scale::Scale;
use super::scene::{Anchor, Font, GRID, INK, MUTED, PAPER, SMALL, Scene};
use crate::record::Verdict;

const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 620.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = WIDTH - 20.0;
const TOP: f64 = 44.0;
const BOTTOM: f64 = HEIGHT - 44.0;
/// Ratios above this are drawn at the upper edge, with their number.
const FARTHEST: f64 = 4.0;

/// A function on the chart.
struct Point<'a> {
    name: &'a str,
    verdict: Verdict,
    at: (f64, f64),
    /// The ratio, where it lies beyond the axis.
    beyond: Option<f64>,
    /// Whether no collision was seen: the ratio is 0, which no logarithmic axis has.
    none_seen: bool,
}

/// The chart, or `None` where no function has both a time and a ratio.
pub(crate) fn scene(data: &DatasetRows<'_>) -> Option<Scene> {
    let found: Vec<_> = data
        .best_first()
        .into_iter()
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
    let x_scale = Scale::linear(slowest * 1.08, LEFT, RIGHT);
    // Pixels grow downwards.
    let (low, high) = heights(found.iter().map(|f| f.2));
    let y_scale = Scale::log(low, high, BOTTOM, TOP + 20.0);
    let name = &data.summary.name;
    let mut scene = Scene::new(
        WIDTH,
        HEIGHT,
        &format!("{name}: time per key against collisions over chance, each function a point"),
    );
    let used: Vec<_> = found.iter().map(|f| f.0.verdict).collect();
    let key_start = mark::key(&mut scene, &used, WIDTH - MARGIN, 11.0);
    let title = Font::TITLE.fit(&format!("{name}: time against quality"), key_start - 2.0 * MARGIN);
    scene.text((MARGIN, 16.0), Anchor::Start, Font::TITLE, &title);
    axes(&mut scene, &x_scale, &y_scale);
    let points: Vec<Point<'_>> = found
        .iter()
        .map(|(finding, row, ratio, time)| {
            let beyond = y_scale.is_above(*ratio).then_some(*ratio);
            let y = if beyond.is_some() {
                TOP + 8.0
            } else {
                y_scale.at(*ratio)
            };
            Point {
                name: &finding.function,
                verdict: finding.verdict,
                at: (x_scale.at(*time), y),
                beyond,
                none_seen: row.collisions == 0,
            }
        })
        .collect();
    let labels = place(&points, y_scale.at(1.0));
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

/// Ends of the axis for these ratios: it holds all of them from a tenth to [`FARTHEST`], with some room, and those of
/// chance at least. One far off must not press all others together, and zero is on no logarithmic axis.
fn heights(ratios: impl Iterator<Item = f64>) -> (f64, f64) {
    let (mut low, mut high) = (0.9_f64, 1.1_f64);
    for ratio in ratios.filter(|ratio| *ratio > 0.0) {
        low = low.min(ratio.max(0.1));
        high = high.max(ratio.min(FARTHEST));
    }
    (low / 1.05, high * 1.05)
}

fn axes(scene: &mut Scene, x_scale: &Scale, y_scale: &Scale) {
    for value in x_scale.ticks(70.0) {
        let x = x_scale.at(value);
        scene.upright(x, TOP, BOTTOM + 4.0, 1.0, GRID);
        scene.text(
            (x, BOTTOM + 17.0),
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
    scene.level(y_scale.at(1.0), LEFT, RIGHT, 1.5, MUTED);
    scene.level(BOTTOM, LEFT, RIGHT, 1.0, INK);
    scene.upright(LEFT, TOP, BOTTOM, 1.0, INK);
    let axis = "ns per key, independent calls, median; the call itself included";
    scene.text(
        ((LEFT + RIGHT) / 2.0, HEIGHT - 10.0),
        Anchor::Middle,
        Font::NOTE,
        axis,
    );
    let axis = "observed / expected collisions at the worst width (log scale); chance gives 1×";
    scene.text((MARGIN, 34.0), Anchor::Start, Font::NOTE, axis);
}

/// A label and where it stands.
struct Label {
    text: String,
    left: f64,
    middle: f64,
    width: f64,
}

impl Label {
    const HEIGHT: f64 = SMALL + 2.0;

    fn overlaps(&self, [left, top, right, bottom]: [f64; 4]) -> bool {
        self.left < right
            && left < self.left + self.width
            && self.middle - Self::HEIGHT / 2.0 < bottom
            && top < self.middle + Self::HEIGHT / 2.0
    }

    fn corners(&self) -> [f64; 4] {
        let half = Self::HEIGHT / 2.0;
        [
            self.left - 2.0,
            self.middle - half,
            self.left + self.width + 2.0,
            self.middle + half,
        ]
    }

    fn fits(&self) -> bool {
        let half = Self::HEIGHT / 2.0;
        self.left > LEFT + 3.0
            && self.left + self.width < RIGHT
            && self.middle - half > TOP - 4.0
            && self.middle + half < BOTTOM - 2.0
    }

    /// The thin line to the point, where the label does not stand right beside it.
    fn leader(&self, at: (f64, f64)) -> Option<[(f64, f64); 2]> {
        const BESIDE: f64 = 12.0;
        let near = (at.0.clamp(self.left, self.left + self.width), self.middle);
        let half = Self::HEIGHT / 2.0;
        let edge = if near.1 > at.1 {
            near.1 - half
        } else {
            near.1 + half
        };
        let far = (near.0 - at.0).abs().max((edge - at.1).abs());
        let above_or_below = self.left <= at.0 && at.0 <= self.left + self.width;
        (far > BESIDE).then_some([at, if above_or_below { (near.0, edge) } else { near }])
    }
}

/// Whether a line touches a rectangle, looked at every other pixel.
fn touches([from, to]: [(f64, f64); 2], [left, top, right, bottom]: [f64; 4]) -> bool {
    let steps = libm::ceil((to.0 - from.0).abs().max((to.1 - from.1).abs()) / 2.0).max(1.0) as u32;
    (0..=steps)
        .map(|step| f64::from(step) / f64::from(steps))
        .any(|share| {
            let (x, y) = (from.0 + share * (to.0 - from.0), from.1 + share * (to.1 - from.1));
            left <= x && x <= right && top <= y && y <= bottom
        })
}

/// Right first, then the other sides, then between; unit vectors.
const DIRECTIONS: [(f64, f64); 20] = [
    (1.0, 0.0),
    (-1.0, 0.0),
    (0.0, -1.0),
    (0.0, 1.0),
    (0.707, -0.707),
    (0.707, 0.707),
    (-0.707, -0.707),
    (-0.707, 0.707),
    (0.383, -0.924),
    (0.383, 0.924),
    (-0.383, -0.924),
    (-0.383, 0.924),
    (0.924, -0.383),
    (0.924, 0.383),
    (-0.924, -0.383),
    (-0.924, 0.383),
    (0.195, -0.981),
    (0.195, 0.981),
    (-0.195, -0.981),
    (-0.195, 0.981),
];

/// Finds each label the nearest place free of other labels, of points and of the line at height `line`.
///
/// Deterministic: the most crowded points first, fixed directions.
fn place(points: &[Point<'_>], line: f64) -> Vec<Label> {
    let crowd = |index: usize| {
        let at = points[index].at;
        points
            .iter()
            .filter(|p| (p.at.0 - at.0).abs() < 40.0 && (p.at.1 - at.1).abs() < 30.0)
            .count()
    };
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by_key(|index| std::cmp::Reverse(crowd(*index)));
    let mut placed: Vec<(usize, Label)> = Vec::new();
    for index in order {
        let label = place_one(points, index, &placed, line);
        placed.push((index, label));
    }
    placed.sort_by_key(|(index, _)| *index);
    placed.into_iter().map(|(_, label)| label).collect()
}

fn place_one(points: &[Point<'_>], index: usize, placed: &[(usize, Label)], line: f64) -> Label {
    let point = &points[index];
    let name = Font::VALUE.fit(point.name, 180.0);
    let text = match point.beyond {
        Some(ratio) => format!("{name} {}×", number::significant(ratio, 2)),
        None => name,
    };
    let width = Font::VALUE.width(&text);
    let candidate = |distance: f64, (dx, dy): (f64, f64)| {
        let x = point.at.0 + dx * distance;
        let left = if dx > 0.1 {
            x
        } else if dx < -0.1 {
            x - width
        } else {
            x - width / 2.0
        };
        Label {
            text: text.clone(),
            left,
            middle: point.at.1 + dy * distance,
            width,
        }
    };
    let around = |p: &Point<'_>| {
        let r = mark::RADIUS + 1.0;
        [p.at.0 - r, p.at.1 - r, p.at.0 + r, p.at.1 + r]
    };
    let free = |label: &Label| {
        label.fits()
            && !label.overlaps([LEFT, line - 1.0, RIGHT, line + 1.0])
            && points.iter().all(|p| !label.overlaps(around(p)))
            && placed.iter().all(|(_, other)| !label.overlaps(other.corners()))
    };
    let uncrossed = |label: &Label| {
        let leader = label.leader(point.at);
        placed.iter().all(|(owner, other)| {
            let theirs = other.leader(points[*owner].at);
            leader.is_none_or(|leader| !touches(leader, other.corners()))
                && theirs.is_none_or(|leader| !touches(leader, label.corners()))
        })
    };
    let nearest = || {
        (0..48)
            .map(|step| 9.0 + 7.0 * f64::from(step))
            .flat_map(|distance| DIRECTIONS.map(|direction| candidate(distance, direction)))
            .filter(free)
    };
    // Where nothing is free the label stands over its point; the tables have every number.
    let found = nearest().find(uncrossed).or_else(|| nearest().next());
    found.unwrap_or_else(|| candidate(9.0, DIRECTIONS[0]))
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
        near(heights([0.0, 61_000.0].into_iter()), (0.9 / 1.05, 4.0 * 1.05));
        near(heights([1e-9].into_iter()), (0.1 / 1.05, 1.1 * 1.05));
        near(heights(std::iter::empty()), (0.9 / 1.05, 1.1 * 1.05));
    }

    #[test]
    fn labels_of_forty_crowded_points_do_not_overlap() {
        let names: Vec<String> = (0..40).map(|i| format!("Function{i}")).collect();
        let points: Vec<Point<'_>> = names
            .iter()
            .enumerate()
            .map(|(i, name)| Point {
                name,
                verdict: Verdict::InBand,
                at: (300.0 + 6.0 * i as f64, 400.0 + (i % 3) as f64),
                beyond: None,
                none_seen: false,
            })
            .collect();
        let labels = place(&points, 402.0);
        for (i, label) in labels.iter().enumerate() {
            assert!(label.fits(), "{}", label.text);
            for other in &labels[..i] {
                assert!(
                    !label.overlaps(other.corners()),
                    "{} over {}",
                    label.text,
                    other.text
                );
            }
        }
    }
}
