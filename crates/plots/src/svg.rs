//! Makes the SVG text that `plotters` writes small: it gives every shape an element with all its attributes.
//!
//! Neighbours of one look become one element: rectangles of one colour a path, lines of one colour a path, texts of one
//! font a group. Nothing changes its place in the painting order, and every coordinate stays what it was. A line that is
//! none of these is passed on as it is.

mod path;

use core::fmt::Write as _;

use path::{Path, Point, Rect, path_of_rects};

/// The elements of `plotters`, one a line and texts on three, in fewer bytes.
pub fn compact(body: &str) -> String {
    let mut out = String::with_capacity(body.len() / 4);
    let mut run = Run::None;
    let mut lines = body.lines();
    while let Some(line) = lines.next() {
        let shape = Shape::read(line, &mut lines);
        if let Some(shape) = run.join(shape) {
            run.write(&mut out);
            run = Run::of(shape);
        }
    }
    run.write(&mut out);
    out
}

/// One element as `plotters` wrote it.
enum Shape<'a> {
    Rect { fill: &'a str, rect: Rect },
    Line { look: [&'a str; 2], points: Vec<Point> },
    Text { look: String, text: Text<'a> },
    Other(&'a str),
}

struct Text<'a> {
    at: [&'a str; 2],
    /// Escaped already.
    words: &'a str,
}

impl<'a> Shape<'a> {
    /// The element that begins in `line`; a text takes two lines more.
    fn read(line: &'a str, rest: &mut core::str::Lines<'a>) -> Self {
        Self::known(line, rest).unwrap_or(Self::Other(line))
    }

    fn known(line: &'a str, rest: &mut core::str::Lines<'a>) -> Option<Self> {
        let value = |name| attribute(line, name);
        let whole = |name| value(name)?.parse().ok();
        if line.starts_with("<rect ") && line.ends_with("/>") && value("stroke") == Some("none") {
            return Some(Self::Rect {
                fill: value("fill")?,
                rect: Rect {
                    left: whole("x")?,
                    top: whole("y")?,
                    width: whole("width")?,
                    height: whole("height")?,
                },
            });
        }
        if line.starts_with("<polyline ") && line.ends_with("/>") && value("fill") == Some("none") {
            let points = value("points")?.split_whitespace().map(|pair| {
                let (x, y) = pair.split_once(',')?;
                Some((x.parse().ok()?, y.parse().ok()?))
            });
            return Some(Self::Line {
                look: [value("stroke")?, value("stroke-width")?],
                points: points.collect::<Option<Vec<_>>>().filter(|all| !all.is_empty())?,
            });
        }
        if line.starts_with("<text ") && line.ends_with('>') {
            let mut ahead = rest.clone();
            let (words, end) = (ahead.next()?, ahead.next()?);
            if end != "</text>" {
                return None;
            }
            let mut look = String::new();
            for name in ["text-anchor", "font-size", "fill", "font-weight"] {
                // The start is where a text is anchored unless told otherwise.
                if let Some(value) = value(name).filter(|value| *value != "start") {
                    let _ = write!(look, " {name}=\"{value}\"");
                }
            }
            let at = [value("x")?, value("y")?];
            *rest = ahead;
            return Some(Self::Text {
                look,
                text: Text { at, words },
            });
        }
        None
    }
}

/// The value of an attribute: quotes in values are escaped.
fn attribute<'a>(element: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = element.split_once(&format!(" {name}=\""))?;
    Some(rest.split_once('"')?.0)
}

/// Neighbours of one look.
enum Run<'a> {
    None,
    Rects {
        fill: &'a str,
        rects: Vec<Rect>,
    },
    Lines {
        look: [&'a str; 2],
        lines: Vec<Vec<Point>>,
    },
    Texts {
        look: String,
        texts: Vec<Text<'a>>,
    },
    Other(&'a str),
}

impl<'a> Run<'a> {
    fn of(shape: Shape<'a>) -> Self {
        match shape {
            Shape::Rect { fill, rect } => Self::Rects {
                fill,
                rects: vec![rect],
            },
            Shape::Line { look, points } => Self::Lines {
                look,
                lines: vec![points],
            },
            Shape::Text { look, text } => Self::Texts {
                look,
                texts: vec![text],
            },
            Shape::Other(line) => Self::Other(line),
        }
    }

    /// Takes the shape in, or gives it back where it looks otherwise.
    fn join(&mut self, shape: Shape<'a>) -> Option<Shape<'a>> {
        match (self, shape) {
            (Self::Rects { fill, rects }, Shape::Rect { fill: other, rect }) if *fill == other => {
                rects.push(rect);
            }
            (Self::Lines { look, lines }, Shape::Line { look: other, points }) if *look == other => {
                match lines.last_mut() {
                    // Where one ends and the next begins, they are one.
                    Some(last) if last.last() == points.first() => last.extend(&points[1..]),
                    _ => lines.push(points),
                }
            }
            (Self::Texts { look, texts }, Shape::Text { look: other, text }) if *look == other => {
                texts.push(text);
            }
            (_, shape) => return Some(shape),
        }
        None
    }

    fn write(&self, out: &mut String) {
        // Writing to a string cannot fail.
        let _ = match self {
            Self::None => Ok(()),
            Self::Other(line) => writeln!(out, "{line}"),
            Self::Rects { fill, rects } => match rects.as_slice() {
                [rect] => writeln!(
                    out,
                    "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{fill}\"/>",
                    rect.left, rect.top, rect.width, rect.height
                ),
                _ => writeln!(out, "{}", path_of_rects(fill, rects)),
            },
            Self::Lines {
                look: [stroke, width],
                lines,
            } => {
                let mut path = Path::default();
                for points in lines {
                    path.polyline(points);
                }
                writeln!(
                    out,
                    "<path fill=\"none\" stroke=\"{stroke}\" stroke-width=\"{width}\" stroke-linejoin=\"round\" d=\"{}\"/>",
                    path.data()
                )
            }
            Self::Texts { look, texts } => write_texts(out, look, texts),
        };
    }
}

fn write_texts(out: &mut String, look: &str, texts: &[Text<'_>]) -> core::fmt::Result {
    if let [Text { at: [x, y], words }] = texts {
        return writeln!(out, "<text x=\"{x}\" y=\"{y}\"{look}>{words}</text>");
    }
    writeln!(out, "<g{look}>")?;
    for Text { at: [x, y], words } in texts {
        writeln!(out, "<text x=\"{x}\" y=\"{y}\">{words}</text>")?;
    }
    writeln!(out, "</g>")
}

#[cfg(test)]
mod tests {
    use super::compact;

    fn rect(x: i64, y: i64, width: i64, height: i64, fill: &str) -> String {
        format!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" opacity=\"1\" fill=\"{fill}\" stroke=\"none\"/>\n"
        )
    }

    fn line(points: &str) -> String {
        format!(
            "<polyline fill=\"none\" opacity=\"1\" stroke=\"#123456\" stroke-width=\"2\" points=\"{points}\"/>\n"
        )
    }

    #[test]
    fn neighbours_of_one_colour_become_one_path_with_the_same_corners() {
        let levels = [(4, 10), (1, 5), (2, 4), (0, 12)].map(|(x, width)| rect(x, 2 + x, width, 3, "#AAAAAA"));
        assert_eq!(
            compact(&levels.concat()),
            "<path stroke=\"#AAAAAA\" stroke-width=\"3\" d=\"M4 7.5h10m-13-3h5m-4 1h4m-6-2h12\"/>\n"
        );
        let uprights = [(4, 30), (10, 7), (9, 1), (0, 2)].map(|(x, height)| rect(x, 2, 2, height, "#AAAAAA"));
        assert_eq!(
            compact(&uprights.concat()),
            "<path stroke=\"#AAAAAA\" stroke-width=\"2\" d=\"M5 2v30m6-30v7m-1-7v1m-9-1v2\"/>\n"
        );
        let unlike = [rect(4, 2, 10, 3, "#AAAAAA"), rect(-1, 9, 5, 4, "#AAAAAA")].concat();
        assert_eq!(
            compact(&unlike),
            "<path fill=\"#AAAAAA\" d=\"M4 2h10v3h-10zm-5 7h5v4h-5z\"/>\n"
        );
    }

    #[test]
    fn what_is_painted_over_another_stays_over_it() {
        let drawn = [
            rect(0, 0, 9, 9, "#AAAAAA"),
            rect(1, 1, 2, 2, "#BBBBBB"),
            rect(2, 2, 2, 2, "#AAAAAA"),
        ];
        let small = compact(&drawn.concat());
        let fills: Vec<&str> = small
            .lines()
            .map(|line| &line[line.len() - 10..line.len() - 3])
            .collect();
        assert_eq!(fills, ["#AAAAAA", "#BBBBBB", "#AAAAAA"]);
    }

    #[test]
    fn lines_that_meet_are_one_line() {
        let drawn = [line("1,2 3,1 "), line("3,1 8,8 "), line("20,20 1,-7 ")].concat();
        assert_eq!(
            compact(&drawn),
            "<path fill=\"none\" stroke=\"#123456\" stroke-width=\"2\" stroke-linejoin=\"round\" \
             d=\"M1 2l2-1 5 7m12 12l-19-27\"/>\n"
        );
    }

    #[test]
    fn texts_of_one_font_share_its_attributes() {
        let text = |x: i64, words: &str| {
            format!(
                "<text x=\"{x}\" y=\"7\" dy=\"0.76em\" text-anchor=\"start\" font-family=\"Roboto\" \
                 font-size=\"22\" opacity=\"1\" fill=\"#5A636E\">\n{words}\n</text>\n"
            )
        };
        let drawn = [text(1, "a &lt;b&gt;"), text(2, "<rect")].concat();
        assert_eq!(
            compact(&drawn),
            "<g font-size=\"22\" fill=\"#5A636E\">\n<text x=\"1\" y=\"7\">a &lt;b&gt;</text>\n\
             <text x=\"2\" y=\"7\"><rect</text>\n</g>\n"
        );
        assert_eq!(
            compact(&text(1, "alone")),
            "<text x=\"1\" y=\"7\" font-size=\"22\" fill=\"#5A636E\">alone</text>\n"
        );
    }

    #[test]
    fn what_is_not_known_is_passed_on() {
        let other = "<circle cx=\"1\" cy=\"2\" r=\"3\" fill=\"#AAAAAA\"/>\n<rect x=\"1.5\"/>\n</svg>\n";
        assert_eq!(compact(other), other);
    }
}
