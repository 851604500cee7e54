//! Tables of shaded cells: one name per row, and columns in groups.

use super::key::{self, Sign};
use super::panel::{MARGIN, NAMES_END, Rows};
use super::scene::{Anchor, Color, Font, Scene};

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

impl Table<'_> {
    /// Lays out the chart.
    pub fn scene(mut self) -> Scene {
        let rows = Rows::new(HEAD, self.names.len());
        let places = self.places();
        let right = places.last().map_or(NAMES_END, |place| place.1) + MARGIN;
        let foot = 10.0 + NOTE * self.notes.len() as f64;
        let size = (libm::ceil(right.max(MIN_WIDTH)), libm::ceil(rows.bottom() + foot));
        let mut scene = Scene::new(size.0, size.1, &self.description);
        scene.title(&self.title, 16.0, size.0);
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
        let cells = Cells {
            columns: &places,
            rows,
            gap: 1.0,
        };
        cells.fill(&mut scene, |row, column| {
            let found = self.cells.binary_search_by_key(&(row, column), |cell| cell.at);
            let cell = &self.cells[found.ok()?];
            Some((cell.fill, cell.text.is_empty()))
        });
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
}

/// Shaded cells.
pub struct Cells<'a> {
    /// Left and right edge of each column.
    pub columns: &'a [(f64, f64)],
    /// The rows.
    pub rows: Rows,
    /// Gap between cells.
    pub gap: f64,
}

impl Cells<'_> {
    /// Fills the cells for which `of` returns a colour, by row and column, and if they may join their neighbours.
    ///
    /// To keep files small, neighbours of one colour become one shape, and shapes of one colour are consecutive. If every
    /// cell has a colour and there is no gap, the colour with the most shapes is painted as one shape below all others.
    pub fn fill(&self, scene: &mut Scene, of: impl Fn(usize, usize) -> Option<(Color, bool)>) {
        let height = self.rows.height - self.gap;
        // Colour, row, left and right edge.
        let mut runs: Vec<(Color, usize, f64, f64)> = Vec::new();
        let mut filled = 0;
        for row in 0..self.rows.count {
            let mut before = None;
            for (column, &(left, right)) in self.columns.iter().enumerate() {
                let cell = of(row, column);
                match (cell, runs.last_mut()) {
                    (Some((_, true)), Some(run)) if before == cell && run.3 == left => run.3 = right,
                    (Some((color, _)), _) => runs.push((color, row, left, right)),
                    (None, _) => {}
                }
                filled += usize::from(cell.is_some());
                before = cell;
            }
        }
        runs.sort_by_key(|(Color(red, green, blue), ..)| (*red, *green, *blue));
        let same = runs.chunk_by(|one, next| one.0 == next.0);
        let ground = same.max_by_key(|runs| runs.len()).map(|runs| runs[0].0);
        let is_full = self.gap == 0.0 && filled == self.rows.count * self.columns.len();
        let ground = ground.filter(|_| is_full);
        if let (Some(color), Some((left, _)), Some((_, right))) =
            (ground, self.columns.first(), self.columns.last())
        {
            scene.rect(*left, self.rows.top, *right, self.rows.bottom(), color);
        }
        for (color, row, left, right) in runs.into_iter().filter(|run| Some(run.0) != ground) {
            let (left, right) = (left + self.gap / 2.0, right - self.gap / 2.0);
            scene.horizontal(self.rows.middle(row), left, right, height, color);
        }
    }
}
