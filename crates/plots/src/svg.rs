//! Writes a [`Scene`] as SVG text.
//!
//! Consecutive shapes of the same look share one element: a path for areas or lines, a group for texts. This keeps the
//! painting order. The unit is half a pixel, and every edge lies at a whole unit.

use core::fmt::Write as _;

use super::font::{self, Weight};
use super::scene::{Anchor, Color, Corners, PAPER, RIM, Scene, Shape, unit};

/// Returns the scene as an SVG document without an XML declaration, ready to embed in HTML.
pub fn svg(scene: &Scene) -> String {
    let (width, height) = (unit(scene.width), unit(scene.height));
    let (label, family) = (escape(&scene.label), font::FAMILY);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" viewBox=\"0 0 {width} {height}\" \
         role=\"img\" aria-label=\"{label}\" font-family=\"{family}, 'Helvetica Neue', Arial, sans-serif\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"{}\"/>\n",
        scene.width,
        scene.height,
        hex(PAPER)
    );
    for run in scene.shapes.chunk_by(|one, next| one.look() == next.look()) {
        // Writing to a string cannot fail.
        let _ = match &run[0] {
            Shape::Rect { color, .. } => {
                let rects: Vec<Corners> = run.iter().filter_map(Shape::corners).collect();
                writeln!(out, "{}", path_of_rects(&hex(*color), &rects))
            }
            Shape::Circle { color, .. } => circles(&mut out, run, *color),
            Shape::Polygon { color, .. } => {
                writeln!(out, "<path fill=\"{}\" d=\"{}\"/>", hex(*color), path_of(run))
            }
            Shape::Line { color, .. } => writeln!(
                out,
                "<path fill=\"none\" stroke=\"{}\" stroke-width=\"2\" stroke-linejoin=\"round\" d=\"{}\"/>",
                hex(*color),
                path_of(run)
            ),
            Shape::Text { .. } => texts(&mut out, run),
            Shape::Frame { .. } => frames(&mut out, run),
            Shape::Row(_) => rows(&mut out, run),
        };
    }
    out + "</svg>\n"
}

/// Returns the path data of consecutive lines or polygons.
fn path_of(run: &[Shape]) -> String {
    let mut path = Path::default();
    for shape in run {
        match shape {
            Shape::Line { from, to, .. } => path.polyline(&[*from, *to]),
            Shape::Polygon { corners, .. } => {
                path.polyline(corners);
                path.close(corners[0]);
            }
            _ => {}
        }
    }
    path.data
}

/// Escapes text for an XML attribute or element.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// Formats a colour in capitals, the form that style sheets select.
fn hex(Color(red, green, blue): Color) -> String {
    format!("#{red:02X}{green:02X}{blue:02X}")
}

fn circles(out: &mut String, run: &[Shape], color: Color) -> core::fmt::Result {
    for shape in run {
        if let Shape::Circle { at, radius, .. } = shape {
            writeln!(
                out,
                "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\"/>",
                unit(at.0),
                unit(at.1),
                unit(*radius),
                hex(color)
            )?;
        }
    }
    Ok(())
}

fn frames(out: &mut String, run: &[Shape]) -> core::fmt::Result {
    for shape in run {
        if let Shape::Frame { corners, rim, color } = shape {
            let [left, top, right, bottom] = corners.map(unit);
            writeln!(
                out,
                "<rect class=\"frame\" x=\"{left}\" y=\"{top}\" width=\"{}\" height=\"{}\" fill=\"{}\" stroke=\"{}\" \
                 stroke-width=\"{}\"/>",
                right - left,
                bottom - top,
                hex(*color),
                hex(*rim),
                unit(RIM)
            )?;
        }
    }
    Ok(())
}

fn rows(out: &mut String, run: &[Shape]) -> core::fmt::Result {
    for shape in run {
        match shape {
            Shape::Row(Some(name)) => writeln!(out, "<g data-row=\"{}\">", escape(name))?,
            _ => writeln!(out, "</g>")?,
        }
    }
    Ok(())
}

