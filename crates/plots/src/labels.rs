//! Where names stand: right of lines, or beside marks; none over another.

use super::mark::{NEUTRAL, RADIUS};
use super::scene::{Anchor, Color, Font, MUTED, PAPER, SMALL, Scene};

/// A name at the right.
pub struct Label {
    /// Where its line ends.
    pub end: f64,
    /// The name.
    pub text: String,
    /// Of the line; a line without has no mark before its name.
    pub color: Option<Color>,
    /// Whether that mark is hollow.
    pub hollow: bool,
}

/// Where names may stand.
pub struct Place {
    /// Right end of the lines.
    pub left: f64,
    /// Right end of the names.
    pub right: f64,
    /// Above it stands no name, as long as those below have room.
    pub top: f64,
    /// From one name to the next.
    pub apart: f64,
}

/// Writes the names, from the lowest upwards, each as near to the end of its line as the others allow.
pub fn write(scene: &mut Scene, mut labels: Vec<Label>, place: &Place) {
    labels.sort_by(|a, b| b.end.total_cmp(&a.end));
    let mut middles = Vec::new();
    let mut highest = f64::INFINITY;
    for label in &labels {
        highest = label.end.min(highest - place.apart);
        middles.push(highest);
    }
    let mut lowest = place.top;
    for middle in middles.iter_mut().rev() {
        *middle = middle.max(lowest);
        lowest = *middle + place.apart;
    }
    let x = place.left + 26.0;
    for (label, middle) in labels.into_iter().zip(middles) {
        scene.line((place.left + 2.0, label.end), (x - 10.0, middle), NEUTRAL);
        if let Some(color) = label.color {
            mark(scene, (x - 4.0, middle), color, label.hollow);
        }
        let text = Font::VALUE.fit(&label.text, place.right - x - 6.0);
        scene.text_middle((x + 6.0, middle), Anchor::Start, Font::VALUE, &text);
    }
}

/// A mark of a line where there are many, the same as before its name.
pub fn mark(scene: &mut Scene, at: (f64, f64), color: Color, hollow: bool) {
    scene.circle(at, RADIUS - 1.0, color);
    if hollow {
        scene.circle(at, RADIUS - 2.2, PAPER);
    }
}

/// Left, top, right, bottom.
pub type Area = [f64; 4];

/// A place on the sheet.
type At = (f64, f64);

/// The name of a mark and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Name {
    text: String,
    /// Of the mark.
    at: At,
    left: f64,
    middle: f64,
    width: f64,
}

/// Half the height of a name.
const HALF: f64 = SMALL / 2.0 + 1.0;
/// Up to this distance a name needs no leader.
const BESIDE: f64 = 12.0;
/// Distances of a name from its mark that are tried.
const TRIES: u32 = 56;

/// Right first, then the other sides, then between; unit vectors.
#[rustfmt::skip]
const DIRECTIONS: [At; 20] = [
    (1.0, 0.0), (-1.0, 0.0), (0.0, -1.0), (0.0, 1.0),
    (0.707, -0.707), (0.707, 0.707), (-0.707, -0.707), (-0.707, 0.707),
    (0.383, -0.924), (0.383, 0.924), (-0.383, -0.924), (-0.383, 0.924),
    (0.924, -0.383), (0.924, 0.383), (-0.924, -0.383), (-0.924, 0.383),
    (0.195, -0.981), (0.195, 0.981), (-0.195, -0.981), (-0.195, 0.981),
];

/// Finds the name of each mark a place in `room` that is free of other names, of marks and of `lines`: the nearest, unless
/// its leader would cross what belongs to others.
///
/// Deterministic: the most crowded marks first, fixed directions.
pub fn beside(marks: &[(At, String)], room: Area, lines: &[Area]) -> Vec<Name> {
    let crowd = |at: At| {
        let near =
            |(other, _): &&(At, String)| (other.0 - at.0).abs() < 40.0 && (other.1 - at.1).abs() < 30.0;
        marks.iter().filter(near).count()
    };
    let mut order: Vec<usize> = (0..marks.len()).collect();
    order.sort_by_key(|&index| core::cmp::Reverse(crowd(marks[index].0)));
    let mut placed: Vec<(usize, Name)> = Vec::new();
    for index in order {
        placed.push((index, place(marks, index, &placed, room, lines)));
    }
    placed.sort_by_key(|(index, _)| *index);
    placed.into_iter().map(|(_, name)| name).collect()
}

