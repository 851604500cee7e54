//! A chart before it is written: shapes in pixels, with the origin at the top left.
//!
//! A scene is a backend of plotters on a grid of tenths of pixels, finer than the file's half pixels.

use core::convert::Infallible;

use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind};
use plotters::element::{Drawable, PointCollection};
use plotters::style::text_anchor::{HPos, VPos};
use plotters::style::{Color as _, FontDesc, FontFamily, FontStyle, ShapeStyle, TextStyle};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
};

use super::font::FAMILY;

pub use super::color::*;
pub use super::font::Font;

/// Space at the left and right edge of a sheet.
pub const MARGIN: f64 = 8.0;

/// File units per scene pixel. Rectangles and texts lie at whole units.
pub(crate) const UNITS: f64 = 2.0;

/// Steps of a backend's coordinates per scene pixel.
const STEPS: f64 = 10.0;

/// Converts scene pixels to the nearest whole unit.
pub(crate) fn unit(pixel: f64) -> i64 {
    libm::round(pixel * UNITS) as i64
}

/// Converts scene pixels to steps of a backend, for which far numbers would overflow.
pub(crate) fn steps(pixel: f64) -> i32 {
    libm::round((pixel * STEPS).clamp(-1e8, 1e8)) as i32
}

/// Converts a place in pixels to one of a backend.
pub(crate) fn place((x, y): (f64, f64)) -> BackendCoord {
    (steps(x), steps(y))
}

fn pixel((x, y): BackendCoord) -> (f64, f64) {
    (f64::from(x) / STEPS, f64::from(y) / STEPS)
}

/// Unwraps what plotters drew: a scene takes every shape.
pub(crate) fn drawn<T>(result: Result<T, DrawingAreaErrorKind<Infallible>>) -> T {
    result.expect("a scene takes every shape")
}

/// A style of plotters for lines of this thickness in pixels, and for filled shapes.
pub(crate) fn stroke(color: Color, thickness: f64) -> ShapeStyle {
    color.filled().stroke_width(steps(thickness) as u32)
}

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

impl Anchor {
    /// Returns how much of a text's width lies left of its position.
    pub fn before(self, width: f64) -> f64 {
        match self {
            Self::Start => 0.0,
            Self::Middle => width / 2.0,
            Self::End => width,
        }
    }
}

/// Height of Roboto's capitals and digits in ems.
const CAPITALS: f64 = 0.71;

impl Font {
    /// Returns the font as plotters knows it.
    pub(crate) fn style(self) -> TextStyle<'static> {
        let weight = if self.is_bold {
            FontStyle::Bold
        } else {
            FontStyle::Normal
        };
        FontDesc::new(FontFamily::Name(FAMILY), self.size * STEPS, weight).color(&self.color)
    }

    fn of(style: &impl BackendTextStyle) -> Self {
        let is_bold = matches!(style.style(), FontStyle::Bold);
        Self::new(style.size() / STEPS, is_bold, color(style.color()))
    }
}

fn color(color: BackendColor) -> Color {
    let (red, green, blue) = color.rgb;
    Color(red, green, blue)
}

/// A shape, with its colour last. Corners are left, top, right and bottom.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// A filled rectangle.
    Rect([f64; 4], Color),
    /// A filled circle: centre and radius.
    Circle((f64, f64), f64, Color),
    /// A filled polygon.
    Polygon(Vec<(f64, f64)>, Color),
    /// A line of this width.
    Line(Vec<(f64, f64)>, f64, Color),
    /// A line of text without control characters, with its anchor on the base line.
    Text((f64, f64), Anchor, String, Font),
    /// A rectangle behind a text, with a rim that is `RIM` wide and half outside its edge.
    Frame([f64; 4]),
    /// The shapes from here to the next `Row` belong to the row of this name, or to no row. The first text is the name. SVG
    /// keeps them together, so that a script can move or mark a row.
    Row(Option<String>),
}

/// Width of a frame's rim in pixels.
pub(crate) const RIM: f64 = 1.5;

