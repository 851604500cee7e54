//! Writes a [`Scene`] as SVG text.
//!
//! Consecutive shapes of the same look share one element: a path for areas or lines, a group for texts. This keeps the
//! painting order. The unit is half a pixel, and every edge lies at a whole unit.

use super::font::FAMILY;
use super::scene::{Anchor, Color, FRAME, PAPER, RIM, Scene, Shape, UNITS, straight, unit, whole};

/// Rules that a page needs for [`inline_svg`].
pub const INLINE_STYLE: &str =
    "svg [color] { fill: currentColor; }\nsvg path[stroke-width] { fill: none; stroke: currentColor; }\n";

/// Returns the scene as an SVG document without an XML declaration.
pub fn svg(scene: &Scene) -> String {
    element_of(scene, FILE)
}

/// Returns the scene as an element of a page that has the rules [`INLINE_STYLE`] and the font: it repeats neither.
pub fn inline_svg(scene: &Scene) -> String {
    element_of(scene, INLINE)
}

/// Attributes that shapes carry, unless a style sheet has them.
#[derive(Clone, Copy)]
struct Look {
    fill: &'static str,
    stroke: &'static str,
    fits_texts: bool,
}

const FILE: Look = Look {
    fill: " fill=\"currentColor\"",
    stroke: " fill=\"none\" stroke=\"currentColor\"",
    fits_texts: true,
};

const INLINE: Look = Look {
    fill: "",
    stroke: "",
    fits_texts: false,
};

fn element_of(scene: &Scene, sheet: Look) -> String {
    let (width, height, paper) = (unit(scene.width), unit(scene.height), paint(PAPER));
    let label = escape(&scene.label);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" viewBox=\"0 0 {width} {height}\" \
         stroke-linejoin=\"round\" role=\"img\" aria-label=\"{label}\" font-family=\"{FAMILY}, 'Helvetica Neue', Arial, sans-serif\">\n\
         <rect width=\"{width}\" height=\"{height}\"{paper} fill=\"currentColor\"/>\n",
        scene.width, scene.height
    );
    let look = |shape: &Shape| (core::mem::discriminant(shape), attributes(shape, sheet));
    for run in scene.shapes.chunk_by(|one, next| look(one) == look(next)) {
        let attributes = attributes(&run[0], sheet);
        let elements: String = run.iter().map(|shape| element(shape, sheet)).collect();
        out += &match &run[0] {
            Shape::Rect(..) | Shape::Polygon(..) | Shape::Line(..) => {
                format!("<path{attributes} d=\"{}\"/>\n", path(run))
            }
            Shape::Circle(..) | Shape::Text(..) => format!("<g{attributes}>\n{elements}</g>\n"),
            Shape::Frame(..) | Shape::Row(_) => elements,
        };
    }
    out + "</svg>\n"
}

/// Escapes text for an XML attribute or element.
fn escape(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}

/// Formats a colour as the attribute that style sheets select and replace, for areas and lines alike.
fn paint(Color(red, green, blue): Color) -> String {
    format!(" color=\"#{red:02X}{green:02X}{blue:02X}\"")
}

/// Returns the attributes that consecutive shapes must share to be written as one element.
fn attributes(shape: &Shape, sheet: Look) -> String {
    let Look { fill, stroke, .. } = sheet;
    match shape {
        Shape::Rect(_, color) | Shape::Circle(.., color) | Shape::Polygon(_, color) => {
            format!("{}{fill}", paint(*color))
        }
        Shape::Line(_, width, color) => {
            let (color, width) = (paint(*color), unit(*width));
            format!("{color}{stroke} stroke-width=\"{width}\"")
        }
        Shape::Text(_, anchor, _, font) => {
            let anchor = match anchor {
                Anchor::Start => "",
                Anchor::Middle => " text-anchor=\"middle\"",
                Anchor::End => " text-anchor=\"end\"",
            };
            let weight = if font.is_bold { " font-weight=\"bold\"" } else { "" };
            let (size, color) = (UNITS * font.size, paint(font.color));
            format!("{anchor} font-size=\"{size}\"{color}{fill}{weight}")
        }
        Shape::Frame(..) | Shape::Row(_) => String::new(),
    }
}

/// Returns the element of a shape that is no part of a path.
fn element(shape: &Shape, sheet: Look) -> String {
    match shape {
        Shape::Circle(at, radius, _) => {
            let [x, y, radius] = [at.0, at.1, *radius].map(unit);
            format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\"/>\n")
        }
        Shape::Text(at, _, text, font) => {
            let [x, y, width] = [at.0, at.1, font.width(text)].map(unit);
            // Another font is fitted into the room of the one that the layout knows.
            let width = match sheet.fits_texts && font.has(text) {
                true => format!(" textLength=\"{width}\""),
                false => String::new(),
            };
            format!("<text x=\"{x}\" y=\"{y}\"{width}>{}</text>\n", escape(text))
        }
        Shape::Frame(corners) => {
            let [left, top, right, bottom] = corners.map(unit);
            let (width, height, rim) = (right - left, bottom - top, unit(RIM));
            format!(
                "<rect class=\"frame\" x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\"{} \
                 fill=\"currentColor\" fill-opacity=\"0.12\" stroke=\"currentColor\" stroke-width=\"{rim}\"/>\n",
                paint(FRAME)
            )
        }
        Shape::Row(Some(name)) => format!("<g data-row=\"{}\">\n", escape(name)),
        Shape::Row(None) => "</g>\n".to_owned(),
        Shape::Rect(..) | Shape::Polygon(..) | Shape::Line(..) => String::new(),
    }
}

/// Returns the data of a path in relative coordinates, which are shorter.
fn path(shapes: &[Shape]) -> String {
    let (mut data, mut at) = (String::new(), (0, 0));
    for shape in shapes {
        let points = points(shape);
        // The first relative move of a path is absolute, and what follows a move are lines.
        data.push('m');
        for &(x, y) in &points {
            for twice in [x - at.0, y - at.1] {
                // A minus sign separates numbers as well as a space does.
                let space = twice >= 0 && data.ends_with(|last: char| last.is_ascii_digit());
                data += &format!("{}{}", if space { " " } else { "" }, twice as f64 / 2.0);
            }
            at = (x, y);
        }
        if !matches!(shape, Shape::Line(..)) {
            data.push('z');
            at = points.first().copied().unwrap_or(at);
        }
    }
    data
}

/// Returns twice the units of the points of an area or a line.
fn points(shape: &Shape) -> Vec<(i64, i64)> {
    let points = match shape {
        Shape::Rect(corners, _) => {
            let [left, top, right, bottom] = whole(*corners).map(|unit| 2 * unit);
            return vec![(left, top), (right, top), (right, bottom), (left, bottom)];
        }
        Shape::Line(points, width, _) => match straight(points, *width) {
            Some([left, top, right, bottom]) if points[0].0 == points[1].0 => {
                return vec![(left + right, 2 * top), (left + right, 2 * bottom)];
            }
            Some([left, top, right, bottom]) => {
                return vec![(2 * left, top + bottom), (2 * right, top + bottom)];
            }
            None => points,
        },
        Shape::Polygon(points, _) => points,
        _ => return Vec::new(),
    };
    points.iter().map(|&(x, y)| (2 * unit(x), 2 * unit(y))).collect()
}
