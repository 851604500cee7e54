//! A chart before it is painted: shapes in pixels, with the origin at the top left.
//!
//! Charts lay out shapes, so both file formats show the same chart. The colours are for white paper; a page's style
//! sheet may replace them on a dark background.

use super::font::{self, Weight};

/// A colour: red, green and blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Color(pub u8, pub u8, pub u8);

/// Text and marks.
pub const INK: Color = Color(0x1b, 0x1f, 0x24);
/// Axis labels and notes; contrast 6.1:1 on white and 5.6:1 on a stripe.
pub const MUTED: Color = Color(0x5a, 0x63, 0x6e);
/// Grid lines.
pub const GRID: Color = Color(0xdd, 0xe1, 0xe6);
/// Every second row.
pub const STRIPE: Color = Color(0xf5, 0xf6, 0xf8);
/// Range of a random function's results.
pub const BAND: Color = Color(0xc3, 0xc9, 0xd1);
/// Background.
pub const PAPER: Color = Color(0xff, 0xff, 0xff);

/// Colours of the Okabe-Ito palette for successive lines; names tell lines apart.
pub const PALETTE: [Color; 5] = [
    Color(0x00, 0x72, 0xb2),
    Color(0xd5, 0x5e, 0x00),
    Color(0x00, 0x9e, 0x73),
    Color(0xcc, 0x79, 0xa7),
    Color(0xe6, 0x9f, 0x00),
];

/// File units per scene pixel. Rectangles and texts lie at whole units.
pub(crate) const UNITS: f64 = 2.0;

/// Converts scene pixels to the nearest whole unit.
pub(crate) fn unit(pixel: f64) -> i64 {
    libm::round(pixel * UNITS) as i64
}

/// Left, top, right and bottom in units.
pub(crate) type Corners = [i64; 4];

/// Size of running text in pixels per em.
pub const TEXT: f64 = 12.5;
/// Size of ticks, notes and values.
pub const SMALL: f64 = 11.0;
/// Size of a chart's title.
pub const TITLE: f64 = 14.0;

/// The part of a text that its position refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// The left end.
    Start,
    /// The middle.
    Middle,
    /// The right end.
    End,
}

/// Size, weight and colour of a text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Font {
    /// Size in pixels per em.
    pub size: f64,
    /// Regular or bold.
    pub weight: Weight,
    /// Colour.
    pub color: Color,
}

impl Font {
    /// Row names and direct labels.
    pub const NAME: Self = Self::new(TEXT, Weight::Regular, INK);
    /// Values.
    pub const VALUE: Self = Self::new(SMALL, Weight::Regular, INK);
    /// Ticks and notes.
    pub const NOTE: Self = Self::new(SMALL, Weight::Regular, MUTED);
    /// Head of a panel.
    pub const HEAD: Self = Self::new(TEXT, Weight::Bold, INK);
    /// Title of a chart.
    pub const TITLE: Self = Self::new(TITLE, Weight::Bold, INK);

    const fn new(size: f64, weight: Weight, color: Color) -> Self {
        Self { size, weight, color }
    }

    /// Returns the width of `text` in this font.
    pub fn width(self, text: &str) -> f64 {
        font::width(text, self.size, self.weight)
    }

    /// Returns `text`, shortened to at most `room` pixels.
    pub fn fit(self, text: &str, room: f64) -> String {
        font::fit(text, room, self.size, self.weight)
    }
}

/// A shape.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// A filled rectangle.
    Rect {
        /// Left, top, right, bottom.
        corners: [f64; 4],
        /// Fill.
        color: Color,
    },
    /// A filled circle.
    Circle {
        /// Centre.
        at: (f64, f64),
        /// Radius.
        radius: f64,
        /// Fill.
        color: Color,
    },
    /// A filled polygon.
    Polygon {
        /// Corners in order.
        corners: Vec<(f64, f64)>,
        /// Fill.
        color: Color,
    },
    /// A line one pixel wide.
    Line {
        /// Start.
        from: (f64, f64),
        /// End.
        to: (f64, f64),
        /// Colour.
        color: Color,
    },
    /// A line of text.
    Text {
        /// The anchor, on the base line.
        at: (f64, f64),
        /// The part of the text at `at`.
        anchor: Anchor,
        /// Font.
        font: Font,
        /// The text, without control characters.
        text: String,
    },
    /// A rectangle with a rim half as wide as [`RIM`] on each side of its edge, behind a text.
    Frame {
        /// Left, top, right, bottom.
        corners: [f64; 4],
        /// Colour of the rim.
        rim: Color,
        /// Fill.
        color: Color,
    },
    /// The shapes from here to the next `Row` belong to the row of this name, or to no row. SVG keeps them together, so
    /// that a script can move a row.
    Row(Option<String>),
}

/// Width of a frame's rim in pixels.
pub(crate) const RIM: f64 = 1.5;

impl Shape {
    /// Returns the corners of a rectangle in units, at least one unit apart so that thin lines do not vanish.
    pub(crate) fn corners(&self) -> Option<Corners> {
        let Self::Rect { corners, .. } = self else {
            return None;
        };
        let [left, top, right, bottom] = corners.map(unit);
        Some([left, top, right.max(left + 1), bottom.max(top + 1)])
    }

    /// Returns the attributes that consecutive shapes must share to be written as one element.
    pub(crate) fn look(&self) -> impl PartialEq {
        let text = match self {
            Self::Text { anchor, font, .. } => Some((*anchor, *font)),
            _ => None,
        };
        let color = match self {
            Self::Rect { color, .. }
            | Self::Circle { color, .. }
            | Self::Polygon { color, .. }
            | Self::Line { color, .. }
            | Self::Frame { color, .. } => Some(*color),
            Self::Text { .. } | Self::Row(_) => None,
        };
        (core::mem::discriminant(self), color, text)
    }
}

