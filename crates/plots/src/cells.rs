//! Tables of shaded cells: a name a row, and columns in groups.

use super::key::{self, Sign};
use super::panel::{MARGIN, NAMES_END, Rows};
use super::scene::{Anchor, Color, Font, INK, MUTED, Scene};

/// Title, key, titles of groups and two lines of columns' heads.
const HEAD: f64 = 90.0;
const GROUPS: f64 = 58.0;
const HEADS: f64 = 84.0;
const LINE: f64 = 12.0;
/// Title and key need that much.
const LEAST_WIDTH: f64 = 860.0;
/// Between groups.
const GAP: f64 = 16.0;
/// From one note below the table to the next.
const NOTE: f64 = 16.0;
/// Heads of columns.
const COLUMN: Font = Font {
    size: 10.0,
    ..Font::NOTE
};

/// How surprising a p-value is. Each cell also shows its number, so the shade is never needed alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Surprise {
    /// p at least 0.001.
    None,
    /// p below 0.001: about one in a thousand cells by chance.
    Some,
    /// p below 1e-6: hardly ever by chance.
    Strong,
    /// p below 1e-30.
    Extreme,
}

impl Surprise {
    /// All, least first.
    pub const ALL: [Self; 4] = [Self::None, Self::Some, Self::Strong, Self::Extreme];

    /// What the shades mean.
    pub const KEY: [(Sign, &'static str); 4] = [
        (Sign::Shade(Self::None.fill()), "p ≥ 0.001, as chance"),
        (Sign::Shade(Self::Some.fill()), "p < 0.001"),
        (Sign::Shade(Self::Strong.fill()), "p < 1e-6"),
        (Sign::Shade(Self::Extreme.fill()), "p < 1e-30"),
    ];

    /// The class of a p-value; one that is no number counts as no surprise.
    pub fn of(p: f64) -> Self {
        match p {
            _ if p < 1e-30 => Self::Extreme,
            _ if p < 1e-6 => Self::Strong,
            _ if p < 1e-3 => Self::Some,
            _ => Self::None,
        }
    }

    /// Fill: one hue, ever darker.
    pub const fn fill(self) -> Color {
        match self {
            Self::None => Color(0xee, 0xf2, 0xf6),
            Self::Some => Color(0xfd, 0xdc, 0xa6),
            Self::Strong => Color(0xf0, 0x9a, 0x3e),
            Self::Extreme => Color(0x9c, 0x3a, 0x00),
        }
    }

    /// Text on that fill.
    pub fn ink(self) -> Color {
        match self {
            Self::None => MUTED,
            Self::Some | Self::Strong => INK,
            Self::Extreme => Color(0xff, 0xff, 0xff),
        }
    }
}

/// A table.
pub struct Table<'a> {
    /// What the chart shows, for those who cannot see it.
    pub description: String,
    /// Above everything.
    pub title: String,
    /// What the shades mean.
    pub key: &'a [(Sign, &'a str)],
    /// Of the rows.
    pub names: &'a [&'a str],
    /// From the left.
    pub columns: Vec<Column<'a>>,
    /// Below the table.
    pub notes: &'a [&'a str],
    /// In any order.
    pub cells: Vec<Cell>,
}

/// A column of a table.
pub struct Column<'a> {
    /// Stands above the first column of each group.
    pub group: &'a str,
    /// One line or more.
    pub head: String,
    /// Pixels.
    pub width: f64,
}

/// A cell of a table.
pub struct Cell {
    /// Index of its row and of its column; a cell of none is left out.
    pub at: (usize, usize),
    /// Its shade.
    pub fill: Color,
    /// Colour of the text.
    pub ink: Color,
    /// May be empty.
    pub text: String,
}

impl Cell {
    /// A cell that shows a number and how surprising it is.
    pub fn new(at: (usize, usize), surprise: Surprise, text: String) -> Self {
        Self {
            at,
            fill: surprise.fill(),
            ink: surprise.ink(),
            text,
        }
    }
}

