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
    use crate::scene::{Font, INK, MUTED};

    /// Asserts the elements drawn on an empty sheet, without background and root.
    fn assert_drawn(draw: impl FnOnce(&mut Scene), expected: &str) {
        let mut scene = Scene::new(100.0, 50.0, "a <chart>");
        draw(&mut scene);
        let text = svg(&scene);
        let document = roxmltree::Document::parse(&text).unwrap();
        assert_eq!(document.root_element().attribute("aria-label"), Some("a <chart>"));
        let body = text.split_once("fill=\"#FFFFFF\"/>\n").unwrap().1;
        assert_eq!(body.strip_suffix("</svg>\n").unwrap(), expected);
    }

    #[test]
    fn neighbours_of_one_look_share_an_element() {
        let levels = |scene: &mut Scene| {
            for [x, y, width] in [[2.0, 3.75, 5.0], [0.5, 2.25, 2.5], [1.0, 2.75, 2.0]] {
                scene.horizontal(y, x, x + width, 1.5, MUTED);
            }
        };
        assert_drawn(
            levels,
            "<path stroke=\"#5A636E\" stroke-width=\"3\" d=\"m4 7.5h10m-13-3h5m-4 1h4\"/>\n",
        );
        let uprights = |scene: &mut Scene| {
            for [x, y, height] in [[2.5, 1.0, 15.0], [5.5, 1.0, 3.5], [5.0, 1.0, 0.5]] {
                scene.vertical(x, y, y + height, 1.0, MUTED);
            }
        };
        assert_drawn(
            uprights,
            "<path stroke=\"#5A636E\" stroke-width=\"2\" d=\"m5 2v30m6-30v7m-1-7v1\"/>\n",
        );
        // Painting order stays.
        let areas = |scene: &mut Scene| {
            scene.rect(2.0, 1.0, 7.0, 2.5, MUTED);
            scene.rect(-0.5, 4.5, 2.0, 6.5, MUTED);
            scene.rect(0.0, 0.0, 1.0, 1.0, PAPER);
            scene.rect(0.0, 0.0, 1.0, 1.0, MUTED);
        };
        assert_drawn(
            areas,
            "<path fill=\"#5A636E\" d=\"m4 2h10v3h-10zm-5 7h5v4h-5z\"/>\n\
             <path fill=\"#FFFFFF\" d=\"m0 0h2v2h-2z\"/>\n\
             <path fill=\"#5A636E\" d=\"m0 0h2v2h-2z\"/>\n",
        );
        let texts = |scene: &mut Scene| {
            scene.text((0.5, 3.5), Anchor::Start, Font::NOTE, "a <b>");
            scene.text((1.0, 3.5), Anchor::Start, Font::NOTE, "c");
            scene.text((1.0, 3.5), Anchor::End, Font::HEAD, "alone");
        };
        assert_drawn(
            texts,
            "<g font-size=\"22\" fill=\"#5A636E\">\n<text x=\"1\" y=\"7\">a &lt;b&gt;</text>\n\
             <text x=\"2\" y=\"7\">c</text>\n</g>\n\
             <text x=\"2\" y=\"7\" text-anchor=\"end\" font-size=\"25\" fill=\"#1B1F24\" font-weight=\"bold\">alone</text>\n",
        );
    }

    #[test]
    fn lines_that_meet_are_one_line_and_polygons_stay_apart() {
        let draw = |scene: &mut Scene| {
            scene.line((0.5, 1.0), (1.5, 0.5), INK);
            scene.line((1.5, 0.5), (4.0, 4.0), INK);
            scene.line((10.0, 10.0), (0.5, 3.5), INK);
            for r in [1.0, 2.0] {
                let corners = vec![(0.0, 0.0), (r, 0.0), (0.0, r)];
                scene.shapes.push(Shape::Polygon(corners, INK));
            }
        };
        assert_drawn(
            draw,
            "<path fill=\"none\" stroke=\"#1B1F24\" stroke-width=\"2\" d=\"m1 2l2-1 5 7m12 12l-19-13\"/>\n\
             <path fill=\"#1B1F24\" d=\"m0 0l2 0-2 2zm0 0l4 0-4 4z\"/>\n",
        );
    }

    #[test]
    fn a_row_is_a_group_and_a_frame_an_element() {
        let draw = |scene: &mut Scene| {
            scene.row("a <b>", |scene| scene.rect(0.0, 0.0, 2.0, 3.0, INK));
            scene.shapes.push(Shape::Frame([1.0, 2.0, 5.0, 8.0], MUTED, INK));
        };
        assert_drawn(
            draw,
            "<g data-row=\"a &lt;b&gt;\">\n<path fill=\"#1B1F24\" d=\"m0 0h4v6h-4z\"/>\n</g>\n\
             <rect class=\"frame\" x=\"2\" y=\"4\" width=\"8\" height=\"12\" fill=\"#5A636E\" stroke=\"#1B1F24\" \
             stroke-width=\"3\"/>\n",
        );
    }
}
