//! Writes a [`Scene`] as SVG text.
//!
//! Consecutive shapes of the same look share one element: a path for areas or lines, a group for texts. This keeps the
//! painting order. The unit is half a pixel, and every edge lies at a whole unit.

use super::font::FAMILY;
use super::mark;
use super::scene::{Anchor, Color, FRAME, INK, PAPER, RIM, Scene, Shape, UNITS, straight, unit, whole};

/// Rules that a page needs for [`inline_svg`].
pub const INLINE_STYLE: &str = "svg text, svg path, svg use, svg [color] { fill: currentColor; }
svg text:not([color]) { color: #1b1f24; }
svg path:is([stroke-width], .l) { fill: none; stroke: currentColor; }
svg .l { stroke-width: 3; }
svg [hidden] { display: none; }
";

/// Elements that a page needs once for [`inline_svg`]: the marks, which charts use.
pub fn inline_marks() -> String {
    let [radius, hollow] = [mark::RADIUS, mark::HOLLOW].map(unit);
    let white = paint(PAPER);
    format!(
        "<svg class=\"marks\" width=\"0\" height=\"0\" aria-hidden=\"true\"><circle id=\"dot\" r=\"{radius}\"/>\
         <g id=\"ring\"><circle r=\"{radius}\"/><circle r=\"{hollow}\"{white}/></g></svg>\n"
    )
}

/// Returns the scene as an SVG document without an XML declaration.
pub fn svg(scene: &Scene) -> String {
    element_of(scene, FILE)
}

/// Returns the scene as an element of a page that has the rules [`INLINE_STYLE`], the [marks](inline_marks) and the font: it
/// repeats none of them.
pub fn inline_svg(scene: &Scene) -> String {
    element_of(scene, INLINE)
}

/// Returns charts of one size that differ in parts as one element of a page. What they share is written once; what is in one of
/// them alone is a group with its name as `data-first`, `hidden` but for the first chart, whose label the element has.
pub fn inline_alternatives(charts: &[(String, &Scene)]) -> String {
    let Some((_, first)) = charts.first() else {
        return String::new();
    };
    let parts = charts.iter().map(|(_, scene)| parts(&scene.shapes));
    let mut parts: Vec<Vec<Part<'_>>> = parts.collect();
    let is_other = |one: &Vec<Part<'_>>| {
        !one.iter()
            .map(|part| part.0)
            .eq(parts[0].iter().map(|part| part.0))
    };
    if parts.iter().any(is_other) {
        let whole = charts.iter().map(|(_, scene)| vec![(None, &scene.shapes[..])]);
        parts = whole.collect();
    }
    let mut content = String::new();
    for (at, &(name, shapes)) in parts[0].iter().enumerate() {
        let color = name.and_then(|_| commonest(shapes));
        let sheet = Look { color, ..INLINE };
        let all = || parts.iter().map(|parts| parts[at].1);
        let same = |at: &dyn Fn(&[Shape]) -> Option<usize>| {
            let shape = |shapes: &[Shape]| at(shapes).and_then(|at| shapes.get(at).cloned());
            all().all(|other| shape(other).is_some() && shape(other) == shape(shapes))
        };
        let before = (0..).take_while(|&from| same(&|_| Some(from))).count();
        let is_rest =
            |shapes: &[Shape], back: usize| shapes.len().checked_sub(back).filter(|at| *at >= before);
        let after = (1..)
            .take_while(|&back| same(&|shapes| is_rest(shapes, back)))
            .count();
        let mut inner = written(&shapes[..before], sheet);
        for ((name, _), own) in charts.iter().zip(all()) {
            let own = written(&own[before..own.len() - after], sheet);
            let hidden = if *name == charts[0].0 { "" } else { " hidden" };
            if !own.is_empty() {
                inner += &format!("<g data-first=\"{}\"{hidden}>\n{own}</g>\n", escape(name));
            }
        }
        inner += &written(&shapes[shapes.len() - after..], sheet);
        content += &match name {
            Some(name) => group(name, color, &inner),
            None => inner,
        };
    }
    element_around(first, INLINE, &content)
}

