//! Marks the function in use today wherever a chart shows its name.

use plots::scene::{Color, Scene, Shape, printable};

/// Rim and fill of the mark, in a colour that no verdict has; the rim is visible without colour.
const RIM: Color = Color(0x6a, 0x1b, 0x9a);
pub(super) const FILL: Color = Color(0xf3, 0xe5, 0xf9);
/// Distance of the frame from the sides of the text, and from its letters: rows of 17.5 pixels stay free of other rows' frames.
const BESIDE: f64 = 3.5;
const ABOVE: f64 = 1.5;

/// Frames every text that names `mine`. `all` are the names of all functions, since a name can be a prefix of another.
pub(super) fn mark<'a>(scene: &mut Scene, mine: &str, all: impl Iterator<Item = &'a str> + Clone) {
    let mine = printable(mine);
    let names: Vec<String> = all.map(printable).collect();
    let shapes = std::mem::take(&mut scene.shapes);
    let mut found = false;
    for shape in shapes {
        if let Shape::Text(at, anchor, text, font) = &shape
            && named(text, &names) == Some(mine.as_str())
        {
            found = true;
            let width = font.width(text);
            let left = at.0 - anchor.before(width);
            // Heights of letters above and below the base line in ems.
            let (top, bottom) = (at.1 - 0.78 * font.size, at.1 + 0.22 * font.size);
            let corners = [left - BESIDE, top - ABOVE, left + width + BESIDE, bottom + ABOVE];
            scene.shapes.push(Shape::Frame(corners, FILL, RIM));
        }
        scene.shapes.push(shape);
    }
    if found {
        scene.label = format!("{}; {mine}, the function in use, is framed", scene.label);
    }
}

/// Returns the function that `text` names: the longest name that is the whole text or precedes a space in it. If the
/// text ends in an ellipsis, returns the only name that starts with the text before the ellipsis.
fn named<'n>(text: &str, names: &'n [String]) -> Option<&'n str> {
    if let Some(start) = text.strip_suffix('…') {
        let mut fitting = names
            .iter()
            .filter(|name| !start.is_empty() && name.starts_with(start));
        let first = fitting.next()?;
        return fitting.next().is_none().then_some(first);
    }
    let begins = |name: &&String| {
        text.strip_prefix(name.as_str())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    let longest = names.iter().filter(begins).max_by_key(|name| name.len());
    longest.map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 5] = ["SipHash", "SipHash-1-3", "my hash", "my", "Long-name-of-mine"];

    #[test]
    fn texts_name_the_longest_function_that_they_begin_with() {
        let names = NAMES.map(str::to_owned);
        for (text, expected) in [
            ("SipHash", Some("SipHash")),
            ("SipHash-1-3 4.2", Some("SipHash-1-3")),
            ("SipHash 61,000×", Some("SipHash")),
            ("my hash 3", Some("my hash")),
            ("my 3", Some("my")),
            ("Long-na…", Some("Long-name-of-mine")),
            ("SipH…", None),
            ("…", None),
            ("SipHash: time", None),
            ("", None),
        ] {
            assert_eq!(named(text, &names), expected, "{text}");
        }
    }
}