fn texts(out: &mut String, run: &[Shape]) -> core::fmt::Result {
    let grouped = run.len() > 1;
    for (index, shape) in run.iter().enumerate() {
        let Shape::Text {
            at,
            anchor,
            font,
            text,
        } = shape
        else {
            continue;
        };
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let weight = match font.weight {
            Weight::Regular => "",
            Weight::Bold => " font-weight=\"bold\"",
        };
        let (size, color) = (2.0 * font.size, hex(font.color));
        let look = format!("{anchor} font-size=\"{size}\" fill=\"{color}\"{weight}");
        if grouped && index == 0 {
            writeln!(out, "<g{look}>")?;
        }
        let look = if grouped { "" } else { &look };
        let (x, y) = (unit(at.0), unit(at.1));
        writeln!(out, "<text x=\"{x}\" y=\"{y}\"{look}>{}</text>", escape(text))?;
    }
    if grouped { writeln!(out, "</g>") } else { Ok(()) }
}

/// Returns the shortest path that covers exactly these rectangles: filled areas, or strokes if all rectangles have the
/// same height or the same width.
fn path_of_rects(color: &str, rects: &[Corners]) -> String {
    let mut areas = Path::default();
    let [mut levels, mut uprights] = [Path::default(), Path::default()];
    for &[left, top, right, bottom] in rects {
        areas.go(2 * left, 2 * top);
        areas.step('h', 2 * (right - left));
        areas.step('v', 2 * (bottom - top));
        areas.step('h', 2 * (left - right));
        areas.data.push('z');
        areas.at = (2 * left, 2 * top);
        levels.go(2 * left, top + bottom);
        levels.step('h', 2 * (right - left));
        uprights.go(left + right, 2 * top);
        uprights.step('v', 2 * (bottom - top));
    }
    let stroke = |path: Path, size: fn(&Corners) -> i64| {
        let thickness = size(&rects[0]);
        let alike = rects.iter().all(|rect| size(rect) == thickness);
        let text = || {
            format!(
                "<path stroke=\"{color}\" stroke-width=\"{thickness}\" d=\"{}\"/>",
                path.data
            )
        };
        alike.then(text)
    };
    let area = format!("<path fill=\"{color}\" d=\"{}\"/>", areas.data);
    [
        stroke(levels, |rect| rect[3] - rect[1]),
        stroke(uprights, |rect| rect[2] - rect[0]),
    ]
    .into_iter()
    .flatten()
    .fold(
        area,
        |best, text| if text.len() < best.len() { text } else { best },
    )
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

    /// Draws a line through `points`; the first point is omitted if the path is already there.
    fn polyline(&mut self, points: &[(f64, f64)]) {
        for (index, point) in points.iter().enumerate() {
            let (x, y) = doubled(*point);
            match index {
                0 if self.at == (x, y) && !self.data.is_empty() && !self.data.ends_with('z') => (),
                0 => {
                    self.go(x, y);
                    self.data.push('l');
                }
                _ => {
                    self.number(x - self.at.0);
                    self.number(y - self.at.1);
                    self.at = (x, y);
                }
            }
        }
    }

    fn close(&mut self, first: (f64, f64)) {
        self.data.push('z');
        self.at = doubled(first);
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

fn doubled((x, y): (f64, f64)) -> (i64, i64) {
    (2 * unit(x), 2 * unit(y))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Font, INK, MUTED};

    /// Returns the elements drawn on an empty sheet, without background and root.
    fn drawn(draw: impl FnOnce(&mut Scene)) -> String {
        let mut scene = Scene::new(100.0, 50.0, "a <chart>");
        draw(&mut scene);
        let text = svg(&scene);
        let document = roxmltree::Document::parse(&text).unwrap();
        assert_eq!(document.root_element().attribute("aria-label"), Some("a <chart>"));
        let body = text.split_once("fill=\"#FFFFFF\"/>\n").unwrap().1;
        body.strip_suffix("</svg>\n").unwrap().to_owned()
    }

    #[test]
    fn neighbours_of_one_colour_become_one_path_with_the_same_corners() {
        let rects = |list: &[[f64; 4]]| {
            drawn(|scene| {
                for [x, y, width, height] in list.iter().map(|rect| rect.map(|value| value / 2.0)) {
                    scene.rect(x, y, x + width, y + height, MUTED);
                }
            })
        };
        let levels = [
            [4.0, 6.0, 10.0, 3.0],
            [1.0, 3.0, 5.0, 3.0],
            [2.0, 4.0, 4.0, 3.0],
            [0.0, 2.0, 12.0, 3.0],
        ];
        assert_eq!(
            rects(&levels),
            "<path stroke=\"#5A636E\" stroke-width=\"3\" d=\"m4 7.5h10m-13-3h5m-4 1h4m-6-2h12\"/>\n"
        );
        let uprights = [
            [4.0, 2.0, 2.0, 30.0],
            [10.0, 2.0, 2.0, 7.0],
            [9.0, 2.0, 2.0, 1.0],
            [0.0, 2.0, 2.0, 2.0],
        ];
        assert_eq!(
            rects(&uprights),
            "<path stroke=\"#5A636E\" stroke-width=\"2\" d=\"m5 2v30m6-30v7m-1-7v1m-9-1v2\"/>\n"
        );
        assert_eq!(
            rects(&[[4.0, 2.0, 10.0, 3.0], [-1.0, 9.0, 5.0, 4.0]]),
            "<path fill=\"#5A636E\" d=\"m4 2h10v3h-10zm-5 7h5v4h-5z\"/>\n"
        );
    }

    #[test]
    fn what_is_painted_over_another_stays_over_it() {
        let text = drawn(|scene| {
            for color in [INK, PAPER, INK] {
                scene.rect(0.0, 0.0, 9.0, 9.0, color);
            }
        });
        let fills: Vec<&str> = text.lines().map(|line| &line[12..19]).collect();
        assert_eq!(fills, ["#1B1F24", "#FFFFFF", "#1B1F24"]);
    }

    #[test]
    fn lines_that_meet_are_one_line_and_polygons_stay_apart() {
        let text = drawn(|scene| {
            scene.line((0.5, 1.0), (1.5, 0.5), INK);
            scene.line((1.5, 0.5), (4.0, 4.0), INK);
            scene.line((10.0, 10.0), (0.5, -3.5), INK);
            scene.polygon(vec![(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)], INK);
            scene.polygon(vec![(0.0, 0.0), (2.0, 0.0), (0.0, 2.0)], INK);
        });
        assert_eq!(
            text,
            "<path fill=\"none\" stroke=\"#1B1F24\" stroke-width=\"2\" stroke-linejoin=\"round\" \
             d=\"m1 2l2-1 5 7m12 12l-19-27\"/>\n\
             <path fill=\"#1B1F24\" d=\"m0 0l2 0-2 2zm0 0l4 0-4 4z\"/>\n"
        );
    }

    #[test]
    fn the_shapes_of_a_row_are_one_group() {
        let text = drawn(|scene| {
            for name in ["a <b>", "c"] {
                scene.row(name, |scene| scene.rect(0.0, 0.0, 2.0, 3.0, INK));
            }
            scene.rect(0.0, 9.0, 2.0, 12.0, INK);
        });
        let document = format!("<svg>{text}</svg>");
        let document = roxmltree::Document::parse(&document).unwrap();
        let groups: Vec<_> = document
            .descendants()
            .filter(|node| node.has_tag_name("path"))
            .map(|path| path.parent_element().unwrap().attribute("data-row"))
            .collect();
        assert_eq!(groups, [Some("a <b>"), Some("c"), None]);
    }

    #[test]
    fn a_frame_is_one_element() {
        let text = drawn(|scene| {
            scene.shapes.push(Shape::Frame {
                corners: [1.0, 2.0, 5.0, 8.0],
                rim: INK,
                color: MUTED,
            });
        });
        assert_eq!(
            text,
            "<rect class=\"frame\" x=\"2\" y=\"4\" width=\"8\" height=\"12\" fill=\"#5A636E\" stroke=\"#1B1F24\" \
             stroke-width=\"3\"/>\n"
        );
    }

    #[test]
    fn texts_of_one_font_share_its_attributes() {
        let text = drawn(|scene| {
            scene.text((0.5, 3.5), Anchor::Start, Font::NOTE, "a <b>");
            scene.text((1.0, 3.5), Anchor::Start, Font::NOTE, "c");
            scene.text((1.0, 3.5), Anchor::End, Font::HEAD, "alone");
        });
        assert_eq!(
            text,
            "<g font-size=\"22\" fill=\"#5A636E\">\n<text x=\"1\" y=\"7\">a &lt;b&gt;</text>\n\
             <text x=\"2\" y=\"7\">c</text>\n</g>\n\
             <text x=\"2\" y=\"7\" text-anchor=\"end\" font-size=\"25\" fill=\"#1B1F24\" font-weight=\"bold\">alone</text>\n"
        );
    }
}
