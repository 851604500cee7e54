//! Paths of SVG in few characters: each point is told by its distance from the last.

use core::fmt::Write as _;

/// A point, units of the drawing.
pub(super) type Point = (i64, i64);

/// A filled rectangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rect {
    pub(super) left: i64,
    pub(super) top: i64,
    pub(super) width: i64,
    pub(super) height: i64,
}

/// The shortest path that covers just these rectangles: strokes as thick as they are high, or wide, where all are of
/// one, else areas.
pub(super) fn path_of_rects(fill: &str, rects: &[Rect]) -> String {
    let mut areas = Path::default();
    for rect in rects {
        areas.go(rect.left, rect.top);
        areas.step('h', rect.width);
        areas.step('v', rect.height);
        areas.step('h', -rect.width);
        areas.text.push('z');
        areas.at = (rect.left, rect.top);
    }
    let mut best = format!("<path fill=\"{fill}\" d=\"{}\"/>", areas.text);
    let alike = |size: fn(&Rect) -> i64| {
        let first = rects.first().map_or(0, size);
        rects.iter().all(|rect| size(rect) == first).then_some(first)
    };
    let mut offer = |thickness: i64, path: &Path| {
        let text = format!(
            "<path stroke=\"{fill}\" stroke-width=\"{thickness}\" d=\"{}\"/>",
            path.text
        );
        if text.len() < best.len() {
            best = text;
        }
    };
    if let Some(height) = alike(|rect| rect.height) {
        let mut levels = Path {
            halves: [0, height],
            ..Path::default()
        };
        for rect in rects {
            levels.go(rect.left, rect.top);
            levels.step('h', rect.width);
        }
        offer(height, &levels);
    }
    if let Some(width) = alike(|rect| rect.width) {
        let mut uprights = Path {
            halves: [width, 0],
            ..Path::default()
        };
        for rect in rects {
            uprights.go(rect.left, rect.top);
            uprights.step('v', rect.height);
        }
        offer(width, &uprights);
    }
    best
}

/// Path data, from each point to the next.
#[derive(Default)]
pub(super) struct Path {
    text: String,
    at: Point,
    /// Half of these is added to where the path begins: the middle of a stroke.
    halves: [i64; 2],
}

impl Path {
    /// What `d` holds.
    pub(super) fn data(&self) -> &str {
        &self.text
    }

    /// Goes to a point without drawing.
    fn go(&mut self, x: i64, y: i64) {
        if self.text.is_empty() {
            self.text.push('M');
            let [right, down] = self.halves;
            self.halved(2 * x + right);
            self.halved(2 * y + down);
        } else {
            self.text.push('m');
            self.number(x - self.at.0);
            self.number(y - self.at.1);
        }
        self.at = (x, y);
    }

    /// Draws to the side (`h`) or down (`v`).
    fn step(&mut self, letter: char, length: i64) {
        self.text.push(letter);
        self.number(length);
        match letter {
            'h' => self.at.0 += length,
            _ => self.at.1 += length,
        }
    }

    /// Goes to the first point and draws to the others.
    pub(super) fn polyline(&mut self, points: &[Point]) {
        for (index, &(x, y)) in points.iter().enumerate() {
            match index {
                0 => self.go(x, y),
                _ => {
                    // Pairs after a move are lines, relative only where the move was.
                    if index == 1 {
                        self.text.push('l');
                    }
                    self.number(x - self.at.0);
                    self.number(y - self.at.1);
                    self.at = (x, y);
                }
            }
        }
    }

    fn number(&mut self, value: i64) {
        self.part_from(value);
        let _ = write!(self.text, "{value}");
    }

    /// Half of a number.
    fn halved(&mut self, twice: i64) {
        self.part_from(twice);
        let _ = match twice % 2 {
            0 => write!(self.text, "{}", twice / 2),
            _ => write!(self.text, "{}", twice as f64 / 2.0),
        };
    }

    /// A minus sign parts numbers as well as a space does.
    fn part_from(&mut self, next: i64) {
        if next >= 0 && self.text.ends_with(|last: char| last.is_ascii_digit()) {
            self.text.push(' ');
        }
    }
}