/// The name of a row and its shapes, or the shapes between rows.
type Part<'s> = (Option<&'s str>, &'s [Shape]);

fn parts(shapes: &[Shape]) -> Vec<Part<'_>> {
    let (mut all, mut row) = (Vec::new(), None);
    let bounds = |shape: &Shape| matches!(shape, Shape::Row(_));
    let mut rest = shapes;
    loop {
        let end = rest.iter().position(bounds);
        all.push((row, &rest[..end.unwrap_or(rest.len())]));
        let Some(end) = end else {
            return all;
        };
        row = match &rest[end] {
            Shape::Row(name) => name.as_deref(),
            _ => None,
        };
        rest = &rest[end + 1..];
    }
}

fn group(name: &str, color: Option<Color>, inner: &str) -> String {
    let color = color.map(paint).unwrap_or_default();
    format!("<g data-row=\"{}\"{color}>\n{inner}</g>\n", escape(name))
}

/// Attributes that shapes carry, unless a style sheet has them.
#[derive(Clone, Copy)]
struct Look {
    fill: &'static str,
    stroke: &'static str,
    fits_texts: bool,
    /// True in a page, which parses short forms, has the marks, and gives texts and lines their usual look.
    is_short: bool,
    /// The colour of the element around a shape.
    color: Option<Color>,
}

impl Look {
    /// Formats a colour of marks, unless the element around them has it.
    fn paint(self, color: Color) -> String {
        match self.color == Some(color) {
            true => String::new(),
            false => paint(color),
        }
    }
}

const FILE: Look = Look {
    fill: " fill=\"currentColor\"",
    stroke: " fill=\"none\" stroke=\"currentColor\"",
    fits_texts: true,
    is_short: false,
    color: None,
};

const INLINE: Look = Look {
    fill: "",
    stroke: "",
    fits_texts: false,
    is_short: true,
    color: None,
};

/// The size of most texts in units.
const TEXT_SIZE: f64 = 24.0;
/// The width of most lines in units.
const LINE_WIDTH: i64 = 3;

fn element_of(scene: &Scene, sheet: Look) -> String {
    element_around(scene, sheet, &written(&scene.shapes, sheet))
}

/// Returns the element of a sheet with this content.
fn element_around(scene: &Scene, sheet: Look, content: &str) -> String {
    let (width, height, paper) = (unit(scene.width), unit(scene.height), paint(PAPER));
    let label = escape(&scene.label);
    let texts = match sheet.is_short {
        true => format!(" font-size=\"{TEXT_SIZE}\""),
        false => String::new(),
    };
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" viewBox=\"0 0 {width} {height}\" \
         stroke-linejoin=\"round\" role=\"img\" aria-label=\"{label}\" font-family=\"{FAMILY}, 'Helvetica Neue', Arial, sans-serif\"{texts}>\n\
         <rect width=\"{width}\" height=\"{height}\"{paper} fill=\"currentColor\"/>\n{content}</svg>\n",
        scene.width, scene.height
    )
}

/// Writes shapes in their order.
fn written(shapes: &[Shape], sheet: Look) -> String {
    let mut out = String::new();
    for (name, shapes) in parts(shapes) {
        let color = name.and_then(|_| commonest(shapes)).filter(|_| sheet.is_short);
        out += &match name {
            Some(name) => group(name, color, &drawn(shapes, Look { color, ..sheet })),
            None => drawn(shapes, sheet),
        };
    }
    out
}