fn place(marks: &[(At, String)], index: usize, placed: &[(usize, Name)], room: Area, lines: &[Area]) -> Name {
    let (at, text) = &marks[index];
    let width = Font::VALUE.width(text);
    let candidate = |distance: f64, (x, y): At| Name {
        text: text.clone(),
        at: *at,
        left: at.0 + x * distance
            - match x {
                _ if x > 0.1 => 0.0,
                _ if x < -0.1 => width,
                _ => width / 2.0,
            },
        middle: at.1 + y * distance,
        width,
    };
    let others = || {
        marks
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != index)
            .map(|(_, (at, _))| *at)
    };
    let free = |name: &Name| {
        let [left, top, right, bottom] = name.area();
        let inside = room[0] <= left && room[1] <= top && right <= room[2] && bottom <= room[3];
        inside
            && lines.iter().all(|line| !overlap(name.area(), *line))
            && marks.iter().all(|(at, _)| !overlap(name.area(), around(*at)))
            && placed
                .iter()
                .all(|(_, other)| !overlap(name.area(), other.area()))
    };
    // What a name costs besides its distance, in pixels.
    let cost = |name: &Name| {
        let crosses = |leader: Option<[At; 2]>, area| leader.is_some_and(|leader| touches(leader, area));
        let names = placed.iter().map(|(_, other)| {
            u32::from(crosses(name.leader(), other.area())) + u32::from(crosses(other.leader(), name.area()))
        });
        // A leader through another mark would seem to begin there. Where marks lie over each other, it may still leave
        // its own on the free side.
        let leader = name.leader().map(outside_mark);
        let marks = others().filter(|at| crosses(leader, around(*at))).count();
        let is_nearest = others().all(|other| name.distance_to(*at) <= name.distance_to(other));
        f64::from(names.sum::<u32>()) * 100.0 + marks as f64 * 50.0 + if is_nearest { 0.0 } else { 30.0 }
    };
    let mut best: Option<(f64, Name)> = None;
    for distance in (0..TRIES).map(|step| 9.0 + 7.0 * f64::from(step)) {
        if best.as_ref().is_some_and(|(cost, _)| *cost <= distance) {
            break;
        }
        for name in DIRECTIONS.map(|direction| candidate(distance, direction)) {
            if !free(&name) {
                continue;
            }
            let cost = distance + cost(&name);
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, name));
            }
        }
    }
    // Where nothing is free it stands over its mark.
    best.map_or_else(|| candidate(9.0, DIRECTIONS[0]), |(_, name)| name)
}

impl Name {
    fn area(&self) -> Area {
        [
            self.left - 2.0,
            self.middle - HALF,
            self.left + self.width + 2.0,
            self.middle + HALF,
        ]
    }

    /// How far the nearest part of the name is from a place, squared.
    fn distance_to(&self, at: At) -> f64 {
        let x = at.0 - at.0.clamp(self.left, self.left + self.width);
        let y = at.1 - at.1.clamp(self.middle - HALF, self.middle + HALF);
        x * x + y * y
    }

    /// The thin line to the mark, where the name does not stand right beside it.
    fn leader(&self) -> Option<[At; 2]> {
        let at = self.at;
        let near = (at.0.clamp(self.left, self.left + self.width), self.middle);
        let edge = near.1 + if near.1 > at.1 { -HALF } else { HALF };
        let far = (near.0 - at.0).abs().max((edge - at.1).abs());
        let above_or_below = self.left <= at.0 && at.0 <= self.left + self.width;
        (far > BESIDE).then_some([at, if above_or_below { (near.0, edge) } else { near }])
    }

    /// Draws the leader, which belongs below all marks.
    pub fn draw_leader(&self, scene: &mut Scene) {
        if let Some([from, to]) = self.leader() {
            scene.line(from, to, MUTED);
        }
    }

    /// Writes the name; a leader of another goes behind it, not through it.
    pub fn write(&self, scene: &mut Scene) {
        let [left, top, right, bottom] = self.area();
        scene.rect(left + 1.0, top + 1.0, right - 1.0, bottom - 1.0, PAPER);
        scene.text_middle((self.left, self.middle), Anchor::Start, Font::VALUE, &self.text);
    }
}

/// The part of a leader that its own mark does not hide.
fn outside_mark([from, to]: [At; 2]) -> [At; 2] {
    let (x, y) = (to.0 - from.0, to.1 - from.1);
    let share = (RADIUS / libm::hypot(x, y)).min(1.0);
    [(from.0 + share * x, from.1 + share * y), to]
}

/// The square that a mark needs.
fn around((x, y): At) -> Area {
    let r = RADIUS + 1.0;
    [x - r, y - r, x + r, y + r]
}

