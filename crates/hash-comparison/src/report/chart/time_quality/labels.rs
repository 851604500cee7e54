//! Where the names of the points stand.

use super::super::mark;
use super::leader::{around, outside_mark, touches};
use super::{LEFT, RIGHT, TOP};
use crate::record::Verdict;
use plots::number;
use plots::scene::{Font, SMALL};

/// Height of the marks at the upper edge.
pub(super) const FAR: f64 = TOP + 8.0;
/// From one row of their labels to the next.
pub(super) const ROW: f64 = SMALL + 4.0;

/// A function on the chart.
pub(super) struct Point<'a> {
    pub(super) name: &'a str,
    pub(super) verdict: Verdict,
    pub(super) at: (f64, f64),
    /// The ratio, where it lies beyond the axis.
    pub(super) beyond: Option<f64>,
    /// Whether no collision was seen: the ratio is 0, which no logarithmic axis has.
    pub(super) none_seen: bool,
}

/// A label and where it stands.
pub(super) struct Label {
    pub(super) text: String,
    pub(super) left: f64,
    pub(super) middle: f64,
    pub(super) width: f64,
}

impl Point<'_> {
    /// Whether the ratio has a place on the axis.
    pub(super) fn is_on_axis(&self) -> bool {
        self.beyond.is_none() && !self.none_seen
    }

    /// What the label says.
    pub(super) fn text(&self) -> String {
        match self.beyond {
            Some(ratio) => format!("{} {}×", name(self.name), number::significant(ratio, 2)),
            None => name(self.name),
        }
    }
}

/// A name short enough for a label.
fn name(name: &str) -> String {
    Font::VALUE.fit(name, 180.0)
}

impl Label {
    const HEIGHT: f64 = SMALL + 2.0;

    fn overlaps(&self, [left, top, right, bottom]: [f64; 4]) -> bool {
        self.left < right
            && left < self.left + self.width
            && self.middle - Self::HEIGHT / 2.0 < bottom
            && top < self.middle + Self::HEIGHT / 2.0
    }

    pub(super) fn corners(&self) -> [f64; 4] {
        let half = Self::HEIGHT / 2.0;
        [
            self.left - 2.0,
            self.middle - half,
            self.left + self.width + 2.0,
            self.middle + half,
        ]
    }

    fn fits(&self, room: Room) -> bool {
        let half = Self::HEIGHT / 2.0;
        self.left > LEFT + 3.0
            && self.left + self.width < RIGHT
            && self.middle - half > room.top - ROW
            && self.middle + half < room.bottom - 2.0
    }