/// Writes shapes that are in one row or in none.
fn drawn(shapes: &[Shape], sheet: Look) -> String {
    let look = |shape: &Shape| (core::mem::discriminant(shape), attributes(shape, sheet));
    let (mut out, mut rest) = (String::new(), shapes);
    while let Some(first) = rest.first() {
        if let Some((used, taken)) = mark_of(rest, sheet).filter(|_| sheet.is_short) {
            (out, rest) = (out + &used, &rest[taken..]);
            continue;
        }
        let attributes = attributes(first, sheet);
        let others = rest.iter().position(|shape| look(shape) != look(first));
        let (run, after) = rest.split_at(others.unwrap_or(rest.len()));
        rest = after;
        let elements = |attributes| -> String {
            run.iter()
                .map(|shape| element(shape, attributes, sheet))
                .collect()
        };
        if let Some(path) = scaled(run, sheet).filter(|_| sheet.is_short) {
            out += &path;
            continue;
        }
        out += &match first {
            Shape::Rect(..) | Shape::Polygon(..) | Shape::Line(..) => {
                format!("<path{attributes} d=\"{}\"/>\n", path(run, sheet))
            }
            Shape::Circle(..) | Shape::Text(..) if sheet.is_short && run.len() == 1 => elements(&attributes),
            Shape::Circle(..) | Shape::Text(..) => format!("<g{attributes}>\n{}</g>\n", elements("")),
            Shape::Frame(..) | Shape::Row(_) => elements(""),
        };
    }
    out
}

/// Returns the colour of most marks of a row.
fn commonest(shapes: &[Shape]) -> Option<Color> {
    let color = |shape: &Shape| match shape {
        Shape::Rect(_, color)
        | Shape::Circle(.., color)
        | Shape::Polygon(_, color)
        | Shape::Line(.., color) => Some(*color),
        _ => None,
    };
    let count = |of: &Color| shapes.iter().filter(|shape| color(shape) == Some(*of)).count();
    shapes.iter().filter_map(color).max_by_key(count)
}

/// Returns the use of a mark that the first shapes are, a circle or a ring, and how many they are.
fn mark_of(shapes: &[Shape], sheet: Look) -> Option<(String, usize)> {
    let circle = |shape: &Shape, radius: f64| match shape {
        Shape::Circle(at, of, color) if unit(*of) == unit(radius) => Some(([at.0, at.1].map(unit), *color)),
        _ => None,
    };
    let (at, color) = circle(shapes.first()?, mark::RADIUS)?;
    let inner = shapes.get(1).and_then(|shape| circle(shape, mark::HOLLOW));
    let is_ring = inner.is_some_and(|(inner, color)| inner == at && color == PAPER);
    let name = if is_ring { "ring" } else { "dot" };
    let [x, y] = at;
    let used = format!("<use href=#{name}{} x={x} y={y} />\n", sheet.paint(color));
    Some((used, 1 + usize::from(is_ring)))
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
            format!("{}{fill}", sheet.paint(*color))
        }
        Shape::Line(_, width, color) => {
            let (color, width) = (sheet.paint(*color), unit(*width));
            match sheet.is_short && width == LINE_WIDTH {
                true => format!(" class=l{color}"),
                false => format!("{color}{stroke} stroke-width=\"{width}\""),
            }
        }
        Shape::Text(_, anchor, _, font) => {
            let anchor = match anchor {
                Anchor::Start => "",
                Anchor::Middle => " text-anchor=\"middle\"",
                Anchor::End => " text-anchor=\"end\"",
            };
            let weight = if font.is_bold { " font-weight=\"bold\"" } else { "" };
            let (size, color) = (UNITS * font.size, paint(font.color));
            let (is_sized, is_colored) = (
                sheet.is_short && size == TEXT_SIZE,
                sheet.is_short && font.color == INK,
            );
            let size = if is_sized {
                String::new()
            } else {
                format!(" font-size=\"{size}\"")
            };
            let color = if is_colored { String::new() } else { color };
            format!("{anchor}{size}{color}{fill}{weight}")
        }
        Shape::Frame(..) | Shape::Row(_) => String::new(),
    }
}

