//! Tables of shaded cells: one name per row, and columns in groups.

use super::key::{self, Sign};
use super::panel::{MARGIN, NAMES_END, Rows};
use super::scene::{Anchor, Color, Font, INK, MUTED, Scene};

/// Top of the rows, base lines of the group titles and of the column heads, and height of a line of column heads.
const HEAD: f64 = 90.0;
const GROUPS: f64 = 58.0;
const HEADS: f64 = 84.0;
const LINE: f64 = 12.0;
/// Minimum width of the title and key.
const MIN_WIDTH: f64 = 860.0;
/// Gap between groups.
const GAP: f64 = 16.0;
/// Distance between notes below the table.
const NOTE: f64 = 16.0;
/// Font of column heads.
const COLUMN: Font = Font {
    size: 10.0,
    ..Font::NOTE
};

/// The class of a p-value. Each cell also shows its number, so that no reader depends on the shade.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Significance {
    /// p at least 0.001.
    Insignificant,
    /// p below 0.001: about one cell in a thousand by chance.
    Weak,
    /// p below 1e-6: hardly ever by chance.
    Strong,
    /// p below 1e-30.
    Extreme,
}

impl Significance {
    /// All classes, the least significant first.
    pub const ALL: [Self; 4] = [Self::Insignificant, Self::Weak, Self::Strong, Self::Extreme];

    /// Key of the shades.
    pub const KEY: [(Sign, &'static str); 4] = [
        (Sign::Shade(Self::Insignificant.fill()), "p ≥ 0.001: chance"),
        (Sign::Shade(Self::Weak.fill()), "p < 0.001"),
        (Sign::Shade(Self::Strong.fill()), "p < 1e-6"),
        (Sign::Shade(Self::Extreme.fill()), "p < 1e-30"),
    ];

    /// Returns the class of a p-value; NaN gives [`Self::Insignificant`].
    pub fn of(p: f64) -> Self {
        match p {
            _ if p < 1e-30 => Self::Extreme,
            _ if p < 1e-6 => Self::Strong,
            _ if p < 1e-3 => Self::Weak,
            _ => Self::Insignificant,
        }
    }

    /// Returns the fill colour, which is darker for smaller p-values.
    pub const fn fill(self) -> Color {
        match self {
            Self::Insignificant => Color(0xee, 0xf2, 0xf6),
            Self::Weak => Color(0xfd, 0xdc, 0xa6),
            Self::Strong => Color(0xf0, 0x9a, 0x3e),
            Self::Extreme => Color(0x9c, 0x3a, 0x00),
        }
    }

    /// Returns the text colour on the fill.
    pub fn ink(self) -> Color {
        match self {
            Self::Insignificant => MUTED,
            Self::Weak | Self::Strong => INK,
            Self::Extreme => Color(0xff, 0xff, 0xff),
        }
    }
}

/// A table.
pub struct Table<'a> {
    /// Text alternative for readers who cannot see the chart.
    pub description: String,
    /// Title above everything else.
    pub title: String,
    /// Key of the shades.
    pub key: &'a [(Sign, &'a str)],
    /// Names of the rows.
    pub names: &'a [&'a str],
    /// The columns, from left to right.
    pub columns: Vec<Column<'a>>,
    /// Notes below the table.
    pub notes: &'a [&'a str],
    /// The cells, in any order.
    pub cells: Vec<Cell>,
}

/// A column of a table.
pub struct Column<'a> {
    /// Title of the column's group, shown above the first column of the group.
    pub group: &'a str,
    /// Head of the column, in one or more lines; may be empty.
    pub head: String,
    /// Width in pixels.
    pub width: f64,
}

/// A cell of a table.
pub struct Cell {
    /// Row and column index; a cell outside the table is left out.
    pub at: (usize, usize),
    /// Fill colour.
    pub fill: Color,
    /// Text colour.
    pub ink: Color,
    /// The text, which may be empty.
    pub text: String,
}

impl Cell {
    /// Builds a cell that shows a number, shaded by its significance.
    pub fn new(at: (usize, usize), significance: Significance, text: String) -> Self {
        Self {
            at,
            fill: significance.fill(),
            ink: significance.ink(),
            text,
        }
    }
}

impl Table<'_> {
    /// Lays out the chart.
    pub fn scene(mut self) -> Scene {
        let rows = Rows::new(HEAD, self.names.len());
        let places = self.places();
        let right = places.last().map_or(NAMES_END, |place| place.1) + MARGIN;
        let foot = 10.0 + NOTE * self.notes.len() as f64;
        let size = (libm::ceil(right.max(MIN_WIDTH)), libm::ceil(rows.bottom() + foot));
        let mut scene = Scene::new(size.0, size.1, &self.description);
        let title = Font::TITLE.fit(&self.title, scene.width - 2.0 * MARGIN);
        scene.text((MARGIN, 16.0), Anchor::Start, Font::TITLE, &title);
        key::write(&mut scene, Anchor::Start, (MARGIN, 36.0), self.key);
        rows.stripes(&mut scene);
        rows.names(&mut scene, self.names);
        let mut group = "";
        for (index, (column, &(left, right))) in self.columns.iter().zip(&places).enumerate() {
            // A head may extend over the following columns that have no head.
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
        // Texts of one colour are consecutive, so that they share an SVG element and the file stays small.
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

    /// Returns the left and right edge of each column.
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

    /// Fills the cells, shade by shade; neighbours with the same shade and no text become one shape.
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
        let cell = |row, column, significance: Significance, text: &str| {
            Cell::new((row, column), significance, text.to_owned())
        };
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
                cell(0, 1, Significance::Strong, ""),
                cell(0, 0, Significance::Strong, ""),
                cell(0, 2, Significance::Strong, ""),
                cell(1, 0, Significance::Strong, "1"),
                cell(1, 1, Significance::Strong, "2"),
                cell(7, 1, Significance::Strong, ""),
            ],
        };
        let fill = Significance::Strong.fill();
        let widths: Vec<f64> = table
            .scene()
            .shapes
            .iter()
            .filter_map(|shape| match shape {
                Shape::Rect { corners, color } if *color == fill => Some(corners[2] - corners[0]),
                _ => None,
            })
            .collect();
        // Cells of different groups and cells with numbers stay separate.
        assert_eq!(widths, [39.0, 19.0, 19.0, 19.0]);
    }
}
