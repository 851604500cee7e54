//! Writes a [`Scene`] as SVG text.
//!
//! Consecutive shapes of the same look share one element: a path for areas or lines, a group for texts. This keeps the
//! painting order. The unit is half a pixel, and every edge lies at a whole unit.

use core::fmt::Write as _;

use super::font::FAMILY;
use super::scene::{Anchor, Color, PAPER, RIM, Scene, Shape, UNITS, straight, unit, whole};

/// Returns the scene as an SVG document without an XML declaration, ready to embed in HTML.
pub fn svg(scene: &Scene) -> String {
    let (width, height, paper) = (unit(scene.width), unit(scene.height), hex(PAPER));
    let label = escape(&scene.label);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" viewBox=\"0 0 {width} {height}\" \
         stroke-linejoin=\"round\" role=\"img\" aria-label=\"{label}\" font-family=\"{FAMILY}, 'Helvetica Neue', Arial, sans-serif\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"{paper}\"/>\n",
        scene.width, scene.height
    );
    let look = |shape: &Shape| (core::mem::discriminant(shape), attributes(shape));
    for run in scene.shapes.chunk_by(|one, next| look(one) == look(next)) {
        let attributes = attributes(&run[0]);
        // Writing to a string cannot fail.
        let _ = match &run[0] {
            Shape::Rect(..) | Shape::Polygon(..) | Shape::Line(..) => {
                let mut path = Path::default();
                run.iter().for_each(|shape| path.shape(shape));
                writeln!(out, "<path{attributes} d=\"{}\"/>", path.data)
            }
            _ if run.len() > 1 && !attributes.is_empty() => {
                let parts: String = run.iter().map(|shape| element(shape, "")).collect();
                writeln!(out, "<g{attributes}>\n{parts}</g>")
            }
            _ => run
                .iter()
                .try_for_each(|shape| out.write_str(&element(shape, &attributes))),
        };
    }
    out + "</svg>\n"
}

/// Escapes text for an XML attribute or element.
pub fn escape(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}

/// Formats a colour in capitals, the form that style sheets select.
fn hex(Color(red, green, blue): Color) -> String {
    format!("#{red:02X}{green:02X}{blue:02X}")
}

/// Returns the attributes that consecutive shapes must share to be written as one element.
fn attributes(shape: &Shape) -> String {
    match shape {
        Shape::Rect(_, color) | Shape::Circle(.., color) | Shape::Polygon(_, color) => {
            format!(" fill=\"{}\"", hex(*color))
        }
        Shape::Line(points, width, color) => {
            let (color, width) = (hex(*color), unit(*width));
            let fill = match straight(points, 1.0) {
                Some(_) => "",
                None => " fill=\"none\"",
            };
            format!("{fill} stroke=\"{color}\" stroke-width=\"{width}\"")
        }
        Shape::Text(_, anchor, _, font) => {
            let anchor = match anchor {
                Anchor::Start => "",
                Anchor::Middle => " text-anchor=\"middle\"",
                Anchor::End => " text-anchor=\"end\"",
            };
            let weight = if font.is_bold { " font-weight=\"bold\"" } else { "" };
            let (size, color) = (UNITS * font.size, hex(font.color));
            format!("{anchor} font-size=\"{size}\" fill=\"{color}\"{weight}")
        }
        Shape::Frame(..) | Shape::Row(_) => String::new(),
    }
}

/// Returns the element of a shape that is no part of a path.
fn element(shape: &Shape, attributes: &str) -> String {
    match shape {
        Shape::Circle(at, radius, _) => {
            let [x, y, radius] = [at.0, at.1, *radius].map(unit);
            format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\"{attributes}/>\n")
        }
        Shape::Text(at, _, text, _) => {
            let (x, y) = (unit(at.0), unit(at.1));
            format!("<text x=\"{x}\" y=\"{y}\"{attributes}>{}</text>\n", escape(text))
        }
        Shape::Frame(corners, color, rim) => {
            let [left, top, right, bottom] = corners.map(unit);
            let (width, height) = (right - left, bottom - top);
            let (color, rim, thickness) = (hex(*color), hex(*rim), unit(RIM));
            format!(
                "<rect class=\"frame\" x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" \
                 fill=\"{color}\" stroke=\"{rim}\" stroke-width=\"{thickness}\"/>\n"
            )
        }
        Shape::Row(Some(name)) => format!("<g data-row=\"{}\">\n", escape(name)),
        _ => "</g>\n".to_owned(),
    }
}

