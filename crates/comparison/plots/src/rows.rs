//! Rows of equal height, with a name at the left of each.

use super::mark::{Mark, RADIUS};
use super::scene::{Anchor, Font, MARGIN, STRIPE, Scene};

/// Right end of the names, where columns and panels may begin.
pub const NAMES_END: f64 = 184.0;

/// Rows of equal height.
#[derive(Debug, Clone, Copy)]
pub struct Rows {
    /// Upper edge of the first row.
    pub top: f64,
    /// Height of each row.
    pub height: f64,
    /// Number of rows.
    pub count: usize,
}

impl Rows {
    /// Builds `count` rows below `top`, with a smaller height for more rows so that all fit a sheet.
    pub(crate) fn new(top: f64, count: usize) -> Self {
        let height = match count {
            0..=12 => 22.0,
            13..=18 => 20.0,
            _ => 17.5,
        };
        Self { top, height, count }
    }

    /// Returns the lower edge of the last row.
    pub(crate) fn bottom(&self) -> f64 {
        self.top + self.height * self.count as f64
    }

    /// Returns the middle of row `index`.
    pub(crate) fn middle(&self, index: usize) -> f64 {
        self.top + self.height * (index as f64 + 0.5)
    }

    /// Shades every second row from edge to edge.
    pub(crate) fn stripes(&self, scene: &mut Scene) {
        for index in (0..self.count).step_by(2) {
            let top = self.top + self.height * index as f64;
            scene.rect(0.0, top, scene.width, top + self.height, STRIPE);
        }
    }

    /// Writes a row's name after its mark.
    pub(crate) fn name(&self, scene: &mut Scene, index: usize, name: &str, mark: Option<Mark>) {
        let y = self.middle(index);
        let mut x = MARGIN;
        if let Some(mark) = mark {
            mark.draw(scene, (MARGIN + 5.0, y), RADIUS, true);
            x += 16.0;
        }
        let name = Font::NAME.fit(name, NAMES_END - 6.0 - x);
        scene.text_middle((x, y), Anchor::Start, Font::NAME, &name);
    }
}
