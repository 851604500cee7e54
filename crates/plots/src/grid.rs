//! Grids of cells: one function a row, shaded by how surprising a value is.

use plotters::style::RGBColor;

use super::scene::{Anchor, Font, INK, MUTED, Scene};

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

    /// The class of a p-value; one that is no number counts as no surprise.
    pub fn of(p: f64) -> Self {
        if p < 1e-30 {
            Self::Extreme
        } else if p < 1e-6 {
            Self::Strong
        } else if p < 1e-3 {
            Self::Some
        } else {
            Self::None
        }
    }

    /// Fill: one hue, ever darker.
    pub fn fill(self) -> RGBColor {
        match self {
            Self::None => RGBColor(0xee, 0xf2, 0xf6),
            Self::Some => RGBColor(0xfd, 0xdc, 0xa6),
            Self::Strong => RGBColor(0xf0, 0x9a, 0x3e),
            Self::Extreme => RGBColor(0x9c, 0x3a, 0x00),
        }
    }

    /// Text on that fill.
    pub fn ink(self) -> RGBColor {
        match self {
            Self::None => MUTED,
            Self::Some | Self::Strong => INK,
            Self::Extreme => RGBColor(0xff, 0xff, 0xff),
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::None => "p ≥ 0.001, as chance",
            Self::Some => "p < 0.001",
            Self::Strong => "p < 1e-6",
            Self::Extreme => "p < 1e-30",
        }
    }
}

/// Cells that wait to be drawn together.
#[derive(Default)]
pub struct Grid {
    cells: Vec<Cell>,
}

struct Cell {
    /// Left, top, right, bottom.
    corners: [f64; 4],
    surprise: Surprise,
    text: String,
}

impl Grid {
    /// Adds a cell: left, top, right, bottom; and the text in it.
    pub fn add(&mut self, corners: [f64; 4], surprise: Surprise, text: String) {
        self.cells.push(Cell {
            corners,
            surprise,
            text,
        });
    }

    /// Draws the cells, which must not lie over each other: one shade after the other, then the texts, so that
    /// neighbours look alike and the file stays small.
    pub fn draw(self, scene: &mut Scene) {
        let of = |shade| self.cells.iter().filter(move |cell| cell.surprise == shade);
        for shade in Surprise::ALL {
            for [left, top, right, bottom] in of(shade).map(|cell| cell.corners) {
                scene.rect(left + 0.5, top + 0.5, right - 0.5, bottom - 0.5, shade.fill());
            }
        }
        for shade in Surprise::ALL {
            let font = Font {
                color: shade.ink(),
                ..Font::VALUE
            };
            for cell in of(shade).filter(|cell| !cell.text.is_empty()) {
                let [left, top, right, bottom] = cell.corners;
                let middle = ((left + right) / 2.0, (top + bottom) / 2.0);
                scene.text_middle(middle, Anchor::Middle, font, &cell.text);
            }
        }
    }
}

/// Writes what the shades mean, ending at `right`; returns its left end.
pub fn key(scene: &mut Scene, right: f64, y: f64) -> f64 {
    let mut x = right;
    for surprise in Surprise::ALL.into_iter().rev() {
        scene.text_middle((x, y), Anchor::End, Font::VALUE, surprise.words());
        x -= Font::VALUE.width(surprise.words()) + 18.0;
        scene.rect(x, y - 6.0, x + 13.0, y + 6.0, surprise.fill());
        x -= 12.0;
    }
    x
}