    /// Whether no mark of another point is nearer than that of `points[index]`.
    fn is_nearest_to(&self, index: usize, points: &[Point<'_>]) -> bool {
        let own = self.distance_to(points[index].at);
        points.iter().all(|other| own <= self.distance_to(other.at))
    }

    /// How far the nearest part of the label is from a place, squared.
    fn distance_to(&self, at: (f64, f64)) -> f64 {
        let half = Self::HEIGHT / 2.0;
        let x = at.0 - at.0.clamp(self.left, self.left + self.width);
        let y = at.1 - at.1.clamp(self.middle - half, self.middle + half);
        x * x + y * y
    }

    /// The thin line to the point, where the label does not stand right beside it.
    pub(super) fn leader(&self, at: (f64, f64)) -> Option<[(f64, f64); 2]> {
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

/// Where labels of points on the axis may stand.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    pub(super) top: f64,
    pub(super) bottom: f64,
    /// Height of a level line that they must not cover.
    pub(super) line: f64,
}

/// Up to this distance a label needs no leader.
const BESIDE: f64 = 12.0;

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

/// Labels of marks in a row at height `y`, given as text and pixel from the left.
///
/// Each begins right under its mark, as far down as needed for no label to lie over another or over the leader of
/// another: from the right, each one below those whose marks it reaches under.
pub(super) fn stack(marks: &[(String, f64)], y: f64) -> Vec<Label> {
    let mut order: Vec<usize> = (0..marks.len()).collect();
    order.sort_by(|a, b| marks[*b].1.total_cmp(&marks[*a].1).then(a.cmp(b)));
    let mut rows = vec![0_u32; marks.len()];
    for (done, &index) in order.iter().enumerate() {
        let reach = marks[index].1 + BESIDE + Font::VALUE.width(&marks[index].0) + mark::RADIUS;
        rows[index] = order[..done]
            .iter()
            .filter(|other| marks[**other].1 < reach)
            .map(|other| rows[*other] + 1)
            .max()
            .unwrap_or(0);
    }
    marks
        .iter()
        .zip(rows)
        .map(|((text, x), row)| Label {
            width: Font::VALUE.width(text),
            text: text.clone(),
            left: if row == 0 { x + 9.0 } else { x + 2.0 },
            middle: y + f64::from(row) * ROW,
        })
        .collect()
}

/// Finds the label of each point on the axis the nearest place in `room` that is free of other labels, of points and of
/// the line.
///
/// Deterministic: the most crowded points first, fixed directions.
pub(super) fn place(points: &[Point<'_>], room: Room) -> Vec<Label> {
    let crowd = |index: usize| {
        let at = points[index].at;
        points
            .iter()
            .filter(|p| (p.at.0 - at.0).abs() < 40.0 && (p.at.1 - at.1).abs() < 30.0)
            .count()
    };
    let mut order: Vec<usize> = (0..points.len())
        .filter(|index| points[*index].is_on_axis())
        .collect();
    order.sort_by_key(|index| std::cmp::Reverse(crowd(*index)));
    let mut placed: Vec<(usize, Label)> = Vec::new();
    for index in order {
        let label = place_one(points, index, &placed, room);
        placed.push((index, label));
    }
    placed.sort_by_key(|(index, _)| *index);
    placed.into_iter().map(|(_, label)| label).collect()
}

fn place_one(points: &[Point<'_>], index: usize, placed: &[(usize, Label)], room: Room) -> Label {
    let point = &points[index];
    let text = point.text();
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
    let free = |label: &Label| {
        label.fits(room)
            && !label.overlaps([LEFT, room.line - 1.0, RIGHT, room.line + 1.0])
            && points.iter().all(|p| !label.overlaps(around(p.at)))
            && placed.iter().all(|(_, other)| !label.overlaps(other.corners()))
    };
    let uncrossed = |label: &Label| {
        let leader = label.leader(point.at);
        let others = || points.iter().enumerate().filter(|(other, _)| *other != index);
        // A leader through another mark would seem to begin there. Where marks lie over each other, it may still leave
        // its own on the free side.
        leader.is_none_or(|leader| others().all(|(_, p)| !touches(outside_mark(leader), around(p.at))))
            && placed.iter().all(|(owner, other)| {
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
    // In a crowd a label may have to stand nearer to another mark, and its leader tells; where nothing is free it stands
    // over its point, and the tables have every number.
    let found = nearest()
        .find(|label| label.is_nearest_to(index, points) && uncrossed(label))
        .or_else(|| nearest().find(uncrossed))
        .or_else(|| nearest().next());
    found.unwrap_or_else(|| candidate(9.0, DIRECTIONS[0]))
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let room = Room {
            top: TOP,
            bottom: 570.0,
            line: 402.0,
        };
        let labels = place(&points, room);
        for (i, label) in labels.iter().enumerate() {
            assert!(label.fits(room), "{}", label.text);
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

    #[test]
    fn leaders_leave_a_mark_on_the_side_where_no_other_lies_over_it() {
        let point = |name, at| Point {
            name,
            verdict: Verdict::InBand,
            at,
            beyond: None,
            none_seen: false,
        };
        let points = [
            point("MurMurHash2", (446.0, 446.0)),
            point("SimMurMurHash", (451.0, 448.0)),
            point("RocksDB-Hash", (472.0, 448.0)),
            point("MurmurHash3_x64_128", (483.0, 446.5)),
        ];
        let room = Room {
            top: 158.0,
            bottom: 515.0,
            line: 461.5,
        };
        for (label, own) in place(&points, room).iter().zip(&points) {
            let Some(leader) = label.leader(own.at).map(outside_mark) else {
                continue;
            };
            for other in points.iter().filter(|other| other.name != own.name) {
                assert!(
                    !touches(leader, around(other.at)),
                    "{} through {}",
                    own.name,
                    other.name
                );
            }
        }
    }

    #[test]
    fn a_label_with_room_is_nearest_to_its_own_mark() {
        let point = |name, at, beyond| Point {
            name,
            verdict: Verdict::InBand,
            at,
            beyond,
            none_seen: false,
        };
        // The second is between the others, to whose marks a label at its side would be nearer.
        let points = [
            point("rapidhash", (257.0, 400.0), None),
            point("SimMurMurHash", (300.0, 400.0), None),
            point("MurMurHash2", (343.0, 400.0), None),
            point("BPHash", (300.0, FAR), Some(61_000.0)),
        ];
        assert_eq!(points[3].text(), "BPHash 61,000×");
        let room = Room {
            top: TOP,
            bottom: 570.0,
            line: 402.0,
        };
        for (label, own) in place(&points, room).iter().zip(&points) {
            for other in &points {
                assert!(
                    label.distance_to(own.at) <= label.distance_to(other.at),
                    "{}",
                    label.text
                );
            }
        }
    }

    #[test]
    fn labels_at_the_upper_edge_hang_under_their_marks_in_order() {
        let names: Vec<String> = (0..12).map(|i| format!("Function{i}")).collect();
        // Crowds, two at one place, and one far to the right, in no order.
        let places = [
            500.0, 505.0, 503.0, 505.0, 90.0, 92.0, 300.0, 380.0, 560.0, 600.0, 840.0, 520.0,
        ];
        let marks: Vec<(String, f64)> = names.into_iter().zip(places).collect();
        let labels = stack(&marks, FAR);
        let at = |index: usize| (marks[index].1, FAR);
        for (i, label) in labels.iter().enumerate() {
            assert_eq!(label.text, marks[i].0);
            assert!((2.0..=9.0).contains(&(label.left - at(i).0)), "{}", label.text);
            for (j, other) in labels.iter().enumerate().filter(|(j, _)| *j != i) {
                let [left, top, right, bottom] = other.corners();
                assert!(
                    !label.overlaps([left, top, right, bottom]),
                    "{} over {}",
                    label.text,
                    other.text
                );
                // Marks at one place share their leader.
                if at(i) != at(j)
                    && let Some(leader) = label.leader(at(i))
                {
                    assert!(
                        !touches(leader, other.corners()),
                        "{} through {}",
                        label.text,
                        other.text
                    );
                }
            }
        }
        assert!(
            labels.iter().any(|label| label.middle == FAR),
            "those with room stay beside their marks"
        );
        assert!(stack(&[], FAR).is_empty());
    }
}