/// A chart's shapes in painting order.
#[derive(Debug, Clone, PartialEq)]
pub struct Scene {
    /// Width in pixels.
    pub width: f64,
    /// Height in pixels.
    pub height: f64,
    /// Text alternative for readers who cannot see the chart.
    pub label: String,
    /// The shapes.
    pub shapes: Vec<Shape>,
}

impl Scene {
    /// Builds an empty sheet.
    pub fn new(width: f64, height: f64, label: &str) -> Self {
        Self {
            width,
            height,
            label: printable(label),
            shapes: Vec::new(),
        }
    }

    /// Returns true if the sheet can be painted and no shape lies far outside; forged records may hold any numbers.
    pub fn is_drawable(&self) -> bool {
        // Far beyond the largest chart of any run.
        const FAR: f64 = 1e5;
        const MAX_PIXELS: f64 = 3e7;
        let near = |at: &[f64]| at.iter().all(|value| value.abs() <= FAR);
        let at = |(x, y): (f64, f64)| near(&[x, y]);
        let fits = |shape: &Shape| match shape {
            Shape::Rect { corners, .. } | Shape::Frame { corners, .. } => near(corners),
            Shape::Circle {
                at: center, radius, ..
            } => at(*center) && near(&[*radius]),
            Shape::Polygon { corners, .. } => corners.iter().copied().all(at),
            Shape::Line { from, to, .. } => at(*from) && at(*to),
            Shape::Text { at: anchor, .. } => at(*anchor),
            Shape::Row(_) => true,
        };
        near(&[self.width, self.height])
            && self.width * self.height <= MAX_PIXELS
            && self.shapes.iter().all(fits)
    }

    /// Draws what belongs to the row `name`.
    pub fn row(&mut self, name: &str, draw: impl FnOnce(&mut Self)) {
        self.shapes.push(Shape::Row(Some(printable(name))));
        draw(self);
        self.shapes.push(Shape::Row(None));
    }

    /// Fills a rectangle.
    pub fn rect(&mut self, left: f64, top: f64, right: f64, bottom: f64, color: Color) {
        self.shapes.push(Shape::Rect {
            corners: [left, top, right, bottom],
            color,
        });
    }

    /// Draws a vertical line, `thickness` pixels wide.
    pub fn vertical(&mut self, x: f64, top: f64, bottom: f64, thickness: f64, color: Color) {
        self.rect(x - thickness / 2.0, top, x + thickness / 2.0, bottom, color);
    }

    /// Draws a horizontal line, `thickness` pixels wide.
    pub fn horizontal(&mut self, y: f64, left: f64, right: f64, thickness: f64, color: Color) {
        self.rect(left, y - thickness / 2.0, right, y + thickness / 2.0, color);
    }

    /// Draws a dashed vertical line.
    pub fn dashed(&mut self, x: f64, top: f64, bottom: f64, dash: Dash, color: Color) {
        let mut y = top;
        while y < bottom {
            self.vertical(x, y, (y + dash.on).min(bottom), dash.thickness, color);
            y += dash.on + dash.off;
        }
    }

    /// Fills a circle.
    pub fn circle(&mut self, at: (f64, f64), radius: f64, color: Color) {
        self.shapes.push(Shape::Circle { at, radius, color });
    }

    /// Fills a polygon.
    pub fn polygon(&mut self, corners: Vec<(f64, f64)>, color: Color) {
        self.shapes.push(Shape::Polygon { corners, color });
    }

    /// Draws a line one pixel wide.
    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), color: Color) {
        self.shapes.push(Shape::Line { from, to, color });
    }

    /// Writes `text` with its anchor at `at`, on the base line.
    pub fn text(&mut self, at: (f64, f64), anchor: Anchor, font: Font, text: &str) {
        self.shapes.push(Shape::Text {
            at,
            anchor,
            font,
            text: printable(text),
        });
    }

    /// Writes `text` with capitals and digits centred vertically on `at`.
    pub fn text_middle(&mut self, at: (f64, f64), anchor: Anchor, font: Font, text: &str) {
        // Half of Roboto's capital height, 1456 units of 2048.
        let base = at.1 + font.size * 0.355;
        self.text((at.0, base), anchor, font, text);
    }
}

/// The dash pattern of a line.
#[derive(Debug, Clone, Copy)]
pub struct Dash {
    /// Length of a dash.
    pub on: f64,
    /// Length of a gap.
    pub off: f64,
    /// Width of the line.
    pub thickness: f64,
}

impl Dash {
    /// Dots.
    pub const DOTTED: Self = Self::new(1.5, 2.5);
    /// Dashes.
    pub const DASHED: Self = Self::new(6.0, 3.0);

    const fn new(on: f64, off: f64) -> Self {
        let thickness = 1.5;
        Self { on, off, thickness }
    }
}

/// Replaces white space with spaces, and characters that XML forbids or that hide or reorder others with U+FFFD.
pub fn printable(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\t' | '\n' | '\r' => ' ',
            '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}'
            | '\u{feff}'
            | '\u{fffe}'
            | '\u{ffff}' => '\u{fffd}',
            c if c.is_control() => '\u{fffd}',
            c => c,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::printable;

    #[test]
    fn control_and_direction_characters_are_replaced() {
        assert_eq!(printable("a\u{1}b\u{202e}c\td<é"), "a\u{fffd}b\u{fffd}c d<é");
    }
}