/// Path data in relative coordinates. The numbers here are twice the written ones.
#[derive(Default)]
struct Path {
    data: String,
    at: (i64, i64),
}

impl Path {
    /// Moves to a point without drawing.
    fn go(&mut self, x: i64, y: i64) {
        // The first relative move of a path is absolute.
        self.data.push('m');
        self.to(x, y);
    }

    fn to(&mut self, x: i64, y: i64) {
        self.number(x - self.at.0);
        self.number(y - self.at.1);
        self.at = (x, y);
    }

    /// Draws horizontally (`h`) or vertically (`v`).
    fn step(&mut self, letter: char, length: i64) {
        self.data.push(letter);
        self.number(length);
        match letter {
            'h' => self.at.0 += length,
            _ => self.at.1 += length,
        }
    }

    fn close(&mut self, first: (i64, i64)) {
        self.data.push('z');
        self.at = first;
    }

    /// Draws a rectangle, line or polygon; the first point of a line is left out if the path is already there.
    fn shape(&mut self, shape: &Shape) {
        if let Shape::Line(points, width, _) = shape
            && let Some([left, top, right, bottom]) = straight(points, *width)
        {
            if points[0].0 == points[1].0 {
                self.go(left + right, 2 * top);
                return self.step('v', 2 * (bottom - top));
            }
            self.go(2 * left, top + bottom);
            return self.step('h', 2 * (right - left));
        }
        let points = match shape {
            Shape::Rect(corners, _) => {
                let [left, top, right, bottom] = whole(*corners).map(|unit| 2 * unit);
                self.go(left, top);
                self.step('h', right - left);
                self.step('v', bottom - top);
                self.step('h', left - right);
                return self.close((left, top));
            }
            Shape::Line(points, ..) | Shape::Polygon(points, _) => points,
            _ => return,
        };
        let mut points = points.iter().map(|(x, y)| (2 * unit(*x), 2 * unit(*y)));
        let Some(first) = points.next() else { return };
        if self.at != first || self.data.is_empty() || self.data.ends_with('z') {
            self.go(first.0, first.1);
            self.data.push('l');
        }
        points.for_each(|(x, y)| self.to(x, y));
        if matches!(shape, Shape::Polygon(..)) {
            self.close(first);
        }
    }

    fn number(&mut self, twice: i64) {
        // A minus sign separates numbers as well as a space does.
        if twice >= 0 && self.data.ends_with(|last: char| last.is_ascii_digit()) {
            self.data.push(' ');
        }
        let _ = match twice % 2 {
            0 => write!(self.data, "{}", twice / 2),
            _ => write!(self.data, "{}", twice as f64 / 2.0),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Font;

    // The committed charts of the comparison and the benchmarks are drawn again byte for byte.
    #[test]
    fn names_of_any_characters_are_text() {
        let mut scene = Scene::new(100.0, 50.0, "a <chart>");
        scene.row("a \"row\"", |scene| {
            scene.text((0.5, 3.5), Anchor::Start, Font::NOTE, "a <b> & c");
        });
        let text = svg(&scene);
        let document = roxmltree::Document::parse(&text).unwrap();
        assert_eq!(document.root_element().attribute("aria-label"), Some("a <chart>"));
        let row = document.descendants().find(|node| node.has_attribute("data-row"));
        assert_eq!(row.unwrap().attribute("data-row"), Some("a \"row\""));
        assert_eq!(
            document
                .descendants()
                .find_map(|node| node.text().filter(|text| text.contains('&'))),
            Some("a <b> & c")
        );
    }
}
