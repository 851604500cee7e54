//! The bundled font: its bytes and text widths.

use std::sync::LazyLock;

use ttf_parser::Face;

use super::color::{Color, INK, MUTED};

/// Family name in charts and on the page.
pub const FAMILY: &str = "Roboto";
/// The bundled font file of the regular weight.
pub const REGULAR: &[u8] = include_bytes!("../fonts/Roboto-Regular.subset.ttf");
/// The bundled font file of the bold weight.
pub const BOLD: &[u8] = include_bytes!("../fonts/Roboto-Bold.subset.ttf");

/// Size in pixels per em, weight and colour of a text.
#[derive(Debug, Clone, Copy, PartialEq)]
#[expect(missing_docs, reason = "the line above names the fields")]
pub struct Font {
    pub size: f64,
    pub is_bold: bool,
    pub color: Color,
}

impl Font {
    /// Row names and direct labels.
    pub const NAME: Self = Self::new(13.0, false, INK);
    /// Values.
    pub const VALUE: Self = Self::new(12.0, false, INK);
    /// Ticks and notes.
    pub const NOTE: Self = Self::new(12.0, false, MUTED);
    /// Head of a panel.
    pub const HEAD: Self = Self::new(13.0, true, INK);
    /// Title of a chart.
    pub const TITLE: Self = Self::new(15.0, true, INK);

    pub(crate) const fn new(size: f64, is_bold: bool, color: Color) -> Self {
        Self { size, is_bold, color }
    }

    fn face(self) -> &'static Face<'static> {
        static FACES: LazyLock<[Face<'static>; 2]> = LazyLock::new(|| {
            [REGULAR, BOLD].map(|file| Face::parse(file, 0).expect("the bundled font is valid"))
        });
        &FACES[usize::from(self.is_bold)]
    }

    /// Returns true if the font has every character of `text`.
    pub(crate) fn has(self, text: &str) -> bool {
        text.chars().all(|c| self.face().glyph_index(c).is_some())
    }

    /// Returns the width of `text` in pixels. A character that the font does not have is as wide as the box in its place.
    pub fn width(self, text: &str) -> f64 {
        let face = self.face();
        let units: f64 = text
            .chars()
            .map(|c| face.glyph_index(c).unwrap_or_default())
            .map(|glyph| f64::from(face.glyph_hor_advance(glyph).unwrap_or_default()))
            .sum();
        units / f64::from(face.units_per_em()) * self.size
    }

    /// Returns `text`, shortened with an ellipsis if it is wider than `room` pixels.
    pub fn fit(self, text: &str, room: f64) -> String {
        if self.width(text) <= room {
            return text.to_owned();
        }
        // A name can be as long as a file name, so look only at the characters that can fit.
        let narrowest = self.size * 0.2;
        let mut kept: Vec<char> = text.chars().take((room / narrowest) as usize).collect();
        loop {
            let shown: String = kept.iter().collect::<String>().trim_end().to_owned() + "…";
            if kept.pop().is_none() || self.width(&shown) <= room {
                return shown;
            }
        }
    }

    /// Returns `text` in lines of at most `room` pixels, broken at spaces.
    pub(crate) fn wrap(self, text: &str, room: f64) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for word in text.split(' ') {
            match lines.last_mut() {
                Some(line) if self.width(&format!("{line} {word}")) <= room => *line += &format!(" {word}"),
                _ => lines.push(self.fit(word, room)),
            }
        }
        lines
    }
}
