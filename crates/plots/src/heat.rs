//! Heat maps: cells of one size, shaded by class.
//!
//! Shades run from blue through pale grey to brown, a range that readers with common colour blindness can tell apart.
//! They grow darker to both sides, so they also read without colour; on a dark page they grow lighter instead.

use core::ops::Range;

use super::key::Sign;
use super::scene::{Color, Scene};

/// The deviation of a cell from chance, as a class and a side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Heat {
    /// Below chance, by one to four classes.
    Below(u8),
    /// Consistent with chance.
    Chance,
    /// Above chance, by one to four classes.
    Above(u8),
}

impl Heat {
    /// The darkest class on either side.
    pub const MAX_CLASS: u8 = 4;

    /// Builds the deviation of `class` classes above or below chance.
    pub fn of(class: u8, is_above: bool) -> Self {
        match class {
            0 => Self::Chance,
            _ if is_above => Self::Above(class),
            _ => Self::Below(class),
        }
    }

    /// Builds a key with the given labels, from furthest below to furthest above.
    pub fn key(words: [&str; 9]) -> [(Sign, &str); 9] {
        let mut classes = -4_i8..=4;
        words.map(|words| {
            let class = classes.next().unwrap_or_default();
            (
                Sign::Shade(Self::of(class.unsigned_abs(), class > 0).fill()),
                words,
            )
        })
    }

    /// Returns the fill colour of a cell.
    pub fn fill(self) -> Color {
        match self {
            Self::Chance => Color(0xe4, 0xe9, 0xef),
            Self::Below(0 | 1) => Color(0xc6, 0xdc, 0xef),
            Self::Below(2) => Color(0x7f, 0xb2, 0xdc),
            Self::Below(3) => Color(0x3a, 0x7a, 0xb8),
            Self::Below(_) => Color(0x14, 0x43, 0x78),
            Self::Above(0 | 1) => Color(0xfd, 0xdc, 0xa6),
            Self::Above(2) => Color(0xf0, 0x9a, 0x3e),
            Self::Above(3) => Color(0xc8, 0x5a, 0x0a),
            Self::Above(_) => Color(0x7a, 0x2c, 0x00),
        }
    }
}

/// Position and size of the cells of a map.
#[derive(Debug, Clone, Copy)]
pub struct Cells {
    /// Left edge of the first column.
    pub left: f64,
    /// Upper edge of the first row.
    pub top: f64,
    /// Width of a cell.
    pub width: f64,
    /// Height of a cell.
    pub height: f64,
}

impl Cells {
    /// Fills the cells for which `of` returns a class, by row and column.
    ///
    /// To keep files small, neighbours of one class become one shape, and shapes of one class and height are
    /// consecutive. If every cell has a class, the class with the most shapes is painted as one shape below all others.
    pub fn fill(
        &self,
        scene: &mut Scene,
        rows: usize,
        columns: usize,
        of: impl Fn(usize, usize) -> Option<Heat>,
    ) {
        let mut shapes = shapes(rows, columns, of);
        // Shapes do not overlap, so they may be painted in any order.
        shapes.sort_by_key(|shape| (shape.heat, shape.rows.len()));
        let filled: usize = shapes.iter().map(|shape| shape.cells()).sum();
        let count = |heat| shapes.iter().filter(|shape| shape.heat == heat).count();
        let below = shapes
            .iter()
            .map(|shape| shape.heat)
            .max_by_key(|&heat| count(heat))
            .filter(|_| filled == rows * columns);
        let whole = below.map(|heat| Shape {
            columns: 0..columns,
            rows: 0..rows,
            heat,
        });
        let others = shapes.iter().filter(|shape| Some(shape.heat) != below);
        for shape in whole.iter().chain(others) {
            let x = |column: usize| self.left + self.width * column as f64;
            let y = |row: usize| self.top + self.height * row as f64;
            scene.rect(
                x(shape.columns.start),
                y(shape.rows.start),
                x(shape.columns.end),
                y(shape.rows.end),
                shape.heat.fill(),
            );
        }
    }
}

/// A rectangle of cells of one class.
#[derive(Debug, Clone, PartialEq)]
struct Shape {
    columns: Range<usize>,
    rows: Range<usize>,
    heat: Heat,
}

impl Shape {
    fn cells(&self) -> usize {
        self.columns.len() * self.rows.len()
    }
}

/// Cuts a map into shapes: runs of one class, which continue from row to row while they are the same.
fn shapes(rows: usize, columns: usize, of: impl Fn(usize, usize) -> Option<Heat>) -> Vec<Shape> {
    let mut shapes: Vec<Shape> = Vec::new();
    // Indices of the shapes that reach the row above.
    let mut open: Vec<usize> = Vec::new();
    for row in 0..rows {
        let mut reached = Vec::new();
        for (columns, heat) in runs(columns, |column| of(row, column)) {
            let above = open
                .iter()
                .find(|&&index| shapes[index].columns == columns && shapes[index].heat == heat);
            if let Some(&index) = above {
                shapes[index].rows.end = row + 1;
                reached.push(index);
            } else {
                reached.push(shapes.len());
                shapes.push(Shape {
                    columns,
                    rows: row..row + 1,
                    heat,
                });
            }
        }
        open = reached;
    }
    shapes
}

/// Returns the runs of one class in a row.
fn runs(columns: usize, of: impl Fn(usize) -> Option<Heat>) -> Vec<(Range<usize>, Heat)> {
    let mut runs: Vec<(Range<usize>, Heat)> = Vec::new();
    for column in 0..columns {
        let Some(heat) = of(column) else { continue };
        match runs.last_mut() {
            Some((run, of_run)) if run.end == column && *of_run == heat => run.end += 1,
            _ => runs.push((column..column + 1, heat)),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene;

    /// Paints a map with one pixel per cell and asserts the number of shapes and the colour of each cell.
    fn assert_painted(map: &[&str], most_shapes: usize) {
        let heat = |row: usize, column: usize| match map[row].as_bytes()[column] {
            b'a' => Some(Heat::Chance),
            b'b' => Some(Heat::Above(4)),
            _ => None,
        };
        let mut scene = Scene::new(10.0, 10.0, "");
        let cells = Cells {
            left: 0.0,
            top: 0.0,
            width: 1.0,
            height: 1.0,
        };
        cells.fill(&mut scene, map.len(), map[0].len(), heat);
        assert_eq!(scene.shapes.len(), most_shapes, "{map:?}");
        for (row, line) in map.iter().enumerate() {
            for column in 0..line.len() {
                let (x, y) = (column as f64 + 0.5, row as f64 + 0.5);
                let over = scene.shapes.iter().rev().find_map(|shape| match shape {
                    scene::Shape::Rect {
                        corners: [left, top, right, bottom],
                        color,
                    } => (*left < x && x < *right && *top < y && y < *bottom).then_some(*color),
                    _ => None,
                });
                assert_eq!(over, heat(row, column).map(Heat::fill), "{map:?} {row} {column}");
            }
        }
    }

    #[test]
    fn neighbours_of_one_class_are_one_shape_and_none_is_lost() {
        assert_painted(&["aab.", "aab.", "abbb", "...a"], 5);
        assert_painted(&["abab", "baba", "abab"], 1 + 6);
        assert_painted(&["aaaa", "aaaa"], 1);
        assert_painted(&["...."], 0);
        assert_painted(&["aaaa", "abba", "aaaa"], 2);
    }
}
