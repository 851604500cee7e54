//! Tables of shaded cells: one name per row, and columns in groups.

use super::key::{self, Sign};
use super::rows::{NAMES_END, Rows};
use super::scene::{Anchor, Color, Font, MARGIN, Scene};

/// Top of the rows, base lines of the group titles and of the column heads, and height of a line of column heads.
const HEAD: f64 = 90.0;
const GROUPS: f64 = 58.0;
const HEADS: f64 = 84.0;
const LINE: f64 = 12.0;
/// Minimum width of the title and key.
const MIN_WIDTH: f64 = 860.0;
/// Gap between groups.
const GAP: f64 = 16.0;
/// Space below the table.
const FOOT: f64 = 8.0;
/// Font of column heads.
const COLUMN: Font = Font {
    size: 10.5,
    ..Font::NOTE
};

/// A table of shaded cells.
pub struct Grid<'a> {
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

impl Grid<'_> {
    /// Lays out the chart.
    pub fn scene(mut self) -> Scene {
        let rows = Rows::new(HEAD, self.names.len());
        let places = self.places();
        let right = places.last().map_or(NAMES_END, |place| place.1) + MARGIN;
        let width = libm::ceil(right.max(MIN_WIDTH));
        let mut scene = Scene::new(width, libm::ceil(rows.bottom() + FOOT), &self.description);
        scene.title(&self.title, 17.0, width);
        key::write(&mut scene, Anchor::Start, (MARGIN, 36.0), self.key);
        rows.stripes(&mut scene);
        for (index, name) in self.names.iter().enumerate() {
            scene.row(name, |scene| rows.name(scene, index, name, None));
        }
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
        let cells = self
            .cells
            .iter()
            .map(|cell| (cell.at, cell.fill, cell.text.is_empty()));
        fill(&mut scene, &places, &rows, 1.0, cells);
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
        scene.notes(self.notes);
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
}

/// Fills cells, each given by row and column, colour, and if it may join its neighbours. `columns` are the left and right
/// edges of the columns, and `gap` is between cells.
///
/// To keep files small, neighbours of one colour become one shape, and shapes of one colour are consecutive.
pub fn fill(
    scene: &mut Scene,
    columns: &[(f64, f64)],
    rows: &Rows,
    gap: f64,
    cells: impl Iterator<Item = ((usize, usize), Color, bool)>,
) {
    let mut cells: Vec<_> = cells.collect();
    cells.sort_by_key(|&(at, Color(red, green, blue), _)| (red, green, blue, at));
    let runs = cells.chunk_by(|one, next| {
        let is_like = (one.0.0, one.1, one.2, true) == (next.0.0, next.1, next.2, one.2);
        is_like && columns[one.0.1].1 == columns[next.0.1].0
    });
    for run in runs {
        let (((row, first), color, _), ((_, last), ..)) = (run[0], run[run.len() - 1]);
        let (y, left, right) = (rows.middle(row), columns[first].0, columns[last].1);
        scene.line(
            (left + gap / 2.0, y),
            (right - gap / 2.0, y),
            rows.height - gap,
            color,
        );
    }
}