/// Returns the element of a shape that is no part of a path, with these attributes if it stands alone.
fn element(shape: &Shape, attributes: &str, sheet: Look) -> String {
    match shape {
        Shape::Circle(at, radius, _) => {
            let [x, y, radius] = [at.0, at.1, *radius].map(unit);
            format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\"{attributes}/>\n")
        }
        Shape::Text(at, _, text, font) => {
            let [x, y, width] = [at.0, at.1, font.width(text)].map(unit);
            // Another font is fitted into the room of the one that the layout knows.
            let width = match sheet.fits_texts && font.has(text) {
                true => format!(" textLength=\"{width}\""),
                false => String::new(),
            };
            let text = escape(text);
            match sheet.is_short {
                true => format!("<text x={x} y={y}{attributes}>{text}</text>\n"),
                false => format!("<text x=\"{x}\" y=\"{y}\"{width}{attributes}>{text}</text>\n"),
            }
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
        Shape::Row(_) | Shape::Rect(..) | Shape::Polygon(..) | Shape::Line(..) => String::new(),
    }
}

/// Returns level lines that lie on a grid, in its steps, which have fewer digits; `None` if that would not be shorter.
fn scaled(shapes: &[Shape], sheet: Look) -> Option<String> {
    /// Fewer lines are not worth the grid.
    const FEWEST: usize = 8;
    let lines = shapes.iter().map(|shape| match (shape, &points(shape)[..]) {
        (Shape::Line(_, width, color), &[from, to]) if from.1 == to.1 => {
            Some((from, to, unit(*width), *color))
        }
        _ => None,
    });
    let lines = lines
        .collect::<Option<Vec<_>>>()
        .filter(|lines| lines.len() >= FEWEST)?;
    let &((left, top), _, width, color) = lines.first()?;
    let step = |numbers: &mut dyn Iterator<Item = i64>| numbers.fold(0, gcd);
    let across = step(
        &mut lines
            .iter()
            .flat_map(|(from, to, ..)| [from.0 - left, to.0 - left]),
    );
    let down = step(&mut lines.iter().map(|(from, ..)| from.1 - top));
    if across <= 2 || down <= 2 {
        return None;
    }
    let (mut data, mut at) = (String::new(), (left, top));
    for (from, to, ..) in lines {
        let [x, y] = [(from.0 - at.0) / across, (from.1 - at.1) / down];
        let space = if y < 0 { "" } else { " " };
        data += &format!("m{x}{space}{y}h{}", (to.0 - from.0) / across);
        at = to;
    }
    // Points are in half units.
    let [across, down, left, top] = [across, down, left, top].map(|twice| twice as f64 / 2.0);
    let (color, width) = (sheet.paint(color), width as f64 / down);
    Some(format!(
        "<path{color} stroke-width=\"{width}\" transform=\"matrix({across} 0 0 {down} {left} {top})\" d=\"{data}\"/>\n"
    ))
}

fn gcd(a: i64, b: i64) -> i64 {
    match b {
        0 => a.abs(),
        _ => gcd(b, a % b),
    }
}

/// Returns the data of a path in relative coordinates, which are shorter, as are strokes along an axis in a page.
fn path(shapes: &[Shape], sheet: Look) -> String {
    let (mut data, mut at) = (String::new(), (0, 0));
    let mut push = |command: &str, numbers: &[i64]| {
        data += command;
        for &twice in numbers {
            // A minus sign separates numbers as well as a space does.
            let space = twice >= 0 && data.ends_with(|last: char| last.is_ascii_digit());
            data += &format!("{}{}", if space { " " } else { "" }, twice as f64 / 2.0);
        }
    };
    for shape in shapes {
        let points = points(shape);
        let is_closed = !matches!(shape, Shape::Line(..));
        // What follows a move, or a line, is a line.
        let mut last = "l";
        for (index, &(x, y)) in points.iter().enumerate() {
            let (command, numbers) = match [x - at.0, y - at.1] {
                // The first relative move of a path is absolute.
                step if index == 0 => ("m", step.to_vec()),
                [across, 0] if sheet.is_short => ("h", vec![across]),
                [0, down] if sheet.is_short => ("v", vec![down]),
                step => ("l", step.to_vec()),
            };
            push(if command == last { "" } else { command }, &numbers);
            last = if command == "m" { "l" } else { command };
            at = (x, y);
        }
        if is_closed {
            push("z", &[]);
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