fn overlap(a: Area, b: Area) -> bool {
    a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]
}

/// Whether a line touches an area, looked at every other pixel.
fn touches([from, to]: [At; 2], [left, top, right, bottom]: Area) -> bool {
    let steps = libm::ceil((to.0 - from.0).abs().max((to.1 - from.1).abs()) / 2.0).max(1.0) as u32;
    (0..=steps)
        .map(|step| f64::from(step) / f64::from(steps))
        .any(|share| {
            let (x, y) = (from.0 + share * (to.0 - from.0), from.1 + share * (to.1 - from.1));
            left <= x && x <= right && top <= y && y <= bottom
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Shape;

    /// Where the names of lines that end there stand, the lowest first.
    fn middles(ends: &[f64]) -> Vec<f64> {
        let mut scene = Scene::new(300.0, 200.0, "names");
        let labels = ends.iter().map(|&end| Label {
            end,
            text: "a name".to_owned(),
            color: None,
            hollow: false,
        });
        let place = Place {
            left: 100.0,
            right: 200.0,
            top: 20.0,
            apart: 10.0,
        };
        write(&mut scene, labels.collect(), &place);
        let to = |shape: &Shape| match shape {
            Shape::Line { to, .. } => Some(to.1),
            _ => None,
        };
        scene.shapes.iter().filter_map(to).collect()
    }

    #[test]
    fn names_keep_their_distance_and_stay_below_the_top() {
        assert_eq!(middles(&[50.0, 90.0]), [90.0, 50.0]);
        assert_eq!(middles(&[50.0, 50.0, 48.0]), [50.0, 40.0, 30.0]);
        assert_eq!(middles(&[25.0, 26.0, 27.0, 90.0]), [90.0, 40.0, 30.0, 20.0]);
    }

    const ROOM: Area = [60.0, 44.0, 980.0, 570.0];

    fn marks(places: impl IntoIterator<Item = At>) -> Vec<(At, String)> {
        let name = |(index, at)| (at, format!("Function{index}"));
        places.into_iter().enumerate().map(name).collect()
    }

    #[test]
    fn names_of_forty_crowded_marks_do_not_overlap() {
        let line = [60.0, 401.0, 980.0, 403.0];
        let crowd = (0..40).map(|i| (300.0 + 6.0 * f64::from(i), 400.0 + f64::from(i % 3)));
        let edge = (0..20).map(|i| (90.0 + 11.0 * f64::from(i), 52.0));
        for marks in [marks(crowd), marks(edge)] {
            let names = beside(&marks, ROOM, &[line]);
            for (index, name) in names.iter().enumerate() {
                let [left, top, right, bottom] = name.area();
                assert!(
                    left >= ROOM[0] && top >= ROOM[1] && right <= ROOM[2] && bottom <= ROOM[3],
                    "{name:?}"
                );
                assert!(!overlap(name.area(), line), "{name:?}");
                for other in &names[..index] {
                    assert!(!overlap(name.area(), other.area()), "{name:?} over {other:?}");
                }
            }
        }
    }

    #[test]
    fn leaders_leave_a_mark_on_the_side_where_no_other_lies_over_it() {
        let marks = marks([(446.0, 446.0), (451.0, 448.0), (472.0, 448.0), (483.0, 446.5)]);
        for name in beside(&marks, ROOM, &[[60.0, 460.5, 980.0, 462.5]]) {
            let Some(leader) = name.leader().map(outside_mark) else {
                continue;
            };
            for (other, _) in marks.iter().filter(|(at, _)| *at != name.at) {
                assert!(!touches(leader, around(*other)), "{name:?} through {other:?}");
            }
        }
        let own = (300.0, 400.0);
        let other = around((306.0, 401.0));
        assert!(!touches(outside_mark([own, (260.0, 380.0)]), other));
        assert!(touches(outside_mark([own, (340.0, 400.0)]), other));
        assert_eq!(outside_mark([own, own])[1], own);
    }

    #[test]
    fn a_name_with_room_is_nearest_to_its_own_mark() {
        // The second is between the others, to whose marks a name at its side would be nearer.
        let marks = marks([(257.0, 400.0), (300.0, 400.0), (343.0, 400.0), (300.0, 52.0)]);
        for name in beside(&marks, ROOM, &[[60.0, 401.0, 980.0, 403.0]]) {
            for (other, _) in &marks {
                assert!(name.distance_to(name.at) <= name.distance_to(*other), "{name:?}");
            }
        }
    }
}