impl Table<'_> {
    /// The chart.
    pub fn scene(mut self) -> Scene {
        let rows = Rows::new(HEAD, self.names.len());
        let places = self.places();
        let right = places.last().map_or(NAMES_END, |place| place.1) + MARGIN;
        let foot = 10.0 + NOTE * self.notes.len() as f64;
        let size = (
            libm::ceil(right.max(LEAST_WIDTH)),
            libm::ceil(rows.bottom() + foot),
        );
        let mut scene = Scene::new(size.0, size.1, &self.description);
        let title = Font::TITLE.fit(&self.title, scene.width - 2.0 * MARGIN);
        scene.text((MARGIN, 16.0), Anchor::Start, Font::TITLE, &title);
        key::write(&mut scene, Anchor::Start, (MARGIN, 36.0), self.key);
        rows.stripes(&mut scene);
        rows.names(&mut scene, self.names);
        let mut group = "";
        for (index, (column, &(left, right))) in self.columns.iter().zip(&places).enumerate() {
            // A head may reach over the next columns that have none.
            let blank = self.columns[index + 1..]
                .iter()
                .take_while(|next| next.head.is_empty());
            let blank: f64 = blank.map(|next| next.width).sum();
            let next = self.columns.get(index + 1);
            let is_last = next.is_none_or(|next| next.group != column.group);
            let room = right - left + blank + if is_last { GAP / 2.0 } else { -2.0 };
            if column.group != group {
                group = column.group;
                scene.text((left, GROUPS), Anchor::Start, Font::HEAD, group);
            }
            let lines = column.head.lines().count();
            for (index, line) in column.head.lines().enumerate() {
                let y = HEADS - LINE * (lines - 1 - index) as f64;
                let line = COLUMN.fit(line, room);
                scene.text(((left + right) / 2.0, y), Anchor::Middle, COLUMN, &line);
            }
        }
        self.cells
            .retain(|cell| cell.at.0 < rows.count && cell.at.1 < places.len());
        self.cells.sort_by_key(|cell| cell.at);
        self.fill(&mut scene, &rows, &places);
        // One ink after the other, so that neighbours look alike and the file stays small.
        self.cells
            .sort_by_key(|cell| (cell.ink.0, cell.ink.1, cell.ink.2));
        for cell in self.cells.iter().filter(|cell| !cell.text.is_empty()) {
            let (left, right) = places[cell.at.1];
            let font = Font {
                color: cell.ink,
                ..Font::VALUE
            };
            let middle = ((left + right) / 2.0, rows.middle(cell.at.0));
            scene.text_middle(middle, Anchor::Middle, font, &cell.text);
        }
        for (line, note) in self.notes.iter().enumerate() {
            let y = rows.bottom() + 17.0 + NOTE * line as f64;
            scene.text((MARGIN, y), Anchor::Start, Font::NOTE, note);
        }
        scene
    }

    /// Left and right edge of each column.
    fn places(&self) -> Vec<(f64, f64)> {
        let (mut right, mut places) = (NAMES_END, Vec::new());
        for (index, column) in self.columns.iter().enumerate() {
            let begins = index > 0 && self.columns[index - 1].group != column.group;
            let left = right + if begins { GAP } else { 0.0 };
            right = left + column.width;
            places.push((left, right));
        }
        places
    }

    /// Fills the cells, one shade after the other; neighbours of one shade without text are one shape.
    fn fill(&self, scene: &mut Scene, rows: &Rows, places: &[(f64, f64)]) {
        let mut shapes: Vec<(Color, [f64; 4])> = Vec::new();
        let mut last: Option<&Cell> = None;
        for cell in &self.cells {
            let (left, right) = places[cell.at.1];
            let (middle, half) = (rows.middle(cell.at.0), rows.height / 2.0 - 0.5);
            let joins = last.is_some_and(|last| {
                last.text.is_empty()
                    && cell.text.is_empty()
                    && (last.fill, last.at.0) == (cell.fill, cell.at.0)
            });
            match shapes.last_mut() {
                Some((_, corners)) if joins && corners[2] == left - 0.5 => corners[2] = right - 0.5,
                _ => shapes.push((cell.fill, [left + 0.5, middle - half, right - 0.5, middle + half])),
            }
            last = Some(cell);
        }
        shapes.sort_by_key(|(Color(red, green, blue), _)| (*red, *green, *blue));
        for (color, [left, top, right, bottom]) in shapes {
            scene.rect(left, top, right, bottom, color);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Shape;

    #[test]
    fn neighbours_of_one_shade_without_text_are_one_shape() {
        let cell =
            |row, column, surprise: Surprise, text: &str| Cell::new((row, column), surprise, text.to_owned());
        let column = |group| Column {
            group,
            head: "1".to_owned(),
            width: 20.0,
        };
        let table = Table {
            description: String::new(),
            title: String::new(),
            key: &[],
            names: &["a", "b"],
            columns: ["x", "x", "y"].map(column).into(),
            notes: &[],
            cells: vec![
                cell(0, 1, Surprise::Strong, ""),
                cell(0, 0, Surprise::Strong, ""),
                cell(0, 2, Surprise::Strong, ""),
                cell(1, 0, Surprise::Strong, "1"),
                cell(1, 1, Surprise::Strong, "2"),
                cell(7, 1, Surprise::Strong, ""),
            ],
        };
        let fill = Surprise::Strong.fill();
        let widths: Vec<f64> = table
            .scene()
            .shapes
            .iter()
            .filter_map(|shape| match shape {
                Shape::Rect { corners, color } if *color == fill => Some(corners[2] - corners[0]),
                _ => None,
            })
            .collect();
        // Groups stand apart, and cells with numbers too.
        assert_eq!(widths, [39.0, 19.0, 19.0, 19.0]);
    }
}