/// Returns the corners of a rectangle in units, at least one unit apart so that thin shapes do not vanish.
pub(crate) fn whole(corners: [f64; 4]) -> [i64; 4] {
    let [left, top, right, bottom] = corners.map(unit);
    [left, top, right.max(left + 1), bottom.max(top + 1)]
}

/// Returns the corners of a line that is one upright or level stroke.
pub(crate) fn straight(points: &[(f64, f64)], width: f64) -> Option<[i64; 4]> {
    let &[(x, y), (to_x, to_y)] = points else {
        return None;
    };
    let half = width / 2.0;
    match (x == to_x, y == to_y) {
        (true, _) => Some(whole([x - half, y.min(to_y), x + half, y.max(to_y)])),
        (_, true) => Some(whole([x.min(to_x), y - half, x.max(to_x), y + half])),
        _ => None,
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

    /// Returns true if neither the sheet nor a shape on it reaches far; forged records may hold any numbers.
    pub fn is_drawable(&self) -> bool {
        // Far beyond the largest chart of any run.
        const FAR: f64 = 1e5;
        let near = |at: &[f64]| at.iter().all(|value| value.abs() <= FAR);
        let at = |&(x, y): &(f64, f64)| near(&[x, y]);
        let fits = |shape: &Shape| match shape {
            Shape::Rect(corners, _) | Shape::Frame(corners) => near(corners),
            Shape::Circle(center, radius, _) => at(center) && near(&[*radius]),
            Shape::Polygon(points, _) | Shape::Line(points, ..) => points.iter().all(at),
            Shape::Text(anchor, ..) => at(anchor),
            Shape::Row(_) => true,
        };
        near(&[self.width, self.height]) && self.shapes.iter().all(fits)
    }

    /// Returns the part of the sheet between these edges for plotters to draw on.
    pub(crate) fn area(&mut self, corners: [f64; 4]) -> DrawingArea<&mut Self, Shift> {
        let [left, top, right, bottom] = corners.map(steps);
        DrawingArea::from(self).shrink((left, top), (right - left, bottom - top))
    }

    /// Draws what belongs to the row `name`.
    pub fn row(&mut self, name: &str, draw: impl FnOnce(&mut Self)) {
        self.shapes.push(Shape::Row(Some(printable(name))));
        draw(self);
        self.shapes.push(Shape::Row(None));
    }

    /// Frames the name wherever a row has it, and says so in the text alternative as `words`.
    pub fn frame(&mut self, name: &str, words: &str) {
        /// Distance of the frame from the sides of the text, and from its letters: other rows stay free of it.
        const BESIDE: f64 = 3.5;
        const ABOVE: f64 = 1.5;
        let name = printable(name);
        let (mut is_next, mut found) = (false, false);
        for shape in core::mem::take(&mut self.shapes) {
            match &shape {
                Shape::Row(row) => is_next = row.as_ref() == Some(&name),
                Shape::Text(at, anchor, text, font) if is_next => {
                    let width = font.width(text);
                    let left = at.0 - anchor.before(width) - BESIDE;
                    // Heights of letters above and below the base line in ems.
                    let (top, bottom) = (at.1 - 0.78 * font.size, at.1 + 0.22 * font.size);
                    let corners = [left, top - ABOVE, left + width + 2.0 * BESIDE, bottom + ABOVE];
                    self.shapes.push(Shape::Frame(corners));
                    (is_next, found) = (false, true);
                }
                _ => {}
            }
            self.shapes.push(shape);
        }
        if found {
            self.label = format!("{}; {name}, {words}", self.label);
        }
    }

    /// Fills a rectangle.
    pub fn rect(&mut self, left: f64, top: f64, right: f64, bottom: f64, color: Color) {
        self.shapes.push(Shape::Rect([left, top, right, bottom], color));
    }

    /// Draws a straight line.
    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), width: f64, color: Color) {
        self.shapes.push(Shape::Line(vec![from, to], width, color));
    }

    /// Draws an element of plotters at its place on the sheet.
    pub(crate) fn draw<E>(&mut self, element: &E)
    where
        for<'e> &'e E: PointCollection<'e, BackendCoord>,
        for<'s> E: Drawable<&'s mut Self>,
    {
        drawn(DrawingArea::from(self).draw(element));
    }

    /// Writes the title at the left of base line `y`, shortened to end before `end`.
    pub fn title(&mut self, title: &str, y: f64, end: f64) {
        let title = Font::TITLE.fit(title, end - 2.0 * MARGIN);
        self.text((MARGIN, y), Anchor::Start, Font::TITLE, &title);
    }

    /// Writes notes below everything else, wrapped, and makes room for them.
    pub fn notes(&mut self, notes: &[&str]) {
        /// Distance of lines.
        const NOTE: f64 = 16.0;
        let room = self.width - 2.0 * MARGIN;
        for line in notes.iter().flat_map(|note| Font::NOTE.wrap(note, room)) {
            self.text(
                (MARGIN, self.height + 0.75 * NOTE),
                Anchor::Start,
                Font::NOTE,
                &line,
            );
            self.height += NOTE;
        }
    }

    /// Writes `text` with its anchor at `at`, on the base line.
    pub fn text(&mut self, at: (f64, f64), anchor: Anchor, font: Font, text: &str) {
        if !text.is_empty() {
            self.shapes.push(Shape::Text(at, anchor, printable(text), font));
        }
    }

    /// Writes `text` with capitals and digits centred vertically on `at`.
    pub fn text_middle(&mut self, at: (f64, f64), anchor: Anchor, font: Font, text: &str) {
        self.text((at.0, at.1 + font.size * CAPITALS / 2.0), anchor, font, text);
    }
}

