//! The bundled font: its bytes, text widths and glyph positions.

use std::sync::LazyLock;

use ab_glyph::{Font as _, FontRef, GlyphId};

/// Family name in charts and on the page.
pub const FAMILY: &str = "Roboto";
/// The bundled font file of the regular weight.
pub const REGULAR: &[u8] = include_bytes!("../fonts/Roboto-Regular.subset.ttf");
/// The bundled font file of the bold weight.
pub const BOLD: &[u8] = include_bytes!("../fonts/Roboto-Bold.subset.ttf");

/// Weight of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    /// Running text.
    Regular,
    /// Titles.
    Bold,
}

impl Weight {
    /// Returns the parsed font.
    pub(crate) fn face(self) -> &'static FontRef<'static> {
        static FACES: LazyLock<[FontRef<'static>; 2]> = LazyLock::new(|| {
            [REGULAR, BOLD].map(|file| FontRef::try_from_slice(file).expect("the bundled font is valid"))
        });
        &FACES[self as usize]
    }
}

/// Calls `each` with every glyph of `text` and its start in ems, and returns the total width in ems.
pub(crate) fn layout(text: &str, weight: Weight, mut each: impl FnMut(GlyphId, f64)) -> f64 {
    let face = weight.face();
    let units = face.units_per_em().map_or(1.0, f64::from);
    let mut x = 0.0;
    for c in text.chars() {
        let glyph = face.glyph_id(c);
        each(glyph, x / units);
        x += f64::from(face.h_advance_unscaled(glyph));
    }
    x / units
}

/// Returns the width of `text` in pixels at `size` pixels per em.
pub fn width(text: &str, size: f64, weight: Weight) -> f64 {
    layout(text, weight, |_, _| ()) * size
}

/// Returns `text`, shortened with an ellipsis if it is wider than `room` pixels.
pub fn fit(text: &str, room: f64, size: f64, weight: Weight) -> String {
    if width(text, size, weight) <= room {
        return text.to_owned();
    }
    // A name can be as long as a file name, so look only at the characters that can fit.
    let narrowest = size * 0.2;
    let mut kept: Vec<char> = text.chars().take((room / narrowest) as usize).collect();
    loop {
        let shown: String = kept.iter().collect::<String>().trim_end().to_owned() + "…";
        if kept.pop().is_none() || width(&shown, size, weight) <= room {
            return shown;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bold_is_wider_and_width_grows_with_size() {
        let regular = width("MurMurHash2", 12.0, Weight::Regular);
        assert!(regular > 60.0 && regular < 90.0, "{regular}");
        assert!(width("MurMurHash2", 12.0, Weight::Bold) > regular);
        assert!((width("MurMurHash2", 24.0, Weight::Regular) - 2.0 * regular).abs() < 1e-9);
    }

    #[test]
    fn long_names_are_cut_to_the_room() {
        assert_eq!(fit("FNVHash", 100.0, 12.0, Weight::Regular), "FNVHash");
        let cut = fit(&"wide ".repeat(5_000), 100.0, 12.0, Weight::Regular);
        assert!(
            cut.ends_with('…') && width(&cut, 12.0, Weight::Regular) <= 100.0,
            "{cut}"
        );
        assert_eq!(fit("FNVHash", 0.0, 12.0, Weight::Regular), "…");
    }
}
