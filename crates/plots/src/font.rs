//! The bundled font: its bytes, text widths and glyph positions.

use std::sync::LazyLock;

use ab_glyph::{Font as _, FontRef, GlyphId};

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
    pub const NAME: Self = Self::new(12.5, false, INK);
    /// Values.
    pub const VALUE: Self = Self::new(11.0, false, INK);
    /// Ticks and notes.
    pub const NOTE: Self = Self::new(11.0, false, MUTED);
    /// Head of a panel.
    pub const HEAD: Self = Self::new(12.5, true, INK);
    /// Title of a chart.
    pub const TITLE: Self = Self::new(14.0, true, INK);

    pub(crate) const fn new(size: f64, is_bold: bool, color: Color) -> Self {
        Self { size, is_bold, color }
    }

    /// Returns the parsed font file.
    pub(crate) fn face(self) -> &'static FontRef<'static> {
        static FACES: LazyLock<[FontRef<'static>; 2]> = LazyLock::new(|| {
            [REGULAR, BOLD].map(|file| FontRef::try_from_slice(file).expect("the bundled font is valid"))
        });
        &FACES[usize::from(self.is_bold)]
    }

    /// Calls `each` with every glyph of `text` and its start in ems, and returns the total width in ems.
    pub(crate) fn layout(self, text: &str, mut each: impl FnMut(GlyphId, f64)) -> f64 {
        let face = self.face();
        let units = face.units_per_em().map_or(1.0, f64::from);
        let mut x = 0.0;
        for c in text.chars() {
            let glyph = face.glyph_id(c);
            each(glyph, x / units);
            x += f64::from(face.h_advance_unscaled(glyph));
        }
        x / units
    }

    /// Returns the width of `text` in pixels.
    pub fn width(self, text: &str) -> f64 {
        self.layout(text, |_, _| ()) * self.size
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
}