type Drawn<T = ()> = Result<T, DrawingErrorKind<Infallible>>;
type At = BackendCoord;

impl DrawingBackend for &mut Scene {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        (steps(self.width) as u32, steps(self.height) as u32)
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, (x, y): At, of: BackendColor) -> Drawn {
        let ((left, top), (right, bottom)) = (pixel((x, y)), pixel((x + 1, y + 1)));
        self.rect(left, top, right, bottom, color(of));
        Ok(())
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = At>>(&mut self, path: I, style: &S) -> Drawn {
        let points = path.into_iter().map(pixel).collect();
        let width = f64::from(style.stroke_width()) / STEPS;
        self.shapes.push(Shape::Line(points, width, color(style.color())));
        Ok(())
    }

    fn draw_circle<S: BackendStyle>(&mut self, center: At, radius: u32, style: &S, _: bool) -> Drawn {
        let radius = f64::from(radius) / STEPS;
        self.shapes
            .push(Shape::Circle(pixel(center), radius, color(style.color())));
        Ok(())
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = At>>(&mut self, path: I, style: &S) -> Drawn {
        let corners = path.into_iter().map(pixel).collect();
        self.shapes.push(Shape::Polygon(corners, color(style.color())));
        Ok(())
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, at: At) -> Drawn {
        let (font, (x, y), anchor) = (Font::of(style), pixel(at), style.anchor());
        let h_pos = match anchor.h_pos {
            HPos::Left => Anchor::Start,
            HPos::Center => Anchor::Middle,
            HPos::Right => Anchor::End,
        };
        // A text's box reaches from its base line to the top of its capitals.
        let below = match anchor.v_pos {
            VPos::Top => CAPITALS,
            VPos::Center => CAPITALS / 2.0,
            VPos::Bottom => 0.0,
        };
        self.text((x, y + below * font.size), h_pos, font, text);
        Ok(())
    }

    fn estimate_text_size<S: BackendTextStyle>(&self, text: &str, style: &S) -> Drawn<(u32, u32)> {
        let font = Font::of(style);
        Ok((steps(font.width(text)) as u32, steps(font.size * CAPITALS) as u32))
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
    use super::*;

    #[test]
    fn control_and_direction_characters_are_replaced() {
        assert_eq!(printable("a\u{1}b\u{202e}c\td<é"), "a\u{fffd}b\u{fffd}c d<é");
    }
}
