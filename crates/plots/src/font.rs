//! The bundled font: registered once, measured in ems.

use std::sync::Once;

use plotters::style::{FontStyle, IntoFont as _, register_font};

/// Family name in charts and page.
pub const FAMILY: &str = "Roboto";
/// Regular weight, the file as bundled.
pub const REGULAR: &[u8] = include_bytes!("../fonts/Roboto-Regular.subset.ttf");
/// Bold weight, the file as bundled.
pub const BOLD: &[u8] = include_bytes!("../fonts/Roboto-Bold.subset.ttf");

/// `ab_glyph` scales a font by ascent plus descent; Roboto's are 1900 and 500 units of 2048 (table `hhea`).
pub const HEIGHT_PER_EM: f64 = 2400.0 / 2048.0;

/// Makes the font known to `plotters`. Every drawing and measuring function calls it.
pub fn register() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // A font that does not load leaves nothing registered, and drawing text reports that.
        let _ = register_font(FAMILY, FontStyle::Normal, REGULAR);
        let _ = register_font(FAMILY, FontStyle::Bold, BOLD);
    });
}

/// Weight of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    /// Running text.
    Regular,
    /// Titles.
    Bold,
}

impl Weight {
    /// The same for `plotters`.
    pub fn style(self) -> FontStyle {
        match self {
            Self::Regular => FontStyle::Normal,
            Self::Bold => FontStyle::Bold,
        }
    }
}

/// Width of `text` at `size` pixels an em.
pub fn width(text: &str, size: f64, weight: Weight) -> f64 {
    // `plotters` answers in whole pixels: measured large, the rounding is a thousandth of an em.
    const MEASURED_AT: f64 = 1000.0;
    register();
    (FAMILY, MEASURED_AT * HEIGHT_PER_EM, weight.style())
        .into_font()
        .box_size(text)
        .map_or(0.0, |(w, _)| f64::from(w) * size / MEASURED_AT)
}

/// `text`, its end replaced by an ellipsis where it is wider than `room`.
pub fn fit(text: &str, room: f64, size: f64, weight: Weight) -> String {
    if width(text, size, weight) <= room {
        return text.to_owned();
    }
    // A name may be as long as a file name: look at no more characters than can fit.
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
